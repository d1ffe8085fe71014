"""Contents of small text files."""

from __future__ import annotations

import json

_WORDS = (
    *("1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_", "2\tcat\tcat\tNOUN\tNN\t_\t3\tnsubj\t_\t_"),
    *(
        "3\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t_\tSpaceAfter=No",
        "4\t.\t.\tPUNCT\t.\t_\t3\tp\t_\t_",
    ),
)
_SENSE = {"start": 1, "end": 2, "lemma": "play", "pos": "n", "sense": "play%1:10:01::"}
TEXTS = {
    "words.conllu": "# sent_id = 1\n" + "\n".join(_WORDS) + "\n\n" + "\n".join(_WORDS) + "\n\n",
    "labels.txt": "DET NOUN VERB PUNCT\nDET NOUN PUNCT\n",
    "labelled.txt": "The cat sleeps .\nThe play .\n",
    "senses.jsonl": "".join(
        json.dumps({"tokens": ["the", "play", "ends"], "senses": senses}) + "\n"
        for senses in ([_SENSE], [], [{**_SENSE, "sense": "play%1:04:01::"}])
    ),
    "index.sense": "play%1:10:01:: 07007945 1 6\nplay%2:33:00:: 01072949 1 57\n",
    "table.json": json.dumps(
        {
            **{"title": "A table", "paper": "Table 2", "digits": 2, "columns": ["name", "F1"]},
            "rows": [
                {"name": "baseline", "F1": 1.5},
                {"name": "ELMo", "F1": {"mean": 2.0, "sd": 1.0, "values": [1.0, 3.0]}},
            ],
            "metadata": {"Command": "`elmo layers`", "Seeds": [1, 2]},
        }
    ),
}
