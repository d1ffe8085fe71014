// Goes on with a trained biLM on the text of a domain, for one epoch (Peters et al. 2018, section
// 3.4). `start` is "built-in", a folder that `elmo export` wrote, a weight file, or a model.tar.gz;
// of another size, give `model+:` its sizes too. A biLM without a softmax, such as the published
// one, has no vocabulary either: take `vocabulary: { type: 'bilm_text', path: ... }`, and a new
// softmax is fitted first, with everything else frozen.
local small = import 'small.jsonnet';

small {
  local config = self,
  start:: 'built-in',

  vocabulary: { type: 'bilm_pretrained', path: config.start },
  model+: { pretrained_file: config.start },
  data_loader: { type: 'bilm_streams', batch_size: 16, unroll: 20 },
  trainer+: {
    num_epochs: 1,
    optimizer: { type: 'adam', lr: 0.001 },
    learning_rate_scheduler: { type: 'linear_with_warmup', warmup_steps: 50 },
  },
}
