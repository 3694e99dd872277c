/* layout-diagram.c — from a diagram to a placed picture.
 *
 * Cuts the visible part of the diagram into one body per open group (scene.h), lets a layout place
 * each body, innermost groups first, and joins the answers into a picture.
 * Start reading at viz_layout_diagram().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/scene/layout-diagram.h"

#include "viz/diagram/drawing.h"
#include "viz/layout/layout.h"
#include "viz/layout/wrap.h"
#include "viz/scene/scene-bodies.h"
#include "viz/scene/scene-picture.h"
#include "viz/scene/scene-update.h"
#include "viz/scene/scene-wrap.h"
#include "viz/scene/scene.h"

#include <string.h>

/* The scale on the page below which texts cannot be read, and the gain for which data flows to the right. */
#define LEGIBLE     0.45
#define MUCH_LARGER 1.25
/* More boxes are too many to be seen at once, so their picture is not turned to fit. */
#define MAX_TURNED 60

/* How the bodies of one diagram are placed. */
typedef struct
{
  const VizLayout *layout;
  const char      *helper;
  GCancellable    *cancellable;
  VizPictureStats  stats;
} LayoutRun;

/* Places one body; a body that the layout refuses is placed by "layers".  FALSE only if cancelled. */
static gboolean
place_body (LayoutRun *run, VizBody *body, GError **error)
{
  g_autoptr (GError) refused = NULL;

  if (run->layout->place (body, run->helper, run->cancellable, &refused))
    return TRUE;
  if (g_cancellable_set_error_if_cancelled (run->cancellable, error))
    return FALSE;
  if (run->stats.n_fallbacks++ == 0)
    g_strlcpy (run->stats.refusal, refused->message, sizeof run->stats.refusal);
  return viz_layout_layers.place (body, run->helper, run->cancellable, error);
}

/* Places all bodies, children before parents.  FALSE only if cancelled. */
static gboolean
place_bodies (LayoutRun *run, VizScene *scene, GError **error)
{
  g_autoptr (GHashTable) done = g_hash_table_new (viz_body_hash, viz_body_equal);

  for (guint32 i = scene->bodies->len; i-- > 0;)
    {
      VizSceneBody  *body = viz_scene_body (scene, i);
      const VizBody *equal;

      viz_scene_make_body (scene, body);
      /* Equal bodies with different previous places have different answers. */
      equal = !body->body->previous ? g_hash_table_lookup (done, body->body) : NULL;
      run->stats.n_bodies++;
      if (equal)
        {
          viz_body_copy_answer (body->body, equal);
          run->stats.n_copied++;
        }
      else
        {
          if (!place_body (run, body->body, error))
            return FALSE;
          /* The previous rows could not be kept, but the shape can. */
          if (body->body->previous && body->body->previous->n_columns > 1 && !body->body->columns)
            viz_body_wrap (body->body, body->body->previous->n_columns);
          if (!body->body->previous)
            g_hash_table_add (done, body->body);
        }
      viz_scene_resize_group (scene, body);
    }
  return TRUE;
}

/* Places the groups around a wrapped one again, from the inside out.  FALSE only if cancelled. */
static gboolean
place_around (LayoutRun *run, VizScene *scene, guint32 number, GError **error)
{
  guint32 item = viz_scene_body (scene, number)->item;

  viz_scene_resize_group (scene, viz_scene_body (scene, number));
  while ((item = viz_scene_item (scene, item)->parent) != VIZ_NO_ITEM)
    {
      VizSceneBody *body = viz_scene_body (scene, viz_scene_item (scene, item)->body);
      guint32       n_columns = body->body->columns ? body->body->columns->len : 0;

      viz_scene_make_body (scene, body);
      if (!place_body (run, body->body, error))
        return FALSE;
      if (n_columns > 1)
        viz_body_wrap (body->body, n_columns);
      viz_scene_resize_group (scene, body);
    }
  return TRUE;
}

/* Wraps tall groups until the picture fits the page.  FALSE only if cancelled. */
static gboolean
shape (LayoutRun *run, VizScene *scene, const VizPoint *page, GError **error)
{
  guint32 number;

  while ((number = viz_scene_wrap (scene, page)) != VIZ_NO_BODY)
    if (!place_around (run, scene, number, error))
      return FALSE;
  return TRUE;
}

/* Updates the previous picture if it shows the same diagram, by the same layout, with equal boxes. */
static void
use_previous (VizScene *scene, const char *layout, const char *font, const VizPicture *previous)
{
  if (!previous || viz_picture_diagram (previous) != scene->diagram ||
      viz_picture_is_sideways (previous) || viz_picture_detail (previous) != scene->detail ||
      strcmp (viz_picture_layout (previous), layout) != 0 ||
      strcmp (viz_picture_font (previous), font) != 0)
    return;
  scene->previous = previous;
  if (!viz_scene_can_update (scene))
    scene->previous = NULL;
}

/* The input of a layout. */
typedef struct
{
  VizDiagram             *diagram;
  const VizFolds         *folds;
  const char             *font;
  const VizLayoutOptions *options;
  gboolean                sideways; /* the direction that is tried */
} Task;

/* Places all of a scene.  FALSE only if cancelled. */
static gboolean
place_scene (LayoutRun *run, const Task *task, VizScene *scene, GError **error)
{
  const VizLayoutOptions *options = task->options;

  run->stats = (VizPictureStats){ 0 };
  if (g_cancellable_set_error_if_cancelled (run->cancellable, error))
    return FALSE;
  if (task->sideways)
    viz_scene_set_sideways (scene);
  else
    use_previous (scene, run->layout->name, task->font, options->previous);
  viz_scene_cut_wires (scene);
  return place_bodies (run, scene, error) &&
         (options->page.x <= 0 || scene->previous || shape (run, scene, &options->page, error));
}

/* A placed scene whose boxes show as much as the page can show legibly, or as the options say.  NULL only if
 * cancelled.  (transfer full) */
static VizScene *
make_scene (LayoutRun *run, const Task *task, GError **error)
{
  const VizLayoutOptions *options = task->options;
  VizDetail               detail = options->detail, last = VIZ_DETAIL_TITLE;

  if (detail != VIZ_DETAIL_AUTO)
    last = detail;
  else if (options->previous && viz_picture_diagram (options->previous) == task->diagram)
    detail = last = viz_picture_detail (options->previous);
  else if (options->page.x <= 0)
    detail = last = VIZ_DETAIL_FULL;
  else
    detail = VIZ_DETAIL_FULL;
  for (;; detail++)
    {
      g_autoptr (VizScene) scene = viz_scene_new (task->diagram, task->folds, task->font, detail);

      if (detail != last && !viz_scene_may_fit (scene, &options->page))
        continue;
      if (!place_scene (run, task, scene, error))
        return NULL;
      if (detail == last || viz_scene_is_legible (scene, &options->page))
        return g_steal_pointer (&scene);
    }
}

/* NULL only if cancelled.  (transfer full) */
static VizPicture *
make_picture (LayoutRun *run, const Task *task, GError **error)
{
  g_autoptr (VizScene) scene = make_scene (run, task, error);

  if (!scene)
    return NULL;
  return viz_scene_make_picture (scene, task->font, run->layout->name, &run->stats);
}

/* The scale at which a picture fits a page. */
static double
scale_on (const VizPoint *page, const VizPicture *picture)
{
  return MIN (page->x / viz_picture_width (picture), page->y / viz_picture_height (picture));
}

/* Chooses the direction, if the options leave it open.  It is chosen once: a picture that follows another of the same
 * diagram keeps its direction, so that opening a group or a slightly larger window does not turn the picture.
 * NULL only if cancelled.  (transfer full) */
static VizPicture *
make_directed (LayoutRun *run, Task *task, GError **error)
{
  const VizLayoutOptions *options = task->options;
  const VizPoint         *page = &options->page;
  g_autoptr (VizPicture) down = NULL;
  g_autoptr (VizPicture) right = NULL;

  if (options->direction != VIZ_DIRECTION_AUTO ||
      (options->previous && viz_picture_diagram (options->previous) == task->diagram))
    {
      task->sideways = options->direction == VIZ_DIRECTION_AUTO
                           ? viz_picture_is_sideways (options->previous)
                           : options->direction == VIZ_DIRECTION_RIGHT;
      return make_picture (run, task, error);
    }
  down = make_picture (run, task, error);
  if (!down || page->x <= 0 || viz_picture_n_items (down) > MAX_TURNED ||
      scale_on (page, down) >= LEGIBLE)
    return g_steal_pointer (&down);
  task->sideways = TRUE;
  right = make_picture (run, task, error);
  if (!right)
    return NULL;
  return scale_on (page, right) > scale_on (page, down) * MUCH_LARGER ? g_steal_pointer (&right)
                                                                      : g_steal_pointer (&down);
}

static const char *const direction_names[] = {
  [VIZ_DIRECTION_DOWN] = "down",
  [VIZ_DIRECTION_RIGHT] = "right",
  [VIZ_DIRECTION_AUTO] = "auto",
};

gboolean
viz_direction_find (const char *name, VizDirection *direction)
{
  for (guint i = 0; i < G_N_ELEMENTS (direction_names); i++)
    if (strcmp (direction_names[i], name) == 0)
      {
        *direction = (VizDirection) i;
        return TRUE;
      }
  return FALSE;
}

const char *
viz_direction_name (VizDirection direction)
{
  return direction_names[direction];
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
  LayoutRun                     run = { .cancellable = cancellable };
  Task                          task;
  g_autoptr (VizFolds) own_folds = NULL;

  options = options ? options : &plain;
  name = options->layout ? options->layout : "auto";
  font = options->font ? options->font : VIZ_DEFAULT_FONT;
  run.layout = viz_layout_find (name);
  run.helper = options->helper;
  if (!run.layout)
    {
      g_set_error (error, VIZ_ERROR, VIZ_ERROR_LAYOUT,
                   "The layout “%s” does not exist. Choose auto, layers, grid or dot.", name);
      return NULL;
    }
  if (!viz_drawing_load (error)) /* texts are measured */
    return NULL;
  if (!folds)
    folds = own_folds = viz_folds_new (diagram);
  task = (Task){ diagram, folds, font, options, FALSE };
  return make_directed (&run, &task, error);
}
