// two_cores.libsonnet with a twentieth of SQuAD's training data in place of a tenth, for Tables 2 and 3.
local protocol = import 'two_cores.libsonnet';

protocol {
  squad+: {
    fraction:: 0.05,
    // 24 passes over the data, as published.
    schedule:: { interval: 400, patience: 2000, updates: 5200 },
    bilm+:: { cache_gigabytes: 5.5 },
  },
}
