// Named entities: character CNN, two biLSTMs and a CRF; the baseline of "Deep contextualized word
// representations" (Peters et al. 2018), Table 1 (CoNLL 2003 test F1 90.15, 92.22 with ELMo) and
// section A.7. Published: 128 character filters of width 3 over 16 dimensions, biLSTMs of 200
// and 100 units (here per direction), variational dropout at the input of each, Adam at 0.001,
// gradient norm 5, fine-tuned word vectors, early stopping, ELMo at the input with lambda 0.1
// (elmo.jsonnet). As in AllenNLP's configuration for the paper: dropout 0.5, which is also ELMo's,
// batches of 64, 75 epochs with a patience of 25, labels learned as BIOUL. ELMo at the output,
// which is not published, has that dropout once, element by element. Each word's characters are
// between start and end markers, so that words shorter than a filter have features in AllenNLP's
// "cnn".
local ner = import '../lib/ner.libsonnet';

ner(elmo_input=false, elmo_output=false)
