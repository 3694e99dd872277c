/* coverage.c — watches runs and records which points were reached.
 *
 * Clips are judged by their outputs, branches and loops by the spans of their bodies, tables by the indices
 * that are read.  Start at hyb_coverage_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/coverage-private.h"

#include <math.h>
#include <string.h>

#define MAX_STEPS 20000
#define BLOCK     256 /* values that are read at a time */

/* --- Watching --- */

static void
mark (CoveragePoint *point)
{
  if (point)
    point->is_reached = TRUE;
}

static void
mark_row (CoverageTable *table, double index)
{
  gint64 row = isfinite (index) ? (gint64) index : 0;

  row = row < 0 && row >= -table->n ? row + table->n : CLAMP (row, 0, table->n - 1);
  if (table->n > 0)
    table->is_read[row] = TRUE;
}

static gboolean
is_at (double value, double bound)
{
  return isfinite (bound) && fabs (value - bound) <= 1e-6 * fabs (bound);
}

static void
look_at (const CoverageWatch *watch, double value)
{
  if (is_at (value, watch->low))
    mark (watch->at_low);
  else if (is_at (value, watch->high))
    mark (watch->at_high);
  else if (isfinite (value))
    mark (watch->inside);
  mark (value == 0 ? watch->zero : watch->other);
  if (watch->table)
    mark_row (watch->table, value);
}

static void
look_at_all (const CoverageWatch *watch, const HybTensor *tensor)
{
  double values[BLOCK];
  gint64 n;

  for (gint64 i = 0; (n = hyb_tensor_get_values (tensor, i, BLOCK, values)) > 0; i += n)
    for (gint64 k = 0; k < n; k++)
      look_at (watch, values[k]);
}

static void
on_value (gpointer data, const HybSpan *span, guint output, const HybTensor *tensor)
{
  HybCoverage *coverage = data;
  GArray      *watches = g_hash_table_lookup (coverage->watches,
                                              hyb_coverage_key (hyb_graph_get_id (span->in), span->id));

  for (guint w = 0; watches && w < watches->len; w++)
    {
      const CoverageWatch *watch = &g_array_index (watches, CoverageWatch, w);

      if (watch->output == output)
        look_at_all (watch, tensor);
    }
}

static void
count_step (gpointer data, const HybSpan *span)
{
  HybCoverage *coverage = data;

  if (span->kind == HYB_SPAN_BRANCH && ++coverage->n_steps > MAX_STEPS && coverage->cancellable)
    g_cancellable_cancel (coverage->cancellable);
}

static void
ignore_end (gpointer data G_GNUC_UNUSED, const HybSpan *span G_GNUC_UNUSED)
{
}

void
hyb_coverage_limit_steps (HybCoverage *coverage, GCancellable *cancellable)
{
  coverage->n_steps = 0;
  coverage->cancellable = cancellable;
}

const HybProbe *
hyb_coverage_get_counter (HybCoverage *coverage)
{
  return &coverage->counter;
}

static void
on_begin (gpointer data, const HybSpan *span)
{
  HybCoverage        *coverage = data;
  const CoverageBody *body;

  if (span->kind != HYB_SPAN_BRANCH)
    return;
  count_step (data, span);
  body = g_hash_table_lookup (coverage->body_of_graph, GUINT_TO_POINTER (span->graph));
  if (!body || body->index == 0)
    return;
  mark (body->loop->then[body->index - 1]);
  body->loop->n_steps++;
}

static void
on_end (gpointer data, const HybSpan *span)
{
  HybCoverage  *coverage = data;
  CoverageLoop *loop;

  if (span->kind != HYB_SPAN_NODE || !span->in)
    return;
  loop = g_hash_table_lookup (coverage->loop_of_node,
                              hyb_coverage_key (hyb_graph_get_id (span->in), span->id));
  if (!loop)
    return;
  mark (loop->n_steps < loop->max ? loop->early : loop->all);
  loop->n_steps = 0;
}

/* --- The whole --- */

static void
free_point (gpointer data)
{
  CoveragePoint *point = data;

  g_free (point->gap);
  g_free (point);
}

static void
free_table (gpointer data)
{
  CoverageTable *table = data;

  g_free (table->name);
  g_free (table->is_read);
  g_free (table);
}

HybCoverage *
hyb_coverage_new (HybGraph *graph, HybModel *model)
{
  HybCoverage *coverage = g_new0 (HybCoverage, 1);

  coverage->model = hyb_model_ref (model);
  coverage->points = g_ptr_array_new_with_free_func (free_point);
  coverage->tables = g_ptr_array_new_with_free_func (free_table);
  coverage->loops = g_ptr_array_new_with_free_func (g_free);
  coverage->watches = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  coverage->loop_of_node = g_hash_table_new (NULL, NULL);
  coverage->body_of_graph = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  coverage->table_of_input = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  coverage->probe =
      (HybProbe){ .data = coverage, .begin = on_begin, .end = on_end, .value = on_value };
  coverage->counter = (HybProbe){ .data = coverage, .begin = count_step, .end = ignore_end };
  hyb_coverage_find_points (coverage, graph);
  return coverage;
}

void
hyb_coverage_free (HybCoverage *coverage)
{
  if (!coverage)
    return;
  hyb_model_unref (coverage->model);
  g_ptr_array_unref (coverage->points);
  g_ptr_array_unref (coverage->tables);
  g_ptr_array_unref (coverage->loops);
  g_hash_table_unref (coverage->watches);
  g_hash_table_unref (coverage->loop_of_node);
  g_hash_table_unref (coverage->body_of_graph);
  g_hash_table_unref (coverage->table_of_input);
  g_free (coverage);
}

const HybProbe *
hyb_coverage_get_probe (HybCoverage *coverage)
{
  return &coverage->probe;
}

void
hyb_coverage_add_inputs (HybCoverage *coverage, HybTensorList *inputs)
{
  for (guint i = 0; i < hyb_tensor_list_n (inputs); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (inputs, i);
      CoverageTable        *table = g_hash_table_lookup (coverage->table_of_input, entry->name);

      for (gint64 k = 0; table && k < hyb_tensor_get_size (entry->tensor); k++)
        mark_row (table, hyb_tensor_get_value (entry->tensor, k));
    }
}

double
hyb_coverage_largest_bound (const HybCoverage *coverage)
{
  return coverage->largest_bound;
}

static gint64
count_unread (const CoverageTable *table)
{
  gint64 n = 0;

  for (gint64 row = 0; row < table->n; row++)
    n += !table->is_read[row];
  return n;
}

gboolean
hyb_coverage_has_gaps (const HybCoverage *coverage)
{
  for (guint i = 0; i < coverage->points->len; i++)
    if (!((const CoveragePoint *) coverage->points->pdata[i])->is_reached)
      return TRUE;
  for (guint i = 0; i < coverage->tables->len; i++)
    if (count_unread (coverage->tables->pdata[i]) > 0)
      return TRUE;
  return FALSE;
}

GBytes *
hyb_coverage_save (const HybCoverage *coverage)
{
  GByteArray *saved = g_byte_array_new ();

  for (guint i = 0; i < coverage->points->len; i++)
    {
      guint8 is_reached = ((const CoveragePoint *) coverage->points->pdata[i])->is_reached != FALSE;

      g_byte_array_append (saved, &is_reached, 1);
    }
  for (guint i = 0; i < coverage->tables->len; i++)
    {
      const CoverageTable *table = coverage->tables->pdata[i];

      g_byte_array_append (saved, table->is_read, (guint) table->n);
    }
  return g_byte_array_free_to_bytes (saved);
}

void
hyb_coverage_restore (HybCoverage *coverage, GBytes *saved)
{
  const guint8 *at = g_bytes_get_data (saved, NULL);

  for (guint i = 0; i < coverage->points->len; i++)
    ((CoveragePoint *) coverage->points->pdata[i])->is_reached = *at++;
  for (guint i = 0; i < coverage->tables->len; i++)
    {
      CoverageTable *table = coverage->tables->pdata[i];

      memcpy (table->is_read, at, (gsize) table->n);
      at += table->n;
    }
}

static gboolean
has_equal_parameter (HybModel *model, HybTensor *tensor)
{
  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      HybTensor *other = hyb_model_get_parameter (model, hyb_model_get_parameter_name (model, i));

      if (hyb_tensor_get_bytes (other) == hyb_tensor_get_bytes (tensor) &&
          hyb_shape_equal (hyb_tensor_get_shape (other), hyb_tensor_get_shape (tensor)) &&
          hyb_tensor_get_dtype (other) == hyb_tensor_get_dtype (tensor) &&
          memcmp (hyb_tensor_get_data (other), hyb_tensor_get_data (tensor),
                  hyb_tensor_get_bytes (tensor)) == 0)
        return TRUE;
    }
  return FALSE;
}

void
hyb_coverage_list_gaps (const HybCoverage *coverage,
                        const guint8      *matched,
                        HybModel          *other,
                        GPtrArray         *gaps)
{
  for (guint i = 0; i < coverage->points->len; i++)
    {
      const CoveragePoint *point = coverage->points->pdata[i];

      if (!point->is_reached && !matched[point->root])
        g_ptr_array_add (gaps, g_strdup (point->gap));
    }
  for (guint i = 0; i < coverage->tables->len; i++)
    {
      const CoverageTable *table = coverage->tables->pdata[i];
      gint64               n = count_unread (table);

      if (n > 0 && !has_equal_parameter (other, table->tensor))
        g_ptr_array_add (gaps, g_strdup_printf ("%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                                                " rows of “%s” were not read",
                                                n, table->n, table->name));
    }
}
