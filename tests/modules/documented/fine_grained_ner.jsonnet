// allennlp-models tagging/fine-grained-ner: sparse embeddings, many initializers. The original
// leaves the files to AllenNLP's default.
local blocks = import 'blocks.libsonnet';
{
  dataset_reader: {
    type: 'conll2003',
    convert_to_coding_scheme: 'BIOUL',
    token_indexers: {
      elmo: blocks.elmo_indexer,
      token_characters: { type: 'characters', min_padding_length: 1 },
      tokens: { type: 'single_id', lowercase_tokens: true },
    },
  },
  train_data_path: blocks.data + '/ner.conll',
  validation_data_path: blocks.data + '/ner.conll',
  model: {
    type: 'crf_tagger',
    dropout: 0.5,
    encoder: {
      type: 'stacked_bidirectional_lstm',
      hidden_size: 10,
      input_size: 8 + 6 + blocks.elmo_dim,
      num_layers: 2,
      recurrent_dropout_probability: 0.5,
      use_highway: true,
    },
    feedforward: {
      activations: 'tanh',
      dropout: 0.5,
      hidden_dims: 20,
      input_dim: 20,
      num_layers: 1,
    },
    include_start_end_transitions: false,
    initializer: {
      regexes: [
        ['.*tag_projection_layer.*weight', { type: 'xavier_uniform' }],
        ['.*tag_projection_layer.*bias', { type: 'zero' }],
        ['.*feedforward.*weight', { type: 'xavier_uniform' }],
        ['.*feedforward.*bias', { type: 'zero' }],
        ['.*weight_ih.*', { type: 'xavier_uniform' }],
        ['.*weight_hh.*', { type: 'orthogonal' }],
        ['.*bias_ih.*', { type: 'zero' }],
        ['.*bias_hh.*', { type: 'lstm_hidden_bias' }],
      ],
    },
    label_encoding: 'BIOUL',
    regularizer: { regexes: [['scalar_parameters', { type: 'l2', alpha: 0.001 }]] },
    text_field_embedder: {
      token_embedders: {
        elmo: blocks.elmo_files { type: 'elmo_token_embedder', do_layer_norm: false, dropout: 0 },
        token_characters: {
          type: 'character_encoding',
          embedding: { embedding_dim: 4, sparse: true, vocab_namespace: 'token_characters' },
          encoder: { type: 'lstm', hidden_size: 6, input_size: 4, num_layers: 1 },
        },
        tokens: { type: 'embedding', embedding_dim: 8, sparse: true, trainable: true },
      },
    },
    verbose_metrics: true,
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 64 } },
  trainer: blocks.trainer { grad_norm: 5, optimizer: { type: 'dense_sparse_adam', lr: 0.001 } },
}
