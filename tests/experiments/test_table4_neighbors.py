"""Parts of the table of nearest neighbors."""

from elmo_plugin.experiments.table4_neighbors import in_context


def test_long_sentences_are_shortened_around_the_word() -> None:
    words = [str(i) for i in range(100)]
    shown = in_context(words, 50).split()
    assert shown[0] == shown[-1] == "…"
    assert shown[1:-1] == [*words[38:50], "**50**", *words[51:63]]
