// The published biLM (Peters et al. 2018, section 3.4; its training as in Jozefowicz et al. 2016
// and bilm-tf): filters 32x1 32x2 64x3 128x4 256x5 512x6 1024x7, two highways, two layers of 4096
// with projections of 512, 8192 samples, Adagrad at 0.2, ten epochs. For a corpus of a billion
// words. For several GPUs with 128 streams each, add `distributed: { cuda_devices: [0, 1, 2] }`.
local bilm = import '../lib/bilm.libsonnet';

bilm({}, min_count=3) {
  model+: { precision: 'bfloat16' },
}
