"""What AllenNLP 2.10.1 needs on today's stack: one short patch for each reason.

Where the reason does not hold, such as with torchvision installed, a patch changes nothing.
"""

import importlib.util
import inspect
import logging
import sys
import tarfile
import warnings
from collections.abc import Callable, Iterator
from functools import partial, wraps
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy

from elmo_plugin.compat.patching import PATCHES, around, patched, standing_in

__all__ = ["PATCHES", "patched"]

logger = logging.getLogger(__name__)


@around("allennlp.common.plugins")
def find_this_plugin(module: Any) -> Iterator[None]:
    """AllenNLP loads plugins that it knows by name wherever they are installed, with no flag."""
    yield
    module.DEFAULT_PLUGINS += ("elmo_plugin",)


@around(
    "allennlp.data.image_loader",
    "allennlp.modules.vision.grid_embedder",
    "allennlp.modules.vision.region_detector",
)
def do_without_torchvision(module: Any) -> Iterator[None]:
    """AllenNLP imports torchvision for images alone, and each torchvision fits just one torch.

    Seen by these three modules only: others, such as transformers, look for it to learn whether
    they have it.
    """
    if importlib.util.find_spec("torchvision") is not None:
        yield
        return

    def missing(name: str) -> Any:
        raise AttributeError(f"torchvision.{name} was asked for: please install torchvision")

    stub = ModuleType("torchvision")
    stub.__dict__.update(ops=stub, boxes=stub, __getattr__=missing)
    names = ("torchvision", "torchvision.ops", "torchvision.ops.boxes")
    with standing_in(**dict.fromkeys(names, stub)):
        yield


@around("allennlp.common.file_utils")
def import_google_quietly(module: Any) -> Iterator[None]:
    """Imported to read gs:// paths, Google's client warns of Pythons that it is about to drop."""
    warnings.filterwarnings("ignore", "You are using a .*Python version", FutureWarning, "google")
    yield


@around("allennlp_models.rc.tools.narrativeqa")
def import_without_downloading(module: Any) -> Iterator[None]:
    """The module downloads NLTK data when imported, though only NarrativeQA's scores need it.

    Without the data, those scores fail with NLTK's own account of how to get it. The module also
    imports py-rouge, which asks setuptools, for a part of it that newer ones lack, where its files
    are.
    """
    import nltk

    pkg_resources = ModuleType("pkg_resources")
    pkg_resources.resource_filename = _beside  # type: ignore[attr-defined]
    download, nltk.download = nltk.download, lambda *args, **kwargs: False
    try:
        with standing_in(pkg_resources=pkg_resources):
            yield
    finally:
        nltk.download = download


def _beside(module_name: str, file_name: str) -> str:
    return str(Path(str(sys.modules[module_name].__file__)).with_name(file_name))


@around("allennlp.common.util")
def tokenize_without_a_spacy_model(module: Any) -> Iterator[None]:
    """AllenNLP downloads a missing spaCy model; no package index carries them.

    The language's rules split words just as the model would. Tags need the model itself.
    """
    yield
    original = module.get_spacy_model

    @wraps(original)
    def get_spacy_model(
        spacy_model_name: str, pos_tags: bool = True, parse: bool = False, ner: bool = False
    ) -> Any:
        options = (spacy_model_name, pos_tags, parse, ner)
        if options not in module.LOADED_SPACY_MODELS and _is_missing(spacy_model_name):
            module.LOADED_SPACY_MODELS[options] = _blank_spacy_model(spacy_model_name, parse)
        return original(*options)

    module.get_spacy_model = get_spacy_model


def _is_missing(spacy_model_name: str) -> bool:
    import spacy

    named_like_a_model = spacy_model_name.count("_") == 3
    exists = spacy.util.is_package(spacy_model_name) or Path(spacy_model_name).exists()
    return named_like_a_model and not exists


def _blank_spacy_model(spacy_model_name: str, sentences: bool) -> Any:
    import spacy

    language = spacy_model_name.split("_")[0]
    logger.info(
        "The spaCy model %s is not installed: words are split by spaCy's rules for '%s', untagged",
        spacy_model_name,
        language,
    )
    model = spacy.blank(language)
    if sentences:
        model.add_pipe("sentencizer")
    return model


@around("allennlp_models.structured_prediction.predictors.srl")
def look_for_verbs_by_tags(module: Any) -> Iterator[None]:
    """Without tags, this predictor would find no verb in any sentence and say nothing of it."""
    yield
    from allennlp.common.checks import ConfigurationError

    predictor = module.SemanticRoleLabelerPredictor
    original = predictor.tokens_to_instances

    @wraps(original)
    def tokens_to_instances(self: Any, tokens: list[Any]) -> Any:
        if tokens and not any(token.pos_ for token in tokens):
            raise ConfigurationError(
                "the tokens are untagged, and verbs are found by their tags: install the spaCy "
                "model that the predictor's 'language' names, by default en_core_web_sm"
            )
        return original(self, tokens)

    predictor.tokens_to_instances = tokens_to_instances


@around("allennlp.data.dataset_readers.dataset_reader")
def name_files_that_cannot_be_read(module: Any) -> Iterator[None]:
    """A file in another format ends in an error that names neither the file nor the place in it,
    or in none at all: some readers find nothing in it, and training goes on to fail elsewhere."""
    yield
    from allennlp.common.checks import ConfigurationError

    original = module.DatasetReader.read

    @wraps(original)
    def read(self: Any, file_path: Any) -> Iterator[Any]:
        number = 0
        try:
            for instance in original(self, file_path):
                number += 1
                yield instance
        except (ValueError, LookupError) as error:
            raise ConfigurationError(
                f"{file_path}: {type(self).__name__} read {number} instances and then failed, is "
                f"this its format? {type(error).__name__}: {error}"
            ) from error
        # A worker may have no part of a small file.
        if number == 0 and self.get_worker_info() is None and self.get_distributed_info() is None:
            raise ConfigurationError(
                f"{file_path}: {type(self).__name__} found no instance in it, is this its format?"
            )

    module.DatasetReader.read = read


@around("allennlp_models.structured_prediction.models.srl")
def predict_roles_without_a_tagger(module: Any) -> Iterator[None]:
    """`allennlp predict` asks the model which predictor to use, and the one above needs a tagger.

    That one is still there for `--predictor semantic_role_labeling`.
    """
    yield
    module.SemanticRoleLabeler.default_predictor = "elmo_plugin.tasks.srl.ElmoSrlPredictor"


@around("allennlp_models.tagging.models.crf_tagger")
def predict_tags_of_tokens_too(module: Any) -> Iterator[None]:
    """Text that is split already would have to be joined, and be split again otherwise."""
    yield
    module.CrfTagger.default_predictor = "elmo_plugin.tasks.ner.ElmoTaggerPredictor"


@around("allennlp")
def load_weights_only(module: Any) -> Iterator[None]:
    """AllenNLP leaves it to torch whether a file may run code as it is loaded; until 2.6, it may.

    Its own calls of `torch.load` are made to say no; those of other packages are not touched.
    """
    yield
    import torch

    # Until 2.2, torch warned of its own storages as it loaded weights only.
    warnings.filterwarnings("ignore", "TypedStorage is deprecated", UserWarning)
    original = torch.load

    @wraps(original)
    def load(*args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller.startswith(("allennlp.", "allennlp_models.")):
            kwargs.setdefault("weights_only", True)
        return original(*args, **kwargs)

    torch.load = load


@around("allennlp.models.archival")
def extract_archives_in_their_place(module: Any) -> Iterator[None]:
    """Until Python 3.14, an archive may write files outside the directory it is extracted to."""
    yield
    if hasattr(tarfile, "data_filter"):
        inside = {"extraction_filter": staticmethod(tarfile.data_filter)}
        module.tarfile = type("TarFile", (tarfile.TarFile,), inside)


@around("allennlp.training.gradient_descent_trainer")
def save_plain_training_states(module: Any) -> Iterator[None]:
    """Metrics, and the learning rates of `cosine`, may be NumPy's numbers, which torch will save
    but, loading weights only, not load: then no training could be resumed."""
    yield
    trainer = module.GradientDescentTrainer
    original = trainer.get_checkpoint_state

    @wraps(original)
    def get_checkpoint_state(self: Any) -> Any:
        state = original(self)
        return state and state._replace(trainer_state=_plain(state.trainer_state))

    trainer.get_checkpoint_state = get_checkpoint_state


def _plain(state: Any) -> Any:
    if isinstance(state, dict):
        return {key: _plain(value) for key, value in state.items()}
    if isinstance(state, list):
        return [_plain(value) for value in state]
    return state.item() if isinstance(state, numpy.generic) else state


# Warnings of what AllenNLP does itself, whatever the configuration: a resumed training saves the
# vocabulary, built anew, where it was; a distributed one tells its trainer its rank twice, and
# reports its progress.
EXPECTED_WARNINGS = {
    "allennlp.data.vocabulary": "vocabulary serialization directory",
    "allennlp.common.from_params": "Parameter local_rank for class",
    "allennlp.training.gradient_descent_trainer": "completed its entire epoch",
}


@around(*EXPECTED_WARNINGS)
def leave_out_expected_warnings(module: Any) -> Iterator[None]:
    """A warning should mean that there is something to do."""
    yield
    expected = EXPECTED_WARNINGS[module.__name__]
    module.logger.addFilter(lambda record: expected not in str(record.msg))


@around("allennlp.training.learning_rate_schedulers.pytorch_lr_schedulers")
def reduce_on_plateau_quietly(module: Any) -> Iterator[None]:
    """AllenNLP always passes `verbose`, which torch warns of from 2.2 on and lacks from 2.7 on."""
    yield
    scheduler = module.torch.optim.lr_scheduler.ReduceLROnPlateau
    verbose = inspect.signature(scheduler).parameters.get("verbose")
    if verbose is not None and verbose.default is False:
        return
    original = scheduler.__init__

    @wraps(original)
    def __init__(self: Any, *args: Any, verbose: bool = False, **kwargs: Any) -> None:
        original(self, *args, **kwargs)

    scheduler.__init__ = __init__


@around("allennlp")
def clip_sparse_gradients(module: Any) -> Iterator[None]:
    """torch's clipping, since it was fused, fails on the sparse gradients of sparse embeddings."""
    yield
    from torch.nn import utils

    utils.clip_grad_norm_ = over_stored_values(utils.clip_grad_norm_)
    utils.clip_grad_value_ = over_stored_values(utils.clip_grad_value_)


def over_stored_values(clip: Callable[..., Any]) -> Callable[..., Any]:
    """Has `clip` see, for a sparse gradient, its stored values: same norm, same memory."""
    import torch

    @wraps(clip)
    def clip_stored_values(parameters: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(parameters, torch.Tensor):
            parameters = [parameters]
        return clip([_with_dense_gradient(p) for p in parameters], *args, **kwargs)

    return clip_stored_values


def _with_dense_gradient(parameter: Any) -> Any:
    if parameter.grad is None or not parameter.grad.is_sparse:
        return parameter
    # Coalesced, so that no element is a sum of several stored values.
    parameter.grad = parameter.grad.coalesce()
    stand_in = parameter.new_empty(parameter.grad.values().shape)
    stand_in.grad = parameter.grad.values()
    return stand_in


@around("allennlp.training.gradient_descent_trainer", "allennlp.nn.parallel.ddp_accelerator")
def name_the_device_of_amp(module: Any) -> Iterator[None]:
    """torch.cuda.amp warns, at every batch, that it has moved to torch.amp."""
    yield
    from torch import amp

    if hasattr(amp, "GradScaler"):
        module.amp = SimpleNamespace(
            autocast=lambda enabled: amp.autocast("cuda", enabled=enabled),
            GradScaler=partial(amp.GradScaler, "cuda"),
        )


@around("allennlp.training.moving_average")
def go_on_averaging_when_resumed(module: Any) -> Iterator[None]:
    """AllenNLP goes on with the stored copies of the weights in place of those that are trained, so
    that, from there on, neither the averages change nor does the model get them."""
    yield

    def load_state_dict(self: Any, state: dict[str, Any]) -> None:
        for name, parameter in self._parameters:
            self._shadows[name] = state["shadows"][name].to(parameter.device)
            self._backups[name] = state["backups"][name].to(parameter.device)

    module.MovingAverage.load_state_dict = load_state_dict
