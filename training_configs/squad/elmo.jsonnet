// The model of baseline.jsonnet, with [x_k; ELMo_k] at its input; see the header there.
local squad = import '../lib/squad.libsonnet';

squad(elmo_input=true, elmo_output=false)
