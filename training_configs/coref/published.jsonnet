// elmo.jsonnet with the speaker and the genre as features of a pair of mentions, for OntoNotes.
local elmo = import 'elmo.jsonnet';

elmo { metadata:: true }
