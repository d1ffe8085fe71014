// elmo_both.jsonnet, scored every 1,200 updates as published: 24 epochs of SQuAD's 87,599 questions.
// The published baseline is scored so too: import baseline.jsonnet in its place.
local elmo_both = import 'elmo_both.jsonnet';

elmo_both { data_loader+: { batches_per_epoch: 1200 }, trainer+: { num_epochs: 39 } }
