// The model of baseline.jsonnet, with ELMo at its input; see the header there.
local snli = import '../lib/snli.libsonnet';

snli(elmo_input=true, elmo_output=false)
