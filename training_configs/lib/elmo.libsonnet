// ELMo at the input of a task model, [x_k; ELMo_k], at the output of its encoder, [h_k; ELMo_k], at
// both or at neither (Peters et al. 2018, section 3.3). With both, one pass of the biLM has two
// mixes, each with its own weights and gamma.
//
// AllenNLP concatenates embedders in the order of their keys: a token's vector is [ELMo_k of the input;
// ELMo_k of the output; x_k], after the embedders whose keys sort before `elmo`.
function(bilm, input, output, per_sentence=false) {
  local mixes = std.count([input, output], true),
  local of_others = ['dim', 'max_characters'],
  local parameters = {
    [name]: bilm[name]
    for name in std.objectFields(bilm)
    if !std.member(of_others, name)
  },

  input_dim: if input then bilm.dim else 0,
  output_dim: if output then bilm.dim else 0,

  indexers: if mixes == 0 then {} else {
    elmo: {
      type: if per_sentence then 'elmo_characters_by_sentence' else 'elmo_characters',
      [if std.objectHas(bilm, 'max_characters') then 'max_characters']: bilm.max_characters,
    },
  },

  embedder(dropout, do_layer_norm=false): {
    type: if std.objectHas(bilm, 'activations_file') then 'elmo_precomputed' else 'elmo',
    dropout: dropout,
    do_layer_norm: do_layer_norm,
    num_output_representations: mixes,
  } + parameters,

  embedders(dropout, do_layer_norm=false):
    local elmo = $.embedder(dropout, do_layer_norm);
    if mixes == 0 then {} else {
      elmo: if per_sentence then { type: 'elmo_by_sentence', elmo: elmo } else elmo,
    },

  // Wraps `encoder`, which takes all dimensions but those of ELMo at the output. `x_dims` are the
  // dimensions of the embedders of x_k. `dropout` is that of ELMo at the output, for models that apply
  // none to it.
  encoder(encoder, x_dims, dropout=0.0):
    local before = std.sum([x_dims[name] for name in std.objectFields(x_dims) if name < 'elmo']),
          start = before + $.input_dim;
    if !output then encoder else {
      type: 'elmo_output',
      encoder: encoder,
      start: start,
      end: start + bilm.dim,
      embedder_dims: { elmo: $.input_dim + $.output_dim } + x_dims,
      [if dropout > 0 then 'dropout']: dropout,
    },

  // L2 regularization of the mix weights: a large lambda keeps them near the average of the layers,
  // a small one lets them differ (sections 3.3 and 5.1).
  penalties(lambda): [
    ['scalar_mixes.%d.scalar_parameters' % mix, { type: 'l2', alpha: lambda }]
    for mix in std.range(0, mixes - 1)
  ],
}
