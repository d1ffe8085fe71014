// The settings that baseline and ELMo alike are searched over, for the hidden field `grid`: each
// dropout with each learning rate.
function(dropouts, rates) [
  {
    label:: 'dropout %g, rate %g' % [dropout, rate],
    dropout:: dropout,
    trainer+: { optimizer+: { lr: rate } },
  }
  for dropout in dropouts
  for rate in rates
]
