// A small biLM for tests and examples, which trains in minutes on two cores. The published architecture,
// but one highway layer, filters of at most five characters, 256 cells, projections of 64, and the full
// softmax of the words that occur at least twice; batches of 32 streams.
local bilm = import '../lib/bilm.libsonnet';

bilm(
  {
    filters: [[1, 16], [2, 16], [3, 32], [4, 64], [5, 64]],
    num_highways: 1,
    projection_dim: 64,
    cell_dim: 256,
    num_samples: null,
  },
  min_count=2,
) {
  data_loader+: { batch_size: 32 },
}
