"""Named options of embedding."""

from typing import Literal, Union

InputFormat = Literal["text", "jsonl", "conll"]
Layers = Union[Literal["all", "average", "last", "mix"], int]
Pooling = Literal["mean", "max"]
Format = Literal["packed", "allennlp", "parquet", "parquet-directory", "npy"]
