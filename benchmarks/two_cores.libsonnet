// The protocol of the six tasks and sizes for two cores, the same for all systems. Hidden fields:
// `seeds`; `fraction` of the training data; `schedule`, in updates; `grid`, the settings that each
// system is searched over on development data with its first seed; `other_bilms`, which
// `elmo controls` compares. For SNLI and SST-5 the biLM is first fine-tuned on the sentences of the
// training data for an epoch (sections 3.4 and A.1), as `elmo fine-tuning` leaves it; for SQuAD,
// unlike the published one, it is not, since the built-in biLM's text includes SQuAD's training
// paragraphs.
// Also for speed: Adam at 0.001 and smaller batches for SQuAD and SRL in place of Adadelta, which
// needs more epochs; whole sentences instead of phrases and smaller batches for SST-5; fewer and
// shorter spans and fewer antecedents for coreference; smaller layers.
local grid = import '../training_configs/lib/grid.libsonnet';

local search = grid(dropouts=[0.2, 0.5], rates=[0.0005, 0.001]);
// For SRL and coreference, dropout alone.
local short_search(dropouts) = grid(dropouts, rates=[0.001]);
// Memory for ELMo's layers of all sentences, so that the biLM reads each sentence once.
local cache(gigabytes) = { cache_gigabytes: gigabytes };
local five = [1, 2, 3, 4, 5];
local finetuned(name) = {
  options_file: 'runs/finetune/%s/exported/options.json' % name,
  weight_file: 'runs/finetune/%s/exported/weights.hdf5' % name,
};
local not_finetuned = { 'biLM not fine-tuned': { dim: 512 } + cache(2) };
local large = { 'large biLM': (import 'data_large_bilm.libsonnet').paths.bilm };

{
  squad: {
    fraction:: 0.1,
    // 24 passes over the data, as published.
    schedule:: { interval: 400, patience: 2000, updates: 10400 },
    // The published dropout, and the rate that was better than 0.003 without and with ELMo, in 6,000
    // updates (results/runs/squad-*-search*). After these, the baseline was still rising. With dropout
    // 0.4, it had F1 33 at 0.001, in place of 65.
    grid:: grid(dropouts=[0.2], rates=[0.001]),
    bilm+:: cache(7.5),
    local config = self,
    sizes+:: { character_filters: 50, hidden: 50, linear: 100 },
    validation_dataset_reader: { type: 'subsample', reader: config.dataset_reader, fraction: 0.3 },
    data_loader+: { batch_sampler+: { batch_size: 20 } },
    trainer+: { optimizer: { type: 'adam', lr: 0.001 } },
  },
  snli: {
    seeds:: five,
    schedule:: { interval: 250, patience: 2000, updates: 15000 },
    // The published dropout, 0.5, is for seventy times as many pairs.
    grid:: grid(dropouts=[0.1, 0.3], rates=[0.0005, 0.001]),
    // The published rate is halved if a pass over 17,000 batches brings no better score. After 250
    // updates, scored on 2,001 pairs, that may be chance.
    trainer+: { learning_rate_scheduler+: { patience: 2 } },
    bilm+:: cache(2),
    other_bilms:: not_finetuned,
    sizes+:: { hidden: 100 },
    paths+:: { bilm+: finetuned('snli') },
  },
  srl: {
    fraction:: 0.25,
    schedule:: { interval: 500, patience: 2000, updates: 8000 },
    grid:: short_search([0.1, 0.3]),
    bilm+:: cache(3),
    local config = self,
    sizes+:: { hidden: 128, layers: 4 },
    validation_dataset_reader: { type: 'subsample', reader: config.dataset_reader, fraction: 0.2 },
    data_loader+: { batch_sampler+: { batch_size: 20 } },
    trainer+: { optimizer: { type: 'adam', lr: 0.001 } },
  },
  coref: {
    schedule:: { interval: 80, patience: 800, updates: 4000 },
    grid:: short_search([0.2, 0.4]),
    bilm+:: cache(2),
    sizes+:: {
      hidden: 100,
      feedforward: 64,
      character_filters: 20,
      span_width: 6,
      antecedents: 100,
    },
    max_sentences:: null,  // all: LitBank has few documents
    model+: { spans_per_word: 0.2 },
    // Scores of ten documents after 80 updates may fall several times by chance.
    trainer+: { learning_rate_scheduler+: { patience: 4 } },
  },
  ner: {
    seeds:: five,
    schedule:: { interval: 50, patience: 750, updates: 3000 },
    grid:: search,
    other_bilms:: large,
  },
  sst5: {
    seeds:: five,
    schedule:: { interval: 250, patience: 1250, updates: 10000 },
    grid:: search,
    bilm+:: cache(2),
    other_bilms:: not_finetuned,
    paths+:: { bilm+: finetuned('sst') },
    phrases:: false,  // whole sentences only
    sizes+:: { hidden: 100, output: [200, 100] },
    data_loader+: { batch_sampler+: { batch_size: 32 } },
  },
}
