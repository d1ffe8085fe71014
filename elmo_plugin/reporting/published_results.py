"""The results of Peters et al. 2018 (arXiv:1802.05365), by table and figure."""

from __future__ import annotations

from elmo_plugin.reporting.tables import Cell, Table

TABLES = {
    "Table 1": Table(
        "Test scores with and without ELMo",
        ("task", "baseline", "with ELMo", "relative error reduction (%)"),
        # As printed: precision differs by task, and only three have a standard deviation.
        (
            ("SQuAD", "81.1", "85.8", "24.9"),
            ("SNLI", "88.0", "88.7 ± 0.17", "5.8"),
            ("SRL", "81.4", "84.6", "17.2"),
            ("Coref", "67.2", "70.4", "9.8"),
            ("NER", "90.15", "92.22 ± 0.10", "21"),
            ("SST-5", "51.4", "54.7 ± 0.5", "6.8"),
        ),
    ),
    "Table 2": Table(
        "Development scores by layers and lambda",
        ("task", "baseline", "last only", "all, lambda = 1", "all, lambda = 0.001"),
        (
            ("SQuAD", 80.8, 84.7, 85.0, 85.2),
            ("SNLI", 88.1, 89.1, 89.3, 89.5),
            ("SRL", 81.6, 84.1, 84.6, 84.8),
        ),
        digits=1,
    ),
    "Table 3": Table(
        "Development scores by where ELMo is included",
        ("task", "input only", "input and output", "output only"),
        (("SQuAD", 85.1, 85.6, 84.8), ("SNLI", 88.9, 89.5, 88.7), ("SRL", 84.7, 84.3, 80.9)),
        digits=1,
    ),
    "Table 5": Table(
        "Fine-grained word sense disambiguation, F1",
        ("representation", "layer", "F1"),
        (
            ("first sense", "", 65.9),  # of WordNet
            ("Raganato et al. 2017", "", 69.9),
            ("Iacobacci et al. 2016", "", 70.1),
            ("CoVe", "1", 59.4),
            ("CoVe", "2", 64.7),
            ("biLM", "1", 67.4),
            ("biLM", "2", 69.0),
        ),
        digits=1,
    ),
    "Table 6": Table(
        "Part-of-speech tagging of the Penn Treebank, accuracy",
        ("representation", "layer", "accuracy"),
        (
            ("Collobert et al. 2011", "", 97.3),
            ("Ma and Hovy 2016", "", 97.6),
            ("Ling et al. 2015", "", 97.8),
            ("CoVe", "1", 93.3),
            ("CoVe", "2", 92.8),
            ("biLM", "1", 97.3),
            ("biLM", "2", 96.8),
        ),
        digits=1,
    ),
    "Table 7": Table(
        "Perplexity on development text before and after fine-tuning the biLM",
        ("text", "before", "after"),
        (
            ("SNLI", 72.1, 16.8),
            ("coreference and SRL (CoNLL 2012)", 92.3, None),
            ("NER (CoNLL 2003)", 103.2, 46.3),
            ("SQuAD context", 99.1, 43.5),
            ("SQuAD questions", 158.2, 52.0),
            ("SST", 131.5, 78.6),
        ),
        digits=1,
    ),
}

FINDINGS = {
    "Table 4": "The nearest neighbors of GloVe's play cover several parts of speech and mostly "
    "concern sports; those of the biLM's play share its part of speech and its sense in the "
    "sentence.",
    "Figure 1": "With ELMo, 1% of the SRL training data give the F1 that the baseline reaches "
    "with 10%; the baseline's best F1 takes 10 epochs instead of 486.",
    "Figure 2": "At the input, the weights favor the first biLSTM layer, for coreference and SQuAD "
    "strongly; at the output they are more balanced, with a slight preference for the lower "
    "layers.",
}

SUBJECTS = {
    "Table 1": "the six tasks",
    "Table 2": "layer weighting",
    "Table 3": "placement",
    "Table 4": "nearest neighbors",
    "Table 5": "word senses",
    "Table 6": "parts of speech",
    "Table 7": "fine-tuning",
    "Figure 1": "sample efficiency",
    "Figure 2": "learned weights",
}
"""The subject of each, in the order in which the report shows them."""


def published_score(table: str, representation: str, layer: str) -> Cell:
    """The score in Table 5 or 6, or `None` if the paper has none."""
    scores = {(row[0], row[1]): row[2] for row in TABLES[table].rows}
    return scores.get((representation, layer))


def published_row(table: str, name: str) -> list[float]:
    """The scores in the row of Table 1 or 7 that starts with `name`, without deviations."""
    rows = {row[0]: row[1:] for row in TABLES[table].rows}
    return [float(str(cell).split(" ± ")[0]) for cell in rows[name]]
