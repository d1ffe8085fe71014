"""The random biLM of the controls."""

from pathlib import Path

import torch

from elmo_plugin.experiments.runner.random_bilm import standardize_token_layer, with_random_bilm
from elmo_plugin.layers import Bilm
from elmo_plugin.layers.char_ids import batch_to_ids
from elmo_plugin.weights import load_bilm
from tests.helpers.random_bilm import random_bilm, save

WORDS = Path(__file__).parents[3].joinpath("fixtures", "lm", "heldout.txt").read_text().split()


def token_layer(bilm: Bilm) -> torch.Tensor:
    ids = batch_to_ids([[word] for word in sorted(set(WORDS))], bilm.config.max_characters)
    with torch.no_grad():
        return bilm.token_encoder(ids[:, 0])


def mean_cosine(vectors: torch.Tensor) -> float:
    unit = torch.nn.functional.normalize(vectors, dim=1)
    return (unit @ unit.T).mean().item()


def test_each_dimension_of_the_token_layer_has_zero_mean_and_unit_variance() -> None:
    bilm = random_bilm()
    before = token_layer(bilm)
    standardize_token_layer(bilm, sorted(set(WORDS)))
    after = token_layer(bilm)
    torch.testing.assert_close(after.mean(0), torch.zeros(after.size(1)), rtol=0, atol=1e-4)
    torch.testing.assert_close(after.std(0), torch.ones(after.size(1)), rtol=1e-4, atol=0)
    # Linear in the vectors before.
    expected = (before - before.mean(0)) / before.std(0)
    torch.testing.assert_close(after, expected, rtol=1e-3, atol=1e-3)


def test_words_differ_in_the_random_bilm_of_a_configuration(tmp_path: Path) -> None:
    config = {"model": {"elmo": {"type": "elmo"}}}  # of the built-in shape
    changed = with_random_bilm(config, tmp_path, seed=1)["model"]["elmo"]
    bilm = load_bilm(changed["options_file"], changed["weight_file"])
    assert mean_cosine(token_layer(bilm)) < 0.2
    untrained = Bilm(bilm.config).eval()
    assert mean_cosine(token_layer(untrained)) > 0.5


def test_each_seed_has_its_own(tmp_path: Path) -> None:
    options, weights = save(random_bilm(), tmp_path)
    elmo = {"type": "elmo", "options_file": str(options), "weight_file": str(weights)}
    files = [
        with_random_bilm({"model": elmo}, tmp_path, seed)["model"]["weight_file"]
        for seed in (1, 1, 2)
    ]
    assert files[0] == files[1] != files[2]
    assert Path(files[0]).read_bytes() != Path(files[2]).read_bytes()
