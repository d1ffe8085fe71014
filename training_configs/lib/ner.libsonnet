// The named entity tagger of ../ner. The files there differ in ELMo only, and share the seed.
local elmo_lib = import 'elmo.libsonnet';
local known_fields = import 'known_fields.libsonnet';
local task = import 'task.libsonnet';

function(elmo_input, elmo_output) task('ner') {
  local config = self,
  local size = config.sizes,
  local words = config.words,
  local x_dims = { token_characters: size.character_filters, tokens: words.dim },
  local elmo = elmo_lib(config.bilm, elmo_input, elmo_output),
  local lstm(input_size, hidden_size) = {
    type: 'variational_dropout',
    input_dropout: config.dropout,
    encoder: {
      type: 'lstm',
      input_size: input_size,
      hidden_size: hidden_size,
      bidirectional: true,
    },
  },

  sizes:: known_fields('sizes', {
    character: 16,
    character_filters: 128,
    hidden: 200,
    second_hidden: 100,
  }),
  dropout:: 0.5,

  dataset_reader: {
    type: 'conll2003_bio2',
    convert_to_coding_scheme: 'BIOUL',
    token_indexers: {
      tokens: words.indexer,
      token_characters: config.characters(width=3),
    } + elmo.indexers,
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 64, sorting_keys: ['tokens'] } },

  model: {
    type: 'elmo_crf_tagger',
    label_encoding: 'BIOUL',
    include_start_end_transitions: false,
    text_field_embedder: {
      token_embedders: {
        tokens: words.embedder(trainable=true),
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
      } + elmo.embedders(dropout=0.0),
    },
    encoder: elmo.encoder({
      type: 'compose',
      encoders: [
        lstm(elmo.input_dim + words.dim + size.character_filters, size.hidden),
        lstm(2 * size.hidden, size.second_hidden),
      ],
    }, x_dims, config.dropout),
    regularizer: { regexes: elmo.penalties(0.1) },
  },

  trainer: {
    type: 'resumable',
    optimizer: { type: 'adam', lr: 0.001 },
    grad_norm: 5.0,
    num_epochs: 75,
    patience: 25,
    validation_metric: '+f1-measure-overall',
    checkpointer: { type: 'atomic', keep_most_recent_by_count: 1 },
  },
}
