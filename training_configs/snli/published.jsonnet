// elmo_both.jsonnet with what the paper gives its model with ELMo alone; see the header of baseline.
local elmo_both = import 'elmo_both.jsonnet';

elmo_both { attention_dropout:: 0.5, l2:: 0.0001, layer_norm:: 'batch' }
