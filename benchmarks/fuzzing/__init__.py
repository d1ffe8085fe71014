"""Damaged and hostile input of every kind that `elmo` reads; see `benchmarks/fuzz.py`."""

from __future__ import annotations

from fuzzing.annotations import Conllu, FirstSenses, LabelFiles, SenseLines
from fuzzing.archives import ArchiveBytes, ArchiveCommands, ArchiveMembers, ArchiveTar
from fuzzing.checkpoints import Checkpoints, TrainingFolder
from fuzzing.command_lines import CommandLines
from fuzzing.embeddings import (
    AllennlpBytes,
    AllennlpStructure,
    Npy,
    PackedBytes,
    PackedStructure,
    Parquet,
    UnfinishedRun,
)
from fuzzing.kind import Kind
from fuzzing.results import FinishedRuns, Index, Tables
from fuzzing.tasks import Coref, Ner, Predictors, Snli, Squad, Srl, Sst5
from fuzzing.text import CharacterIds, GzippedText, TextLoader, TextPerplexity, TextReader
from fuzzing.vectors import CoveFile, Vectors
from fuzzing.weights import (
    LanguageModel,
    Options,
    StoredBytes,
    StoredStructure,
    WeightBytes,
    WeightStructure,
)

KINDS: dict[str, type[Kind]] = {
    kind.name: kind
    for kind in (
        *(Options, WeightBytes, WeightStructure, LanguageModel, StoredBytes, StoredStructure),
        *(PackedBytes, PackedStructure, AllennlpBytes, AllennlpStructure, Parquet, Npy),
        UnfinishedRun,
        *(ArchiveBytes, ArchiveMembers, ArchiveTar, ArchiveCommands, Checkpoints, TrainingFolder),
        *(TextReader, GzippedText, TextLoader, TextPerplexity, CharacterIds),
        *(Snli, Srl, Coref, Ner, Sst5, Squad, Predictors),
        *(Vectors, CoveFile, Conllu, LabelFiles, SenseLines, FirstSenses, Index),
        *(Tables, FinishedRuns, CommandLines),
    )
}
