// allennlp-models tagging/ner_elmo: words, characters and ELMo into a CRF tagger.
local blocks = import 'blocks.libsonnet';
{
  dataset_reader: {
    type: 'conll2003',
    tag_label: 'ner',
    convert_to_coding_scheme: 'BIOUL',
    token_indexers: {
      tokens: { type: 'single_id', lowercase_tokens: true },
      token_characters: { type: 'characters', min_padding_length: 3 },
      elmo: blocks.elmo_indexer,
    },
  },
  train_data_path: blocks.data + '/ner.conll',
  validation_data_path: blocks.data + '/ner.conll',
  model: {
    type: 'crf_tagger',
    label_encoding: 'BIOUL',
    dropout: 0.5,
    include_start_end_transitions: false,
    text_field_embedder: {
      token_embedders: {
        tokens: { type: 'embedding', embedding_dim: 8, trainable: true },
        elmo: blocks.elmo_files {
          type: 'elmo_token_embedder',
          do_layer_norm: false,
          dropout: 0.0,
        },
        token_characters: {
          type: 'character_encoding',
          embedding: { embedding_dim: 4, vocab_namespace: 'token_characters' },
          encoder: {
            type: 'cnn',
            embedding_dim: 4,
            num_filters: 6,
            ngram_filter_sizes: [3],
            conv_layer_activation: 'relu',
          },
        },
      },
    },
    encoder: blocks.lstm(8 + 6 + blocks.elmo_dim, 10, 2) { dropout: 0.5 },
    regularizer: { regexes: [['scalar_parameters', { type: 'l2', alpha: 0.1 }]] },
  },
  data_loader: { batch_size: 64 },
  trainer: blocks.trainer { grad_norm: 5.0, validation_metric: '+f1-measure-overall' },
}
