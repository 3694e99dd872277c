/* test-overlay.c — tests which values set the bounds of the colours.
 *
 * See viz_overlay_finish() for the rule.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"
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

/* --- Badges --- */

static VizDiagram *
make_scene (const char *name)
{
  for (guint i = 0; i < n_scenes; i++)
    if (strcmp (scenes[i].name, name) == 0)
      return scenes[i].make ();
  g_assert_not_reached ();
}

static guint
count (const char *in, const char *text)
{
  guint n = 0;

  for (const char *at = strstr (in, text); at; at = strstr (at + 1, text))
    n++;
  return n;
}

/* Draws an overlay with one group open or closed, as SVG.  (transfer full) */
static char *
draw_svg (VizDiagram *diagram, const VizOverlay *overlay, guint32 group, gboolean is_open)
{
  g_autoptr (VizFolds) folds = viz_folds_new (diagram);
  g_autoptr (VizPicture) picture = NULL;
  GString *out = g_string_new (NULL);
  VizPen  *pen;

  viz_folds_set_open (folds, group, is_open);
  picture = viz_layout_diagram (diagram, folds, NULL, NULL, NULL);
  pen = viz_pen_new_svg (out, viz_picture_font (picture), FALSE);
  viz_paint_with (picture, pen, &(VizPaintOptions){ .overlay = overlay });
  viz_pen_free (pen);
  return g_string_free (out, FALSE);
}

/* The first box of a kind. */
static guint32
find_kind (VizDiagram *diagram, VizBoxKind kind)
{
  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    if (viz_diagram_box (diagram, i)->kind == kind)
      return i;
  g_assert_not_reached ();
}

/* A box has a badge where it is seen: inside an open group, or by the closed group. */
static void
test_badges (void)
{
  static const struct
  {
    VizBadge frame;
    gboolean is_closed;
    guint    n_own, n_of_frame;
  } rows[] = {
    { VIZ_BADGE_NONE, FALSE, 1, 0 },  { VIZ_BADGE_INSIDE, FALSE, 1, 0 },
    { VIZ_BADGE_INSIDE, TRUE, 0, 1 }, { VIZ_BADGE_OWN, FALSE, 1, 1 },
    { VIZ_BADGE_OWN, TRUE, 0, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (VizDiagram) diagram = make_scene ("foreach");
      guint32 frame = find_kind (diagram, VIZ_BOX_FRAME), inside = VIZ_ROOT;
      g_autoptr (VizOverlay) plain = viz_overlay_new (diagram, "Time", VIZ_SCALE_LOG);
      g_autoptr (VizOverlay) marked = viz_overlay_new (diagram, "Time", VIZ_SCALE_LOG);
      g_autofree char *before = NULL, *after = NULL;

      for (guint32 k = 1; k < viz_diagram_n_boxes (diagram) && inside == VIZ_ROOT; k++)
        if (viz_diagram_box (diagram, k)->kind == VIZ_BOX_OPERATOR &&
            viz_diagram_is_inside (diagram, k, frame))
          inside = k;
      g_assert_cmpuint (inside, !=, VIZ_ROOT);
      viz_overlay_set_badge (marked, inside, VIZ_BADGE_OWN, "on the host");
      viz_overlay_set_badge (marked, frame, rows[i].frame, "one in it");
      viz_overlay_finish (plain, NULL);
      viz_overlay_finish (marked, NULL);
      before = draw_svg (diagram, plain, frame, !rows[i].is_closed);
      after = draw_svg (diagram, marked, frame, !rows[i].is_closed);
      g_assert_cmpuint (count (after, "on the host</title>"), ==, rows[i].n_own);
      g_assert_cmpuint (count (after, "one in it</title>"), ==, rows[i].n_of_frame);
      g_assert_cmpuint (count (after, "z\""), ==,
                        count (before, "z\"") + rows[i].n_own + rows[i].n_of_frame);
    }
}

/* The legend of an overlay as SVG.  (transfer full) */
static char *
draw_legend (const VizOverlay *overlay)
{
  GString *out = g_string_new (NULL);
  VizPen  *pen = viz_pen_new_svg (out, NULL, FALSE);

  viz_legend_draw (overlay, viz_theme_find ("light"), pen, 0, 0);
  viz_pen_free (pen);
  return g_string_free (out, FALSE);
}

/* The legend has one more line for badges, with a badge of its own. */
static void
test_legend_of_badges (void)
{
  g_autoptr (VizDiagram) diagram = make_scene ("mlp");
  g_autoptr (VizOverlay) overlay = viz_overlay_new (diagram, "Time", VIZ_SCALE_LOG);
  double           width, height, plain;
  g_autofree char *before = NULL, *after = NULL;

  viz_overlay_set_note (overlay, "a note");
  viz_overlay_finish (overlay, NULL);
  viz_legend_size (overlay, NULL, &width, &plain);
  before = draw_legend (overlay);
  viz_overlay_set_badges_note (overlay, "one step on the host", "its reason");
  viz_legend_size (overlay, NULL, &width, &height);
  after = draw_legend (overlay);
  g_assert_cmpfloat (height, >, plain);
  g_assert_cmpuint (count (before, "one step on the host"), ==, 0);
  g_assert_cmpuint (count (after, "one step on the host"), ==, 1);
  g_assert_cmpuint (count (after, "its reason"), ==, 0);
  g_assert_cmpuint (count (after, "z\""), ==, count (before, "z\"") + 1);
}

TEST_PROGRAM (test_overlay)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/viz/overlay/operators-with-details-are-one-box", test_operators_with_details);
  g_test_add_func ("/viz/overlay/open-groups-do-not-set-bounds", test_groups);
  g_test_add_func ("/viz/overlay/ends-of-the-ramp-are-its-first-and-last-colour", test_ends);
  g_test_add_func ("/viz/overlay/costs-stand-in-their-boxes", test_costs_stand_in_their_boxes);
  g_test_add_func ("/viz/overlay/badges-are-where-their-boxes-are-seen", test_badges);
  g_test_add_func ("/viz/overlay/the-legend-explains-badges", test_legend_of_badges);

  return g_test_run ();
}
