// A biLM of 10 million parameters and a softmax of 38,000 words, for two cores with bfloat16 matrix
// instructions: about four hours of training. Adam with a decreasing learning rate in place of the
// published Adagrad, which needs ten passes over the text. No dropout, because training is less than
// one pass over a large text: an epoch is 2,000 batches, and 15 epochs are 77 million tokens. With
// less text, lower `num_epochs` or set `dropout`.
// One set of 4,096 samples serves both directions (published: 8,192 for each), and matrix products
// are in bfloat16 (published: float32), both for speed. Also for speed: one highway
// layer (the original: two) and filters of at most five characters (published: seven).
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
    num_epochs: 15,
    optimizer: { type: 'adam', lr: 0.002 },
    learning_rate_scheduler: { type: 'linear_with_warmup', warmup_steps: 500 },
  },
}
