// allennlp-models rc/bidaf_elmo.
local blocks = import 'blocks.libsonnet';
{
  dataset_reader: {
    type: 'squad',
    token_indexers: {
      tokens: { type: 'single_id', lowercase_tokens: true },
      elmo: blocks.elmo_indexer,
      token_characters: blocks.byte_characters,
    },
  },
  train_data_path: blocks.data + '/squad.json',
  validation_data_path: blocks.data + '/squad.json',
  model: {
    type: 'bidaf',
    text_field_embedder: {
      token_embedders: {
        tokens: { type: 'embedding', embedding_dim: 8, trainable: false },
        elmo: blocks.elmo_files {
          type: 'elmo_token_embedder',
          do_layer_norm: false,
          dropout: 0.0,
        },
        token_characters: blocks.byte_encoding { dropout: 0.2 },
      },
    },
    num_highway_layers: 2,
    phrase_layer: blocks.lstm(8 + 6 + blocks.elmo_dim, 5),
    matrix_attention: {
      type: 'linear',
      combination: 'x,y,x*y',
      tensor_1_dim: 10,
      tensor_2_dim: 10,
    },
    modeling_layer: blocks.lstm(40, 5, 2) { dropout: 0.2 },
    span_end_encoder: blocks.lstm(70, 5),
    dropout: 0.2,
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 40 } },
  trainer: blocks.trainer {
    grad_norm: 5.0,
    validation_metric: '+em',
    learning_rate_scheduler: { type: 'reduce_on_plateau', factor: 0.5, mode: 'max', patience: 2 },
    optimizer: { type: 'adam', betas: [0.9, 0.9] },
  },
}
