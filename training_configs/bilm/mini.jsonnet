// A small biLM with the published architecture, but one highway layer, narrower filters and the full
// softmax. It trains in minutes on two cores.
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
