"""Which words of an English sentence are its predicates: a rule that needs no tagger."""

_COMMON = """
am are be been being is was were 's 're 'm have has had having 've do does did done doing became
become becomes began begin begins begun bought bring brings brought build builds built buy buys
came caught chose come comes cost cut drew drink drinks drive drives drove eat eats fall falls
feel feels fell felt find finds flew fly found gave get gets give given gives go goes gone got
grew grow grows hear heard held help helps hit hold holds keep keeps kept knew know known knows
lay leave leaves led left let lets lie lies like likes live lives look looks lose loses lost
love loves made make makes mean means meant meet meets met need needs paid pay pays put puts ran
read reads run runs said sang sat saw say says see seen sees sell sells send sends sent set sets
shook shot show shown shows sing sings sit sits slept sleep sleeps sold spent spoke stand stands
stood stole swam take taken takes talk talks taught teach teaches tell tells think thinks
thought threw told took turn turns understand understood use uses want wants went win wins woke
won work works write writes written wrote"""
_NOUN_FOLLOWS = "a an the this these those my your his her its our their no some any every each"
_SHORTEST_STEM = 3


def find_predicates(words: list[str]) -> list[int]:
    """
    The numbers of the words that are a form of a common verb, or end in -ed or -ing after three
    letters or more; but not right after an article or the like, and not if written as a name.
    """
    return [
        i
        for i, word in enumerate(words)
        if _is_verb_form(word.lower() if i == 0 else word)
        and not (i > 0 and words[i - 1].lower() in _NOUN_FOLLOWS.split())
    ]


def _is_verb_form(word: str) -> bool:
    stem = word.removesuffix("ed").removesuffix("ing")
    inflected = word != stem and len(stem) >= _SHORTEST_STEM and word.isalpha() and word.islower()
    return word in _COMMON.split() or inflected
