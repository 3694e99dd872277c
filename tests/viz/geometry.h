/* geometry.h — measures the quality of a picture: overlaps, crossings, clipped texts.
 *
 * Tests require 0 for everything that makes a picture wrong, and compare the rest.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/scene/picture.h"

typedef struct
{
  guint  n_overlaps;  /* pairs of items that overlap without one containing the other */
  guint  n_outside;   /* items, plugs and wires that leave the picture or their group */
  guint  n_clipped;   /* lines of text wider than their box */
  guint  n_through;   /* wires that run through a box that is neither end */
  guint  n_crossings; /* places where wires without a common end cross */
  guint  n_labels;    /* texts on wires */
  guint  n_covered;   /* of them, those on a box, a port or another text */
  guint  n_struck;    /* titles of open groups that a wire or a port crosses */
  double length;      /* of all wires */
} Geometry;

/* Measures a picture; takes quadratic time. */
Geometry geometry_of (const VizPicture *picture);
/* The number of titles of open groups that a wire or a port crosses when the picture is drawn at a scale. */
guint geometry_struck_titles (const VizPicture *picture, double scale);
