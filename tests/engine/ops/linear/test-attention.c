/* test-attention.c — tests of the interleaved attention operators: samples and refusals for
 * op-check.h, and the order of queries, keys and values in the array.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_contrib_interleaved_matmul_selfatt_qk", "two heads", "heads=2", { "f32[3,2,12]" } },
  { "_contrib_interleaved_matmul_selfatt_qk", "one head", "heads=1", { "f32[3,2,6]" } },
  { "_contrib_interleaved_matmul_selfatt_valatt",
    "two heads",
    "heads=2",
    { "f32[3,2,12]", "f32[4,3,3]" } },
  { "_contrib_interleaved_matmul_encdec_qk",
    "two heads",
    "heads=2",
    { "f32[3,2,4]", "f32[4,2,8]" } },
  { "_contrib_interleaved_matmul_encdec_qk",
    "one head",
    "heads=1",
    { "f32[2,2,3]", "f32[3,2,6]" } },
  { "_contrib_interleaved_matmul_encdec_valatt",
    "two heads",
    "heads=2",
    { "f32[4,2,8]", "f32[4,3,4]" } },
  { "_contrib_interleaved_matmul_encdec_valatt",
    "one query",
    "heads=2",
    { "f32[4,2,8]", "f32[4,1,4]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_interleaved_matmul_selfatt_qk",
    "features do not divide",
    "heads=2",
    { "f32[3,2,10]" },
    "does not divide" },
  { "_contrib_interleaved_matmul_selfatt_qk", "no heads", "heads=0", { "f32[3,2,12]" }, "heads" },
  { "_contrib_interleaved_matmul_selfatt_qk",
    "two dimensions",
    "heads=1",
    { "f32[3,6]" },
    "not 3 dimensions" },
  { "_contrib_interleaved_matmul_encdec_qk",
    "samples differ",
    "heads=1",
    { "f32[3,2,4]", "f32[3,1,8]" },
    "the numbers of samples" },
  { "_contrib_interleaved_matmul_encdec_qk",
    "features differ",
    "heads=1",
    { "f32[3,2,4]", "f32[3,2,6]" },
    "features but keys have" },
  { "_contrib_interleaved_matmul_selfatt_valatt",
    "attention of another size",
    "heads=2",
    { "f32[3,2,12]", "f32[2,3,3]" },
    "does not match" },
  { 0 },
};

/* One sample, one head and d = 1, so that q, k and v are columns of the array. */
static void
test_parts_are_queries_keys_and_values (void)
{
  g_autoptr (HybTensor) qkv = op_tensor ("f32[2,1,3]", 1., 2., 3., 4., 5., 6.);
  g_autoptr (HybTensor) scores =
      op_run ("_contrib_interleaved_matmul_selfatt_qk", "heads=1", hyb_tensor_ref (qkv), NULL);
  g_autoptr (HybTensor) values =
      op_run ("_contrib_interleaved_matmul_selfatt_valatt", "heads=1", hyb_tensor_ref (qkv),
              op_tensor ("f32[1,2,2]", 1., 0., 0.5, 0.5), NULL);

  op_assert_near (scores, 1e-6, 2., 5., 8., 20.);
  op_assert_near (values, 1e-6, 3., 4.5);
}

TEST_PROGRAM (test_attention)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("attention", hyb_ops_attention, samples, refusals);
  g_test_add_func ("/engine/ops/attention/parts-are-queries-keys-and-values",
                   test_parts_are_queries_keys_and_values);

  return g_test_run ();
}
