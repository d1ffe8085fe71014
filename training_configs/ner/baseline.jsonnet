// Named entities: character CNN, two biLSTMs and a CRF; the baseline of "Deep contextualized word
// representations" (Peters et al. 2018), Table 1 (CoNLL 2003 test F1 90.15, 92.22 with ELMo), and
// its supplement. Published: 128 character filters of width 3 over 16 dimensions, 200 hidden units,
// Adam at 0.001, gradient norm 5, fine-tuned word vectors, early stopping, ELMo at the input with
// lambda 0.1. As in AllenNLP's configuration for the paper: 200 units in the second biLSTM too
// (paper: 100) and element-wise dropout (paper: variational). Not published: the rate of dropout,
// the batch size, the patience; training the unknown word's vector on words that occur once is our
// choice. Labels are learned as BIO2.
local ner = import '../lib/ner.libsonnet';

ner(elmo_input=false, elmo_output=false)
