/* test-npz.c — reads and writes NumPy arrays and archives.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/npz.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/formats/file.h"
#include "engine/formats/format.h"
#include "engine/formats/npy.h"
#include "engine/formats/zip.h"
#include "tests/program.h"

#include <string.h>

static HybTensorList *
read_data (const char *name)
{
  g_autofree char *path = g_build_filename (SOURCE_ROOT, "tests", "data", "formats", name, NULL);
  g_autoptr (GError) error = NULL;
  HybTensorList *list = hyb_npz_read_file (path, &error);

  g_assert_no_error (error);
  return list;
}

static void
assert_values (HybTensor *tensor, HybDType dtype, const double *values, guint n)
{
  g_assert_nonnull (tensor);
  g_assert_cmpint (hyb_tensor_get_dtype (tensor), ==, dtype);
  g_assert_cmpint (hyb_tensor_get_size (tensor), ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat (hyb_tensor_get_value (tensor, i), ==, values[i]);
}

static void
test_deflated_members (void)
{
  g_autoptr (HybTensorList) list = read_data ("compressed.npz");
  HybTensor *w = hyb_tensor_list_find (list, "w");

  g_assert_cmpint (hyb_tensor_get_shape (w)->dim[0], ==, 20);
  for (gint64 i = 0; i < 200; i++)
    g_assert_cmpfloat (hyb_tensor_get_value (w, i), ==, i);
  assert_values (hyb_tensor_list_find (list, "i"), HYB_I16, (double[]){ -1, 2, 3 }, 3);
}

/* Members of 928 and 134 bytes, each of which is below both limits. */
static void
test_members_share_a_budget (void)
{
  g_autofree char *path =
      g_build_filename (SOURCE_ROOT, "tests", "data", "formats", "compressed.npz", NULL);

  for (guint limit = 1062; limit >= 1061; limit--)
    {
      g_autoptr (HybTensorList) list = NULL;
      g_autoptr (GError) error = NULL;

      hyb_limits_set (limit, 0);
      list = hyb_npz_read_file (path, &error);
      g_assert_true ((list != NULL) == (limit == 1062));
      if (!list)
        g_assert_nonnull (strstr (error->message, "limit"));
    }
  hyb_limits_set (0, 0);
}

static void
test_orders_of_axes_and_bytes (void)
{
  g_autoptr (HybTensorList) list = read_data ("orders.npz");
  double counting[24];

  for (guint i = 0; i < 24; i++)
    counting[i] = i;
  assert_values (hyb_tensor_list_find (list, "fortran"), HYB_F64, counting, 24);
  assert_values (hyb_tensor_list_find (list, "big"), HYB_I32, counting, 6);
  assert_values (hyb_tensor_list_find (list, "scalar"), HYB_F32, (double[]){ 2.5 }, 1);
  assert_values (hyb_tensor_list_find (list, "flags"), HYB_BOOL, (double[]){ 1, 0 }, 2);
  g_assert_cmpint (hyb_tensor_get_shape (hyb_tensor_list_find (list, "scalar"))->rank, ==, 0);
  g_assert_cmpint (hyb_tensor_get_size (hyb_tensor_list_find (list, "empty")), ==, 0);
}

static void
test_what_mxnet_2_writes (void)
{
  g_autoptr (HybTensorList) list = read_data ("mxnet2.npz");

  assert_values (hyb_tensor_list_find (list, "arg:two"), HYB_F32, (double[]){ 0, 1, 2, 3 }, 4);
  assert_values (hyb_tensor_list_find (list, "arg:three"), HYB_F32, (double[]){ 0, 1, 2, 3 }, 4);
  assert_values (hyb_tensor_list_find (list, "arg:brain"), HYB_BF16, (double[]){ 1, 2, -1 }, 3);
  assert_values (hyb_tensor_list_find (list, "rsp"), HYB_F32, (double[]){ 0, 0, 1, 2, 0, 0, 3, 4 },
                 8);
  g_assert_cmpuint (hyb_tensor_list_n (list), ==, 4);
}

static GBytes *
write_list (HybTensorList *list)
{
  g_autoptr (GOutputStream) out = g_memory_output_stream_new_resizable ();

  g_assert_true (hyb_npz_write (list, out, NULL));
  g_output_stream_close (out, NULL, NULL);
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (out));
}

static HybTensorList *
make_list (void)
{
  HybTensorList *list = hyb_tensor_list_new ();

  for (int dtype = 0; dtype < HYB_N_DTYPES; dtype++)
    {
      HybType type = { hyb_shape_2d (3, dtype + 1), (HybDType) dtype };
      g_autoptr (HybTensor) tensor = hyb_tensor_new (&type, NULL);

      for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
        hyb_dtype_set_double (hyb_tensor_get_data (tensor), type.dtype, (gsize) i,
                              (double) (i % 2));
      hyb_tensor_list_set (list, hyb_dtype_name (type.dtype), tensor);
    }
  return list;
}

static void
test_written_is_read_again (void)
{
  g_autoptr (HybTensorList) list = make_list ();
  g_autoptr (GBytes) bytes = write_list (list);
  g_autoptr (HybTensorList) back = hyb_npz_read (bytes, "memory", NULL);

  g_assert_nonnull (back);
  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *was = hyb_tensor_list_get (list, i),
                           *is = hyb_tensor_list_get (back, i);
      HybDType dtype = hyb_tensor_get_dtype (was->tensor);

      g_assert_cmpstr (was->name, ==, is->name);
      g_assert_cmpint (hyb_tensor_get_dtype (is->tensor), ==, dtype == HYB_BF16 ? HYB_F32 : dtype);
      g_assert_true (
          hyb_shape_equal (hyb_tensor_get_shape (was->tensor), hyb_tensor_get_shape (is->tensor)));
      for (gint64 k = 0; k < hyb_tensor_get_size (was->tensor); k++)
        g_assert_cmpfloat (hyb_tensor_get_value (was->tensor, k), ==,
                           hyb_tensor_get_value (is->tensor, k));
    }
}

/* NumPy has no bfloat16, so such arrays are written as float32, of twice their bytes. */
static void
test_memory_for_the_conversion_is_checked (void)
{
  HybType type = { hyb_shape_1d (1 << 20), HYB_BF16 };
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (HybTensor) tensor = hyb_tensor_new_zeros (&type, NULL);
  g_autoptr (GOutputStream) out = g_memory_output_stream_new_resizable ();
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "large.npy", NULL);
  g_autoptr (GError) error = NULL;

  hyb_tensor_list_set (list, "large", tensor);
  hyb_limits_set (3 << 20, 0);
  g_assert_false (hyb_npz_write (list, out, &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "“large”"));
  g_clear_error (&error);
  g_assert_false (hyb_weights_write_file (list, path, &error));
  hyb_limits_set (0, 0);
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
}

/* So that arrays can be mapped: each header starts on 64 bytes and is 64 long. */
static void
test_arrays_are_aligned (void)
{
  g_autoptr (HybTensorList) list = make_list ();
  g_autoptr (GBytes) bytes = write_list (list);
  gsize       length;
  const char *data = g_bytes_get_data (bytes, &length);
  guint       n = 0;

  for (gsize i = 0; i + 6 < length; i++)
    if (memcmp (data + i, "\x93NUMPY", 6) == 0)
      {
        g_assert_cmpuint (i % 64, ==, 0);
        n++;
      }
  g_assert_cmpuint (n, ==, HYB_N_DTYPES);
}

static void
test_every_cut_and_change_is_survived (void)
{
  g_autoptr (HybTensorList) list = make_list ();
  g_autoptr (GBytes) bytes = write_list (list);
  gsize length = g_bytes_get_size (bytes);

  for (gsize n = 0; n < length; n++)
    {
      g_autoptr (GBytes) cut = g_bytes_new_from_bytes (bytes, 0, n);
      g_autoptr (HybTensorList) read = hyb_npz_read (cut, "cut", NULL);

      g_assert_null (read);
    }
}

static void
test_a_wrong_checksum_is_refused (void)
{
  g_autoptr (HybTensorList) list = make_list ();
  g_autoptr (GBytes) bytes = write_list (list);
  g_autofree guint8 *data = g_memdup2 (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_autoptr (GBytes) changed = NULL;
  g_autoptr (GError) error = NULL;

  data[64 + 128] ^= 1;
  changed = g_bytes_new_static (data, g_bytes_get_size (bytes));
  g_assert_null (hyb_npz_read (changed, "changed", &error));
  g_assert_nonnull (strstr (error->message, "checksum"));
}

static void
test_other_kinds_of_elements_are_named (void)
{
  static const char header[] =
      "\x93NUMPY\1\0\x40\0{'descr': '|O', 'fortran_order': False, 'shape': (3,), }     \n      ";
  g_autoptr (GBytes) bytes = g_bytes_new_static (header, sizeof header - 1);
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_npy_read (bytes, "x.npy", &error));
  g_assert_nonnull (strstr (error->message, "|O"));
}

/* Only a member called "format" makes an array of the members of a folder. */
static void
test_folders_without_a_format_are_parts_of_names (void)
{
  HybType type = { hyb_shape_1d (2), HYB_F32 };
  g_autoptr (GOutputStream) out = g_memory_output_stream_new_resizable ();
  g_autoptr (HybZipWriter) writer = hyb_zip_writer_new (out);
  g_autoptr (GBytes) head = hyb_npy_make_header (&type);
  g_autoptr (GBytes) data = g_bytes_new ((float[]){ 3, 4 }, 8);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensorList) list = NULL;

  g_assert_true (hyb_zip_writer_add (writer, "layer/data.npy", head, data, NULL));
  g_assert_true (hyb_zip_writer_finish (writer, NULL));
  g_output_stream_close (out, NULL, NULL);
  bytes = g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (out));
  list = hyb_npz_read (bytes, "a.npz", &error);
  g_assert_no_error (error);
  assert_values (hyb_tensor_list_find (list, "layer/data"), HYB_F32, (double[]){ 3, 4 }, 2);
}

static void
test_crc (void)
{
  g_assert_cmphex (hyb_crc32 (0, "123456789", 9), ==, 0xcbf43926);
  g_assert_cmphex (hyb_crc32 (hyb_crc32 (0, "1234", 4), "56789", 5), ==, 0xcbf43926);
  g_assert_cmphex (hyb_crc32 (0xcbf43926, NULL, 0), ==, 0xcbf43926);
}

TEST_PROGRAM (test_npz)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/formats/npz/deflated-members", test_deflated_members);
  g_test_add_func ("/engine/formats/npz/members-share-a-budget", test_members_share_a_budget);
  g_test_add_func ("/engine/formats/npz/orders-of-axes-and-bytes", test_orders_of_axes_and_bytes);
  g_test_add_func ("/engine/formats/npz/what-mxnet-2-writes", test_what_mxnet_2_writes);
  g_test_add_func ("/engine/formats/npz/written-is-read-again", test_written_is_read_again);
  g_test_add_func ("/engine/formats/npz/memory-for-the-conversion-is-checked",
                   test_memory_for_the_conversion_is_checked);
  g_test_add_func ("/engine/formats/npz/arrays-are-aligned", test_arrays_are_aligned);
  g_test_add_func ("/engine/formats/npz/every-cut-is-refused",
                   test_every_cut_and_change_is_survived);
  g_test_add_func ("/engine/formats/npz/a-wrong-checksum-is-refused",
                   test_a_wrong_checksum_is_refused);
  g_test_add_func ("/engine/formats/npz/other-kinds-of-elements-are-named",
                   test_other_kinds_of_elements_are_named);
  g_test_add_func ("/engine/formats/npz/folders-without-a-format-are-parts-of-names",
                   test_folders_without_a_format_are_parts_of_names);
  g_test_add_func ("/engine/formats/npz/crc", test_crc);

  return g_test_run ();
}
