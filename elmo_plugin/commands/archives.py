"""Trained biLMs as the commands read them."""

from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import Archive, load_archive

from elmo_plugin.models.bilm import BilmModel


def load_bilm_archive(path: str) -> tuple[BilmModel, Archive]:
    """
    The biLM of a model.tar.gz or of the directory that it was trained in.

    # Raises

    `ConfigurationError` : the model is of another type.
    """
    archive = load_archive(path)
    if not isinstance(archive.model, BilmModel):
        raise ConfigurationError(
            f"{path}: expected a model of type bilm, found {type(archive.model).__name__}"
        )
    return archive.model, archive
