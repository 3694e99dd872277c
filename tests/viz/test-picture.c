/* test-picture.c — tests hit tests and queries against a search over everything.
 *
 * Pictures come from generated diagrams (scenes.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"
#include "tests/viz/scenes.h"

#include "viz/fold/fold.h"
#include "viz/scene/layout-diagram.h"

static VizPicture *
make_picture (void)
{
  VizDiagramBuilder *builder = scene_random (3, 150, 220);
  g_autoptr (VizDiagram) diagram = viz_diagram_builder_freeze (builder);

  return viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);
}

static void
test_every_box_is_hit_in_its_middle (void)
{
  g_autoptr (VizPicture) picture = make_picture ();

  for (guint32 i = 1; i < viz_picture_n_items (picture); i++)
    {
      const VizItem *item = viz_picture_item (picture, i);
      VizHit         hit =
          viz_picture_hit (picture, item->x + item->width / 2, item->y + item->height / 2, 3);

      g_assert_cmpint (hit.kind, ==, VIZ_HIT_ITEM);
      g_assert_cmpuint (hit.index, ==, i);
    }
  g_assert_cmpint (viz_picture_hit (picture, -500, -500, 3).kind, !=, VIZ_HIT_WIRE);
}

static void
test_wires_are_hit_on_their_curves (void)
{
  g_autoptr (VizPicture) picture = make_picture ();
  guint n_hit = 0;

  for (guint32 i = 0; i < viz_picture_n_wires (picture); i++)
    {
      const VizWire  *wire = viz_picture_wire (picture, i);
      const VizPoint *points = viz_picture_points (picture, i);

      if (wire->n_points < 4)
        {
          /* Between a box and a strip on it no wire is drawn. */
          n_hit += viz_picture_item (picture, wire->head)->host != VIZ_NO_ITEM;
          continue;
        }
      /* The end of the first curve; a box may cover it. */
      n_hit += viz_picture_hit (picture, points[3].x, points[3].y, 2).kind == VIZ_HIT_WIRE ||
               viz_picture_hit (picture, points[3].x, points[3].y, 2).kind == VIZ_HIT_ITEM;
    }
  g_assert_cmpuint (n_hit, ==, viz_picture_n_wires (picture));
}

static void
test_a_port_is_hit_before_its_group (void)
{
  g_autoptr (VizDiagram) diagram = NULL;
  g_autoptr (VizPicture) picture = NULL;
  VizHit hit;

  for (guint i = 0; i < n_scenes; i++)
    if (g_str_equal (scenes[i].name, "foreach"))
      diagram = scenes[i].make ();
  picture = viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);
  g_assert_cmpuint (viz_picture_n_plugs (picture), ==, 5);
  for (guint32 i = 0; i < viz_picture_n_plugs (picture); i++)
    {
      const VizPlug *plug = viz_picture_plug (picture, i);

      hit = viz_picture_hit (picture, plug->x + plug->width / 2, plug->y + plug->height / 2, 2);
      g_assert_cmpint (hit.kind, ==, VIZ_HIT_PLUG);
      g_assert_cmpuint (hit.index, ==, i);
    }
}

static void
test_queries_find_everything_inside (void)
{
  g_autoptr (VizPicture) picture = make_picture ();
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint32));
  VizRect rect = { viz_picture_width (picture) * 0.3, viz_picture_height (picture) * 0.4, 400,
                   300 };
  guint   at = 0;

  viz_picture_query (picture, &rect, items, NULL);
  for (guint32 i = 0; i < viz_picture_n_items (picture); i++)
    {
      const VizItem *item = viz_picture_item (picture, i);
      gboolean       touches = item->x < rect.x + rect.width && item->x + item->width > rect.x &&
                         item->y < rect.y + rect.height && item->y + item->height > rect.y;

      while (at < items->len && g_array_index (items, guint32, at) < i)
        at++;
      if (touches)
        g_assert_true (at < items->len && g_array_index (items, guint32, at) == i);
    }
}

static void
test_hidden_boxes_are_shown_by_their_group (void)
{
  VizDiagramBuilder *builder = scene_lstm (20, 1);
  g_autoptr (VizDiagram) diagram = NULL;
  g_autoptr (VizPicture) picture = NULL;
  guint32 item;

  viz_fold (builder, VIZ_FOLD_ALL, NULL);
  diagram = viz_diagram_builder_freeze (builder);
  picture = viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);
  item = viz_picture_find_box (picture, viz_diagram_find_id (diagram, "lstm_l0_t15_plus"));
  g_assert_cmpint (viz_picture_item (picture, item)->state, ==, VIZ_ITEM_STEPS);
  g_assert_cmpint (viz_picture_item (picture, item)->last_step, ==, 19);
  item = viz_picture_find_box (picture, viz_diagram_find_id (diagram, "lstm_l0_h2h_weight"));
  g_assert_cmpuint (item, ==, VIZ_NO_ITEM);
}

TEST_PROGRAM (test_picture)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viz/picture/every-box-is-hit-in-its-middle",
                   test_every_box_is_hit_in_its_middle);
  g_test_add_func ("/viz/picture/wires-are-hit-on-their-curves",
                   test_wires_are_hit_on_their_curves);
  g_test_add_func ("/viz/picture/a-port-is-hit-before-its-group",
                   test_a_port_is_hit_before_its_group);
  g_test_add_func ("/viz/picture/queries-find-everything-inside",
                   test_queries_find_everything_inside);
  g_test_add_func ("/viz/picture/hidden-boxes-are-shown-by-their-group",
                   test_hidden_boxes_are_shown_by_their_group);
  return g_test_run ();
}
