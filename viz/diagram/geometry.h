/* geometry.h — points, rectangles, and cubic Bézier curves.
 *
 * Coordinates are points (1/72 inch) with y downwards.  A curve is four points: start, two control
 * points, end.  A path is 3k + 1 points: k curves end to end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <math.h>

typedef struct
{
  double x, y;
} VizPoint;

typedef struct
{
  double x, y, width, height;
} VizRect;

/* The point of a curve at parameter t, 0 (start) to 1 (end). */
static inline VizPoint
viz_curve_point (const VizPoint curve[4], double t)
{
  double s = 1 - t;
  double a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;

  return (VizPoint){ a * curve[0].x + b * curve[1].x + c * curve[2].x + d * curve[3].x,
                     a * curve[0].y + b * curve[1].y + c * curve[2].y + d * curve[3].y };
}

/* Whether a curve is a straight line: both control points lie on the line through its ends. */
static inline gboolean
viz_curve_is_straight (const VizPoint curve[4])
{
  double dx = curve[3].x - curve[0].x, dy = curve[3].y - curve[0].y;

  return fabs ((curve[1].x - curve[0].x) * dy - (curve[1].y - curve[0].y) * dx) < 1e-6 &&
         fabs ((curve[2].x - curve[0].x) * dy - (curve[2].y - curve[0].y) * dx) < 1e-6;
}
