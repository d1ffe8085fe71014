// allennlp-models structured_prediction/srl_elmo: ELMo alone.
local blocks = import 'blocks.libsonnet';
{
  dataset_reader: { type: 'srl', token_indexers: { elmo: blocks.elmo_indexer } },
  train_data_path: blocks.data + '/srl',
  validation_data_path: blocks.data + '/srl',
  model: {
    type: 'srl',
    text_field_embedder: {
      token_embedders: {
        elmo: blocks.elmo_files {
          type: 'elmo_token_embedder',
          do_layer_norm: false,
          dropout: 0.1,
        },
      },
    },
    initializer: { regexes: [['tag_projection_layer.*weight', { type: 'orthogonal' }]] },
    encoder: {
      type: 'alternating_lstm',
      input_size: blocks.elmo_dim + 6,
      hidden_size: 10,
      num_layers: 8,
      recurrent_dropout_probability: 0.1,
      use_input_projection_bias: false,
    },
    binary_feature_dim: 6,
    regularizer: { regexes: [['.*scalar_parameters.*', { type: 'l2', alpha: 0.001 }]] },
    ignore_span_metric: true,
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 80 } },
  trainer: blocks.trainer {
    grad_clipping: 1.0,
    optimizer: { type: 'adadelta', rho: 0.95 },
  },
}
