// Fields that the configurations of all tasks share: seeds, data files, word vectors and biLM.
local default_paths = import 'paths.libsonnet';
local known_fields = import 'known_fields.libsonnet';

function(name) {
  local config = self,
  local paths = known_fields('paths', config.paths, std.objectFields(default_paths) + [name]),
  local file_fields = ['train', 'dev', 'test', 'name', 'vectors', 'bilm'],
  local files = known_fields('paths.' + name, paths[name], file_fields),
  local vector_fields = ['file', 'dim', 'lowercase'],
  local vectors = known_fields('vectors', std.get(files, 'vectors', paths.vectors), vector_fields),

  paths:: default_paths,
  seed:: 13370,

  random_seed: config.seed,
  numpy_seed: config.seed,
  pytorch_seed: config.seed,

  train_data_path: files.train,
  validation_data_path: files.dev,
  test_data_path: std.get(files, 'test', null),

  bilm:: std.get(files, 'bilm', paths.bilm),
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
