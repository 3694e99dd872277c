/* test-formats.c — choosing a format, and what a new format needs: one HybFormat, and no change to
 * the functions that use the table.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/format.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>

/* --- A format that is not in the list --- */

/* Toy models are JSON files with a key "toy". */
static gboolean
is_toy (gconstpointer data, gsize length)
{
  return g_strstr_len (data, (gssize) length, "\"toy\"") != NULL;
}

static gboolean
read_toy (HybModel      *model,
          GBytes *bytes  G_GNUC_UNUSED,
          const char    *where,
          GError **error G_GNUC_UNUSED)
{
  hyb_model_set_format (model, "toy");
  hyb_model_set_file (model, where);
  return TRUE;
}

static gboolean
write_toy (HybModel *model G_GNUC_UNUSED,
           const char     *prefix,
           guint           epoch,
           GPtrArray      *written,
           GError        **error)
{
  g_autofree char *path = g_strdup_printf ("%s.%u.toy", prefix, epoch);

  if (!g_file_set_contents (path, "{\"toy\": 1}", -1, error))
    return FALSE;
  g_ptr_array_add (written, g_steal_pointer (&path));
  return TRUE;
}

static const HybFormat toy = {
  .id = "toy",
  .patterns = (const char *[]){ "*.toy", NULL },
  .sniff = HYB_SNIFF_JSON,
  .recognises = is_toy,
  .read_graph = read_toy,
  .endings = (const char *[]){ ".toy", NULL },
  .params_beside = (const char *[]){ "@#.weights", ".weights", NULL },
  .write_model = write_toy,
};

/* The list as it would be with one more line. */
static const HybFormat *const *
formats_with_toy (void)
{
  static const HybFormat *formats[32];
  guint                   n = 0;

  for (const HybFormat *const *format = hyb_formats (); *format; format++)
    formats[n++] = *format;
  formats[n++] = &toy;
  formats[n] = NULL;
  return formats;
}

static const char *
id_of (const char *text, gsize length)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, length);
  const HybFormat *format = hyb_format_find (formats_with_toy (), bytes);

  return format ? format->id : NULL;
}

static void
test_a_new_format_is_recognised (void)
{
  static const char toy_text[] = "{\"toy\": 1}", mxnet_text[] = "{\"nodes\": []}";

  g_assert_cmpstr (id_of (toy_text, strlen (toy_text)), ==, "toy");
  g_assert_cmpstr (id_of (mxnet_text, strlen (mxnet_text)), ==, "mxnet-symbol");
  g_assert_cmpstr (id_of ("\x93NUMPY\1\0", 8), ==, "npy");
  g_assert_null (id_of ("%PDF-1.7", 8));
}

static void
test_a_new_format_names_its_parameters (void)
{
  g_autofree char *folder = g_dir_make_tmp ("formats-XXXXXX", NULL);
  g_autofree char *model = g_build_filename (folder, "net.toy", NULL);
  g_autofree char *prefix = hyb_format_dup_prefix (&toy, model);
  g_autofree char *plain = g_strconcat (prefix, ".weights", NULL);
  g_autofree char *early = g_strconcat (prefix, "@0003.weights", NULL);
  g_autofree char *late = g_strconcat (prefix, "@0012.weights", NULL);
  g_autofree char *none = NULL, *found = NULL, *highest = NULL, *third = NULL;
  const char      *why = NULL;

  g_assert_true (g_str_has_suffix (prefix, "/net"));
  none = hyb_format_find_params (&toy, model, -1, &why);
  g_assert_null (none);
  g_assert_true (g_file_set_contents (plain, "x", -1, NULL));
  found = hyb_format_find_params (&toy, model, -1, &why);
  g_assert_cmpstr (found, ==, plain);
  g_assert_true (g_file_set_contents (early, "x", -1, NULL));
  g_assert_true (g_file_set_contents (late, "x", -1, NULL));
  highest = hyb_format_find_params (&toy, model, -1, &why);
  g_assert_cmpstr (highest, ==, late);
  g_assert_cmpstr (why, ==, "the highest epoch beside the model");
  third = hyb_format_find_params (&toy, model, 3, &why);
  g_assert_cmpstr (third, ==, early);

  g_remove (plain);
  g_remove (early);
  g_remove (late);
  g_rmdir (folder);
}

static void
test_parameters_name_their_graph (void)
{
  static const struct
  {
    const char *params, *graph;
  } cases[] = {
    { "net-0012.params", "net-symbol.json" }, { "net.params", "net-symbol.json" },
    { "net.npz", "net-symbol.json" },         { "net-12.params", NULL }, /* no epoch */
    { "network-0012.params", NULL },          { "ne-0012.params", NULL },
  };
  g_autofree char *folder = g_dir_make_tmp ("formats-XXXXXX", NULL);
  g_autofree char *graph = g_build_filename (folder, "net-symbol.json", NULL);

  g_assert_true (g_file_set_contents (graph, "{}", -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *params = g_build_filename (folder, cases[i].params, NULL);
      g_autofree char *found = hyb_format_find_graph (params);
      g_autofree char *name = found ? g_path_get_basename (found) : NULL;

      g_assert_cmpstr (name, ==, cases[i].graph);
    }
  g_remove (graph);
  g_rmdir (folder);
}

/* What open.c and hyb_model_save() do with the entry of a format. */
static void
test_a_new_format_reads_and_writes_models (void)
{
  g_autofree char *folder = g_dir_make_tmp ("formats-XXXXXX", NULL);
  g_autofree char *prefix = g_build_filename (folder, "net", NULL);
  g_autoptr (GPtrArray) written = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *contents = NULL;
  g_autoptr (GBytes) bytes = NULL;
  const HybFormat *format;
  gsize            length;

  g_assert_true (toy.write_model (model, prefix, 7, written, &error));
  g_assert_cmpuint (written->len, ==, 1);
  g_assert_true (g_str_has_suffix (written->pdata[0], "net.7.toy"));
  g_assert_true (g_file_get_contents (written->pdata[0], &contents, &length, NULL));
  bytes = g_bytes_new (contents, length);
  format = hyb_format_find (formats_with_toy (), bytes);
  g_assert_true (format == &toy);
  g_assert_true (format->read_graph (model, bytes, written->pdata[0], &error));
  g_assert_cmpstr (hyb_model_get_format (model), ==, "toy");

  g_remove (written->pdata[0]);
  g_rmdir (folder);
}

/* --- The formats in the list --- */

static void
test_every_entry_is_complete (void)
{
  guint n_graph_fallbacks = 0, n_weight_fallbacks = 0, n_writers = 0;

  for (const HybFormat *const *format = hyb_formats (); *format; format++)
    {
      g_assert_nonnull ((*format)->id);
      g_assert_nonnull ((*format)->patterns);
      g_assert_true ((*format)->read_graph || (*format)->read_weights || (*format)->write_weights);
      /* What is only written is never recognised. */
      g_assert_true (((*format)->sniff != HYB_SNIFF_UNKNOWN || (*format)->recognises) ==
                     ((*format)->read_graph || (*format)->read_weights));
      g_assert_true (hyb_format_of_path ((*format)->patterns[0]) == *format);
      n_graph_fallbacks += (*format)->is_fallback && (*format)->read_graph;
      n_weight_fallbacks += (*format)->is_fallback && (*format)->read_weights;
      n_writers += (*format)->write_model != NULL;
    }
  g_assert_cmpuint (n_graph_fallbacks, ==, 1);
  g_assert_cmpuint (n_weight_fallbacks, ==, 1);
  g_assert_cmpuint (n_writers, >=, 1);
}

static void
test_unknown_files_go_to_the_fallback (void)
{
  g_autoptr (GBytes) unknown = g_bytes_new_static ("%PDF-1.7", 8);
  g_autoptr (GBytes) weights = g_bytes_new_static ("\x12\1\0\0\0\0\0\0", 8);

  g_assert_cmpstr (hyb_format_for_graph (hyb_format_of_bytes (unknown))->id, ==, "mxnet-symbol");
  g_assert_cmpstr (hyb_format_for_graph (hyb_format_of_bytes (weights))->id, ==, "mxnet-symbol");
  g_assert_cmpstr (hyb_format_of_bytes (weights)->id, ==, "mxnet-params");
}

TEST_PROGRAM (test_formats)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/formats/formats/a-new-format-is-recognised",
                   test_a_new_format_is_recognised);
  g_test_add_func ("/engine/formats/formats/a-new-format-names-its-parameters",
                   test_a_new_format_names_its_parameters);
  g_test_add_func ("/engine/formats/formats/parameters-name-their-graph",
                   test_parameters_name_their_graph);
  g_test_add_func ("/engine/formats/formats/a-new-format-reads-and-writes-models",
                   test_a_new_format_reads_and_writes_models);
  g_test_add_func ("/engine/formats/formats/every-entry-is-complete", test_every_entry_is_complete);
  g_test_add_func ("/engine/formats/formats/unknown-files-go-to-the-fallback",
                   test_unknown_files_go_to_the_fallback);

  return g_test_run ();
}
