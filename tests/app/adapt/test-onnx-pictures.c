/* test-onnx-pictures.c — what a picture takes from an ONNX file besides nodes and edges: modules, attributes, and branches
 * that never run.
 *
 * tests/data/onnx has the files; make-models.py beside them writes them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/models.h"
#include "tests/program.h"

static VizDiagram *
draw (const char *name)
{
  g_autofree char *path = g_build_filename (SOURCE_ROOT, "tests/data/onnx", name, NULL);
  VizDiagram      *diagram = models_diagram (path, NULL);

  g_assert_nonnull (diagram);
  return diagram;
}

/* The box with this name of a node, or title of a group. */
static guint32
find_box (const VizDiagram *diagram, const char *name)
{
  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    {
      const VizBox *box = viz_diagram_box (diagram, i);

      if (g_strcmp0 (box->subtitle, name) == 0 || g_strcmp0 (box->title, name) == 0)
        return i;
    }
  g_error ("no box is called %s", name);
}

static void
assert_inside (const VizDiagram *diagram, const char *node, const char *group)
{
  guint32 box = viz_diagram_box (diagram, find_box (diagram, node))->parent;

  g_assert_cmpuint (box, ==, find_box (diagram, group));
}

static void
test_modules_of_the_exported_program_are_groups (void)
{
  g_autoptr (VizDiagram) diagram = draw ("modules.onnx");

  assert_inside (diagram, "node_relu_0", "layers.0");
  assert_inside (diagram, "node_add_0", "layers.0");
  assert_inside (diagram, "node_linear_2", "layers.2");
  /* One node makes no group. */
  g_assert_cmpuint (viz_diagram_box (diagram, find_box (diagram, "node_conv"))->parent, ==,
                    VIZ_ROOT);
}

static void
test_attributes_that_are_no_defaults_are_shown (void)
{
  g_autoptr (VizDiagram) diagram = draw ("modules.onnx");
  guint32       box = find_box (diagram, "node_conv");
  const VizBox *conv = viz_diagram_box (diagram, box);

  /* Padding of zeros does nothing. */
  g_assert_cmpuint (conv->n_attributes, ==, 2);
  g_assert_cmpstr (viz_diagram_attribute (diagram, box, 0), ==, "kernel_shape 3×5");
  g_assert_cmpstr (viz_diagram_attribute (diagram, box, 1), ==, "strides 2×2");
}

static void
test_a_branch_that_never_runs_is_pale (void)
{
  g_autoptr (VizDiagram) diagram = draw ("branch.onnx");
  const VizBox *dead = viz_diagram_box (diagram, find_box (diagram, "then_branch (never runs)"));
  const VizBox *alive = viz_diagram_box (diagram, find_box (diagram, "else_branch"));

  g_assert_true (dead->flags & VIZ_BOX_FADED);
  g_assert_false (alive->flags & VIZ_BOX_FADED);
  g_assert_true (viz_diagram_box (diagram, find_box (diagram, "squeeze"))->flags & VIZ_BOX_FADED);
  g_assert_false (viz_diagram_box (diagram, find_box (diagram, "keep"))->flags & VIZ_BOX_FADED);
}

static void
test_a_frame_of_an_unknown_operator_has_its_name (void)
{
  g_autoptr (VizDiagram) diagram = draw ("strange.onnx");

  g_assert_cmpstr (viz_diagram_box (diagram, find_box (diagram, "outer"))->title, ==,
                   "mine::Repeat");
  find_box (diagram, "inner");
}

/* The file has the number of the type. */
static void
test_types_in_attributes_have_names (void)
{
  g_autoptr (VizDiagram) diagram = draw ("bfloat16.onnx");
  guint32 cast = find_box (diagram, "cast");

  g_assert_cmpuint (viz_diagram_box (diagram, cast)->n_attributes, ==, 1);
  g_assert_cmpstr (viz_diagram_attribute (diagram, cast, 0), ==, "to float32");
}

TEST_PROGRAM (test_onnx_pictures)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/app/adapt/onnx/modules-of-the-exported-program-are-groups",
                   test_modules_of_the_exported_program_are_groups);
  g_test_add_func ("/app/adapt/onnx/attributes-that-are-no-defaults-are-shown",
                   test_attributes_that_are_no_defaults_are_shown);
  g_test_add_func ("/app/adapt/onnx/a-branch-that-never-runs-is-pale",
                   test_a_branch_that_never_runs_is_pale);
  g_test_add_func ("/app/adapt/onnx/a-frame-of-an-unknown-operator-has-its-name",
                   test_a_frame_of_an_unknown_operator_has_its_name);

  g_test_add_func ("/app/adapt/onnx/types-in-attributes-have-names",
                   test_types_in_attributes_have_names);
  return g_test_run ();
}
