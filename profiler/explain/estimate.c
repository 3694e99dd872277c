/* estimate.c — estimates the time that fusing an unrolled sequence would save.
 *
 * The model: products of the inputs of all steps become one, which reads the weights once; products
 * of the states find their weights packed and reach the same rate; of the pointwise work only
 * functions of one argument (gates) remain, the rest happens in registers; slices and calls of
 * operators disappear.  Nodes that a pass has put into the unrolled form already stay as they are.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/estimate.h"

#include "engine/op/op.h"
#include "profiler/base/statistics.h"
#include "profiler/summary/roofline.h"

#include <math.h>
#include <string.h>

#define MIN_STEPS  8
#define MAX_VISITS 400
/* Overhead of one step of a fused layer: calling the product and setting up loops. */
#define STEP_SECONDS 0.2e-6
/* Time of unary functions in a loop over cached gates, relative to separate operators. */
#define UNARY_SHARE 0.9
/* Time of sums and products of gates in registers, relative to separate operators. */
#define OTHER_SHARE 0.2
/* Share of the measured peak that a product of many rows reaches. */
#define GEMM_SHARE 0.95
/* Weights that every step reads stay in a cache, which delivers this many bytes per FLOP of the
 * peak. */
#define CACHE_BYTES 0.9

typedef struct
{
  const ProfCapture *capture;
  const ProfSummary *summary;
  double             per_span; /* recording overhead in seconds */
} Estimate;

/* Self seconds without recording overhead. */
static double
self_of (const Estimate *self, const ProfNodeSum *sum)
{
  return MAX (sum->self - sum->count * self->per_span, 0);
}

/* Whether the inputs of a node depend on the previous step of the same cell. */
static gboolean
is_recurrent (const Estimate *self, guint32 row)
{
  const ProfNode *node = prof_capture_get_node (self->capture, row);
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  if (node->step == 0)
    return FALSE;
  g_array_append_val (open, row);
  /* Search the ancestors, with a limit on visits, so that a large graph costs no more than a small
   * one. */
  while (open->len > 0 && g_hash_table_size (seen) < MAX_VISITS)
    {
      guint32        at = g_array_index (open, guint32, open->len - 1);
      guint          n;
      const guint32 *edges = prof_capture_get_edges (self->capture, at, &n);

      g_array_set_size (open, open->len - 1);
      for (guint i = 0; i < n; i++)
        {
          const ProfNode *from;

          /* A capture may be a damaged file, so its indices are checked. */
          if (edges[i] >= prof_capture_n_nodes (self->capture) ||
              !g_hash_table_add (seen, GUINT_TO_POINTER (edges[i])))
            continue;
          from = prof_capture_get_node (self->capture, edges[i]);
          if (from->scope == node->scope && from->step + 1 == node->step)
            return TRUE;
          g_array_append_val (open, edges[i]);
        }
    }
  return FALSE;
}

/* The scope of the longest sequence of steps with linear operators. */
static ProfText
find_cell (const Estimate *self, guint *n_steps)
{
  g_autoptr (GHashTable) steps = g_hash_table_new (NULL, NULL); /* scope → highest step + 1 */
  GHashTableIter iter;
  gpointer       scope, n;
  ProfText       best = 0;

  for (guint i = 0; i < self->summary->node->len; i++)
    {
      const ProfNode *node =
          prof_capture_get_node (self->capture,
                                 g_array_index (self->summary->node, ProfNodeSum, i).row);
      gpointer key = GUINT_TO_POINTER (node->scope);
      guint    known = GPOINTER_TO_UINT (g_hash_table_lookup (steps, key));

      if (node->step != PROF_NONE && node->category == HYB_CATEGORY_LINEAR &&
          node->step + 1 > known)
        g_hash_table_insert (steps, key, GUINT_TO_POINTER (node->step + 1));
    }
  *n_steps = 0;
  g_hash_table_iter_init (&iter, steps);
  while (g_hash_table_iter_next (&iter, &scope, &n))
    if (GPOINTER_TO_UINT (n) > *n_steps)
      {
        *n_steps = GPOINTER_TO_UINT (n);
        best = GPOINTER_TO_UINT (scope);
      }
  return best;
}

/* Seconds, FLOP and bytes of a run, by the effect of fusing on them. */
typedef struct
{
  double linear, batched_flops, batched_bytes;        /* products of inputs */
  double recurrent, recurrent_flops, recurrent_bytes; /* products of states */
  double unary;                                       /* functions of one argument */
  double other;                                       /* other pointwise work of steps */
  double outside;                                     /* work that fusing does not change */
  double n_recurrent;                                 /* products of states */
} Parts;

static void
add_node (const Estimate *self, const ProfNodeSum *sum, Parts *parts)
{
  const ProfNode *node = prof_capture_get_node (self->capture, sum->row);
  double          seconds = self_of (self, sum);

  /* Nodes that passes added work like the fused form: products of all steps, fused gates. */
  if (node->flags & PROF_NODE_ADDED)
    {
      parts->outside += seconds;
      parts->n_recurrent +=
          node->category == HYB_CATEGORY_LINEAR && node->step != PROF_NONE && node->step > 0;
      return;
    }
  if (node->step == PROF_NONE)
    {
      /* Splitting inputs and stacking outputs disappears with the steps. */
      if (node->category != HYB_CATEGORY_MOVEMENT)
        parts->outside += seconds;
      return;
    }
  if (node->category == HYB_CATEGORY_LINEAR)
    {
      if (is_recurrent (self, sum->row) || node->step == 0)
        {
          /* In step 0 the products of inputs and of states cannot be distinguished by their
           * inputs.  Both are left out and made up for in prof_estimate_fused(). */
          parts->recurrent += node->step == 0 ? 0 : seconds;
          parts->recurrent_flops += node->step == 0 ? 0 : sum->flops;
          parts->recurrent_bytes += node->step == 0 ? 0 : sum->bytes;
          parts->n_recurrent += node->step != 0;
        }
      else
        {
          parts->batched_flops += sum->flops;
          parts->batched_bytes = MAX (parts->batched_bytes, sum->bytes);
          parts->linear += seconds;
        }
    }
  else if (node->n_edges == 1 && node->category == HYB_CATEGORY_ELEMENTWISE)
    parts->unary += seconds;
  else if (node->category != HYB_CATEGORY_MOVEMENT)
    parts->other += seconds;
}

/* The factor from the sum of node medians to the clean median.  On a busy machine a run contains
 * interruptions that no node's median shows; the fused form will be interrupted as much. */
static double
scale_to_clean (const Estimate *self)
{
  guint              n;
  g_autofree double *clean = prof_capture_dup_undisturbed (self->capture, &n, NULL);
  double             sum = 0;

  for (guint i = 0; i < self->summary->node->len; i++)
    sum += self_of (self, &g_array_index (self->summary->node, ProfNodeSum, i));
  return n > 0 && sum > 0 ? prof_median (clean, n) / sum : 1;
}

double
prof_estimate_fused (const ProfCapture *capture,
                     const ProfSummary *summary,
                     guint             *n_steps,
                     const char       **scope)
{
  Estimate  self = { .capture = capture, .summary = summary };
  ProfPeaks peaks = prof_roofline_peaks (capture);
  Parts     parts = { 0 };
  ProfText  cell = find_cell (&self, n_steps);
  double    batched, recurrent;

  if (*n_steps < MIN_STEPS || !isfinite (peaks.flops))
    return NAN;

  self.per_span = prof_capture_get_number (capture, "trace.overhead_ns") * 1e-9;
  self.per_span = isfinite (self.per_span) ? self.per_span : 0;
  for (guint i = 0; i < summary->node->len; i++)
    add_node (&self, &g_array_index (summary->node, ProfNodeSum, i), &parts);
  if (parts.n_recurrent < 1)
    return NAN;

  *scope = prof_capture_get_string (capture, cell);
  /* Step 0 was left out. */
  parts.batched_flops *= *n_steps / (*n_steps - 1.0);
  batched =
      MAX (parts.batched_flops / (GEMM_SHARE * peaks.flops), parts.batched_bytes / peaks.bytes);
  batched = MIN (batched, parts.linear);
  recurrent = MAX (parts.recurrent_flops / (GEMM_SHARE * peaks.flops),
                   parts.recurrent_bytes / (CACHE_BYTES * peaks.flops));
  recurrent = MIN (recurrent, parts.recurrent) * *n_steps / (*n_steps - 1.0);
  return scale_to_clean (&self) * (parts.outside + batched + recurrent + UNARY_SHARE * parts.unary +
                                   OTHER_SHARE * parts.other + STEP_SECONDS * *n_steps);
}
