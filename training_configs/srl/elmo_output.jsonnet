// The model of baseline.jsonnet, with ELMo at the output of its encoder; see the header there.
local srl = import '../lib/srl.libsonnet';

srl(elmo_input=false, elmo_output=true)
