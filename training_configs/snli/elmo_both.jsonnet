// The model of baseline.jsonnet, with ELMo at its input and at the output of its encoder; see the
// header there.
local snli = import '../lib/snli.libsonnet';

snli(elmo_input=true, elmo_output=true)
