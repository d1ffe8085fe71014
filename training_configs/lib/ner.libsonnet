// The named entity tagger of ../ner. The files there differ in ELMo only, and share the seed.
local elmo_lib = import 'elmo.libsonnet';

function(elmo_input, elmo_output) {
  local config = self,
  local size = config.sizes,
  local x_dims = { token_characters: size.character_filters, tokens: config.paths.vectors.dim },
  local elmo = elmo_lib(config.paths.bilm, elmo_input, elmo_output),

  paths:: import 'paths.libsonnet',
  seed:: 13370,
  sizes:: { character: 16, character_filters: 128, hidden: 200 },

  random_seed: config.seed,
  numpy_seed: config.seed,
  pytorch_seed: config.seed,

  dataset_reader: {
    type: 'conll2003_bio2',
    token_indexers: {
      tokens: { type: 'single_id', lowercase_tokens: true },
      token_characters: { type: 'characters', min_padding_length: 3 },
    } + elmo.indexers,
  },
  train_data_path: config.paths.ner.train,
  validation_data_path: config.paths.ner.dev,
  // Words without a vector that occur once are unknown words, and train their vector.
  vocabulary: {
    min_count: { tokens: 2 },
    pretrained_files: { tokens: config.paths.vectors.file },
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 16, sorting_keys: ['tokens'] } },

  model: {
    type: 'elmo_crf_tagger',
    label_encoding: 'BIO',
    include_start_end_transitions: false,
    text_field_embedder: {
      token_embedders: {
        tokens: {
          type: 'embedding',
          embedding_dim: config.paths.vectors.dim,
          pretrained_file: config.paths.vectors.file,
          trainable: true,
        },
        token_characters: {
          type: 'character_encoding',
          embedding: { embedding_dim: size.character, vocab_namespace: 'token_characters' },
          encoder: {
            type: 'cnn',
            embedding_dim: size.character,
            num_filters: size.character_filters,
            ngram_filter_sizes: [3],
            conv_layer_activation: 'relu',
          },
        },
        // The dropout below applies to all of [x_k; ELMo_k].
      } + elmo.embedders(dropout=0.0),
    },
    dropout: 0.5,
    encoder: elmo.encoder({
      type: 'lstm',
      input_size: elmo.input_dim + config.paths.vectors.dim + size.character_filters,
      hidden_size: size.hidden,
      num_layers: 2,
      dropout: 0.5,
      bidirectional: true,
    }, x_dims),
    regularizer: { regexes: elmo.penalties(0.1) },
  },

  trainer: {
    type: 'resumable',
    optimizer: { type: 'adam', lr: 0.001 },
    grad_norm: 5.0,
    num_epochs: 40,
    patience: 4,
    validation_metric: '+f1-measure-overall',
    checkpointer: { type: 'whole_files', keep_most_recent_by_count: 1 },
  },
}
