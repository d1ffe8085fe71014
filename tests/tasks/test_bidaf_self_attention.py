"""The question answering model against its equations in NumPy, without batches or padding."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.data import Batch, DatasetReader, Instance, Vocabulary
from allennlp.models import Model
from allennlp_models.rc.metrics import SquadEmAndF1
from torch.testing import assert_close

from elmo_plugin.tasks.answer_spans import best_spans

DATA = Path(__file__).parents[2] / "fixtures" / "squad" / "dev.json"
WORD, MERGED, HIDDEN = 5, 6, 4


@pytest.fixture(scope="module", autouse=True)
def plugins() -> None:
    import_plugins()


def reader() -> DatasetReader:
    return DatasetReader.from_params(Params({"type": "squad"}))


def passages(*pairs: tuple[str, str]) -> list[Instance]:
    return [reader().text_to_instance(question, passage) for question, passage in pairs]


TEXTS = passages(
    ("Who came ?", "Ruth came late , and then she left again ."),
    ("What did Ruth do then , and why ?", "She left ."),
    ("Why ?", "Late"),
)


def pass_through(dim: int) -> dict[str, Any]:
    return {"type": "pass_through", "input_dim": dim}


def gru(dim: int) -> dict[str, Any]:
    return {"type": "padded_gru", "input_size": dim, "hidden_size": HIDDEN}


ALIKE = {
    "phrase_layer": pass_through(WORD),
    "residual_encoder": pass_through(MERGED),
    "span_start_encoder": pass_through(MERGED),
    "span_end_encoder": pass_through(2 * MERGED),
}
RECURRENT = {
    "phrase_layer": gru(WORD),
    "residual_encoder": gru(MERGED),
    "span_start_encoder": gru(MERGED),
    "span_end_encoder": gru(MERGED + 2 * HIDDEN),
}


def model(instances: list[Instance], encoders: dict[str, Any], **arguments: Any) -> Any:
    vocabulary = Vocabulary.from_instances(instances)
    for instance in instances:
        instance.index_fields(vocabulary)
    embedder = {"token_embedders": {"tokens": {"type": "embedding", "embedding_dim": WORD}}}
    config = {"type": "bidaf_self_attention", "text_field_embedder": embedder}
    torch.manual_seed(0)
    params = Params(deepcopy(config | encoders | arguments))
    built = Model.from_params(params, vocab=vocabulary)
    for parameter in built.parameters():
        if parameter.dim() == 1:
            torch.nn.init.normal_(parameter)  # biases too
    return built.eval()


def run(model: Any, instances: list[Instance]) -> dict[str, Any]:
    return model(**Batch(instances).as_tensor_dict())


def softmax(scores: numpy.ndarray) -> numpy.ndarray:
    powers = numpy.exp(scores - scores.max())
    return powers / powers.sum()


def expected_scores(model: Any, instance: Instance) -> list[numpy.ndarray]:
    """The paper's equations, token by token, with encoders that return their input."""
    weights = {k: v.detach().double().numpy() for k, v in model.state_dict().items()}
    table = weights["_text_field_embedder.token_embedder_tokens.weight"]
    h, q = (
        table[[model.vocab.get_token_index(token.text) for token in instance[name].tokens]]
        for name in ("passage", "question")
    )

    def trilinear(name: str, x: numpy.ndarray, y: numpy.ndarray) -> numpy.ndarray:
        w1, w2, w3 = numpy.split(weights[f"{name}._weight_vector"], 3)
        bias = weights[f"{name}._bias"]
        return numpy.array([[w1 @ a + w2 @ b + w3 @ (a * b) + bias[0] for b in y] for a in x])

    def layer(name: str, x: numpy.ndarray) -> numpy.ndarray:
        return weights[f"{name}.weight"] @ x + weights[f"{name}.bias"]

    a = trilinear("_attention", h, q)
    c = [softmax(row) @ q for row in a]
    qc = softmax(a.max(1)) @ h
    g = [
        numpy.maximum(layer("_merge", numpy.concatenate([x, y, x * y, x * qc])), 0)
        for x, y in zip(h, c)
    ]
    s = trilinear("_self_attention", numpy.array(g), numpy.array(g))
    m = []
    for i, x in enumerate(g):
        others = [j for j in range(len(g)) if j != i]
        powers = numpy.exp(s[i, others])
        y = powers / (powers.sum() + numpy.exp(weights["_no_alignment"])) @ numpy.array(g)[others]
        m.append(x + numpy.maximum(layer("_self_merge", numpy.concatenate([x, y, x * y])), 0))
    return [
        numpy.array([layer("_span_start_predictor", x)[0] for x in m]),
        numpy.array([layer("_span_end_predictor", numpy.concatenate([x, x]))[0] for x in m]),
    ]


def test_scores_equal_the_equations() -> None:
    ours = model(TEXTS, ALIKE)
    output = run(ours, TEXTS)
    for row, instance in enumerate(TEXTS):
        length = len(instance["passage"])
        for name, scores in zip(("start", "end"), expected_scores(ours, instance)):
            found = output[f"span_{name}_logits"][row]
            assert_close(found[:length], torch.tensor(scores).float(), atol=1e-5, rtol=1e-5)
            assert (found[length:] < -1e30).all()


@pytest.mark.parametrize("encoders", [ALIKE, RECURRENT], ids=["pass_through", "gru"])
def test_outputs_do_not_depend_on_the_batch(encoders: dict[str, Any]) -> None:
    ours = model(TEXTS, encoders)
    together = run(ours, TEXTS)
    for row, instance in enumerate(TEXTS):
        alone, length = run(ours, [instance]), len(instance["passage"])
        for name in ("span_start_logits", "span_end_logits"):
            assert_close(together[name][row, :length], alone[name][0], atol=1e-5, rtol=1e-5)
        assert torch.equal(together["best_span"][row], alone["best_span"][0])


def test_end_depends_on_start() -> None:
    ours = model(TEXTS, RECURRENT)
    before = run(ours, TEXTS)["span_end_logits"]
    with torch.no_grad():
        for parameter in ours._span_start_encoder.parameters():
            parameter.mul_(2)
    assert not torch.allclose(run(ours, TEXTS)["span_end_logits"], before)


def test_loss_and_metrics() -> None:
    instances = list(reader().read(str(DATA)))[:6]
    ours = model(instances, RECURRENT)
    output = run(ours, instances)
    losses = []
    metric = SquadEmAndF1()
    for row, instance in enumerate(instances):
        length = len(instance["passage"])
        for name in ("start", "end"):
            scores = output[f"span_{name}_logits"][row, :length].detach().numpy()
            gold = instance[f"span_{name}"].sequence_index
            losses.append(-numpy.log(softmax(scores)[gold]))
        first, last = output["best_span"][row].tolist()
        tokens, passage = instance["passage"].tokens, instance["metadata"]["original_passage"]
        answer = passage[tokens[first].idx : tokens[last].idx + len(tokens[last].text)]
        assert output["best_span_str"][row] == answer
        metric(answer, instance["metadata"]["answer_texts"])
    assert output["loss"].item() == pytest.approx(sum(losses) / len(instances), rel=1e-5)
    assert ours.get_metrics(reset=True) == dict(zip(("em", "f1"), metric.get_metric()))
    assert ours.get_metrics() == {"em": 0, "f1": 0}


def test_all_parameters_have_gradients() -> None:
    instances = list(reader().read(str(DATA)))[:6]
    ours = model(instances, RECURRENT).train()
    run(ours, instances)["loss"].backward()
    for name, parameter in ours.named_parameters():
        # A softmax takes no notice of a bias.
        assert name == "_attention._bias" or parameter.grad.any(), name


def test_predictions_read_the_same_dropped_dimensions() -> None:
    """Start and end scores depend on the dimensions that are left, at all tokens."""
    ours = model(TEXTS, ALIKE, dropout=0.5).train()
    read: dict[str, torch.Tensor] = {}
    for name in ("start", "end"):
        encoder = getattr(ours, f"_span_{name}_encoder")
        encoder.register_forward_pre_hook(lambda _, args, name=name: read.update({name: args[0]}))
    run(ours, TEXTS)
    start, end = read["start"], read["end"]
    assert torch.equal(end[..., :MERGED], start)
    dropped = (start == 0).all(1)
    assert dropped.any() and not dropped.all()


def test_learns_a_batch() -> None:
    instances = list(reader().read(str(DATA)))[:3]
    ours = model(instances, RECURRENT, dropout=0.0).train()
    optimizer = torch.optim.Adam(ours.parameters(), lr=0.02)
    for _ in range(100):
        optimizer.zero_grad()
        run(ours, instances)["loss"].backward()
        optimizer.step()
    ours.get_metrics(reset=True)
    run(ours.eval(), instances)
    assert ours.get_metrics()["em"] == 1


@pytest.mark.parametrize("max_length", [1, 2, 3, 7, 20])
def test_best_spans(max_length: int) -> None:
    generator = numpy.random.default_rng(max_length)
    starts, ends = generator.normal(size=(2, 40, 7))
    found = best_spans(torch.tensor(starts), torch.tensor(ends), max_length).tolist()
    for s, e, span in zip(starts, ends, found):
        allowed = [(i, j) for i in range(7) for j in range(i, min(7, i + max_length))]
        assert tuple(span) == max(allowed, key=lambda ij: s[ij[0]] + e[ij[1]])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"phrase_layer": gru(WORD + 1)}, "phrase_layer input"),
        ({"span_start_encoder": gru(MERGED + 1)}, "span_start_encoder input"),
        ({"span_end_encoder": gru(MERGED)}, "span_end_encoder input"),
        ({"max_span_length": 0}, "max_span_length: expected at least 1, got 0"),
    ],
    ids=str,
)
def test_mismatched_dimensions_are_named(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        model(TEXTS, RECURRENT | arguments)
