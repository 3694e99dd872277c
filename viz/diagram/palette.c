/* palette.c — the themes as tables, and arithmetic on their colours.
 *
 * To add a theme, add a const VizTheme and name it in the array themes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/diagram/palette.h"

#include <math.h>

#define RGB(hex)                                                                       \
  {                                                                                    \
    ((hex) >> 16 & 255) / 255.0, ((hex) >> 8 & 255) / 255.0, ((hex) &255) / 255.0, 1.0 \
  }

#define CATEGORIES                                                                            \
  [VIZ_CATEGORY_OTHER] = RGB (0x8a8f98), [VIZ_CATEGORY_DATA] = RGB (0x9aa5b1),                \
  [VIZ_CATEGORY_ELEMENTWISE] = RGB (0xf0b429), [VIZ_CATEGORY_LINEAR] = RGB (0x0072b2),        \
  [VIZ_CATEGORY_CONVOLUTION] = RGB (0x56b4e9), [VIZ_CATEGORY_NORMALISATION] = RGB (0x009e73), \
  [VIZ_CATEGORY_REDUCTION] = RGB (0x6a994e), [VIZ_CATEGORY_MOVEMENT] = RGB (0xb08968),        \
  [VIZ_CATEGORY_RECURRENT] = RGB (0x7b5ea7), [VIZ_CATEGORY_CONTROL] = RGB (0xcc79a7),         \
  [VIZ_CATEGORY_LOSS] = RGB (0xd55e00),

/* All members of a light theme except its name and its categories. */
#define LIGHT                                                                                 \
  .background = RGB (0xfafafa), .box = RGB (0xffffff), .box_border = RGB (0xb4bac2),          \
  .box_closed = RGB (0xf2f4f7), .input = RGB (0xeceff2), .text = RGB (0x1d2127),              \
  .text_faint = RGB (0x646c77), .group = { RGB (0xf1f3f6), RGB (0xe7ebf0) },                  \
  .group_border = RGB (0xc3cad3), .loop = { RGB (0xf6f0fa), RGB (0xece2f4) },                 \
  .loop_border = RGB (0xa487bf), .wire = RGB (0x878f9a), .wire_state = RGB (0x7b4fa3),        \
  .wire_captured = RGB (0x7d8692), .wire_feedback = RGB (0x7b4fa3),                           \
  .wire_control = RGB (0x5c6570),                                                             \
  .port = { RGB (0xd6eaf8), RGB (0xe3d3f0), RGB (0xe4e7eb), RGB (0xf0f2f4) },                 \
  .problem = RGB (0xc01c28), .selection = RGB (0x1c71d8), .incoming = RGB (0x009e73),         \
  .outgoing = RGB (0xd55e00), .hit = RGB (0xf5d55a),                                          \
  .heat = { RGB (0xfff3e6), RGB (0xfdd0a2), RGB (0xfd9a4e), RGB (0xdd5a0b), RGB (0x8c2d04) }, \
  .difference = { RGB (0x1b6ca8), RGB (0x9cc8e3), RGB (0xf4f4f4), RGB (0xf5b58a), RGB (0xb3470a) }

static const VizTheme light = { .name = "light", LIGHT, .category = { CATEGORIES } };

/* Eleven categories that are distinct with protanopia, deuteranopia and tritanopia: the eight
 * colours of Okabe and Ito, and two greys and a dark red that differ from them in lightness. */
static const VizTheme safe = {
  .name = "safe",
  LIGHT,
  .category = {
    [VIZ_CATEGORY_OTHER] = RGB (0x404040), [VIZ_CATEGORY_DATA] = RGB (0xc0c0c0),
    [VIZ_CATEGORY_ELEMENTWISE] = RGB (0xf0e442), [VIZ_CATEGORY_LINEAR] = RGB (0x0072b2),
    [VIZ_CATEGORY_CONVOLUTION] = RGB (0x56b4e9), [VIZ_CATEGORY_NORMALISATION] = RGB (0x009e73),
    [VIZ_CATEGORY_REDUCTION] = RGB (0x000000), [VIZ_CATEGORY_MOVEMENT] = RGB (0xe69f00),
    [VIZ_CATEGORY_RECURRENT] = RGB (0xcc79a7), [VIZ_CATEGORY_CONTROL] = RGB (0x5b1a18),
    [VIZ_CATEGORY_LOSS] = RGB (0xd55e00),
  },
};

static const VizTheme dark = {
  .name = "dark",
  .is_dark = TRUE,
  .background = RGB (0x1e1f22),
  .box = RGB (0x2f3136),
  .box_border = RGB (0x565b63),
  .box_closed = RGB (0x383b41),
  .input = RGB (0x3c4046),
  .text = RGB (0xeceef1),
  .text_faint = RGB (0xa3aab4),
  .group = { RGB (0x26282c), RGB (0x2c2f34) },
  .group_border = RGB (0x4a4f57),
  .loop = { RGB (0x2b2533), RGB (0x332b3e) },
  .loop_border = RGB (0x8468a3),
  .wire = RGB (0x858c97),
  .wire_state = RGB (0xb58ade),
  .wire_captured = RGB (0x8d95a0),
  .wire_feedback = RGB (0xb58ade),
  .wire_control = RGB (0xa6adb8),
  .port = { RGB (0x29475c), RGB (0x4a3960), RGB (0x41454c), RGB (0x3a3d43) },
  .problem = RGB (0xff7b63),
  .selection = RGB (0x78aeed),
  .incoming = RGB (0x2ec7a0),
  .outgoing = RGB (0xff8a3d),
  .hit = RGB (0xb8962a),
  .category = { CATEGORIES },
  .heat = { RGB (0x3a3431), RGB (0x6b4423), RGB (0xa8601a), RGB (0xe58a1f), RGB (0xffd08a) },
  .difference = { RGB (0x6ab7ea), RGB (0x34617f), RGB (0x35373b), RGB (0x85502e), RGB (0xff9c5b) },
};

/* Used when the desktop requests high contrast: lines and texts have no light greys. */
static const VizTheme contrast = {
  .name = "contrast",
  .background = RGB (0xffffff),
  .box = RGB (0xffffff),
  .box_border = RGB (0x20242a),
  .box_closed = RGB (0xf2f4f7),
  .input = RGB (0xe4e8ed),
  .text = RGB (0x000000),
  .text_faint = RGB (0x2f353d),
  .group = { RGB (0xf5f6f8), RGB (0xe7ebf0) },
  .group_border = RGB (0x3a414a),
  .loop = { RGB (0xf6f0fa), RGB (0xece2f4) },
  .loop_border = RGB (0x5a2d84),
  .wire = RGB (0x2b3037),
  .wire_state = RGB (0x5a2d84),
  .wire_captured = RGB (0x3c434c),
  .wire_feedback = RGB (0x5a2d84),
  .wire_control = RGB (0x454545),
  .port = { RGB (0xd6eaf8), RGB (0xe3d3f0), RGB (0xe4e7eb), RGB (0xf0f2f4) },
  .problem = RGB (0xa00010),
  .selection = RGB (0x0b4fa8),
  .incoming = RGB (0x00664a),
  .outgoing = RGB (0xa04000),
  .hit = RGB (0xf5d55a),
  .category = { CATEGORIES },
  .heat = { RGB (0xfff3e6), RGB (0xfdd0a2), RGB (0xfd9a4e), RGB (0xdd5a0b), RGB (0x8c2d04) },
  .difference = { RGB (0x1b6ca8), RGB (0x9cc8e3), RGB (0xf4f4f4), RGB (0xf5b58a), RGB (0xb3470a) },
};

static const VizTheme contrast_dark = {
  .name = "contrast-dark",
  .is_dark = TRUE,
  .background = RGB (0x000000),
  .box = RGB (0x101113),
  .box_border = RGB (0xdfe3e8),
  .box_closed = RGB (0x1c1e22),
  .input = RGB (0x26292e),
  .text = RGB (0xffffff),
  .text_faint = RGB (0xd5dae0),
  .group = { RGB (0x0b0c0e), RGB (0x15171a) },
  .group_border = RGB (0xb9c0c9),
  .loop = { RGB (0x160f1e), RGB (0x21172d) },
  .loop_border = RGB (0xd2b0f5),
  .wire = RGB (0xd5dae0),
  .wire_state = RGB (0xd9b8ff),
  .wire_captured = RGB (0xc3c9d1),
  .wire_feedback = RGB (0xd9b8ff),
  .wire_control = RGB (0xbfbfbf),
  .port = { RGB (0x29475c), RGB (0x4a3960), RGB (0x41454c), RGB (0x3a3d43) },
  .problem = RGB (0xff9a88),
  .selection = RGB (0x9cc8ff),
  .incoming = RGB (0x46e0b8),
  .outgoing = RGB (0xffa564),
  .hit = RGB (0xd8b23a),
  .category = { CATEGORIES },
  .heat = { RGB (0x3a3431), RGB (0x6b4423), RGB (0xa8601a), RGB (0xe58a1f), RGB (0xffd08a) },
  .difference = { RGB (0x6ab7ea), RGB (0x34617f), RGB (0x35373b), RGB (0x85502e), RGB (0xff9c5b) },
};

/* The colours of mx.viz.plot_network, which users of MXNet recognise. */
static const VizTheme mxnet = {
  .name = "mxnet",
  .fills_by_category = TRUE,
  .background = RGB (0xffffff),
  .box = RGB (0xfccde5),
  .box_border = RGB (0x777777),
  .box_closed = RGB (0xf4f4f4),
  .input = RGB (0x8dd3c7),
  .text = RGB (0x111111),
  .text_faint = RGB (0x444444),
  .group = { RGB (0xf5f5f5), RGB (0xececec) },
  .group_border = RGB (0xbbbbbb),
  .loop = { RGB (0xf6f0fa), RGB (0xece2f4) },
  .loop_border = RGB (0xa487bf),
  .wire = RGB (0x666666),
  .wire_state = RGB (0x7b4fa3),
  .wire_captured = RGB (0x8a8a8a),
  .wire_feedback = RGB (0x7b4fa3),
  .wire_control = RGB (0x5c5c5c),
  .port = { RGB (0xd6eaf8), RGB (0xe3d3f0), RGB (0xe4e7eb), RGB (0xf0f2f4) },
  .problem = RGB (0xc01c28),
  .selection = RGB (0x1c71d8),
  .incoming = RGB (0x009e73),
  .outgoing = RGB (0xd55e00),
  .hit = RGB (0xf5d55a),
  .category = {
    [VIZ_CATEGORY_OTHER] = RGB (0xfccde5), [VIZ_CATEGORY_DATA] = RGB (0x8dd3c7),
    [VIZ_CATEGORY_ELEMENTWISE] = RGB (0xffffb3), [VIZ_CATEGORY_LINEAR] = RGB (0xfb8072),
    [VIZ_CATEGORY_CONVOLUTION] = RGB (0xfb8072), [VIZ_CATEGORY_NORMALISATION] = RGB (0xbebada),
    [VIZ_CATEGORY_REDUCTION] = RGB (0x80b1d3), [VIZ_CATEGORY_MOVEMENT] = RGB (0xfdb462),
    [VIZ_CATEGORY_RECURRENT] = RGB (0xfb8072), [VIZ_CATEGORY_CONTROL] = RGB (0xfccde5),
    [VIZ_CATEGORY_LOSS] = RGB (0xb3de69),
  },
  .heat = { RGB (0xfff3e6), RGB (0xfdd0a2), RGB (0xfd9a4e), RGB (0xdd5a0b), RGB (0x8c2d04) },
  .difference = { RGB (0x1b6ca8), RGB (0x9cc8e3), RGB (0xf4f4f4), RGB (0xf5b58a), RGB (0xb3470a) },
};

#undef LIGHT
#undef CATEGORIES
#undef RGB

static const VizTheme *const themes[] = {
  &light, &dark, &safe, &mxnet, &contrast, &contrast_dark, NULL,
};

const VizTheme *const *
viz_themes (void)
{
  return themes;
}

const VizTheme *
viz_theme_find (const char *name)
{
  if (!name)
    return &light;
  for (guint i = 0; themes[i] != NULL; i++)
    if (g_strcmp0 (themes[i]->name, name) == 0)
      return themes[i];
  return NULL;
}

VizColour
viz_colour_mix (const VizColour *a, const VizColour *b, double share_of_b)
{
  double t = share_of_b;

  return (VizColour){ a->red + (b->red - a->red) * t, a->green + (b->green - a->green) * t,
                      a->blue + (b->blue - a->blue) * t, a->alpha + (b->alpha - a->alpha) * t };
}

static VizColour
from_ramp (const VizColour ramp[5], double level)
{
  double at = isnan (level) ? 0 : CLAMP (level, 0, 1) * 4;
  guint  i = (guint) MIN (floor (at), 3);

  return viz_colour_mix (&ramp[i], &ramp[i + 1], at - i);
}

VizColour
viz_theme_heat (const VizTheme *theme, double level)
{
  return from_ramp (theme->heat, level);
}

VizColour
viz_theme_difference (const VizTheme *theme, double level)
{
  return from_ramp (theme->difference, (level + 1) / 2);
}

static double
linear (double channel)
{
  return channel <= 0.04045 ? channel / 12.92 : pow ((channel + 0.055) / 1.055, 2.4);
}

double
viz_colour_luminance (const VizColour *colour)
{
  return 0.2126 * linear (colour->red) + 0.7152 * linear (colour->green) +
         0.0722 * linear (colour->blue);
}

VizColour
viz_theme_text_on (const VizTheme *theme, const VizColour *fill)
{
  static const VizColour black = { 0.07, 0.08, 0.1, 1 }, white = { 1, 1, 1, 1 };

  /* Black and white have equal contrast at the luminance L with (L + 0.05)² = 1.05 × 0.05. */
  return viz_colour_luminance (fill) > 0.179 ? black : white;
}
