/* grid-axis.h — the columns (or rows) of a grid, and the tracks in the gaps between them.
 *
 * A track is a straight run of an edge along a gap; tracks of one gap that overlap get different
 * lanes, which are lines beside each other.  Call order: init, request every track, assign lanes,
 * set sizes, place, read lanes, clear.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Distance of two lanes in one gap, in points */
#define VIZ_LANE 7

/* A run along one gap.  Positions along the gap count half steps of the other axis: 2c is the gap
 * before column c, 2c + 1 the column itself. */
typedef struct
{
  guint32 gap, key;
  guint32 low, high; /* positions */
  guint32 lane;
} VizTrack;

typedef struct
{
  GArray     *tracks;     /* VizTrack */
  GHashTable *known;      /* gap and key to index of the track + 1 */
  guint32    *n_lanes;    /* per gap */
  double     *fixed_room; /* (nullable) per gap: the size it had in the previous picture */
  double     *pitch;      /* per gap: distance of two lanes */
  double     *start;      /* per gap: coordinate of its first lane */
  double     *place;      /* per column or row: coordinate of its start; [n]: the end */
  double     *size;       /* per column or row: set by the caller before viz_axis_place() */
  guint32     n;          /* columns or rows; there are n + 1 gaps */
} VizAxis;

/* Initialises an axis of n columns or rows without tracks. */
void viz_axis_init (VizAxis *axis, guint32 n);
/* Frees the arrays of an axis. */
void viz_axis_clear (VizAxis *axis);

/* Requests a track in a gap, from position a to position b.  Requests with the same gap and key share
 * one track. */
void viz_axis_request (VizAxis *axis, guint32 gap, guint32 key, guint32 a, guint32 b);
/* Assigns a lane to every requested track. */
void viz_axis_assign (VizAxis *axis);
/* Computes the coordinates of columns and gaps, starting at the coordinate at.  gap: size of a gap
 * without lanes; spare: the part of it that lanes may use before the gap grows; outer_gaps: the first
 * and the last gap have this size too, even without lanes. */
void viz_axis_place (VizAxis *axis, double at, double gap, double spare, gboolean outer_gaps);

/* The coordinate of the lane of a track. */
double viz_axis_lane (const VizAxis *axis, guint32 gap, guint32 key);
