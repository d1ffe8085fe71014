// The public datasets with the large biLM in place of the built-in one:
// `--overrides "import 'benchmarks/data_large_bilm.libsonnet'"`.
(import 'data.libsonnet') {
  local large = 'elmo_plugin/pretrained/large/',
  paths+:: { bilm: { dim: 512, options_file: large + 'options.json', weight_file: large + 'weights.hdf5' } },
}
