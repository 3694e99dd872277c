/* test-numpy-source.c — tests of constants, ranges and windows of the NumPy interface: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_eye", "square", "N=2", { NULL } },
  { "_npi_eye", "above", "N=2 M=3 k=1 dtype=int32", { NULL } },
  { "_npi_eye", "no columns", "N=2 M=0", { NULL } },
  { "_npi_identity", "square", "shape=(3,3)", { NULL } },
  { "_npi_indices", "grid", "dimensions=(2,3)", { NULL } },
  { "_npi_indices", "no cell", "dimensions=(0,2)", { NULL } },
  { "_npi_logspace", "base 2", "start=0 stop=2 num=4 endpoint=False base=2", { NULL } },
  { "_npi_logspace", "one", "start=0 stop=2 num=1", { NULL } },
  { "_npi_hanning _npi_hamming _npi_blackman", "five", "M=5", { NULL } },
  { "_npi_hanning _npi_hamming _npi_blackman", "one", "M=1 dtype=float64", { NULL } },
  { "_npi_hanning _npi_hamming _npi_blackman", "none", "M=0", { NULL } },
  { "_npi_full_like", "type kept", "fill_value=2.5", { "i32[2,3]" } },
  { "_npi_full_like", "bool", "fill_value=2.5 dtype=bool", { "f32[]" } },
  { "_npi_tril", "matrices", "k=1", { "f32[2,2,3]" } },
  { "_npi_tril", "vector", NULL, { "f32[3]" } },
  { "_npi_tril", "no element", "k=-1", { "f32[0,3]" } },
  { "_triu", "matrices", "k=1", { "f32[2,2,3]" } },
  { "_triu", "vector", NULL, { "f32[3]" } },
  { "_triu", "far diagonals", "k=-9", { "f32[3,2]" } },
  { "_triu", "no element", "k=1", { "f32[2,0]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_identity", "not square", "shape=(2,3)", { NULL }, "square matrix" },
  { "_npi_tril", "no dimensions", NULL, { "f32[]" }, "no triangle" },
  { 0 },
};

/* Which elements of numbered matrices stay, for all diagonals that differ. */
static void
check_triangle (const char *op, gint64 k, int sign)
{
  g_autofree char *attributes = g_strdup_printf ("k=%" G_GINT64_FORMAT, k);
  HybType          type = { hyb_shape_make (3, (gint64[]){ 2, 3, 5 }), HYB_F32 };
  HybTensor       *x = hyb_tensor_new (&type, NULL), *y;

  for (int i = 0; i < 30; i++)
    ((float *) hyb_tensor_get_data (x))[i] = (float) i + 1;
  y = op_run (op, attributes, x, NULL);
  for (int i = 0; i < 30; i++)
    {
      gint64   distance = i % 5 - i / 5 % 3 - k;
      gboolean stays = sign < 0 ? distance <= 0 : distance >= 0;

      g_assert_cmpfloat (hyb_tensor_get_value (y, i), ==, stays ? i + 1 : 0);
    }
  hyb_tensor_unref (y);
}

static void
test_triangles_keep_one_side_of_a_diagonal (void)
{
  for (gint64 k = -5; k <= 7; k++)
    {
      check_triangle ("_npi_tril", k, -1);
      check_triangle ("_triu", k, 1);
    }
  check_triangle ("_npi_tril", G_MAXINT32, -1);
  check_triangle ("_triu", -G_MAXINT32, 1);
}

TEST_PROGRAM (test_numpy_source)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("numpy-source", hyb_ops_numpy_source, samples, refusals);
  g_test_add_func ("/engine/ops/numpy-source/triangles-keep-one-side-of-a-diagonal",
                   test_triangles_keep_one_side_of_a_diagonal);
  return g_test_run ();
}
