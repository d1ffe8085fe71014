// What two cores make necessary of each of the six tasks, of baseline and ELMo alike: smaller
// sizes, fewer development instances, and for few updates batches and an optimizer that suit them.
// The shares of the training data are in tasks.py. For SNLI and SST-5 the built-in biLM has read an
// epoch of the domain's sentences first, as finetune.py leaves it (section 3.4).
local finetuned(name) = {
  options_file: 'runs/finetune/%s/exported/options.json' % name,
  weight_file: 'runs/finetune/%s/exported/weights.hdf5' % name,
};

{
  squad: {
    local config = self,
    sizes+:: { character_filters: 50, hidden: 50, linear: 100 },
    validation_dataset_reader: { type: 'share', reader: config.dataset_reader, share: 0.1 },
    data_loader+: { batch_sampler+: { batch_size: 20 } },
    trainer+: { optimizer: { type: 'adam', lr: 0.001 }, num_epochs: 10, patience: 3 },
  },
  snli: {
    sizes+:: { hidden: 100 },
    paths+:: { bilm+: finetuned('snli') },
  },
  srl: {
    local config = self,
    sizes+:: { hidden: 128, layers: 4 },
    validation_dataset_reader: { type: 'share', reader: config.dataset_reader, share: 0.2 },
    data_loader+: { batch_sampler+: { batch_size: 20 } },
    trainer+: { optimizer: { type: 'adam', lr: 0.001 }, num_epochs: 15, patience: 5 },
  },
  coref: {
    sizes+:: {
      hidden: 100,
      feedforward: 64,
      character_filters: 20,
      span_width: 6,
      antecedents: 30,
    },
    model+: { spans_per_word: 0.2 },
    trainer+: { num_epochs: 20, patience: 5 },
  },
  ner: {},
  sst5: {
    paths+:: { bilm+: finetuned('sst') },
    phrases:: false,  // the trees' sentences, not all of their phrases
    sizes+:: { hidden: 100, output: [200, 100] },
    data_loader+: { batch_sampler+: { batch_size: 32 } },
  },
}
