/* test-fold.c — tests folding of weights, chains, scopes and repeats, and which groups are open.
 *
 * Most diagrams are generated (scenes.h); titles and counts of the groups are checked.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"
#include "tests/viz/scenes.h"

#include "viz/diagram/box-text.h"
#include "viz/fold/fold.h"
#include "viz/fold/folds.h"

#include <string.h>

static guint32
find_kind (const VizDiagram *diagram, VizBoxKind kind)
{
  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    if (viz_diagram_box (diagram, i)->kind == kind)
      return i;
  return VIZ_ROOT;
}

static VizDiagram *
fold (VizDiagramBuilder *builder, VizFoldWhat what)
{
  viz_fold (builder, what, NULL);
  return viz_diagram_builder_freeze (builder);
}

static void
test_weights_go_into_their_consumers (void)
{
  g_autoptr (VizDiagram) diagram = fold (scene_lstm (2, 1), VIZ_FOLD_WEIGHTS);
  guint32 weight = viz_diagram_find_id (diagram, "lstm_l0_h2h_weight");

  g_assert_true (viz_diagram_box (diagram, weight)->flags & VIZ_BOX_FOLDED);
  g_assert_false (viz_diagram_box (diagram, viz_diagram_find_id (diagram, "data"))->flags &
                  VIZ_BOX_FOLDED);
}

static void
test_a_computed_weight_stays (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  guint32            a, w, b;
  g_autoptr (VizDiagram) diagram = NULL;

  a = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = "a" });
  w = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = "w", .kind = VIZ_BOX_WEIGHT });
  b = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = "b" });
  viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = a, .head = w });
  viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = w, .head = b });
  diagram = fold (builder, VIZ_FOLD_ALL);
  g_assert_false (viz_diagram_box (diagram, w)->flags & VIZ_BOX_FOLDED);
}

static void
test_a_chain_of_cells_becomes_a_grid (void)
{
  g_autoptr (VizDiagram) diagram = fold (scene_lstm (35, 2), VIZ_FOLD_ALL);
  guint32 steps = find_kind (diagram, VIZ_BOX_STEPS);
  guint   n_layer = 0;

  g_assert_cmpuint (steps, !=, VIZ_ROOT);
  g_assert_cmpuint (viz_diagram_box (diagram, steps)->n_children, ==, 72);
  g_assert_cmpstr (viz_diagram_box (diagram, steps)->title, ==, "lstm × 35 steps × 2 layers");
  for (guint32 i = 0; i < 72; i++)
    {
      const VizBox *cell = viz_diagram_box (diagram, viz_diagram_child (diagram, steps, i));

      if (cell->flags & VIZ_BOX_HEADER)
        {
          g_assert_cmpuint (cell->n_attributes, ==, 2);
          g_assert_cmpstr (viz_diagram_attribute (diagram, viz_diagram_child (diagram, steps, i),
                                                  0),
                           ==, "i2h_weight  2048×512");
          continue;
        }
      g_assert_cmpuint (cell->n_children, ==, 13);
      g_assert_cmpint (cell->step, <, 35);
      n_layer += cell->layer == 1;
    }
  g_assert_cmpuint (n_layer, ==, 35);
}

/* As in MXNet, sums have only numbered names, and arrows are not marked as states. */
static void
test_numbered_operators_join_their_cells (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  g_autoptr (VizDiagram) diagram = NULL;
  guint32 slice, concat, last = 0, sum[4];
  char    name[32];

  slice = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = "split0", .title = "split" });
  concat =
      viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = "concat0", .title = "concat" });
  for (guint t = 0; t < 4; t++)
    {
      guint32 part[3];

      for (guint k = 0; k < 3; k++)
        {
          const char *kinds[] = { "i2h", "h2h", "out" };

          g_snprintf (name, sizeof name, "rnn_t%u_%s", t, kinds[k]);
          part[k] = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = name,
                                                                         .title = kinds[k],
                                                                         .subtitle = name });
        }
      g_snprintf (name, sizeof name, "_plus%u", t);
      sum[t] = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = name,
                                                                    .title = "elemwise_add",
                                                                    .subtitle = name });
      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = slice, .head = part[0] });
      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = part[0], .head = part[2] });
      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = part[1], .head = part[2] });
      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = part[2], .head = sum[t] });
      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = sum[t], .head = concat });
      if (t > 0)
        viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = last, .head = part[1] });
      last = sum[t];
    }
  diagram = fold (builder, VIZ_FOLD_ALL);
  for (guint t = 0; t < 4; t++)
    g_assert_cmpint (viz_diagram_box (diagram, viz_diagram_box (diagram, sum[t])->parent)->step, ==,
                     (gint32) t);
  g_assert_cmpuint (viz_diagram_box (diagram, concat)->parent, ==, VIZ_ROOT);
  g_assert_cmpint (viz_diagram_arrow (diagram, viz_diagram_n_arrows (diagram) - 1)->kind, ==,
                   VIZ_ARROW_STATE);
}

static void
test_unlinked_numbers_are_not_steps (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  g_autoptr (VizDiagram) diagram = NULL;
  char name[32];

  for (guint t = 0; t < 10; t++)
    for (guint k = 0; k < 4; k++)
      {
        g_snprintf (name, sizeof name, "branch_t%u_op%u", t, k);
        viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = name, .subtitle = name });
      }
  diagram = fold (builder, VIZ_FOLD_ALL);
  g_assert_cmpuint (find_kind (diagram, VIZ_BOX_STEPS), ==, VIZ_ROOT);
  g_assert_cmpuint (find_kind (diagram, VIZ_BOX_SCOPE), !=, VIZ_ROOT);
}

/* n cells of two operators each, "PREFIX3_a" → "PREFIX3_b", each fed by the cell before it or by one split,
 * with a weight of its own or one for all. */
typedef struct
{
  const char *prefix;
  guint       n, n_operators;
  gboolean    is_linked, shares_weight;
  gboolean    is_last_different;
  gboolean    reads_weight_twice;
} Cells;

static guint32
add_named (VizDiagramBuilder *builder, VizBoxKind kind, const char *title, const char *name)
{
  return viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = name,
                                                              .title = title,
                                                              .subtitle = name,
                                                              .kind = kind });
}

static VizDiagram *
fold_cells (const Cells *cells)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  guint32            split = add_named (builder, VIZ_BOX_OPERATOR, "split", "split");
  guint32            weight = VIZ_ROOT, before = split;

  for (guint i = 0; i < cells->n; i++)
    {
      g_autofree char *weight_name = g_strdup_printf ("%s%u_weight", cells->prefix, i);

      if (i == 0 || !cells->shares_weight)
        weight = add_named (builder, VIZ_BOX_WEIGHT, "weight", weight_name);
      for (guint k = 0; k < cells->n_operators; k++)
        {
          g_autofree char *name = g_strdup_printf ("%s%u_op%u", cells->prefix, i, k);
          gboolean         is_other = cells->is_last_different && i + 1 == cells->n;
          guint32 box = add_named (builder, VIZ_BOX_OPERATOR, is_other ? "exp" : "dense", name);

          viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = before, .head = box });
          if (k == 0 || (k == 1 && cells->reads_weight_twice))
            viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = weight, .head = box });
          before = box;
        }
      if (!cells->is_linked)
        before = split;
    }
  return fold (builder, VIZ_FOLD_ALL);
}

/* As the twelve layers of BERT: they feed each other, but each has weights of its own. */
static void
test_layers_are_blocks (void)
{
  static const struct
  {
    Cells       cells;
    const char *title;
    gboolean    is_blocks;
  } samples[] = {
    { { "bert_layer", 12, 3, TRUE, FALSE, FALSE }, "12 equal blocks", TRUE },
    { { "bert_layer", 12, 3, TRUE, FALSE, FALSE, TRUE }, "12 equal blocks", TRUE },
    { { "bert_layer", 12, 3, TRUE, FALSE, TRUE }, "12 blocks", TRUE },
    { { "albert_layer", 12, 3, TRUE, TRUE, FALSE }, "albert × 12 steps", FALSE },
    { { "rnn_t", 12, 3, TRUE, FALSE, FALSE }, "rnn × 12 steps", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      g_autoptr (VizDiagram) diagram = fold_cells (&samples[i].cells);
      g_autoptr (GArray) lines = NULL;
      guint32 chain = find_kind (diagram, VIZ_BOX_STEPS);

      g_assert_cmpuint (chain, !=, VIZ_ROOT);
      g_assert_cmpstr (viz_diagram_box (diagram, chain)->title, ==, samples[i].title);
      lines = viz_box_lines (diagram, chain, 3, 11, VIZ_DETAIL_BRIEF);
      g_assert_cmpstr (g_array_index (lines, VizTextLine, 0).text, ==,
                       samples[i].is_blocks ? "blocks 3 … 11" : "steps 3 … 11");
      g_assert_cmpint ((viz_diagram_box (diagram, chain)->flags & VIZ_BOX_BLOCKS) != 0, ==,
                       samples[i].is_blocks);
    }
}

/* As Gluon's fused layers: RNN (data, concat (reshape (w0), reshape (w1))). */
static void
test_what_joins_weights_of_a_fused_cell_is_folded (void)
{
  static const char *const names[] = {
    "w0", "w1", "reshape0", "reshape1", "concat", "data", "rnn"
  };
  static const guint32 arrows[][2] = { { 1, 3 }, { 2, 4 }, { 3, 5 }, { 4, 5 }, { 6, 7 }, { 5, 7 } };

  for (guint is_shared = 0; is_shared < 2; is_shared++)
    {
      VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
      g_autoptr (VizDiagram) diagram = NULL;
      g_autoptr (GArray) lines = NULL;
      guint n_rows = 0;

      for (guint i = 0; i < G_N_ELEMENTS (names); i++)
        viz_diagram_builder_add_box (builder,
                                     &(VizBoxInfo){ .id = names[i],
                                                    .title = names[i],
                                                    .subtitle = names[i],
                                                    .kind = i < 2    ? VIZ_BOX_WEIGHT
                                                            : i == 5 ? VIZ_BOX_INPUT
                                                                     : VIZ_BOX_OPERATOR,
                                                    .category = i == 6 ? VIZ_CATEGORY_RECURRENT
                                                                       : VIZ_CATEGORY_MOVEMENT });
      for (guint i = 0; i < G_N_ELEMENTS (arrows); i++)
        viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = arrows[i][0],
                                                                 .head = arrows[i][1] });
      if (is_shared)
        {
          guint32 other = add_named (builder, VIZ_BOX_OPERATOR, "sum", "sum");

          viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = 5, .head = other });
        }
      diagram = fold (builder, VIZ_FOLD_ALL);
      for (guint32 i = 3; i <= 5; i++)
        g_assert_cmpint ((viz_diagram_box (diagram, i)->flags & VIZ_BOX_FOLDED) != 0, ==,
                         !is_shared);
      g_assert_false (viz_diagram_box (diagram, 6)->flags & VIZ_BOX_FOLDED);
      lines = viz_box_lines (diagram, 7, -1, -1, VIZ_DETAIL_FULL);
      for (guint i = 0; i < lines->len; i++)
        n_rows += g_array_index (lines, VizTextLine, i).style == VIZ_TEXT_ROW &&
                  strcmp (g_array_index (lines, VizTextLine, i).text, "w0, w1") == 0;
      g_assert_cmpuint (n_rows, ==, is_shared ? 0 : 1);
    }
}

/* As an encoder of Sockeye, where only some operators of a layer were given names. */
/* The layers of Keras are dense, dense_1, …: other modules, not parts of the first. */
static void
test_modules_with_underscores_are_whole (void)
{
  static const char *const names[] = { "dense/MatMul", "dense/Add", "dense_1/MatMul", "dense_1/Add",
                                       "conv/Conv" };
  VizDiagramBuilder       *builder = viz_diagram_builder_new (NULL);
  guint32                  boxes[G_N_ELEMENTS (names)];
  g_autoptr (VizDiagram) diagram = NULL;
  const VizBox *group;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    boxes[i] = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = names[i],
                                                                    .title = "Op",
                                                                    .subtitle = names[i],
                                                                    .kind = VIZ_BOX_OPERATOR });
  diagram = fold (builder, VIZ_FOLD_SCOPES);
  group = viz_diagram_box (diagram, viz_diagram_box (diagram, boxes[2])->parent);
  g_assert_cmpstr (group->title, ==, "dense_1");
  g_assert_cmpuint (group->parent, ==, VIZ_ROOT);
  g_assert_cmpuint (group->n_children, ==, 2);
}

static void
test_operators_without_names_join_their_scope (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  guint32            made_up[6], named[6], last = VIZ_ROOT, between[6];
  g_autoptr (VizDiagram) diagram = NULL;

  for (guint layer = 0; layer < 6; layer++)
    for (guint k = 0; k < 6; k++)
      {
        gboolean         is_made_up = k % 2 == 1;
        g_autofree char *name = is_made_up ? g_strdup_printf ("reshape%u", layer * 3 + k)
                                           : g_strdup_printf ("encoder_%u_op%u", layer, k);
        guint32          box = add_named (builder, VIZ_BOX_OPERATOR, "Reshape", name);

        if (last != VIZ_ROOT)
          viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = last, .head = box });
        last = box;
        if (k == 0)
          named[layer] = box;
        if (k == 1)
          made_up[layer] = box;
        if (k == 5)
          between[layer] = box;
      }
  diagram = fold (builder, VIZ_FOLD_ALL);
  for (guint layer = 0; layer < 6; layer++)
    {
      guint32 scope = viz_diagram_box (diagram, named[layer])->parent;

      g_assert_cmpuint (scope, !=, VIZ_ROOT);
      g_assert_cmpuint (viz_diagram_box (diagram, made_up[layer])->parent, ==, scope);
      /* What joins two layers is in neither. */
      g_assert_cmpuint (viz_diagram_box (diagram, between[layer])->parent, !=, scope);
      if (layer > 0)
        g_assert_cmpuint (viz_diagram_box (diagram, named[layer - 1])->parent, !=, scope);
    }
}

/* As the four stages of ResNet-18, of which the first three would fit. */
static void
test_groups_that_are_numbered_alike_open_alike (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  guint32            inside[5] = { 0 };
  g_autoptr (VizDiagram) diagram = NULL;

  for (guint stage = 0; stage < 5; stage++)
    for (guint k = 0; k < (stage < 4 ? 16 : 5); k++)
      {
        g_autofree char *name = stage < 4 ? g_strdup_printf ("stage%u/op%u", stage, k)
                                          : g_strdup_printf ("head/op%u", k);

        inside[stage] = add_named (builder, VIZ_BOX_OPERATOR, "conv", name);
      }
  diagram = fold (builder, VIZ_FOLD_SCOPES);
  for (guint stage = 0; stage < 5; stage++)
    {
      guint32 group = viz_diagram_box (diagram, inside[stage])->parent;

      g_assert_cmpuint (group, !=, VIZ_ROOT);
      g_assert_cmpint ((viz_diagram_box (diagram, group)->flags & VIZ_BOX_OPEN) != 0, ==,
                       stage == 4);
    }
}

/* Numbers of more than seven digits are no numbers of steps. */
static void
test_long_numbers_are_not_steps (void)
{
  g_autoptr (VizDiagram) seven = fold_cells (&(Cells){ "rnn_t100000", 9, 3, TRUE, FALSE, FALSE });
  g_autoptr (VizDiagram) eight = fold_cells (&(Cells){ "rnn_t1000000", 9, 3, TRUE, FALSE, FALSE });
  guint32 chain = find_kind (seven, VIZ_BOX_STEPS);

  g_assert_cmpuint (chain, !=, VIZ_ROOT);
  g_assert_cmpstr (viz_diagram_box (seven, chain)->title, ==, "rnn × 9 steps");
  chain = find_kind (eight, VIZ_BOX_STEPS);
  if (chain != VIZ_ROOT)
    g_assert_null (strstr (viz_diagram_box (eight, chain)->title, "steps"));
}

/* A loop that was unrolled may have one operator in its body, and no state. */
static void
test_steps_of_short_bodies (void)
{
  static const Cells samples[] = { { "foreach0_t", 300, 1, TRUE, TRUE, FALSE },
                                   { "foreach0_t", 300, 2, FALSE, TRUE, FALSE },
                                   { "foreach0_t", 300, 1, FALSE, TRUE, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      g_autoptr (VizDiagram) diagram = fold_cells (&samples[i]);
      guint32 chain = find_kind (diagram, VIZ_BOX_STEPS);

      g_assert_cmpuint (chain, !=, VIZ_ROOT);
      g_assert_cmpstr (viz_diagram_box (diagram, chain)->title, ==, "foreach0 × 300 steps");
    }
}

static void
test_folds_survive_as_text (void)
{
  g_autoptr (VizDiagram) diagram = fold (scene_lstm (35, 1), VIZ_FOLD_ALL);
  guint32 steps = find_kind (diagram, VIZ_BOX_STEPS);
  g_autoptr (VizFolds) folds = viz_folds_new (diagram), again = viz_folds_new (diagram);
  g_autofree char *text = NULL;
  gint32           first, last;

  viz_folds_set_open (folds, steps, TRUE);
  viz_folds_set_steps (folds, steps, 7, 9);
  viz_folds_set_open (folds, viz_diagram_child (diagram, steps, 8), TRUE);
  text = viz_folds_to_string (folds);
  viz_folds_from_string (again, text);
  viz_folds_from_string (again, "open nowhere\nsteps 3 4 nothing\nrubbish\n");
  viz_folds_get_steps (again, steps, &first, &last);
  g_assert_cmpint (first, ==, 7);
  g_assert_cmpint (last, ==, 9);
  g_assert_true (viz_folds_is_open (again, viz_diagram_child (diagram, steps, 8)));
}

static void
test_revealing_a_box_opens_its_step (void)
{
  g_autoptr (VizDiagram) diagram = fold (scene_lstm (35, 1), VIZ_FOLD_ALL);
  g_autoptr (VizFolds) folds = viz_folds_new (diagram);
  guint32 box = viz_diagram_find_id (diagram, "lstm_l0_t20_plus");
  guint32 cell = viz_diagram_box (diagram, box)->parent;
  gint32  first, last;

  viz_folds_reveal (folds, box);
  viz_folds_get_steps (folds, viz_diagram_box (diagram, cell)->parent, &first, &last);
  g_assert_true (viz_folds_is_open (folds, cell));
  g_assert_cmpint (first, <=, 20);
  g_assert_cmpint (last, >=, 20);
}

/* Sixteen residual blocks without names, after a different first operator. */
static void
test_equal_structure_is_found_without_names (void)
{
  static const char *const titles[] = { "BatchNorm", "Activation", "Convolution", "elemwise_add" };
  VizDiagramBuilder       *builder = viz_diagram_builder_new (NULL);
  g_autoptr (VizDiagram) diagram = NULL;
  guint32 last = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .title = "Pooling" });
  guint   n_blocks = 0;

  for (guint block = 0; block < 16; block++)
    {
      guint32 skip = last;

      for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
        {
          guint32 box = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .title = titles[i] });

          viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = last, .head = box });
          if (i + 1 == G_N_ELEMENTS (titles))
            viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = skip, .head = box });
          last = box;
        }
    }
  viz_fold (builder, VIZ_FOLD_ALL, NULL);
  diagram = viz_diagram_builder_freeze (builder);
  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    {
      const VizBox *box = viz_diagram_box (diagram, i);

      if (box->title && g_str_has_prefix (box->title, "block "))
        {
          g_assert_cmpuint (box->n_children, ==, G_N_ELEMENTS (titles));
          n_blocks++;
        }
    }
  g_assert_cmpuint (n_blocks, >=, 15);
}

/* All blocks read the same mask, at growing distances; before them, other blocks repeat. */
static void
test_blocks_may_share_an_input (void)
{
  static const char *const titles[] = { "norm", "dense", "mask_add", "softmax", "add", "drop" };
  VizDiagramBuilder       *builder = viz_diagram_builder_new (NULL);
  guint32 last = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .title = "embed" }), mask;
  guint   n_groups = 0;
  g_autoptr (VizDiagram) diagram = NULL;

  for (guint i = 0; i < 5 * 4; i++)
    {
      static const char *const early[] = { "conv", "batch", "relu", "pool" };
      guint32 box = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .title = early[i % 4] });

      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = last, .head = box });
      last = box;
    }
  mask = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .title = "mask" });
  viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = last, .head = mask });
  for (guint i = 0; i < 7 * G_N_ELEMENTS (titles); i++)
    {
      guint   at = i % G_N_ELEMENTS (titles);
      guint32 box = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .title = titles[at] });

      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = last, .head = box });
      if (at == 2)
        viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = mask, .head = box });
      last = box;
    }
  diagram = fold (builder, VIZ_FOLD_ALL);
  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    if (viz_diagram_box (diagram, i)->kind == VIZ_BOX_SCOPE &&
        viz_diagram_box (diagram, i)->parent == VIZ_ROOT)
      {
        g_test_message ("%s", viz_diagram_box (diagram, i)->title);
        g_assert_true (g_str_equal (viz_diagram_box (diagram, i)->title, "7 × norm … drop") ||
                       g_str_equal (viz_diagram_box (diagram, i)->title, "5 × conv … pool"));
        n_groups++;
      }
  g_assert_cmpuint (n_groups, ==, 2);
}

/* Fifteen equal boxes between two others; one of them also feeds a third and is not grouped. */
static void
test_equal_boxes_between_the_same_ends_are_one_group (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  guint32            split = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = "split" });
  guint32            join = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = "join" });
  guint32            other = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = "other" });
  guint32            group;
  g_autoptr (VizDiagram) diagram = NULL;
  g_autoptr (VizFolds) folds = NULL;

  for (guint i = 0; i < 15; i++)
    {
      guint32 box = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .title = "slice" });

      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = split, .head = box });
      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = box, .head = join });
      if (i == 3)
        viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = box, .head = other });
    }
  diagram = fold (builder, VIZ_FOLD_ALL);
  folds = viz_folds_new (diagram);
  group = find_kind (diagram, VIZ_BOX_SCOPE);
  g_assert_cmpuint (group, !=, VIZ_ROOT);
  g_assert_cmpstr (viz_diagram_box (diagram, group)->title, ==, "14 × slice");
  g_assert_cmpuint (viz_diagram_box (diagram, group)->n_children, ==, 14);
  g_assert_false (viz_folds_is_open (folds, group));
}

TEST_PROGRAM (test_fold)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viz/fold/weights-go-into-their-consumers",
                   test_weights_go_into_their_consumers);
  g_test_add_func ("/viz/fold/a-computed-weight-stays", test_a_computed_weight_stays);
  g_test_add_func ("/viz/fold/a-chain-of-cells-becomes-a-grid",
                   test_a_chain_of_cells_becomes_a_grid);
  g_test_add_func ("/viz/fold/numbered-operators-join-their-cells",
                   test_numbered_operators_join_their_cells);
  g_test_add_func ("/viz/fold/unlinked-numbers-are-not-steps", test_unlinked_numbers_are_not_steps);
  g_test_add_func ("/viz/fold/layers-are-blocks-not-steps", test_layers_are_blocks);
  g_test_add_func ("/viz/fold/long-numbers-are-not-steps", test_long_numbers_are_not_steps);
  g_test_add_func ("/viz/fold/short-bodies-are-steps-too", test_steps_of_short_bodies);
  g_test_add_func ("/viz/fold/what-joins-the-weights-of-a-fused-cell-is-folded",
                   test_what_joins_weights_of_a_fused_cell_is_folded);
  g_test_add_func ("/viz/fold/modules-with-underscores-are-whole",
                   test_modules_with_underscores_are_whole);
  g_test_add_func ("/viz/fold/operators-without-names-join-their-scope",
                   test_operators_without_names_join_their_scope);
  g_test_add_func ("/viz/fold/groups-that-are-numbered-alike-open-alike",
                   test_groups_that_are_numbered_alike_open_alike);
  g_test_add_func ("/viz/folds/survive-as-text", test_folds_survive_as_text);
  g_test_add_func ("/viz/folds/revealing-a-box-opens-its-step",
                   test_revealing_a_box_opens_its_step);
  g_test_add_func ("/viz/fold/equal-structure-is-found-without-names",
                   test_equal_structure_is_found_without_names);
  g_test_add_func ("/viz/fold/blocks-may-share-an-input", test_blocks_may_share_an_input);
  g_test_add_func ("/viz/fold/equal-boxes-between-the-same-ends-are-one-group",
                   test_equal_boxes_between_the_same_ends_are_one_group);
  return g_test_run ();
}
