/* test-fold-cycles.c — scopes that would feed themselves as one box.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"
#include "viz/fold/fold.h"

static VizDiagram *
fold (VizDiagramBuilder *builder, VizFoldWhat what)
{
  viz_fold (builder, what, NULL);
  return viz_diagram_builder_freeze (builder);
}

/* a/x → s → a/y, where s only computes the shape of x and is drawn as a line of y: a stays one box. */
static void
test_scopes_do_not_feed_themselves_through_what_is_not_drawn (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  g_autoptr (VizDiagram) diagram = NULL;
  static const VizBoxInfo infos[] = {
    { .id = "a/w", .subtitle = "a/w" },
    { .id = "a/x", .subtitle = "a/x" },
    { .id = "s", .subtitle = "s", .flags = VIZ_BOX_PREPARED },
    { .id = "a/y", .subtitle = "a/y" },
    { .id = "b", .subtitle = "b" },
  };
  guint32 box[G_N_ELEMENTS (infos)];

  for (guint i = 0; i < G_N_ELEMENTS (infos); i++)
    box[i] = viz_diagram_builder_add_box (builder, &infos[i]);
  viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = box[0], .head = box[1] });
  viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = box[1], .head = box[2] });
  viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = box[2], .head = box[3] });
  viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = box[1], .head = box[3] });
  viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = box[3], .head = box[4] });
  diagram = fold (builder, VIZ_FOLD_ALL);
  g_assert_cmpuint (viz_diagram_box (diagram, box[3])->parent, !=, VIZ_ROOT);
  g_assert_cmpuint (viz_diagram_box (diagram, box[3])->parent, ==,
                    viz_diagram_box (diagram, box[1])->parent);
}

/* a_x → b → a_y: as one box, a would feed itself. */
static void
test_cyclic_scopes_are_dissolved (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  g_autoptr (VizDiagram) diagram = NULL;
  const char *names[] = { "a/x", "b", "a/y", "c/p", "c/q" };
  guint32     box[5];

  for (guint i = 0; i < 5; i++)
    box[i] = viz_diagram_builder_add_box (builder,
                                          &(VizBoxInfo){ .id = names[i], .subtitle = names[i] });
  for (guint i = 0; i + 1 < 5; i++)
    viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = box[i], .head = box[i + 1] });
  diagram = fold (builder, VIZ_FOLD_ALL);
  g_assert_cmpuint (viz_diagram_box (diagram, box[0])->parent, ==, VIZ_ROOT);
  g_assert_cmpuint (viz_diagram_box (diagram, box[3])->parent, !=, VIZ_ROOT);
  g_assert_cmpuint (viz_diagram_box (diagram, box[3])->parent, ==,
                    viz_diagram_box (diagram, box[4])->parent);
}

TEST_PROGRAM (test_fold_cycles)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/viz/fold/cyclic-scopes-are-dissolved", test_cyclic_scopes_are_dissolved);
  g_test_add_func ("/viz/fold/scopes-do-not-feed-themselves-through-what-is-not-drawn",
                   test_scopes_do_not_feed_themselves_through_what_is_not_drawn);

  return g_test_run ();
}
