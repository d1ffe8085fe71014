// AllenNLP's own test of the embedder, test_fixtures/elmo/config: a plain tagger.
local blocks = import 'blocks.libsonnet';
{
  dataset_reader: {
    type: 'conll2003',
    convert_to_coding_scheme: 'BIOUL',
    tag_label: 'ner',
    token_indexers: {
      tokens: { type: 'single_id', lowercase_tokens: true },
      elmo: blocks.elmo_indexer,
    },
  },
  train_data_path: blocks.data + '/ner.conll',
  validation_data_path: blocks.data + '/ner.conll',
  model: {
    type: 'simple_tagger',
    text_field_embedder: {
      token_embedders: {
        tokens: { type: 'embedding', embedding_dim: 8 },
        elmo: blocks.elmo_files { type: 'elmo_token_embedder' },
      },
    },
    encoder: {
      type: 'gru',
      input_size: 8 + blocks.elmo_dim,
      hidden_size: 5,
      num_layers: 2,
      dropout: 0.5,
      bidirectional: true,
    },
    regularizer: { regexes: [['transitions$', { type: 'l2', alpha: 0.01 }]] },
  },
  data_loader: { batch_size: 32 },
  trainer: blocks.trainer { optimizer: 'adam' },
}
