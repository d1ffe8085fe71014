// elmo_both.jsonnet, scored every 1,200 updates as published, with a constant decay of the
// moving average: 24 epochs of SQuAD's 87,599 questions.
// The published baseline is scored so too: import baseline.jsonnet in its place.
local elmo_both = import 'elmo_both.jsonnet';

elmo_both {
  data_loader+: { batches_per_epoch: 1200 },
  trainer+: {
    num_epochs: 39,
    // AllenNLP's decay after n updates is the lesser of 0.999 and
    // (numerator + n) / (denominator + n).
    moving_average+: { numerator: 10, denominator: 10 },
  },
}
