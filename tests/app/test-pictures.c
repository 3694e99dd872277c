/* test-pictures.c — pictures of real models: overlaps, crossings, stability, stored pictures.
 *
 * The models are those of $HYB_SHARED or ../shared; without them the tests are skipped.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/models.h"
#include "tests/program.h"
#include "tests/viz/compare.h"
#include "tests/viz/geometry.h"

#include "viz/export/export.h"
#include "viz/scene/layout-diagram.h"

#include <math.h>
#include <string.h>

typedef struct
{
  const char *model; /* in goldens/models */
  const char *expand, *theme;
} Stored;

static const Stored stored[] = {
  { "rnn-document-unroll-true", NULL, "light" },
  { "foreachrnn-lstm", NULL, "light" },
  { "sym-foreach-document", NULL, "light" },
  { "sym-while-document", NULL, "light" },
  { "sym-cond-document", NULL, "light" },
  { "cond-document-then", NULL, "dark" },
  { "cond-nested-2", NULL, "light" },
  { "cond-inside-foreach", NULL, "light" },
  { "while-nested", NULL, "light" },
  { "while-beam-search", NULL, "light" },
  { "while-foreach-inside", NULL, "light" },
  { "foreach-nested-three", NULL, "light" },
  { "foreach-attention", NULL, "light" },
  { "foreach-bidirectional", NULL, "light" },
  { "fused-lstm-l1", "*rnn*", "light" },
  { "fused-gru-l2-bi", "*rnn*", "dark" },
  { "cell-stack-t6-tnc-none", NULL, "light" },
  { "rnn-bi-lstm-gru", NULL, "light" },
  { "large-lstm-t200", NULL, "light" },
  { "lenet-tutorial", NULL, "mxnet" },
  { "inception-block", NULL, "light" },
  { "lm-lstm", NULL, "light" },
};

/* Text is readable and the files are small. */
#define STORED_SCALE 0.75

/* Every fifth model is also laid out by Graphviz, which takes most of the time. */
#define DOT_STRIDE 5

/* The size of the part of the window that shows the graph, as it is at first. */
static const VizPoint window_page = { 912, 592 };

#define MAX_OPENED 5      /* groups of one model opened one after the other */
#define EPSILON    0.0005 /* points; more than the rounding error of sums of coordinates */

typedef struct
{
  guint    n_pictures, n_boxes, n_wires;
  Geometry sum;
} Tally;

static void
tally_add (Tally *tally, const VizPicture *picture, const char *name)
{
  Geometry geometry = geometry_of (picture);

  tally->n_pictures++;
  tally->n_boxes += viz_picture_n_items (picture) - 1;
  tally->n_wires += viz_picture_n_wires (picture);
  tally->sum.n_overlaps += geometry.n_overlaps;
  tally->sum.n_outside += geometry.n_outside;
  tally->sum.n_clipped += geometry.n_clipped;
  tally->sum.n_through += geometry.n_through;
  tally->sum.n_crossings += geometry.n_crossings;
  tally->sum.n_labels += geometry.n_labels;
  tally->sum.n_covered += geometry.n_covered;
  tally->sum.n_struck += geometry.n_struck;
  if (geometry.n_overlaps + geometry.n_outside + geometry.n_clipped + geometry.n_through +
          geometry.n_covered + geometry.n_struck >
      0)
    g_test_message ("%s: %u overlaps, %u outside, %u clipped, %u through boxes, %u labels covered, "
                    "%u titles struck",
                    name, geometry.n_overlaps, geometry.n_outside, geometry.n_clipped,
                    geometry.n_through, geometry.n_covered, geometry.n_struck);
}

static void
assert_clean (const Tally *tally)
{
  g_test_message ("%u pictures, %u boxes, %u wires, %u crossings, %u labels", tally->n_pictures,
                  tally->n_boxes, tally->n_wires, tally->sum.n_crossings, tally->sum.n_labels);
  g_assert_cmpuint (tally->sum.n_overlaps, ==, 0);
  g_assert_cmpuint (tally->sum.n_outside, ==, 0);
  g_assert_cmpuint (tally->sum.n_clipped, ==, 0);
  g_assert_cmpuint (tally->sum.n_through, ==, 0);
  g_assert_cmpuint (tally->sum.n_covered, ==, 0);
  g_assert_cmpuint (tally->sum.n_struck, ==, 0);
}

static GPtrArray *
list_or_skip (void)
{
  GPtrArray *paths = models_list ();

  if (paths->len == 0)
    {
      g_test_skip ("there is no folder of models (HYB_SHARED)");
      g_clear_pointer (&paths, g_ptr_array_unref);
    }
  return paths;
}

/* page (nullable): the page that the picture is shaped for. */
static VizPicture *
lay_out_on (VizDiagram *diagram, const VizFolds *folds, const char *layout, const VizPoint *page)
{
  g_autoptr (GError) error = NULL;
  VizLayoutOptions options = { .layout = layout, .helper = VIZ_HELPER };
  VizPicture      *picture;

  if (page)
    options.page = *page;
  picture = viz_layout_diagram (diagram, folds, &options, NULL, &error);
  g_assert_no_error (error);
  return picture;
}

/* With flow to the right. */
static VizPicture *
lay_out_sideways (VizDiagram *diagram, const VizFolds *folds)
{
  return viz_layout_diagram (diagram, folds,
                             &(VizLayoutOptions){ .direction = VIZ_DIRECTION_RIGHT,
                                                  .page = window_page },
                             NULL, NULL);
}

static VizPicture *
lay_out (VizDiagram *diagram, const VizFolds *folds, const char *layout)
{
  return lay_out_on (diagram, folds, layout, NULL);
}

static void
test_every_model_is_clean (gconstpointer data)
{
  guint           depth = GPOINTER_TO_UINT (data) % 10;
  gboolean        sideways = GPOINTER_TO_UINT (data) >= 20;
  const VizPoint *on_page = GPOINTER_TO_UINT (data) >= 10 ? &window_page : NULL;
  g_autoptr (GPtrArray) paths = list_or_skip ();
  Tally tally = { 0 };

  for (guint i = 0; paths && i < paths->len; i++)
    {
      const char *path = g_ptr_array_index (paths, i);
      g_autoptr (VizDiagram) diagram = models_diagram (path, NULL);
      g_autoptr (VizFolds) folds = diagram ? viz_folds_new (diagram) : NULL;
      g_autoptr (VizPicture) picture = NULL;

      if (!diagram)
        continue;
      if (depth > 0)
        viz_folds_open_depth (folds, depth);
      picture =
          sideways ? lay_out_sideways (diagram, folds) : lay_out_on (diagram, folds, NULL, on_page);
      /* Checking takes longer than the layout. */
      if (viz_picture_n_items (picture) < 1500)
        tally_add (&tally, picture, path);
    }
  if (paths)
    assert_clean (&tally);
}

/* The sides of large pictures that are shaped for a page are at most 1 : 3. */
static void
test_large_pictures_have_a_shape (void)
{
  g_autoptr (GPtrArray) paths = list_or_skip ();
  guint n_large = 0;

  for (guint i = 0; paths && i < paths->len; i++)
    {
      g_autoptr (VizDiagram) diagram = models_diagram (g_ptr_array_index (paths, i), NULL);
      g_autoptr (VizPicture) picture =
          diagram ? lay_out_on (diagram, NULL, NULL, &window_page) : NULL;
      guint  n_boxes = 0;
      double aspect;

      for (guint32 k = 0; picture && k < viz_picture_n_items (picture); k++)
        n_boxes += viz_picture_item (picture, k)->state != VIZ_ITEM_OPEN;
      if (n_boxes <= 50)
        continue;
      n_large++;
      aspect = viz_picture_width (picture) / viz_picture_height (picture);
      g_test_message ("%s: %.2f", (const char *) g_ptr_array_index (paths, i), aspect);
      g_assert_cmpfloat (aspect, <=, 3);
      g_assert_cmpfloat (aspect, >=, 1.0 / 3);
    }
  g_assert_true (!paths || n_large > 0);
}

/* Sums over the pictures of one layout. */
typedef struct
{
  guint  n, n_crossings;
  gint64 microseconds;
  double length, area, aspect; /* of wires; sum of width × height; sum of |log (width / height)| */
} Quality;

static void
add_quality (Quality *quality, const VizPicture *picture, const Geometry *geometry)
{
  double width = viz_picture_width (picture), height = viz_picture_height (picture);

  quality->n++;
  quality->n_crossings += geometry->n_crossings;
  quality->length += geometry->length;
  quality->area += width * height;
  quality->aspect += fabs (log (width / height));
}

static void
print_quality (const char *name, const Quality *quality)
{
  g_test_message ("%s: %u bodies, %u crossings, %.0f points of wire, %.1f Mpoint² of picture, "
                  "sides 1 : %.2f, %.3f s",
                  name, quality->n, quality->n_crossings, quality->length, quality->area / 1e6,
                  exp (quality->aspect / MAX (quality->n, 1)),
                  (double) quality->microseconds / 1e6);
}

/* Without groups, so that the layout under test places every box. */
static void
test_bodies_are_as_good_as_graphvizs (void)
{
  g_autoptr (GPtrArray) paths = list_or_skip ();
  Quality own = { 0 }, theirs = { 0 };
  guint   n_worse = 0;

  for (guint i = 0; paths && i < paths->len; i += DOT_STRIDE)
    {
      const char *path = g_ptr_array_index (paths, i);
      g_autoptr (VizDiagram) diagram =
          models_diagram (path,
                          &(ScopeDiagramOptions){ .keep_scopes = TRUE, .keep_repeats = TRUE });
      g_autoptr (VizPicture) ours = NULL, dots = NULL;
      Geometry our_geometry, dot_geometry;
      gint64   start = g_get_monotonic_time ();

      if (!diagram)
        continue;
      ours = lay_out (diagram, NULL, "layers");
      if (viz_picture_n_items (ours) > 200)
        continue;
      own.microseconds += g_get_monotonic_time () - start;
      start = g_get_monotonic_time ();
      dots = lay_out (diagram, NULL, "dot");
      if (viz_picture_stats (dots)->n_fallbacks > 0)
        continue;
      theirs.microseconds += g_get_monotonic_time () - start;
      our_geometry = geometry_of (ours);
      dot_geometry = geometry_of (dots);
      add_quality (&own, ours, &our_geometry);
      add_quality (&theirs, dots, &dot_geometry);
      if (our_geometry.n_crossings > dot_geometry.n_crossings * 1.2 + 1)
        {
          n_worse++;
          g_test_message ("%s: %u crossings, dot %u", path, our_geometry.n_crossings,
                          dot_geometry.n_crossings);
        }
    }
  print_quality ("own", &own);
  print_quality ("dot", &theirs);
  g_test_message ("more crossings than dot in %u", n_worse);
  g_assert_cmpfloat (own.n_crossings, <=, theirs.n_crossings * 1.2);
  g_assert_cmpfloat (own.length, <=, theirs.length * 1.2);
  g_assert_cmpfloat (own.area, <=, theirs.area * 1.2);
  g_assert_cmpfloat (own.aspect, <=, theirs.aspect * 1.2 + 0.1);
}

typedef struct
{
  guint  n_opened, n_boxes, n_x, n_y, n_not_restored;
  double worst_x, worst_y;
  Tally  after;
} Drift;

/* How far boxes outside the group moved beyond the group's change of size. */
static void
add_drift (Drift *drift, const VizPicture *before, const VizPicture *after, guint32 group)
{
  VizDiagram    *diagram = viz_picture_diagram (before);
  const VizItem *old = viz_picture_item (before, viz_picture_find_box (before, group));
  const VizItem *new = viz_picture_item (after, viz_picture_find_box (after, group));
  double wider = fabs (new->width - old->width), higher = fabs (new->height - old->height);

  drift->n_opened++;
  for (guint32 i = 1; i < viz_picture_n_items (before); i++)
    {
      const VizItem *a = viz_picture_item (before, i), *b;
      double         x, y;

      if (a->state == VIZ_ITEM_STEPS || viz_diagram_is_inside (diagram, a->box, group) ||
          viz_diagram_is_inside (diagram, group, a->box))
        continue;
      b = viz_picture_item (after, viz_picture_find_box (after, a->box));
      x = fabs (b->x - a->x) - wider;
      y = fabs (b->y - a->y) - higher;
      drift->n_boxes++;
      drift->n_x += x > EPSILON;
      drift->n_y += y > EPSILON;
      drift->worst_x = MAX (drift->worst_x, x);
      drift->worst_y = MAX (drift->worst_y, y);
    }
}

/* Number of items that have another position or size. */
static guint
count_moved (const VizPicture *before, const VizPicture *after)
{
  guint n = 0;

  g_assert_cmpuint (viz_picture_n_items (before), ==, viz_picture_n_items (after));
  for (guint32 i = 0; i < viz_picture_n_items (before); i++)
    {
      const VizItem *a = viz_picture_item (before, i), *b = viz_picture_item (after, i);

      n += fabs (a->x - b->x) > EPSILON || fabs (a->y - b->y) > EPSILON ||
           fabs (a->width - b->width) > EPSILON || fabs (a->height - b->height) > EPSILON;
    }
  return n;
}

static VizPicture *
lay_out_after (const VizPicture *previous, const VizFolds *folds)
{
  VizPicture *picture =
      viz_layout_diagram (viz_picture_diagram (previous), folds,
                          &(VizLayoutOptions){ .previous = previous }, NULL, NULL);

  g_assert_nonnull (picture);
  return picture;
}

/* Opens some closed groups one after the other, then closes them in reverse order. */
static void
open_and_close (Drift *drift, VizPicture *first, const VizFolds *folds, const char *name)
{
  g_autoptr (GPtrArray) pictures =
      g_ptr_array_new_with_free_func ((GDestroyNotify) viz_picture_unref);
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (VizFolds) open = viz_folds_copy (folds);
  guint32 n_items = viz_picture_n_items (first);
  guint32 stride = 1 + n_items / 40;

  g_ptr_array_add (pictures, viz_picture_ref (first));
  for (guint32 k = 1; k < n_items && groups->len < MAX_OPENED; k += stride)
    {
      const VizItem *item = viz_picture_item (first, k);
      VizPicture    *last = g_ptr_array_index (pictures, pictures->len - 1), *next;

      if (item->state != VIZ_ITEM_CLOSED)
        continue;
      viz_folds_set_open (open, item->box, TRUE);
      next = lay_out_after (last, open);
      add_drift (drift, last, next, item->box);
      tally_add (&drift->after, next, name);
      g_array_append_val (groups, item->box);
      g_ptr_array_add (pictures, next);
    }
  for (guint i = groups->len; i-- > 0;)
    {
      g_autoptr (VizPicture) closed = NULL;

      viz_folds_set_open (open, g_array_index (groups, guint32, i), FALSE);
      closed = lay_out_after (g_ptr_array_index (pictures, i + 1), open);
      drift->n_not_restored += count_moved (g_ptr_array_index (pictures, i), closed);
    }
}

/* Shows other steps of a chain, which may also make it smaller. */
static void
show_other_steps (Drift *drift, VizPicture *first, const VizFolds *folds, const char *name)
{
  VizDiagram *diagram = viz_picture_diagram (first);

  for (guint32 i = 1; i < viz_picture_n_items (first); i++)
    {
      const VizItem *item = viz_picture_item (first, i);
      g_autoptr (VizFolds) other = NULL;
      g_autoptr (VizPicture) shown = NULL;

      if (item->state != VIZ_ITEM_OPEN ||
          viz_diagram_box (diagram, item->box)->kind != VIZ_BOX_STEPS)
        continue;
      other = viz_folds_copy (folds);
      viz_folds_set_steps (other, item->box, 1, 4);
      shown = lay_out_after (first, other);
      add_drift (drift, first, shown, item->box);
      tally_add (&drift->after, shown, name);
      return;
    }
}

static void
test_opening_moves_others_only_out_of_the_way (void)
{
  g_autoptr (GPtrArray) paths = list_or_skip ();
  Drift drift = { 0 };

  for (guint i = 0; paths && i < paths->len; i++)
    for (guint closed = 0; closed < 2; closed++)
      {
        const char *path = g_ptr_array_index (paths, i);
        g_autoptr (VizDiagram) diagram = models_diagram (path, NULL);
        g_autoptr (VizFolds) folds = diagram ? viz_folds_new (diagram) : NULL;
        g_autoptr (VizPicture) first = NULL;

        if (!diagram)
          continue;
        if (closed)
          viz_folds_open_depth (folds, 0);
        first = lay_out_on (diagram, folds, NULL, closed ? NULL : &window_page);
        if (viz_picture_n_items (first) <= 400)
          {
            open_and_close (&drift, first, folds, path);
            show_other_steps (&drift, first, folds, path);
          }
      }
  g_test_message ("%u groups opened, %u boxes: %u too far in x (%.2f), %u in y (%.2f); "
                  "closed again, %u elsewhere",
                  drift.n_opened, drift.n_boxes, drift.n_x, drift.worst_x, drift.n_y, drift.worst_y,
                  drift.n_not_restored);
  g_assert_cmpuint (drift.n_x, ==, 0);
  g_assert_cmpuint (drift.n_y, ==, 0);
  g_assert_cmpuint (drift.n_not_restored, ==, 0);
  assert_clean (&drift.after);
}

static VizDiagram *
golden_diagram (const char *model)
{
  static const char *const endings[] = { "-symbol.json", "-symbol.json.gz" };

  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    {
      g_autofree char *below = g_strconcat ("goldens/models/", model, "/", model, endings[i], NULL);
      g_autofree char *path = models_path (below);
      VizDiagram      *diagram = models_diagram (path, NULL);

      if (diagram)
        return diagram;
    }
  g_test_skip ("there is no folder of models (HYB_SHARED)");
  return NULL;
}

static void
test_matches_stored_picture (gconstpointer data)
{
  const Stored    *picture_of = data;
  g_autofree char *file = g_strconcat ("golden-", picture_of->model, ".png", NULL);
  g_autofree char *path = g_build_filename (VIZ_REFERENCES, file, NULL);
  g_autoptr (VizDiagram) diagram = golden_diagram (picture_of->model);
  g_autoptr (VizFolds) folds = NULL;
  g_autoptr (VizPicture) picture = NULL;
  VizPaintOptions options = { .theme = viz_theme_find (picture_of->theme) };

  if (!diagram)
    return;
  folds = viz_folds_new (diagram);
  if (picture_of->expand)
    g_assert_cmpuint (viz_folds_open_matching (folds, picture_of->expand), >, 0);
  picture = lay_out (diagram, folds, NULL);
  compare_with_stored (picture, &options, STORED_SCALE, path);
}

static GBytes *
draw_again (const char *path)
{
  g_autoptr (VizDiagram) diagram = models_diagram (path, NULL);
  g_autoptr (VizPicture) picture = diagram ? lay_out (diagram, NULL, NULL) : NULL;
  VizExportResult result;

  return picture ? viz_export_find ("svg")->write (picture, &(VizExportOptions){ 0 }, &result, NULL)
                 : NULL;
}

static void
test_same_file_gives_same_bytes (void)
{
  g_autoptr (GPtrArray) paths = list_or_skip ();

  for (guint i = 0; paths && i < paths->len; i += DOT_STRIDE)
    {
      g_autoptr (GBytes) first = draw_again (g_ptr_array_index (paths, i));
      g_autoptr (GBytes) second = draw_again (g_ptr_array_index (paths, i));

      g_assert_true (first == second || g_bytes_equal (first, second));
    }
}

/* In "foreach-nested" only the inner loop reads a weight, which the outer loop hands on. */
static void
test_a_weight_is_drawn_where_it_is_read (void)
{
  g_autoptr (VizDiagram) diagram = golden_diagram ("foreach-nested");
  guint n_weights = 0;

  for (guint32 i = 1; diagram && i < viz_diagram_n_boxes (diagram); i++)
    {
      const VizBox *box = viz_diagram_box (diagram, i);

      if (box->kind != VIZ_BOX_WEIGHT)
        continue;
      g_assert_true (box->flags & VIZ_BOX_FOLDED);
      n_weights++;
    }
  g_assert_cmpuint (n_weights, ==, diagram ? 1 : 0);
}

static void
add_long_tests (void)
{
  g_test_add_data_func ("/pictures/every-model-opened-is-clean", GUINT_TO_POINTER (3),
                        test_every_model_is_clean);
  g_test_add_func ("/pictures/bodies-are-as-good-as-graphvizs",
                   test_bodies_are_as_good_as_graphvizs);
  g_test_add_func ("/pictures/opening-moves-others-only-out-of-the-way",
                   test_opening_moves_others_only_out_of_the_way);
}

TEST_PROGRAM (test_pictures)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/pictures/every-model-is-clean", GUINT_TO_POINTER (0),
                        test_every_model_is_clean);
  g_test_add_data_func ("/pictures/every-model-is-clean-in-columns", GUINT_TO_POINTER (10),
                        test_every_model_is_clean);
  g_test_add_data_func ("/pictures/every-model-is-clean-to-the-right", GUINT_TO_POINTER (20),
                        test_every_model_is_clean);
  g_test_add_func ("/pictures/large-pictures-have-the-shape-of-a-page",
                   test_large_pictures_have_a_shape);
  g_test_add_func ("/pictures/a-weight-is-drawn-where-it-is-read",
                   test_a_weight_is_drawn_where_it_is_read);
  g_test_add_func ("/pictures/same-file-gives-same-bytes", test_same_file_gives_same_bytes);
  for (guint i = 0; i < G_N_ELEMENTS (stored); i++)
    {
      g_autofree char *path = g_strconcat ("/pictures/matches-stored/", stored[i].model, NULL);

      g_test_add_data_func (path, &stored[i], test_matches_stored_picture);
    }
  if (g_test_slow ())
    add_long_tests ();
  return g_test_run ();
}
