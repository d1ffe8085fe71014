// The question answering models of ../squad: `model` is bidaf_self_attention or bidaf. The files
// there differ in ELMo only, and share the seed.
local cove_lib = import 'cove.libsonnet';
local elmo_lib = import 'elmo.libsonnet';
local known_fields = import 'known_fields.libsonnet';
local task = import 'task.libsonnet';

function(elmo_input, elmo_output, model='bidaf_self_attention') task('squad') {
  local config = self,
  local size = config.sizes,
  local words = config.words,
  local elmo = elmo_lib(config.bilm, elmo_input, elmo_output),
  local cove = cove_lib(config.cove, words),
  local x_dims = { token_characters: size.character_filters, tokens: words.dim } + cove.dims,
  local x_dim = elmo.input_dim + words.dim + size.character_filters + cove.dim,
  local encoded = 2 * size.hidden + elmo.output_dim,
  local gru(input_size) = {
    type: 'padded_gru',
    input_size: input_size,
    hidden_size: size.hidden,
  },
  // Inside of `elmo_output`, which ELMo_k bypasses.
  local dropped(encoder) = {
    type: 'variational_dropout',
    encoder: encoder,
    input_dropout: config.dropout,
    output_dropout: config.dropout,
  },
  // Glorot initialization of one of three weight vectors over `dim` dimensions.
  local glorot(dim) = { type: 'uniform', a: -std.sqrt(3 / dim), b: std.sqrt(3 / dim) },
  local lstm(input_size, num_layers=1) = {
    type: 'lstm',
    input_size: input_size,
    hidden_size: size.hidden,
    num_layers: num_layers,
    bidirectional: true,
  },

  local models = {
    bidaf_self_attention: {
      phrase_layer: elmo.encoder(dropped(gru(x_dim)), x_dims),
      residual_encoder: dropped(gru(size.linear)),
      span_start_encoder: gru(size.linear),
      span_end_encoder: gru(size.linear + 2 * size.hidden),
      dropout: config.dropout,
      max_span_length: 17,
      initializer: {
        regexes: [
          ['_gru.weight', { type: 'truncated_normal', std: 0.05 }],
          ['(merge|predictor|conv_layer_0).weight', { type: 'xavier_uniform' }],
          ['(_gru|merge|predictor|conv_layer_0).bias', { type: 'zero' }],
          ['token_characters._embedding.*weight', { type: 'uniform', a: -0.05, b: 0.05 }],
          ['^_self_attention._weight_vector', glorot(2 * size.hidden)],
          ['^_attention._weight_vector', glorot(encoded)],
        ],
      },
    },
    bidaf: {
      // Highway layers would mix the ELMo vectors for the output with the others.
      num_highway_layers: if elmo_output then 0 else 2,
      phrase_layer: elmo.encoder(lstm(x_dim), x_dims),
      matrix_attention: {
        type: 'linear',
        combination: 'x,y,x*y',
        tensor_1_dim: encoded,
        tensor_2_dim: encoded,
      },
      modeling_layer: lstm(4 * encoded, num_layers=2) { dropout: config.dropout },
      span_end_encoder: lstm(4 * encoded + 3 * 2 * size.hidden),
      dropout: config.dropout,
    },
  },
  local trainers = {
    bidaf_self_attention: {
      num_epochs: 24,
      optimizer: { type: 'adadelta', lr: 1.0, rho: 0.95, eps: 1e-8 },
      moving_average: { type: 'exponential', decay: 0.999 },
    },
    bidaf: {
      num_epochs: 20,
      patience: 5,
      optimizer: { type: 'adam', lr: 0.001, betas: [0.9, 0.9] },
      grad_norm: 5.0,
    },
  },

  sizes:: known_fields('sizes', {
    character: 20,
    character_filters: 100,
    hidden: if model == 'bidaf' then 100 else 90,
    linear: 180,
  }),
  dropout:: 0.2,
  cove:: null,

  dataset_reader: {
    type: 'squad_text_or_tokens',
    token_indexers: {
      tokens: words.indexer,
      token_characters: config.characters(width=5),
    } + elmo.indexers + cove.indexers,
  },
  // Word vectors are fixed, so all words without one are the unknown word.
  vocabulary: {
    min_count: { token_characters: 49 },
    only_include_pretrained_words: true,
    pretrained_files: { tokens: words.file },
  },
  data_loader: {
    batch_sampler: { type: 'bucket', batch_size: 45, sorting_keys: ['passage', 'question'] },
  },
  // Not the loader above, which may be limited to some batches per epoch.
  validation_data_loader: {
    batch_sampler: { type: 'bucket', batch_size: 45, sorting_keys: ['passage', 'question'] },
  },

  model: {
    type: model,
    text_field_embedder: {
      token_embedders: {
        tokens: words.embedder(trainable=false),
        token_characters: {
          type: 'character_encoding',
          embedding: { embedding_dim: size.character, vocab_namespace: 'token_characters' },
          encoder: {
            type: 'input_dropout',
            dropout: config.dropout,
            encoder: {
              type: 'cnn',
              embedding_dim: size.character,
              num_filters: size.character_filters,
              ngram_filter_sizes: [5],
              conv_layer_activation: 'relu',
            },
          },
        },
      } + elmo.embedders(dropout=0.5) + cove.embedders,
    },
    regularizer: { regexes: elmo.penalties(0.0) },
  } + models[model],

  trainer: {
    type: 'resumable',
    validation_metric: '+f1',
    checkpointer: { type: 'atomic', keep_most_recent_by_count: 1 },
  } + trainers[model],
}
