// elmo_both.jsonnet, scored every 1,200 updates and with a constant decay of the moving average, as
// published. 39 epochs of 1,200 updates are the published 24 passes over SQuAD's 87,599 questions.
// To train the published baseline in the same way, import baseline.jsonnet instead.
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
