// Questions on a passage: AllenNLP's plain BiDAF (Seo et al. 2017, "Bidirectional attention flow for
// machine comprehension"; SQuAD v1.1 test F1 77.3), for ELMo with a model that another package has;
// it has no row in Peters et al. 2018, whose baseline is ../baseline.jsonnet. Published: 100 units,
// 100 character filters of width 5, two highway layers, dropout of 0.2. As in AllenNLP's
// configuration: Adam, gradient norm 5. As in ../baseline.jsonnet: batches of 45, 20 dimensions a
// character, where and how ELMo is. With ELMo at the output there are no highway layers: they would
// mix it with all else before it passes the encoder by.
local squad = import '../../lib/squad.libsonnet';

squad(elmo_input=false, elmo_output=false, model='bidaf')
