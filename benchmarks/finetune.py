"""What does one epoch on a domain's own text do to a biLM? Writes results/finetune.*.

Fine-tunes the built-in biLM with training_configs/bilm/finetune.jsonnet on the training sentences
of each task and scores the development ones before and after, as Table 7 of the paper does. Leaves
the fine-tuned biLMs in runs/finetune/NAME/exported. What is finished is not repeated.

    python benchmarks/finetune.py DATA

DATA holds ner/{train,dev}.txt, sst/{train,dev}.txt, snli/{cf_train,cf_dev}.jsonl and
squad/{train,dev}-v1.1.json.
"""

import argparse
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import _jsonnet
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.plugins import import_plugins
from allennlp.common.tqdm import Tqdm
from allennlp.data.tokenizers import SpacyTokenizer

from elmo_plugin.commands.outputs import write_outputs
from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.common.text import iter_sentences
from elmo_plugin.experiments.intrinsic.perplexity import bilm_perplexity
from elmo_plugin.models.loading import load_language_model
from elmo_plugin.reporting.provenance import provenance
from elmo_plugin.reporting.tables import Cell, Table
from elmo_plugin.weights.language_model_files import save_language_model

ROOT = Path(__file__).parent.parent
Sentences = Iterator[list[str]]


def conll_sentences(path: Path) -> Sentences:
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        words = [line.split()[0] for line in block.splitlines() if line.strip()]
        if words and words != ["-DOCSTART-"]:
            yield words


def tree_sentences(path: Path) -> Sentences:
    for line in path.open(encoding="utf-8"):
        yield re.findall(r" ([^ ()]+)\)", line)


def snli_sentences(path: Path) -> Sentences:
    pairs = [json.loads(line) for line in path.open(encoding="utf-8")]
    yield from tokenized(pair[key] for pair in pairs for key in ("sentence1", "sentence2"))


def squad_questions(path: Path) -> Sentences:
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    yield from tokenized(qa["question"] for paragraph in paragraphs for qa in paragraph["qas"])


def tokenized(texts: Iterator[str]) -> Sentences:
    tokenizer = SpacyTokenizer()
    for text in Tqdm.tqdm(texts, desc="splitting into words"):
        words = (token.ensure_text() for token in tokenizer.tokenize(text))
        yield [word for word in words if word.strip()]


Reader = Callable[[Path], Sentences]
# Training and development part, how to read them, and before and after in the paper's Table 7.
TEXTS: dict[str, tuple[str, str, Reader, str]] = {
    "SNLI": ("snli/cf_train.jsonl", "snli/cf_dev.jsonl", snli_sentences, "72.1 → 16.8"),
    "NER": ("ner/train.txt", "ner/dev.txt", conll_sentences, "103.2 → 46.3"),
    "SQuAD questions": (
        "squad/train-v1.1.json",
        "squad/dev-v1.1.json",
        squad_questions,
        "158.2 → 52.0",
    ),
    "SST": ("sst/train.txt", "sst/dev.txt", tree_sentences, "131.5 → 78.6"),
}


COLUMNS = ("text", "training part", "words", "before", "after one epoch", "paper")
FACTS = {
    "Perplexity": "average of both directions, full softmax over the built-in vocabulary of 30,003 "
    "words, on the development sentences; the paper's is of its own biLM, vocabulary and data sets "
    "(NER: CoNLL 2003; SNLI: the original), so only the fall compares",
    "Seeds": "one",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--runs", type=Path, default=Path("runs/finetune"), help="for trainings")
    parser.add_argument("--out", default=str(ROOT / "results" / "finetune"), metavar="PREFIX")
    arguments = parser.parse_args()
    import_plugins()
    rows = [row(name, arguments.data, arguments.runs) for name in TEXTS]
    title = "Perplexity before and after one epoch on a domain's own sentences"
    facts = {**FACTS, **provenance()}
    write_outputs(arguments.out, Table(title, COLUMNS, rows, facts, digits=1, paper="Table 7"))


def row(name: str, data: Path, out: Path) -> list[Cell]:
    train, dev, read, paper = TEXTS[name]
    run = out / name.replace(" ", "_").lower()
    texts = {
        part: write_text(read(data / file), run.with_suffix(f".{part}.txt"))
        for part, file in (("train", train), ("dev", dev))
    }
    model, words = load_language_model()
    before = bilm_perplexity(model, words, iter_sentences(str(texts["dev"])))["perplexity"]
    after = finetuned_perplexity(run, texts)
    export(run)
    num_words = len(texts["train"].read_text(encoding="utf-8").split())
    return [name, train, num_words, before, after, paper]


def write_text(sentences: Sentences, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write_text("".join(" ".join(s) + "\n" for s in sentences if s), encoding="utf-8")
    return path


def finetuned_perplexity(run: Path, texts: dict[str, Path]) -> float:
    metrics = run / "metrics.json"
    if not metrics.exists():
        lm = json.dumps({"train": str(texts["train"]), "heldout": str(texts["dev"])})
        config = f"(import 'finetune.jsonnet') {{ paths+:: {{ lm: {lm} }} }}"
        path = ROOT / "training_configs" / "bilm" / "benchmark.jsonnet"
        params = Params(json.loads(_jsonnet.evaluate_snippet(str(path), config)))
        train_model(params, str(run), recover=run.exists())
    return json.loads(metrics.read_text())["best_validation_perplexity"]


def export(run: Path) -> None:
    model, words = load_language_model(str(run))
    save_language_model(model.bilm, model.softmax, words, run / "exported")


if __name__ == "__main__":
    main()
