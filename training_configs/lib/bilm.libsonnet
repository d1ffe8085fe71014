// The training of a biLM of given sizes. Defaults are the published ones.
local default_paths = import 'paths.libsonnet';
local known_fields = import 'known_fields.libsonnet';

function(model, min_count=1, max_size=null) {
  local config = self,
  local paths = known_fields('paths', config.paths, std.objectFields(default_paths)),
  local text = known_fields('paths.lm', paths.lm, ['train', 'heldout']),

  paths:: default_paths,

  dataset_reader: { type: 'bilm_text' },
  vocabulary: {
    type: 'bilm_text',
    path: config.train_data_path,
    min_count: min_count,
    max_size: max_size,
  },
  train_data_path: text.train,
  validation_data_path: text.heldout,
  model: { type: 'bilm' } + model,
  data_loader: { type: 'bilm_streams', batch_size: 128, unroll_steps: 20 },
  validation_data_loader: {
    batch_sampler: { type: 'bucket', batch_size: 64, sorting_keys: ['text'], padding_noise: 0 },
  },
  trainer: {
    type: 'bilm',
    num_epochs: 10,
    optimizer: { type: 'adagrad', lr: 0.2, initial_accumulator_value: 1.0 },
    grad_norm: 10.0,
    validation_metric: '-perplexity',
    patience: 10,  // not published; the published ten epochs end before it
    checkpointer: { type: 'atomic', save_every_num_seconds: 600, keep_most_recent_by_count: 2 },
    callbacks: [{ type: 'bilm_curve' }],
  },
}
