/* softmax-output-kernel.h — the gradient loops of softmax-output.c, for float and double: one over
 * all elements for labels that are probabilities, one over rows and classes for class numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The incoming gradient of an element, or 1 if it is ignored. */
static inline REAL
NAME (incoming) (const SoftmaxOutputArgs *args, gint64 index)
{
  return args->incoming ? ((const REAL *) args->incoming)[index] : 1;
}

/* Labels that are probabilities: p − label. */
static void
NAME (probability_gradient) (const SoftmaxOutputArgs *args)
{
  const REAL *p = args->p;
  REAL       *to = args->to;

  for (gint64 i = 0; i < args->size; i++)
    {
      double label = hyb_dtype_get_double (args->label, args->label_dtype, (gsize) i);

      to[i] = (p[i] - (REAL) label) * (REAL) args->params->grad_scale * NAME (incoming) (args, i);
    }
}

/* Labels that are class numbers: p − target, where the target is 1 − a at the label and
 * a / (K − 1) elsewhere, with a = smooth_alpha and K classes.  With multi_output MXNet ignores
 * smooth_alpha. */
static void
NAME (label_gradient) (const SoftmaxOutputArgs *args)
{
  const SoftmaxOutputParams *params = args->params;
  gint64                     classes = args->view.length, inner = args->view.inner;
  double                     alpha = params->multi_output ? 0 : params->smooth_alpha;
  REAL                       scale = (REAL) gradient_scale (args);
  REAL                       at_label = (REAL) (1.0 - alpha);
  REAL                       elsewhere = (REAL) (classes > 1 ? alpha / (double) (classes - 1) : 0);

  for (gint64 row = 0; row < args->view.outer * inner; row++)
    {
      gint64   base = row / inner * classes * inner + row % inner;
      gint64   label = hyb_dtype_get_int (args->label, args->label_dtype, (gsize) row);
      gboolean ignored = params->use_ignore && is_ignored (args, label);

      for (gint64 k = 0; k < classes; k++)
        {
          gint64 at = base + k * inner;
          REAL   p = ((const REAL *) args->p)[at];
          REAL   target = k == label ? at_label : elsewhere;

          ((REAL *) args->to)[at] = ignored ? 0 : (p - target) * scale * NAME (incoming) (args, at);
        }
    }
}
