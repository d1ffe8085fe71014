// The tagger of the headers in ../ner, with ELMo at its input or without. Everything else, the
// seed included, is shared.
local elmo = import 'elmo.libsonnet';
local character_dim = 16;
local character_filters = 128;

function(elmo_input) {
  local config = self,
  local elmo_dim = if elmo_input then config.paths.bilm.dim else 0,

  paths:: import 'paths.libsonnet',
  seed:: 13370,

  random_seed: config.seed,
  numpy_seed: config.seed,
  pytorch_seed: config.seed,

  dataset_reader: {
    type: 'conll2003',
    token_indexers: {
      tokens: { type: 'single_id', lowercase_tokens: true },
      token_characters: { type: 'characters', min_padding_length: 3 },
    } + (if elmo_input then elmo.indexers else {}),
  },
  train_data_path: config.paths.ner.train,
  validation_data_path: config.paths.ner.dev,
  // A word seen once and without a vector trains the vector of unknown words.
  vocabulary: {
    min_count: { tokens: 2 },
    pretrained_files: { tokens: config.paths.vectors.file },
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 16, sorting_keys: ['tokens'] } },

  model: {
    type: 'crf_tagger',
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
          embedding: { embedding_dim: character_dim, vocab_namespace: 'token_characters' },
          encoder: {
            type: 'cnn',
            embedding_dim: character_dim,
            num_filters: character_filters,
            ngram_filter_sizes: [3],
            conv_layer_activation: 'relu',
          },
        },
        // The dropout below already is on all of [x_k; ELMo_k].
      } + (if elmo_input then elmo.embedders(config.paths.bilm, dropout=0.0) else {}),
    },
    dropout: 0.5,
    encoder: {
      type: 'lstm',
      input_size: config.paths.vectors.dim + character_filters + elmo_dim,
      hidden_size: 200,
      num_layers: 2,
      dropout: 0.5,
      bidirectional: true,
    },
    [if elmo_input then 'regularizer']: elmo.regularizer(0.1),
  },

  trainer: {
    optimizer: { type: 'adam', lr: 0.001 },
    grad_norm: 5.0,
    num_epochs: 15,
    patience: 4,
    validation_metric: '+f1-measure-overall',
    checkpointer: { keep_most_recent_by_count: 1 },
  },
}
