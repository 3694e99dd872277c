/* test-sensitive.c — models whose outputs change with the last bit of their inputs are equal as far as that allows.
 *
 * The sine of a large number is such an output: near 15 × 10,000 neighbouring floats are 0.016 apart.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/prove.h"
#include "tests/engine/onnx/nodes.h"
#include "tests/program.h"

#define AT_ONCE "x: float[8]\nk = float[1] 15\nt = Mul x, k\ny = Sin t\n-> y"
#define TWICE                                                                               \
  "x: float[8]\nk = float[1] 3\nm = float[1] 5\ns = Mul x, k\nt = Mul s, m\ny = Sin t\n-> " \
  "y"
#define SCALED \
  "x: float[8]\nk = float[1] 15\nf = float[1] 1.001\nt = Mul x, k\ns = Sin t\ny = Mul s, f\n-> y"

static HybProofVerdict
prove (const char *a, const char *b)
{
  g_autoptr (HybModel) of_a = nodes_model (a, 13);
  g_autoptr (HybModel) of_b = nodes_model (b, 13);
  g_autoptr (GError) error = NULL;
  g_auto (HybProof) proof = { 0 };

  g_assert_true (hyb_prove (of_a, of_b, &(HybProveOptions){ .seed = 1 }, &proof, &error));
  g_assert_no_error (error);
  return proof.verdict;
}

static void
test_what_a_last_bit_changes_is_no_difference (void)
{
  g_assert_cmpint (prove (AT_ONCE, TWICE), ==, HYB_PROOF_EQUAL);
}

/* Where numbers are small, the outputs are exact enough to tell. */
static void
test_what_is_more_than_that_is_one (void)
{
  g_assert_cmpint (prove (AT_ONCE, SCALED), ==, HYB_PROOF_DIFFERENT);
}

TEST_PROGRAM (test_sensitive)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/variants/sensitive/what-a-last-bit-changes-is-no-difference",
                   test_what_a_last_bit_changes_is_no_difference);
  g_test_add_func ("/engine/variants/sensitive/what-is-more-than-that-is-one",
                   test_what_is_more_than_that_is_one);
  return g_test_run ();
}
