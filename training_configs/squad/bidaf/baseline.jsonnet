// Question answering: AllenNLP's BiDAF (Seo et al. 2017, "Bidirectional attention flow for machine
// comprehension"; SQuAD v1.1 test F1 77.3), an example of ELMo in another package's model. It has
// no row in Peters et al. 2018, whose baseline is ../baseline.jsonnet. Published: 100 units, 100
// character filters of width 5, two highway layers, dropout of 0.2, Adadelta at 0.5, batches of 60,
// 12 epochs, a moving average of the weights. As in AllenNLP's configuration: Adam, gradient norm
// 5, no moving average. Unlike it: patience 5 (10 there), a constant rate (halved on a plateau
// there), the best epoch by F1 (exact match there). As in ../baseline.jsonnet: batches of 45, 20
// dimensions per character and dropout before their filters, characters that occur at least 49
// times, only words with a vector, and how ELMo is used; but ELMo at the output is dropped out a
// second time, at 0.2, as AllenNLP's model drops out what its encoders give. With ELMo at the
// output there are no highway layers: they would mix it with the rest of the input before it
// bypasses the encoder.
local squad = import '../../lib/squad.libsonnet';

squad(elmo_input=false, elmo_output=false, model='bidaf')
