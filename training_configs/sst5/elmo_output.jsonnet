// The model of baseline.jsonnet, with ELMo at the output of its integrator; see the header
// there.
local sst5 = import '../lib/sst5.libsonnet';

sst5(elmo_input=false, elmo_output=true)
