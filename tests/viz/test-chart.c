/* test-chart.c — tests charts by drawing them as SVG.
 *
 * Counts and measures the elements of the SVG text.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"
#include "viz/paint/chart.h"

#include <math.h>
#include <string.h>

static guint
count (const char *text, const char *what)
{
  guint n = 0;

  for (const char *at = strstr (text, what); at != NULL; at = strstr (at + 1, what))
    n++;
  return n;
}

static char *
colour_text (const VizColour *colour)
{
  return g_strdup_printf ("#%02x%02x%02x", (guint) lround (colour->red * 255),
                          (guint) lround (colour->green * 255),
                          (guint) lround (colour->blue * 255));
}

static const VizBar bars[] = {
  { .label = "FullyConnected", .text = "3.0 ms", .value = 3, .low = 2.5, .high = 3.5 },
  { .label = "Activation", .text = "1.5 ms", .value = 1.5 },
  { .label = "broken", .value = NAN },
};

static void
test_longest_bar_is_twice_the_half (void)
{
  GString    *out = g_string_new (NULL);
  VizPen     *pen = viz_pen_new_svg (out, VIZ_DEFAULT_FONT, FALSE);
  VizRect     rect = { 0, 0, 400, viz_chart_bars_height (3) };
  double      width[3];
  const char *at = out->str;

  viz_chart_bars (pen, &rect, viz_theme_find (NULL), bars, 3);
  at = out->str;
  for (guint i = 0; i < 3; i++)
    {
      at = strstr (at, "<rect");
      g_assert_nonnull (at);
      width[i] = g_ascii_strtod (strstr (at, "width=\"") + 7, NULL);
      at++;
    }
  g_assert_cmpfloat_with_epsilon (width[0], 2 * width[1], 0.05);
  g_assert_cmpfloat (width[2], <=, 1);
  g_assert_cmpuint (count (out->str, "<text"), ==, 5);
  g_assert_null (strstr (out->str, "nan"));
  viz_pen_free (pen);
  g_string_free (out, TRUE);
}

static void
test_waterfall_ends_where_the_changes_lead (void)
{
  static const VizBar steps[] = {
    { .label = "unrolled", .value = 10, .is_total = TRUE },
    { .label = "launches", .value = -4 },
    { .label = "copies", .value = 1, .is_unclear = TRUE },
    { .label = "fused", .value = 7, .is_total = TRUE },
  };
  GString *out = g_string_new (NULL);
  VizPen  *pen = viz_pen_new_svg (out, VIZ_DEFAULT_FONT, FALSE);
  VizRect  rect = { 0, 0, 400, 132 };
  double   y[4], height[4];
  char    *at;

  viz_chart_waterfall (pen, &rect, viz_theme_find (NULL), steps, 4);
  at = out->str;
  for (guint i = 0; i < 4; i++)
    {
      at = strstr (at, "<rect");
      g_assert_nonnull (at);
      y[i] = g_ascii_strtod (strstr (at, " y=\"") + 4, NULL);
      height[i] = g_ascii_strtod (strstr (at, "height=\"") + 8, NULL);
      at++;
    }
  /* The first change starts at the first total; the last total ends where the changes end. */
  g_assert_cmpfloat_with_epsilon (y[1], y[0], 0.05);
  g_assert_cmpfloat_with_epsilon (height[1], 0.4 * height[0], 0.05);
  g_assert_cmpfloat_with_epsilon (y[3], y[2], 0.05);
  g_assert_cmpfloat_with_epsilon (y[3] + height[3], y[0] + height[0], 0.05);
  viz_pen_free (pen);
  g_string_free (out, TRUE);
}

static char *
format_plain (double value)
{
  return g_strdup_printf ("%g s", value);
}

/* Ranges are drawn at the end of their own change; with small changes the axis does not start at 0. */
static void
test_small_changes_are_visible (void)
{
  static const VizBar steps[] = {
    { .label = "before", .value = 100, .is_total = TRUE },
    { .label = "copies", .value = -4, .low = -5, .high = -3 },
    { .label = "after", .value = 96, .is_total = TRUE },
  };
  GString         *out = g_string_new (NULL);
  VizPen          *pen = viz_pen_new_svg (out, VIZ_DEFAULT_FONT, FALSE);
  VizRect          rect = { 0, 0, 300, 132 };
  const VizColour *white = &viz_theme_find (NULL)->background;
  g_autofree char *ground = colour_text (white);
  char            *at;

  viz_chart_waterfall (pen, &rect, viz_theme_find (NULL), steps, 3);
  at = strstr (strstr (out->str, "<rect") + 1, "<rect");
  g_assert_nonnull (at);
  g_assert_cmpfloat (g_ascii_strtod (strstr (at, "height=\"") + 8, NULL), >, 40);
  /* Only the gaps in the two totals have the colour of the background. */
  g_assert_cmpuint (count (out->str, ground), ==, 2);
  viz_pen_free (pen);
  g_string_free (out, TRUE);
}

/* Curves are named; a missing value is a gap, not a zero. */
static void
test_curves_grow_upwards (void)
{
  static const double x[] = { 1, 8, 32 }, one[] = { 1, 8, 32 }, two[] = { 2, NAN, 2 };
  VizCurve            curves[] = { { .label = "linear", .y = one }, { .label = "flat", .y = two } };
  VizCurveChart       axes = { .x = x,
                               .n_x = 3,
                               .x_name = "batch",
                               .format = format_plain,
                               .is_logarithmic = TRUE,
                               .mark = NAN,
                               .curves = curves,
                               .n_curves = 2 };
  GString            *out = g_string_new (NULL);
  VizPen             *pen = viz_pen_new_svg (out, VIZ_DEFAULT_FONT, FALSE);
  VizRect             rect = { 0, 0, 600, 200 };

  viz_chart_curves (pen, &rect, viz_theme_find (NULL), &axes);
  g_assert_nonnull (strstr (out->str, ">linear<"));
  g_assert_nonnull (strstr (out->str, ">flat<"));
  g_assert_nonnull (strstr (out->str, ">batch<"));
  g_assert_nonnull (strstr (out->str, ">10 s<"));
  g_assert_null (strstr (out->str, "nan"));
  /* Charts without curves or without values are empty. */
  axes.n_curves = 0;
  viz_chart_curves (pen, &rect, viz_theme_find (NULL), &axes);
  axes.n_curves = 2;
  axes.n_x = 0;
  viz_chart_curves (pen, &rect, viz_theme_find (NULL), &axes);
  viz_pen_free (pen);
  g_string_free (out, TRUE);
}

/* A label that is too wide is broken where its halves are most alike. */
static void
test_labels_are_broken_in_the_middle (void)
{
  static const VizBar steps[] = {
    { .label = "a launches of-the operators z", .value = 10, .is_total = TRUE },
    { .label = "b", .value = 7, .is_total = TRUE },
  };
  GString *out = g_string_new (NULL);
  VizPen  *pen = viz_pen_new_svg (out, VIZ_DEFAULT_FONT, FALSE);
  VizRect  rect = { 0, 0, 260, 200 };

  viz_chart_waterfall (pen, &rect, viz_theme_find (NULL), steps, G_N_ELEMENTS (steps));
  g_assert_nonnull (strstr (out->str, ">a launches of-<"));
  g_assert_nonnull (strstr (out->str, ">the operators z<"));
  viz_pen_free (pen);
  g_string_free (out, TRUE);
}

static void
test_ticks_stand_at_round_numbers (void)
{
  static const struct
  {
    double   range;
    guint    max;
    gboolean is_binary;
    double   step;
  } cases[] = {
    { 10, 5, FALSE, 2 },
    { 10, 4, FALSE, 5 },
    { 10, 1, FALSE, 10 },
    { 3.06, 5, FALSE, 1 },
    { 0.31e-3, 4, FALSE, 1e-4 },
    { 3.06 * 1048576, 5, TRUE, 1048576 },
    { 1 << 20, 1, TRUE, 1 << 20 },
    { 7, 0, FALSE, 10 },
    { 0, 5, FALSE, 0 },
    { NAN, 5, FALSE, 0 },
    { INFINITY, 5, FALSE, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpfloat_with_epsilon (viz_chart_step (cases[i].range, cases[i].max,
                                                    cases[i].is_binary),
                                    cases[i].step, cases[i].step * 1e-12 + 1e-300);
}

TEST_PROGRAM (test_chart)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viz/chart/ticks-stand-at-round-numbers", test_ticks_stand_at_round_numbers);
  g_test_add_func ("/viz/chart/longest-bar-is-twice-the-half", test_longest_bar_is_twice_the_half);
  g_test_add_func ("/viz/chart/waterfall-ends-where-the-changes-lead",
                   test_waterfall_ends_where_the_changes_lead);
  g_test_add_func ("/viz/chart/small-changes-are-visible", test_small_changes_are_visible);
  g_test_add_func ("/viz/chart/labels-are-broken-in-the-middle",
                   test_labels_are_broken_in_the_middle);
  g_test_add_func ("/viz/chart/curves-grow-upwards", test_curves_grow_upwards);
  return g_test_run ();
}
