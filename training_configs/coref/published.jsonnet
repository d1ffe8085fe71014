// elmo.jsonnet with the speaker and the genre as features of a pair of mentions, for OntoNotes. The
// rest of the header of baseline.jsonnet holds. The baseline with these features:
//   (import 'training_configs/coref/baseline.jsonnet') { metadata:: true }
local elmo = import 'elmo.jsonnet';

elmo { metadata:: true }
