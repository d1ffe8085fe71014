// CoVe beside the word vectors that it reads, [x_k; CoVe_k] (McCann et al. 2017). `cove` has
// parameters of the embedder "cove", such as the weight_file of the published weights, which read
// vectors of 300 dimensions; random weights if it is empty, no CoVe if it is null.
function(cove, words) {
  dim: if cove == null then 0 else 2 * 300,
  dims: if cove == null then {} else { cove: $.dim },
  indexers: if cove == null then {} else { cove: words.indexer },
  embedders: if cove == null then {} else {
    cove: { type: 'cove', embedding: words.embedder(trainable=false) } + cove,
  },
  penalties(lambda): if cove == null || std.get(cove, 'mix') != 'weighted' then [] else [
    ['token_embedder_cove._scalar_mix.scalar_parameters', { type: 'l2', alpha: lambda }],
  ],
}
