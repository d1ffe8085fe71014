// A biLM of 10 million weights and a softmax of 38,000 words, for two cores with bfloat16 matrix
// instructions: 6,000 words per second. Adam in place of the published Adagrad, which needs ten
// epochs; the learning rate stays constant, so that training may end at any epoch: lower it to zero
// in a second training (elmo_plugin/pretrained/training-2.jsonnet). No dropout, because no sentence
// is seen more than twice.
local bilm = import '../lib/bilm.libsonnet';

bilm(
  {
    filters: [[1, 32], [2, 64], [3, 96], [4, 128], [5, 192]],
    num_highways: 1,
    projection_dim: 256,
    cell_dim: 1024,
    dropout: 0.0,
    num_samples: 4096,
    precision: 'bfloat16',
  },
  max_size=38000,
) {
  data_loader+: { batches_per_epoch: 2000 },
  trainer+: {
    num_epochs: 60,
    optimizer: { type: 'adam', lr: 0.0015 },
    learning_rate_scheduler: { type: 'constant_with_warmup', num_warmup_steps: 500 },
  },
}
