/* test-layout.c — tests the geometry of pictures, updates, and failures of the dot helper.
 *
 * geometry.h measures the pictures; VIZ_HELPER is the helper program of the build tree.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"
#include "tests/viz/geometry.h"
#include "tests/viz/scenes.h"

#include "viz/fold/fold.h"
#include "viz/scene/layout-diagram.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static VizPicture *
lay_out (VizDiagram *diagram, const VizFolds *folds, const char *layout)
{
  VizLayoutOptions options = { .layout = layout, .helper = VIZ_HELPER };
  g_autoptr (GError) error = NULL;
  VizPicture *picture = viz_layout_diagram (diagram, folds, &options, NULL, &error);

  g_assert_no_error (error);
  return picture;
}

static VizDiagram *
fold (VizDiagramBuilder *builder, VizFoldWhat what)
{
  viz_fold (builder, what, NULL);
  return viz_diagram_builder_freeze (builder);
}

static void
assert_clean (const VizPicture *picture)
{
  Geometry geometry = geometry_of (picture);

  g_assert_cmpuint (geometry.n_overlaps, ==, 0);
  g_assert_cmpuint (geometry.n_outside, ==, 0);
  g_assert_cmpuint (geometry.n_clipped, ==, 0);
  g_assert_cmpuint (geometry.n_through, ==, 0);
}

static void
test_scenes_are_clean (void)
{
  for (guint i = 0; i < n_scenes; i++)
    for (guint depth = 0; depth < 4; depth++)
      {
        g_autoptr (VizDiagram) diagram = scenes[i].make ();
        g_autoptr (VizFolds) folds = viz_folds_new (diagram);
        g_autoptr (VizPicture) picture = NULL;

        viz_folds_open_depth (folds, depth);
        picture = lay_out (diagram, folds, NULL);
        g_test_message ("%s, depth %u", scenes[i].name, depth);
        assert_clean (picture);
      }
}

static void
test_unrolled_networks_are_clean (void)
{
  for (guint layers = 1; layers <= 2; layers++)
    for (guint depth = 0; depth < 4; depth++)
      {
        g_autoptr (VizDiagram) diagram = fold (scene_lstm (5, layers), VIZ_FOLD_ALL);
        g_autoptr (VizFolds) folds = viz_folds_new (diagram);
        g_autoptr (VizPicture) picture = NULL;

        viz_folds_open_depth (folds, depth);
        picture = lay_out (diagram, folds, NULL);
        assert_clean (picture);
      }
}

/* An edge that passes a layer by runs beside the cell of that layer. */
static void
test_edges_past_a_layer_run_beside_its_cells (void)
{
  enum
  {
    N_STEPS = 3,
    N_LAYERS = 3
  };
  VizDiagramBuilder *builder = viz_diagram_builder_new ("grid");
  guint32            cells[N_STEPS][N_LAYERS];
  VizBoxInfo         info = {
            .id = "chain", .title = "chain", .kind = VIZ_BOX_STEPS, .flags = VIZ_BOX_OPEN
  };
  guint32 chain = viz_diagram_builder_add_box (builder, &info);
  g_autoptr (VizDiagram) diagram = NULL;
  g_autoptr (VizPicture) picture = NULL;

  for (guint t = 0; t < N_STEPS; t++)
    for (guint l = 0; l < N_LAYERS; l++)
      {
        g_autofree char *id = g_strdup_printf ("t%u_l%u", t, l);

        cells[t][l] =
            viz_diagram_builder_add_box (builder,
                                         &(VizBoxInfo){ .id = id, .title = id, .parent = chain });
        viz_diagram_builder_set_step (builder, cells[t][l], (gint32) t, (gint32) l);
      }
  for (guint t = 0; t < N_STEPS; t++)
    {
      for (guint l = 1; l < N_LAYERS; l++)
        viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = cells[t][l - 1],
                                                                 .head = cells[t][l] });
      viz_diagram_builder_add_arrow (builder,
                                     &(VizArrowInfo){ .tail = cells[t][0], .head = cells[t][2] });
    }
  diagram = viz_diagram_builder_freeze (builder);
  picture = lay_out (diagram, NULL, NULL);
  g_assert_cmpuint (viz_picture_n_items (picture), ==, 2 + N_STEPS * N_LAYERS);
  assert_clean (picture);
}

static void
test_random_graphs_are_clean (void)
{
  for (guint32 seed = 1; seed <= 12; seed++)
    {
      g_autoptr (VizDiagram) diagram =
          fold (scene_random (seed, 40 + 10 * seed, 60 + 14 * seed), 0);
      g_autoptr (VizPicture) picture = lay_out (diagram, NULL, NULL);

      assert_clean (picture);
    }
}

/* Over all graphs, layers may have at most 20 % more crossings than dot. */
static void
test_crossings_are_as_few_as_graphvizs (void)
{
  static const guint sizes[][2] = { { 20, 26 },   { 40, 50 },   { 60, 80 },  { 100, 120 },
                                    { 100, 180 }, { 150, 190 }, { 200, 240 } };
  guint              ours = 0, theirs = 0;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint32 seed = 1; seed <= 2; seed++)
      {
        g_autoptr (VizDiagram) diagram = fold (scene_random (seed, sizes[i][0], sizes[i][1]), 0);
        g_autoptr (VizPicture) own = lay_out (diagram, NULL, "layers");
        g_autoptr (VizPicture) dot = lay_out (diagram, NULL, "dot");

        if (viz_picture_stats (dot)->n_fallbacks > 0)
          continue;
        ours += geometry_of (own).n_crossings;
        theirs += geometry_of (dot).n_crossings;
      }
  g_test_message ("crossings: ours %u, dot's %u", ours, theirs);
  g_assert_cmpuint (theirs, >, 0);
  g_assert_cmpfloat (ours, <=, 1.2 * theirs);
}

static void
test_graphviz_draws_frames_too (void)
{
  for (guint i = 0; i < n_scenes; i++)
    {
      g_autoptr (VizDiagram) diagram = scenes[i].make ();
      g_autoptr (VizPicture) picture = lay_out (diagram, NULL, "dot");

      g_test_message ("%s: %u of %u bodies by layers", scenes[i].name,
                      viz_picture_stats (picture)->n_fallbacks,
                      viz_picture_stats (picture)->n_bodies);
      assert_clean (picture);
    }
}

static gboolean
same_picture (const VizPicture *a, const VizPicture *b)
{
  if (viz_picture_n_items (a) != viz_picture_n_items (b) ||
      viz_picture_n_wires (a) != viz_picture_n_wires (b))
    return FALSE;
  for (guint32 i = 0; i < viz_picture_n_items (a); i++)
    {
      const VizItem *left = viz_picture_item (a, i), *right = viz_picture_item (b, i);

      if (left->x != right->x || left->y != right->y || left->width != right->width ||
          left->height != right->height)
        return FALSE;
    }
  for (guint32 i = 0; i < viz_picture_n_wires (a); i++)
    if (viz_picture_wire (a, i)->n_points != viz_picture_wire (b, i)->n_points ||
        memcmp (viz_picture_points (a, i), viz_picture_points (b, i),
                viz_picture_wire (a, i)->n_points * sizeof (VizPoint)) != 0)
      return FALSE;
  return TRUE;
}

static void
test_same_input_gives_same_picture (void)
{
  g_autoptr (VizDiagram) one = fold (scene_lstm (6, 2), VIZ_FOLD_ALL);
  g_autoptr (VizDiagram) two = fold (scene_lstm (6, 2), VIZ_FOLD_ALL);
  g_autoptr (VizPicture) a = lay_out (one, NULL, NULL), b = lay_out (two, NULL, NULL);

  g_assert_true (same_picture (a, b));
}

static void
test_closing_restores_the_picture (void)
{
  g_autoptr (VizDiagram) diagram = fold (scene_lstm (6, 1), VIZ_FOLD_ALL);
  g_autoptr (VizFolds) folds = viz_folds_new (diagram);
  g_autoptr (VizPicture) before = lay_out (diagram, folds, NULL), open = NULL, after = NULL;
  guint32 cell =
      viz_diagram_box (diagram, viz_diagram_find_id (diagram, "lstm_l0_t3_plus"))->parent;
  gboolean was_open = viz_folds_is_open (folds, cell);

  viz_folds_set_open (folds, cell, !was_open);
  open = lay_out (diagram, folds, NULL);
  viz_folds_set_open (folds, cell, was_open);
  after = lay_out (diagram, folds, NULL);
  g_assert_false (same_picture (before, open));
  g_assert_true (same_picture (before, after));
}

/* The largest movement of an item outside the group, beyond the change of size of the group. */
static double
drift (const VizPicture *before, const VizPicture *after, guint32 group)
{
  VizDiagram    *diagram = viz_picture_diagram (before);
  const VizItem *old = viz_picture_item (before, viz_picture_find_box (before, group));
  const VizItem *new = viz_picture_item (after, viz_picture_find_box (after, group));
  double worst = 0;

  for (guint32 i = 1; i < viz_picture_n_items (before); i++)
    {
      const VizItem *a = viz_picture_item (before, i), *b;

      if (a->state == VIZ_ITEM_STEPS || a->state == VIZ_ITEM_OPEN || a->box == group)
        continue;
      b = viz_picture_item (after, viz_picture_find_box (after, a->box));
      if (viz_diagram_is_inside (diagram, a->box, group))
        continue;
      worst = MAX (worst, fabs (b->x - a->x) - fabs (new->width - old->width));
      worst = MAX (worst, fabs (b->y - a->y) - fabs (new->height - old->height));
    }
  return worst;
}

static void
test_opening_a_box_moves_others_little (void)
{
  g_autoptr (VizDiagram) diagram = fold (scene_transformer (6), VIZ_FOLD_ALL);
  g_autoptr (VizFolds) folds = viz_folds_new (diagram);
  g_autoptr (VizPicture) before = NULL;

  viz_folds_open_depth (folds, 0);
  before = lay_out (diagram, folds, NULL);
  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    {
      g_autoptr (VizFolds) opened = viz_folds_copy (folds);
      g_autoptr (VizPicture) after = NULL;

      if (viz_diagram_box (diagram, i)->n_children == 0 ||
          viz_diagram_box (diagram, i)->parent != VIZ_ROOT)
        continue;
      viz_folds_set_open (opened, i, TRUE);
      after = lay_out (diagram, opened, NULL);
      g_assert_cmpfloat (drift (before, after, i), <=, 1);
    }
}

/* With the previous picture of the same boxes they stay where they were, and wires stay in their lanes. */
static void
test_the_same_boxes_keep_their_places (void)
{
  for (guint32 seed = 1; seed <= 8; seed++)
    {
      g_autoptr (VizDiagram) diagram = fold (scene_random (seed, 60, 90), 0);
      g_autoptr (VizPicture) before = lay_out (diagram, NULL, NULL), after = NULL;

      after =
          viz_layout_diagram (diagram, NULL, &(VizLayoutOptions){ .previous = before }, NULL, NULL);
      for (guint32 i = 0; i < viz_picture_n_items (before); i++)
        {
          const VizItem *a = viz_picture_item (before, i), *b = viz_picture_item (after, i);

          g_assert_cmpfloat_with_epsilon (a->x, b->x, 0.001);
          g_assert_cmpfloat_with_epsilon (a->y, b->y, 0.001);
        }
      for (guint32 i = 0; i < viz_picture_n_wires (before); i++)
        {
          guint32 n = viz_picture_wire (before, i)->n_points;

          g_assert_cmpuint (viz_picture_wire (after, i)->n_points, ==, n);
          for (guint32 k = 0; k < n; k++)
            g_assert_cmpfloat_with_epsilon (
                viz_picture_points (before, i)[k].x, viz_picture_points (after, i)[k].x,
                3); /* points: less than half of the distance of two lanes */
        }
    }
}

/* With a previous picture, boxes in one row keep their order. */
static void
test_siblings_keep_their_order (void)
{
  for (guint32 seed = 1; seed <= 4; seed++)
    {
      g_autoptr (VizDiagram) diagram = fold (scene_lstm (5, 2), VIZ_FOLD_ALL);
      g_autoptr (VizDiagram) graph = fold (scene_random (seed, 60, 90), 0);
      g_autoptr (VizPicture) before = lay_out (graph, NULL, NULL), after = NULL, other = NULL;
      VizLayoutOptions options = { .previous = before };

      after = viz_layout_diagram (graph, NULL, &options, NULL, NULL);
      for (guint32 i = 1; i < viz_picture_n_items (before); i++)
        for (guint32 k = i + 1; k < viz_picture_n_items (before); k++)
          {
            const VizItem *a = viz_picture_item (before, i), *b = viz_picture_item (before, k);
            const VizItem *c = viz_picture_item (after, i), *d = viz_picture_item (after, k);

            if (a->y == b->y && c->y == d->y)
              g_assert_true ((a->x < b->x) == (c->x < d->x));
          }
      /* A picture of another diagram is ignored. */
      other = viz_layout_diagram (diagram, NULL, &options, NULL, NULL);
      g_assert_nonnull (other);
    }
}

static void
test_equal_groups_are_laid_out_once (void)
{
  g_autoptr (VizDiagram) diagram = fold (scene_lstm (12, 1), VIZ_FOLD_ALL);
  g_autoptr (VizFolds) folds = viz_folds_new (diagram);
  g_autoptr (VizPicture) picture = NULL;

  viz_folds_open_depth (folds, 9);
  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    if (viz_diagram_box (diagram, i)->kind == VIZ_BOX_STEPS)
      viz_folds_set_steps (folds, i, 0, 11);
  picture = lay_out (diagram, folds, NULL);
  g_assert_cmpuint (viz_picture_stats (picture)->n_copied, >=, 6);
}

static void
test_a_cancelled_layout_gives_no_picture (void)
{
  g_autoptr (VizDiagram) diagram = viz_diagram_builder_freeze (scene_lstm (50, 2));
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (viz_layout_diagram (diagram, NULL, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* The second output has another text, which stands at the heads: once at each. */
static void
test_texts_of_arrows (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new ("d");
  guint32            box[4];
  g_autoptr (VizDiagram) diagram = NULL;
  g_autoptr (VizPicture) picture = NULL;
  guint n_labels = 0;

  scene_add_boxes (builder, 4, box);
  for (guint i = 1; i < 4; i++)
    viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = box[0],
                                                             .head = box[i],
                                                             .output = i > 1,
                                                             .label = i > 1 ? "(7,)" : "(2, 3)" });
  diagram = viz_diagram_builder_freeze (builder);
  picture = lay_out (diagram, NULL, "layers");
  for (guint32 i = 0; i < viz_picture_n_wires (picture); i++)
    n_labels += viz_picture_wire (picture, i)->has_label != 0;
  g_assert_cmpuint (n_labels, ==, 3);
}

static void
test_an_unknown_layout_is_refused (void)
{
  g_autoptr (VizDiagram) diagram = scenes[0].make ();
  g_autoptr (GError) error = NULL;

  g_assert_null (
      viz_layout_diagram (diagram, NULL, &(VizLayoutOptions){ .layout = "spiral" }, NULL, &error));
  g_assert_error (error, VIZ_ERROR, VIZ_ERROR_LAYOUT);
}

/* A missing or failing helper gives the picture of layers. */
static void
test_without_a_helper_layers_are_used (void)
{
  static const char *const helpers[] = { "/nonexistent", "/bin/false", "/bin/true", "/bin/cat" };
  g_autoptr (VizDiagram) diagram = scenes[0].make ();
  g_autoptr (VizPicture) own = lay_out (diagram, NULL, "layers");

  for (guint i = 0; i < G_N_ELEMENTS (helpers); i++)
    {
      VizLayoutOptions options = { .layout = "dot", .helper = helpers[i] };
      g_autoptr (VizPicture) picture = viz_layout_diagram (diagram, NULL, &options, NULL, NULL);

      g_assert_nonnull (picture);
      g_assert_cmpuint (viz_picture_stats (picture)->n_fallbacks, ==, 1);
      g_assert_true (same_picture (picture, own));
    }
}

/* Waits until path exists, then cancels. */
static gpointer
cancel_when_started (gpointer data)
{
  gpointer *both = data;

  while (!g_file_test (both[0], G_FILE_TEST_EXISTS))
    g_usleep (1000);
  g_cancellable_cancel (both[1]);
  return NULL;
}

/* The helper says by a file that it runs, and would run for long. */
static void
test_a_layout_that_is_cancelled_while_the_helper_runs (void)
{
  g_autofree char *folder = g_dir_make_tmp ("helper-XXXXXX", NULL);
  g_autofree char *helper = g_build_filename (folder, "helper", NULL);
  g_autofree char *started = g_build_filename (folder, "started", NULL);
  g_autofree char *text = g_strdup_printf ("#!/bin/sh\n: >'%s'\nexec sleep 600\n", started);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (VizDiagram) diagram = scenes[0].make ();
  g_autoptr (GError) error = NULL;
  VizLayoutOptions options = { .layout = "dot", .helper = helper };
  gpointer         both[] = { started, cancellable };
  GThread         *thread;

  g_assert_true (
      g_file_set_contents_full (helper, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0700, NULL));
  thread = g_thread_new ("cancel", cancel_when_started, both);
  g_assert_null (viz_layout_diagram (diagram, NULL, &options, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
  g_remove (started);
  g_remove (helper);
  g_rmdir (folder);
}

/* The helper crashes, is killed, writes garbage, stops early, never stops writing, or hangs until the
 * deadline: each time the picture of layers is used. */
static void
test_a_failing_helper_gives_layers (void)
{
  static const char *const scripts[] = {
    "kill -SEGV $$", "kill -ABRT $$",
    "kill -KILL $$", "cat >/dev/null; echo nonsense",
    "head -c 64",    "cat >/dev/null; head -c 100000 /dev/zero",
    "exec yes",      "exec sleep 600",
  };
  g_autofree char *folder = g_dir_make_tmp ("helper-XXXXXX", NULL);
  g_autofree char *helper = g_build_filename (folder, "helper", NULL);
  g_autoptr (VizDiagram) diagram = scenes[0].make ();
  g_autoptr (VizPicture) own = lay_out (diagram, NULL, "layers");

  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++)
    {
      g_autofree char *text = g_strconcat ("#!/bin/sh\n", scripts[i], "\n", NULL);
      VizLayoutOptions options = { .layout = "dot", .helper = helper };
      g_autoptr (VizPicture) picture = NULL;

      g_assert_true (
          g_file_set_contents_full (helper, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0700, NULL));
      g_test_message ("%s", scripts[i]);
      picture = viz_layout_diagram (diagram, NULL, &options, NULL, NULL);
      g_assert_nonnull (picture);
      g_assert_cmpuint (viz_picture_stats (picture)->n_fallbacks, ==, 1);
      g_assert_true (same_picture (picture, own));
    }
  g_remove (helper);
  g_rmdir (folder);
}

static void
test_unusual_diagrams_are_laid_out (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);
  guint32            a, b, c;

  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (VizDiagram) diagram = NULL;
      g_autoptr (VizPicture) picture = NULL;

      if (round == 1)
        {
          builder = viz_diagram_builder_new ("odd");
          a = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = "a" });
          b = viz_diagram_builder_add_box (builder,
                                           &(VizBoxInfo){ .parent = a, .flags = VIZ_BOX_OPEN });
          c = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .title = "x\ny", .parent = b });
          viz_diagram_builder_add_flags (builder, a, VIZ_BOX_OPEN);
          /* Repeated arrows: to itself, into and out of its own groups, in a cycle. */
          for (guint i = 0; i < 5; i++)
            {
              viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = c, .head = c });
              viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = a, .head = c });
              viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = c, .head = a });
              viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = b, .head = a });
              viz_diagram_builder_add_arrow (builder,
                                             &(VizArrowInfo){ .tail = c,
                                                              .head = b,
                                                              .kind = VIZ_ARROW_FEEDBACK });
            }
        }
      diagram = viz_diagram_builder_freeze (builder);
      picture = lay_out (diagram, NULL, NULL);
      g_assert_cmpfloat (viz_picture_width (picture), >, 0);
    }
}

TEST_PROGRAM (test_layout)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viz/layout/scenes-are-clean", test_scenes_are_clean);
  g_test_add_func ("/viz/layout/unrolled-networks-are-clean", test_unrolled_networks_are_clean);
  g_test_add_func ("/viz/layout/edges-past-a-layer-run-beside-its-cells",
                   test_edges_past_a_layer_run_beside_its_cells);
  g_test_add_func ("/viz/layout/random-graphs-are-clean", test_random_graphs_are_clean);
  g_test_add_func ("/viz/layout/crossings-are-as-few-as-graphvizs",
                   test_crossings_are_as_few_as_graphvizs);
  g_test_add_func ("/viz/layout/graphviz-draws-frames-too", test_graphviz_draws_frames_too);
  g_test_add_func ("/viz/layout/same-input-gives-same-picture", test_same_input_gives_same_picture);
  g_test_add_func ("/viz/layout/closing-restores-the-picture", test_closing_restores_the_picture);
  g_test_add_func ("/viz/layout/opening-a-box-moves-others-little",
                   test_opening_a_box_moves_others_little);
  g_test_add_func ("/viz/layout/the-same-boxes-keep-their-places",
                   test_the_same_boxes_keep_their_places);
  g_test_add_func ("/viz/layout/siblings-keep-their-order", test_siblings_keep_their_order);
  g_test_add_func ("/viz/layout/equal-groups-are-laid-out-once",
                   test_equal_groups_are_laid_out_once);
  g_test_add_func ("/viz/layout/texts-of-arrows", test_texts_of_arrows);
  g_test_add_func ("/viz/layout/a-cancelled-layout-gives-no-picture",
                   test_a_cancelled_layout_gives_no_picture);
  g_test_add_func ("/viz/layout/an-unknown-layout-is-refused", test_an_unknown_layout_is_refused);
  g_test_add_func ("/viz/layout/without-a-helper-layers-are-used",
                   test_without_a_helper_layers_are_used);
  g_test_add_func ("/viz/layout/a-layout-that-is-cancelled-while-the-helper-runs",
                   test_a_layout_that_is_cancelled_while_the_helper_runs);
  g_test_add_func ("/viz/layout/a-failing-helper-gives-layers", test_a_failing_helper_gives_layers);
  g_test_add_func ("/viz/layout/unusual-diagrams-are-laid-out", test_unusual_diagrams_are_laid_out);
  return g_test_run ();
}
