/* test-overlay.c — tests which values set the bounds of the colours.
 *
 * See viz_overlay_finish() for the rule.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/viz/recording-pen.h"
#include "tests/viz/scenes.h"

#include "viz/viz.h"

#include <string.h>

/* Two operators; the second has a box inside. */
static VizDiagram *
make_diagram (VizBoxFlags inside)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  guint32            owner;

  viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = "dense" });
  owner = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = "owner" });
  viz_diagram_builder_add_box (builder,
                               &(VizBoxInfo){ .id = "inside", .parent = owner, .flags = inside });
  return viz_diagram_builder_freeze (builder);
}

static double
highest (VizDiagram *diagram, const VizFolds *folds)
{
  g_autoptr (VizOverlay) overlay = viz_overlay_new (diagram, "Time", VIZ_SCALE_LOG);
  double low, high;

  viz_overlay_set (overlay, viz_diagram_find_id (diagram, "dense"), 1, NULL);
  viz_overlay_set (overlay, viz_diagram_find_id (diagram, "owner"), 10, NULL);
  viz_overlay_finish (overlay, folds);
  viz_overlay_bounds (overlay, &low, &high);
  g_assert_cmpfloat (low, ==, 1);
  return high;
}

/* A fused operator counts as one box, whether or not its details are open. */
static void
test_operators_with_details (void)
{
  g_autoptr (VizDiagram) diagram = make_diagram (VIZ_BOX_INSIDE);
  VizFolds *folds = viz_folds_new (diagram);

  viz_folds_set_open (folds, viz_diagram_find_id (diagram, "owner"), TRUE);
  g_assert_cmpfloat (highest (diagram, NULL), ==, 10);
  g_assert_cmpfloat (highest (diagram, folds), ==, 10);
  viz_folds_free (folds);
}

/* An open group does not set the bounds: its sum would make all boxes inside pale. */
static void
test_groups (void)
{
  g_autoptr (VizDiagram) diagram = make_diagram (0);
  VizFolds *folds = viz_folds_new (diagram);
  guint32   owner = viz_diagram_find_id (diagram, "owner");

  g_assert_cmpfloat (highest (diagram, NULL), ==, 1);
  viz_folds_set_open (folds, owner, TRUE);
  g_assert_cmpfloat (highest (diagram, folds), ==, 1);
  viz_folds_set_open (folds, owner, FALSE);
  g_assert_cmpfloat (highest (diagram, folds), ==, 10);
  viz_folds_free (folds);
}

#define COST "12.3 ms · 14 %"

/* Narrow boxes show the value only. */
static gboolean
is_cost (const char *text)
{
  return strcmp (text, COST) == 0 || strcmp (text, "12.3 ms") == 0;
}

/* Labels at the ends of a ramp say what its first and last colour stand for. */
static void
test_ends (void)
{
  static const struct
  {
    VizScale scale;
    double   a, b, low, high;
  } cases[] = {
    { VIZ_SCALE_LINEAR, 2, 8, 0, 8 },       { VIZ_SCALE_RANK, 2, 8, 2, 8 },
    { VIZ_SCALE_LOG, 2, 8, 2, 8 },          { VIZ_SCALE_LOG, 1e-9, 10, 1e-3, 10 },
    { VIZ_SCALE_DIFFERENCE, -1, 3, -3, 3 }, { VIZ_SCALE_DIFFERENCE, -4, -2, -4, 4 },
  };
  g_autoptr (VizDiagram) diagram = make_diagram (VIZ_BOX_INSIDE);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (VizOverlay) overlay = viz_overlay_new (diagram, NULL, cases[i].scale);
      gboolean is_difference = cases[i].scale == VIZ_SCALE_DIFFERENCE;
      double   low, high;

      viz_overlay_set (overlay, viz_diagram_find_id (diagram, "dense"), cases[i].a, NULL);
      viz_overlay_set (overlay, viz_diagram_find_id (diagram, "owner"), cases[i].b, NULL);
      viz_overlay_finish (overlay, NULL);
      viz_overlay_ends (overlay, &low, &high);
      g_assert_cmpfloat_with_epsilon (low, cases[i].low, 1e-12);
      g_assert_cmpfloat_with_epsilon (high, cases[i].high, 1e-12);
      g_assert_cmpfloat (viz_overlay_level_of (overlay, low), ==, is_difference ? -1 : 0);
      g_assert_cmpfloat (viz_overlay_level_of (overlay, high), ==, 1);
    }
}

/* Every tag is drawn, and none leaves its box. */
static void
test_costs_stand_in_their_boxes (void)
{
  for (guint i = 0; i < n_scenes; i++)
    {
      g_autoptr (VizDiagram) diagram = scenes[i].make ();
      g_autoptr (VizPicture) picture = viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);
      g_autoptr (VizOverlay) overlay = viz_overlay_new (diagram, "Time", VIZ_SCALE_LOG);
      g_autoptr (GArray) texts = recording_pen_texts ();
      VizPen *pen = recording_pen_new (texts, viz_picture_font (picture));
      guint   n_boxes = 0, n_inside = 0, n_tags = 0;

      for (guint32 k = 1; k < viz_diagram_n_boxes (diagram); k++)
        viz_overlay_set (overlay, k, k, COST);
      viz_overlay_finish (overlay, NULL);
      viz_paint_with (picture, pen, &(VizPaintOptions){ .overlay = overlay });
      viz_pen_free (pen);
      for (guint32 k = 1; k < viz_picture_n_items (picture); k++)
        {
          const VizItem *item = viz_picture_item (picture, k);

          if (item->state == VIZ_ITEM_OPEN || item->state == VIZ_ITEM_STEPS)
            continue;
          n_boxes++;
          for (guint t = 0; t < texts->len; t++)
            {
              const RecordedText *text = &g_array_index (texts, RecordedText, t);

              n_inside += is_cost (text->text) && text->rect.x >= item->x - 12 &&
                          text->rect.x + text->rect.width <= item->x + item->width &&
                          text->rect.y >= item->y &&
                          text->rect.y + text->rect.height <= item->y + item->height;
            }
        }
      for (guint t = 0; t < texts->len; t++)
        n_tags += is_cost (g_array_index (texts, RecordedText, t).text);
      g_test_message ("%s: %u boxes", scenes[i].name, n_boxes);
      g_assert_cmpuint (n_tags, ==, n_boxes);
      g_assert_cmpuint (n_inside, ==, n_boxes);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/viz/overlay/operators-with-details-are-one-box", test_operators_with_details);
  g_test_add_func ("/viz/overlay/open-groups-do-not-set-bounds", test_groups);
  g_test_add_func ("/viz/overlay/ends-of-the-ramp-are-its-first-and-last-colour", test_ends);
  g_test_add_func ("/viz/overlay/costs-stand-in-their-boxes", test_costs_stand_in_their_boxes);

  return g_test_run ();
}
