// allennlp-models pair_classification/decomposable_attention_elmo. The original leaves the files
// to AllenNLP's default.
local blocks = import 'blocks.libsonnet';
{
  dataset_reader: {
    type: 'snli',
    token_indexers: { elmo: blocks.elmo_indexer },
    tokenizer: { end_tokens: ['@@NULL@@'] },
  },
  train_data_path: blocks.data + '/snli.jsonl',
  validation_data_path: blocks.data + '/snli.jsonl',
  model: {
    type: 'decomposable_attention',
    text_field_embedder: {
      token_embedders: {
        elmo: blocks.elmo_files {
          type: 'elmo_token_embedder',
          do_layer_norm: false,
          dropout: 0.2,
        },
      },
    },
    attend_feedforward: {
      input_dim: blocks.elmo_dim,
      num_layers: 2,
      hidden_dims: 6,
      activations: 'relu',
      dropout: 0.2,
    },
    matrix_attention: { type: 'dot_product' },
    compare_feedforward: {
      input_dim: 2 * blocks.elmo_dim,
      num_layers: 2,
      hidden_dims: 6,
      activations: 'relu',
      dropout: 0.2,
    },
    aggregate_feedforward: {
      input_dim: 12,
      num_layers: 2,
      hidden_dims: [6, 3],
      activations: ['relu', 'linear'],
      dropout: [0.2, 0.0],
    },
    initializer: {
      regexes: [
        ['.*linear_layers.*weight', { type: 'xavier_normal' }],
        ['.*token_embedder_tokens\\._projection.*weight', { type: 'xavier_normal' }],
      ],
    },
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 64 } },
  trainer: blocks.trainer {
    grad_clipping: 5.0,
    validation_metric: '+accuracy',
    optimizer: { type: 'adagrad' },
  },
}
