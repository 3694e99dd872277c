/* test-mxnet-params.c — reads and writes parameter files of all versions, including damaged ones.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/mxnet-params.h"

#include "engine/formats/format.h"
#include "tests/engine/goldens/golden.h"
#include "tests/program.h"

#include <string.h>

static HybTensorList *
read_golden (const char *name, GError **error)
{
  g_autofree char *path = golden_path ("params", name, NULL);

  return hyb_weights_read_file (path, NULL, error);
}

/* The hash of the dense bytes was taken by another program. */
static void
check_array (const char *file, HybTensorList *list, guint index, const cJSON *want)
{
  const HybNamedTensor *entry = hyb_tensor_list_get (list, index);
  const cJSON          *shape = cJSON_GetObjectItem (want, "shape");
  const cJSON          *sha256 = cJSON_GetObjectItem (want, "sha256");
  HybTensor            *tensor = hyb_tensor_list_find (list, want->string);
  g_autofree char      *sum = NULL;

  if (!tensor)
    tensor = entry->tensor;
  g_test_message ("%s: %s", file, want->string);
  g_assert_nonnull (tensor);
  g_assert_cmpstr (hyb_dtype_name (hyb_tensor_get_dtype (tensor)), ==,
                   cJSON_GetObjectItem (want, "dtype")->valuestring);
  g_assert_cmpint (hyb_tensor_get_shape (tensor)->rank, ==, cJSON_GetArraySize (shape));
  for (int i = 0; i < cJSON_GetArraySize (shape); i++)
    g_assert_cmpint (hyb_tensor_get_shape (tensor)->dim[i], ==,
                     (gint64) cJSON_GetArrayItem (shape, i)->valuedouble);

  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, hyb_tensor_get_data (tensor),
                                     hyb_tensor_get_bytes (tensor));
  if (sha256)
    g_assert_cmpstr (sum, ==, sha256->valuestring);
}

static void
check_file (const char *stem)
{
  g_autofree char *file = g_strconcat (stem, ".params", NULL);
  g_autofree char *description = g_strconcat (stem, ".json", NULL);
  g_autofree char *path = golden_path ("params", description, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (cJSON) json = golden_read_json (path, &error);
  g_autoptr (HybTensorList) list = read_golden (file, &error);
  const cJSON *arrays = cJSON_GetObjectItem (json, "arrays"), *item;
  guint        index = 0;

  g_assert_no_error (error);
  g_assert_cmpuint (hyb_tensor_list_n (list), ==, (guint) cJSON_GetArraySize (arrays));
  cJSON_ArrayForEach (item, arrays) check_array (file, list, index++, item);
}

static void
test_files_of_mxnet (void)
{
  g_auto (GStrv) files = golden_list ("params", ".params");

  if (!files || !files[0])
    {
      g_test_skip ("goldens/params is not here");
      return;
    }
  for (guint i = 0; files[i]; i++)
    check_file (files[i]);
}

/* npz.params is what MXNet 2 writes under that name: MXNet 1.9.1 refuses it, we read it. */
static gboolean
must_be_refused (const cJSON *description)
{
  const char *file = cJSON_GetObjectItem (description, "file")->valuestring;
  const char *says = cJSON_GetObjectItem (description, "mxnet")->valuestring;

  return !g_str_has_prefix (says, "loads") && strcmp (file, "none-array.params") != 0 &&
         strcmp (file, "npz.params") != 0;
}

static void
test_broken_files (void)
{
  g_autofree char *folder = golden_path ("params", "broken", NULL);
  g_autofree char *index = g_build_filename (folder, "broken.json", NULL);
  g_autoptr (cJSON) json = golden_read_json (index, NULL);
  const cJSON *item;

  if (!json)
    {
      g_test_skip ("goldens/params is not here");
      return;
    }

  cJSON_ArrayForEach (item, json)
  {
    const char      *file = cJSON_GetObjectItem (item, "file")->valuestring;
    g_autofree char *path = g_build_filename (folder, file, NULL);
    g_autoptr (GError) error = NULL;
    HybFinding *trouble = NULL;
    g_autoptr (HybTensorList) list = hyb_weights_read_file (path, &trouble, &error);

    g_test_message ("%s", file);
    g_assert_true (must_be_refused (item) == (!list));
    g_assert_true ((!list) == (trouble != NULL));
    if (!list)
      g_assert_cmpuint (strlen (error->message), >, strlen (path) + 20);
    hyb_finding_free (trouble);
  }
}

static GBytes *
write_list (HybTensorList *list)
{
  g_autoptr (GOutputStream) out = g_memory_output_stream_new_resizable ();

  g_assert_true (hyb_ndarrays_write (list, out, NULL));
  g_output_stream_close (out, NULL, NULL);
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (out));
}

static HybTensorList *
make_list (void)
{
  HybTensorList *list = hyb_tensor_list_new ();
  g_autoptr (HybTensor) w =
      hyb_tensor_new_float (2, (gint64[]){ 2, 3 }, (float[]){ 1, 2, 3, 4, 5, 6 });
  g_autoptr (HybTensor) b = hyb_tensor_new_float (1, (gint64[]){ 1 }, (float[]){ 7 });

  hyb_tensor_list_set (list, "arg:w", w);
  hyb_tensor_list_set (list, "aux:größe", b);
  return list;
}

/* One row-sparse array whose rows have an unknown shape: rank -1 stands for it in files with np shape
 * semantics (version 3). */
static void
test_sparse_array_without_a_shape_of_its_rows (void)
{
  const guint32 fields[] = {
    0x112,      0,
    0,          0,
    1,          0, /* magic number of a list, reserved, one array */
    0xf993faca, 1, /* version 3, row-sparse */
    2,          1,
    0,          3,
    0, /* stored: (1, 3) */
    2,          4,
    0,          3,
    0, /* stands for (4, 3) */
    1,          0,
    0,                        /* on the processor, float32 */
    6,          (guint32) -1, /* int64 rows of unknown shape */
    0,          0,
    0,          0,
    0,          0,
    0, /* more than the elements, and no names */
  };
  g_autoptr (GBytes) bytes = g_bytes_new_static (fields, sizeof fields);
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_ndarrays_read (bytes, "memory", NULL, &error));
  g_assert_nonnull (strstr (error->message, "a part of a sparse array has no shape"));
}

/* A dense array of version 2 and shape (2, -1). */
static void
test_dimension_of_minus_one (void)
{
  const guint32 fields[] = {
    0x112,
    0,
    0,
    0,
    1,
    0, /* magic number of a list, reserved, one array */
    0xf993fac9,
    0, /* version 2, dense */
    2,
    2,
    0,
    (guint32) -1,
    (guint32) -1, /* (2, -1) */
    1,
    0,
    0, /* on the processor, float32 */
    0,
    0,
    0,
    0, /* two elements, no names */
  };
  g_autoptr (GBytes) bytes = g_bytes_new_static (fields, sizeof fields);
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_ndarrays_read (bytes, "memory", NULL, &error));
  g_assert_nonnull (strstr (error->message, "a dimension is -1"));
}

static void
test_the_smallest_file_has_85_bytes (void)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (HybTensor) w = hyb_tensor_new_float (1, (gint64[]){ 2 }, (float[]){ 1, 2 });
  g_autoptr (GBytes) bytes = NULL;

  hyb_tensor_list_set (list, "arg:w", w);
  bytes = write_list (list);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, 85);
}

static void
test_every_cut_is_refused (void)
{
  g_autoptr (HybTensorList) list = make_list ();
  g_autoptr (GBytes) bytes = write_list (list);
  g_autoptr (HybTensorList) whole = hyb_ndarrays_read (bytes, "whole", NULL, NULL);

  g_assert_nonnull (whole);
  g_assert_nonnull (hyb_tensor_list_find (whole, "aux:größe"));
  for (gsize n = 0; n < g_bytes_get_size (bytes); n++)
    {
      g_autoptr (GBytes) cut = g_bytes_new_from_bytes (bytes, 0, n);
      g_autoptr (GError) error = NULL;

      g_assert_null (hyb_ndarrays_read (cut, "cut", NULL, &error));
      g_assert_nonnull (error);
    }
}

static void
test_what_is_read_is_written_again (void)
{
  static const char *const files[] = { "dict.params", "dtypes.params", "ranks.params",
                                       "np-shape.params" };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = golden_path ("params", files[i], NULL);
      g_autoptr (HybTensorList) list = read_golden (files[i], NULL);
      g_autoptr (GBytes) bytes = NULL;
      g_autofree char *contents = NULL;
      gsize            length;

      if (!list || !g_file_get_contents (path, &contents, &length, NULL))
        {
          g_test_skip ("goldens/params is not here");
          return;
        }
      bytes = write_list (list);
      g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), contents, length);
    }
}

static void
test_aligned_arrays_are_not_copied (void)
{
  g_autoptr (HybTensorList) list = make_list ();
  g_autoptr (HybTensor) tail =
      hyb_tensor_new_zeros (&(HybType){ hyb_shape_1d (64), HYB_F32 }, NULL);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (HybTensorList) read = NULL;
  const guint8 *begin, *data;
  gsize         length;

  hyb_tensor_list_set (list, "tail", tail);
  bytes = write_list (list);
  read = hyb_ndarrays_read (bytes, "memory", NULL, NULL);
  begin = g_bytes_get_data (bytes, &length);
  data = hyb_tensor_get_data (hyb_tensor_list_find (read, "arg:w"));
  g_assert_true (data > begin && data < begin + length);
}

TEST_PROGRAM (test_mxnet_params)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/formats/mxnet-params/files-of-mxnet", test_files_of_mxnet);
  g_test_add_func ("/engine/formats/mxnet-params/broken-files", test_broken_files);
  g_test_add_func ("/engine/formats/mxnet-params/the-smallest-file-has-85-bytes",
                   test_the_smallest_file_has_85_bytes);
  g_test_add_func ("/engine/formats/mxnet-params/"
                   "sparse-array-without-a-shape-of-its-rows-is-refused",
                   test_sparse_array_without_a_shape_of_its_rows);
  g_test_add_func ("/engine/formats/mxnet-params/dimension-of-minus-one-is-refused",
                   test_dimension_of_minus_one);
  g_test_add_func ("/engine/formats/mxnet-params/every-cut-is-refused", test_every_cut_is_refused);
  g_test_add_func ("/engine/formats/mxnet-params/what-is-read-is-written-again",
                   test_what_is_read_is_written_again);
  g_test_add_func ("/engine/formats/mxnet-params/aligned-arrays-are-not-copied",
                   test_aligned_arrays_are_not_copied);

  return g_test_run ();
}
