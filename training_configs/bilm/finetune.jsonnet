// Fine-tunes a trained biLM for one epoch on the text of a domain (Peters et al. 2018, sections 3.4
// and A.1). `start` is "built-in", a directory that `elmo export` wrote, a weight file, a model.tar.gz or
// the serialization directory of a training run; sizes and vocabulary are read from there. Put the
// softmax and vocabulary of a published model in the directory of its weights, under their published
// names. For a biLM without them, set `vocabulary: { type: 'bilm_text', path: ... }`: a new softmax is
// then trained first, with all other weights frozen.
// Not as bilm-tf does, since a domain's text is small: 16 streams (bilm-tf: 128), Adam at 0.001 with a
// short warm-up and a decreasing rate (Adagrad at 0.2), no dropout (0.1); for speed: one set of 4,096
// samples (8,192 per direction) and bfloat16. As bilm-tf: finetune_published.jsonnet.
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
