/* equality.c — compares the outputs of two subjects element by element.
 *
 * Heads are matched by position, gradients by the name of their parameter.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/equality.h"

#include "engine/device/gpu.h"

#include <math.h>

/* Relative to the largest value.  Sums over a long sequence differ when the order of summation
 * does; this much is far below any difference that matters to users of the model. */
#define TOLERANCE 1e-4
/* Where a GPU may round the operands of products to 10 bits of fraction. */
#define FAST_TOLERANCE 1e-2

static double
tolerance_of (const ProfSubject *subject)
{
  const HybGpu *gpu = prof_subject_get_options (subject)->gpu;

  return gpu && hyb_gpu_get_math (gpu) == HYB_GPU_FAST ? FAST_TOLERANCE : TOLERANCE;
}

/* Updates equality and the largest finite value.  FALSE if a difference is not finite. */
static gboolean
compare_tensors (HybTensor *a, HybTensor *b, ProfEquality *equality, double *largest)
{
  gboolean is_close = TRUE;

  for (gint64 i = 0; i < hyb_tensor_get_size (a); i++)
    {
      double x = hyb_tensor_get_value (a, i), y = hyb_tensor_get_value (b, i);
      double difference = x == y || (isnan (x) && isnan (y)) ? 0 : fabs (x - y);

      *largest = MAX (*largest, isfinite (x) ? fabs (x) : 0);
      if (!isfinite (difference))
        is_close = FALSE;
      else
        equality->max_abs = MAX (equality->max_abs, difference);
    }
  return is_close;
}

/* The gradient of this parameter; NULL if subject has none. */
static HybTensor *
find_gradient (ProfSubject *subject, const char *name)
{
  for (guint i = prof_subject_n_heads (subject); i < prof_subject_n_outputs (subject); i++)
    if (g_strcmp0 (prof_subject_get_gradient_name (subject, i), name) == 0)
      return prof_subject_get_output (subject, i);
  return NULL;
}

static void
set_unmatched (ProfEquality *equality, guint output, HybTensor *x, HybTensor *y)
{
  equality->unmatched = output + 1;
  equality->sizes[0] = x ? hyb_tensor_get_size (x) : -1;
  equality->sizes[1] = y ? hyb_tensor_get_size (y) : -1;
}

void
prof_compare_numbers (ProfSubject *a, ProfSubject *b, ProfEquality *equality)
{
  guint  n_heads = MIN (prof_subject_n_heads (a), prof_subject_n_heads (b));
  double largest = 0;

  *equality = (ProfEquality){ .is_finite = TRUE };
  for (guint i = 0; i < prof_subject_n_outputs (a); i++)
    {
      HybTensor *x = prof_subject_get_output (a, i);
      HybTensor *y = i < n_heads ? prof_subject_get_output (b, i)
                     : i < prof_subject_n_heads (a)
                         ? NULL
                         : find_gradient (b, prof_subject_get_gradient_name (a, i));

      if (!y || hyb_tensor_get_size (x) != hyb_tensor_get_size (y))
        {
          /* Fused layers have one array of weights; no other form has a gradient of that array. */
          if (i < prof_subject_n_heads (a) && equality->unmatched == 0)
            set_unmatched (equality, i, x, y);
          continue;
        }
      equality->is_finite = compare_tensors (x, y, equality, &largest) && equality->is_finite;
      equality->n_compared++;
    }
  if (equality->unmatched == 0 && prof_subject_n_heads (b) > prof_subject_n_heads (a))
    set_unmatched (equality, n_heads, NULL, prof_subject_get_output (b, n_heads));
  equality->tolerance = MAX (tolerance_of (a), tolerance_of (b)) * MAX (largest, 1);
  equality->ok = equality->unmatched == 0 && equality->is_finite && equality->n_compared > 0 &&
                 equality->max_abs <= equality->tolerance;
}

char *
prof_equality_explain (const ProfEquality *equality)
{
  guint number = equality->unmatched;

  if (number > 0 && (equality->sizes[0] < 0 || equality->sizes[1] < 0))
    return g_strdup_printf ("only one of them has an output %u", number);
  if (number > 0)
    return g_strdup_printf ("output %u has %" G_GINT64_FORMAT " elements in one of them and "
                            "%" G_GINT64_FORMAT " in the other",
                            number, equality->sizes[0], equality->sizes[1]);
  if (equality->n_compared == 0)
    return g_strdup ("they have no output in common");
  if (!equality->is_finite)
    return g_strdup_printf ("a difference in %u arrays is infinite or not a number",
                            equality->n_compared);
  return g_strdup_printf ("the largest difference in %u arrays is %g, the tolerance %g",
                          equality->n_compared, equality->max_abs, equality->tolerance);
}

void
prof_equality_join (ProfEquality *to, const ProfEquality *from)
{
  if (to->n_compared == 0)
    {
      *to = *from;
      return;
    }
  to->ok = to->ok && from->ok;
  to->is_finite = to->is_finite && from->is_finite;
  to->n_compared += from->n_compared;
  if (from->max_abs / from->tolerance > to->max_abs / to->tolerance)
    {
      to->max_abs = from->max_abs;
      to->tolerance = from->tolerance;
    }
}
