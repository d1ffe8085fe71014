// The training of the built-in biLM.
(import 'training_configs/bilm/medium.jsonnet') {
  paths+:: { lm: { train: 'runs/text/books_wiki-*.txt', heldout: 'data/lm/heldout.txt.gz' } },
}
