// Coreference: the end-to-end span model of Lee et al. 2017 ("End-to-end neural coreference
// resolution"), the baseline of "Deep contextualized word representations" (Peters et al. 2018),
// Table 1 (OntoNotes test average F1 67.2, 70.4 with ELMo) and section A.6. Published, there or
// in kentonl/e2e-coref: biLSTM of 200 units per direction, feedforward layers 2 x 150, character
// CNN of 50 filters each of widths 3, 4 and 5 over 8 dimensions, features of 20 dimensions, spans
// of up to 10 words, 0.4 spans per word, 250 antecedents, fixed vectors of words as written,
// dropout 0.5 on them and 0.2 in the feedforward layers and after the biLSTM, training documents of
// at most 50 sentences, Adam at 0.001, gradient norm 5, one document per batch, 150 epochs, early
// stopping; ELMo at the input of the biLSTM, not in the head word's vector, with dropout 0.5,
// lambda 0 (elmo.jsonnet). The biLM reads one sentence at a time.
// Not as published, but as AllenNLP's model and reader are:
// - The biLSTM reads the whole document at once and has no dropout inside, nor have the features.
//   Dropout after it is the same for all tokens. Its input and forget gates are separate
//   (published: coupled), and it starts from zero (published: from a learned state).
// - Of a long document, the first sentences are kept (published: others in each epoch).
// - The rate is halved on a plateau (published: decayed by 0.1% every 100 steps). Early stopping
//   has a patience of ten epochs.
// - Weights are initialized by Glorot's and by orthogonal matrices.
// - There is no second set of word vectors. Word vectors are not normalized, and those of unknown
//   words are random, not zero.
// - Spans that cross one of higher score are kept.
// - A word's weight in its span's head is computed from its vector (published: from the biLSTM's
//   output).
// - Each word's characters are between start and end markers, so that words shorter than a filter
//   have features.
// Speaker and genre, of which LitBank has neither, are features in published.jsonnet alone.
// Clusters of one mention are removed; OntoNotes has none.
local coref = import '../lib/coref.libsonnet';

coref(elmo_input=false, elmo_output=false)
