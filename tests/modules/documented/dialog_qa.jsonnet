// allennlp-models rc/dialog_qa: all questions of a dialogue are embedded as one tensor.
local blocks = import 'blocks.libsonnet';
{
  dataset_reader: {
    type: 'quac',
    num_context_answers: 2,
    token_indexers: { elmo: blocks.elmo_indexer, token_characters: blocks.byte_characters },
  },
  train_data_path: blocks.data + '/quac.json',
  validation_data_path: blocks.data + '/quac.json',
  model: {
    type: 'dialog_qa',
    dropout: 0.2,
    marker_embedding_dim: 4,
    num_context_answers: 2,
    phrase_layer: blocks.lstm(blocks.elmo_dim + 6 + 2 * 4, 5) { type: 'gru' },
    residual_encoder: blocks.lstm(10, 5) { type: 'gru' },
    span_start_encoder: blocks.lstm(10, 5) { type: 'gru' },
    span_end_encoder: blocks.lstm(20, 5) { type: 'gru' },
    text_field_embedder: {
      token_embedders: {
        elmo: blocks.elmo_files {
          type: 'elmo_token_embedder',
          do_layer_norm: false,
          dropout: 0.2,
        },
        token_characters: blocks.byte_encoding { dropout: 0.2 },
      },
    },
  },
  data_loader: { batch_size: 10 },
  trainer: blocks.trainer { optimizer: { type: 'sgd', lr: 0.01, momentum: 0.9 } },
}
