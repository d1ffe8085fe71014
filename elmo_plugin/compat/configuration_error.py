"""AllenNLP's error, which is imported when it is raised: patches are registered before AllenNLP."""


def configuration_error(message: str) -> Exception:
    """Make a `ConfigurationError` of AllenNLP."""
    from allennlp.common.checks import ConfigurationError

    return ConfigurationError(message)
