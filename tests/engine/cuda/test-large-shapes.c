/* test-large-shapes.c — operators on shapes that need several tiles or several partial sums, which the
 * small samples of the operators do not, and powers of more than 64 bits, against the processor.
 *
 * meson.build runs it in three orders of threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/ops/op-device.h"
#include "tests/engine/ops/op-write.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "transpose", "matrix", NULL, { "f32[70,45]" } },
  { "transpose", "three axes", "axes=(2, 0, 1)", { "f32[3,33,40]" } },
  { "transpose", "first axis stays", "axes=(0, 2, 1)", { "f32[3,34,9]" } },
  { "transpose", "more tiles than blocks", "axes=(0, 2, 1)", { "u8[300,8,9]" } },
  { "transpose", "bytes", NULL, { "u8[40,35]" } },
  { "transpose", "long integers", NULL, { "i64[40,35]" } },
  { "SwapAxis", "around an axis", "dim1=0 dim2=2", { "f32[35,2,34]" } },
  { "stack", "columns", "num_args=2 axis=1", { "f32[600]", "f32[600]" } },
  { "tile", "many copies", "reps=(70, 1)", { "f32[1,3]" } },
  { "repeat", "many copies", "repeats=70 axis=0", { "f32[2,3]" } },
  { "repeat", "many copies of columns", "repeats=130 axis=1", { "f32[2,1]" } },
  { "broadcast_to", "rows", "shape=(90, 70)", { "f32[1,70]" } },
  { "broadcast_to", "columns", "shape=(70, 90)", { "f32[70,1]" } },
  { "broadcast_to", "one number", "shape=(70, 90)", { "f32[1,1]" } },
  { "broadcast_to", "outer axes", "shape=(40, 3, 40)", { "f32[1,3,1]" } },
  { "sum", "all of them", NULL, { "f32[70,45]" } },
  { "mean", "rows", "axis=1", { "f32[3,700]" } },
  { "mean", "columns", "axis=0 keepdims=True", { "f32[700,3]" } },
  { "mean", "all but the middle axis", "axis=1 exclude=True", { "f32[40,3,40]" } },
  { "max", "all of them", NULL, { "f32[70,45]" } },
  { "min", "columns", "axis=0", { "i32[700,3]" } },
  { "prod", "rows", "axis=1", { "f32[3,700]" } },
  { "nansum", "rows", "axis=1", { "f32[3,700]" } },
  { "norm", "rows", "axis=1", { "f32[3,700]" } },
  { "moments", "rows and columns", "axes=(0,2)", { "f32[40,3,40]" } },
  { "argmax", "rows", "axis=1", { "f32[3,700]" } },
  { "argmin", "columns", "axis=0", { "f64[700,3]" } },
  { "argmax", "equal elements", NULL, { "f32[900] = 0,2,1,2" } },
  { "sort", "the longest line", NULL, { "f32[4096]" } },
  { "argsort", "more than the processor inserts", "axis=0", { "f32[100,3]" } },
  { "topk", "more than the processor inserts", "k=40 ret_typ=both", { "f32[3,70]" } },
  { "LeakyReLU", "slope a channel", "act_type=prelu", { "f32[8,3,40]", "f32[3]" } },
  { "LeakyReLU", "one slope", "act_type=prelu", { "f32[40,50]", "f32[1]" } },
  { "softmax", "long rows", NULL, { "f32[3,700]" } },
  { "softmax", "many short rows", NULL, { "f32[700,3]" } },
  { "log_softmax", "columns", "axis=0", { "f32[700,3]" } },
  { "log_softmax", "more rows than a block", "axis=1", { "f32[3,9,100]" } },
  { "softmax", "lengths", "use_length=True", { "f32[3,300]", "i32[3] = 0,300,7" } },
  { "SoftmaxOutput",
    "valid labels",
    "use_ignore=True ignore_label=2 normalization=valid",
    { "f32[600,5]", "f32[600] 0..4" } },
  { "softmax_cross_entropy", "many rows", NULL, { "f32[600,5]", "f32[600] 0..4" } },
  { "LayerNorm", "long rows", NULL, { "f32[5,700]", "f32[700]", "f32[700]" } },
  { "LayerNorm", "many rows", NULL, { "f32[700,5]", "f32[5]", "f32[5]" } },
  { "LayerNorm", "columns", "axis=0", { "f32[700,5]", "f32[700]", "f32[700]" } },
  { "GroupNorm", "large groups", "num_groups=2", { "f32[3,4,20,20]", "f32[2]", "f32[2]" } },
  { "InstanceNorm", "large channels", NULL, { "f32[3,2,20,20]", "f32[2]", "f32[2]" } },
  { "BatchNorm",
    "large channels",
    "fix_gamma=False",
    { "f32[3,2,20,20]", "f32[2]", "f32[2]", "f32[2]", "f32[2] 0.5..2" } },
  { "L2Normalization", "large samples", NULL, { "f32[3,2,20,20]" } },
  { "L2Normalization", "channels", "mode=channel", { "f32[3,40,20]" } },
  { "Embedding",
    "many uses of a row",
    "input_dim=9 output_dim=40",
    { "f32[30,20] 0..8", "f32[9,40]" } },
  { "take", "inner axis", "axis=1", { "f32[3,9,40]", "f32[600] 0..8" } },
  { "pick", "many rows", NULL, { "f32[700,5]", "f32[700] 0..4" } },
  { "Pooling",
    "overlapping windows",
    "kernel=(3,3) stride=(2,2) pad=(1,1) pool_type=max",
    { "f32[2,3,15,17]" } },
  { "Pooling", "the whole image", "global_pool=True pool_type=avg", { "f32[2,3,15,17]" } },
  { "Pad", "wide edges", "mode=edge pad_width=(0,0,0,0,9,8,7,9)", { "f32[1,2,3,4]" } },
  { "SequenceReverse",
    "lengths",
    "use_sequence_length=True",
    { "f32[40,3,5]", "f32[3] = 7,40,0" } },
  { "_power", "unsigned ones wrap", NULL, { "u32[4] = 3,7,5,2", "u32[4] = 41,25,0,31" } },
  { "_power_scalar", "unsigned ones wrap", "scalar=41", { "u32[3] = 3,7,0" } },
  { "_rpower_scalar", "unsigned ones wrap", "scalar=7", { "u32[3] = 25,41,0" } },
  { 0 },
};

static void
check (gconstpointer data)
{
  op_device_check (data, TRUE);
}

TEST_PROGRAM (test_large_shapes)
{
  g_test_init (&argc, &argv, NULL);
  for (const OpSample *sample = samples; sample->op; sample++)
    {
      g_autofree char *path =
          g_strdup_printf ("/engine/cuda/large-shapes/%s/%s", sample->op, sample->name);
      OpCase *this = g_new0 (OpCase, 1);

      op_write_sample (hyb_op_find (sample->op), sample);
      this->op = hyb_op_find (sample->op);
      this->attributes_text = sample->attributes;
      this->inputs_text = sample->inputs;
      g_test_add_data_func_full (path, this, (GTestDataFunc) check, g_free);
    }
  return g_test_run ();
}
