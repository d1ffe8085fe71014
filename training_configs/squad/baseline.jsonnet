// Question answering: bidirectional attention with residual self-attention, the model of Clark and
// Gardner 2018 ("Simple and effective multi-paragraph reading comprehension") and the baseline of
// "Deep contextualized word representations" (Peters et al. 2018), Table 1 (SQuAD v1.1 test F1
// 81.1, 85.8 with ELMo) and section A.4. Published, there or in the authors' script
// (docqa/elmo/ablate_elmo_model.py of allenai/document-qa): GRUs of 90 units and linear layers of
// 180 with ReLU, 100 character filters of width 5 over 20 dimensions with dropout 0.2 before them,
// characters that occur at least 49 times, fixed word vectors, variational dropout of 0.2 around
// the first two GRUs and before the predictions, a learned score of attending to nothing, truncated
// normal and Glorot initialization, Adadelta at 1 with epsilon 1e-8, batches of 45, 24 epochs, a
// moving average of the weights for scoring, answers of at most 17 tokens; ELMo without layer
// normalization at the input and at the output of the first GRU (elmo_both.jsonnet), the same mixes
// for question and passage, ELMo's dropout 0.5, lambda 0. The biLM reads a paragraph as one
// sentence, and the published one was fine-tuned on paragraphs, one per line: `paths.squad.bilm`.
// published.jsonnet also scores every 1,200 updates, as published.
// Not as published (AllenNLP has no option for the first two):
// - Tokens are spaCy's (published: NLTK's, split at punctuation). Words are not cut at 14
//   characters.
// - A word without a vector does not get that of its lowercased form, and unknown words have a
//   random vector instead of zeros.
// - Each word's characters are between start and end markers, so that words shorter than a filter
//   have features in AllenNLP's "cnn".
// - The decay of the moving average begins lower and is the published 0.999 after 9,000 updates; in
//   published.jsonnet, from the start.
// - Biases of attention and convolution begin at zero.
local squad = import '../lib/squad.libsonnet';

squad(elmo_input=false, elmo_output=false)
