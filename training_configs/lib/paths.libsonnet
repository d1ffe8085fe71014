// Paths of the data and dimensions of its vectors, for all configurations. Paths are relative to
// the working directory. To train on other data without editing this file:
//   (import 'training_configs/ner/elmo.jsonnet') { paths+:: { ner: { train: ..., dev: ... } } }
{
  lm: { train: 'fixtures/lm/train.txt', heldout: 'fixtures/lm/heldout.txt' },
  snli: { train: 'fixtures/snli/train.jsonl', dev: 'fixtures/snli/dev.jsonl' },
  // Folders, of which every file with a name that ends in gold_conll is read.
  srl: { train: 'fixtures/srl/train', dev: 'fixtures/srl/dev' },
  coref: { train: 'fixtures/coref/train.gold_conll', dev: 'fixtures/coref/dev.gold_conll' },
  ner: { train: 'fixtures/ner/train.conll', dev: 'fixtures/ner/dev.conll' },
  sst5: { train: 'fixtures/sst5/train.txt', dev: 'fixtures/sst5/dev.txt' },
  vectors: {
    file: 'fixtures/vectors/vectors.16d.txt',
    dim: 16,
  },
  squad: { train: 'fixtures/squad/train.json', dev: 'fixtures/squad/dev.json' },
  // The built-in biLM. For another, set dim, options_file and weight_file; for activations that
  // `elmo embed` stored, dim and activations_file. `dim` is twice the projection.
  bilm: { dim: 256 },
}
