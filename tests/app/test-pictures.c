/* test-pictures.c — real models as pictures: what is drawn, as numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/models.h"
#include "tests/viz/geometry.h"

#include "viz/export.h"
#include "viz/layout.h"

#include <string.h>

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
  if (geometry.n_overlaps + geometry.n_outside + geometry.n_clipped + geometry.n_through +
          geometry.n_covered >
      0)
    g_test_message ("%s: %u overlaps, %u outside, %u clipped, %u through boxes, %u labels covered",
                    name,
                    geometry.n_overlaps,
                    geometry.n_outside,
                    geometry.n_clipped,
                    geometry.n_through,
                    geometry.n_covered);
}

static void
assert_clean (const Tally *tally)
{
  g_test_message ("%u pictures, %u boxes, %u wires, %u crossings, %u labels",
                  tally->n_pictures,
                  tally->n_boxes,
                  tally->n_wires,
                  tally->sum.n_crossings,
                  tally->sum.n_labels);
  g_assert_cmpuint (tally->sum.n_overlaps, ==, 0);
  g_assert_cmpuint (tally->sum.n_outside, ==, 0);
  g_assert_cmpuint (tally->sum.n_clipped, ==, 0);
  g_assert_cmpuint (tally->sum.n_through, ==, 0);
  g_assert_cmpuint (tally->sum.n_covered, ==, 0);
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

static VizPicture *
lay_out (VizDiagram *diagram, const VizFolds *folds, const char *layout)
{
  g_autoptr (GError) error = NULL;
  VizPicture *picture = viz_layout (diagram,
                                    folds,
                                    &(VizLayoutOptions){ .layout = layout, .helper = VIZ_HELPER },
                                    NULL,
                                    &error);

  g_assert_no_error (error);
  return picture;
}

static void
test_every_model_is_clean (gconstpointer data)
{
  guint depth = GPOINTER_TO_UINT (data);
  g_autoptr (GPtrArray) paths = list_or_skip ();
  Tally tally = { 0 };

  for (guint i = 0; paths != NULL && i < paths->len; i++)
    {
      const char *path = g_ptr_array_index (paths, i);
      g_autoptr (VizDiagram) diagram = models_diagram (path, NULL);
      g_autoptr (VizFolds) folds = diagram != NULL ? viz_folds_new (diagram) : NULL;
      g_autoptr (VizPicture) picture = NULL;

      if (diagram == NULL)
        continue;
      if (depth > 0)
        viz_folds_open_depth (folds, depth);
      picture = lay_out (diagram, folds, NULL);
      /* The judge is slower than what it judges. */
      if (viz_picture_n_items (picture) < 1500)
        tally_add (&tally, picture, path);
    }
  if (paths != NULL)
    assert_clean (&tally);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/pictures/every-model-is-clean",
                        GUINT_TO_POINTER (0),
                        test_every_model_is_clean);
  g_test_add_data_func ("/pictures/every-model-opened-is-clean",
                        GUINT_TO_POINTER (3),
                        test_every_model_is_clean);
  return g_test_run ();
}
