/* fold-repeats.c — groups repeated blocks where names do not.
 *
 * The boxes of a group are taken in the order of the file.  A run with period p repeats if each box
 * has the operator of the box p places later, and each of their inputs is either the same box or
 * equally far back.  The order of the file follows the flow, so that a block of consecutive boxes
 * cannot feed itself through others and can be drawn as one box.  Where the blocks begin is chosen by
 * names ("conv3_1" to "pool3") and by how few values pass from block to block.
 * Start reading at viz_fold_repeats().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-private.h"

#include "viz/diagram/short-names.h"

#include <string.h>

#define SMALL_GROUP 24 /* groups of up to this many boxes are left as they are */
#define MIN_PERIOD  3
#define MAX_PERIOD  128
#define MIN_REPEATS 4
#define MIN_ALIGNED 3  /* blocks that remain when their borders are moved to borders of names */
#define MAX_RUNS    64 /* per group: each search compares all boxes once for every period */

typedef struct
{
  VizDiagramBuilder *builder;
  guint32           *first_in, *tails; /* tails of the arrows into box i, from first_in[i] on */
  guint32           *place;            /* per box: its index in the sequence of its group + 1 */
  guint32           *stamp;            /* per box: the last count_entering() that counted it */
  guint32            n_stamps;
  GArray            *sequence; /* guint32: the boxes of the group that is being folded */
  VizRegions        *regions;  /* (nullable) made for the first sequence */
  gsize              n_common; /* bytes that all names of the run begin with */
  guint32           *hashes;   /* along the sequence: equal for equal operators */
} Repeats;

/* n_blocks blocks of period boxes each, from index start in the sequence. */
typedef struct
{
  guint32 start, period, n_blocks;
  guint32 n_boxes; /* from start on: may be more than the blocks need */
} Run;

static void
index_tails (Repeats *repeats, guint32 n)
{
  guint32 n_arrows = viz_diagram_builder_n_arrows (repeats->builder);

  repeats->first_in = g_new0 (guint32, n + 2);
  repeats->tails = g_new (guint32, n_arrows + 1);
  for (guint32 i = 0; i < n_arrows; i++)
    repeats->first_in[viz_diagram_builder_arrow (repeats->builder, i)->head + 2]++;
  for (guint32 i = 0; i < n; i++)
    repeats->first_in[i + 2] += repeats->first_in[i + 1];
  for (guint32 i = 0; i < n_arrows; i++)
    {
      const VizArrow *arrow = viz_diagram_builder_arrow (repeats->builder, i);

      repeats->tails[repeats->first_in[arrow->head + 1]++] = arrow->tail;
    }
}

static guint32
hash_of (const Repeats *repeats, guint32 box)
{
  const VizBox *shown = viz_diagram_builder_box (repeats->builder, box);
  guint32       n_in = repeats->first_in[box + 1] - repeats->first_in[box];

  return (g_str_hash (shown->title ? shown->title : "") * 31u + shown->kind) * 40503u + n_in;
}

/* The index of an input in the sequence + 1, or 0 if it is not in the sequence. */
static guint32
place_of (const Repeats *repeats, guint32 tail)
{
  guint32 place = repeats->place[tail];

  return place > 0 && place <= repeats->sequence->len &&
                 g_array_index (repeats->sequence, guint32, place - 1) == tail
             ? place
             : 0;
}

/* Whether the box at index i has the operator of the box at index k > i, and its inputs lie equally
 * far back. */
static gboolean
are_alike (const Repeats *repeats, guint32 i, guint32 k)
{
  guint32 a = g_array_index (repeats->sequence, guint32, i);
  guint32 b = g_array_index (repeats->sequence, guint32, k);
  guint32 n_in = repeats->first_in[a + 1] - repeats->first_in[a];

  if (repeats->hashes[i] != repeats->hashes[k])
    return FALSE;
  for (guint32 n = 0; n < n_in; n++)
    {
      guint32 from_a = repeats->tails[repeats->first_in[a] + n];
      guint32 from_b = repeats->tails[repeats->first_in[b] + n];
      guint32 place_a = place_of (repeats, from_a), place_b = place_of (repeats, from_b);

      if (from_a != from_b && (place_a == 0) != (place_b == 0))
        return FALSE;
      if (from_a != from_b && place_a > 0 && place_b - place_a != k - i)
        return FALSE;
    }
  return TRUE;
}

/* The run between from and end that covers most boxes; of several, the one with the shortest period.
 * n_blocks 0: there is none. */
static Run
find_run (const Repeats *repeats, guint32 from, guint32 end)
{
  Run     best = { 0, 0, 0, 0 };
  guint32 max_period = (end - from) / MIN_REPEATS;

  for (guint32 period = MIN_PERIOD; period <= MIN (MAX_PERIOD, max_period); period++)
    for (guint32 i = from, length = 0; i + period <= end; i++)
      {
        if (i + period < end && are_alike (repeats, i, i + period))
          {
            length++;
            continue;
          }
        if (length / period + 1 >= MIN_REPEATS &&
            (length / period + 1) * period > best.n_blocks * best.period)
          best = (Run){ i - length, period, length / period + 1, length + period };
        length = 0;
      }
  return best;
}

/* --- Where blocks begin --- */

#define MAX_COMPARED 8 /* blocks of which names are compared */
#define TELLING \
  0.8 /* share of boxes whose names agree, from which on names show where blocks begin */
#define AS_GOOD 0.05

static const char *
name_of (const Repeats *repeats, guint32 index)
{
  guint32     box = g_array_index (repeats->sequence, guint32, index);
  const char *name = viz_diagram_builder_box (repeats->builder, box)->subtitle;

  return name ? name : "";
}

/* The length of the common beginning of all names of a run, up to the end of a word:
 * "mobilenet0_". */
static gsize
common_length (const Repeats *repeats, const Run *run)
{
  const char *first = name_of (repeats, run->start);
  gsize       length = strlen (first);

  for (guint32 i = 1; i < run->n_boxes && length > 0; i++)
    {
      const char *name = name_of (repeats, run->start + i);
      gsize       k = 0;

      while (k < length && name[k] == first[k])
        k++;
      length = k;
    }
  while (length > 0 && g_ascii_isalnum (first[length - 1]))
    length--;
  return length;
}

/* The first number in the name of a box behind the common part of all names, or -1. */
static gint64
number_of (const Repeats *repeats, guint32 index)
{
  for (const char *name = name_of (repeats, index) + repeats->n_common; *name != '\0'; name++)
    if (g_ascii_isdigit (*name))
      return g_ascii_strtoll (name, NULL, 10);
  return -1;
}

/* The share of boxes that have the number that most boxes of their block have. */
static double
count_agreeing (const Repeats *repeats, guint32 start, guint32 period, guint32 n_blocks)
{
  guint32 n_compared = MIN (n_blocks, MAX_COMPARED), n_agreeing = 0;

  for (guint32 b = 0; b < n_compared; b++)
    {
      guint32 first = start + b * period, n_votes = 0;
      gint64  winner = -1;

      /* The number of more than half of the boxes, if there is one, is the winner of these votes. */
      for (guint32 i = first; i < first + period; i++)
        if (n_votes == 0)
          {
            winner = number_of (repeats, i);
            n_votes = 1;
          }
        else if (number_of (repeats, i) == winner)
          n_votes++;
        else
          n_votes--;
      for (guint32 i = first; winner >= 0 && i < first + period; i++)
        n_agreeing += number_of (repeats, i) == winner;
    }
  return (double) n_agreeing / (n_compared * period);
}

/* The number of boxes before index `start` of a run that the block beginning there reads. */
static guint32
count_entering (Repeats *repeats, const Run *run, guint32 start)
{
  guint32 n = 0;

  repeats->n_stamps++;
  for (guint32 i = start; i < start + run->period; i++)
    {
      guint32 box = g_array_index (repeats->sequence, guint32, i);

      for (guint32 k = repeats->first_in[box]; k < repeats->first_in[box + 1]; k++)
        {
          guint32 tail = repeats->tails[k], place = place_of (repeats, tail);

          if (place == 0 || place - 1 < run->start || place - 1 >= start ||
              repeats->stamp[tail] == repeats->n_stamps)
            continue;
          repeats->stamp[tail] = repeats->n_stamps;
          n++;
        }
    }
  return n;
}

/* Adds boxes before a run that have the operators of those a period later: the first block may read other boxes than
 * the following ones do. */
static Run
extend_run (const Repeats *repeats, const Run *run, guint32 from)
{
  Run     longer = *run;
  guint32 n = 0;

  while (n < run->period && longer.start > from &&
         repeats->hashes[longer.start - 1] == repeats->hashes[longer.start - 1 + run->period])
    {
      longer.start--;
      n++;
    }
  longer.n_boxes += n;
  longer.n_blocks = longer.n_boxes / run->period;
  return longer;
}

/* Moves the borders of the blocks to where names change, or else to where fewest values pass. */
static Run
align_run (Repeats *repeats, const Run *run)
{
  g_autofree double *agreeing = g_new0 (double, run->period);
  double             most = 0;
  Run                best = *run;
  guint32            fewest = G_MAXUINT32;

  repeats->n_common = common_length (repeats, run);
  for (guint32 shift = 0; shift < run->period; shift++)
    {
      agreeing[shift] = count_agreeing (repeats, run->start + shift, run->period,
                                        (run->n_boxes - shift) / run->period);
      most = MAX (most, agreeing[shift]);
    }
  for (guint32 shift = 0; shift < run->period; shift++)
    {
      guint32 n_blocks = (run->n_boxes - shift) / run->period, n_entering;

      if ((most >= TELLING && agreeing[shift] < most - AS_GOOD) || n_blocks < MIN_ALIGNED ||
          (most < TELLING && n_blocks < run->n_blocks))
        continue;
      n_entering = count_entering (repeats, run, run->start + shift + run->period);
      if (fewest != G_MAXUINT32 &&
          (n_blocks < best.n_blocks || (n_blocks == best.n_blocks && n_entering >= fewest)))
        continue;
      fewest = n_entering;
      best.start = run->start + shift;
      best.n_blocks = n_blocks;
    }
  return best;
}

static guint32
add_group (Repeats *repeats, const char *id, const char *title, guint32 parent)
{
  return viz_diagram_builder_add_box (repeats->builder, &(VizBoxInfo){ .id = id,
                                                                       .title = title,
                                                                       .kind = VIZ_BOX_SCOPE,
                                                                       .parent = parent,
                                                                       .user = VIZ_NO_USER });
}

/* "27 × conv … Pooling": how many blocks, and the first and last operator of one, but for activations and norms at its
 * end.  (transfer full) */
static char *
run_title (const Repeats *repeats, const Run *run)
{
  guint32          last = run->period - 1;
  g_autofree char *begin = NULL, *end = NULL;
  const VizBox    *box;

  while (last > 0)
    {
      box = viz_diagram_builder_box (repeats->builder,
                                     g_array_index (repeats->sequence, guint32, run->start + last));
      if (box->category != VIZ_CATEGORY_ELEMENTWISE && box->category != VIZ_CATEGORY_NORMALISATION)
        break;
      last--;
    }
  box = viz_diagram_builder_box (repeats->builder,
                                 g_array_index (repeats->sequence, guint32, run->start));
  begin = viz_short_operator (box->title ? box->title : "");
  if (last == 0)
    return g_strdup_printf ("%u × %s", run->n_blocks, begin);
  box = viz_diagram_builder_box (repeats->builder,
                                 g_array_index (repeats->sequence, guint32, run->start + last));
  end = viz_short_operator (box->title ? box->title : "");
  return g_strdup_printf ("%u × %s … %s", run->n_blocks, begin, end);
}

/* Adds one group around the run, and in it one around each block. */
static void
add_blocks (Repeats *repeats, const Run *run, guint32 group, guint number)
{
  g_autofree char *id =
      g_strdup_printf ("repeats:%s:%u", viz_diagram_builder_box (repeats->builder, group)->id,
                       number);
  g_autofree char *title = run_title (repeats, run);
  guint32          around = add_group (repeats, id, title, group);

  for (guint32 b = 0; b < run->n_blocks; b++)
    {
      g_autofree char *block_id = g_strdup_printf ("%s:%u", id, b);
      g_autofree char *block_title = g_strdup_printf ("block %u", b);
      guint32          block = add_group (repeats, block_id, block_title, around);

      for (guint32 i = 0; i < run->period; i++)
        viz_diagram_builder_set_parent (repeats->builder,
                                        g_array_index (repeats->sequence, guint32,
                                                       run->start + b * run->period + i),
                                        block);
    }
}

/* --- Shared inputs of all blocks --- */

#define MIN_READERS   3
#define MAX_ANCESTORS 4

/* Marks boxes that many boxes of the sequence read, with their ancestors, if these are few and read nothing else in
 * the sequence: the mask of a transformer, which stands in the file where the first layer reads it. */
static void
mark_shared (const Repeats *repeats, guint32 box, guint8 *is_shared)
{
  guint32 found[MAX_ANCESTORS + 1] = { box };
  guint   n = 1;

  for (guint at = 0; at < n; at++)
    for (guint32 k = repeats->first_in[found[at]]; k < repeats->first_in[found[at] + 1]; k++)
      {
        guint32 tail = repeats->tails[k];
        guint   i = 0;

        if (place_of (repeats, tail) == 0)
          continue;
        while (i < n && found[i] != tail)
          i++;
        if (i < n)
          continue;
        if (n == G_N_ELEMENTS (found))
          return;
        found[n++] = tail;
      }
  for (guint i = 0; i < n; i++)
    is_shared[place_of (repeats, found[i]) - 1] = TRUE;
}

/* Sets the place of all boxes of the sequence. */
static void
set_places (Repeats *repeats)
{
  for (guint32 i = 0; i < repeats->sequence->len; i++)
    repeats->place[g_array_index (repeats->sequence, guint32, i)] = i + 1;
}

/* Moves boxes that many blocks read to the beginning of the sequence. */
static void
move_shared (Repeats *repeats)
{
  guint32             n = repeats->sequence->len, n_moved = 0;
  g_autofree guint32 *n_readers = g_new0 (guint32, n), *sorted = g_new (guint32, n);
  g_autofree guint8  *is_shared = g_new0 (guint8, n);

  for (guint32 i = 0; i < n; i++)
    {
      guint32 box = g_array_index (repeats->sequence, guint32, i);

      for (guint32 k = repeats->first_in[box]; k < repeats->first_in[box + 1]; k++)
        if (place_of (repeats, repeats->tails[k]) > 0)
          n_readers[place_of (repeats, repeats->tails[k]) - 1]++;
    }
  for (guint32 i = 0; i < n; i++)
    if (n_readers[i] >= MIN_READERS)
      mark_shared (repeats, g_array_index (repeats->sequence, guint32, i), is_shared);
  for (guint turn = 0; turn < 2; turn++)
    for (guint32 i = 0; i < n; i++)
      if (is_shared[i] == (turn == 0))
        sorted[n_moved++] = g_array_index (repeats->sequence, guint32, i);
  memcpy (repeats->sequence->data, sorted, n * sizeof *sorted);
  set_places (repeats);
}

/* Adds the best run of a part of the sequence to runs, then those of the parts before and after it, which may
 * repeat with other periods. */
static void
find_runs (Repeats *repeats, guint32 from, guint32 end, GArray *runs)
{
  Run run = find_run (repeats, from, end);

  if (run.n_blocks == 0 || runs->len == MAX_RUNS)
    return;
  run = extend_run (repeats, &run, from);
  run = align_run (repeats, &run);
  g_array_append_val (runs, run);
  find_runs (repeats, from, run.start, runs);
  find_runs (repeats, run.start + run.n_blocks * run.period, end, runs);
}

/* The rest of the sequence after boxes were grouped.  (transfer full) */
static GArray *
find_rest (const Repeats *repeats, guint32 group)
{
  GArray *rest = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; i < repeats->sequence->len; i++)
    {
      guint32 box = g_array_index (repeats->sequence, guint32, i);

      if (viz_diagram_builder_box (repeats->builder, box)->parent == group)
        g_array_append_val (rest, box);
    }
  return rest;
}

static void
fold_sequence (Repeats *repeats, guint32 group)
{
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (Run));
  g_autoptr (GArray) rest = NULL;
  guint32 n = repeats->sequence->len, n_covered = 0;

  set_places (repeats);
  move_shared (repeats);
  repeats->hashes = g_new (guint32, n);
  for (guint32 i = 0; i < n; i++)
    repeats->hashes[i] = hash_of (repeats, g_array_index (repeats->sequence, guint32, i));
  if (!repeats->regions)
    repeats->regions = viz_regions_new (repeats->builder);
  find_runs (repeats, 0, n, runs);
  for (guint i = 0; i < runs->len; i++)
    n_covered += g_array_index (runs, Run, i).n_blocks * g_array_index (runs, Run, i).period;
  if (!viz_regions_fold (repeats->regions, repeats->sequence, n_covered))
    {
      for (guint i = 0; i < runs->len; i++)
        add_blocks (repeats, &g_array_index (runs, Run, i), group, i);
      rest = find_rest (repeats, group);
      if (runs->len > 0 && rest->len > SMALL_GROUP)
        viz_regions_fold (repeats->regions, rest, 0);
    }
  g_free (repeats->hashes);
}

gboolean
viz_fold_repeats (VizDiagramBuilder *builder, guint32 n_given)
{
  guint32  n_before = viz_diagram_builder_n_boxes (builder);
  Repeats  repeats = { .builder = builder };
  GArray **members = g_new0 (GArray *, n_given);

  index_tails (&repeats, viz_diagram_builder_n_boxes (builder));
  repeats.place = g_new0 (guint32, viz_diagram_builder_n_boxes (builder));
  repeats.stamp = g_new0 (guint32, viz_diagram_builder_n_boxes (builder));
  for (guint32 i = 1; i < n_given; i++)
    {
      const VizBox *box = viz_diagram_builder_box (builder, i);

      if (box->flags & (VIZ_BOX_FOLDED | VIZ_BOX_INSIDE) || box->kind == VIZ_BOX_INPUT ||
          box->kind == VIZ_BOX_OUTPUT || box->step >= 0 || box->parent >= n_given)
        continue;
      if (!members[box->parent])
        members[box->parent] = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_array_append_val (members[box->parent], i);
    }
  for (guint32 i = 0; i < n_given; i++)
    if (members[i])
      {
        repeats.sequence = members[i];
        if (members[i]->len > SMALL_GROUP)
          fold_sequence (&repeats, i);
        g_array_unref (members[i]);
      }
  g_clear_pointer (&repeats.regions, viz_regions_free);
  g_free (members);
  g_free (repeats.place);
  g_free (repeats.stamp);
  g_free (repeats.tails);
  g_free (repeats.first_in);
  return viz_diagram_builder_n_boxes (builder) > n_before;
}
