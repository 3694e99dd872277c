/* batch-norm.c — BatchNorm, BatchNorm_v1, SyncBatchNorm and BatchNormWithReLU with their recording forms and
 * gradients, as engine/ops/nn/batch-norm.c defines them.
 *
 * A line is one channel of all samples.  Start with forward_prepare() and backward_prepare().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/lines.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/types.h"

typedef enum
{
  FORM_PLAIN,    /* the third output is 1 / √(variance + eps) */
  FORM_VARIANCE, /* the third output is the variance */
  FORM_RELU,     /* as FORM_PLAIN, with a rectifier behind it */
} Form;

static void
lay_channels (HybLines *lines, const HybCall *call, const HybShape *data)
{
  int    axis = hyb_cuda_axis_of (hyb_cuda_get_int (call, "axis", 1), data->rank);
  gint64 inner = hyb_shape_count (data, axis + 1, data->rank);

  lines->lines = data->dim[axis];
  lines->inner = 1;
  lines->outer_step = inner;
  lines->length = hyb_shape_count (data, 0, axis) * inner;
  lines->span = inner;
  lines->jump = data->dim[axis] * inner;
  lines->step = 1;
}

/* FALSE: the moving ones are used. */
static gboolean
uses_batch_statistics (const HybCall *call)
{
  return call->training && !hyb_cuda_get_int (call, "use_global_stats", FALSE);
}

static HybLinesIndex
index_of_gamma (const HybCall *call)
{
  return hyb_cuda_get_int (call, "fix_gamma", FALSE) ? HYB_LINES_NONE : HYB_LINES_LINE;
}

/* Inputs: data, gamma, beta, moving mean and variance.  Outputs: result, mean, spread; if it records, two more
 * that are the moving statistics. */
static gpointer
forward_prepare (HybDevice     *device,
                 const HybCall *call,
                 Form           form,
                 gboolean       records,
                 GError       **error)
{
  HybLinesIndex    gamma = index_of_gamma (call);
  HybLines         lines = { .computed = hyb_cuda_computed_type (call->op, call->output[0].dtype),
                             .number = { hyb_cuda_get_double (call, "eps"),
                                         hyb_cuda_get_double (call, "momentum") } };
  g_autofree char *then = NULL;

  lay_channels (&lines, call, &call->input[0].shape);
  if (uses_batch_statistics (call))
    {
      lines.pass[0] = (HybLinesPass) HYB_LINES_SUM ("x0");
      lines.pass[1] =
          (HybLinesPass) HYB_LINES_SUM ("((double) x0 - r0 / n) * ((double) x0 - r0 / n)");
    }
  then =
      g_strdup_printf ("const double mean = %s, variance = %s;"
                       " const T inverse = (T) (1 / sqrt (variance + a.s[0])), centre = (T) mean;"
                       " const T scale = inverse%s;",
                       uses_batch_statistics (call) ? "r0 / n" : "x3",
                       uses_batch_statistics (call) ? "r1 / n" : "x4",
                       gamma == HYB_LINES_NONE ? "" : " * x1");
  lines.then = then;
  hyb_lines_add_input (&lines, call->input[0].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_input (&lines, call->input[1].dtype, gamma, NULL);
  hyb_lines_add_input (&lines, call->input[2].dtype, HYB_LINES_LINE, NULL);
  hyb_lines_add_input (&lines, call->input[3].dtype, HYB_LINES_LINE, "double");
  hyb_lines_add_input (&lines, call->input[4].dtype, HYB_LINES_LINE, "double");
  hyb_lines_add_output (&lines, call->output[0].dtype, HYB_LINES_FULL,
                        form == FORM_RELU ? "m_max ((x0 - centre) * scale + x2, (T) 0)"
                                          : "(x0 - centre) * scale + x2");
  hyb_lines_add_output (&lines, call->output[1].dtype, HYB_LINES_LINE, "mean");
  hyb_lines_add_output (&lines, call->output[2].dtype, HYB_LINES_LINE,
                        form == FORM_VARIANCE ? "variance" : "inverse");
  if (records && uses_batch_statistics (call) && lines.length > 0)
    {
      hyb_lines_add_output (&lines, call->input[3].dtype, HYB_LINES_LINE,
                            "a.s[1] * x3 + (1 - a.s[1]) * mean");
      hyb_lines_add_output (&lines, call->input[4].dtype, HYB_LINES_LINE,
                            "a.s[1] * x4 + (1 - a.s[1]) * variance");
    }
  return hyb_lines_new (device, &lines, error);
}

#define FORWARD(id, form)                                                                 \
  static gpointer id##_prepare (HybDevice *device, const HybCall *call, gsize *workspace, \
                                GError **error)                                           \
  {                                                                                       \
    return forward_prepare (device, call, form, FALSE, error);                            \
  }                                                                                       \
  static gpointer id##_recording_prepare (HybDevice *device, const HybCall *call,         \
                                          gsize *workspace, GError **error)               \
  {                                                                                       \
    return forward_prepare (device, call, form, TRUE, error);                             \
  }
FORWARD (plain, FORM_PLAIN)
FORWARD (variance, FORM_VARIANCE)
FORWARD (relu, FORM_RELU)
#undef FORWARD

static void
forward_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  gpointer outputs[] = { run->output[0], run->output[1], run->output[2], (gpointer) run->input[3],
                         (gpointer) run->input[4] };

  hyb_lines_launch (queue, prepared, run->input, outputs);
}

/* --- Gradients.  Inputs: gradient, data, (FORM_RELU: output,) gamma, mean, spread --- */

/* With x̂ = (x − mean) · inverse: dx = gamma · inverse · (dy − mean (dy) − x̂ · mean (dy x̂)), without the two
 * means if the statistics are constants. */
static gpointer
backward_prepare (HybDevice *device, const HybCall *call, Form form, GError **error)
{
  HybLinesIndex    gamma = index_of_gamma (call);
  guint            next = form == FORM_RELU ? 3 : 2; /* the input gamma */
  const char      *g = form == FORM_RELU ? "(x2 > 0 ? x0 : 0)" : "x0";
  HybLines         lines = { .computed = hyb_cuda_computed_type (call->op, call->output[0].dtype),
                             .number = { hyb_cuda_get_double (call, "eps") } };
  g_autofree char *first = NULL, *product = NULL, *factor = NULL, *then = NULL, *formula = NULL;

  lay_channels (&lines, call, &call->input[1].shape);
  first = g_strdup_printf (form == FORM_VARIANCE
                               ? "const T inverse = (T) (1 / sqrt ((double) x%u + a.s[0]));"
                               : "const T inverse = x%u;",
                           next + 2);
  product = g_strdup_printf ("(double) %s * (double) (x1 - x%u)", g, next + 1);
  factor = gamma == HYB_LINES_LINE ? g_strdup_printf (" * x%u", next) : g_strdup ("");
  then = g_strdup_printf ("const double product = r1 * (double) inverse;"
                          " const T mean = (T) %s, slope = inverse * (T) %s, scale = inverse%s;",
                          uses_batch_statistics (call) ? "(r0 / n)" : "0",
                          uses_batch_statistics (call) ? "(product / n)" : "0", factor);
  formula = g_strdup_printf ("scale * (%s - mean - (x1 - x%u) * slope)", g, next + 1);
  lines.first = first;
  lines.pass[0] = (HybLinesPass) HYB_LINES_SUM (g);
  lines.pass[1] = (HybLinesPass) HYB_LINES_SUM (product);
  lines.then = then;
  for (guint k = 0; k < next; k++)
    hyb_lines_add_input (&lines, call->input[k].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_input (&lines, call->input[next].dtype, gamma, NULL);
  hyb_lines_add_input (&lines, call->input[next + 1].dtype, HYB_LINES_LINE, NULL);
  hyb_lines_add_input (&lines, call->input[next + 2].dtype, HYB_LINES_LINE, NULL);
  hyb_lines_add_output (&lines, call->output[0].dtype, HYB_LINES_FULL, formula);
  hyb_lines_add_output (&lines, call->output[1].dtype, HYB_LINES_LINE,
                        gamma == HYB_LINES_LINE ? "product" : "0");
  hyb_lines_add_output (&lines, call->output[2].dtype, HYB_LINES_LINE, "r0");
  return hyb_lines_new (device, &lines, error);
}

#define BACKWARD(id, form)                                                                \
  static gpointer id##_prepare (HybDevice *device, const HybCall *call, gsize *workspace, \
                                GError **error)                                           \
  {                                                                                       \
    return backward_prepare (device, call, form, error);                                  \
  }
BACKWARD (plain_backward, FORM_PLAIN)
BACKWARD (variance_backward, FORM_VARIANCE)
BACKWARD (relu_backward, FORM_RELU)
#undef BACKWARD

#define BATCH_NORM_OP(id, function)                                              \
  {                                                                              \
    .name = id, .prepare = function, .launch = forward_launch, .release = g_free \
  }

const HybDeviceOp hyb_cuda_ops_batch_norm[] = {
  BATCH_NORM_OP ("BatchNorm", plain_prepare),
  BATCH_NORM_OP ("_recording_BatchNorm", plain_recording_prepare),
  BATCH_NORM_OP ("BatchNorm_v1", variance_prepare),
  BATCH_NORM_OP ("_recording_BatchNorm_v1", variance_recording_prepare),
  BATCH_NORM_OP ("_contrib_SyncBatchNorm", variance_prepare),
  BATCH_NORM_OP ("_recording_SyncBatchNorm", variance_recording_prepare),
  BATCH_NORM_OP ("_contrib_BatchNormWithReLU", relu_prepare),
  BATCH_NORM_OP ("_recording_BatchNormWithReLU", relu_recording_prepare),
  HYB_LINES_OP ("_backward_BatchNorm", plain_backward_prepare),
  HYB_LINES_OP ("_backward_BatchNorm_v1", variance_backward_prepare),
  HYB_LINES_OP ("_backward_SyncBatchNorm", variance_backward_prepare),
  HYB_LINES_OP ("_backward_BatchNormWithReLU", relu_backward_prepare),
  { NULL },
};
