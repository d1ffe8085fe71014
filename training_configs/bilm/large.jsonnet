// A biLM of 21 million parameters, with the LSTM sizes of the published "medium" (2048 cells,
// projections of 256), and a softmax of 38,000 words, for one GPU, of which it uses 5 GB. An epoch is
// 1,000 batches, and 6 epochs are 123 million tokens, in nine minutes on an H100. No dropout: that is
// less than two passes over a large text. With less text, lower `num_epochs` or set `dropout`.
// One set of 8,192 samples serves both directions (published: 8,192 for each), and matrix products
// are in bfloat16 (published: float32), both for speed. Also for speed: one highway
// layer (the original: two) and filters of at most five characters (published: seven).
local bilm = import '../lib/bilm.libsonnet';

bilm(
  {
    filters: [[1, 32], [2, 64], [3, 128], [4, 256], [5, 544]],
    num_highways: 1,
    projection_dim: 256,
    cell_dim: 2048,
    dropout: 0.0,
    num_samples: 8192,
    precision: 'bfloat16',
  },
  max_size=38000,
) {
  data_loader+: { batch_size: 1024, batches_per_epoch: 1000 },
  trainer+: {
    num_epochs: 6,
    optimizer: { type: 'adam', lr: 0.003 },
    learning_rate_scheduler: { type: 'linear_with_warmup', warmup_steps: 1000 },
  },
}
