// The question answering models of ../squad: `model` is bidaf_self_attention or bidaf. The files
// there differ in ELMo only, and share the seed.
local elmo_lib = import 'elmo.libsonnet';

function(elmo_input, elmo_output, model='bidaf_self_attention') {
  local config = self,
  local size = config.sizes,
  local x_dims = { token_characters: size.character_filters, tokens: config.paths.vectors.dim },
  local elmo = elmo_lib(config.paths.bilm, elmo_input, elmo_output),
  local x_dim = elmo.input_dim + config.paths.vectors.dim + size.character_filters,
  local encoded = 2 * size.hidden + elmo.output_dim,
  local gru(input_size) = {
    type: 'padded_gru',
    input_size: input_size,
    hidden_size: size.hidden,
  },
  local lstm(input_size, num_layers=1) = {
    type: 'lstm',
    input_size: input_size,
    hidden_size: size.hidden,
    num_layers: num_layers,
    bidirectional: true,
  },

  local models = {
    bidaf_self_attention: {
      phrase_layer: elmo.encoder(gru(x_dim), x_dims),
      residual_encoder: gru(size.linear),
      span_start_encoder: gru(size.linear),
      span_end_encoder: gru(size.linear + 2 * size.hidden),
      dropout: 0.2,
      max_span_length: 17,
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
      modeling_layer: lstm(4 * encoded, num_layers=2) { dropout: 0.2 },
      span_end_encoder: lstm(4 * encoded + 3 * 2 * size.hidden),
      dropout: 0.2,
    },
  },
  local trainers = {
    bidaf_self_attention: {
      optimizer: { type: 'adadelta', lr: 1.0, rho: 0.95 },
      moving_average: { type: 'exponential', decay: 0.999 },
    },
    bidaf: {
      optimizer: { type: 'adam', lr: 0.001, betas: [0.9, 0.9] },
      grad_norm: 5.0,
    },
  },

  paths:: import 'paths.libsonnet',
  seed:: 13370,
  sizes:: {
    character: 20,
    character_filters: 100,
    hidden: if model == 'bidaf' then 100 else 90,
    linear: 180,
  },

  random_seed: config.seed,
  numpy_seed: config.seed,
  pytorch_seed: config.seed,

  dataset_reader: {
    type: 'squad_text_or_tokens',
    token_indexers: {
      tokens: { type: 'single_id', lowercase_tokens: true },
      token_characters: { type: 'characters', min_padding_length: 5 },
    } + elmo.indexers,
  },
  train_data_path: config.paths.squad.train,
  validation_data_path: config.paths.squad.dev,
  // Word vectors are fixed, so all words without one are the unknown word.
  vocabulary: {
    only_include_pretrained_words: true,
    pretrained_files: { tokens: config.paths.vectors.file },
  },
  data_loader: {
    batch_sampler: { type: 'bucket', batch_size: 45, sorting_keys: ['passage', 'question'] },
  },

  model: {
    type: model,
    text_field_embedder: {
      token_embedders: {
        tokens: {
          type: 'embedding',
          embedding_dim: config.paths.vectors.dim,
          pretrained_file: config.paths.vectors.file,
          trainable: false,
        },
        token_characters: {
          type: 'character_encoding',
          embedding: { embedding_dim: size.character, vocab_namespace: 'token_characters' },
          encoder: {
            type: 'cnn',
            embedding_dim: size.character,
            num_filters: size.character_filters,
            ngram_filter_sizes: [5],
            conv_layer_activation: 'relu',
          },
        },
      } + elmo.embedders(dropout=0.5),
    },
    regularizer: { regexes: elmo.penalties(0.0) },
  } + models[model],

  trainer: {
    type: 'resumable',
    num_epochs: 20,
    patience: 5,
    validation_metric: '+f1',
    checkpointer: { type: 'whole_files', keep_most_recent_by_count: 1 },
  } + trainers[model],
}
