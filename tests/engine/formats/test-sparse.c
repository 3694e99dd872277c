/* test-sparse.c — indices of sparse arrays at their exact bounds, and one budget for all arrays of a file.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/sparse.h"

#include "engine/base/limits.h"
#include "tests/program.h"

#include <string.h>

static HybTensor *
integers (guint n, const gint64 *values)
{
  HybType    type = { hyb_shape_1d (n), HYB_I64 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  memcpy (hyb_tensor_get_data (tensor), values, n * sizeof *values);
  return tensor;
}

/* Reads a row-sparse array of 3 rows with 2 columns, of which one row is stored. */
static HybTensor *
read_row (gint64 row, GError **error)
{
  g_autoptr (HybTensor) data = hyb_tensor_new_float (2, (gint64[]){ 1, 2 }, (float[]){ 5, 7 });
  g_autoptr (HybTensor) rows = integers (1, &row);
  gsize expanded = 0;

  return hyb_sparse_to_dense (&(HybSparse){ .type = { hyb_shape_2d (3, 2), HYB_F32 },
                                            .data = data,
                                            .indices = rows,
                                            .expanded = &expanded },
                              error);
}

static void
test_row (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensor) dense = read_row (2, &error);

  g_assert_no_error (error);
  for (gint64 i = 0; i < 6; i++)
    g_assert_cmpfloat (hyb_tensor_get_value (dense, i), ==, i == 4 ? 5 : i == 5 ? 7 : 0);
  g_assert_null (read_row (3, &error));
  g_assert_nonnull (strstr (error->message, "row 3 is outside its 3 rows"));
  g_clear_error (&error);
  g_assert_null (read_row (-1, &error));
  g_assert_nonnull (strstr (error->message, "row -1 is outside its 3 rows"));
}

typedef struct
{
  gint64 starts[4];
  guint  n_starts;
  gint64 columns[2];
  guint  n_columns;
} Csr;

/* Reads a CSR array of 2 rows with 3 columns that has two stored elements, 5 and 7. */
static HybTensor *
read_csr (const Csr *csr, GError **error)
{
  g_autoptr (HybTensor) data = hyb_tensor_new_float (1, (gint64[]){ 2 }, (float[]){ 5, 7 });
  g_autoptr (HybTensor) starts = integers (csr->n_starts, csr->starts);
  g_autoptr (HybTensor) columns = integers (csr->n_columns, csr->columns);
  gsize expanded = 0;

  return hyb_sparse_to_dense (&(HybSparse){ .type = { hyb_shape_2d (2, 3), HYB_F32 },
                                            .data = data,
                                            .row_starts = starts,
                                            .indices = columns,
                                            .expanded = &expanded },
                              error);
}

static void
test_csr (void)
{
  static const struct
  {
    Csr         csr;
    const char *message;
  } cases[] = {
    { { { 0, 1, 2 }, 3, { 2, 0 }, 2 }, NULL },
    { { { 0, 1, 2 }, 3, { 3, 0 }, 2 }, "column 3 is outside its 3 columns" },
    { { { 0, 1, 2 }, 3, { 2, 3 }, 2 }, "column 3 is outside its 3 columns" },
    { { { 0, 1, 2 }, 3, { -1, 0 }, 2 }, "column -1 is outside its 3 columns" },
    { { { 0, 1, 3 }, 3, { 2, 0 }, 2 }, "row 1 ends at 3" },
    { { { 0, 3, 2 }, 3, { 2, 0 }, 2 }, "row 0 ends at 3" },
    { { { 0, 2, 1 }, 3, { 2, 0 }, 2 }, "row 1 ends at 1" },
    { { { 0, 1 }, 2, { 2, 0 }, 2 }, "one row start more than rows" },
    { { { 0, 1, 2, 2 }, 4, { 2, 0 }, 2 }, "one row start more than rows" },
    { { { 0, 1, 2 }, 3, { 2 }, 1 }, "1 columns for 2 elements" },
  };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (HybTensor) dense = read_csr (&cases[c].csr, &error);

      if (cases[c].message)
        {
          g_assert_null (dense);
          g_assert_nonnull (strstr (error->message, cases[c].message));
          continue;
        }
      g_assert_no_error (error);
      for (gint64 i = 0; i < 6; i++)
        g_assert_cmpfloat (hyb_tensor_get_value (dense, i), ==, i == 2 ? 5 : i == 3 ? 7 : 0);
    }
}

/* The dense arrays of one file share a budget: two of 24 bytes fit into 48 and not into 47. */
static void
test_budget (void)
{
  g_autoptr (HybTensor) data = hyb_tensor_new_float (2, (gint64[]){ 1, 2 }, (float[]){ 5, 7 });
  g_autoptr (HybTensor) rows = integers (1, (gint64[]){ 0 });
  g_autoptr (GError) error = NULL;
  gsize     expanded = 0;
  HybSparse sparse = {
    .type = { hyb_shape_2d (3, 2), HYB_F32 }, .data = data, .indices = rows, .expanded = &expanded
  };

  for (guint limit = 48; limit >= 47; limit--)
    {
      g_autoptr (HybTensor) first = NULL;
      g_autoptr (HybTensor) second = NULL;

      expanded = 0;
      hyb_limits_set (limit, 0);
      first = hyb_sparse_to_dense (&sparse, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (expanded, ==, 24);
      second = hyb_sparse_to_dense (&sparse, &error);
      g_assert_true ((second != NULL) == (limit == 48));
    }
  hyb_limits_set (0, 0);
  g_assert_nonnull (strstr (error->message, "made dense"));
}

TEST_PROGRAM (test_sparse)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/formats/sparse/last-row-is-read-and-the-next-refused", test_row);
  g_test_add_func ("/engine/formats/sparse/csr-is-checked-at-its-bounds", test_csr);
  g_test_add_func ("/engine/formats/sparse/arrays-of-a-file-share-a-budget", test_budget);
  return g_test_run ();
}
