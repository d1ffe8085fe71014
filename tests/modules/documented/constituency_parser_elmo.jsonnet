// allennlp-models structured_prediction/constituency_parser_elmo, but for the EVALB score, whose
// program would have to be compiled.
local blocks = import 'blocks.libsonnet';
{
  dataset_reader: {
    type: 'ptb_trees',
    use_pos_tags: true,
    token_indexers: { elmo: blocks.elmo_indexer },
  },
  train_data_path: blocks.data + '/trees.ptb',
  validation_data_path: blocks.data + '/trees.ptb',
  model: {
    type: 'constituency_parser',
    evalb_directory_path: null,
    text_field_embedder: {
      token_embedders: {
        elmo: blocks.elmo_files {
          type: 'elmo_token_embedder',
          dropout: 0.2,
          do_layer_norm: false,
        },
      },
    },
    pos_tag_embedding: { embedding_dim: 5, vocab_namespace: 'pos' },
    initializer: {
      regexes: [
        ['tag_projection_layer.*weight', { type: 'xavier_normal' }],
        ['feedforward_layer.*weight', { type: 'xavier_normal' }],
        ['encoder._module.weight_ih.*', { type: 'xavier_normal' }],
        ['encoder._module.weight_hh.*', { type: 'orthogonal' }],
      ],
    },
    encoder: blocks.lstm(blocks.elmo_dim + 5, 6, 2) { dropout: 0.2 },
    feedforward: {
      input_dim: 12,
      num_layers: 1,
      hidden_dims: 6,
      activations: 'relu',
      dropout: 0.1,
    },
    span_extractor: { type: 'bidirectional_endpoint', input_dim: 12 },
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 32 } },
  trainer: blocks.trainer {
    learning_rate_scheduler: { type: 'multi_step', milestones: [40, 50], gamma: 0.8 },
    grad_norm: 5.0,
    optimizer: { type: 'adadelta', lr: 1.0, rho: 0.95 },
  },
}
