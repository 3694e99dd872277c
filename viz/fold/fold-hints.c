/* fold-hints.c — chains of cells that the caller has recognised.
 *
 * A step of such a chain becomes a part of its own below the part that all names of the chain have in
 * common, so that later steps treat it as a cell that was found by name.  Graphs whose operators have
 * only numbers for names ("_mul60") fold as well as those with telling names. Start reading at
 * viz_names_add_hinted().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-private.h"

#define NO_PART G_MAXUINT32

/* The place of a box, or chain 0 if the hints name none. */
static VizFoldPlace
place_of (const VizFoldHints *hints, guint32 box)
{
  VizFoldPlace place = box < hints->n_places ? hints->places[box] : (VizFoldPlace){ 0, 0 };

  if (place.chain > MIN (hints->n_chains, VIZ_MAX_CHAINS) || place.chain == 0 ||
      place.step >= hints->chains[place.chain - 1].n_steps)
    return (VizFoldPlace){ 0, 0 };
  return place;
}

/* Adds the parts of the cells of a chain below a part.  Returns the index of the chain. */
static guint32
add_chain (VizNames *names, guint32 index, guint32 parent)
{
  const VizFoldChain *hint = &names->hints->chains[index];
  VizChain            chain = { .part = parent,
                                .n_steps = hint->n_steps,
                                .cells = g_new (guint32, hint->n_steps),
                                .stem = g_strdup (hint->title),
                                .band = names->chains->len,
                                .is_time = TRUE,
                                .is_hinted = TRUE,
                                .stack = hint->stack,
                                .is_backward = hint->is_backward };

  for (guint32 c = 0; c < names->chains->len; c++)
    chain.twin += g_array_index (names->chains, VizChain, c).part == parent;
  for (guint32 s = 0; s < hint->n_steps; s++)
    {
      g_autofree char *token = g_strdup_printf ("t%u", s);
      VizNamePart part = { parent,  g_string_chunk_insert_const (names->strings, token), '_', 0, 0,
                           VIZ_ROOT };

      chain.cells[s] = names->parts->len;
      g_array_append_val (names->parts, part);
    }
  g_array_append_val (names->chains, chain);
  return names->chains->len - 1;
}

gboolean
viz_names_add_hinted (VizNames *names)
{
  const VizFoldHints *hints = names->hints;
  g_autofree guint32 *common = NULL, *chain_of = NULL, *n_boxes = NULL;

  if (!hints || hints->n_chains == 0)
    return FALSE;
  common = g_new (guint32, hints->n_chains);
  n_boxes = g_new0 (guint32, hints->n_chains);
  chain_of = g_new (guint32, hints->n_chains);
  for (guint32 c = 0; c < hints->n_chains; c++)
    common[c] = NO_PART;
  for (guint m = 0; m < names->members->len; m++)
    {
      guint32      box = g_array_index (names->members, guint32, m);
      VizFoldPlace place = place_of (hints, box);
      guint32     *part = place.chain > 0 ? &common[place.chain - 1] : NULL;

      if (!part)
        continue;
      n_boxes[place.chain - 1]++;
      /* "_mul60" says nothing about where it belongs. */
      if (names->part_of[box] != 0)
        *part = *part == NO_PART ? names->part_of[box]
                                 : viz_names_common_part (names, *part, names->part_of[box]);
    }
  for (guint32 c = 0; c < hints->n_chains; c++)
    if (n_boxes[c] > 0)
      chain_of[c] = add_chain (names, c, common[c] == NO_PART ? 0 : common[c]);
  for (guint m = 0; m < names->members->len; m++)
    {
      guint32      box = g_array_index (names->members, guint32, m);
      VizFoldPlace place = place_of (hints, box);

      if (place.chain > 0)
        viz_names_move_box (names, box,
                            g_array_index (names->chains, VizChain, chain_of[place.chain - 1])
                                .cells[place.step]);
    }
  return names->chains->len > 0;
}
