// Fine-tunes a trained biLM as bilm-tf resumes training: Adagrad at 0.2, dropout 0.1, 128 streams,
// 8192 samples per direction, float32. Adagrad's sums of squared gradients start from their initial
// value, so that the first steps are larger than bilm-tf's, which reads the sums from its
// checkpoint: weights in HDF5 do not include them. The text needs at least 128 sentences; see
// finetune.jsonnet.
local bilm = import '../lib/bilm.libsonnet';
local finetune = import 'finetune.jsonnet';

finetune {
  local published = bilm({ samples_per_direction: true }),
  model+: { dropout: 0.1, num_samples: 8192, precision: 'float32' } + published.model,
  data_loader: published.data_loader,
  trainer+: { optimizer: published.trainer.optimizer, learning_rate_scheduler:: null },
}
