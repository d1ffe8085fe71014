// What the documented configurations have in common, in sizes for a test.
{
  data: std.extVar('DATA'),
  elmo_files: {
    options_file: std.extVar('OPTIONS'),
    weight_file: std.extVar('WEIGHTS'),
  },
  elmo_dim: 16,
  lstm(input, hidden, layers=1): {
    type: 'lstm',
    bidirectional: true,
    input_size: input,
    hidden_size: hidden,
    num_layers: layers,
  },
  byte_characters: {
    type: 'characters',
    character_tokenizer: { byte_encoding: 'utf-8', start_tokens: [259], end_tokens: [260] },
    min_padding_length: 5,
  },
  byte_encoding: {
    type: 'character_encoding',
    embedding: { num_embeddings: 262, embedding_dim: 4 },
    encoder: { type: 'cnn', embedding_dim: 4, num_filters: 6, ngram_filter_sizes: [5] },
  },
  elmo_indexer: { type: 'elmo_characters' },
  trainer: { num_epochs: 1, optimizer: { type: 'adam', lr: 0.01 }, cuda_device: -1 },
}
