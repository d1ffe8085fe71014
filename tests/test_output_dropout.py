"""ELMo at the output of a task's encoder is dropped out once, at the task's rate."""

import json
from pathlib import Path
from typing import Any

import _jsonnet
import pytest
import torch
from allennlp.common import Params
from allennlp.common.plugins import import_plugins
from allennlp.data import Batch, DatasetReader, Vocabulary
from allennlp.models import Model

from elmo_plugin.modules.seq2seq_encoders.elmo_output import ElmoOutputEncoder

ROOT = Path(__file__).parents[1]
BILM = {
    "options_file": "fixtures/bilm/options.json",
    "weight_file": "fixtures/bilm/weights.hdf5",
    "dim": 64,
}
RATES = {"squad": 0.5, "snli": 0.5, "srl": 0.1, "coref": 0.5, "ner": 0.5}


@pytest.mark.parametrize("task", RATES)
def test_slice_is_dropped_out_once(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    import_plugins()
    snippet = (
        f"(import 'training_configs/{task}/elmo_both.jsonnet') "
        f"{{ sizes+:: {{ hidden: 8 }}, paths+:: {{ bilm: {json.dumps(BILM)} }} }}"
    )
    config: dict[str, Any] = json.loads(_jsonnet.evaluate_snippet("test", snippet))
    reader = DatasetReader.from_params(Params(config["dataset_reader"]))
    instances = list(reader.read(config["validation_data_path"]))[:2]
    model = Model.from_params(Params(config["model"]), vocab=Vocabulary.from_instances(instances))
    (encoder,) = (m for m in model.modules() if isinstance(m, ElmoOutputEncoder))
    slices: list[torch.Tensor] = []
    encoder.register_forward_hook(lambda _, inputs, output: slices.append(output[..., -64:]))
    batch = Batch(instances)
    batch.index_instances(model.vocab)
    torch.manual_seed(0)
    for training in (False, True):
        model.train(training)(**batch.as_tensor_dict())
    whole, dropped = slices[0].detach(), slices[len(slices) // 2].detach()
    kept = dropped[whole != 0] != 0
    rate = RATES[task]
    assert kept.float().mean() == pytest.approx(1 - rate, abs=0.1)
    ratios = (dropped[whole != 0] / whole[whole != 0])[kept]
    torch.testing.assert_close(ratios, torch.full_like(ratios, 1 / (1 - rate)))
