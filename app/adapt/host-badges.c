/* host-badges.c — see host-badges.h.
 *
 * Steps are counted in each group around them; then boxes get their texts.  Start at scope_host_badges_add().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/host-badges.h"

#include "profiler/summary/host-steps.h"

#include <glib/gi18n.h>

#define MAX_LINES 12 /* of the tooltip */

typedef struct
{
  VizOverlay        *overlay;
  VizDiagram        *diagram;
  const ProfCapture *capture;
  const guint32     *boxes;    /* by row */
  GHashTable        *reasons;  /* by row */
  guint             *n_inside; /* by box: marked boxes in it */
  GPtrArray         *lines;    /* of char *: operator and reason, each once */
  guint              n_steps;
} Badges;

char *
scope_host_badge_describe (const char *reason)
{
  return g_strdup_printf (_ ("on the host: %s"), reason);
}

static gboolean
has_line (const Badges *badges, const char *line)
{
  return g_ptr_array_find_with_equal_func (badges->lines, line, g_str_equal, NULL);
}

static void
add_line (Badges *badges, guint32 row, const char *reason)
{
  const ProfNode  *node = prof_capture_get_node (badges->capture, row);
  const char      *type = prof_capture_get_string (badges->capture, node->type);
  g_autofree char *line = g_strdup_printf ("%s: %s", type, reason);

  if (badges->lines->len < MAX_LINES && !has_line (badges, line))
    g_ptr_array_add (badges->lines, g_steal_pointer (&line));
}

static void
mark_row (Badges *badges, guint32 row, const char *reason)
{
  VizDiagram      *diagram = badges->diagram;
  guint32          box = badges->boxes[row];
  g_autofree char *text = scope_host_badge_describe (reason);

  badges->n_steps++;
  add_line (badges, row, reason);
  if (box == VIZ_ROOT || viz_overlay_badge (badges->overlay, box, NULL) == VIZ_BADGE_OWN)
    return;
  viz_overlay_set_badge (badges->overlay, box, VIZ_BADGE_OWN, text);
  while ((box = viz_diagram_box (diagram, box)->parent) != VIZ_ROOT)
    badges->n_inside[box]++;
}

static void
mark_groups (const Badges *badges)
{
  for (guint32 box = 1; box < viz_diagram_n_boxes (badges->diagram); box++)
    {
      g_autofree char *text = NULL;
      guint            n = badges->n_inside[box];

      if (n == 0 || viz_overlay_badge (badges->overlay, box, NULL) == VIZ_BADGE_OWN)
        continue;
      text = g_strdup_printf (g_dngettext (NULL, "%u step in it on the host",
                                           "%u steps in it on the host", n),
                              n);
      viz_overlay_set_badge (badges->overlay, box, VIZ_BADGE_INSIDE, text);
    }
}

static void
explain (Badges *badges)
{
  g_autofree char *note = g_strdup_printf (g_dngettext (NULL, "%u step on the host",
                                                        "%u steps on the host", badges->n_steps),
                                           badges->n_steps);
  g_autofree char *details = NULL;

  g_ptr_array_add (badges->lines, NULL);
  details = g_strjoinv ("\n", (char **) badges->lines->pdata);
  viz_overlay_set_badges_note (badges->overlay, note, details);
}

void
scope_host_badges_add (VizOverlay        *overlay,
                       VizDiagram        *diagram,
                       const ProfCapture *capture,
                       const guint32     *boxes)
{
  g_autoptr (GHashTable) reasons = prof_host_steps_read (capture);
  g_autofree guint *n_inside = g_new0 (guint, viz_diagram_n_boxes (diagram));
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  Badges badges = { overlay, diagram, capture, boxes, reasons, n_inside, lines, 0 };

  if (g_hash_table_size (reasons) == 0)
    return;
  for (guint32 row = 0; row < prof_capture_n_nodes (capture); row++)
    {
      const char *reason = g_hash_table_lookup (reasons, GUINT_TO_POINTER (row));

      if (reason)
        mark_row (&badges, row, reason);
    }
  mark_groups (&badges);
  explain (&badges);
}
