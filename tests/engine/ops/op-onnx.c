/* op-onnx.c — checks that an operator that is written as ONNX computes the same when it is read again.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/ops/op-onnx.h"

#include "engine/exec/executor.h"
#include "engine/formats/format.h"
#include "engine/formats/npz.h"
#include "engine/onnx/export/export.h"

#include <math.h>

/* The graph as a model; parameters: all inputs but the first are stored. */
static HybModel *
make_model (const OpCaseGraph *sample, gboolean parameters)
{
  HybModel        *model = hyb_model_new ();
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (sample->graph, &n);

  hyb_model_set_graph (model, sample->graph);
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (sample->graph, variables[i])->name;

      if (parameters && i > 0)
        hyb_model_set_parameter (model, name, sample->inputs->pdata[i]);
      else
        hyb_model_set_input_type (model, name, hyb_tensor_get_type (sample->inputs->pdata[i]));
    }
  return model;
}

/* The model as ONNX, read again; NULL: it is refused. */
static HybModel *
write_model (const OpCaseGraph *sample, gboolean parameters, GPtrArray **files, GError **error)
{
  g_autoptr (HybModel) model = make_model (sample, parameters);
  const HybFormat *format = hyb_format_of_path ("written.onnx");
  HybModel        *written;

  *files = format->prepare (&(HybWriteJob){ .model = model, .path = "written.onnx" }, error);
  if (!*files)
    return NULL;
  written = hyb_written_files_read (format, *files, error);
  g_assert_no_error (*error);
  for (guint i = 0; i < hyb_model_get_findings (written)->len; i++)
    {
      const HybFinding *finding = hyb_model_get_findings (written)->pdata[i];

      g_assert_cmpstr (finding->severity < HYB_SEVERITY_ERROR ? "" : finding->message, ==, "");
    }
  return written;
}

static GPtrArray *
run (HybModel *model, const OpCaseGraph *sample)
{
  HybGraph          *graph = hyb_model_get_graph (model);
  HybExecutorOptions options = { .mode = HYB_MODE_HYBRID };
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);
  g_autoptr (GError) error = NULL;
  GPtrArray       *outputs = op_tensors_new (0);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (sample->graph, &n);
  const HybNodeId *own;

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (sample->graph, variables[i])->name;

      if (hyb_graph_find_variable (graph, name) != HYB_NO_ID)
        hyb_executor_bind (executor, name, sample->inputs->pdata[i], NULL);
    }
  own = hyb_graph_get_variables (graph, &n);
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, own[i])->name;
      HybTensor  *tensor = hyb_model_get_parameter (model, name);

      if (tensor)
        hyb_executor_bind (executor, name, tensor, NULL);
    }
  hyb_executor_run (executor, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < hyb_executor_n_outputs (executor); i++)
    g_ptr_array_add (outputs, hyb_tensor_ref (hyb_executor_get_output (executor, i)));
  return outputs;
}

/* What rounding in other places may change. */
static double
tolerance (HybDType dtype)
{
  if (!hyb_dtype_is_float (dtype))
    return 0;
  return dtype == HYB_F16 ? 4e-3 : dtype == HYB_BF16 ? 3e-2 : 2e-5;
}

static void
compare (HybTensor *got, HybTensor *want)
{
  g_autofree char *type = hyb_type_to_string (hyb_tensor_get_type (want));
  double           largest = 0;

  op_assert_type (got, type);
  for (gint64 i = 0; i < hyb_tensor_get_size (want); i++)
    if (isfinite (hyb_tensor_get_value (want, i)))
      largest = fmax (largest, fabs (hyb_tensor_get_value (want, i)));
  for (gint64 i = 0; i < hyb_tensor_get_size (want); i++)
    {
      double a = hyb_tensor_get_value (got, i), b = hyb_tensor_get_value (want, i);

      if (a == b || (isnan (a) && isnan (b)))
        continue;
      g_assert_cmpfloat (fabs (a - b), <=,
                         tolerance (hyb_tensor_get_dtype (want)) * fmax (1, largest));
    }
}

/* --- Files for another program --- */

static void
keep_files (const OpCase *this, const OpCaseGraph *sample, GPtrArray *files, GPtrArray *outputs)
{
  static guint     n_kept;
  const char      *folder = g_getenv ("HYB_WRITE_ONNX");
  HybWrittenFile  *file = files->pdata[0];
  g_autofree char *base = NULL, *arrays = NULL;
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (sample->graph, &n);

  if (!folder)
    return;
  base = g_strdup_printf ("%s/%s-%u", folder, this->op->name, n_kept++);
  arrays = g_strconcat (base, ".npz", NULL);
  g_free (file->path);
  file->path = g_strconcat (base, ".onnx", NULL);
  for (guint i = 0; i < n; i++)
    hyb_tensor_list_set (list, hyb_graph_get_node (sample->graph, variables[i])->name,
                         sample->inputs->pdata[i]);
  for (guint i = 0; i < outputs->len; i++)
    {
      g_autofree char *name = g_strdup_printf ("=%u", i);

      hyb_tensor_list_set (list, name, outputs->pdata[i]);
    }
  g_assert_true (hyb_written_files_commit (files, NULL, NULL));
  g_assert_true (hyb_weights_write_file (list, arrays, NULL));
}

void
op_check_onnx (const OpCase *this)
{
  g_autoptr (OpCaseGraph) sample = NULL;
  g_autoptr (HybModel) written = NULL;
  g_autoptr (GPtrArray) files = NULL;
  g_autoptr (GPtrArray) want = NULL;
  g_autoptr (GPtrArray) got = NULL;
  g_autoptr (GError) error = NULL;

  if (!onnx_rule_find (this->op))
    return;
  sample = op_case_new_sample (this, TRUE);
  written = write_model (sample, FALSE, &files, &error);
  if (!written)
    {
      g_clear_error (&error);
      written = write_model (sample, TRUE, &files, &error);
    }
  if (!written)
    {
      g_assert_nonnull (error);
      g_test_message ("%s is not written: %s", this->op->name, error->message);
      return;
    }
  want = op_run_graph (sample->graph, sample->inputs, FALSE, &error);
  g_assert_no_error (error);
  got = run (written, sample);
  g_assert_cmpuint (got->len, ==, want->len);
  keep_files (this, sample, files, want);
  for (guint i = 0; i < want->len; i++)
    compare (got->pdata[i], want->pdata[i]);
}
