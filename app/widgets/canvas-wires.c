/* canvas-wires.c — describes a drawn line: producer and readers of the values, their shape and size.
 *
 * Start at scope_canvas_hover_wire().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/canvas-private.h"

#include "app/widgets/tooltip.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>

/* Values of a line that are listed. */
#define MAX_LISTED 6

static const char *
name_of (const VizDiagram *diagram, guint32 box)
{
  const VizBox *info = viz_diagram_box (diagram, box);

  return info->subtitle && *info->subtitle != '\0' ? info->subtitle : info->title;
}

/* "conv0 → relu0: 64×112×112, 3.2 MB" */
static void
append_arrow (GString *text, const VizDiagram *diagram, const VizArrow *arrow)
{
  g_string_append_printf (text, "%s%s → %s", text->len > 0 ? "\n" : "",
                          name_of (diagram, arrow->tail), name_of (diagram, arrow->head));
  if (arrow->label)
    g_string_append_printf (text, ": %s", arrow->label);
  if (arrow->bytes > 0)
    {
      g_autofree char *size = prof_format_bytes ((double) arrow->bytes);

      g_string_append_printf (text, ", %s", size);
    }
}

/* TRUE if a line between two items represents an arrow. */
static gboolean
stands_for (const VizPicture *picture, const VizWire *wire, const VizArrow *arrow)
{
  return arrow->kind == wire->kind && viz_picture_find_box (picture, arrow->tail) == wire->tail &&
         viz_picture_find_box (picture, arrow->head) == wire->head;
}

/* Lists the values of a line between groups. */
static void
append_bundle (GString *text, const VizPicture *picture, const VizWire *wire)
{
  const VizDiagram *diagram = viz_picture_diagram (picture);
  guint             n_listed = 0;

  for (guint32 i = wire->arrow; i < viz_diagram_n_arrows (diagram) && n_listed < MAX_LISTED; i++)
    {
      const VizArrow *arrow = viz_diagram_arrow (diagram, i);

      if (i != wire->arrow && !stands_for (picture, wire, arrow))
        continue;
      append_arrow (text, diagram, arrow);
      n_listed++;
    }
  if (wire->n_arrows > n_listed)
    {
      guint n = wire->n_arrows - n_listed;

      g_string_append_c (text, '\n');
      g_string_append_printf (text, _ ("… and %u more"), n);
    }
}

/* (transfer full) */
static char *
describe_wire (ScopeCanvas *self, guint32 number)
{
  const VizWire    *wire = viz_picture_wire (self->picture, number);
  const VizDiagram *diagram = viz_picture_diagram (self->picture);
  GString          *text = g_string_new (NULL);

  if (wire->n_arrows > 1)
    append_bundle (text, self->picture, wire);
  else
    append_arrow (text, diagram, viz_diagram_arrow (diagram, wire->arrow));
  return g_string_free (text, FALSE);
}

void
scope_canvas_hover_wire (ScopeCanvas *self, guint32 wire)
{
  g_autofree char *text = NULL;

  if (wire == self->hovered_wire)
    return;
  self->hovered_wire = wire;
  if (wire != VIZ_NO_ARROW)
    text = describe_wire (self, wire);
  scope_tooltip_set (GTK_WIDGET (self), text);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
