// baseline.jsonnet with CoVe at its input, for comparison with ELMo. Random weights; for the published
// ones, `cove:: { weight_file: 'MT-LSTM.pth' }` and, in `paths`, GloVe 840B with 300 dimensions.
// The embedding dropout is that of elmo.jsonnet. `cove+:: { mix: 'weighted' }` learns the weights of its two layers, as ELMo does.
local baseline = import 'baseline.jsonnet';

baseline { cove:: {}, dropout:: 0.5 }
