// The model of baseline.jsonnet, with [h_k; ELMo_k] at the output of its encoder: see the header
// there.
local squad = import '../lib/squad.libsonnet';

squad(elmo_input=false, elmo_output=true)
