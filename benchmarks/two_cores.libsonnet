// Task overrides for two cores, of baseline and ELMo alike: a fraction of the training data, smaller
// models, fewer development instances, and batches and an optimizer that suit few updates. For SNLI
// and SST-5 the built-in biLM is first fine-tuned on the domain's sentences for an epoch (section
// 3.4), as `elmo fine-tuning` leaves it.
local finetuned(name) = {
  options_file: 'runs/finetune/%s/exported/options.json' % name,
  weight_file: 'runs/finetune/%s/exported/weights.hdf5' % name,
};

{
  squad: {
    fraction:: 0.02,
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
    fraction:: 0.05,
    local config = self,
    sizes+:: { hidden: 128, layers: 4 },
    validation_dataset_reader: { type: 'share', reader: config.dataset_reader, share: 0.2 },
    data_loader+: { batch_sampler+: { batch_size: 20 } },
    trainer+: { optimizer: { type: 'adam', lr: 0.001 }, num_epochs: 15, patience: 5 },
  },
  coref: {
    fraction:: 0.3,
    sizes+:: {
      hidden: 100,
      feedforward: 64,
      character_filters: 20,
      span_width: 6,
      antecedents: 30,
    },
    max_sentences:: null,  // all: LitBank has few documents
    model+: { spans_per_word: 0.2 },
    trainer+: { num_epochs: 20, patience: 5 },
  },
  ner: { seeds:: [1, 2, 3, 4, 5] },
  sst5: {
    seeds:: [1, 2, 3, 4, 5],
    paths+:: { bilm+: finetuned('sst') },
    phrases:: false,  // whole sentences only
    sizes+:: { hidden: 100, output: [200, 100] },
    data_loader+: { batch_sampler+: { batch_size: 32 } },
  },
}
