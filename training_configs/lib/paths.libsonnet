// Paths of the data and dimensions of its vectors, for all configurations. Paths are relative to
// the working directory. To train on other data without editing this file:
//   (import 'training_configs/ner/elmo.jsonnet') {
//     paths+:: { ner: { train: ..., dev: ... }, vectors: { file: ..., dim: ..., lowercase: ... } },
//   }
// The vectors below are for the sentences of fixtures/ only.
//
// A task may also have `test`, of which training uses the words alone, for its vocabulary, and `vectors`
// of its own.
// Published, in the paper, in the articles about its baselines or in their code: SQuAD, SST-5 and
// coreference with GloVe 840B (300 dimensions) and words as written, SNLI with the same and words
// lowercased, SRL with GloVe 6B (100, lowercased), NER with Senna (50, lowercased). For example,
//   paths+:: { sst5+: { vectors: { file: 'glove.840B.300d.txt.gz', dim: 300, lowercase: false } } }
{
  lm: { train: 'fixtures/lm/train.txt', heldout: 'fixtures/lm/heldout.txt' },
  snli: { train: 'fixtures/snli/train.jsonl', dev: 'fixtures/snli/dev.jsonl' },
  // Folders, of which every file with a name that ends in gold_conll is read.
  srl: { train: 'fixtures/srl/train', dev: 'fixtures/srl/dev' },
  coref: { train: 'fixtures/coref/train.gold_conll', dev: 'fixtures/coref/dev.gold_conll' },
  ner: { train: 'fixtures/ner/train.conll', dev: 'fixtures/ner/dev.conll' },
  sst5: { train: 'fixtures/sst5/train.txt', dev: 'fixtures/sst5/dev.txt' },
  // `lowercase` says whether words are looked up lowercased.
  vectors: { file: 'fixtures/vectors/vectors.16d.txt', dim: 16, lowercase: true },
  squad: { train: 'fixtures/squad/train.json', dev: 'fixtures/squad/dev.json' },
  // The built-in biLM. For another, set dim, options_file and weight_file; for activations that
  // `elmo embed` stored, dim and activations_file. `dim` is twice the projection. A task may have
  // its own, such as one fine-tuned on its text: paths+:: { squad+: { bilm: { ... } } }.
  bilm: { dim: 512 },
}
