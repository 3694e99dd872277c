/* test-safetensors.c — safetensors files: what is read, and headers that lie.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/array-file.h"
#include "engine/formats/format.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>

/* A file with that header and n bytes of elements, each with its index as value, in memory of exactly that length, so that a
 * sanitizer sees a byte that is read beyond it. */
static GBytes *
make_file (const char *header, gsize n)
{
  gsize   n_header = strlen (header);
  guint64 length = GUINT64_TO_LE ((guint64) n_header);
  guint8 *data = g_malloc (8 + n_header + n);

  memcpy (data, &length, 8);
  memcpy (data + 8, header, n_header);
  for (gsize i = 0; i < n; i++)
    data[8 + n_header + i] = (guint8) i;
  return g_bytes_new_take (data, 8 + n_header + n);
}

static HybTensorList *
read_file (GBytes *file, HybFinding **trouble, GError **error)
{
  const HybFormat *format = hyb_format_of_bytes (file);

  g_assert_nonnull (format);
  g_assert_cmpstr (format->id, ==, "safetensors");
  return format->read_weights (file, "a.safetensors", trouble, error);
}

/* Any alignment: the second array begins at an odd byte. */
static void
test_arrays (void)
{
  g_autoptr (GBytes) file =
      make_file ("{\"__metadata__\":{\"format\":\"pt\"},"
                 "\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},"
                 "\"w\":{\"dtype\":\"I32\",\"shape\":[1,2],\"data_offsets\":[3,11]},"
                 "\"none\":{\"dtype\":\"F32\",\"shape\":[0,4],\"data_offsets\":[11,11]},"
                 "\"one\":{\"dtype\":\"BF16\",\"shape\":[],\"data_offsets\":[11,13]}} ",
                 13);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensorList) list = read_file (file, NULL, &error);
  HybTensor *w;

  g_assert_no_error (error);
  g_assert_cmpuint (hyb_tensor_list_n (list), ==, 4);
  w = hyb_tensor_list_find (list, "w");
  g_assert_cmpint (hyb_tensor_get_dtype (w), ==, HYB_I32);
  g_assert_cmpint (hyb_tensor_get_shape (w)->rank, ==, 2);
  g_assert_cmphex (((guint32 *) hyb_tensor_get_data (w))[1], ==, 0x0a090807);
  g_assert_cmpint (hyb_tensor_get_size (hyb_tensor_list_find (list, "none")), ==, 0);
  g_assert_cmpint (hyb_tensor_get_shape (hyb_tensor_list_find (list, "one"))->rank, ==, 0);
}

/* Types that are not computed with, and too many dimensions. */
static void
test_left_out (void)
{
  g_autoptr (GBytes) file =
      make_file ("{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[2],\"data_offsets\":[0,2]},"
                 "\"b\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2],"
                 "\"data_offsets\":[2,4]},"
                 "\"c\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[4,5]}}",
                 5);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensorList) list = read_file (file, NULL, &error);
  GPtrArray *findings;

  g_assert_no_error (error);
  g_assert_cmpuint (hyb_tensor_list_n (list), ==, 3);
  g_assert_true (hyb_tensor_list_has (list, "a"));
  g_assert_null (hyb_tensor_list_find (list, "a"));
  g_assert_null (hyb_tensor_list_find (list, "b"));
  g_assert_nonnull (hyb_tensor_list_find (list, "c"));
  findings = hyb_tensor_list_get_findings (list);
  g_assert_cmpuint (findings->len, ==, 2);
  g_assert_nonnull (strstr (((HybFinding *) findings->pdata[0])->message, "“a” is left out"));
}

#define ENTRY(rest) "{\"a\":{\"dtype\":\"F32\"," rest "}}"

static void
test_lies (void)
{
  static const struct
  {
    const char *header, *code, *message;
  } rows[] = {
    { ENTRY ("\"shape\":[3],\"data_offsets\":[0,12]"), "truncated", "there are 8" },
    { ENTRY ("\"shape\":[2],\"data_offsets\":[4,12]"), "truncated", "ends at byte 12" },
    { ENTRY ("\"shape\":[2],\"data_offsets\":[0,4]"), "bad-json", "its shape needs 8" },
    { ENTRY ("\"shape\":[2],\"data_offsets\":[8,0]"), "bad-json", "two ascending numbers" },
    { ENTRY ("\"shape\":[2],\"data_offsets\":[-8,0]"), "bad-json", "two ascending numbers" },
    { ENTRY ("\"shape\":[2],\"data_offsets\":[0,8,8]"), "bad-json", "two ascending numbers" },
    { ENTRY ("\"shape\":[2],\"data_offsets\":[0]"), "bad-json", "two ascending numbers" },
    { ENTRY ("\"shape\":[2],\"data_offsets\":8"), "bad-json", "two ascending numbers" },
    { ENTRY ("\"shape\":[2]"), "bad-json", "two ascending numbers" },
    { ENTRY ("\"shape\":[2.5],\"data_offsets\":[0,8]"), "bad-json", "not a list of sizes" },
    { ENTRY ("\"shape\":[-2],\"data_offsets\":[0,8]"), "bad-json", "not a list of sizes" },
    { ENTRY ("\"shape\":{\"x\":2},\"data_offsets\":[0,8]"), "bad-json", "not a list of sizes" },
    { ENTRY ("\"data_offsets\":[0,8]"), "bad-json", "lacks its dtype or its shape" },
    { ENTRY ("\"shape\":[4294967296,4294967296,4294967296],\"data_offsets\":[0,0]"), "bad-json",
      "would not fit any memory" },
    { ENTRY ("\"shape\":[461168601842738790,40],\"data_offsets\":[0,0]"), "bad-json",
      "would not fit any memory" },
    { "{\"a\":[]}", "bad-json", "lacks its dtype or its shape" },
    { "{\"a\":{\"dtype\":7,\"shape\":[2],\"data_offsets\":[0,8]}}", "bad-json",
      "lacks its dtype or its shape" },
    { "{\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]},"
      "\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[7,8]}}",
      "bad-json", "share bytes" },
    { "{\"a\":{\"dtype\":\"U8\"", "bad-json", "ends too early" },
    { "{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":{\"g\":{\"h\":{}}}}}}}}}", "bad-json",
      "more than 8" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GBytes) file = make_file (rows[i].header, 8);
      g_autoptr (GError) error = NULL;
      HybFinding *trouble = NULL;
      g_autoptr (HybTensorList) list = read_file (file, &trouble, &error);

      g_test_message ("%s", rows[i].header);
      g_assert_null (list);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, rows[i].message));
      g_assert_true (g_str_has_prefix (error->message, "a.safetensors: "));
      g_assert_cmpstr (trouble->code, ==, rows[i].code);
      hyb_finding_free (trouble);
    }
}

/* Every shorter file is refused, or is no safetensors file. */
static void
test_cut (void)
{
  g_autoptr (GBytes) file =
      make_file ("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8);

  for (gsize n = 10; n < g_bytes_get_size (file); n++)
    {
      g_autofree guint8 *copy = g_memdup2 (g_bytes_get_data (file, NULL), n);
      g_autoptr (GBytes) cut = g_bytes_new_static (copy, n);
      g_autoptr (GError) error = NULL;
      g_autoptr (HybTensorList) list = read_file (cut, NULL, &error);

      g_assert_null (list);
      g_assert_nonnull (strstr (error->message, "cut off"));
    }
}

/* What this program writes it reads again: every element type, names with quotes. */
static void
test_round_trip (void)
{
  g_autofree char *folder = g_dir_make_tmp ("safetensors-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.safetensors", NULL);
  g_autoptr (HybTensorList) written = hyb_tensor_list_new ();
  g_autoptr (HybTensorList) list = NULL;
  g_autoptr (GError) error = NULL;

  for (HybDType dtype = 0; dtype < HYB_N_DTYPES; dtype++)
    {
      HybType          type = { .shape = hyb_shape_1d (3 + dtype), .dtype = dtype };
      g_autofree char *name = g_strdup_printf ("arg:\"%s\"\n", hyb_dtype_name (dtype));
      g_autoptr (HybTensor) tensor = hyb_tensor_new (&type, NULL);

      memset (hyb_tensor_get_data (tensor), 1, hyb_tensor_get_bytes (tensor));
      hyb_tensor_list_set (written, name, tensor);
    }
  g_assert_true (hyb_arrays_write (written, path, &error));
  list = hyb_arrays_read (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hyb_tensor_list_n (list), ==, HYB_N_DTYPES);
  for (guint i = 0; i < HYB_N_DTYPES; i++)
    {
      const HybNamedTensor *a = hyb_tensor_list_get (written, i);
      const HybNamedTensor *b = hyb_tensor_list_get (list, i);

      g_assert_cmpstr (a->name, ==, b->name);
      g_assert_cmpint (hyb_tensor_get_dtype (a->tensor), ==, hyb_tensor_get_dtype (b->tensor));
      g_assert_cmpmem (hyb_tensor_get_data (a->tensor), hyb_tensor_get_bytes (a->tensor),
                       hyb_tensor_get_data (b->tensor), hyb_tensor_get_bytes (b->tensor));
    }
  g_remove (path);
  g_rmdir (folder);
}

TEST_PROGRAM (test_safetensors)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/formats/safetensors/arrays-at-any-byte-are-read", test_arrays);
  g_test_add_func ("/engine/formats/safetensors/what-cannot-be-read-is-named", test_left_out);
  g_test_add_func ("/engine/formats/safetensors/headers-that-lie-are-refused", test_lies);
  g_test_add_func ("/engine/formats/safetensors/cut-files-are-refused", test_cut);
  g_test_add_func ("/engine/formats/safetensors/written-arrays-are-read-again", test_round_trip);
  return g_test_run ();
}
