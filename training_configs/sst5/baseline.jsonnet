// Sentiment: the biattentive classification network of McCann et al. 2017 ("Learned in
// translation"), the baseline of "Deep contextualized word representations" (Peters et al. 2018),
// Table 1 (SST-5 test accuracy 51.4, 54.7 with ELMo) and section A.8. Published: 300 units,
// feedforward layers with ReLU and dropout instead of maxout, training on phrases of at least four
// tokens, lambda 0.001, ELMo at the input and at the output of the biLSTM, the latter computed with
// a second biLSTM (not implemented). From AllenNLP's two configurations (they have maxout; the one
// with ELMo, at the input alone, scores 54.7): fixed vectors of words as written, embedding dropout
// 0.25 without ELMo and 0.5 with it at the input, the other dropouts, batches of 100, patience 5,
// and Adam at 0.001 (paper: 0.0001). elmo_both.jsonnet has ELMo at the output of the integrator, as
// an earlier configuration of AllenNLP, which has dropout 0.5 for ELMo and 0.25 for the embeddings;
// here, both have 0.5 at the input, and ELMo at the output has the dropout after pooling. From
// AllenNLP, too: gradient norm 5 and 40 epochs. Not published: the sizes of the last layers.
local sst5 = import '../lib/sst5.libsonnet';

sst5(elmo_input=false, elmo_output=false)
