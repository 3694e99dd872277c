/* test-narrow-checkpoint.c — the four checkpoints of mx.rnn with weights of 16 and 8 bits: exactly the bytes
 * that the type takes, MXNet's outputs within the rounding of a weight, and the same after writing and
 * reading.
 *
 * MXNet saves the weights of each gate on their own; opening a model packs them for the graph, so what
 * becomes narrow is not what lies in the file.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/formats/format.h"
#include "engine/open/open.h"
#include "engine/quantised/narrow-model.h"
#include "engine/variants/proof/prove.h"
#include "tests/engine/goldens/golden.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define FOLDER SOURCE_ROOT "/tests/data/goldens/models/"
/* MXNet's own numbers agree with ours to this with float32 weights. */
#define ROUNDING_OF_FLOATS 1e-5

static const char *const checkpoints[] = {
  "rnn-checkpoint-fused-gru-bi",
  "rnn-checkpoint-fused-lstm",
  "rnn-checkpoint-stack",
  "rnn-checkpoint-tanh",
};

/* The parameter file of a checkpoint, whose epoch is part of its name.  (transfer full) */
static char *
find_file (const char *name)
{
  g_autofree char *folder = g_strconcat (FOLDER, name, NULL);
  g_autoptr (GDir) files = g_dir_open (folder, 0, NULL);
  const char *file;

  while ((file = g_dir_read_name (files)))
    if (g_str_has_suffix (file, ".params"))
      return g_build_filename (folder, file, NULL);
  g_assert_not_reached ();
}

static HybModel *
open_checkpoint (const char *name)
{
  g_autofree char *symbol = g_strdup_printf (FOLDER "%s/%s-symbol.json", name, name);
  g_autoptr (GError) error = NULL;
  HybModel *model = hyb_model_open (symbol, NULL, HYB_EPOCH_HIGHEST, &error);

  g_assert_no_error (error);
  return model;
}

static HybModel *
make_narrow (HybModel *model, const HybNarrowType *type, HybNarrowReport *report)
{
  g_autoptr (GError) error = NULL;
  HybModel *narrow = hyb_narrow_model (model, type, report, &error);

  g_assert_no_error (error);
  return narrow;
}

/* --- Bytes --- */

/* The bytes that an array of MXNet's file takes with this type.  Half floats: matrices, and the biases that a
 * fused layer has in one vector with its weights.  int8: weights of products, with a scale for each row. */
static gint64
expected_bytes (const HybNamedTensor *array, const HybNarrowType *type, gboolean is_fused)
{
  const HybShape *shape = hyb_tensor_get_shape (array->tensor);
  gint64          size = hyb_tensor_get_size (array->tensor);
  gboolean        is_embedding = strstr (array->name, "embed") != NULL;
  gboolean        is_of_cell = !is_embedding && !strstr (array->name, "pred");

  if (type->dtype == HYB_I8)
    return shape->rank == 2 && !is_embedding ? shape->dim[0] * (shape->dim[1] + 4) : 4 * size;
  return shape->rank == 2 || (is_fused && is_of_cell) ? 2 * size : 4 * size;
}

static void
check_bytes (const char *name, const HybNarrowType *type)
{
  g_autofree char *path = find_file (name);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensorList) arrays = hyb_weights_read_file (path, NULL, &error);
  g_autoptr (HybModel) model = open_checkpoint (name);
  HybNarrowReport report;
  g_autoptr (HybModel) narrow = make_narrow (model, type, &report);
  gint64 before = 0, after = 0;

  g_assert_no_error (error);
  for (guint i = 0; i < hyb_tensor_list_n (arrays); i++)
    {
      const HybNamedTensor *array = hyb_tensor_list_get (arrays, i);

      before += (gint64) hyb_tensor_get_bytes (array->tensor);
      after += expected_bytes (array, type, !strstr (name, "stack"));
    }
  g_assert_cmpint ((gint64) report.bytes_before, ==, before);
  g_assert_cmpint ((gint64) report.bytes_after, ==, after);
  g_assert_cmpint (after, <, before);
}

static void
test_bytes (gconstpointer type)
{
  for (guint i = 0; i < G_N_ELEMENTS (checkpoints); i++)
    check_bytes (checkpoints[i], hyb_narrow_type_find (type));
}

/* --- Outputs --- */

static GHashTable *
read_arrays (const char *name, const char *file)
{
  g_autofree char *path = g_strdup_printf (FOLDER "%s/%s", name, file);
  g_autoptr (GError) error = NULL;
  GHashTable *arrays = golden_read_npz (path, &error);

  g_assert_no_error (error);
  return arrays;
}

/* Runs a model on the input of a checkpoint and returns its only output.  (transfer full) */
static HybTensor *
run_on (HybModel *model, const char *name)
{
  g_autoptr (GHashTable) tensors = read_arrays (name, "input.npz");
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GError) error = NULL;
  GoldenRun run = { .graph = hyb_model_get_graph (model),
                    .tensors = tensors,
                    .mode = HYB_MODE_STATIC };

  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *parameter = hyb_model_get_parameter_name (model, i);

      g_hash_table_replace (tensors, g_strdup (parameter),
                            hyb_tensor_ref (hyb_model_get_parameter (model, parameter)));
    }
  outputs = golden_run (&run, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (outputs->len, ==, 1);
  return hyb_tensor_ref (outputs->pdata[0]);
}

/* The largest difference between an output and MXNet's. */
static double
difference_from_mxnet (HybTensor *got, const char *name)
{
  g_autoptr (GHashTable) outputs = read_arrays (name, "output.npz");
  HybTensor *want = g_hash_table_lookup (outputs, "softmax_output");
  double     largest = 0;

  g_assert_nonnull (want);
  g_assert_cmpint (hyb_tensor_get_size (got), ==, hyb_tensor_get_size (want));
  for (gint64 i = 0; i < hyb_tensor_get_size (want); i++)
    largest = fmax (largest, fabs (hyb_tensor_get_value (got, i) - hyb_tensor_get_value (want, i)));
  return largest;
}

/* How far outputs may be from those with float weights: the rounding of one weight, of the largest output.  Errors
 * of many weights add up, but as often with one sign as with the other, and states and probabilities move by
 * less than what they are computed from. */
static double
allowed_difference (const char *name, const HybNarrowType *type)
{
  g_autoptr (GHashTable) outputs = read_arrays (name, "output.npz");
  HybTensor *want = g_hash_table_lookup (outputs, "softmax_output");
  double     largest = 0;

  for (gint64 i = 0; i < hyb_tensor_get_size (want); i++)
    largest = fmax (largest, fabs (hyb_tensor_get_value (want, i)));
  return type->rounding * largest;
}

static void
check_outputs (const char *name, const HybNarrowType *type, const char *folder)
{
  g_autofree char *prefix = g_build_filename (folder, name, NULL);
  g_autofree char *symbol = g_strconcat (prefix, "-symbol.json", NULL);
  g_autoptr (GPtrArray) written = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  HybNarrowReport report;
  g_autoptr (HybModel) model = open_checkpoint (name);
  g_autoptr (HybModel) narrow = make_narrow (model, type, &report);
  g_autoptr (HybModel) again = NULL;
  g_autoptr (HybTensor) plain = run_on (model, name);
  g_autoptr (HybTensor) first = run_on (narrow, name);
  g_autoptr (HybTensor) second = NULL;

  g_assert_cmpfloat (difference_from_mxnet (plain, name), <=, ROUNDING_OF_FLOATS);
  g_test_message ("%s %s: %.3g from MXNet, %.3g allowed", name, type->name,
                  difference_from_mxnet (first, name), allowed_difference (name, type));
  g_assert_cmpfloat (difference_from_mxnet (first, name), <=, allowed_difference (name, type));
  hyb_model_save (narrow, prefix, 0, written, &error);
  g_assert_no_error (error);
  again = hyb_model_open (symbol, NULL, HYB_EPOCH_HIGHEST, &error);
  g_assert_no_error (error);
  second = run_on (again, name);
  g_assert_cmpmem (hyb_tensor_get_data (second), hyb_tensor_get_bytes (second),
                   hyb_tensor_get_data (first), hyb_tensor_get_bytes (first));
  for (guint i = 0; i < written->len; i++)
    g_assert_cmpint (g_remove (written->pdata[i]), ==, 0);
}

static void
test_outputs (gconstpointer type)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("narrow-XXXXXX", &error);

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (checkpoints); i++)
    check_outputs (checkpoints[i], hyb_narrow_type_find (type), folder);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* --- What prove says --- */

/* Without a tolerance of the type, prove finds the rounding and says how large it is. */
static void
check_proof (const char *name, const HybNarrowType *type)
{
  HybNarrowReport report;
  g_autoptr (HybModel) model = open_checkpoint (name);
  g_autoptr (HybModel) narrow = make_narrow (model, type, &report);
  g_auto (HybProof) exact = { 0 };
  g_auto (HybProof) allowed = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_strdup_printf (FOLDER "%s/input.npz", name);
  g_autoptr (HybTensorList) input = hyb_weights_read_file (path, NULL, &error);

  g_assert_no_error (error);
  hyb_prove (model, narrow, &(HybProveOptions){ .input = input }, &exact, &error);
  g_assert_no_error (error);
  hyb_prove (model, narrow, &(HybProveOptions){ .input = input, .tolerance = type->tolerance },
             &allowed, &error);
  g_assert_no_error (error);
  g_test_message ("%s %s: %.3g at %s, tolerance %.3g", name, type->name, allowed.max_abs,
                  allowed.worst_output, exact.tolerance);
  g_assert_true (allowed.ok);
  g_assert_cmpfloat (allowed.max_abs, >, 0);
  g_assert_cmpfloat (allowed.max_abs, <=, allowed_difference (name, type));
  g_assert_cmpstr (allowed.worst_output, ==, "softmax_output");
  g_assert_cmpfloat (exact.tolerance, <, type->rounding);
  g_assert_cmpint (exact.ok, ==, exact.max_abs <= exact.tolerance);
}

static void
test_proof (gconstpointer type)
{
  for (guint i = 0; i < G_N_ELEMENTS (checkpoints); i++)
    check_proof (checkpoints[i], hyb_narrow_type_find (type));
}

TEST_PROGRAM (test_narrow_checkpoint)
{
  static const char *const types[] = { "float16", "bfloat16", "int8" };

  g_test_init (&argc, &argv, NULL);
  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    {
      static const struct
      {
        const char   *name;
        GTestDataFunc run;
      } tests[] = { { "bytes", test_bytes }, { "outputs", test_outputs }, { "proof", test_proof } };

      for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
        {
          g_autofree char *path = g_strdup_printf ("/engine/quantised/narrow-checkpoint/%s-%s",
                                                   types[t], tests[i].name);

          g_test_add_data_func (path, types[t], tests[i].run);
        }
    }
  return g_test_run ();
}
