// The span model of ../coref. The files there differ in ELMo only, and share the seed.
local elmo_lib = import 'elmo.libsonnet';
local known_fields = import 'known_fields.libsonnet';
local task = import 'task.libsonnet';

function(elmo_input, elmo_output) task('coref') {
  local config = self,
  local size = config.sizes,
  local words = config.words,
  local characters_dim = std.length(size.character_windows) * size.character_filters,
  local x_dims = { token_characters: characters_dim, tokens: words.dim },
  local x_dim = characters_dim + words.dim,
  local elmo = elmo_lib(config.bilm, elmo_input, elmo_output, per_sentence=true),
  // Lee et al. 2017, section 4: first and last word, head word, width.
  local span_dim = 2 * (2 * size.hidden + elmo.output_dim) + x_dim + size.feature,
  local pair_features = if config.metadata then 3 else 1,
  local feedforward(input_dim) = {
    input_dim: input_dim,
    num_layers: 2,
    hidden_dims: size.feedforward,
    activations: 'relu',
    dropout: config.dropout,
  },
  local reader = {
    type: if config.metadata then 'coref_metadata' else 'coref_sentences',
    max_span_width: size.span_width,
    remove_singleton_clusters: true,
    token_indexers: {
      tokens: words.indexer,
      token_characters: config.characters(width=5),
    } + elmo.indexers,
  },

  sizes:: known_fields('sizes', {
    character: 8,
    character_filters: 50,
    character_windows: [3, 4, 5],
    hidden: 200,
    feedforward: 150,
    feature: 20,
    span_width: 10,
    antecedents: 250,
  }),
  lexical_dropout:: 0.5,
  dropout:: 0.2,
  metadata:: false,  // speaker and genre as features of a pair; see ../coref/published.jsonnet
  max_sentences:: 50,  // of a document, in training alone

  dataset_reader: reader { max_sentences: config.max_sentences },
  validation_dataset_reader: reader,
  data_loader: { batch_size: 1, shuffle: true },

  model: {
    type: if config.metadata then 'elmo_coref_metadata' else 'elmo_coref',
    text_field_embedder: {
      token_embedders: {
        tokens: words.embedder(trainable=false),
        token_characters: {
          type: 'character_encoding',
          embedding: { embedding_dim: size.character, vocab_namespace: 'token_characters' },
          encoder: {
            type: 'cnn',
            embedding_dim: size.character,
            num_filters: size.character_filters,
            ngram_filter_sizes: size.character_windows,
          },
        },
        // The dropout below applies to all of [x_k; ELMo_k].
      } + elmo.embedders(dropout=0.0),
    },
    lexical_dropout: config.lexical_dropout,
    head_dim: x_dim,
    context_layer: elmo.encoder({
      type: 'variational_dropout',
      output_dropout: config.dropout,
      encoder: {
        type: 'lstm',
        input_size: elmo.input_dim + x_dim,
        hidden_size: size.hidden,
        bidirectional: true,
      },
    }, x_dims),
    mention_feedforward: feedforward(span_dim),
    antecedent_feedforward: feedforward(3 * span_dim + pair_features * size.feature),
    feature_size: size.feature,
    max_span_width: size.span_width,
    spans_per_word: 0.4,
    max_antecedents: size.antecedents,
    initializer: {
      regexes: [
        ['_feedforward.*linear_layers.*weight', { type: 'xavier_normal' }],
        ['_scorer._module.weight', { type: 'xavier_normal' }],
        ['_(distance|span_width|same_speaker|genre)_embedding.weight', { type: 'xavier_normal' }],
        ['_context_layer.*weight_ih', { type: 'xavier_normal' }],
        ['_context_layer.*weight_hh', { type: 'orthogonal' }],
      ],
    },
  },

  trainer: {
    type: 'resumable',
    optimizer: { type: 'adam', lr: 0.001 },
    grad_norm: 5.0,
    num_epochs: 150,
    patience: 10,
    learning_rate_scheduler: { type: 'reduce_on_plateau', factor: 0.5, mode: 'max', patience: 2 },
    validation_metric: '+coref_f1',
    checkpointer: { type: 'atomic', keep_most_recent_by_count: 1 },
  },
}
