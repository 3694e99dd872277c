/* fold-steps.c — finds chains of repeated cells by name.
 *
 * In "lstm_l0_t0_i2h", "lstm_l0_t1_i2h" … the parts t0, t1, … differ only in a number.  If most of
 * them feed their successors, all in one direction, they are the steps of one chain.  Chains of
 * equal length that feed each other step by step are layers of one grid (a band).
 * fold-grids.c makes groups of them.  Start reading at viz_names_find_chains().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-private.h"

#include <stdlib.h>
#include <string.h>

/* "t" means time in MXNet.  Chains with another stem need more cells to be worth a grid. */
#define MIN_STEPS  2
#define MIN_OTHERS 8

/* A part whose token ends in a number. */
typedef struct
{
  guint32     part, parent;
  const char *stem; /* the token without the number; stem_length bytes, not terminated */
  gsize       stem_length;
  gint64      number;
} Numbered;

static gboolean
read_number (const VizNames *names, guint32 part, Numbered *numbered)
{
  const char *token = viz_names_part (names, part)->token;
  gsize       length = strlen (token), digits = length;

  while (digits > 0 && g_ascii_isdigit (token[digits - 1]))
    digits--;
  if (digits == length || length - digits > 7)
    return FALSE;
  *numbered = (Numbered){ part, viz_names_part (names, part)->parent, token, digits,
                          g_ascii_strtoll (token + digits, NULL, 10) };
  return TRUE;
}

static int
compare_stems (const Numbered *left, const Numbered *right)
{
  int order;

  if (left->parent != right->parent)
    return left->parent < right->parent ? -1 : 1;
  order = memcmp (left->stem, right->stem, MIN (left->stem_length, right->stem_length));
  if (order != 0)
    return order;
  return left->stem_length < right->stem_length ? -1 : left->stem_length > right->stem_length;
}

static int
compare_numbered (gconstpointer a, gconstpointer b)
{
  const Numbered *left = a, *right = b;
  int             order = compare_stems (left, right);

  if (order != 0)
    return order;
  if (left->number != right->number)
    return left->number < right->number ? -1 : 1;
  return left->part < right->part ? -1 : 1;
}

/* Whether a part lies inside a cell of another chain.  Such a chain is dropped: the outer one wins. */
static gboolean
is_in_cell (const VizNames *names, guint32 part)
{
  for (; part != 0; part = viz_names_part (names, part)->parent)
    if (viz_names_part (names, part)->cell != VIZ_NO_CELL)
      return TRUE;
  return FALSE;
}

/* Adds a chain of the n parts from first on, if their numbers are consecutive and each has boxes. */
static void
add_candidate (VizNames *names, const Numbered *first, guint n)
{
  gboolean is_time = first->stem_length == 1 && (*first->stem == 't' || *first->stem == 'T');
  guint32  n_least = is_time && n >= MIN_OTHERS ? 1 : 2; /* boxes of a cell */
  VizChain chain = {
    .part = first->parent, .n_steps = n, .first = (gint32) first->number, .is_time = is_time
  };

  if (n < (is_time ? MIN_STEPS : MIN_OTHERS))
    return;
  for (guint i = 0; i < n; i++)
    if (first[i].number != first->number + i ||
        viz_names_part (names, first[i].part)->n_leaves < n_least)
      return;
  chain.cells = g_new (guint32, n);
  for (guint i = 0; i < n; i++)
    chain.cells[i] = first[i].part;
  chain.stem = g_strndup (first->stem, first->stem_length);
  chain.band = names->chains->len;
  g_array_append_val (names->chains, chain);
}

void
viz_names_place_boxes (const VizNames *names, const guint32 *absorbed, VizChainStep *places)
{
  g_autofree VizChainStep *of_part = g_new0 (VizChainStep, names->parts->len);

  for (guint32 c = 0; c < names->chains->len; c++)
    {
      const VizChain *chain = &g_array_index (names->chains, VizChain, c);

      for (guint32 s = 0; s < chain->n_steps; s++)
        of_part[chain->cells[s]] = (VizChainStep){ c + 1, s };
    }
  /* Parents come before children, so that the outermost cell reaches all parts below it. */
  for (guint32 p = 1; p < names->parts->len; p++)
    if (of_part[viz_names_part (names, p)->parent].chain != 0)
      of_part[p] = of_part[viz_names_part (names, p)->parent];
  for (guint m = 0; m < names->members->len; m++)
    {
      guint32 box = g_array_index (names->members, guint32, m);

      places[box] = of_part[absorbed && absorbed[box] != 0 ? absorbed[box] : names->part_of[box]];
    }
}

/* How many steps of a chain feed the next step, the previous step, or another step; and how many read from
 * the same box outside of it, the one that feeds most. */
typedef struct
{
  guint32 forward, backward, other;
  guint32 n_common;
} Links;

/* Steps of one chain that a box feeds, counted while arrows come in the order of the steps. */
typedef struct
{
  gint64  key; /* box and chain */
  guint32 n, last;
} Feed;

static void
count_common (GHashTable *feeds, guint32 tail, const VizChainStep *head, Links *links)
{
  gint64 key = ((gint64) tail << 32) + head->chain;
  Feed  *feed = g_hash_table_lookup (feeds, &key);

  if (!feed)
    {
      feed = g_new0 (Feed, 1);
      feed->key = key;
      g_hash_table_insert (feeds, &feed->key, feed);
    }
  if (feed->n == 0 || feed->last != head->step)
    feed->n++;
  feed->last = head->step;
  links->n_common = MAX (links->n_common, feed->n);
}

/* Counts the links of every chain; each step counts once per direction.  (transfer full) */
static Links *
count_links (const VizNames *names, const VizChainStep *places)
{
  Links *links = g_new0 (Links, names->chains->len);
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint32 i = 0; i < viz_diagram_builder_n_arrows (names->builder); i++)
    {
      const VizArrow     *arrow = viz_diagram_builder_arrow (names->builder, i);
      const VizChainStep *tail, *head;
      gint64              key;

      tail = &places[arrow->tail];
      head = &places[arrow->head];
      if (tail->chain == 0 && head->chain != 0 &&
          (viz_diagram_builder_box (names->builder, arrow->tail)->flags & VIZ_BOX_FOLDED) == 0)
        count_common (feeds, arrow->tail, head, &links[head->chain - 1]);
      if (tail->chain == 0 || tail->chain != head->chain || tail->step == head->step)
        continue;
      key = ((gint64) tail->chain << 33) + ((gint64) tail->step << 1) + (head->step > tail->step);
      if (!g_hash_table_add (seen, g_memdup2 (&key, sizeof key)))
        continue;
      if (head->step == tail->step + 1)
        links[tail->chain - 1].forward++;
      else if (head->step + 1 == tail->step)
        links[tail->chain - 1].backward++;
      else
        links[tail->chain - 1].other++;
    }
  return links;
}

/* Whether at least 80 % of the steps feed their neighbours, and all in one direction; or whether these are
 * many time steps without a state, which read from one sequence and feed no other step. */
static gboolean
is_chain (const VizChain *chain, const Links *links)
{
  guint32 n_with = MAX (links->forward, links->backward);
  guint32 n_against = MIN (links->forward, links->backward);

  if (chain->is_time && chain->n_steps >= MIN_OTHERS && n_with + links->other == 0)
    return links->n_common * 10 >= chain->n_steps * 8;
  return n_with * 10 >= (chain->n_steps - 1) * 8 && n_against == 0;
}

/* Keeps the candidates behind the hinted chains that are chains, and marks the parts of their cells. */
static void
drop_unlinked (VizNames *names, const Links *links, guint32 n_hinted)
{
  guint32 n_kept = n_hinted;

  for (guint32 c = n_hinted; c < names->chains->len; c++)
    {
      VizChain *chain = &g_array_index (names->chains, VizChain, c);
      VizChain  swap = *chain;

      if (is_chain (chain, &links[c]) && !is_in_cell (names, chain->part))
        {
          for (guint32 s = 0; s < chain->n_steps; s++)
            viz_names_part (names, chain->cells[s])->cell = 0;
          *chain = g_array_index (names->chains, VizChain, n_kept);
          g_array_index (names->chains, VizChain, n_kept++) = swap;
        }
    }
  g_array_set_size (names->chains, n_kept);
}

/* Whether two chains are directions or layers of one stack. */
static gboolean
is_lane (const VizChain *a, const VizChain *b)
{
  return a->is_hinted && b->is_hinted && a->stack == b->stack;
}

/* Moves a chain down to the first row that no earlier chain of its band has: the two directions of a layer
 * are two rows. */
static void
find_free_row (VizNames *names, guint32 index)
{
  VizChain *chain = &g_array_index (names->chains, VizChain, index);

  for (guint32 b = 0; b < index; b++)
    {
      const VizChain *other = &g_array_index (names->chains, VizChain, b);

      if (other->band == chain->band && other->layer == chain->layer)
        {
          chain->layer++;
          b = G_MAXUINT32; /* starts again with the first chain */
        }
    }
}

/* Finds the layers: chain b is the layer after chain a if at least 80 % of the steps of a feed the
 * same step of b. */
static void
find_bands (VizNames *names, const VizChainStep *places)
{
  guint32             n = names->chains->len;
  g_autofree guint32 *feeds = g_new0 (guint32, (gsize) n * n + 1);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint32 i = 0; i < viz_diagram_builder_n_arrows (names->builder); i++)
    {
      const VizArrow     *arrow = viz_diagram_builder_arrow (names->builder, i);
      const VizChainStep *tail = &places[arrow->tail], *head = &places[arrow->head];
      gint64              key = (((gint64) tail->chain * n + head->chain) << 24) + tail->step;

      if (tail->chain != 0 && head->chain != 0 && tail->chain != head->chain &&
          tail->step == head->step && g_hash_table_add (seen, g_memdup2 (&key, sizeof key)))
        feeds[(tail->chain - 1) * n + head->chain - 1]++;
    }
  for (guint32 c = 0; c < n; c++)
    {
      VizChain *chain = &g_array_index (names->chains, VizChain, c);

      chain->band = c;
      chain->layer = 0;
      for (guint32 b = 0; b < c; b++)
        {
          const VizChain *above = &g_array_index (names->chains, VizChain, b);
          gboolean is_below = feeds[b * n + c] * 10 >= chain->n_steps * 8 && feeds[c * n + b] == 0;

          if (above->n_steps == chain->n_steps && above->first == chain->first &&
              (is_below || is_lane (above, chain)))
            {
              chain->band = above->band;
              chain->layer = MAX (chain->layer, above->layer + is_below);
            }
        }
      find_free_row (names, c);
    }
}

/* Moves absorbed boxes to the part of their cell, if its chain was not dropped. */
static void
move_absorbed (VizNames *names, const guint32 *absorbed)
{
  for (guint m = 0; m < names->members->len; m++)
    {
      guint32 box = g_array_index (names->members, guint32, m);

      if (absorbed[box] == 0 || viz_names_part (names, absorbed[box])->cell == VIZ_NO_CELL)
        continue;
      viz_names_move_box (names, box, absorbed[box]);
    }
}

/* --- Steps or blocks --- */

/* Whether all cells of a chain have the same operators. */
static gboolean
has_equal_cells (const VizNames *names, guint32 chain, const VizChainStep *places)
{
  const VizChain     *cells = &g_array_index (names->chains, VizChain, chain);
  g_autofree guint32 *sums = g_new0 (guint32, cells->n_steps);

  for (guint m = 0; m < names->members->len; m++)
    {
      guint32       box = g_array_index (names->members, guint32, m);
      const VizBox *shown = viz_diagram_builder_box (names->builder, box);

      if (places[box].chain == chain + 1 && (shown->flags & VIZ_BOX_FOLDED) == 0)
        sums[places[box].step] += g_str_hash (shown->title ? shown->title : "") | 1;
    }
  for (guint32 s = 1; s < cells->n_steps; s++)
    if (sums[s] != sums[0])
      return FALSE;
  return TRUE;
}

/* Cells with weights of their own are layers of a network, not steps of one cell. */
static void
find_blocks (VizNames *names, const VizChainStep *places)
{
  g_autofree guint8  *shares = g_new0 (guint8, names->chains->len + 1);
  g_autofree guint32 *user =
      g_new0 (guint32, names->n_boxes); /* of a weight: chain, then step + 1 */
  g_autofree guint32 *step = g_new0 (guint32, names->n_boxes);

  for (guint32 i = 0; i < viz_diagram_builder_n_arrows (names->builder); i++)
    {
      const VizArrow     *arrow = viz_diagram_builder_arrow (names->builder, i);
      const VizChainStep *place = &places[arrow->head];

      if ((viz_diagram_builder_box (names->builder, arrow->tail)->flags & VIZ_BOX_FOLDED) == 0 ||
          place->chain == 0)
        continue;
      if (user[arrow->tail] == place->chain && step[arrow->tail] != place->step + 1)
        shares[place->chain] = TRUE;
      user[arrow->tail] = place->chain;
      step[arrow->tail] = place->step + 1;
    }
  for (guint32 c = 0; c < names->chains->len; c++)
    {
      VizChain *chain = &g_array_index (names->chains, VizChain, c);

      chain->is_blocks = !chain->is_time && !shares[c + 1];
      chain->is_equal = chain->is_blocks && has_equal_cells (names, c, places);
    }
}

/* Arrows between steps of one chain carry its state, those between blocks the flow: both are drawn straight. */
static void
mark_states (const VizNames *names, const VizChainStep *places)
{
  for (guint32 i = 0; i < viz_diagram_builder_n_arrows (names->builder); i++)
    {
      const VizArrow     *arrow = viz_diagram_builder_arrow (names->builder, i);
      const VizChainStep *tail = &places[arrow->tail], *head = &places[arrow->head];

      if (arrow->kind == VIZ_ARROW_NORMAL && tail->chain != 0 && tail->chain == head->chain &&
          tail->step != head->step)
        viz_diagram_builder_set_arrow_kind (names->builder, i, VIZ_ARROW_STATE);
    }
}

/* Per part: whether a hinted chain has its cells below it.  Numbers in the name of such a part are not steps:
 * the steps are known.  (transfer full) */
static guint8 *
find_parts_above (const VizNames *names)
{
  guint8 *is_above = g_new0 (guint8, names->parts->len);

  for (guint32 c = 0; c < names->chains->len; c++)
    for (guint32 p = g_array_index (names->chains, VizChain, c).part; p != 0 && !is_above[p];
         p = viz_names_part (names, p)->parent)
      is_above[p] = TRUE;
  return is_above;
}

/* Adds a candidate for each row of consecutive numbers among the parts of names. */
static void
add_candidates (VizNames *names, guint32 n_parts)
{
  g_autoptr (GArray) numbered = g_array_new (FALSE, FALSE, sizeof (Numbered));
  g_autofree guint8 *is_above = find_parts_above (names);

  for (guint32 p = 1; p < n_parts; p++)
    {
      Numbered one;

      if (!is_above[p] && read_number (names, p, &one))
        g_array_append_val (numbered, one);
    }
  g_array_sort (numbered, compare_numbered);
  for (guint i = 0, k; i < numbered->len; i = k)
    {
      const Numbered *first = &g_array_index (numbered, Numbered, i);

      for (k = i + 1;
           k < numbered->len && compare_stems (first, &g_array_index (numbered, Numbered, k)) == 0;)
        k++;
      if (names->chains->len < VIZ_MAX_CHAINS)
        add_candidate (names, first, k - i);
    }
}

/* Assigns operators to the cells of the chains found so far.  (transfer full) */
static guint32 *
absorb (const VizNames *names, VizChainStep *places)
{
  guint32 *absorbed;

  viz_names_place_boxes (names, NULL, places);
  absorbed = viz_names_absorb (names, places);
  viz_names_place_boxes (names, absorbed, places);
  return absorbed;
}

void
viz_names_find_chains (VizNames *names)
{
  g_autofree VizChainStep *places = g_new0 (VizChainStep, names->n_boxes);
  guint32                  n_parts = names->parts->len, n_hinted;

  if (viz_names_add_hinted (names))
    {
      g_autofree guint32 *absorbed = absorb (names, places);

      move_absorbed (names, absorbed);
    }
  n_hinted = names->chains->len;
  add_candidates (names, n_parts);
  if (names->chains->len > n_hinted)
    {
      g_autofree guint32 *absorbed = absorb (names, places);
      g_autofree Links   *links = count_links (names, places);

      drop_unlinked (names, links, n_hinted);
      viz_names_place_boxes (names, absorbed, places);
      move_absorbed (names, absorbed);
    }
  if (names->chains->len == 0)
    return;
  find_bands (names, places);
  find_blocks (names, places);
  mark_states (names, places);
}
