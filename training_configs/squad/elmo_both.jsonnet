// The model of baseline.jsonnet, with ELMo at its input and at the output of its encoder; see the
// header there.
local squad = import '../lib/squad.libsonnet';

squad(elmo_input=true, elmo_output=true)
