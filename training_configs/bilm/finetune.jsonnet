// Fine-tunes a trained biLM on the text of a domain, for one epoch (Peters et al. 2018, section 3.4).
// `start` is "built-in", a folder that `elmo export` wrote, a weight file, a model.tar.gz or the
// folder of a training; sizes and vocabulary come from there. The published models' softmax and
// vocabulary lie beside the weights under the names that they are published with. A biLM without
// them takes `vocabulary: { type: 'bilm_text', path: ... }`, and a new softmax is fitted first, with
// everything else frozen.
local bilm = import '../lib/bilm.libsonnet';

bilm({ dropout: 0.0, num_samples: 4096, precision: 'bfloat16' }) {
  local config = self,
  start:: 'built-in',

  vocabulary: { type: 'bilm_pretrained', path: config.start },
  model+: { pretrained_file: config.start },
  data_loader: { type: 'bilm_streams', batch_size: 16, unroll_steps: 20 },
  trainer+: {
    num_epochs: 1,
    optimizer: { type: 'adam', lr: 0.001 },
    learning_rate_scheduler: { type: 'linear_with_warmup', warmup_steps: 50 },
  },
}
