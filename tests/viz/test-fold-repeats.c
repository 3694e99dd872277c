/* test-fold-repeats.c — tests where equal blocks begin, and which branches are grouped.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"
#include "viz/fold/fold.h"

#include <string.h>

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

static const VizBox *
parent_of (const VizDiagram *diagram, guint32 box)
{
  return viz_diagram_box (diagram, viz_diagram_box (diagram, box)->parent);
}

/* VGG-16: from the second layer of convolutions on, every seventh operator is alike. */
static void
test_blocks_begin_where_names_change (void)
{
  static const guint sizes[] = { 2, 2, 3, 3, 3 };
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  guint32            first[5], pool[5], last = VIZ_ROOT;
  g_autoptr (VizDiagram) diagram = NULL;

  for (guint stage = 0; stage < 5; stage++)
    {
      g_autofree char *pool_name = g_strdup_printf ("pool%u", stage + 1);

      for (guint k = 0; k < sizes[stage]; k++)
        {
          g_autofree char *conv = g_strdup_printf ("conv%u_%u", stage + 1, k + 1);
          g_autofree char *relu = g_strdup_printf ("relu%u_%u", stage + 1, k + 1);

          last = add (builder, "Convolution", conv, last);
          if (k == 0)
            first[stage] = last;
          last = add (builder, "Activation", relu, last);
        }
      last = pool[stage] = add (builder, "Pooling", pool_name, last);
    }
  last = add (builder, "Convolution", "fc6", last);
  add (builder, "Activation", "relu6", last);
  viz_fold (builder, VIZ_FOLD_REPEATS, NULL);
  diagram = viz_diagram_builder_freeze (builder);
  for (guint stage = 2; stage < 5; stage++)
    {
      g_assert_cmpuint (viz_diagram_box (diagram, first[stage])->parent, !=, VIZ_ROOT);
      g_assert_cmpuint (viz_diagram_box (diagram, first[stage])->parent, ==,
                        viz_diagram_box (diagram, pool[stage])->parent);
    }
  g_assert_cmpuint (viz_diagram_box (diagram, pool[1])->parent, ==, VIZ_ROOT);
}

/* Residual blocks without telling names, of which the first misses its norm: inside of a block two values pass,
 * between blocks one. */
static void
test_blocks_begin_where_few_values_pass (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  guint32            stream, sum[7], norm[7];
  g_autoptr (VizDiagram) diagram = NULL;
  guint n = 0;

  stream = add (builder, "Embedding", "embedding0", VIZ_ROOT);
  for (guint b = 0; b < 7; b++)
    {
      static const char *const titles[] = { "LayerNorm", "dense", "relu", "dense", "add" };
      guint32                  at = stream;

      for (guint k = b == 0 ? 1 : 0; k < 5; k++)
        {
          g_autofree char *name = g_strdup_printf ("op%u", n++);

          at = add (builder, titles[k], name, at);
          if (k == 0)
            norm[b] = at;
        }
      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = stream, .head = at });
      sum[b] = stream = at;
    }
  viz_fold (builder, VIZ_FOLD_REPEATS, NULL);
  diagram = viz_diagram_builder_freeze (builder);
  for (guint b = 1; b < 7; b++)
    {
      g_assert_cmpuint (viz_diagram_box (diagram, norm[b])->parent, !=, VIZ_ROOT);
      g_assert_cmpuint (viz_diagram_box (diagram, norm[b])->parent, ==,
                        viz_diagram_box (diagram, sum[b])->parent);
    }
}

/* The heads of a detector: six scales, each read by four operators that lead into one concat. */
static void
test_equal_branches_are_one_group (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  guint32            scale = VIZ_ROOT, begin[7], end[7], concat, group;
  g_autoptr (VizDiagram) diagram = NULL;

  for (guint b = 0; b < 7; b++)
    {
      static const char *const titles[] = { "conv", "transpose", "Flatten" };
      g_autofree char         *name = g_strdup_printf ("scale%u", b);

      scale = add (builder, b % 2 == 0 ? "conv" : "Pooling", name, scale);
      end[b] = scale;
      for (guint k = 0; k < 3; k++)
        {
          g_autofree char *part = g_strdup_printf ("head%u_%u", b, k);

          /* The last head is another one. */
          end[b] = add (builder, b == 6 && k == 1 ? "Reshape" : titles[k], part, end[b]);
          if (k == 0)
            begin[b] = end[b];
        }
      add (builder, "sum", g_intern_string (name), scale);
    }
  concat = add (builder, "Concat", "concat", VIZ_ROOT);
  for (guint b = 0; b < 7; b++)
    viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = end[b], .head = concat });
  viz_fold (builder, VIZ_FOLD_REPEATS, NULL);
  diagram = viz_diagram_builder_freeze (builder);
  group = viz_diagram_box (diagram, begin[0])->parent;
  g_assert_cmpstr (viz_diagram_box (diagram, group)->title, ==, "6 × conv … Flatten");
  g_assert_cmpuint (parent_of (diagram, begin[0])->parent, ==, VIZ_ROOT);
  for (guint b = 0; b < 6; b++)
    {
      g_assert_cmpuint (viz_diagram_box (diagram, begin[b])->parent, ==, group);
      g_assert_cmpuint (viz_diagram_box (diagram, end[b])->parent, ==, group);
    }
  g_assert_cmpuint (viz_diagram_box (diagram, end[6])->parent, ==, VIZ_ROOT);
  g_assert_cmpuint (viz_diagram_box (diagram, concat)->parent, ==, VIZ_ROOT);
}

/* MobileNet: the name of the model has a number, and the first block reads the input of the model. */
static void
test_the_first_block_is_a_block_too (void)
{
  static const char *const titles[] = { "Convolution", "BatchNorm", "Activation" };
  VizDiagramBuilder       *builder = viz_diagram_builder_new (NULL);
  guint32                  last, box[27][3], group;
  g_autoptr (VizDiagram) diagram = NULL;

  last =
      viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = "data", .kind = VIZ_BOX_INPUT });
  for (guint b = 0; b < 27; b++)
    for (guint k = 0; k < 3; k++)
      {
        g_autofree char *name = g_strdup_printf ("mobilenet0_%s%u", titles[k], b);

        last = box[b][k] = add (builder, titles[k], name, last);
      }
  add (builder, "Pooling", "mobilenet0_pool0", last);
  viz_fold (builder, VIZ_FOLD_REPEATS, NULL);
  diagram = viz_diagram_builder_freeze (builder);
  for (guint b = 0; b < 27; b++)
    for (guint k = 1; k < 3; k++)
      g_assert_cmpuint (viz_diagram_box (diagram, box[b][k])->parent, ==,
                        viz_diagram_box (diagram, box[b][0])->parent);
  group = parent_of (diagram, box[0][0])->parent;
  g_assert_cmpstr (viz_diagram_box (diagram, group)->title, ==, "27 × conv … Activation");
  g_assert_cmpuint (viz_diagram_box (diagram, group)->n_children, ==, 27);
}

/* An encoder without names.  Its mask stands where the first layer reads it, and the first layer reads the embedding,
 * not a norm. */
static void
test_a_mask_does_not_hide_the_first_block (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  guint32            last = add (builder, "Embedding", NULL, VIZ_ROOT), mask = VIZ_ROOT;
  guint32            begin[6], end[6];
  g_autoptr (VizDiagram) diagram = NULL;

  for (guint b = 0; b < 6; b++)
    {
      static const char *const titles[] = { "query", "key", "value" };
      guint32                  way[3], score, stream = last;

      for (guint k = 0; k < 3; k++)
        way[k] = add (builder, titles[k], NULL, stream);
      begin[b] = way[0];
      if (b == 0)
        mask = add (builder, "expand", NULL, VIZ_ROOT);
      score = add (builder, "dot", NULL, way[0]);
      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = way[1], .head = score });
      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = mask, .head = score });
      last = add (builder, "sum", NULL, score);
      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = way[2], .head = last });
      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = stream, .head = last });
      end[b] = last = add (builder, "norm", NULL, last);
    }
  viz_fold (builder, VIZ_FOLD_REPEATS, NULL);
  diagram = viz_diagram_builder_freeze (builder);
  for (guint b = 0; b < 6; b++)
    {
      g_assert_cmpuint (viz_diagram_box (diagram, begin[b])->parent, !=, VIZ_ROOT);
      g_assert_cmpuint (viz_diagram_box (diagram, begin[b])->parent, ==,
                        viz_diagram_box (diagram, end[b])->parent);
    }
  g_assert_cmpuint (viz_diagram_box (diagram, mask)->parent, ==, VIZ_ROOT);
}

static guint32
add_layer (VizDiagramBuilder *builder, guint32 tail)
{
  guint32          n = viz_diagram_builder_n_boxes (builder);
  g_autofree char *conv = g_strdup_printf ("op%u", n), *relu = g_strdup_printf ("op%u", n + 1);
  VizBoxInfo layer = { .id = conv, .title = "Convolution", .category = VIZ_CATEGORY_CONVOLUTION };
  VizBoxInfo activation = { .id = relu, .title = "relu", .category = VIZ_CATEGORY_ELEMENTWISE };
  guint32    first = viz_diagram_builder_add_box (builder, &layer);
  guint32    second = viz_diagram_builder_add_box (builder, &activation);

  viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = tail, .head = first });
  viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = first, .head = second });
  return second;
}

/* SqueezeNet without names: poolings lie between the modules, and the last one is followed by another operator.  The
 * modules are numbered. */
static void
test_blocks_need_not_follow_each_other (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  guint32            last = add (builder, "stem", "stem", VIZ_ROOT), squeeze[8], join[8], pool[8];
  g_autoptr (VizDiagram) diagram = NULL;

  for (guint b = 0; b < 8; b++)
    {
      g_autofree char *name = g_strdup_printf ("concat%u", b), *pool_name = NULL;
      guint32          left, right;

      squeeze[b] = add_layer (builder, last);
      left = add_layer (builder, squeeze[b]);
      right = add_layer (builder, squeeze[b]);
      last = join[b] = add (builder, "Concat", name, left);
      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = right, .head = last });
      pool_name = g_strdup_printf ("pool%u", b);
      pool[b] = VIZ_ROOT;
      if (b % 3 == 1 || b == 7)
        last = pool[b] = add (builder, b == 7 ? "drop" : "Pooling", pool_name, last);
    }
  viz_fold (builder, VIZ_FOLD_REPEATS, NULL);
  diagram = viz_diagram_builder_freeze (builder);
  for (guint b = 0; b < 8; b++)
    {
      g_autofree char *title = g_strdup_printf ("conv … Concat (%u)", b + 1);

      g_assert_cmpstr (parent_of (diagram, join[b])->title, ==, title);
      g_assert_cmpuint (parent_of (diagram, join[b])->n_children, ==, 7);
      g_assert_cmpuint (viz_diagram_box (diagram, squeeze[b])->parent, ==,
                        viz_diagram_box (diagram, join[b])->parent);
      if (pool[b] != VIZ_ROOT)
        g_assert_cmpuint (viz_diagram_box (diagram, pool[b])->parent, ==, VIZ_ROOT);
    }
}

/* A block into which another value leads is no region: as one box it could not be told what the value is for. */
static void
test_a_value_from_outside_ends_a_region (void)
{
  for (guint is_fed = 0; is_fed < 2; is_fed++)
    {
      VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
      guint32            outside = add (builder, "outside", "outside", VIZ_ROOT), join[6];
      guint32            last = add (builder, "stem", "stem", VIZ_ROOT);
      g_autoptr (VizDiagram) diagram = NULL;

      for (guint b = 0; b < 6; b++)
        {
          g_autofree char *name = g_strdup_printf ("add%u", b), *other = NULL;
          guint32          way = add_layer (builder, add_layer (builder, last));

          join[b] = add (builder, "add", name, way);
          viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = last, .head = join[b] });
          if (is_fed && b % 2 == 1)
            viz_diagram_builder_add_arrow (builder,
                                           &(VizArrowInfo){ .tail = outside, .head = way });
          other = g_strdup_printf ("other%u", b);
          last = add (builder, other, other, join[b]);
        }
      viz_fold (builder, VIZ_FOLD_REPEATS, NULL);
      diagram = viz_diagram_builder_freeze (builder);
      for (guint b = 0; b < 6; b++)
        g_assert_cmpint (viz_diagram_box (diagram, join[b])->parent != VIZ_ROOT, ==,
                         !is_fed || b % 2 == 0);
    }
}

/* MobileNetV2: blocks of three layers, of which only some have a shortcut around them.  The layers before and behind
 * the blocks are no part of them. */
static void
test_blocks_without_a_shortcut_are_blocks (void)
{
  static const gboolean has_shortcut[] = { FALSE, FALSE, TRUE, FALSE, TRUE, TRUE, FALSE };
  VizDiagramBuilder    *builder = viz_diagram_builder_new (NULL);
  guint32               first[7], last[7], pool, way = add (builder, "stem", "stem", VIZ_ROOT);
  guint32               stem = add_layer (builder, way), head;
  g_autoptr (VizDiagram) diagram = NULL;

  way = stem;
  for (guint b = 0; b < 7; b++)
    {
      guint32          before = way;
      g_autofree char *norm = g_strdup_printf ("norm%u", b), *sum = g_strdup_printf ("add%u", b);
      VizBoxInfo       layer = { .id = norm,
                                 .title = "Convolution",
                                 .category = VIZ_CATEGORY_CONVOLUTION };

      way = add_layer (builder, add_layer (builder, before));
      first[b] = way - 3;
      last[b] = viz_diagram_builder_add_box (builder, &layer);
      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = way, .head = last[b] });
      way = last[b];
      if (!has_shortcut[b])
        continue;
      way = last[b] = add (builder, "add", sum, way);
      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = before, .head = way });
    }
  head = add_layer (builder, way);
  pool = add (builder, "Pooling", "pool", head);
  viz_fold (builder, VIZ_FOLD_REPEATS, NULL);
  diagram = viz_diagram_builder_freeze (builder);
  for (guint b = 0; b < 7; b++)
    {
      const VizBox *block = parent_of (diagram, first[b]);

      g_assert_cmpuint (block->n_children, ==, has_shortcut[b] ? 6 : 5);
      g_assert_cmpuint (viz_diagram_box (diagram, first[b])->parent, ==,
                        viz_diagram_box (diagram, last[b])->parent);
      g_assert_cmpuint (block->parent, ==, VIZ_ROOT);
    }
  g_assert_cmpstr (parent_of (diagram, first[3])->title, ==, "3 × conv (3)");
  g_assert_cmpstr (parent_of (diagram, first[4])->title, ==, "conv … add (2)");
  g_assert_cmpuint (viz_diagram_box (diagram, stem)->parent, ==, VIZ_ROOT);
  g_assert_cmpuint (viz_diagram_box (diagram, head)->parent, ==, VIZ_ROOT);
  g_assert_cmpuint (viz_diagram_box (diagram, pool)->parent, ==, VIZ_ROOT);
}

TEST_PROGRAM (test_fold_repeats)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viz/fold/repeats/blocks-begin-where-names-change",
                   test_blocks_begin_where_names_change);
  g_test_add_func ("/viz/fold/repeats/blocks-begin-where-few-values-pass",
                   test_blocks_begin_where_few_values_pass);
  g_test_add_func ("/viz/fold/repeats/equal-branches-are-one-group",
                   test_equal_branches_are_one_group);
  g_test_add_func ("/viz/fold/repeats/the-first-block-is-a-block-too",
                   test_the_first_block_is_a_block_too);
  g_test_add_func ("/viz/fold/repeats/a-mask-does-not-hide-the-first-block",
                   test_a_mask_does_not_hide_the_first_block);
  g_test_add_func ("/viz/fold/repeats/blocks-need-not-follow-each-other",
                   test_blocks_need_not_follow_each_other);
  g_test_add_func ("/viz/fold/repeats/blocks-without-a-shortcut-are-blocks",
                   test_blocks_without_a_shortcut_are_blocks);
  g_test_add_func ("/viz/fold/repeats/a-value-from-outside-ends-a-region",
                   test_a_value_from_outside_ends_a_region);
  return g_test_run ();
}
