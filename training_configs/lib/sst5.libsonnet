// The biattentive classification network of ../sst5. The files there differ in ELMo and in the
// embedding dropout of AllenNLP's configurations, and share the seed.
local cove_lib = import 'cove.libsonnet';
local elmo_lib = import 'elmo.libsonnet';
local known_fields = import 'known_fields.libsonnet';
local task = import 'task.libsonnet';

function(elmo_input, elmo_output) task('sst5') {
  local config = self,
  local size = config.sizes,
  local words = config.words,
  local elmo = elmo_lib(config.bilm, elmo_input, elmo_output),
  local cove = cove_lib(config.cove, words),
  local lstm(input_size) = {
    type: 'lstm',
    input_size: input_size,
    hidden_size: size.hidden,
    bidirectional: true,
  },
  local reader = {
    type: 'sst_tokens',
    granularity: '5-class',
    token_indexers: {
      tokens: words.indexer,
    } + elmo.indexers + cove.indexers,
  },

  sizes:: known_fields('sizes', { hidden: 300, output: [600, 300] }),
  dropout:: if elmo_input then 0.5 else 0.25,
  cove:: null,
  phrases:: true,  // train on phrases of at least four tokens, not only on whole sentences

  dataset_reader: reader {
    type: 'sst_phrases',
    use_subtrees: config.phrases,
    min_tokens: if config.phrases then 4 else 1,
  },
  validation_dataset_reader: reader,
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 100 } },

  model: {
    type: 'elmo_bcn',
    text_field_embedder: {
      token_embedders: {
        tokens: words.embedder(trainable=false),
      } + cove.embedders,
    },
    embedding_dropout: config.dropout,
    pre_encode_feedforward: {
      input_dim: elmo.input_dim + words.dim + cove.dim,
      num_layers: 1,
      hidden_dims: size.hidden,
      activations: 'relu',
      dropout: 0.25,
    },
    encoder: lstm(size.hidden),
    integrator: lstm(3 * 2 * size.hidden),
    integrator_dropout: 0.1,
    output_layer: {
      input_dim: 4 * (2 * size.hidden + elmo.output_dim),
      num_layers: 3,
      hidden_dims: size.output + [5],
      activations: ['relu', 'relu', 'linear'],
      dropout: [0.2, 0.3, 0.0],
    },
    // At the input, the embedding dropout above is also ELMo's, and at the integrator's output, the
    // dropout after pooling.
    elmo: if elmo_input || elmo_output then elmo.embedder(dropout=0.0),
    use_input_elmo: elmo_input,
    use_integrator_output_elmo: elmo_output,
    regularizer: { regexes: elmo.penalties(0.001) + cove.penalties(0.001) },
  },

  trainer: {
    type: 'resumable',
    optimizer: { type: 'adam', lr: 0.001 },
    grad_norm: 5.0,
    num_epochs: 40,
    patience: 5,
    validation_metric: '+accuracy',
    checkpointer: { type: 'atomic', keep_most_recent_by_count: 1 },
  },
}
