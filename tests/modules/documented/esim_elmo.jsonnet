// allennlp-models pair_classification/esim_elmo.
local blocks = import 'blocks.libsonnet';
{
  dataset_reader: { type: 'snli', token_indexers: { elmo: blocks.elmo_indexer } },
  train_data_path: blocks.data + '/snli.jsonl',
  validation_data_path: blocks.data + '/snli.jsonl',
  model: {
    type: 'esim',
    dropout: 0.5,
    text_field_embedder: {
      token_embedders: {
        elmo: blocks.elmo_files {
          type: 'elmo_token_embedder',
          do_layer_norm: false,
          dropout: 0.0,
        },
      },
    },
    encoder: blocks.lstm(blocks.elmo_dim, 6),
    matrix_attention: { type: 'dot_product' },
    projection_feedforward: {
      input_dim: 48,
      hidden_dims: 6,
      num_layers: 1,
      activations: 'relu',
    },
    inference_encoder: blocks.lstm(6, 6),
    output_feedforward: {
      input_dim: 48,
      num_layers: 1,
      hidden_dims: 6,
      activations: 'relu',
      dropout: 0.5,
    },
    output_logit: { input_dim: 6, num_layers: 1, hidden_dims: 3, activations: 'linear' },
    initializer: {
      regexes: [
        ['.*linear_layers.*weight', { type: 'xavier_uniform' }],
        ['.*linear_layers.*bias', { type: 'zero' }],
        ['.*weight_ih.*', { type: 'xavier_uniform' }],
        ['.*weight_hh.*', { type: 'orthogonal' }],
        ['.*bias_ih.*', { type: 'zero' }],
        ['.*bias_hh.*', { type: 'lstm_hidden_bias' }],
      ],
    },
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 32 } },
  trainer: blocks.trainer {
    grad_norm: 10.0,
    validation_metric: '+accuracy',
    learning_rate_scheduler: { type: 'reduce_on_plateau', factor: 0.5, mode: 'max', patience: 0 },
  },
}
