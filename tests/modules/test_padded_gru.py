"""The Seq2SeqEncoder `padded_gru` against AllenNLP's `gru`."""

import torch
from allennlp.common import Params
from allennlp.common.plugins import import_plugins
from allennlp.modules import Seq2SeqEncoder
from torch.testing import assert_close

from elmo_plugin.modules.seq2seq_encoders.gru_recurrence import gru_recurrence

SIZES = {"input_size": 5, "hidden_size": 3}


def pair() -> tuple[Seq2SeqEncoder, Seq2SeqEncoder]:
    import_plugins()
    torch.manual_seed(0)
    ours = Seq2SeqEncoder.from_params(Params({"type": "padded_gru", **SIZES}))
    theirs = Seq2SeqEncoder.from_params(Params({"type": "gru", "bidirectional": True, **SIZES}))
    weights = {}
    for name, suffix in (("_forward_gru", ""), ("_backward_gru", "_reverse")):
        for key, value in ours.get_submodule(name).state_dict().items():
            weights[f"_module.{key}{suffix}"] = value
    theirs.load_state_dict(weights, strict=True)
    return ours, theirs


def test_values_and_gradients_equal_allennlp() -> None:
    ours, theirs = pair()
    inputs = torch.randn(4, 7, 5, requires_grad=True)
    lengths = torch.tensor([3, 7, 1, 5])
    mask = torch.arange(7) < lengths.unsqueeze(1)
    found, expected = ours(inputs, mask), theirs(inputs, mask)
    assert_close(found, expected)
    aims = torch.randn_like(found)
    assert_close(*(torch.autograd.grad((o * aims).sum(), inputs)[0] for o in (found, expected)))
    for output in (ours(inputs, mask), theirs(inputs, mask)):
        (output * aims).sum().backward()
    for key, parameter in ours.named_parameters():
        name = key.split(".")[1] + ("_reverse" if key.startswith("_backward") else "")
        assert_close(parameter.grad, theirs.get_parameter(f"_module.{name}").grad)


def test_without_a_mask_there_is_no_padding() -> None:
    ours, theirs = pair()
    inputs = torch.randn(2, 4, 5)
    mask = torch.ones(2, 4, dtype=torch.bool)
    assert torch.equal(ours(inputs), ours(inputs, mask))
    assert_close(ours(inputs), theirs(inputs, mask))


def test_autocast_trains_in_lower_precision() -> None:
    ours, _ = pair()
    inputs = torch.randn(2, 4, 5)
    mask = torch.ones(2, 4, dtype=torch.bool)
    gradients = []
    for enabled in (False, True):
        ours.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            found = ours(inputs, mask).sum()
        found.backward()
        gradients.append([parameter.grad.clone() for parameter in ours.parameters()])
    assert_close(*gradients, rtol=0.1, atol=0.05)


def test_padding_does_not_change_values() -> None:
    ours, _ = pair()
    inputs = torch.randn(1, 4, 5)
    padded = torch.cat([inputs, torch.full((1, 3, 5), 100.0)], dim=1)
    mask = torch.arange(7).unsqueeze(0) < 4
    found = ours(padded, mask)
    assert_close(found[:, :4], ours(inputs, mask[:, :4]))
    assert not found[:, 4:].any()


def test_no_tokens() -> None:
    ours, _ = pair()
    found = ours(torch.zeros(2, 0, 5), torch.zeros(2, 0).bool())
    assert found.shape == (2, 0, 6)
    found.sum().backward()
    assert not any(parameter.grad.any() for parameter in ours.parameters())


def test_recurrence_gradcheck() -> None:
    torch.manual_seed(0)
    gates, weight = torch.randn(4, 2, 3, 6), torch.randn(2, 6, 2)
    leaves = [t.double().requires_grad_() for t in (gates, weight, torch.randn(2, 6))]
    assert torch.autograd.gradcheck(gru_recurrence, leaves)


def test_dimensions() -> None:
    for encoder in pair():
        assert (encoder.get_input_dim(), encoder.get_output_dim()) == (5, 6)
        assert encoder.is_bidirectional()
