// The model of baseline.jsonnet, with ELMo at its input and at the output of its integrator; see
// the header there.
local sst5 = import '../lib/sst5.libsonnet';

sst5(elmo_input=true, elmo_output=true)
