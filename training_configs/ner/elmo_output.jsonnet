// The tagger of baseline.jsonnet with [h_k; ELMo_k] at the output of its biLSTMs: see the header
// there.
local ner = import '../lib/ner.libsonnet';

ner(elmo_input=false, elmo_output=true)
