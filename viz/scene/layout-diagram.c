/* layout-diagram.c — from a diagram to a placed picture.
 *
 * Cuts the visible part of the diagram into one body per open group (scene.h), lets a layout place
 * each body, innermost groups first, and joins the answers into a picture.
 * Start reading at viz_layout_diagram().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/scene/layout-diagram.h"

#include "viz/layout/layout.h"
#include "viz/scene/scene.h"

#include <string.h>

/* A layout that cannot do a body is no reason to show nothing. */
static gboolean
place_body (VizBody                *body,
            const VizLayout        *layout,
            const VizLayoutOptions *options,
            GCancellable           *cancellable,
            VizPictureStats        *stats,
            GError                **error)
{
  g_autoptr (GError) refused = NULL;

  if (layout->place (body, options->helper, cancellable, &refused))
    return TRUE;
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (stats->n_fallbacks++ == 0)
    g_info ("layout “%s”: %s; using “layers”", layout->name, refused->message);
  return viz_layout_layers.place (body, options->helper, cancellable, error);
}

static gboolean
place_bodies (VizScene               *scene,
              const VizLayout        *layout,
              const VizLayoutOptions *options,
              GCancellable           *cancellable,
              VizPictureStats        *stats,
              GError                **error)
{
  g_autoptr (GHashTable) done = g_hash_table_new (viz_body_hash, viz_body_equal);

  for (guint32 i = scene->bodies->len; i-- > 0;)
    {
      VizSceneBody  *body = viz_scene_body (scene, i);
      const VizBody *like;

      viz_scene_make_body (scene, body);
      /* What keeps its places is no copy. */
      like = !body->body->previous ? g_hash_table_lookup (done, body->body) : NULL;
      stats->n_bodies++;
      if (like)
        {
          viz_body_copy_answer (body->body, like);
          stats->n_copied++;
        }
      else
        {
          if (!place_body (body->body, layout, options, cancellable, stats, error))
            return FALSE;
          if (!body->body->previous)
            g_hash_table_add (done, body->body);
        }
      viz_scene_resize_group (scene, body);
    }
  return TRUE;
}

/* Of another diagram, another layout, or boxes with other sizes nothing can be learnt. */
static void
use_previous (VizScene *scene, const char *layout, const char *font, const VizPicture *previous)
{
  if (!previous || viz_picture_diagram (previous) != scene->diagram ||
      viz_picture_is_bare (previous) != scene->bare ||
      strcmp (viz_picture_layout (previous), layout) != 0 ||
      strcmp (viz_picture_font (previous), font) != 0)
    return;
  scene->previous = previous;
  if (!viz_scene_can_update (scene))
    scene->previous = NULL;
}

VizPicture *
viz_layout_diagram (VizDiagram             *diagram,
                    const VizFolds         *folds,
                    const VizLayoutOptions *options,
                    GCancellable           *cancellable,
                    GError                **error)
{
  static const VizLayoutOptions plain;
  const char                   *name, *font;
  const VizLayout              *layout;
  VizPictureStats               stats = { 0 };
  g_autoptr (VizFolds) own_folds = NULL;
  g_autoptr (VizScene) scene = NULL;

  options = options ? options : &plain;
  name = options->layout ? options->layout : "auto";
  font = options->font ? options->font : VIZ_DEFAULT_FONT;
  layout = viz_layout_find (name);
  if (!layout)
    {
      g_set_error (error,
                   VIZ_ERROR,
                   VIZ_ERROR_LAYOUT,
                   "There is no layout “%s”. Choose auto, layers, grid or dot.",
                   name);
      return NULL;
    }
  if (!folds)
    folds = own_folds = viz_folds_new (diagram);
  scene = viz_scene_new (diagram, folds, font, options->bare);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  use_previous (scene, layout->name, font, options->previous);
  viz_scene_cut_wires (scene);
  if (!place_bodies (scene, layout, options, cancellable, &stats, error))
    return NULL;
  return viz_scene_make_picture (scene, font, layout->name, &stats);
}
