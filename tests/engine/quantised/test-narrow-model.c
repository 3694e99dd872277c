/* test-narrow-model.c — exports with weights of 16 and 8 bits: fewer bytes, outputs within the rounding of
 * weights, the same bytes after writing and reading, and products that read the weights as they are.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/exec/executor.h"
#include "engine/formats/npz.h"
#include "engine/open/open.h"
#include "engine/quantised/narrow-model.h"
#include "engine/variants/proof/prove.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define FOLDER SOURCE_ROOT "/tests/data/goldens/models/"

/* Exports of MXNet with recurrent layers: fused by Gluon with LSTM, GRU and plain cells, fused by mx.rnn;
 * then a loop and a written-out cell. */
static const char *const exports[] = {
  "lm-lstm",       "layer-nested-gru-l1-tnc", "layer-sequential-rnn-relu-l2-bi-tnc",
  "fused-lstm-l1", "foreachrnn-lstm",         "cell-lstm-t6-ntc-none",
};

static const char *const type_names[] = { "float16", "bfloat16", "int8" };

static HybModel *
open_export (const char *name)
{
  g_autofree char *symbol = g_strdup_printf (FOLDER "%s/%s-symbol.json", name, name);
  g_autoptr (GError) error = NULL;
  HybModel *model = hyb_model_open (symbol, NULL, HYB_EPOCH_HIGHEST, &error);

  g_assert_no_error (error);
  return model;
}

static HybTensorList *
read_input (const char *name)
{
  g_autofree char *path = g_strdup_printf (FOLDER "%s/input.npz", name);
  g_autoptr (GError) error = NULL;
  HybTensorList *list = hyb_npz_read_file (path, &error);

  g_assert_no_error (error);
  return list;
}

static HybModel *
make_narrow (HybModel *model, const char *type, HybNarrowReport *report)
{
  g_autoptr (GError) error = NULL;
  HybModel *narrow = hyb_narrow_model (model, hyb_narrow_type_find (type), report, &error);

  g_assert_no_error (error);
  g_assert_true (hyb_graph_verify (hyb_model_get_graph (narrow), &error));
  g_assert_no_error (error);
  return narrow;
}

/* --- Size and error --- */

/* What prove measures is 0.05 to 0.5 times the rounding of one weight for these exports, and up to 1.5 times
 * for int8, whose rounding counts from the largest weight of a row; the tolerance of the type is 16 times.
 * This test allows less, so that it fails if weights are cut instead of rounded. */
static void
check_error (const char *name, const char *type_name)
{
  const HybNarrowType *type = hyb_narrow_type_find (type_name);
  HybNarrowReport      report;
  g_autoptr (HybModel) model = open_export (name);
  g_autoptr (HybModel) narrow = make_narrow (model, type_name, &report);
  g_autoptr (HybTensorList) input = read_input (name);
  g_auto (HybProof) proof = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (report.n_parameters, >, 0);
  g_assert_cmpuint (report.bytes_after, <=, report.bytes_before * 2 / 3);
  g_assert_true (hyb_prove (model, narrow,
                            &(HybProveOptions){ .input = input, .tolerance = type->tolerance },
                            &proof, &error));
  g_assert_no_error (error);
  g_test_message ("%s %s: %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT
                  " bytes, largest difference %.3g of the largest element",
                  name, type_name, report.bytes_after, report.bytes_before, proof.max_rel);
  g_assert_true (proof.ok);
  g_assert_cmpfloat (proof.max_abs, >, 0);
  g_assert_cmpfloat (proof.max_abs, <=, (type->dtype == HYB_I8 ? 2 : 1) * type->rounding);
}

static void
test_error (gconstpointer type)
{
  for (guint i = 0; i < G_N_ELEMENTS (exports); i++)
    check_error (exports[i], type);
}

/* --- Files --- */

/* Runs a model on the input of an export; the first output.  (transfer full) */
static HybTensor *
run_on (HybModel *model, const char *name, const HybExecutorOptions *options)
{
  HybGraph *graph = hyb_model_get_graph (model);
  g_autoptr (HybTensorList) input = read_input (name);
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, options);
  g_autoptr (GError) error = NULL;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *variable = hyb_graph_get_node (graph, variables[i])->name;
      HybTensor  *tensor = hyb_model_get_parameter (model, variable);

      if (!tensor)
        tensor = hyb_tensor_list_find (input, variable);
      g_assert_nonnull (tensor);
      hyb_executor_bind (executor, variable, tensor, &error);
      g_assert_no_error (error);
    }
  hyb_executor_run (executor, NULL, &error);
  g_assert_no_error (error);
  return hyb_tensor_copy (hyb_executor_get_output (executor, 0));
}

static void
assert_same_bytes (HybTensor *a, HybTensor *b)
{
  g_assert_cmpmem (hyb_tensor_get_data (a), hyb_tensor_get_bytes (a), hyb_tensor_get_data (b),
                   hyb_tensor_get_bytes (b));
}

static void
check_round_trip (const char *name, const char *type, const char *folder)
{
  const HybExecutorOptions options = { .mode = HYB_MODE_HYBRID };
  g_autofree char         *prefix = g_build_filename (folder, name, NULL);
  g_autofree char         *symbol = g_strconcat (prefix, "-symbol.json", NULL);
  g_autoptr (GPtrArray) written = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  HybNarrowReport report;
  g_autoptr (HybModel) model = open_export (name);
  g_autoptr (HybModel) narrow = make_narrow (model, type, &report);
  g_autoptr (HybModel) again = NULL;
  g_autoptr (HybTensor) first = NULL;
  g_autoptr (HybTensor) second = NULL;

  hyb_model_save (narrow, prefix, 0, written, &error);
  g_assert_no_error (error);
  again = hyb_model_open (symbol, NULL, HYB_EPOCH_HIGHEST, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < hyb_model_n_parameters (narrow); i++)
    {
      const char *parameter = hyb_model_get_parameter_name (narrow, i);

      g_assert_cmpint (hyb_tensor_get_dtype (hyb_model_get_parameter (again, parameter)), ==,
                       hyb_tensor_get_dtype (hyb_model_get_parameter (narrow, parameter)));
    }
  first = run_on (narrow, name, &options);
  second = run_on (again, name, &options);
  assert_same_bytes (first, second);
  for (guint i = 0; i < written->len; i++)
    g_assert_cmpint (g_remove (written->pdata[i]), ==, 0);
}

static void
test_round_trip (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("narrow-XXXXXX", &error);

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (exports); i++)
    for (guint t = 0; t < G_N_ELEMENTS (type_names); t++)
      check_round_trip (exports[i], type_names[t], folder);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* A flat vector of RNN becomes a matrix for each product, and a vector of biases. */
static void
test_flat_vector (void)
{
  HybNarrowReport report;
  g_autoptr (HybModel) model = open_export ("fused-lstm-l1");
  g_autoptr (HybModel) narrow = make_narrow (model, "int8", &report);
  guint n_rows = 0, n_floats = 0;

  for (guint i = 0; i < hyb_model_n_parameters (narrow); i++)
    {
      HybTensor *tensor =
          hyb_model_get_parameter (narrow, hyb_model_get_parameter_name (narrow, i));

      n_rows += hyb_tensor_get_dtype (tensor) == HYB_I8;
      n_floats += hyb_tensor_get_dtype (tensor) == HYB_F32;
    }
  g_assert_cmpuint (report.n_parameters, ==, 2);
  g_assert_cmpuint (n_rows, ==, 2);
  g_assert_cmpuint (n_floats, ==, 1);
}

/* --- Errors --- */

static void
test_too_large (void)
{
  g_autoptr (HybModel) model = open_export ("fused-lstm-l1");
  const char *name = hyb_model_get_parameter_name (model, 0);
  g_autoptr (HybTensor) large = hyb_tensor_copy (hyb_model_get_parameter (model, name));
  g_autoptr (HybModel) half = NULL;
  g_autoptr (HybModel) brain = NULL;
  g_autoptr (GError) error = NULL;
  HybNarrowReport report;

  ((float *) hyb_tensor_get_data (large))[3] = 1e5f;
  hyb_model_set_parameter (model, name, large);
  half = hyb_narrow_model (model, hyb_narrow_type_find ("float16"), &report, &error);
  g_assert_null (half);
  g_assert_nonnull (strstr (error->message, "element 3 is 100000, which is too large for float16"));
  g_clear_error (&error);
  brain = hyb_narrow_model (model, hyb_narrow_type_find ("bfloat16"), &report, &error);
  g_assert_no_error (error);
}

static void
test_no_weights (void)
{
  g_autoptr (HybModel) model = open_export ("fused-lstm-l1");
  g_autoptr (HybModel) narrow = NULL;
  g_autoptr (GError) error = NULL;
  HybNarrowReport report;

  hyb_model_remove_parameter (model, hyb_model_get_parameter_name (model, 0));
  narrow = hyb_narrow_model (model, hyb_narrow_type_find ("float16"), &report, &error);
  g_assert_null (narrow);
  g_assert_nonnull (strstr (error->message, "no float32 weights"));
}

static void
test_names (void)
{
  g_assert_null (hyb_narrow_type_find ("float32"));
  for (guint t = 0; t < G_N_ELEMENTS (type_names); t++)
    g_assert_cmpstr (hyb_narrow_type_find (type_names[t])->name, ==, type_names[t]);
}

TEST_PROGRAM (test_narrow_model)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_data_func ("/engine/quantised/narrow-model/float16-error", "float16", test_error);
  g_test_add_data_func ("/engine/quantised/narrow-model/bfloat16-error", "bfloat16", test_error);
  g_test_add_data_func ("/engine/quantised/narrow-model/int8-error", "int8", test_error);
  g_test_add_func ("/engine/quantised/narrow-model/int8-matrices-of-a-flat-vector",
                   test_flat_vector);
  g_test_add_func ("/engine/quantised/narrow-model/round-trip", test_round_trip);
  g_test_add_func ("/engine/quantised/narrow-model/too-large-for-float16", test_too_large);
  g_test_add_func ("/engine/quantised/narrow-model/without-weights", test_no_weights);
  g_test_add_func ("/engine/quantised/narrow-model/names-of-types", test_names);
  return g_test_run ();
}
