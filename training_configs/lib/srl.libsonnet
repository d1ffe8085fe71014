// The semantic role labeler of ../srl. The files there differ in ELMo and in the bias of input
// projections, and share the seed.
local elmo_lib = import 'elmo.libsonnet';
local known_fields = import 'known_fields.libsonnet';
local task = import 'task.libsonnet';

function(elmo_input, elmo_output) task('srl') {
  local config = self,
  local size = config.sizes,
  local words = config.words,
  local x_dims = { tokens: words.dim },
  local elmo = elmo_lib(config.bilm, elmo_input, elmo_output),

  sizes:: known_fields('sizes', { hidden: 300, layers: 8, predicate: 100 }),
  dropout:: 0.1,

  dataset_reader: {
    type: 'srl',
    token_indexers: {
      tokens: words.indexer,
    } + elmo.indexers,
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 80, sorting_keys: ['tokens'] } },

  model: {
    type: 'elmo_srl',
    text_field_embedder: {
      token_embedders: {
        tokens: words.embedder(trainable=true),
      } + elmo.embedders(dropout=0.1),
    },
    binary_feature_dim: size.predicate,
    encoder: elmo.encoder({
      type: 'alternating_lstm',
      input_size: elmo.input_dim + words.dim + size.predicate,
      hidden_size: size.hidden,
      num_layers: size.layers,
      recurrent_dropout_probability: config.dropout,
      use_highway: true,
      [if elmo_input || elmo_output then 'use_input_projection_bias']: false,
    }, x_dims),
    initializer: { regexes: [['tag_projection_layer.*weight', { type: 'orthogonal' }]] },
    regularizer: { regexes: elmo.penalties(0.001) },
  },

  trainer: {
    type: 'resumable',
    optimizer: { type: 'adadelta', lr: 1.0, rho: 0.95 },
    grad_clipping: 1.0,
    num_epochs: 500,
    patience: 200,
    validation_metric: '+f1-measure-overall',
    checkpointer: { type: 'atomic', keep_most_recent_by_count: 1 },
  },
}
