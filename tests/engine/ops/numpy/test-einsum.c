/* test-einsum.c — tests of _npi_einsum: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#define TWO   "num_args=2 subscripts="
#define ONE   "num_args=1 subscripts="
#define THREE "num_args=3 subscripts="

static const OpSample samples[] = {
  { "_npi_einsum", "a product", TWO "ij,jk->ik", { "f32[2,3]", "f32[3,4]" } },
  { "_npi_einsum", "an implied result", TWO "kj,ji", { "f32[2,3]", "f32[3,2]" } },
  { "_npi_einsum", "a transpose", ONE "ba", { "f32[2,3]" } },
  { "_npi_einsum", "a trace", ONE "ii", { "f32[3,3]" } },
  { "_npi_einsum", "a diagonal", ONE "ii->i", { "f32[3,3]" } },
  { "_npi_einsum", "diagonals of three axes", ONE "iji->j", { "f32[2,3,2]" } },
  { "_npi_einsum", "a sum", ONE "ijk->j", { "f32[2,3,2]" } },
  { "_npi_einsum", "an ellipsis", TWO "...ij,...jk->...ik", { "f32[2,2,3]", "f32[1,3,2]" } },
  { "_npi_einsum", "an ellipsis of no axes", TWO "i...,...->...i", { "f32[3]", "f32[1]" } },
  { "_npi_einsum", "size one", TWO "ij,ij->i", { "f32[2,3]", "f32[2,1]" } },
  { "_npi_einsum", "three operands", THREE "ij,jk,kl->il", { "f32[2,3]", "f32[3,2]", "f32[2,2]" } },
  { "_npi_einsum", "an outer product", TWO "i,j->ji", { "f32[2]", "f32[3]" } },
  { "_npi_einsum", "a number", TWO ",i->i", { "f32[]", "f32[3]" } },
  { "_npi_einsum", "both transposed", TWO "ki,jk->ij", { "f32[3,2]", "f32[4,3]" } },
  { "_npi_einsum", "the factors in the other order", TWO "ij,jk->ki", { "f32[2,3]", "f32[3,4]" } },
  { "_npi_einsum", "heads", TWO "bihk,bjhk->bhij", { "f32[2,3,2,4]", "f32[2,2,2,4]" } },
  { "_npi_einsum", "values of heads", TWO "bhij,bjhk->bihk", { "f32[2,2,3,2]", "f32[2,2,2,4]" } },
  { "_npi_einsum", "two summed labels", TWO "ihk,jhk->ij", { "f32[3,2,2]", "f32[2,2,2]" } },
  { "_npi_einsum", "summed labels apart", TWO "ihk,khj->ij", { "f32[3,2,2]", "f32[2,2,2]" } },
  { "_npi_einsum", "two labels of the left", TWO "abk,kj->abj", { "f32[2,3,4]", "f32[4,2]" } },
  { "_npi_einsum", "rows apart", TWO "abk,kj->bja", { "f32[2,3,4]", "f32[4,2]" } },
  { "_npi_einsum", "a vector", TWO "k,kj->j", { "f32[3]", "f32[3,2]" } },
  { "_npi_einsum", "a vector on the right", TWO "ik,k->i", { "f32[2,3]", "f32[3]" } },
  { "_npi_einsum", "a diagonal of the left", TWO "iik,kj->ij", { "f32[2,2,3]", "f32[3,2]" } },
  { "_npi_einsum", "a label of one factor summed", TWO "ik,j->ij", { "f32[2,3]", "f32[2]" } },
  { "_npi_einsum", "no products", TWO "ij,jk->ik", { "f32[2,0]", "f32[0,2]" } },
  { "_npi_einsum", "no elements", TWO "ij,jk->ik", { "f32[0,2]", "f32[2,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_einsum", "too few terms", TWO "ij", { "f32[2,3]", "f32[2]" }, "1 terms" },
  { "_npi_einsum", "a digit", ONE "i1", { "f32[2,3]" }, "names no axis" },
  { "_npi_einsum", "two points", ONE "i..", { "f32[2,3]" }, "names no axis" },
  { "_npi_einsum", "two ellipses", ONE "...i...", { "f32[2,3]" }, "two “...”" },
  { "_npi_einsum", "no such axis", ONE "i->j", { "f32[3]" }, "which no operand has" },
  { "_npi_einsum", "an axis twice in the result", ONE "i->ii", { "f32[3]" }, "twice" },
  { "_npi_einsum", "two arrows", ONE "i->i->i", { "f32[3]" }, "behind the axes" },
  { "_npi_einsum", "a comma behind the arrow", TWO "i->i,i", { "f32[3]", "f32[3]" }, "comma" },
  { "_npi_einsum", "an ellipsis that is lost", ONE "...i->i", { "f32[2,3]" }, "not in the result" },
  { "_npi_einsum", "too many axes", ONE "i", { "f32[2,3]" }, "names 1 axes" },
  { "_npi_einsum", "too few axes", ONE "ij", { "f32[2]" }, "names 2 axes" },
  { "_npi_einsum", "different sizes", TWO "ij,jk->ik", { "f32[2,3]", "f32[4,2]" }, "has size 4" },
  { "_npi_einsum", "no square", ONE "ii", { "f32[2,3]" }, "axes of the same name" },
  { 0 },
};

/* One operand of (a, b, c) = (3, 5, 7), whose element is its number. */
static HybTensor *
run_one (const char *subscripts)
{
  g_autofree char *attributes = g_strconcat (ONE, subscripts, NULL);
  HybType          type = { hyb_shape_make (3, (gint64[]){ 3, 5, 7 }), HYB_F32 };
  HybTensor       *x = hyb_tensor_new (&type, NULL);

  for (int i = 0; i < 105; i++)
    ((float *) hyb_tensor_get_data (x))[i] = (float) i;
  return op_run ("_npi_einsum", attributes, x, NULL);
}

static void
test_one_operand_is_moved_or_summed (void)
{
  HybTensor *moved = run_one ("abc->cab"), *sum = run_one ("abc->ac"), *all = run_one ("abc->"),
            *turned = run_one ("abc->ca");

  for (int c = 0; c < 7; c++)
    for (int a = 0; a < 3; a++)
      {
        double want = 0;

        for (int b = 0; b < 5; b++)
          {
            g_assert_cmpfloat (hyb_tensor_get_value (moved, (c * 3 + a) * 5 + b), ==,
                               (a * 5 + b) * 7 + c);
            want += (a * 5 + b) * 7 + c;
          }
        g_assert_cmpfloat (hyb_tensor_get_value (sum, a * 7 + c), ==, want);
        g_assert_cmpfloat (hyb_tensor_get_value (turned, c * 3 + a), ==, want);
      }
  g_assert_cmpfloat (hyb_tensor_get_value (all, 0), ==, 104 * 105 / 2);
  hyb_tensor_unref (moved);
  hyb_tensor_unref (sum);
  hyb_tensor_unref (all);
  hyb_tensor_unref (turned);
}

static void
test_two_operands_are_multiplied (void)
{
  HybTensor *outer = op_run ("_npi_einsum", TWO "i,j->ij", op_tensor ("f32[3]", 1.0, 2.0, 3.0),
                             op_tensor ("f32[2]", 5.0, 7.0), NULL);
  HybTensor *rows =
      op_run ("_npi_einsum", TWO "ij,i->ij", op_tensor ("f32[2,2]", 1.0, 2.0, 3.0, 4.0),
              op_tensor ("f32[2]", 5.0, 7.0), NULL);
  HybTensor *swapped =
      op_run ("_npi_einsum", TWO "ij,ji->ji", op_tensor ("f32[2,2]", 1.0, 2.0, 3.0, 4.0),
              op_tensor ("f32[2,2]", 5.0, 6.0, 7.0, 8.0), NULL);

  op_assert_near (outer, 0, 5.0, 7.0, 10.0, 14.0, 15.0, 21.0);
  op_assert_near (rows, 0, 5.0, 10.0, 21.0, 28.0);
  op_assert_near (swapped, 0, 5.0, 18.0, 14.0, 32.0);
  hyb_tensor_unref (outer);
  hyb_tensor_unref (rows);
  hyb_tensor_unref (swapped);
}

TEST_PROGRAM (test_einsum)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("einsum", hyb_ops_einsum, samples, refusals);
  g_test_add_func ("/engine/ops/einsum/one-operand-is-moved-or-summed",
                   test_one_operand_is_moved_or_summed);
  g_test_add_func ("/engine/ops/einsum/two-operands-are-multiplied",
                   test_two_operands_are_multiplied);
  return g_test_run ();
}
