/* test-diagram.c — tests the builder, and the order that freezing gives.
 *
 * Covers children, ports, arrows, circular parents and invalid UTF-8.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"
#include "viz/diagram/box-text.h"
#include "viz/diagram/diagram.h"

static guint32
add (VizDiagramBuilder *builder, const char *id, guint32 parent, guint32 user)
{
  return viz_diagram_builder_add_box (builder,
                                      &(VizBoxInfo){
                                          .id = id, .title = id, .parent = parent, .user = user });
}

static void
test_children_keep_their_order (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new ("d");
  guint32            group = add (builder, "group", VIZ_ROOT, VIZ_NO_USER);
  guint32            a = add (builder, "a", group, 7), b, c;
  g_autoptr (VizDiagram) diagram = NULL;

  b = add (builder, "b", VIZ_ROOT, 8);
  c = add (builder, "c", group, 9);
  diagram = viz_diagram_builder_freeze (builder);
  g_assert_cmpuint (viz_diagram_box (diagram, group)->n_children, ==, 2);
  g_assert_cmpuint (viz_diagram_child (diagram, group, 0), ==, a);
  g_assert_cmpuint (viz_diagram_child (diagram, group, 1), ==, c);
  g_assert_cmpuint (viz_diagram_box (diagram, VIZ_ROOT)->n_children, ==, 2);
  g_assert_cmpuint (viz_diagram_child (diagram, VIZ_ROOT, 1), ==, b);
  g_assert_cmpuint (viz_diagram_find_id (diagram, "a"), ==, a);
  g_assert_true (viz_diagram_is_inside (diagram, a, group));
  g_assert_false (viz_diagram_is_inside (diagram, b, group));
  g_assert_cmpuint (viz_diagram_n_leaves (diagram, VIZ_ROOT), ==, 3);
}

static void
test_ports_are_sorted_by_side (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  guint32            a = add (builder, "a", VIZ_ROOT, 0), b = add (builder, "b", VIZ_ROOT, 1);
  guint32            out, in, other;
  g_autoptr (VizDiagram) diagram = NULL;
  const VizArrow *arrow;

  out = viz_diagram_builder_add_port (builder, a, VIZ_PORT_STATE, VIZ_SIDE_OUT, "h");
  other = viz_diagram_builder_add_port (builder, b, VIZ_PORT_DATA, VIZ_SIDE_IN, "x");
  in = viz_diagram_builder_add_port (builder, a, VIZ_PORT_STATE, VIZ_SIDE_IN, "h");
  viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = a,
                                                           .tail_port = out,
                                                           .head = a,
                                                           .head_port = in,
                                                           .kind = VIZ_ARROW_FEEDBACK });
  viz_diagram_builder_add_arrow (builder,
                                 &(VizArrowInfo){ .tail = a, .head = b, .head_port = other });
  diagram = viz_diagram_builder_freeze (builder);
  g_assert_cmpuint (viz_diagram_box (diagram, a)->n_ports, ==, 2);
  arrow = viz_diagram_arrow (diagram, 0);
  g_assert_cmpuint (arrow->head_port, ==, viz_diagram_box (diagram, a)->first_port);
  g_assert_cmpuint (viz_diagram_port (diagram, arrow->head_port)->side, ==, VIZ_SIDE_IN);
  g_assert_cmpuint (viz_diagram_port (diagram, arrow->tail_port)->tie, ==, arrow->head_port);
  g_assert_cmpstr (viz_diagram_port (diagram, viz_diagram_arrow (diagram, 1)->head_port)->label, ==,
                   "x");
}

static void
test_circular_parents_are_broken (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  guint32            a = add (builder, "a", VIZ_ROOT, 0), b = add (builder, "b", a, 1);
  guint32            c = add (builder, "c", b, 2);
  g_autoptr (VizDiagram) diagram = NULL;
  guint n_reached = 0;

  viz_diagram_builder_set_parent (builder, a, c);
  diagram = viz_diagram_builder_freeze (builder);
  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    n_reached += viz_diagram_is_inside (diagram, i, VIZ_ROOT);
  g_assert_cmpuint (n_reached, ==, 3);
}

static void
test_invalid_utf8_is_replaced (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new ("\xff");
  guint32            a = add (builder, "\xc3(", VIZ_ROOT, 0);
  g_autoptr (VizDiagram) diagram = viz_diagram_builder_freeze (builder);

  g_assert_true (g_utf8_validate (viz_diagram_box (diagram, a)->title, -1, NULL));
  g_assert_true (g_utf8_validate (viz_diagram_title (diagram), -1, NULL));
}

static void
test_arrows_are_found_at_both_ends (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  guint32            a = add (builder, "a", VIZ_ROOT, 0), b = add (builder, "b", VIZ_ROOT, 1);
  g_autoptr (VizDiagram) diagram = NULL;
  const guint32 *arrows;
  guint32        n;

  for (guint i = 0; i < 3; i++)
    viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = a, .head = b, .output = i });
  diagram = viz_diagram_builder_freeze (builder);
  arrows = viz_diagram_incoming (diagram, b, &n);
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpuint (arrows[2], ==, 2);
  viz_diagram_outgoing (diagram, b, &n);
  g_assert_cmpuint (n, ==, 0);
}

/* A box lists four rows of weights, those of one shape in one row, and the number of the others. */
static void
test_weights_share_rows (void)
{
  static const char *const expected[] = { "w0, w1  1|w2, w3  2|",
                                          "w0, w1  1|w2, w3  2|w4, w5  3|w6, w7  4|+ 2 weights|" };

  for (guint n = 4; n <= 10; n += 6)
    {
      VizDiagramBuilder *builder = viz_diagram_builder_new ("d");
      guint32            user = add (builder, "user", VIZ_ROOT, 0);
      g_autoptr (VizDiagram) diagram = NULL;
      g_autoptr (GArray) lines = NULL;
      g_autoptr (GString) rows = g_string_new (NULL);

      for (guint i = 0; i < n; i++)
        {
          g_autofree char *name = g_strdup_printf ("w%u", i);
          g_autofree char *shape = g_strdup_printf ("%u", i / 2 + 1);
          guint32          weight =
              viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .title = name,
                                                                   .shape = shape,
                                                                   .kind = VIZ_BOX_WEIGHT,
                                                                   .flags = VIZ_BOX_FOLDED,
                                                                   .parent = VIZ_ROOT });

          viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = weight,
                                                                   .head = user,
                                                                   .head_port = VIZ_NO_PORT });
        }
      diagram = viz_diagram_builder_freeze (builder);
      lines =
          viz_box_lines (diagram, viz_diagram_find_id (diagram, "user"), -1, -1, VIZ_DETAIL_FULL);
      for (guint i = 0; i < lines->len; i++)
        if (g_array_index (lines, VizTextLine, i).style == VIZ_TEXT_ROW)
          g_string_append_printf (rows, "%s|", g_array_index (lines, VizTextLine, i).text);
      g_assert_cmpstr (rows->str, ==, expected[n == 4 ? 0 : 1]);
    }
}

TEST_PROGRAM (test_diagram)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viz/diagram/children-keep-their-order", test_children_keep_their_order);
  g_test_add_func ("/viz/diagram/weights-of-one-shape-share-a-row", test_weights_share_rows);
  g_test_add_func ("/viz/diagram/ports-are-sorted-by-side", test_ports_are_sorted_by_side);
  g_test_add_func ("/viz/diagram/circular-parents-are-broken", test_circular_parents_are_broken);
  g_test_add_func ("/viz/diagram/invalid-utf8-is-replaced", test_invalid_utf8_is_replaced);
  g_test_add_func ("/viz/diagram/arrows-are-found-at-both-ends",
                   test_arrows_are_found_at_both_ends);
  return g_test_run ();
}
