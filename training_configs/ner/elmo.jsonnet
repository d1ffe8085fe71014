// The tagger of baseline.jsonnet with [x_k; ELMo_k] at its input; see the header there.
local ner = import '../lib/ner.libsonnet';

ner(elmo_input=true, elmo_output=false)
