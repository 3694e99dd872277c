/* layouts.c — the table of layouts.
 *
 * To add a layout, declare its struct in layout.h and name it in the table below.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/layout.h"

/* "auto" comes first and is the default. */
static const VizLayout *const layouts[] = {
  &viz_layout_auto, &viz_layout_layers, &viz_layout_grid, &viz_layout_dot, NULL,
};

const VizLayout *
viz_layout_find (const char *name)
{
  for (guint i = 0; layouts[i] != NULL; i++)
    if (g_strcmp0 (layouts[i]->name, name) == 0)
      return layouts[i];
  return NULL;
}

static gboolean
auto_place (VizBody *body, const char *helper, GCancellable *cancellable, GError **error)
{
  const VizLayout *layout =
      viz_layout_grid.can_place (body) ? &viz_layout_grid : &viz_layout_layers;

  return layout->place (body, helper, cancellable, error);
}

const VizLayout viz_layout_auto = {
  .name = "auto",
  .label = "Automatic",
  .place = auto_place,
};
