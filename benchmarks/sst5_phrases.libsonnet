// two_cores.libsonnet with SST-5 trained on phrases of at least four tokens, as published, in place of
// whole sentences alone.
local protocol = import 'two_cores.libsonnet';

protocol {
  sst5+: {
    paths+:: { sst5+: { name: 'SST-5, trained on sentences and phrases' } },
    phrases:: true,
    // A pass over the 93,570 phrases takes 2,924 updates.
    schedule:: { interval: 500, patience: 3000, updates: 15000 },
    bilm+:: { cache_gigabytes: 6.5 },
  },
}
