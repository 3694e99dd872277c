/* layout-layers.c — the layout "layers": rows from top to bottom, for any body.
 *
 * Calls the stages that layers.h describes.  Start reading at layers_place().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/layers.h"
#include "viz/layout/layout.h"
#include "viz/layout/wrap.h"

void
viz_layers_clear (VizLayers *layers)
{
  g_free (layers->rank);
  g_free (layers->reversed);
  g_free (layers->row);
  g_free (layers->left);
  g_free (layers->right);
  g_free (layers->position);
  g_free (layers->x);
  g_free (layers->y);
  g_free (layers->row_y);
  g_free (layers->row_height);
  g_free (layers->links);
  g_free (layers->first_down);
  g_free (layers->down);
  g_free (layers->first_up);
  g_free (layers->up);
  g_free (layers->first_in_row);
  g_free (layers->rows);
  g_free (layers->first_bend);
  g_free (layers->n_bends);
  g_free (layers->stub);
}

/* Places a body in rows.  Sets is_update to whether they are the previous ones. */
static gboolean
place_rows (VizBody *body, GCancellable *cancellable, gboolean *is_update, GError **error)
{
  VizLayers layers = { .body = body, .cancellable = cancellable };
  gboolean  updates = body->previous && viz_layers_reuse_ranks (&layers);
  gboolean  done = (updates || viz_layers_rank (&layers)) && viz_layers_build (&layers);

  if (done && updates)
    viz_layers_update (&layers);
  else
    done = done && viz_layers_order (&layers) && viz_layers_place (&layers);
  if (done)
    viz_layers_route (&layers, body);
  else
    g_cancellable_set_error_if_cancelled (cancellable, error);
  body->width = MAX (body->width, layers.min_width);
  body->height = MAX (body->height, layers.min_height);
  viz_layers_clear (&layers);
  *is_update = updates;
  return done;
}

static gboolean
layers_place (VizBody           *body,
              const char *helper G_GNUC_UNUSED,
              GCancellable      *cancellable,
              GError           **error)
{
  gboolean updates, done = place_rows (body, cancellable, &updates, error);

  if (done && updates && body->previous->n_columns > 1 && !viz_body_wrap_again (body))
    {
      VizBodyPrevious *previous = body->previous;

      body->previous = NULL;
      done = place_rows (body, cancellable, &updates, error);
      body->previous = previous;
    }
  return done;
}

const VizLayout viz_layout_layers = {
  .name = "layers",
  .label = "Layers",
  .place = layers_place,
};
