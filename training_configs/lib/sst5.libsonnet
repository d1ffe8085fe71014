// The biattentive classification network of ../sst5. The files there differ in ELMo only, and share
// the seed.
local elmo_lib = import 'elmo.libsonnet';

function(elmo_input, elmo_output) {
  local config = self,
  local size = config.sizes,
  local x_dims = { tokens: config.paths.vectors.dim },
  // The model uses the key 'elmo' for something else.
  local elmo = elmo_lib(config.paths.bilm, elmo_input, elmo_output, key='elmo_vectors'),
  local encoded = 2 * size.hidden + elmo.output_dim,
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
      tokens: { type: 'single_id', lowercase_tokens: true },
    } + elmo.indexers,
  },

  paths:: import 'paths.libsonnet',
  seed:: 13370,
  sizes:: { hidden: 300, output: [600, 300] },
  phrases:: true,  // train on every phrase of a tree, not only on whole sentences

  random_seed: config.seed,
  numpy_seed: config.seed,
  pytorch_seed: config.seed,

  dataset_reader: reader { use_subtrees: config.phrases },
  validation_dataset_reader: reader,
  train_data_path: config.paths.sst5.train,
  validation_data_path: config.paths.sst5.dev,
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 100 } },

  model: {
    type: 'elmo_bcn',
    text_field_embedder: {
      token_embedders: {
        tokens: {
          type: 'embedding',
          embedding_dim: config.paths.vectors.dim,
          pretrained_file: config.paths.vectors.file,
          trainable: false,
        },
        // The dropout below applies to all of [x_k; ELMo_k].
      } + elmo.embedders(dropout=0.0),
    },
    embedding_dropout: 0.5,
    // The ELMo vectors for the output bypass both layers: first in the middle, then at the end.
    pre_encode_feedforward: elmo.encoder({
      type: 'feedforward',
      feedforward: {
        input_dim: elmo.input_dim + config.paths.vectors.dim,
        num_layers: 1,
        hidden_dims: size.hidden,
        activations: 'relu',
        dropout: 0.25,
      },
    }, x_dims),
    encoder: elmo.encoder_after(lstm(size.hidden), size.hidden),
    integrator: lstm(3 * encoded),
    integrator_dropout: 0.1,
    output_layer: {
      input_dim: 4 * 2 * size.hidden,
      num_layers: 3,
      hidden_dims: size.output + [5],
      activations: ['relu', 'relu', 'linear'],
      dropout: [0.2, 0.3, 0.0],
    },
    regularizer: { regexes: elmo.penalties(0.001) },
  },

  trainer: {
    type: 'resumable',
    optimizer: { type: 'adam', lr: 0.001 },
    grad_norm: 5.0,
    num_epochs: 40,
    patience: 5,
    validation_metric: '+accuracy',
    checkpointer: { type: 'whole_files', keep_most_recent_by_count: 1 },
  },
}
