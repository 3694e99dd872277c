/* test-fold-open.c — tests which groups, and how many steps of a chain, are open at first.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"
#include "viz/fold/fold.h"
#include "viz/fold/folds.h"

static guint32
add (VizDiagramBuilder *builder, const char *title, const char *name, guint32 tail)
{
  guint32 box =
      viz_diagram_builder_add_box (builder,
                                   &(VizBoxInfo){ .id = name, .title = title, .subtitle = name });

  if (tail != VIZ_ROOT)
    viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = tail, .head = box });
  return box;
}

/* A chain of cells, "PREFIX3_op0" → "PREFIX3_op1" …, that share a weight.  Returns the last operator. */
static guint32
add_chain (VizDiagramBuilder *builder, const char *prefix, guint first, guint n, guint n_operators)
{
  g_autofree char *weight_name = g_strconcat (prefix, "weight", NULL);
  guint32          weight = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = weight_name,
                                                                                 .title = "weight",
                                                                                 .subtitle = weight_name,
                                                                                 .kind = VIZ_BOX_WEIGHT });
  guint32          last = VIZ_ROOT;

  for (guint i = first; i < first + n; i++)
    for (guint k = 0; k < n_operators; k++)
      {
        g_autofree char *name = g_strdup_printf ("%s%u_op%u", prefix, i, k);

        last = add (builder, "dense", name, last);
        if (k == 0)
          viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = weight, .head = last });
      }
  return last;
}

static VizDiagram *
fold (VizDiagramBuilder *builder)
{
  viz_fold (builder, VIZ_FOLD_ALL, NULL);
  return viz_diagram_builder_freeze (builder);
}

static gboolean
is_open (const VizDiagram *diagram, guint32 box)
{
  return (viz_diagram_box (diagram, box)->flags & VIZ_BOX_OPEN) != 0;
}

/* Open cells stand side by side: six of four operators are wider than a page. */
static void
test_cells_open_if_they_are_few_and_small (void)
{
  static const guint samples[][3] = { { 3, 4, TRUE }, { 6, 4, FALSE }, { 2, 8, TRUE } };

  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
      guint32            last = add_chain (builder, "rnn_t", 0, samples[i][0], samples[i][1]), cell;
      g_autoptr (VizDiagram) diagram = fold (builder);

      cell = viz_diagram_box (diagram, last)->parent;
      g_assert_cmpint (viz_diagram_box (diagram, cell)->step, ==, (int) samples[i][0] - 1);
      g_assert_true (is_open (diagram, viz_diagram_box (diagram, cell)->parent));
      g_assert_cmpint (is_open (diagram, cell), ==, samples[i][2]);
    }
}

/* Of an encoder and a decoder both or none are open, even if there is room for one. */
static void
test_chains_of_steps_open_together (void)
{
  static const guint n_others[] = { 12, 28 };

  for (guint i = 0; i < G_N_ELEMENTS (n_others); i++)
    {
      VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
      guint32            encoder = add_chain (builder, "encoder_t", 0, 6, 5);
      guint32            decoder = add_chain (builder, "decoder_t", 0, 6, 5);
      g_autoptr (VizDiagram) diagram = NULL;

      for (guint k = 0; k < n_others[i]; k++)
        {
          g_autofree char *name = g_strdup_printf ("other%u", k);

          add (builder, name, name, encoder);
        }
      diagram = fold (builder);
      encoder = viz_diagram_box (diagram, viz_diagram_box (diagram, encoder)->parent)->parent;
      decoder = viz_diagram_box (diagram, viz_diagram_box (diagram, decoder)->parent)->parent;
      g_assert_cmpint (viz_diagram_box (diagram, encoder)->kind, ==, VIZ_BOX_STEPS);
      g_assert_cmpint (viz_diagram_box (diagram, decoder)->kind, ==, VIZ_BOX_STEPS);
      g_assert_cmpuint (encoder, !=, decoder);
      g_assert_cmpint (is_open (diagram, encoder), ==, i == 0);
      g_assert_cmpint (is_open (diagram, decoder), ==, i == 0);
    }
}

/* As the modules of SqueezeNet, "fire2" to "fire9": eight, although the last has a number above eight. */
static void
test_numbers_need_not_begin_at_0 (void)
{
  static const guint samples[][3] = { { 2, 8, 9 }, { 2, 9, 4 }, { 0, 8, 7 }, { 0, 9, 2 } };

  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
      guint32 last = add_chain (builder, "fire_t", samples[i][0], samples[i][1], 5), cell;
      g_autoptr (VizDiagram) diagram = fold (builder);
      VizFolds *folds = viz_folds_new (diagram);
      gint32    from, to;

      cell = viz_diagram_box (diagram, last)->parent;
      viz_folds_get_steps (folds, viz_diagram_box (diagram, cell)->parent, &from, &to);
      g_assert_cmpint (from, ==, 0);
      g_assert_cmpint (to, ==, (int) samples[i][2]);
      viz_folds_free (folds);
    }
}

/* Boxes of groups that a picture with n boxes opens. */
static void
test_a_picture_of_few_boxes_may_open_more (void)
{
  static const guint samples[][3] = {
    { 8, 45, TRUE }, { 8, 60, FALSE }, { 24, 15, TRUE }, { 24, 25, FALSE }
  };

  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
      guint32            last = VIZ_ROOT, inside = VIZ_ROOT;
      g_autoptr (VizDiagram) diagram = NULL;

      for (guint k = 0; k < samples[i][0]; k++)
        {
          g_autofree char *name = g_strdup_printf ("op%u", k);

          last = add (builder, "dense", name, last);
        }
      for (guint k = 0; k < samples[i][1]; k++)
        {
          g_autofree char *name = g_strdup_printf ("body/op%u", k);

          inside = add (builder, "conv", name, inside);
        }
      viz_fold (builder, VIZ_FOLD_SCOPES, NULL);
      diagram = viz_diagram_builder_freeze (builder);
      g_assert_cmpint (is_open (diagram, viz_diagram_box (diagram, inside)->parent), ==,
                       samples[i][2]);
    }
}

TEST_PROGRAM (test_fold_open)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viz/fold/open/cells-open-if-they-are-few-and-small",
                   test_cells_open_if_they_are_few_and_small);
  g_test_add_func ("/viz/fold/open/chains-of-steps-open-together",
                   test_chains_of_steps_open_together);
  g_test_add_func ("/viz/fold/open/numbers-of-steps-need-not-begin-at-0",
                   test_numbers_need_not_begin_at_0);
  g_test_add_func ("/viz/fold/open/a-picture-of-few-boxes-may-open-more",
                   test_a_picture_of_few_boxes_may_open_more);
  return g_test_run ();
}
