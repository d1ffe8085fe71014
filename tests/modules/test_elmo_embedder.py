"""The TokenEmbedder `elmo` against AllenNLP's `elmo_token_embedder`."""

import json
import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import _jsonnet
import nltk
import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params, file_utils
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.common.util import sanitize
from allennlp.data import Batch, DatasetReader, Instance, Vocabulary
from allennlp.models import Model, load_archive
from allennlp.modules import TextFieldEmbedder, TokenEmbedder
from allennlp.modules.elmo import Elmo as AllennlpElmo
from allennlp.modules.elmo_lstm import ElmoLstm
from allennlp.nn import RegularizerApplicator
from torch.testing import assert_close

from elmo_plugin.layers import BilmConfig, batch_to_ids
from elmo_plugin.modules.token_embedders import ElmoTokenEmbedder
from elmo_plugin.weights import load_bilm
from elmo_plugin.weights.resolve import BUILT_IN_FOLDER
from tests.helpers.random_bilm import SENTENCES, SMALL, Files, random_bilm, save

DOCUMENTED = Path(__file__).parent / "documented"
NAMES = sorted(path.stem for path in DOCUMENTED.glob("*.jsonnet"))
close = partial(assert_close, atol=1e-5, rtol=0)


@pytest.fixture(scope="module", autouse=True)
def plugins() -> None:
    import_plugins()
    # NLTK, which the reader of trees uses, opens files in folders that it was told of only.
    nltk.data.path.append(str(DOCUMENTED / "data"))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return save(random_bilm(), tmp_path_factory.mktemp("bilm"))


def embedder(files: Files, type: str = "elmo", **arguments: Any) -> Any:
    paths = {"options_file": str(files.options), "weight_file": str(files.weights)}
    return TokenEmbedder.from_params(Params({"type": type, **paths, **arguments})).eval()


def test_default_is_the_built_in_bilm() -> None:
    built_in = TokenEmbedder.from_params(Params({"type": "elmo"})).eval()
    of_files = embedder(Files(BUILT_IN_FOLDER / "options.json", BUILT_IN_FOLDER / "weights.hdf5"))
    ids = batch_to_ids(SENTENCES)
    assert_close(built_in(ids), of_files(ids), atol=0, rtol=0)


def stateless(theirs: torch.nn.Module) -> torch.nn.Module:
    """AllenNLP's biLM without carried state."""
    for module in theirs.modules():
        if isinstance(module, ElmoLstm):
            module.stateful = False
            module.register_forward_pre_hook(lambda lstm, inputs: lstm.reset_states())
    return theirs


def documented(name: str, files: Files, word: str = "elmo") -> Params:
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


def instances_and_model(config: Params) -> tuple[list[Instance], Model]:
    reader = DatasetReader.from_params(config["dataset_reader"])
    instances = list(reader.read(config["train_data_path"]))
    vocabulary = Vocabulary.from_instances(instances)
    for instance in instances:
        instance.index_fields(vocabulary)
    return instances, Model.from_params(config["model"], vocab=vocabulary).eval()


@pytest.mark.parametrize("name", NAMES)
def test_models_equal_those_with_allennlps_embedder(name: str, files: Files) -> None:
    configs = [documented(name, files, word) for word in ("elmo_token_embedder", "elmo")]
    for config in configs:
        # Statistics of a sentence here, of the whole batch there: not to be compared.
        elmo = config["model"]["text_field_embedder"]["token_embedders"]["elmo"]
        elmo["do_layer_norm"] = False
    (instances, theirs), (_, ours) = (instances_and_model(config) for config in configs)
    task = {k: v for k, v in theirs.state_dict().items() if "_elmo." not in k}
    loaded = ours.load_state_dict(task, strict=False)
    assert not loaded.unexpected_keys
    assert all("_elmo." in key for key in loaded.missing_keys)

    results = []
    for model in (stateless(theirs), ours):
        vectors: list[torch.Tensor] = []
        for module_name, module in model.named_modules():
            if module_name.endswith("token_embedder_elmo"):
                module.register_forward_hook(lambda m, i, output, kept=vectors: kept.append(output))
        with torch.no_grad():
            output = model(**Batch(instances).as_tensor_dict())
        results.append((vectors, output["loss"]))
    (expected_vectors, expected_loss), (vectors, loss) = results
    assert len(vectors) == len(expected_vectors) > 0
    for vector, expected in zip(vectors, expected_vectors):
        close(vector, expected)
    close(loss, expected_loss)


@pytest.mark.parametrize("name", NAMES)
def test_models_train_save_and_load(name: str, files: Files, tmp_path: Path) -> None:
    model = train_model(documented(name, files), tmp_path / "run", file_friendly_logging=True)
    (elmo,) = (m for m in model.modules() if isinstance(m, ElmoTokenEmbedder))
    assert_close(dict(elmo._elmo.bilm.state_dict()), dict(load_bilm(*files).state_dict()))
    assert elmo._elmo.scalar_mixes[0].scalar_parameters.any()  # they start from 0

    archive = load_archive(tmp_path / "run" / "model.tar.gz")
    instances = list(archive.dataset_reader.read(documented(name, files)["train_data_path"]))
    model, loaded = model.eval(), archive.model.eval()
    outputs = [sanitize(m.forward_on_instances(instances)) for m in (loaded, model)]
    # The model read its sentences in batches of the training, the loaded one all at once.
    found, expected = (dict(leaves(output)) for output in outputs)
    assert found.keys() == expected.keys()
    for path, value in expected.items():
        near = pytest.approx(value, rel=0, abs=1e-6) if isinstance(value, float) else value
        assert found[path] == near


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the path and value of every number and string in nested lists and dictionaries."""
    if isinstance(value, (dict, list)):
        children = value.items() if isinstance(value, dict) else enumerate(value)
        for key, child in children:
            yield from leaves(child, f"{path}.{key}")
    else:
        yield path, value


@pytest.mark.parametrize("arguments", [{}, {"scalar_mix_parameters": [0.5, -1.0, 2.0]}], ids=str)
def test_carried_state_equals_allennlps_default(files: Files, arguments: dict[str, Any]) -> None:
    ours = embedder(files, initial_state="carried", **arguments)
    theirs = embedder(files, "elmo_token_embedder", **arguments)
    for batch in (SENTENCES, SENTENCES[1:3], SENTENCES * 2, SENTENCES[:2]):
        ids = batch_to_ids(batch)
        close(ours(ids), theirs(ids))


def test_projection_equals_allennlp(files: Files) -> None:
    ours = embedder(files, projection_dim=5)
    theirs = stateless(embedder(files, "elmo_token_embedder", projection_dim=5))
    ours._projections[0].load_state_dict(theirs._projection.state_dict())
    ids = batch_to_ids(SENTENCES)
    assert ours.get_output_dim() == theirs.get_output_dim() == 5
    close(ours(ids), theirs(ids))


def test_vocab_to_cache_does_not_change_vectors(files: Files) -> None:
    words = ["the", "cat", "sat", "漢字"]
    ours = embedder(files, vocab_to_cache=["", *words])
    theirs = stateless(embedder(files, "elmo_token_embedder", vocab_to_cache=["", *words]))
    encoded: list[bytes] = []
    ours._elmo.bilm.token_encoder.register_forward_hook(
        lambda _, inputs, __: encoded.extend({row.numpy().tobytes() for row in inputs[0]})
    )
    ids, numbers = batch_to_ids([words]), torch.tensor([[1, 2, 3, 4]])
    close(ours(ids, numbers), theirs(ids, numbers))
    assert len(encoded) == 5 + 2  # the vocabulary; then the sentence's boundaries alone
    ours(batch_to_ids([["the", "new", "cat"]]))
    assert len(encoded) == len(set(encoded)) == 5 + 2 + 1


def test_vocab_to_cache_of_several_batches(files: Files) -> None:
    words = [f"word{i}" for i in range(3000)]
    ours = embedder(files, vocab_to_cache=words)
    encoded: list[int] = []
    ours(batch_to_ids([["first"]]))
    ours._elmo.bilm.token_encoder.register_forward_hook(
        lambda module, inputs, output: encoded.append(len(output))
    )
    ours(batch_to_ids([words[:50], words[-50:]]))
    assert encoded == []


def test_two_representations(files: Files) -> None:
    ours = embedder(files, num_output_representations=2)
    theirs = stateless(AllennlpElmo(str(files.options), str(files.weights), 2).eval())
    with torch.no_grad():
        for k in range(2):
            weights, gamma = torch.randn(3), torch.rand(1)
            mix, their_mix = ours._elmo.scalar_mixes[k], getattr(theirs, f"scalar_mix_{k}")
            mix.scalar_parameters.copy_(weights)
            mix.gamma.copy_(gamma)
            their_mix.gamma.copy_(gamma)
            for parameter, weight in zip(their_mix.scalar_parameters, weights):
                parameter.copy_(weight)
    ids = batch_to_ids(SENTENCES)
    expected = torch.cat(theirs(ids)["elmo_representations"], dim=-1)
    assert ours.get_output_dim() == expected.size(-1)
    close(ours(ids), expected)


def test_each_representation_has_its_projection(files: Files) -> None:
    both = embedder(files, num_output_representations=2, projection_dim=5)
    single = embedder(files)
    ids = batch_to_ids(SENTENCES)
    projected = [
        single(ids) @ projection.weight.T + projection.bias for projection in both._projections
    ]
    assert both.get_output_dim() == 10
    close(both(ids), torch.cat(projected, dim=-1))


@pytest.mark.parametrize("mix", ["last", "average", 0, 1])
def test_each_kind_of_mix(files: Files, mix: Any) -> None:
    ids = batch_to_ids(SENTENCES)
    layers = load_bilm(*files)(ids).layers
    expected = {"last": layers[2], "average": layers.mean(0), 0: layers[0], 1: layers[1]}[mix]
    close(embedder(files, mix=mix)(ids), expected)


def test_warm_state(tmp_path: Path) -> None:
    bilm = random_bilm()
    torch.nn.init.normal_(bilm.warm_hidden, std=0.1)
    torch.nn.init.normal_(bilm.warm_cell, std=0.1)
    files = save(bilm, tmp_path)
    ids = batch_to_ids(SENTENCES)
    warm = embedder(files, mix="last", initial_state="warm")(ids)
    close(warm, load_bilm(*files, initial_state="warm")(ids).layers[2])
    assert (warm - embedder(files, mix="last")(ids)).abs().max() > 0.01


@pytest.mark.parametrize("requires_grad", [False, True])
def test_bilm_is_frozen_by_default(files: Files, requires_grad: bool) -> None:
    ours = embedder(files, requires_grad=requires_grad, dropout=0.0).train()
    vectors = ours(batch_to_ids(SENTENCES))
    close(vectors, ours.eval()(batch_to_ids(SENTENCES)))  # no dropout inside the biLM
    vectors.square().sum().backward()
    trained = {name for name, p in ours.named_parameters() if p.grad is not None and p.grad.any()}
    mix = {"_elmo.scalar_mixes.0.gamma", "_elmo.scalar_mixes.0.scalar_parameters"}
    assert trained == ({name for name, _ in ours.named_parameters()} if requires_grad else mix)


def test_dropout_applies_to_the_representation(files: Files) -> None:
    ours = embedder(files, dropout=0.5)
    ids = batch_to_ids(SENTENCES[:1] * 50)
    kept = ours(ids)
    dropped = ours.train()(ids)
    zero = dropped == 0
    assert 0.45 < zero.float().mean() < 0.55
    close(dropped[~zero], 2 * kept[~zero])


def test_every_mix_has_its_own_regularizer(files: Files) -> None:
    class Tagger(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedder = embedder(files, num_output_representations=2)

    def penalty(*regexes: str) -> float:
        pairs = [[regex, {"type": "l2", "alpha": 0.1}] for regex in regexes]
        regularizer = RegularizerApplicator.from_params(Params({"regexes": pairs}))
        return float(regularizer(tagger).detach())

    tagger = Tagger()
    first, second = (mix.scalar_parameters for mix in tagger.embedder._elmo.scalar_mixes)
    torch.nn.init.constant_(first, 1.0)
    torch.nn.init.constant_(second, 2.0)
    assert penalty(".*scalar_parameters.*") == pytest.approx(0.1 * (3 * 1 + 3 * 4))
    assert penalty(r"scalar_mixes\.0\.scalar_parameters") == pytest.approx(0.1 * 3)
    assert penalty(r"scalar_mixes\.1\.scalar_parameters") == pytest.approx(0.1 * 3 * 4)


def test_wrapped_dimensions(files: Files) -> None:
    config = {"type": "elmo", "options_file": str(files[0]), "weight_file": str(files[1])}
    field = TextFieldEmbedder.from_params(Params({"token_embedders": {"elmo": config}})).eval()
    flat = batch_to_ids(SENTENCES)
    wrapped = flat.view(2, 3, *flat.shape[1:])
    expected = field({"elmo": {"elmo_tokens": flat}})
    vectors = field({"elmo": {"elmo_tokens": wrapped}}, num_wrapping_dims=1)
    close(vectors, expected.view(2, 3, *expected.shape[1:]))
    close(embedder(files)(wrapped), vectors)


@pytest.fixture
def served(files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(file_utils, "CACHE_DIRECTORY", str(tmp_path / "cache"))
    handler = partial(SimpleHTTPRequestHandler, directory=str(files.options.parent))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_files_at_a_url(files: Files, served: str) -> None:
    urls = Files(*(f"{served}/{path.name}" for path in files))  # type: ignore[arg-type]
    ids = batch_to_ids(SENTENCES)
    assert torch.equal(embedder(urls)(ids), embedder(files)(ids))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"weight_file": None},
            "options_file and weight_file: expected both, .*got .*json and None",
        ),
        ({"options_file": None}, "expected both, .*got None and .*hdf5"),
        ({"weight_file": "nowhere.hdf5"}, "weight_file nowhere.hdf5: .*--overrides"),
        ({"mix": "middle"}, "middle"),
        ({"mix": 3}, "from 0 to 2, got 3"),
        ({"initial_state": "cold"}, "zero, warm, carried, got 'cold'"),
        ({"initial_state": "warm"}, "expected a warm initial state"),
        ({"num_output_representations": 0}, "at least 1, got 0"),
        ({"scalar_mix_parameters": [1.0]}, "expected 3, one a layer, got 1"),
        ({"projection": 3}, "projection"),
    ],
    ids=str,
)
def test_invalid_arguments_raise(files: Files, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        embedder(files, **arguments)


def test_files_that_do_not_fit_raise(files: Files, tmp_path: Path) -> None:
    wider = BilmConfig(filters=SMALL.filters, character_dim=4, projection_dim=9, cell_dim=16)
    other = save(random_bilm(wider), tmp_path)
    with pytest.raises(ConfigurationError, match=r"CNN_proj/W_proj: expected shape \(28, 8\)"):
        embedder(Files(files.options, other.weights))


def test_another_max_characters_raises(files: Files) -> None:
    with pytest.raises(ConfigurationError, match=r"\(batch, tokens, 50\), got \(1, 2, 20\)"):
        embedder(files)(torch.ones(1, 2, 20, dtype=torch.long))


def test_missing_bilm_of_a_trained_model_raises(files: Files, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    shutil.copytree(files.options.parent, old)
    moved = Files(old / files.options.name, old / files.weights.name)
    train_model(documented("srl_elmo", moved), tmp_path / "run", file_friendly_logging=True)
    old.rename(new)
    archive = tmp_path / "run" / "model.tar.gz"
    with pytest.raises(ConfigurationError, match=r"options\.json.*--overrides"):
        load_archive(archive)
    elmo = "model.text_field_embedder.token_embedders.elmo."
    paths = {
        elmo + "options_file": str(new / files.options.name),
        elmo + "weight_file": str(new / files.weights.name),
    }
    load_archive(archive, overrides=paths)
