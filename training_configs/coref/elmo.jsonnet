// The model of baseline.jsonnet, with ELMo at its input; see the header there.
local coref = import '../lib/coref.libsonnet';

coref(elmo_input=true, elmo_output=false)
