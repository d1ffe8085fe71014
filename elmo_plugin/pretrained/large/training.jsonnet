// The training of the large biLM.
(import 'training_configs/bilm/large.jsonnet') {
  paths+:: { lm: { train: 'runs/text/books_wiki-*.txt', heldout: 'data/lm/heldout.txt.gz' } },
}
