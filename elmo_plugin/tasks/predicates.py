"""Finds the predicates of an English sentence by rules, without a tagger."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COMMON_VERBS = _words("""
'm 're 've am appears are ask asks be beat beaten became become becomes been began begin begins
begun being believe believes bit bitten blew blown born bought bring brings broke broken brought
build builds built buy buys call calls came caught chose chosen come comes cost cut dealt
depends did died dies do does doing done drew drink drinks drive driven drives drove drunk eat
eaten eats enjoy fall fallen falls feel feels fell felt find finds flew fly follows forgot
forgotten fought found gave get gets give given gives go goes gone got gotten grew grow grows
had happen happens has have having hear heard held help helps hid hidden hit hold holds hope
hopes hung hurt includes is keep keeps kept knew know known knows lay leave leaves led left let
lets lie lies like likes live lives look looks lose loses lost love loves made make makes mean
means meant meet meets met need needs paid pay pays put puts ran read reads recommend remains
remember ridden risen rode rose run runs said sang sat saw say says see seem seems seen sees
sell sells send sends sent set sets shaken shook shot show shown shows shut sing sings sit sits
sleep sleeps slept slid sold sought spent spoke spread stand stands stole stolen stood stop
stops struck sung swam swept swum take taken takes talk talks taught teach teaches tell tells
thank think thinks thought threw thrown told took torn tries try turn turns understand
understood use uses want wants was went were win wins woke won wore work works worn wound write
writes written wrote""")
_BEFORE_VERBS = _words("to can could may might must shall should will would 'd 'll ca wo")
_DETERMINERS = _words(
    "a an the this these those my your his her its our their no some any every each"
)
_PRONOUNS = _words("i you he she it we they me him us them that what which who where when not n't")
_ADVERBS = _words("also never just still only always even all ever then there")
_NEVER_VERBS = _DETERMINERS | _PRONOUNS | _ADVERBS
_NEVER_VERBS_IN_ING = _words(
    "thing something anything everything nothing during morning evening spring according"
)
_MIN_STEM = 3


def find_predicates(words: list[str]) -> list[int]:
    """
    Find forms of common verbs, words that end in -ed or -ing after at least three letters, and
    words right after `to` or a modal verb; except for words right after a determiner, and
    capitalized words that do not begin the sentence.

    # Returns

    `List[int]` : positions of the predicates, counted from 0.
    """
    before = ["", *(word.lower() for word in words)]
    return [
        i
        for i, word in enumerate(words)
        if _is_verb(word.lower() if i == 0 else word, before[i]) and before[i] not in _DETERMINERS
    ]


def _is_verb(word: str, before: str) -> bool:
    if word in _COMMON_VERBS:
        return True
    if not (word.isalpha() and word.islower()) or word in _NEVER_VERBS:
        return False
    stem = word.removesuffix("ed" if word.endswith("ed") else "ing")
    inflected = word != stem and len(stem) >= _MIN_STEM and word not in _NEVER_VERBS_IN_ING
    return inflected or before in _BEFORE_VERBS
