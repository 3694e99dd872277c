/* softmax-output.c — SoftmaxOutput and its gradient, as engine/ops/loss/softmax-output.c defines them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/lines.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/types.h"

#include <math.h>

/* The values of the attribute normalization. */
enum
{
  NORMALIZE_NULL,
  NORMALIZE_BATCH,
  NORMALIZE_VALID,
};

static int
class_axis (const HybCall *call, const HybShape *data)
{
  return hyb_cuda_get_int (call, "multi_output", FALSE) ? 1 : data->rank - 1;
}

static gpointer
forward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  const HybShape *shape = &call->input[0].shape;
  HybLines        lines = { .computed = hyb_cuda_computed_type (call->op, call->output[0].dtype),
                            .pass = { HYB_LINES_LARGEST ("x0"), HYB_LINES_SUM ("m_exp (x0 - r0)") },
                            .then = "const T factor = (T) (1 / r1);" };

  hyb_lines_lay_axis (&lines, shape, class_axis (call, shape));
  hyb_lines_add_input (&lines, call->input[0].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_output (&lines, call->output[0].dtype, HYB_LINES_FULL, "m_exp (x0 - r0) * factor");
  return hyb_lines_new (device, &lines, error);
}

/* --- Gradient --- */

typedef struct
{
  HybLinesKernel *count; /* of valid labels; NULL if they are not counted */
  HybLinesKernel *gradient;
} Prepared;

static void
backward_release (gpointer data)
{
  Prepared *prepared = data;

  g_free (prepared->count);
  g_free (prepared->gradient);
  g_free (prepared);
}

static gboolean
is_counted (const HybCall *call)
{
  return hyb_cuda_get_int (call, "normalization", NORMALIZE_NULL) == NORMALIZE_VALID &&
         !hyb_shape_equal (&call->input[1].shape, &call->input[0].shape);
}

/* The label that is ignored; NaN if none can be. */
static double
ignored_label (const HybCall *call)
{
  double ignored = trunc (hyb_cuda_get_double (call, "ignore_label"));

  return fabs (ignored) < 1e15 ? ignored : NAN;
}

/* The number of labels that are not ignored, as double. */
static HybLinesKernel *
prepare_count (HybDevice *device, const HybCall *call, GError **error)
{
  HybLines lines = { .computed = HYB_F64,
                     .pass = { HYB_LINES_SUM ("(double) x0 == a.s[0] ? 0 : 1") },
                     .number = { ignored_label (call) } };

  hyb_lines_lay_all (&lines, hyb_shape_size (&call->input[1].shape));
  hyb_lines_add_input (&lines, call->input[1].dtype, HYB_LINES_FULL, "I64");
  hyb_lines_add_output (&lines, HYB_F64, HYB_LINES_LINE, "r0");
  return hyb_lines_new (device, &lines, error);
}

/* Labels that are probabilities: (p − label) · grad_scale, times the incoming gradient if there is one. */
static HybLinesKernel *
prepare_probabilities (HybDevice *device, const HybCall *call, GError **error)
{
  gboolean has_incoming = call->n_inputs > 2;
  HybLines lines = { .computed = hyb_cuda_computed_type (call->op, call->output[0].dtype),
                     .number = { hyb_cuda_get_double (call, "grad_scale") } };

  hyb_lines_lay (&lines, hyb_shape_size (&call->input[0].shape), 1, 1);
  for (guint k = 0; k < call->n_inputs; k++)
    hyb_lines_add_input (&lines, call->input[k].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_output (&lines, call->output[0].dtype, HYB_LINES_FULL,
                        has_incoming ? "(x0 - x1) * c0 * x2" : "(x0 - x1) * c0");
  return hyb_lines_new (device, &lines, error);
}

/* The factor of the gradient without the number of valid labels. */
static double
find_scale (const HybCall *call, const HybLines *lines)
{
  gint64   normalization = hyb_cuda_get_int (call, "normalization", NORMALIZE_NULL);
  gboolean is_multi = hyb_cuda_get_int (call, "multi_output", FALSE) != 0;
  double   scale = hyb_cuda_get_double (call, "grad_scale");
  gint64   outer = lines->lines / MAX (1, lines->inner);

  if (is_multi && normalization != NORMALIZE_VALID)
    scale /= (double) MAX (lines->inner, 1);
  if (normalization == NORMALIZE_BATCH)
    scale /= (double) MAX (is_multi ? call->input[0].shape.dim[0] : outer, 1);
  return scale;
}

/* Labels that are class numbers: (p − target) · scale.  The inputs are p, the labels, the number of valid ones
 * and the incoming gradient; the last two may be missing. */
static HybLinesKernel *
prepare_labels (HybDevice *device, const HybCall *call, GError **error)
{
  const HybShape  *shape = &call->input[0].shape;
  gboolean         ignores = hyb_cuda_get_int (call, "use_ignore", FALSE) != 0;
  gboolean         is_multi = hyb_cuda_get_int (call, "multi_output", FALSE) != 0;
  double           alpha = is_multi ? 0 : hyb_cuda_get_double (call, "smooth_alpha");
  HybLines         lines = { .computed = hyb_cuda_computed_type (call->op, call->output[0].dtype) };
  g_autofree char *formula = NULL;

  hyb_lines_lay_axis (&lines, shape, class_axis (call, shape));
  lines.number[0] = 1 - alpha;
  lines.number[1] = lines.length > 1 ? alpha / (double) (lines.length - 1) : 0;
  lines.number[2] = find_scale (call, &lines);
  lines.number[3] = ignored_label (call);
  hyb_lines_add_input (&lines, call->input[0].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_input (&lines, call->input[1].dtype, HYB_LINES_LINE, "I64");
  hyb_lines_add_input (&lines, HYB_F64, HYB_LINES_ONE, "double");
  if (call->n_inputs > 2)
    hyb_lines_add_input (&lines, call->input[2].dtype, HYB_LINES_FULL, NULL);
  if (!is_counted (call))
    lines.input[2] = (HybLinesOperand){ HYB_F64, HYB_LINES_NONE, NULL };
  lines.first = is_counted (call) ? "const T scale = (T) (a.s[2] / (x2 > 1 ? x2 : 1));"
                                  : "const T scale = c2;";
  formula = g_strdup_printf ("%s(x0 - (k == x1 ? c0 : c1)) * scale%s",
                             ignores ? "(double) x1 == a.s[3] ? 0 : " : "",
                             call->n_inputs > 2 ? " * x3" : "");
  hyb_lines_add_output (&lines, call->output[0].dtype, HYB_LINES_FULL, formula);
  return hyb_lines_new (device, &lines, error);
}

/* Inputs: output, label, and with out_grad the incoming gradient. */
static gpointer
backward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  gboolean  is_probability = hyb_shape_equal (&call->input[1].shape, &call->input[0].shape);
  Prepared *prepared = g_new0 (Prepared, 1);

  if (is_counted (call))
    {
      *workspace = sizeof (double);
      prepared->count = prepare_count (device, call, error);
    }
  if (prepared->count || !is_counted (call))
    prepared->gradient = is_probability ? prepare_probabilities (device, call, error)
                                        : prepare_labels (device, call, error);
  if (!prepared->gradient)
    g_clear_pointer (&prepared, backward_release);
  return prepared;
}

static void
backward_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  const Prepared *prepared = data;
  gboolean        is_probability = hyb_shape_equal (&call->input[1].shape, &call->input[0].shape);
  gconstpointer   incoming = call->n_inputs > 2 ? run->input[2] : NULL;
  gconstpointer   labels[] = { run->input[0], run->input[1], run->workspace, incoming };

  if (prepared->count)
    hyb_lines_launch (queue, prepared->count, run->input + 1, &run->workspace);
  hyb_lines_launch (queue, prepared->gradient, is_probability ? run->input : labels, run->output);
}

const HybDeviceOp hyb_cuda_ops_softmax_output[] = {
  HYB_LINES_OP ("SoftmaxOutput", forward_prepare),
  { .name = "_backward_SoftmaxOutput",
    .prepare = backward_prepare,
    .launch = backward_launch,
    .release = backward_release },
  { NULL },
};
