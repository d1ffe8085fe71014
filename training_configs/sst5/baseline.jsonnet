// Sentiment: the biattentive classification network of McCann et al. 2017 ("Learned in
// translation"), the baseline of "Deep contextualized word representations" (Peters et al. 2018),
// Table 1 (SST-5 test accuracy 51.4, 54.7 with ELMo), and its supplement. Published: 300 units,
// feedforward layers with ReLU and dropout instead of maxout, training on phrases, ELMo at the
// input and at the output of the biLSTM (elmo_both.jsonnet), lambda 0.001. As in AllenNLP's
// configuration: Adam at 0.001 (paper: 0.0001), all phrases (paper: those of at least four words),
// batches of 100, patience and dropouts. Not published: the sizes of the last layers, and which of
// the two biLSTMs has ELMo at its output; here the first, so that the attention uses it.
local sst5 = import '../lib/sst5.libsonnet';

sst5(elmo_input=false, elmo_output=false)
