// Semantic roles: the deep alternating highway LSTM of He et al. 2017 ("Deep semantic role
// labeling: what works and what's next"), the baseline of "Deep contextualized word
// representations" (Peters et al. 2018), Table 1 (OntoNotes test F1 81.4, 84.6 with ELMo) and section
// A.5. Published: 8 layers of 300 units with highway connections, an embedding of 100
// dimensions for whether a word is the predicate, fine-tuned word vectors, recurrent dropout 0.1,
// Adadelta with learning rate 1 and rho 0.95, gradients clipped at 1, batches of 80, 500 epochs
// with a patience of 200, BIO constraints in decoding; ELMo at the input with lambda 0.001
// (elmo.jsonnet). Not published: the dropout of ELMo, and the input projections without bias of the
// model with ELMo; both are those of AllenNLP's configuration. Scores come from the CoNLL 2005
// script, which needs perl.
local srl = import '../lib/srl.libsonnet';

srl(elmo_input=false, elmo_output=false)
