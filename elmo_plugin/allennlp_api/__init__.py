"""
AllenNLP's classes for ELMo in Python, so that code written for them changes its import line:

    # from allennlp.modules.elmo import Elmo, batch_to_ids
    # from allennlp.commands.elmo import ElmoEmbedder  (AllenNLP 0.x)
    from elmo_plugin.allennlp_api import Elmo, ElmoEmbedder, batch_to_ids

    elmo = Elmo("options.json", "weights.hdf5", num_output_representations=2, dropout=0)
    character_ids = batch_to_ids([["First", "sentence", "."], ["Another", "."]])
    first, second = elmo(character_ids)["elmo_representations"]  # each of shape (2, 3, dim)

AllenNLP need not be installed, except to download URLs. Where no files are named, the built-in biLM
is loaded; AllenNLP's `ElmoEmbedder` downloads the published one, whose vectors are twice as
large.

The main difference: a sentence's vectors depend on that sentence alone. In AllenNLP,

- the LSTMs start from the state that the batch before has left. `initial_state="carried"` does the
  same here; in code that knew of it, `_elmo_lstm._elmo_lstm.stateful` and `.reset_states()` work.
- `do_layer_norm=True` normalizes over all tokens of a batch; here it normalizes each sentence, and
  `do_layer_norm="batch"` does the same as AllenNLP.

Smaller differences: cached words are found by their characters, not by `word_inputs`, so that
unknown words have vectors of their own; a string in place of a list of words raises an error; an
empty sentence has vectors of the biLM's size, where `ElmoEmbedder`'s were always 1,024.

State dicts of models that were trained with AllenNLP's classes load into models with these.
`_ElmoBiLm` and `_ElmoCharacterEncoder` are private in AllenNLP, but used by much code.
"""

from elmo_plugin.allennlp_api.bilm import _ElmoBiLm
from elmo_plugin.allennlp_api.character_encoder import _ElmoCharacterEncoder
from elmo_plugin.allennlp_api.elmo import Elmo
from elmo_plugin.allennlp_api.embedder import ElmoEmbedder
from elmo_plugin.layers import batch_to_ids

__all__ = ["Elmo", "ElmoEmbedder", "_ElmoBiLm", "_ElmoCharacterEncoder", "batch_to_ids"]
