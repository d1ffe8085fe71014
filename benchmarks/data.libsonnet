// Paths of the public datasets, relative to the repository's root:
// `--overrides "import 'benchmarks/data.libsonnet'"`.
{
  paths+:: {
    // Stanford Question Answering Dataset 1.1, https://rajpurkar.github.io/SQuAD-explorer/
    squad: {
      name: 'SQuAD 1.1, its development set halved',
      train: 'data/squad/train-v1.1.json',
      dev: 'data/squad/dev-v1.1.json',
      test: 'data/squad/test-v1.1.json',
    },
    // https://nlp.stanford.edu/projects/snli/; the development set alone, as tasks.sh splits it.
    snli: {
      name: 'SNLI, trained on its development set',
      train: 'runs/snli/train-all-but-2001.jsonl',
      dev: 'runs/snli/dev-2001.jsonl',
      test: 'data/snli/snli_1.0_test.jsonl',
    },
    // PropBank on the English Web Treebank, https://github.com/propbank/propbank-release with
    // https://github.com/UniversalDependencies/UD_English-EWT
    srl: {
      name: 'PropBank on the English Web Treebank',
      train: 'data/srl/train',
      dev: 'data/srl/dev',
      test: 'data/srl/test',
    },
    // LitBank, https://github.com/dbamman/litbank. Its novels are on Project Gutenberg; of the
    // ten of the test part, the text of the biLM and of the vectors has almost all of the excerpt of
    // The Fall of the House of Usher and 39 % of that of The Adventures of Tom Sawyer, see
    // results/text_overlap.md.
    coref: {
      name: 'LitBank without singletons (two of the ten test novels are partly in the biLM\'s text)',
      train: 'data/coref/train.gold_conll',
      dev: 'data/coref/dev.gold_conll',
      test: 'data/coref/test.gold_conll',
    },
    // WNUT 2017, https://github.com/leondz/emerging_entities_17
    ner: {
      name: 'WNUT 2017',
      train: 'data/ner/train.txt',
      dev: 'data/ner/dev.txt',
      test: 'data/ner/test.txt',
    },
    // Stanford Sentiment Treebank, https://nlp.stanford.edu/sentiment/
    sst5: {
      name: 'SST-5',
      train: 'data/sst/train.txt',
      dev: 'data/sst/dev.txt',
      test: 'data/sst/test.txt',
    },
    // Skip-gram vectors of the biLM's own training text: the x_k of baseline and ELMo alike.
    vectors: { file: 'data/vectors/vectors.books_wiki.100d.txt.gz', dim: 100 },
  },
}
