/* test-overlay.c — tests which values set the bounds of the colours.
 *
 * See viz_overlay_finish() for the rule.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/viz.h"

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/viz/overlay/operators-with-details-are-one-box", test_operators_with_details);
  g_test_add_func ("/viz/overlay/open-groups-do-not-set-bounds", test_groups);

  return g_test_run ();
}
