// Where the data lies and how wide the vectors in it are: the one place for all configurations.
// Paths are relative to the directory that `allennlp` runs in. Other data for one training,
// without an edit here:
//   (import 'training_configs/ner/elmo.jsonnet') { paths+:: { ner: { train: ..., dev: ... } } }
{
  lm: {
    train: 'fixtures/lm/train.txt',
    heldout: 'fixtures/lm/heldout.txt',
  },
  ner: {
    train: 'fixtures/ner/train.conll',
    dev: 'fixtures/ner/dev.conll',
  },
  vectors: {
    file: 'fixtures/vectors/vectors.16d.txt',
    dim: 16,
  },
  // The biLM that comes with elmo_plugin. For another, give dim, options_file and weight_file.
  bilm: { dim: 256 },  // twice the projection, once a direction
}
