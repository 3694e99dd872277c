/* test-write.c — tests of written ONNX files: files that did not change, arrays in files of their own, forms of operators by
 * version, dimensions that stay open, and what cannot be written.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/formats/file.h"
#include "engine/formats/format.h"
#include "engine/graph/builder.h"
#include "engine/onnx/export/patch.h"
#include "engine/open/open.h"
#include "tests/engine/onnx/nodes.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>

static const HybFormat *
onnx (void)
{
  return hyb_format_of_path ("a.onnx");
}

/* --- Files that were read --- */

/* A patch that changes nothing gives the same bytes, although all fields are written again. */
static void
test_a_file_without_changes_keeps_its_bytes (gconstpointer path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = hyb_file_read (path, 0, &error);
  g_autoptr (HybOnnxDocument) document = onnx_document_read_kept (bytes, path, &error);
  g_autoptr (HybProtobufWriter) written = NULL;
  g_autoptr (GBytes) copy = NULL;
  OnnxPatch patch = { 0 };

  g_assert_no_error (error);
  written = onnx_patch_apply (document, &patch, &error);
  g_assert_no_error (error);
  copy = hyb_protobuf_writer_get_bytes (written);
  g_assert_cmpmem (g_bytes_get_data (copy, NULL), g_bytes_get_size (copy),
                   g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static char *
new_folder (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("write-XXXXXX", &error);

  g_assert_no_error (error);
  return folder;
}

static void
remove_file (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_cmpint (g_unlink (path), ==, 0);
}

/* y = x W with a stored W. */
static HybModel *
linear_model (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybTensor) weight =
      hyb_tensor_new_float (2, (gint64[]){ 400, 3 }, (const float[1200]){ 1, 2, 3 });
  HybModel  *model = hyb_model_new ();
  HybValueId inputs[2];
  HybType    type = { hyb_shape_2d (5, 3), HYB_F32 };

  inputs[0] = hyb_builder_add_variable (builder, "x", NULL);
  inputs[1] = hyb_builder_add_variable (builder, "w", NULL);
  hyb_builder_add_head (builder,
                        hyb_builder_call (builder, "FullyConnected",
                                          &(HybNodeSpec){ .name = "y",
                                                          .n_inputs = 2,
                                                          .inputs = inputs,
                                                          .attributes =
                                                              (const char *const[]){
                                                                  "no_bias", "True", "num_hidden",
                                                                  "400", NULL } },
                                          NULL));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  hyb_model_set_graph (model, graph);
  hyb_model_set_parameter (model, "w", weight);
  hyb_model_set_input_type (model, "x", &type);
  return model;
}

static void
save (HybModel *model, const char *path, gsize largest)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) files =
      onnx ()->prepare (&(HybWriteJob){ .model = model, .path = path, .largest = largest }, &error);

  g_assert_no_error (error);
  g_assert_true (hyb_written_files_commit (files, NULL, &error));
  g_assert_no_error (error);
}

static void
check_weight (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = hyb_model_open (path, NULL, -1, &error);
  HybTensor *weight;

  g_assert_no_error (error);
  weight = hyb_model_get_parameter (model, "w");
  g_assert_nonnull (weight);
  g_assert_cmpfloat (hyb_tensor_get_value (weight, 2), ==, 3);
  g_assert_cmpfloat (hyb_tensor_get_value (weight, 1199), ==, 0);
}

/* Written beside itself the file refers to the same arrays; in another folder the arrays come along. */
static void
test_large_arrays_get_a_file_that_moves_with_the_model (void)
{
  g_autofree char *folder = new_folder (), *other = new_folder ();
  g_autofree char *path = g_build_filename (folder, "a.onnx", NULL);
  g_autofree char *data = g_build_filename (folder, "a.onnx.data", NULL);
  g_autofree char *copy = g_build_filename (folder, "b.onnx", NULL);
  g_autofree char *moved = g_build_filename (other, "c.onnx", NULL);
  g_autofree char *moved_data = g_build_filename (other, "c.onnx.data", NULL);
  g_autoptr (HybModel) model = linear_model ();
  g_autoptr (HybModel) opened = NULL;
  g_autoptr (GError) error = NULL;

  save (model, path, 4801);
  g_assert_false (g_file_test (data, G_FILE_TEST_EXISTS));
  save (model, path, 4800);
  g_assert_true (g_file_test (data, G_FILE_TEST_EXISTS));
  check_weight (path);

  opened = hyb_model_open (path, NULL, -1, &error);
  g_assert_no_error (error);
  save (opened, copy, 0);
  save (opened, moved, 0);
  check_weight (copy);
  g_assert_true (g_file_test (moved_data, G_FILE_TEST_EXISTS));
  remove_file (folder, "a.onnx.data");
  check_weight (moved);

  remove_file (folder, "a.onnx");
  remove_file (folder, "b.onnx");
  remove_file (other, "c.onnx");
  remove_file (other, "c.onnx.data");
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_assert_cmpint (g_rmdir (other), ==, 0);
}

/* --- Graphs of the engine --- */

/* The model of one node on x (and y), read again after it was written; NULL: refused. */
static HybModel *
write_node (const char        *op,
            const char *const *attributes,
            const HybType     *x,
            gint64             opset,
            GError           **error)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GPtrArray) files = NULL;
  HybValueId input;

  hyb_builder_set_legacy_shapes (builder, FALSE);
  input = hyb_builder_add_variable (builder, "x", NULL);
  hyb_builder_add_head (builder, hyb_builder_call (builder, op,
                                                   &(HybNodeSpec){ .name = "node",
                                                                   .n_inputs = 1,
                                                                   .inputs = &input,
                                                                   .attributes = attributes },
                                                   NULL));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  hyb_model_set_graph (model, graph);
  hyb_model_set_input_type (model, "x", x);
  files = onnx ()->prepare (&(HybWriteJob){ .model = model, .path = "a.onnx", .version = opset },
                            error);
  return files ? hyb_written_files_read (onnx (), files, error) : NULL;
}

static guint
count_nodes (HybModel *model, const char *type)
{
  HybGraph *graph = hyb_model_get_graph (model);
  guint     n = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    n += strcmp (hyb_graph_get_node (graph, id)->type, type) == 0;
  return n;
}

/* The graph returns its input as well; the file has one value of that name. */
static void
test_an_input_may_be_an_output (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (HybModel) read = NULL;
  g_autoptr (GPtrArray) files = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) names = NULL;
  HybType    type = { hyb_shape_2d (2, 3), HYB_F32 };
  HybValueId x = hyb_builder_add_variable (builder, "x", NULL);

  hyb_builder_add_head (builder, x);
  hyb_builder_add_head (builder,
                        hyb_builder_call (builder, "relu",
                                          &(HybNodeSpec){
                                              .name = "node", .n_inputs = 1, .inputs = &x },
                                          NULL));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  hyb_model_set_graph (model, graph);
  hyb_model_set_input_type (model, "x", &type);
  files = onnx ()->prepare (&(HybWriteJob){ .model = model, .path = "a.onnx" }, &error);
  g_assert_no_error (error);
  read = hyb_written_files_read (onnx (), files, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hyb_model_get_findings (read)->len, ==, 0);
  names = hyb_graph_dup_output_names (hyb_model_get_graph (read));
  g_assert_cmpstr (names[0], ==, "x");
  g_assert_cmpuint (count_nodes (read, "Identity"), ==, 0);
}

/* Axes were an attribute before version 13 and are an input since. */
static void
test_operators_have_the_form_of_their_version (void)
{
  const char *const axis[] = { "axis", "0", NULL };
  HybType           type = { hyb_shape_2d (2, 3), HYB_F32 };

  for (gint64 opset = 9; opset <= 20; opset++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (HybModel) model = write_node ("expand_dims", axis, &type, opset, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (count_nodes (model, "Unsqueeze"), ==, 1);
      g_assert_cmpuint (hyb_model_n_parameters (model), ==, opset >= 13 ? 1 : 0);
      g_assert_cmpuint (hyb_model_get_findings (model)->len, ==, 0);
    }
}

/* Round is in ONNX from version 11 on. */
static void
test_operators_newer_than_the_file_are_refused (void)
{
  const char *const none[] = { NULL };
  HybType           type = { hyb_shape_2d (2, 3), HYB_F32 };
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = write_node ("rint", none, &type, 11, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (count_nodes (model, "Round"), ==, 1);
  g_assert_null (write_node ("rint", none, &type, 10, &error));
  g_assert_nonnull (strstr (error->message, "Round, which is in version 11"));
}

/* Nothing in the graph fixes the sizes of x. */
static void
test_dimensions_that_nothing_fixes_are_open (void)
{
  HybType type = { hyb_shape_2d (2, 3), HYB_F32 };
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = write_node ("tanh", NULL, &type, 0, &error);
  g_autofree HybType *types = NULL;

  g_assert_no_error (error);
  types = hyb_model_new_types (model);
  g_assert_true (hyb_graph_get_dialect (hyb_model_get_graph (model))
                     ->infer_types (hyb_model_get_graph (model), types, NULL, FALSE, NULL));
  g_assert_cmpstr (hyb_dim_get_name (types[0].shape.dim[0]), ==, "x_0");
  g_assert_cmpstr (hyb_dim_get_name (types[0].shape.dim[1]), ==, "x_1");
}

static void
test_operators_without_a_rule_are_all_named (void)
{
  HybType type = { hyb_shape_2d (3, 3), HYB_F32 };
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = write_node ("_linalg_potrf", NULL, &type, 0, &error);

  g_assert_null (model);
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE);
  g_assert_nonnull (strstr (error->message, "cannot be written as ONNX: _linalg_potrf"));
}

static void
add_files (const char *folder)
{
  g_autofree char *path = g_build_filename (SOURCE_ROOT, "tests/data/onnx", folder, NULL);
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  const char *name;

  while (directory && (name = g_dir_read_name (directory)))
    if (g_str_has_suffix (name, ".onnx"))
      {
        g_autofree char *test =
            g_strconcat ("/engine/onnx/write/keeps-its-bytes/", folder, name, NULL);

        g_test_add_data_func_full (test, g_build_filename (path, name, NULL),
                                   test_a_file_without_changes_keeps_its_bytes, g_free);
      }
}

TEST_PROGRAM (test_write)
{
  g_test_init (&argc, &argv, NULL);
  add_files ("");
  add_files ("control");
  add_files ("runtime");
  g_test_add_func ("/engine/onnx/write/large-arrays-get-a-file-that-moves-with-the-model",
                   test_large_arrays_get_a_file_that_moves_with_the_model);
  g_test_add_func ("/engine/onnx/write/an-input-may-be-an-output", test_an_input_may_be_an_output);
  g_test_add_func ("/engine/onnx/write/operators-have-the-form-of-their-version",
                   test_operators_have_the_form_of_their_version);
  g_test_add_func ("/engine/onnx/write/operators-newer-than-the-file-are-refused",
                   test_operators_newer_than_the_file_are_refused);
  g_test_add_func ("/engine/onnx/write/dimensions-that-nothing-fixes-are-open",
                   test_dimensions_that_nothing_fixes_are_open);
  g_test_add_func ("/engine/onnx/write/operators-without-a-rule-are-all-named",
                   test_operators_without_a_rule_are_all_named);
  return g_test_run ();
}
