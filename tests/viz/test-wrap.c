/* test-wrap.c — tests pictures that are wrapped into columns: shape, clean routes, stability.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"
#include "tests/viz/geometry.h"
#include "tests/viz/scenes.h"

#include "viz/fold/fold.h"
#include "viz/scene/layout-diagram.h"

#include <math.h>

static const VizPoint page = { 900, 600 };

static VizPicture *
lay_out (VizDiagram *diagram, const VizFolds *folds, const VizPicture *previous)
{
  g_autoptr (GError) error = NULL;
  VizPicture *picture =
      viz_layout_diagram (diagram, folds, &(VizLayoutOptions){ .page = page, .previous = previous },
                          NULL, &error);

  g_assert_no_error (error);
  return picture;
}

static double
aspect_of (const VizPicture *picture)
{
  return viz_picture_width (picture) / viz_picture_height (picture);
}

static void
assert_clean (const VizPicture *picture)
{
  Geometry geometry = geometry_of (picture);

  g_assert_cmpuint (geometry.n_overlaps, ==, 0);
  g_assert_cmpuint (geometry.n_outside, ==, 0);
  g_assert_cmpuint (geometry.n_clipped, ==, 0);
  g_assert_cmpuint (geometry.n_through, ==, 0);
  g_assert_cmpuint (geometry.n_struck, ==, 0);
}

/* 120 boxes in a chain with skip connections, without groups. */
static VizDiagram *
chain (void)
{
  VizDiagramBuilder *builder = scene_transformer (3);

  viz_fold (builder, VIZ_FOLD_WEIGHTS, NULL);
  return viz_diagram_builder_freeze (builder);
}

static void
test_long_chains_take_the_shape_of_the_page (void)
{
  g_autoptr (VizDiagram) diagram = chain ();
  g_autoptr (VizPicture) plain = viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);
  g_autoptr (VizPicture) picture = lay_out (diagram, NULL, NULL);
  guint32 n_columns;

  g_assert_cmpfloat (aspect_of (plain), <, 0.1);
  g_assert_cmpfloat (aspect_of (picture), >, 0.75);
  g_assert_cmpfloat (aspect_of (picture), <, 3);
  viz_picture_columns (picture, 0, &n_columns);
  g_assert_cmpuint (n_columns, >, 2);
  viz_picture_columns (plain, 0, &n_columns);
  g_assert_cmpuint (n_columns, ==, 0);
  assert_clean (picture);
}

static void
test_small_pictures_keep_their_shape (void)
{
  for (guint i = 0; i < n_scenes; i++)
    {
      g_autoptr (VizDiagram) diagram = scenes[i].make ();
      g_autoptr (VizPicture) plain = viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);
      g_autoptr (VizPicture) picture = lay_out (diagram, NULL, NULL);

      assert_clean (picture);
      /* A picture that the page shows at 7 tenths of its size is not wrapped. */
      if (viz_picture_height (plain) * 0.7 < page.y)
        g_assert_cmpfloat (viz_picture_height (picture), ==, viz_picture_height (plain));
    }
}

/* The rows of every column are in the order of the chain, and each column begins at the top. */
static void
test_columns_read_from_left_to_right (void)
{
  g_autoptr (VizDiagram) diagram = chain ();
  g_autoptr (VizPicture) picture = lay_out (diagram, NULL, NULL);
  const VizItem *last = NULL;
  guint          n_steps_up = 0;

  for (guint i = 0; i < 120; i++)
    {
      g_autofree char *id = g_strdup_printf ("block%u_op%u", i / 40, i % 40);
      guint32          box = viz_diagram_find_id (diagram, id);
      const VizItem   *item = viz_picture_item (picture, viz_picture_find_box (picture, box));

      if (last && item->y < last->y)
        {
          n_steps_up++;
          g_assert_cmpfloat (item->x, >, last->x + last->width);
          g_assert_cmpfloat (item->y, <, viz_picture_height (picture) / 4);
        }
      last = item;
    }
  g_assert_cmpuint (n_steps_up, >=, 2);
}

#define N_PAST 10

/* The lowest place of the wire that draws an arrow. */
static double
lowest (const VizPicture *picture, guint32 arrow)
{
  double y = 0;

  for (guint32 i = 0; i < viz_picture_n_wires (picture); i++)
    for (guint32 k = 0; k < viz_picture_wire (picture, i)->n_points; k++)
      if (viz_picture_wire (picture, i)->arrow == arrow)
        y = MAX (y, viz_picture_points (picture, i)[k].y);
  return y;
}

/* Wires past many boxes of one column run beside them and count as part of it.  Below the column each has a
 * height of its own, also the first wire of all. */
static void
test_wires_past_many_boxes_are_clean (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new ("d");
  guint32            box[90];
  g_autoptr (VizDiagram) diagram = NULL;
  g_autoptr (VizPicture) picture = NULL;
  guint32 n_columns;

  scene_add_boxes (builder, G_N_ELEMENTS (box), box);
  for (guint i = 0; i < N_PAST; i++)
    viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){
                                                .tail = box[0], .head = box[20 - i], .output = i });
  for (guint i = 1; i < G_N_ELEMENTS (box); i++)
    viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = box[i - 1], .head = box[i] });
  diagram = viz_diagram_builder_freeze (builder);
  picture = lay_out (diagram, NULL, NULL);
  viz_picture_columns (picture, 0, &n_columns);
  g_assert_cmpuint (n_columns, >, 1);
  assert_clean (picture);
  for (guint i = 0; i < N_PAST; i++)
    for (guint k = 0; k < i; k++)
      g_assert_cmpfloat (fabs (lowest (picture, i) - lowest (picture, k)), >, 1);
}

/* How far items moved, apart from those inside a group. */
static void
assert_moved_at_most (const VizPicture *before, const VizPicture *after, guint32 group, double by)
{
  VizDiagram *diagram = viz_picture_diagram (before);

  for (guint32 i = 1; i < viz_picture_n_items (before); i++)
    {
      const VizItem *was = viz_picture_item (before, i), *is;

      if (was->box == group || viz_diagram_is_inside (diagram, was->box, group))
        continue;
      is = viz_picture_item (after, viz_picture_find_box (after, was->box));
      g_assert_cmpfloat (fabs (was->x - is->x), <=, by + 0.001);
      g_assert_cmpfloat (fabs (was->y - is->y), <=, by + 0.001);
    }
}

static void
test_opening_a_group_keeps_the_columns (void)
{
  VizDiagramBuilder *builder = scene_transformer (40);
  g_autoptr (VizDiagram) diagram = NULL;
  g_autoptr (VizFolds) folds = NULL;
  g_autoptr (VizPicture) first = NULL, opened = NULL, closed = NULL;
  guint32        group = VIZ_ROOT, n_before, n_after;
  const VizItem *was, *is;

  viz_fold (builder, VIZ_FOLD_WEIGHTS | VIZ_FOLD_SCOPES, NULL);
  diagram = viz_diagram_builder_freeze (builder);
  folds = viz_folds_new (diagram);
  viz_folds_open_depth (folds, 0);
  first = lay_out (diagram, folds, NULL);
  viz_picture_columns (first, 0, &n_before);
  g_assert_cmpuint (n_before, >, 1);
  for (guint32 i = 10; i < viz_picture_n_items (first) && group == VIZ_ROOT; i++)
    if (viz_picture_item (first, i)->state == VIZ_ITEM_CLOSED)
      group = viz_picture_item (first, i)->box;
  g_assert_cmpuint (group, !=, VIZ_ROOT);
  viz_folds_set_open (folds, group, TRUE);
  opened = lay_out (diagram, folds, first);
  viz_picture_columns (opened, 0, &n_after);
  g_assert_cmpuint (n_after, ==, n_before);
  assert_clean (opened);
  was = viz_picture_item (first, viz_picture_find_box (first, group));
  is = viz_picture_item (opened, viz_picture_find_box (opened, group));
  assert_moved_at_most (first, opened, group,
                        MAX (is->width - was->width, is->height - was->height));
  viz_folds_set_open (folds, group, FALSE);
  closed = lay_out (diagram, folds, opened);
  assert_moved_at_most (first, closed, VIZ_ROOT + 1000000, 0);
}

/* With flow to the right, every wire to a box further on ends right of its start, and titles stand above the
 * content. */
static void
test_flow_to_the_right (void)
{
  for (guint i = 0; i < n_scenes; i++)
    for (guint wraps = 0; wraps < 2; wraps++)
      {
        g_autoptr (VizDiagram) diagram = scenes[i].make ();
        g_autoptr (VizPicture) picture =
            viz_layout_diagram (diagram, NULL,
                                &(VizLayoutOptions){ .direction = VIZ_DIRECTION_RIGHT,
                                                     .layout = "layers",
                                                     .page = { wraps ? 400 : 0, 600 } },
                                NULL, NULL);

        g_test_message ("%s", scenes[i].name);
        assert_clean (picture);
        g_assert_true (viz_picture_is_sideways (picture));
        for (guint32 w = 0; !wraps && w < viz_picture_n_wires (picture); w++)
          {
            const VizWire  *wire = viz_picture_wire (picture, w);
            const VizPoint *points = viz_picture_points (picture, w);

            if (wire->n_points > 1 && wire->kind != VIZ_ARROW_FEEDBACK)
              g_assert_cmpfloat (points[wire->n_points - 1].x, >, points[0].x);
          }
      }
}

static VizPicture *
lay_out_as_needed (VizDiagram *diagram, const VizPicture *previous)
{
  return viz_layout_diagram (diagram, NULL,
                             &(VizLayoutOptions){
                                 .page = page, .detail = VIZ_DETAIL_AUTO, .previous = previous },
                             NULL, NULL);
}

/* A page that could not show all lines of the boxes legibly gets boxes with title and name, or with the title
 * only. */
static void
test_boxes_show_what_the_page_can_show (void)
{
  VizDiagramBuilder *small = scene_transformer (0);
  g_autoptr (VizDiagram) large_diagram = chain ();
  g_autoptr (VizDiagram) small_diagram = viz_diagram_builder_freeze (small);
  g_autoptr (VizPicture) large = lay_out_as_needed (large_diagram, NULL);
  g_autoptr (VizPicture) again = lay_out_as_needed (large_diagram, large);
  g_autoptr (VizPicture) full = lay_out_as_needed (small_diagram, NULL);

  g_assert_cmpint (viz_picture_detail (large), ==, VIZ_DETAIL_TITLE);
  g_assert_cmpint (viz_picture_detail (again), ==, VIZ_DETAIL_TITLE);
  g_assert_cmpint (viz_picture_detail (full), ==, VIZ_DETAIL_FULL);
  assert_clean (large);
}

/* The picture of the chain in the direction that the options say, or in the one that suits the page. */
static VizPicture *
lay_out_towards (VizDiagram *diagram, VizDirection direction, VizPoint size, VizPicture *previous)
{
  return viz_layout_diagram (diagram, NULL,
                             &(VizLayoutOptions){ .page = size,
                                                  .detail = VIZ_DETAIL_AUTO,
                                                  .direction = direction,
                                                  .previous = previous },
                             NULL, NULL);
}

/* The direction suits the page for which a picture is first made; a later one of the same diagram keeps it on any
 * page, unless the options say another. */
static void
test_direction_is_chosen_once (void)
{
  const VizPoint flat = { 2400, 100 }, tall = { 900, 4800 };
  g_autoptr (VizDiagram) diagram = scenes[3].make (); /* a condition */
  g_autoptr (VizPicture) right = lay_out_towards (diagram, VIZ_DIRECTION_AUTO, flat, NULL);
  g_autoptr (VizPicture) down = lay_out_towards (diagram, VIZ_DIRECTION_AUTO, tall, NULL);
  g_autoptr (VizPicture) kept_right = lay_out_towards (diagram, VIZ_DIRECTION_AUTO, tall, right);
  g_autoptr (VizPicture) kept_down = lay_out_towards (diagram, VIZ_DIRECTION_AUTO, flat, down);
  g_autoptr (VizPicture) asked = lay_out_towards (diagram, VIZ_DIRECTION_RIGHT, tall, down);
  g_autoptr (VizPicture) back = lay_out_towards (diagram, VIZ_DIRECTION_DOWN, flat, right);

  g_assert_true (viz_picture_is_sideways (right));
  g_assert_false (viz_picture_is_sideways (down));
  g_assert_true (viz_picture_is_sideways (kept_right));
  g_assert_false (viz_picture_is_sideways (kept_down));
  g_assert_true (viz_picture_is_sideways (asked));
  g_assert_false (viz_picture_is_sideways (back));
  assert_clean (right);
  assert_clean (down);
}

static void
test_directions_have_names (void)
{
  VizDirection direction;

  for (guint i = VIZ_DIRECTION_DOWN; i <= VIZ_DIRECTION_AUTO; i++)
    {
      g_assert_true (viz_direction_find (viz_direction_name ((VizDirection) i), &direction));
      g_assert_cmpint (direction, ==, i);
    }
  g_assert_false (viz_direction_find ("up", &direction));
}

TEST_PROGRAM (test_wrap)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wrap/long-chains-take-the-shape-of-the-page",
                   test_long_chains_take_the_shape_of_the_page);
  g_test_add_func ("/wrap/small-pictures-keep-their-shape", test_small_pictures_keep_their_shape);
  g_test_add_func ("/wrap/columns-read-from-left-to-right", test_columns_read_from_left_to_right);
  g_test_add_func ("/wrap/wires-past-many-boxes-are-clean", test_wires_past_many_boxes_are_clean);
  g_test_add_func ("/wrap/flow-may-go-to-the-right", test_flow_to_the_right);
  g_test_add_func ("/wrap/boxes-show-what-the-page-can-show",
                   test_boxes_show_what_the_page_can_show);
  g_test_add_func ("/wrap/opening-a-group-keeps-the-columns",
                   test_opening_a_group_keeps_the_columns);
  g_test_add_func ("/wrap/the-direction-is-chosen-once", test_direction_is_chosen_once);
  g_test_add_func ("/wrap/directions-have-names", test_directions_have_names);
  return g_test_run ();
}
