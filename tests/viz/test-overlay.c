/* test-overlay.c — which values the colours reach from and to.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/viz.h"

/* Two operators, the second of which has something inside. */
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

/* A fused operator is one thing, whether or not one looks at its cells. */
static void
test_operators_with_an_inside (void)
{
  g_autoptr (VizDiagram) diagram = make_diagram (VIZ_BOX_INSIDE);
  VizFolds *folds = viz_folds_new (diagram);

  viz_folds_set_open (folds, viz_diagram_find_id (diagram, "owner"), TRUE);
  g_assert_cmpfloat (highest (diagram, NULL), ==, 10);
  g_assert_cmpfloat (highest (diagram, folds), ==, 10);
  viz_folds_free (folds);
}

/* A loop that stands open would make all that is in it pale. */
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/viz/overlay/an-operator-with-an-inside-is-one", test_operators_with_an_inside);
  g_test_add_func ("/viz/overlay/open-groups-set-no-bounds", test_groups);

  return g_test_run ();
}
