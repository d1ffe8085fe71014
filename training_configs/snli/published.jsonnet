// elmo_both.jsonnet with the settings that only the paper's model with ELMo has. The rest of the
// header of baseline.jsonnet holds; the fine-tuned biLM there is not set here.
local elmo_both = import 'elmo_both.jsonnet';

elmo_both { attention_dropout:: 0.5, l2:: 0.0001, layer_norm:: 'batch' }
