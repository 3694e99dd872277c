/* test-paint.c — compares drawings with stored ones, tiles with the whole, and clips far wires.
 *
 * The stored pictures are in reference/; compare.h says how to write them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"
#include "tests/viz/compare.h"
#include "tests/viz/recording-pen.h"
#include "tests/viz/scenes.h"

#include "viz/fold/fold.h"
#include "viz/paint/paint.h"
#include "viz/scene/layout-diagram.h"

#include <math.h>
#include <string.h>

typedef struct
{
  const char *name;
  const char *scene;
  const char *theme;
  double      scale;
  gboolean    heat;
} Reference;

static const Reference references[] = {
  { "cond", "cond", "light", 1, FALSE },
  { "nested", "nested", "light", 1, FALSE },
  { "nested-dark", "nested", "dark", 1, FALSE },
  { "long-far", "long", "light", 0.25, FALSE },
  { "mlp", "mlp", "light", 1, FALSE },
  { "residual-dark", "residual", "dark", 1, FALSE },
  { "foreach", "foreach", "light", 1, FALSE },
  { "foreach-heat", "foreach", "light", 1, TRUE },
  { "lstm-steps", "lstm", "light", 1, FALSE },
  { "lstm-far", "lstm-open", "light", 0.3, FALSE },
  { "lstm-open", "lstm-open", "dark", 1, FALSE },
  { "mlp-mxnet", "mlp", "mxnet", 1, FALSE },
};

static VizDiagram *
make_diagram (const char *name)
{
  for (guint i = 0; i < n_scenes; i++)
    if (g_str_equal (scenes[i].name, name))
      return scenes[i].make ();
  {
    VizDiagramBuilder *builder = scene_lstm (g_str_equal (name, "lstm") ? 35 : 3, 2);

    viz_fold (builder, VIZ_FOLD_ALL, NULL);
    return viz_diagram_builder_freeze (builder);
  }
}

static VizOverlay *
make_overlay (VizDiagram *diagram)
{
  VizOverlay *overlay = viz_overlay_new (diagram, "Time", VIZ_SCALE_LOG);

  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    if (viz_diagram_box (diagram, i)->n_children == 0 &&
        viz_diagram_box (diagram, i)->kind == VIZ_BOX_OPERATOR)
      viz_overlay_set (overlay, i, pow (3, i % 6), "1.2 ms");
  viz_overlay_finish (overlay, NULL);
  return overlay;
}

static void
test_reference (gconstpointer data)
{
  const Reference *reference = data;
  g_autofree char *file = g_strconcat (reference->name, ".png", NULL);
  g_autofree char *path = g_build_filename (VIZ_REFERENCES, file, NULL);
  g_autoptr (VizDiagram) diagram = make_diagram (reference->scene);
  g_autoptr (VizPicture) picture = viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);
  g_autoptr (VizOverlay) overlay = reference->heat ? make_overlay (diagram) : NULL;
  VizPaintOptions options = { .theme = viz_theme_find (reference->theme),
                              .overlay = overlay,
                              .scale = reference->scale };

  compare_with_stored (picture, &options, reference->scale, path);
}

static void
test_tiles_equal_the_whole (void)
{
  g_autoptr (VizDiagram) diagram = make_diagram ("lstm-open");
  g_autoptr (VizPicture) picture = viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);
  VizPaintOptions  options = { .scale = 1 };
  cairo_surface_t *whole = compare_draw (picture, &options, 1);
  cairo_surface_t *tiled =
      cairo_surface_create_similar_image (whole, CAIRO_FORMAT_RGB24,
                                          cairo_image_surface_get_width (whole),
                                          cairo_image_surface_get_height (whole));

  for (int y = 0; y < cairo_image_surface_get_height (whole); y += 128)
    for (int x = 0; x < cairo_image_surface_get_width (whole); x += 128)
      {
        VizRect  area = { x, y, 128, 128 };
        cairo_t *cr = cairo_create (tiled);

        options.area = &area;
        cairo_rectangle (cr, x, y, 128, 128);
        cairo_clip (cr);
        viz_paint (picture, cr, &options);
        cairo_destroy (cr);
      }
  cairo_surface_flush (tiled);
  g_assert_cmpfloat (compare_difference (whole, tiled), <=, 0.0005);
  cairo_surface_destroy (tiled);
  cairo_surface_destroy (whole);
}

/* A wire whose ends are far outside the area is drawn without an error of Cairo. */
static void
test_far_coordinates_are_clipped (void)
{
  VizDiagramBuilder *builder = scene_lstm (900, 1);
  g_autoptr (VizDiagram) diagram = NULL;
  g_autoptr (VizFolds) folds = NULL;
  g_autoptr (VizPicture) picture = NULL;
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 256, 256);
  cairo_t         *cr = cairo_create (surface);
  VizPaintOptions  options = { .scale = 1 };
  VizRect          area;

  viz_fold (builder, VIZ_FOLD_ALL, NULL);
  diagram = viz_diagram_builder_freeze (builder);
  folds = viz_folds_new (diagram);
  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    if (viz_diagram_box (diagram, i)->kind == VIZ_BOX_STEPS)
      {
        viz_folds_set_open (folds, i, TRUE);
        viz_folds_set_steps (folds, i, 0, 899);
      }
  picture = viz_layout_diagram (diagram, folds, NULL, NULL, NULL);
  g_assert_cmpfloat (viz_picture_width (picture), >, 50000);
  area = (VizRect){ viz_picture_width (picture) * 0.8, viz_picture_height (picture) / 2 - 128, 256,
                    256 };
  options.area = &area;
  cairo_translate (cr, -area.x, -area.y);
  viz_paint (picture, cr, &options);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

/* All texts at a scale.  (transfer full) */
static GArray *
draw_texts (const VizPicture *picture, double scale)
{
  VizPaintOptions options = { .scale = scale };
  GArray         *texts = recording_pen_texts ();
  VizPen         *pen = recording_pen_new (texts, viz_picture_font (picture));

  viz_paint_with (picture, pen, &options);
  viz_pen_free (pen);
  return texts;
}

/* The item of a text of a box, or NULL. */
static const VizItem *
item_of (const VizPicture *picture, const RecordedText *text)
{
  guint32 box = viz_diagram_find_id (viz_picture_diagram (picture), text->id ? text->id : "");

  if (g_strcmp0 (text->kind, "box") != 0)
    return NULL;
  return viz_picture_item (picture, viz_picture_find_box (picture, box));
}

/* The texts of boxes at a scale; each must lie in its box. */
static guint
count_texts (const VizPicture *picture, double scale)
{
  g_autoptr (GArray) texts = draw_texts (picture, scale);
  guint n = 0;

  for (guint i = 0; i < texts->len; i++)
    {
      const RecordedText *text = &g_array_index (texts, RecordedText, i);
      const VizItem      *item = item_of (picture, text);

      if (!item)
        continue;
      n++;
      g_assert_cmpfloat (text->rect.x, >=, item->x);
      g_assert_cmpfloat (text->rect.y, >=, item->y - 1);
      g_assert_cmpfloat (text->rect.x + text->rect.width, <=, item->x + item->width + 1);
      g_assert_cmpfloat (text->rect.y + text->rect.height, <=, item->y + item->height + 1);
    }
  return n;
}

/* Boxes that were made for their titles show further lines when there are pixels enough. */
static void
test_boxes_show_more_when_zoomed_in (void)
{
  g_autoptr (VizDiagram) diagram = make_diagram ("residual");
  g_autoptr (VizPicture) picture =
      viz_layout_diagram (diagram, NULL, &(VizLayoutOptions){ .detail = VIZ_DETAIL_TITLE }, NULL,
                          NULL);
  guint n_near = count_texts (picture, 1), n_nearer = count_texts (picture, 2),
        n_nearest = count_texts (picture, 4);

  g_assert_cmpuint (n_near, >, 0);
  g_assert_cmpuint (n_nearer, >, n_near);
  g_assert_cmpuint (n_nearest, >=, n_nearer);
}

/* A title stands in the middle of its box where the lines below it are too small to read. */
static void
test_titles_are_centred_where_other_lines_are_hidden (void)
{
  g_autoptr (VizDiagram) diagram = make_diagram ("mlp");
  g_autoptr (VizPicture) picture =
      viz_layout_diagram (diagram, NULL, &(VizLayoutOptions){ .detail = VIZ_DETAIL_FULL }, NULL,
                          NULL);
  g_autoptr (GArray) texts = draw_texts (picture, 0.8);
  guint n = 0;

  g_assert_cmpuint (count_texts (picture, 0.8), <, count_texts (picture, 1));
  for (guint i = 0; i < texts->len; i++)
    {
      const RecordedText *text = &g_array_index (texts, RecordedText, i);
      const VizItem      *item = item_of (picture, text);

      if (!item)
        continue;
      n++;
      g_assert_cmpfloat (fabs (text->rect.y + text->rect.height / 2 - item->y - item->height / 2),
                         <=, 3);
    }
  g_assert_cmpuint (n, >, 2);
}

static void
test_every_level_draws (void)
{
  static const double scales[] = { 0, 4, 1, 0.3, 0.05, 0.004 };
  g_autoptr (VizDiagram) diagram = make_diagram ("lstm-open");
  g_autoptr (VizPicture) picture = viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);
  g_autoptr (VizOverlay) overlay = make_overlay (diagram);

  for (guint i = 0; i < G_N_ELEMENTS (scales); i++)
    {
      VizPaintOptions  options = { .scale = scales[i], .overlay = overlay };
      cairo_surface_t *surface = compare_draw (picture, &options, scales[i] > 0 ? scales[i] : 1);

      g_assert_cmpint (cairo_surface_status (surface), ==, CAIRO_STATUS_SUCCESS);
      cairo_surface_destroy (surface);
    }
}

/* The sum of the opacity of all pixels of a mark of the first item. */
static double
ink_of_mark (VizPicture *picture, VizDash dash, double scale)
{
  static const VizColour black = { 0, 0, 0, 1 };
  cairo_surface_t       *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, 400, 400);
  cairo_t               *cr = cairo_create (surface);
  VizPaintOptions        options = { .theme = viz_theme_find ("light"), .scale = scale };
  double                 ink = 0;

  cairo_scale (cr, scale, scale);
  viz_paint_item_mark (picture, cr, &options, 1, &(VizMark){ &black, 2, dash });
  cairo_surface_flush (surface);
  for (int y = 0; y < 400; y++)
    for (int x = 0; x < 400; x++)
      ink +=
          cairo_image_surface_get_data (surface)[y * cairo_image_surface_get_stride (surface) + x];
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return ink;
}

/* Five of eight pixels, at every zoom: the outline of what belongs to the selection differs from that of the selection. */
static void
test_dashed_marks (void)
{
  g_autoptr (VizDiagram) diagram = make_diagram ("mlp");
  g_autoptr (VizPicture) picture = viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);

  for (const double *scale = (const double[]){ 1, 0.5, 0.25, 0 }; *scale > 0; scale++)
    {
      double share = ink_of_mark (picture, VIZ_DASH_DASHED, *scale) /
                     ink_of_mark (picture, VIZ_DASH_NONE, *scale);

      g_assert_cmpfloat (share, >, 0.5);
      g_assert_cmpfloat (share, <, 0.8);
    }
}

TEST_PROGRAM (test_paint)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (references); i++)
    {
      g_autofree char *path = g_strconcat ("/viz/paint/looks-as-stored/", references[i].name, NULL);

      g_test_add_data_func (path, &references[i], test_reference);
    }
  g_test_add_func ("/viz/paint/tiles-equal-the-whole", test_tiles_equal_the_whole);
  g_test_add_func ("/viz/paint/far-coordinates-are-clipped", test_far_coordinates_are_clipped);
  g_test_add_func ("/viz/paint/boxes-show-more-when-zoomed-in",
                   test_boxes_show_more_when_zoomed_in);
  g_test_add_func ("/viz/paint/titles-are-centred-where-other-lines-are-hidden",
                   test_titles_are_centred_where_other_lines_are_hidden);
  g_test_add_func ("/viz/paint/every-level-draws", test_every_level_draws);
  g_test_add_func ("/viz/paint/dashed-marks-differ-at-every-zoom", test_dashed_marks);
  return g_test_run ();
}
