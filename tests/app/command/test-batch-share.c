/* test-batch-share.c — parts of a batch for processes that train together.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/train/batch-share.h"
#include "tests/program.h"

#include <string.h>

/* An array of this shape with the values 0, 1, 2, … */
static HybTensor *
new_count (HybShape shape)
{
  HybType    type = { shape, HYB_F32 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);
  float     *values = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    values[i] = (float) i;
  return tensor;
}

static GHashTable *
new_batch (HybShape shape)
{
  GHashTable *batch =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) hyb_tensor_unref);

  g_hash_table_insert (batch, (gpointer) "data", new_count (shape));
  return batch;
}

/* The part of the batch has these values. */
static void
assert_part (HybShape shape, guint axis, guint index, guint n_values, const float *values)
{
  g_autoptr (GHashTable) batch = new_batch (shape);
  g_autoptr (GError) error = NULL;
  HybTensor *part;

  g_assert_true (scope_batch_share (batch, axis, index, 2, &error));
  part = g_hash_table_lookup (batch, "data");
  g_assert_cmpint (hyb_tensor_get_shape (part)->dim[axis], ==, shape.dim[axis] / 2);
  g_assert_cmpmem (hyb_tensor_get_data (part),
                   hyb_tensor_get_bytes (part),
                   values,
                   n_values * sizeof *values);
}

static void
test_parts (void)
{
  assert_part (hyb_shape_2d (4, 2), 0, 0, 4, (const float[]){ 0, 1, 2, 3 });
  assert_part (hyb_shape_2d (4, 2), 0, 1, 4, (const float[]){ 4, 5, 6, 7 });
  assert_part (hyb_shape_2d (2, 4), 1, 0, 4, (const float[]){ 0, 1, 4, 5 });
  assert_part (hyb_shape_2d (2, 4), 1, 1, 4, (const float[]){ 2, 3, 6, 7 });
  assert_part (hyb_shape_3d (2, 2, 2), 1, 1, 4, (const float[]){ 2, 3, 6, 7 });
}

static void
test_refusals (void)
{
  g_autoptr (GHashTable) odd = new_batch (hyb_shape_2d (3, 2));
  g_autoptr (GHashTable) flat = new_batch (hyb_shape_1d (4));
  g_autoptr (GError) error = NULL;

  g_assert_false (scope_batch_share (odd, 0, 0, 2, &error));
  g_assert_nonnull (strstr (error->message, "“data” of shape (3, 2)"));
  g_clear_error (&error);
  g_assert_false (scope_batch_share (flat, 1, 0, 2, &error));
  g_assert_nonnull (strstr (error->message, "along axis 1"));
}

TEST_PROGRAM (test_batch_share)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/batch-share/parts-together-are-the-batch", test_parts);
  g_test_add_func ("/app/batch-share/what-cannot-be-divided-is-refused", test_refusals);
  return g_test_run ();
}
