/* estimate.c — what fusing an unrolled sequence would bring, before anybody does it.
 *
 * The model is the ladder's: products of the inputs of all steps become one, which reads
 * the weights once; products of the states find their weights packed, and reach as much;
 * of the pointwise work only functions of one argument remain (gates), the rest happens in
 * registers beside them; slices, and calling operators, go.  What a pass has put into the
 * unrolled form already stays as it is.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/estimate.h"

#include "engine/op/op.h"
#include "profiler/base/statistics.h"
#include "profiler/summary/roofline.h"

#include <math.h>
#include <string.h>

#define LEAST_STEPS 8
#define MAX_VISITS  400
/* A step of a fused layer besides its work: a call of the product and loops set up. */
#define STEP_SECONDS 0.2e-6
/* A plain loop over gates that lie in the cache, against operators one by one. */
#define UNARY_SHARE 0.9
/* Sums and products of gates, in registers beside the functions. */
#define OTHER_SHARE 0.2
/* What a product of many rows reaches of the measured peak. */
#define GEMM_SHARE 0.95
/* Weights that every step reads again stay in a cache: bytes it gives, for each operation
 * that the processor could do meanwhile. */
#define CACHE_BYTES 0.9

typedef struct
{
  const ProfCapture *capture;
  const ProfSummary *summary;
  double             per_span;
} Estimate;

static double
self_of (const Estimate *self, const ProfNodeSum *sum)
{
  return MAX (sum->self - sum->count * self->per_span, 0);
}

/* Whether what a node reads depends on the step before, within the same cell. */
static gboolean
is_recurrent (const Estimate *self, guint32 row)
{
  const ProfNode *node = prof_capture_get_node (self->capture, row);
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  if (node->step == 0)
    return FALSE;
  g_array_append_val (open, row);
  while (open->len > 0 && g_hash_table_size (seen) < MAX_VISITS)
    {
      guint32        at = g_array_index (open, guint32, open->len - 1);
      guint          n;
      const guint32 *edges = prof_capture_get_edges (self->capture, at, &n);

      g_array_set_size (open, open->len - 1);
      for (guint i = 0; i < n; i++)
        {
          const ProfNode *from;

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

/* The rows of the largest sequence of steps; its folded scope. */
static ProfText
find_cell (const Estimate *self, guint *n_steps)
{
  g_autoptr (GHashTable) steps = g_hash_table_new (NULL, NULL); /* scope → highest step + 1 */
  GHashTableIter iter;
  gpointer       scope, most;
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
  while (g_hash_table_iter_next (&iter, &scope, &most))
    if (GPOINTER_TO_UINT (most) > *n_steps)
      {
        *n_steps = GPOINTER_TO_UINT (most);
        best = GPOINTER_TO_UINT (scope);
      }
  return best;
}

typedef struct
{
  double linear, batched_flops, batched_bytes;
  double recurrent, recurrent_flops, recurrent_bytes;
  double unary, other, outside;
  double n_recurrent;
} Parts;

static void
add_node (const Estimate *self, const ProfNodeSum *sum, Parts *parts)
{
  const ProfNode *node = prof_capture_get_node (self->capture, sum->row);
  double          seconds = self_of (self, sum);

  /* What a pass put there is what the fused form does, too: products of all steps, gates. */
  if (node->flags & PROF_NODE_ADDED)
    {
      parts->outside += seconds;
      parts->n_recurrent +=
          node->category == HYB_CATEGORY_LINEAR && node->step != PROF_NONE && node->step > 0;
      return;
    }
  if (node->step == PROF_NONE)
    {
      /* What feeds the steps, or gathers what they give, goes with them. */
      if (node->category != HYB_CATEGORY_MOVEMENT)
        parts->outside += seconds;
      return;
    }
  if (node->category == HYB_CATEGORY_LINEAR)
    {
      if (is_recurrent (self, sum->row) || node->step == 0)
        {
          /* The first step's product of states cannot be told from its inputs' by what it
           * reads: as many of each are there as in the other steps. */
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

/* Parts are medians of nodes in traced runs; what is compared with the estimate is a
 * clean run.  Where others compute, too, a run holds interruptions that no node's median
 * shows: the fused form will be interrupted as much. */
static double
scale_to_clean (const Estimate *self)
{
  guint              n;
  g_autofree double *clean = prof_capture_dup_samples (self->capture, PROF_SAMPLE_CLEAN, &n);
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

  if (*n_steps < LEAST_STEPS || !isfinite (peaks.flops))
    return NAN;

  self.per_span = prof_capture_get_number (capture, "trace.overhead_ns") * 1e-9;
  self.per_span = isfinite (self.per_span) ? self.per_span : 0;
  for (guint i = 0; i < summary->node->len; i++)
    add_node (&self, &g_array_index (summary->node, ProfNodeSum, i), &parts);
  if (parts.n_recurrent < 1)
    return NAN;

  *scope = prof_capture_get_string (capture, cell);
  /* One more step of both, for the first that was left out. */
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
