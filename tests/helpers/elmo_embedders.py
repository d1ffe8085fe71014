"""TokenEmbedders built from configurations."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import _jsonnet
import torch
from allennlp.common import Params
from allennlp.modules import TokenEmbedder
from allennlp.modules.elmo_lstm import ElmoLstm
from torch.testing import assert_close

from tests.helpers.random_bilm import Files

DOCUMENTED = Path(__file__).parents[1] / "modules" / "documented"


assert_near = partial(assert_close, atol=1e-5, rtol=0)


def make_embedder(files: Files, type: str = "elmo", **arguments: Any) -> Any:
    paths = {"options_file": str(files.options), "weight_file": str(files.weights)}
    return TokenEmbedder.from_params(Params({"type": type, **paths, **arguments})).eval()


def stateless(theirs: torch.nn.Module) -> torch.nn.Module:
    """AllenNLP's biLM without carried state."""
    for module in theirs.modules():
        if isinstance(module, ElmoLstm):
            module.stateful = False
            module.register_forward_pre_hook(lambda lstm, inputs: lstm.reset_states())
    return theirs


def documented_params(name: str, files: Files, word: str = "elmo") -> Params:
    """A configuration from AllenNLP's documentation, with its type changed to `word`."""
    path = DOCUMENTED / f"{name}.jsonnet"
    text = path.read_text(encoding="utf-8")
    assert text.count("'elmo_token_embedder'") == 1
    text = text.replace("'elmo_token_embedder'", f"'{word}'")
    variables = {
        "DATA": str(DOCUMENTED / "data"),
        "OPTIONS": str(files.options),
        "WEIGHTS": str(files.weights),
    }
    return Params(json.loads(_jsonnet.evaluate_snippet(str(path), text, ext_vars=variables)))


def assert_equal_outputs(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """Compare what two of AllenNLP's `Elmo`, or classes like it, return."""
    assert found.keys() == expected.keys()
    assert torch.equal(found["mask"], expected["mask"])
    pairs = zip(found["elmo_representations"], expected["elmo_representations"], strict=True)
    for ours, theirs in pairs:
        assert_near(ours, theirs)
