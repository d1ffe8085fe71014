// Fields that the configurations of all tasks share: seeds, data files, word vectors and biLM.
function(name) {
  local config = self,
  local files = config.paths[name],
  local vectors = std.get(files, 'vectors', config.paths.vectors),

  paths:: import 'paths.libsonnet',
  seed:: 13370,

  random_seed: config.seed,
  numpy_seed: config.seed,
  pytorch_seed: config.seed,

  train_data_path: files.train,
  validation_data_path: files.dev,
  test_data_path: std.get(files, 'test', null),

  bilm:: std.get(files, 'bilm', config.paths.bilm),
  words:: {
    dim: vectors.dim,
    file: vectors.file,
    indexer: { type: 'single_id', lowercase_tokens: std.get(vectors, 'lowercase', true) },
    embedder(trainable): {
      type: 'embedding',
      embedding_dim: vectors.dim,
      pretrained_file: vectors.file,
      trainable: trainable,
    },
  },
  // Characters for filters of `width`, between markers of a word's start and end: AllenNLP's "cnn" has
  // no features for words that are shorter than a filter.
  characters(width):: {
    type: 'characters',
    min_padding_length: width,
    character_tokenizer: {
      start_tokens: std.repeat(['<w>'], std.floor(width / 2)),
      end_tokens: std.repeat(['</w>'], std.floor(width / 2)),
    },
  },
}
