// Entailment: the ESIM sequence model of Chen et al. 2017 ("Enhanced LSTM for natural language
// inference"), the baseline of "Deep contextualized word representations" (Peters et al. 2018),
// Table 1 (SNLI test accuracy 88.0, 88.7 with ELMo) and section A.3. Published: 300 units in
// every LSTM and feedforward layer, fixed word vectors, variational dropout of 0.5 at the input of
// each LSTM and dropout of 0.5 before the last two layers, Adam at 0.0004, halved when the dev
// accuracy does not rise, gradient norm 5, batches of 32; ELMo at the input and at the output of
// the first biLSTM (elmo_both.jsonnet), layer normalization, lambda 0.001. The paper's ELMo model
// also has an L2 penalty of 0.0001 on weight matrices, dropout of 0.5 after the attention, and (as
// in bilm-tf) layer normalization over the whole batch. Only published.jsonnet has these: the other
// models differ in ELMo alone, and whole-batch normalization makes vectors depend on other
// sentences. The paper's best single model used a biLM that was fine-tuned on SNLI's training
// sentences (section A.1): set `paths.snli.bilm`, see docs/fine-tuning.md. Not published: the
// patience; the initialization is that of AllenNLP's configuration.
local snli = import '../lib/snli.libsonnet';

snli(elmo_input=false, elmo_output=false)
