// The model of baseline.jsonnet, with ELMo at the output of its encoder; see the header there.
local snli = import '../lib/snli.libsonnet';

snli(elmo_input=false, elmo_output=true)
