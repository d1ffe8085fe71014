// A small biLM of Korean: almost two passes over six million words. A Hangul syllable has three
// bytes, so filters of widths 3, 6 and 9 cover one, two and three syllables.
(import 'training_configs/bilm/small.jsonnet') {
  local config = self,
  paths+:: {
    lm: { train: 'data/lm/ko/train-*.txt.gz', heldout: 'data/lm/ko/heldout.txt.gz' },
  },
  dataset_reader+: { max_characters: config.model.max_characters },
  model+: {
    max_characters: 80,
    filters: [[1, 32], [3, 64], [6, 128], [9, 128]],
  },
  trainer+: { num_epochs: 9 },
}
