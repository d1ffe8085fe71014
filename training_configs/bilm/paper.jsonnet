// The published biLM (Peters et al. 2018, section 3.4; its training as in Jozefowicz et al. 2016
// and bilm-tf): filters 32x1 32x2 64x3 128x4 256x5 512x6 1024x7, two highways, two layers of 4096
// with projections of 512, 8192 samples per direction and GPU, Adagrad at 0.2, ten epochs, in
// float32 on three GPUs with 128 streams each. For a corpus of a billion words. On one GPU:
// `{ distributed:: null, data_loader+: { batch_size: 384 } }`, where all streams share the samples of
// a direction; on recent GPUs,
// `{ model+: { precision: 'bfloat16' } }` is faster. An epoch here includes sentence ends; for
// bilm-tf's epoch, 768,648,884 words, set `data_loader+: { batches_per_epoch: 100084 }`.
local bilm = import '../lib/bilm.libsonnet';

bilm({ samples_per_direction: true }, min_count=3) {
  distributed: { cuda_devices: [0, 1, 2] },
}
