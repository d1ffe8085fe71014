// The second training of the built-in biLM: goes on with what the first one made.
(import '../../training_configs/bilm/small.jsonnet') {
  paths+:: { lm: { train: 'data/lm/train-*.txt.gz', heldout: 'data/lm/heldout.txt.gz' } },
  vocabulary: { type: 'bilm_pretrained', path: 'runs/1-files' },
  model+: { pretrained_file: 'runs/1-files' },
  data_loader+: { batches_per_epoch: 2000, seed: 2 },
  trainer+: { num_epochs: 8, optimizer+: { lr: 0.0015 } },
}
