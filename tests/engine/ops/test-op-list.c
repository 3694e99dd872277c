/* test-op-list.c — tests of the table of operators: every file in op-list.h exists and has a test that
 * meson runs, and names are those of MXNet.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/graph/builder.h"
#include "tests/program.h"

#include <string.h>

#define MACRO "HYB_OPS ("

static char *
read_source (const char *path)
{
  g_autofree char *file = g_build_filename (SOURCE_ROOT, path, NULL);
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  g_file_get_contents (file, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

/* The entries of op-list.h as paths below engine/, without extension: "ops/nn/softmax". */
static GPtrArray *
listed_files (void)
{
  g_autofree char *text = read_source ("engine/ops/op-list.h");
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; lines[i]; i++)
    if (g_str_has_prefix (lines[i], MACRO))
      {
        g_auto (GStrv) words = g_strsplit_set (lines[i] + strlen (MACRO), ", )", -1);
        const char *folder = words[0], *file = g_strdelimit (words[2], "_", '-');

        if (g_str_equal (folder, "control") || g_str_equal (folder, "ops"))
          g_ptr_array_add (files, g_strdup_printf ("%s/%s", folder, file));
        else
          g_ptr_array_add (files, g_strdup_printf ("ops/%s/%s", folder, file));
      }

  return files;
}

static gboolean
source_exists (const char *path)
{
  g_autofree char *file = g_build_filename (SOURCE_ROOT, path, NULL);

  return g_file_test (file, G_FILE_TEST_EXISTS);
}

/* engine/<path>/x.c is tested by tests/engine/<path>/test-x.c. */
static void
test_every_file_has_a_test (void)
{
  g_autoptr (GPtrArray) files = listed_files ();
  g_autofree char *engine = read_source ("tests/engine/meson.build");
  g_autofree char *ops = read_source ("tests/engine/ops/meson.build");
  g_autoptr (GString) missing = g_string_new (NULL);

  g_assert_cmpuint (files->len, >, 0);
  for (guint i = 0; i < files->len; i++)
    {
      g_autofree char *folder = g_path_get_dirname (files->pdata[i]);
      g_autofree char *name = g_path_get_basename (files->pdata[i]);
      g_autofree char *path = g_strdup_printf ("tests/engine/%s/test-%s.c", folder, name);
      g_autofree char *entry = g_strdup_printf ("test-%s'", name);

      if (!source_exists (path) || (!strstr (engine, entry) && !strstr (ops, entry)))
        g_string_append_printf (missing, " %s", path);
    }

  if (missing->len > 0)
    g_error ("missing, or not in a meson.build:%s", missing->str);
}

static void
test_every_file_exists (void)
{
  g_autoptr (GPtrArray) files = listed_files ();

  for (guint i = 0; i < files->len; i++)
    {
      g_autofree char *path = g_strdup_printf ("engine/%s.c", (char *) files->pdata[i]);

      if (!source_exists (path))
        g_error ("op-list.h lists %s, which does not exist", path);
    }
}

/* HybOp.recording names an operator that exists. */
static void
test_recording_operators_exist (void)
{
  guint               n;
  const HybOp *const *ops = hyb_op_list (&n);

  for (guint i = 0; i < n; i++)
    if (ops[i]->recording && !hyb_op_find (ops[i]->recording))
      g_error ("%s is recorded by %s, which does not exist", ops[i]->name, ops[i]->recording);
}

/* MXNet 1.9.1 registers the names on the left for the operators on the right. */
static void
test_second_names_are_known (void)
{
  static const char *const rows[][2] = {
    { "_npx_fully_connected", "FullyConnected" }, { "_sparse_relu", "relu" },
    { "_sparse_ElementWiseSum", "add_n" },        { "unravel_index", "_unravel_index" },
    { "_npi_maximum", "broadcast_maximum" },      { "_npx_rnn", "RNN" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const HybOp *op = hyb_op_find (rows[i][0]);

      g_assert_nonnull (op);
      g_assert_cmpstr (op->name, ==, rows[i][1]);
    }
  g_assert_null (hyb_op_find ("_sparse_nothing"));
}

/* Names are those of MXNet's list_outputs(): hidden outputs count, and some operators always have
 * numbers. */
static void
test_outputs_are_named_as_in_mxnet (void)
{
  static const char *const rows[][4] = {
    { "topk", "ret_typ", "value", "n_output0" },
    { "topk", "ret_typ", "mask", "n_output" },
    { "sort", "axis", "0", "n_output0" },
    { "moments", "axes", "0", "n_output0" },
    { "SliceChannel", "num_outputs", "1", "n_output0" },
    { "make_loss", NULL, NULL, "n_loss" },
    { "_contrib_box_nms", "topk", "2", "n_output0" },
    { "Dropout", "p", "0.5", "n_output" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *const attributes[] = { rows[i][1], rows[i][2], NULL };
      HybBuilder       *builder = hyb_builder_new ();
      HybValueId        data = hyb_builder_add_variable (builder, "data", NULL);
      g_autoptr (HybGraph) graph = NULL;
      g_auto (GStrv) names = NULL;

      hyb_builder_add_head (builder, hyb_builder_call (builder, rows[i][0],
                                                       &(HybNodeSpec){ .name = "n",
                                                                       .n_inputs = 1,
                                                                       .inputs = &data,
                                                                       .attributes = attributes },
                                                       NULL));
      graph = hyb_builder_freeze (builder);
      names = hyb_graph_dup_output_names (graph);
      g_assert_cmpstr (names[0], ==, rows[i][3]);
    }
}

TEST_PROGRAM (test_op_list)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/ops/op-list/every-file-has-a-test", test_every_file_has_a_test);
  g_test_add_func ("/engine/ops/op-list/every-file-exists", test_every_file_exists);
  g_test_add_func ("/engine/ops/op-list/recording-operators-exist", test_recording_operators_exist);
  g_test_add_func ("/engine/ops/op-list/second-names-are-known", test_second_names_are_known);
  g_test_add_func ("/engine/ops/op-list/outputs-are-named-as-in-mxnet",
                   test_outputs_are_named_as_in_mxnet);

  return g_test_run ();
}
