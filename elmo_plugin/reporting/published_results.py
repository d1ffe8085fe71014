"""What Peters et al. 2018 (arXiv:1802.05365) found, table by table, to stand beside ours."""

from __future__ import annotations

from elmo_plugin.reporting.tables import Table

TABLES = {
    "Table 1": Table(
        "Test scores without and with ELMo",
        ("task", "baseline", "with ELMo", "% of the errors"),
        # As printed: with other digits from task to task, and a deviation of three.
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
        "Development scores by ELMo's place",
        ("task", "input only", "input and output", "output only"),
        (("SQuAD", 85.1, 85.6, 84.8), ("SNLI", 88.9, 89.5, 88.7), ("SRL", 84.7, 84.3, 80.9)),
        digits=1,
    ),
    "Table 5": Table(
        "Word senses, F1",
        ("representation", "F1"),
        (
            ("WordNet's first sense", 65.9),
            ("Raganato et al. 2017", 69.9),
            ("Iacobacci et al. 2016", 70.1),
            ("CoVe, first layer", 59.4),
            ("CoVe, second layer", 64.7),
            ("biLM, first layer", 67.4),
            ("biLM, second layer", 69.0),
        ),
        digits=1,
    ),
    "Table 6": Table(
        "Parts of speech in the Penn Treebank, accuracy",
        ("representation", "accuracy"),
        (
            ("Collobert et al. 2011", 97.3),
            ("Ma and Hovy 2016", 97.6),
            ("Ling et al. 2015", 97.8),
            ("CoVe, first layer", 93.3),
            ("CoVe, second layer", 92.8),
            ("biLM, first layer", 97.3),
            ("biLM, second layer", 96.8),
        ),
        digits=1,
    ),
    "Table 7": Table(
        "Perplexity on development text before and after fine-tuning the biLM",
        ("text", "before", "after"),
        (
            ("SNLI", 72.1, 16.8),
            ("NER (CoNLL 2003)", 103.2, 46.3),
            ("SQuAD context", 99.1, 43.5),
            ("SQuAD questions", 158.2, 52.0),
            ("SST", 131.5, 78.6),
        ),
        digits=1,
    ),
}

FINDINGS = {
    "Table 4": "The nearest neighbours of GloVe's play are of several parts of speech and mostly "
    "of sport; those of the biLM's play share the sense, and the part of speech, that it "
    "has in its sentence.",
    "Figure 1": "With ELMo, 1 % of the training data of semantic roles give the F1 that the "
    "baseline has from 10 %; to the baseline's best F1, 10 epochs in place of 486.",
    "Figure 2": "At the input, the weights favour the first biLSTM layer; at the output they are "
    "more even, with a slight preference for the lower layers.",
}

SUBJECTS = {
    "Table 1": "the six tasks",
    "Table 2": "layer weighting",
    "Table 3": "placement",
    "Table 4": "nearest neighbours",
    "Table 5": "word senses",
    "Table 6": "parts of speech",
    "Table 7": "fine-tuning",
    "Figure 1": "sample efficiency",
    "Figure 2": "learned weights",
}
"""What each is about, in the order in which we show them."""
