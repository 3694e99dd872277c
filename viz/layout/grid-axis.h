/* grid-axis.h — the columns, or the rows, of a grid, and the tracks in the gaps between them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Between two lines in one gap. */
#define VIZ_LANE 7

/* A run along one gap, between rows (across columns) or between columns (across rows).  Places
 * count half steps: 2c is the gap before column c, 2c + 1 the column itself. */
typedef struct
{
  guint32 gap, key;
  guint32 low, high;
  guint32 lane;
} VizTrack;

typedef struct
{
  GArray     *tracks;  /* Track */
  GHashTable *known;   /* gap and key to track + 1 */
  guint32    *n_lanes; /* per gap */
  double     *kept;    /* (nullable) room of each gap, as it was before */
  double     *pitch;   /* per gap: between two of its lanes */
  double     *start;   /* per gap: coordinate of its first lane */
  double     *place;   /* of the columns or rows themselves */
  double     *size;
  guint32     n; /* columns or rows; gaps are one more */
} VizAxis;

void viz_axis_init (VizAxis *axis, guint32 n);
void viz_axis_clear (VizAxis *axis);

/* Wants a track in a gap, from place a to place b; tracks with one key are one. */
void viz_axis_ask (VizAxis *axis, guint32 gap, guint32 key, guint32 a, guint32 b);
/* Gives every track its lane; then gaps can be placed. */
void viz_axis_assign (VizAxis *axis);
/* spare: what lanes may take of a gap before it grows. */
void viz_axis_place (VizAxis *axis, double at, double gap, double spare, gboolean outer_gaps);

double viz_axis_lane (const VizAxis *axis, guint32 gap, guint32 key);

G_END_DECLS
