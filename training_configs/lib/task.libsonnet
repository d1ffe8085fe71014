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
  // Words that occur only in the test data are unknown.
  datasets_for_vocab_creation: ['train', 'validation'],

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
}
