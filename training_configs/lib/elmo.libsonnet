// What adds ELMo to the input of a task: [x_k; ELMo_k] (Peters et al. 2018, section 3.3).
{
  indexers: { elmo: { type: 'elmo_characters' } },

  embedders(bilm, dropout): {
    elmo: {
      type: 'elmo',
      options_file: bilm.options_file,
      weight_file: bilm.weight_file,
      dropout: dropout,
    },
  },

  // lambda times the squared norm of the mix's weights: large, and the layers' average is kept;
  // small, and the weights may differ (section 3.4).
  regularizer(lambda): {
    regexes: [['scalar_mixes.0.scalar_parameters', { type: 'l2', alpha: lambda }]],
  },
}
