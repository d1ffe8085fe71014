// The ESIM of ../snli. The files there differ in ELMo only, and share the seed.
local elmo_lib = import 'elmo.libsonnet';
local known_fields = import 'known_fields.libsonnet';
local task = import 'task.libsonnet';

function(elmo_input, elmo_output) task('snli') {
  local config = self,
  local size = config.sizes,
  local words = config.words,
  local x_dims = { tokens: words.dim },
  local elmo = elmo_lib(config.bilm, elmo_input, elmo_output),
  local encoded = 2 * size.hidden + elmo.output_dim,
  local weights = '^_((inference_)?encoder|(projection|output)_feedforward|output_logit)[.].*weight',
  local weight_penalties = if config.l2 == 0 then [] else [[weights, { type: 'l2', alpha: config.l2 }]],
  local lstm(input_size) = {
    type: 'lstm',
    input_size: input_size,
    hidden_size: size.hidden,
    bidirectional: true,
  },

  sizes:: known_fields('sizes', { hidden: 300 }),
  dropout:: 0.5,
  // Published only for the model with ELMo; see ../snli/published.jsonnet.
  attention_dropout:: 0,
  l2:: 0,
  layer_norm:: true,

  dataset_reader: {
    type: 'snli',
    tokenizer: { type: 'text_or_tokens' },
    token_indexers: {
      tokens: words.indexer,
    } + elmo.indexers,
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 32 } },

  model: {
    type: 'elmo_esim',
    dropout: config.dropout,
    [if config.attention_dropout > 0 then 'attention_dropout']: config.attention_dropout,
    text_field_embedder: {
      token_embedders: {
        tokens: words.embedder(trainable=false),
        // The dropout above applies to all of [x_k; ELMo_k].
      } + elmo.embedders(dropout=0.0, do_layer_norm=config.layer_norm),
    },
    encoder: elmo.encoder(lstm(elmo.input_dim + words.dim), x_dims),
    matrix_attention: { type: 'dot_product' },
    projection_feedforward: {
      input_dim: 4 * encoded,
      num_layers: 1,
      hidden_dims: size.hidden,
      activations: 'relu',
    },
    inference_encoder: lstm(size.hidden),
    output_feedforward: {
      input_dim: 4 * 2 * size.hidden,
      num_layers: 1,
      hidden_dims: size.hidden,
      activations: 'relu',
      dropout: config.dropout,
    },
    output_logit: {
      input_dim: size.hidden,
      num_layers: 1,
      hidden_dims: 3,
      activations: 'linear',
    },
    initializer: {
      regexes: [
        ['linear_layers.*weight', { type: 'xavier_uniform' }],
        ['linear_layers.*bias', { type: 'zero' }],
        ['_encoder.*_module.weight_ih', { type: 'xavier_uniform' }],
        ['_encoder.*_module.weight_hh', { type: 'orthogonal' }],
        ['_encoder.*_module.bias_ih', { type: 'zero' }],
        ['_encoder.*_module.bias_hh', { type: 'lstm_hidden_bias' }],
      ],
    },
    regularizer: { regexes: elmo.penalties(0.001) + weight_penalties },
  },

  trainer: {
    type: 'resumable',
    optimizer: { type: 'adam', lr: 0.0004 },
    grad_norm: 5.0,
    num_epochs: 75,
    patience: 5,
    learning_rate_scheduler: { type: 'reduce_on_plateau', factor: 0.5, mode: 'max', patience: 0 },
    validation_metric: '+accuracy',
    checkpointer: { type: 'atomic', keep_most_recent_by_count: 1 },
  },
}
