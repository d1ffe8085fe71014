// The tagger of baseline.jsonnet with ELMo at its input and at the output of its biLSTMs; see the
// header there.
local ner = import '../lib/ner.libsonnet';

ner(elmo_input=true, elmo_output=true)
