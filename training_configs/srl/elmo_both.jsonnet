// The model of baseline.jsonnet, with ELMo at its input and at the output of its encoder; see the
// header there.
local srl = import '../lib/srl.libsonnet';

srl(elmo_input=true, elmo_output=true)
