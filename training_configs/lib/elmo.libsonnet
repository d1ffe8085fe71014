// What adds ELMo to the input of a task: [x_k; ELMo_k] (Peters et al. 2018, section 3.3).
{
  indexers: { elmo: { type: 'elmo_characters' } },

  embedders(bilm, dropout): {
    local files = { [key]: bilm[key] for key in std.objectFields(bilm) if key != 'dim' },
    elmo: { type: 'elmo', dropout: dropout } + files,
  },

  // lambda times the squared norm of the mix's weights: large, and the layers' average is kept;
  // small, and the weights may differ (section 3.4).
  regularizer(lambda): {
    regexes: [['scalar_mixes.0.scalar_parameters', { type: 'l2', alpha: lambda }]],
  },
}
