"""What AllenNLP's trainer lacks for language models: see each module."""
