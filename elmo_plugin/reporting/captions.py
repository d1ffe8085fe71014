"""Captions of the report: the measure of each table and figure."""

CAPTIONS = {
    "Table 1": "Each task is trained with and without ELMo on the same data. Scores are "
    "percentages; the relative error reduction is the share of the baseline's errors that ELMo "
    "avoids. Most of the paper's models are larger, and it uses different or more data, so its "
    "scores are not comparable.",
    "Table 2": "Which layers a task reads: the last one alone, or a learned mix of all. A large "
    "lambda keeps the learned weights close to an average.",
    "Table 3": "Where ELMo enters the task model: beside the word vectors at the input of its "
    "encoder, beside the encoder's output, or both.",
    "Table 4": "For words in a query sentence: the words in a corpus whose vectors have the "
    "highest cosine. Static vectors give a word the same neighbors in every sentence.",
    "Table 5": "Each test word takes the sense whose mean vector in the training text is nearest; "
    "words whose lemma the training text does not have take WordNet's first sense if it is given "
    "(the paper's do), and have no answer otherwise. F1 in percent.",
    "Table 6": "Accuracy in percent of a linear classifier of single tokens on vectors that are "
    "not tuned: how well it recovers the label from each layer. Data and tags differ from the "
    "paper's.",
    "Table 7": "Perplexity per token, exp of the mean loss of both directions, on text of the "
    "domain that was not trained on. Lower is better.",
    "Figure 1": "Scores by the amount of training data, and updates until the baseline's best "
    "score.",
    "Figure 2": "Softmax-normalized weights of the layers that task models learned, averaged over "
    "seeds; layer 0 is the token layer. Equal weights would be one over the number of layers.",
}
"""By the table or figure of the paper."""
