// The first training of the built-in biLM.
(import '../../training_configs/bilm/small.jsonnet') {
  paths+:: { lm: { train: 'data/lm/train-0[0-7]-*.txt.gz', heldout: 'data/lm/heldout.txt.gz' } },
}
