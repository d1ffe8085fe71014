// Where the data lies and how wide the vectors in it are: the one place for all configurations.
// Paths are relative to the directory that `allennlp` runs in. Other data for one training,
// without an edit here:
//   (import 'training_configs/ner/elmo.jsonnet') { paths+:: { ner: { train: ..., dev: ... } } }
{
  lm: { train: 'fixtures/lm/train.txt', heldout: 'fixtures/lm/heldout.txt' },
  snli: { train: 'fixtures/snli/train.jsonl', dev: 'fixtures/snli/dev.jsonl' },
  // Folders: every file in them whose name ends in gold_conll is read.
  srl: { train: 'fixtures/srl/train', dev: 'fixtures/srl/dev' },
  coref: { train: 'fixtures/coref/train.gold_conll', dev: 'fixtures/coref/dev.gold_conll' },
  ner: { train: 'fixtures/ner/train.conll', dev: 'fixtures/ner/dev.conll' },
  sst5: { train: 'fixtures/sst5/train.txt', dev: 'fixtures/sst5/dev.txt' },
  vectors: {
    file: 'fixtures/vectors/vectors.16d.txt',
    dim: 16,
  },
  squad: { train: 'fixtures/squad/train.json', dev: 'fixtures/squad/dev.json' },
  // The biLM that comes with elmo_plugin. For another, give dim, options_file and weight_file; for
  // layers that `elmo embed` stored, dim and activations_file.
  bilm: { dim: 256 },  // twice the projection, once a direction
}
