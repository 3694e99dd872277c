/* test-group-titles.c — titles of groups in pictures of real models, at the scales of the window.
 *
 * The models are those of $HYB_SHARED or ../shared; without them the test is skipped.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/models.h"
#include "tests/program.h"
#include "tests/viz/geometry.h"

#include "viz/scene/layout-diagram.h"

/* As the window does when it opens a file. */
static VizPicture *
lay_out_as_window (VizDiagram *diagram, const VizPoint *page)
{
  return viz_layout_diagram (diagram, NULL,
                             &(VizLayoutOptions){ .direction = VIZ_DIRECTION_AUTO,
                                                  .detail = VIZ_DETAIL_AUTO,
                                                  .page = *page },
                             NULL, NULL);
}

/* Titles are enlarged where the picture is smaller than its natural size.  Goes through the scales from the one at
 * which all of the picture is seen up to the natural size; the scale at which a file opens is among them. */
static guint
struck_at_any_scale (const VizPicture *picture, const VizPoint *page)
{
  double whole =
      MIN (page->x / viz_picture_width (picture), page->y / viz_picture_height (picture));
  guint n = 0;

  for (double scale = MIN (whole, 1); scale <= 1; scale *= 1.05)
    n += geometry_struck_titles (picture, scale);
  return n;
}

static void
test_no_title_is_struck_at_any_scale (void)
{
  static const VizPoint pages[] = { { 912, 592 }, { 1232, 752 } };
  g_autoptr (GPtrArray) paths = models_list ();
  guint n_struck = 0;

  if (paths->len == 0)
    g_test_skip ("there is no folder of models (HYB_SHARED)");
  for (guint i = 0; i < paths->len; i++)
    for (guint k = 0; k < G_N_ELEMENTS (pages); k++)
      {
        const char     *path = g_ptr_array_index (paths, i);
        const VizPoint *page = &pages[k];
        g_autoptr (VizDiagram) diagram = models_diagram (path, NULL);
        g_autoptr (VizPicture) picture = diagram ? lay_out_as_window (diagram, page) : NULL;
        guint n = picture ? struck_at_any_scale (picture, page) : 0;

        if (n > 0)
          g_test_message ("%s: %u", path, n);
        n_struck += n;
      }
  g_assert_cmpuint (n_struck, ==, 0);
}

TEST_PROGRAM (test_group_titles)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/group-titles/no-title-is-struck-at-any-scale",
                   test_no_title_is_struck_at_any_scale);
  return g_test_run ();
}
