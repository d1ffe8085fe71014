// The model of baseline.jsonnet, with ELMo at the output of its encoder; see the header there.
local coref = import '../lib/coref.libsonnet';

coref(elmo_input=false, elmo_output=true)
