/* difference-heat.c — differences by what stands for the same, grey within the noise.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/difference-heat.h"

#include "app/process/worker.h"
#include "profiler/base/format.h"
#include "profiler/explain/difference.h"

#include <glib/gi18n.h>
#include <math.h>

typedef struct
{
  ScopeNodeMap     *sides[2];
  ScopeMeasurement *measurements[2];
} PaintJob;

static void
paint_job_free (gpointer data)
{
  PaintJob *job = data;

  for (guint i = 0; i < 2; i++)
    {
      scope_node_map_unref (job->sides[i]);
      scope_measurement_unref (job->measurements[i]);
    }
  g_free (job);
}

/* By row of a capture: the group of its box. */
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

/* A group's change, shared by its boxes as they share its time: folded, they add up to it.
 * FALSE: nothing stands out of the noise. */
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
      double                own, change;
      g_autofree char      *text = NULL;

      if (!sum || group_of_box[box] >= differences->len)
        continue;
      difference = &g_array_index (differences, ProfDifference, group_of_box[box]);
      if (isnan (difference->b))
        continue;
      own = viz_diagram_box (diagram, box)->n_children > 0 ? sum->inclusive : sum->self;
      change = difference->b - (isnan (difference->a) ? 0 : difference->a);
      change *= difference->b > 0 ? own / difference->b : 0;
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
paint_in_worker (GTask                    *task,
                 gpointer source           G_GNUC_UNUSED,
                 gpointer                  data,
                 GCancellable *cancellable G_GNUC_UNUSED)
{
  const PaintJob     *job = data;
  g_autofree guint32 *boxes_a = NULL;
  g_autofree guint32 *boxes_b = NULL;
  g_autofree guint32 *rows_a = NULL;
  g_autofree guint32 *rows_b = NULL;
  g_autoptr (GArray) differences = NULL;
  VizDiagram *diagram = scope_document_get_diagram (scope_node_map_get_document (job->sides[1]));
  VizOverlay *overlay =
      viz_overlay_new (diagram, _ ("difference of self time"), VIZ_SCALE_DIFFERENCE);
  guint    n;
  gboolean any;

  scope_node_maps_group (job->sides[0], job->sides[1], &boxes_a, &boxes_b, &n);
  rows_a = group_rows (job->measurements[0], boxes_a);
  rows_b = group_rows (job->measurements[1], boxes_b);
  differences = prof_difference_groups (scope_measurement_get_capture (job->measurements[0]),
                                        rows_a,
                                        scope_measurement_get_capture (job->measurements[1]),
                                        rows_b,
                                        n);
  any = paint_boxes (overlay, diagram, job->measurements[1], differences, boxes_b);
  viz_overlay_set_format (overlay, format_change);
  viz_overlay_set_note (overlay,
                        !any ? _ ("no difference to the first pane stands out of the noise")
                             : _ ("against the first pane · what stands for the same is taken "
                                  "together · "
                                  "grey: within the noise"));
  viz_overlay_finish (overlay, NULL);
  g_task_return_pointer (task, overlay, (GDestroyNotify) viz_overlay_unref);
}

void
scope_difference_paint_async (ScopeNodeMap       *base,
                              ScopeMeasurement   *base_measurement,
                              ScopeNodeMap       *other,
                              ScopeMeasurement   *other_measurement,
                              GCancellable       *cancellable,
                              GAsyncReadyCallback callback,
                              gpointer            user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  PaintJob *job = g_new0 (PaintJob, 1);

  job->sides[0] = scope_node_map_ref (base);
  job->sides[1] = scope_node_map_ref (other);
  job->measurements[0] = scope_measurement_ref (base_measurement);
  job->measurements[1] = scope_measurement_ref (other_measurement);
  g_task_set_task_data (task, job, paint_job_free);
  scope_worker_run (task, paint_in_worker);
}

VizOverlay *
scope_difference_paint_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
