/* test-palette.c — tests contrast, and that colours stay distinct with colour blindness.
 *
 * Simulates protanopia, deuteranopia and tritanopia after Machado, Oliveira and Fernandes (2009), and
 * measures distances in CIELAB.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"
#include "viz/diagram/palette.h"

#include <math.h>

typedef struct
{
  double l, a, b;
} Lab;

static const double sights[][3][3] = {
  { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
  { { 0.152286, 1.052583, -0.204868 },
    { 0.114503, 0.786281, 0.099216 },
    { -0.003882, -0.048116, 1.051998 } },
  { { 0.367322, 0.860646, -0.227968 },
    { 0.280085, 0.672501, 0.047413 },
    { -0.011820, 0.042940, 0.968881 } },
  { { 1.255528, -0.076749, -0.178779 },
    { -0.078411, 0.930809, 0.147602 },
    { 0.004733, 0.691367, 0.303900 } },
};

static double
linear (double channel)
{
  return channel <= 0.04045 ? channel / 12.92 : pow ((channel + 0.055) / 1.055, 2.4);
}

static double
lab_curve (double t)
{
  return t > 0.008856 ? cbrt (t) : 7.787 * t + 16.0 / 116;
}

static Lab
seen_as (const VizColour *colour, const double sight[3][3])
{
  double from[3] = { linear (colour->red), linear (colour->green), linear (colour->blue) };
  double to[3], x, y, z;

  for (guint i = 0; i < 3; i++)
    to[i] = CLAMP (sight[i][0] * from[0] + sight[i][1] * from[1] + sight[i][2] * from[2], 0, 1);
  x = lab_curve ((0.4124 * to[0] + 0.3576 * to[1] + 0.1805 * to[2]) / 0.9505);
  y = lab_curve (0.2126 * to[0] + 0.7152 * to[1] + 0.0722 * to[2]);
  z = lab_curve ((0.0193 * to[0] + 0.1192 * to[1] + 0.9505 * to[2]) / 1.089);
  return (Lab){ 116 * y - 16, 500 * (x - y), 200 * (y - z) };
}

static double
distance (Lab a, Lab b)
{
  return sqrt ((a.l - b.l) * (a.l - b.l) + (a.a - b.a) * (a.a - b.a) + (a.b - b.b) * (a.b - b.b));
}

static void
test_safe_categories_are_distinct (void)
{
  const VizTheme *theme = viz_theme_find ("safe");
  double          least = INFINITY;

  for (guint s = 0; s < G_N_ELEMENTS (sights); s++)
    for (guint i = 0; i < VIZ_N_CATEGORIES; i++)
      for (guint k = i + 1; k < VIZ_N_CATEGORIES; k++)
        least = MIN (least, distance (seen_as (&theme->category[i], sights[s]),
                                      seen_as (&theme->category[k], sights[s])));
  g_test_message ("least distance of two categories: %.1f", least);
  g_assert_cmpfloat (least, >, 12);
}

/* The lightness of the heat ramp changes in one direction, with any kind of colour vision. */
static void
test_heat_lightness_is_monotonic (void)
{
  for (guint t = 0; viz_themes ()[t] != NULL; t++)
    for (guint s = 0; s < G_N_ELEMENTS (sights); s++)
      {
        const VizTheme *theme = viz_themes ()[t];
        double          sign = theme->is_dark ? 1 : -1;

        for (guint i = 0; i < 16; i++)
          {
            VizColour less = viz_theme_heat (theme, i / 16.0);
            VizColour more = viz_theme_heat (theme, (i + 1) / 16.0);

            g_assert_cmpfloat (sign * (seen_as (&more, sights[s]).l - seen_as (&less, sights[s]).l),
                               >, 0.5);
          }
      }
}

static double
contrast (const VizColour *a, const VizColour *b)
{
  double x = viz_colour_luminance (a) + 0.05, y = viz_colour_luminance (b) + 0.05;

  return MAX (x, y) / MIN (x, y);
}

/* WCAG 2 requires a contrast of 4.5 for text. */
static void
test_texts_can_be_read (void)
{
  for (guint t = 0; viz_themes ()[t] != NULL; t++)
    {
      const VizTheme  *theme = viz_themes ()[t];
      const VizColour *grounds[] = { &theme->background, &theme->box,      &theme->box_closed,
                                     &theme->input,      &theme->group[0], &theme->group[1],
                                     &theme->loop[0],    &theme->loop[1] };

      for (guint i = 0; i < G_N_ELEMENTS (grounds); i++)
        {
          VizColour ink = viz_theme_text_on (theme, grounds[i]);

          g_assert_cmpfloat (contrast (&ink, grounds[i]), >=, 4.5);
        }
      /* Texts of wires and titles of groups are drawn on the background. */
      g_assert_cmpfloat (contrast (&theme->text_faint, &theme->background), >=, 4.5);
      for (guint i = 0; i < 2; i++)
        {
          g_assert_cmpfloat (contrast (&theme->text, &theme->loop[i]), >=, 4.5);
          g_assert_cmpfloat (contrast (&theme->text, &theme->group[i]), >=, 4.5);
          g_assert_cmpfloat (contrast (&theme->text_faint, &theme->group[i]), >=, 4);
          g_assert_cmpfloat (contrast (&theme->text_faint, &theme->loop[i]), >=, 4);
          g_assert_cmpfloat (contrast (&theme->wire_control, &theme->loop[i]), >=, 3);
        }
    }
}

TEST_PROGRAM (test_palette)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viz/palette/safe-categories-are-distinct", test_safe_categories_are_distinct);
  g_test_add_func ("/viz/palette/heat-lightness-is-monotonic", test_heat_lightness_is_monotonic);
  g_test_add_func ("/viz/palette/texts-can-be-read", test_texts_can_be_read);
  return g_test_run ();
}
