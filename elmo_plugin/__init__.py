"""ELMo and its bidirectional language model for AllenNLP."""
