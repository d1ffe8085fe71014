// AllenNLP's tutorial how_to/elmo.md: GloVe and ELMo into the semantic role labeler.
local blocks = import 'blocks.libsonnet';
{
  dataset_reader: {
    type: 'srl',
    token_indexers: {
      tokens: { type: 'single_id', lowercase_tokens: true },
      elmo: blocks.elmo_indexer,
    },
  },
  train_data_path: blocks.data + '/srl',
  validation_data_path: blocks.data + '/srl',
  model: {
    type: 'srl',
    text_field_embedder: {
      token_embedders: {
        tokens: { type: 'embedding', embedding_dim: 8, trainable: true },
        elmo: blocks.elmo_files { type: 'elmo_token_embedder', do_layer_norm: true, dropout: 0.5 },
      },
    },
    encoder: {
      type: 'alternating_lstm',
      input_size: 8 + blocks.elmo_dim + 6,
      hidden_size: 10,
      num_layers: 4,
      recurrent_dropout_probability: 0.1,
      use_highway: true,
    },
    binary_feature_dim: 6,
    ignore_span_metric: true,
  },
  data_loader: { batch_size: 2 },
  trainer: blocks.trainer,
}
