/* difference-heat.c — paints the difference in self time between two forms onto the second one's graph.
 *
 * Times are compared per group of matching nodes; a difference within the noise is painted grey.
 * Start reading with paint_in_worker().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/difference-heat.h"

#include "app/process/worker.h"
#include "profiler/base/format.h"
#include "profiler/explain/difference.h"

#include <glib/gi18n.h>
#include <math.h>

typedef struct
{
  ScopeNodeMap     *maps[2];
  ScopeMeasurement *measurements[2];
} PaintJob;

static void
paint_job_free (gpointer data)
{
  PaintJob *job = data;

  for (guint i = 0; i < 2; i++)
    {
      scope_node_map_unref (job->maps[i]);
      scope_measurement_unref (job->measurements[i]);
    }
  g_free (job);
}

/* The group of each row of a capture; PROF_NONE for rows without a box.  (transfer full) */
static guint32 *
group_rows (const ScopeMeasurement *measurement, const guint32 *group_of_box)
{
  guint    n = prof_capture_n_nodes (scope_measurement_get_capture (measurement));
  guint32 *groups = g_new (guint32, MAX (n, 1));

  for (guint32 row = 0; row < n; row++)
    {
      guint32 box = scope_measurement_get_box (measurement, row);

      groups[row] = box != VIZ_ROOT ? group_of_box[box] : PROF_NONE;
    }
  return groups;
}

static char *
format_change (double seconds)
{
  g_autofree char *text = prof_format_seconds (fabs (seconds));

  return g_strconcat (seconds > 0 ? "+" : seconds < 0 ? "−" : "", text, NULL);
}

static gboolean
is_clear (const ProfDifference *difference)
{
  return difference->pairing.ratio.low > 1 || difference->pairing.ratio.high < 1;
}

/* Divides the difference of each group among its boxes in proportion to their time, so that a folded
 * box shows the sum.  FALSE: no difference is beyond the noise. */
static gboolean
paint_boxes (VizOverlay             *overlay,
             VizDiagram             *diagram,
             const ScopeMeasurement *measurement,
             const GArray           *differences,
             const guint32          *group_of_box)
{
  gboolean any = FALSE;

  for (guint32 box = 1; box < viz_diagram_n_boxes (diagram); box++)
    {
      const ProfNodeSum    *sum = scope_measurement_get_node (measurement, box, NULL);
      const ProfDifference *difference;
      double                seconds, change;
      g_autofree char      *text = NULL;

      if (!sum || group_of_box[box] >= differences->len)
        continue;
      difference = &g_array_index (differences, ProfDifference, group_of_box[box]);
      if (isnan (difference->b))
        continue;
      seconds = viz_diagram_box (diagram, box)->n_children > 0 ? sum->inclusive : sum->self;
      change = difference->b - (isnan (difference->a) ? 0 : difference->a);
      change *= difference->b > 0 ? seconds / difference->b : 0;
      if (!isnan (difference->a) && !is_clear (difference))
        {
          viz_overlay_set (overlay, box, 0, _ ("within the noise"));
          continue;
        }
      text = format_change (change);
      viz_overlay_set (overlay, box, change, text);
      any = TRUE;
    }
  return any;
}

static void
paint_in_worker (GTask *task, gpointer data)
{
  const PaintJob     *job = data;
  g_autofree guint32 *rows_a = NULL;
  g_autofree guint32 *rows_b = NULL;
  ScopeNodeGroups     groups;
  g_autoptr (GArray) differences = NULL;
  VizDiagram *diagram = scope_document_get_diagram (scope_node_map_get_document (job->maps[1]));
  VizOverlay *overlay =
      viz_overlay_new (diagram, _ ("difference of self time"), VIZ_SCALE_DIFFERENCE);
  gboolean any;

  scope_node_maps_group (job->maps[0], job->maps[1], &groups);
  rows_a = group_rows (job->measurements[0], groups.of_box[0]);
  rows_b = group_rows (job->measurements[1], groups.of_box[1]);
  differences =
      prof_difference_groups (scope_measurement_get_capture (job->measurements[0]), rows_a,
                              scope_measurement_get_capture (job->measurements[1]), rows_b,
                              groups.n);
  any = paint_boxes (overlay, diagram, job->measurements[1], differences, groups.of_box[1]);
  g_free (groups.of_box[0]);
  g_free (groups.of_box[1]);
  viz_overlay_set_format (overlay, format_change);
  viz_overlay_set_note (overlay, !any ? _ ("no difference to the first pane is beyond the noise")
                                      : _ ("compared with the first pane · matching nodes are "
                                           "added up · grey: within the noise"));
  viz_overlay_finish (overlay, NULL);
  g_task_return_pointer (task, overlay, (GDestroyNotify) viz_overlay_unref);
}

void
scope_difference_paint_async (const ScopeMeasuredForm *base,
                              const ScopeMeasuredForm *other,
                              GCancellable            *cancellable,
                              GAsyncReadyCallback      callback,
                              gpointer                 user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  PaintJob *job = g_new0 (PaintJob, 1);

  job->maps[0] = scope_node_map_ref (base->map);
  job->maps[1] = scope_node_map_ref (other->map);
  job->measurements[0] = scope_measurement_ref (base->measurement);
  job->measurements[1] = scope_measurement_ref (other->measurement);
  g_task_set_task_data (task, job, paint_job_free);
  scope_worker_run (task, paint_in_worker);
}

VizOverlay *
scope_difference_paint_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
