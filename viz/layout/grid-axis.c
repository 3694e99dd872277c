/* grid-axis.c — assigns tracks to lanes, and lanes to coordinates.
 *
 * Tracks of one gap share a lane if they do not overlap (greedy interval colouring).
 * Start reading at viz_axis_assign() and viz_axis_place().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/grid-axis.h"

void
viz_axis_init (VizAxis *axis, guint32 n)
{
  axis->n = n;
  axis->tracks = g_array_new (FALSE, FALSE, sizeof (VizTrack));
  axis->known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  axis->n_lanes = g_new0 (guint32, n + 2);
  axis->pitch = g_new0 (double, n + 2);
  axis->start = g_new0 (double, n + 2);
  axis->place = g_new0 (double, n + 2);
  axis->size = g_new0 (double, n + 2);
}

void
viz_axis_clear (VizAxis *axis)
{
  g_array_unref (axis->tracks);
  g_hash_table_unref (axis->known);
  g_free (axis->n_lanes);
  g_free (axis->fixed_room);
  g_free (axis->pitch);
  g_free (axis->start);
  g_free (axis->place);
  g_free (axis->size);
}

static guint32
find_track (const VizAxis *axis, guint32 gap, guint32 key)
{
  gint64 both = ((gint64) gap << 32) | key;

  return GPOINTER_TO_UINT (g_hash_table_lookup (axis->known, &both));
}

void
viz_axis_request (VizAxis *axis, guint32 gap, guint32 key, guint32 a, guint32 b)
{
  guint32   found = find_track (axis, gap, key);
  VizTrack  track = { gap, key, MIN (a, b), MAX (a, b), 0 };
  VizTrack *known;
  gint64    both = ((gint64) gap << 32) | key;

  if (found == 0)
    {
      g_array_append_val (axis->tracks, track);
      g_hash_table_insert (axis->known, g_memdup2 (&both, sizeof both),
                           GUINT_TO_POINTER (axis->tracks->len));
      return;
    }
  known = &g_array_index (axis->tracks, VizTrack, found - 1);
  known->low = MIN (known->low, track.low);
  known->high = MAX (known->high, track.high);
}

static int
compare_tracks (gconstpointer a, gconstpointer b, gpointer data)
{
  const VizTrack *tracks = data;
  guint32         i = *(const guint32 *) a, k = *(const guint32 *) b;

  if (tracks[i].gap != tracks[k].gap)
    return tracks[i].gap < tracks[k].gap ? -1 : 1;
  if (tracks[i].low != tracks[k].low)
    return tracks[i].low < tracks[k].low ? -1 : 1;
  return i < k ? -1 : 1;
}

/* Takes the tracks of a gap by their start; each gets the first lane whose last track has ended. */
void
viz_axis_assign (VizAxis *axis)
{
  guint32  n = axis->tracks->len;
  guint32 *order = g_new (guint32, n + 1);
  GArray  *ends = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 i = 0; i < n; i++)
    order[i] = i;
  if (n > 1)
    g_qsort_with_data (order, (int) n, sizeof *order, compare_tracks, axis->tracks->data);
  for (guint32 i = 0; i < n; i++)
    {
      VizTrack *track = &g_array_index (axis->tracks, VizTrack, order[i]);
      guint32   lane = 0;

      if (i > 0 && g_array_index (axis->tracks, VizTrack, order[i - 1]).gap != track->gap)
        g_array_set_size (ends, 0);
      while (lane < ends->len && g_array_index (ends, guint32, lane) >= track->low)
        lane++;
      if (lane == ends->len)
        g_array_append_val (ends, track->high);
      g_array_index (ends, guint32, lane) = track->high;
      track->lane = lane;
      axis->n_lanes[track->gap] = MAX (axis->n_lanes[track->gap], lane + 1);
    }
  g_array_unref (ends);
  g_free (order);
}

double
viz_axis_lane (const VizAxis *axis, guint32 gap, guint32 key)
{
  guint32 found = find_track (axis, gap, key);

  return axis->start[gap] +
         axis->pitch[gap] *
             (found > 0 ? g_array_index (axis->tracks, VizTrack, found - 1).lane : 0);
}

/* The extent of the lanes in a gap of fixed size: they move together if there are too many. */
static double
fit_lanes (const VizAxis *axis, guint32 gap, double lanes)
{
  double room = axis->fixed_room[gap];

  return MIN (lanes, MAX (room - 2 * MIN (VIZ_LANE, room / 4), 0));
}

void
viz_axis_place (VizAxis *axis, double at, double gap, double spare, gboolean outer_gaps)
{
  for (guint32 i = 0; i <= axis->n; i++)
    {
      gboolean is_inner = i > 0 && i < axis->n;
      double   n_pitches = axis->n_lanes[i] > 0 ? axis->n_lanes[i] - 1 : 0;
      double   lanes = n_pitches * VIZ_LANE;
      double   room =
          is_inner || outer_gaps || axis->n_lanes[i] > 0 ? gap + MAX (lanes - spare, 0) : 0;

      if (axis->fixed_room)
        {
          room = axis->fixed_room[i];
          lanes = fit_lanes (axis, i, lanes);
        }
      axis->pitch[i] = n_pitches > 0 ? lanes / n_pitches : 0;
      axis->start[i] = at + (room - lanes) / 2;
      at += room;
      axis->place[i] = at;
      if (i < axis->n)
        at += axis->size[i];
    }
}
