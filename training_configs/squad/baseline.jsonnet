// Question answering: bidirectional attention with residual self-attention, the model of Clark
// and Gardner 2018 ("Simple and effective multi-paragraph reading comprehension") and the baseline
// of "Deep contextualized word representations" (Peters et al. 2018), Table 1 (SQuAD v1.1 test F1
// 81.1, 85.8 with ELMo), and its supplement. Published: GRUs of 90 units and linear layers of 180
// with ReLU, 100 character filters of width 5, fixed word vectors, variational dropout of 0.2 at
// each GRU and attention, Adadelta, batches of 45, a moving average of the weights for scoring,
// answers of at most 17 tokens; ELMo without layer normalization at the input and at the output of
// the first GRU (elmo_both.jsonnet), the same mixes for question and passage, ELMo's dropout 0.5,
// lambda 0. As in Clark and Gardner's paper: a GRU before each prediction, the second reading
// the first. Not published: 20 dimensions per character, Adadelta's constants (those of its paper),
// number of epochs and patience; words are lowercased like our vectors (paper: cased).
local squad = import '../lib/squad.libsonnet';

squad(elmo_input=false, elmo_output=false)
