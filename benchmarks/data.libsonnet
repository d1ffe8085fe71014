// Paths of the public data sets, relative to the repository's root:
// `--overrides "import 'benchmarks/data.libsonnet'"`.
{
  paths+:: {
    // Stanford Question Answering Dataset 1.1, https://rajpurkar.github.io/SQuAD-explorer/
    squad: { train: 'data/squad/train-v1.1.json', dev: 'data/squad/dev-v1.1.json' },
    // https://nlp.stanford.edu/projects/snli/; the development part alone, as tasks.sh splits it.
    // (The biLM is fine-tuned on https://github.com/acmi-lab/counterfactually-augmented-data.)
    snli: { train: 'runs/snli/train.jsonl', dev: 'runs/snli/dev.jsonl' },
    // PropBank on the English Web Treebank, https://github.com/propbank/propbank-release with
    // https://github.com/UniversalDependencies/UD_English-EWT
    srl: { train: 'data/srl/train', dev: 'data/srl/dev' },
    // LitBank, https://github.com/dbamman/litbank
    coref: { train: 'data/coref/train.gold_conll', dev: 'data/coref/dev.gold_conll' },
    // WNUT 2017, https://github.com/leondz/emerging_entities_17
    ner: { train: 'data/ner/train.txt', dev: 'data/ner/dev.txt' },
    // Stanford Sentiment Treebank, https://nlp.stanford.edu/sentiment/
    sst5: { train: 'data/sst/train.txt', dev: 'data/sst/dev.txt' },
    // Skip-gram vectors of the biLM's own training text: the x_k of baseline and ELMo alike.
    vectors: { file: 'data/vectors/vectors.100d.txt.gz', dim: 100 },
  },
}
