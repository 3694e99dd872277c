/* body-chains.c — adds repeated bodies of no known cell to the chains of known cells.
 *
 * Nodes of unbroken chains are left out of the search (bodies.h).  Start reading at
 * hyb_cells_add_bodies().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/body-chains.h"

#include "engine/variants/bodies.h"

#include <string.h>

static const HybNodeId *
nodes_of (const HybBody *body, guint entry)
{
  return body->nodes->pdata[entry];
}

/* Removes chains that have nodes in a body: they broke off because they are parts of something
 * larger. */
static void
drop_parts (HybCells *cells, const GPtrArray *bodies)
{
  guint               n_chains = cells->chains->len;
  g_autofree guint32 *new_index = g_new0 (guint32, MAX (n_chains, 1));

  /* 1. Mark the chains that have a node in a body. */
  for (guint b = 0; b < bodies->len; b++)
    for (guint e = 0; e < ((const HybBody *) bodies->pdata[b])->nodes->len; e++)
      for (guint t = 0; t < ((const HybBody *) bodies->pdata[b])->n_steps; t++)
        {
          HybNodeId id = nodes_of (bodies->pdata[b], e)[t];

          if (id != HYB_NO_ID && cells->chain_of_node[id] != HYB_NO_ID)
            new_index[cells->chain_of_node[id]] = HYB_NO_ID;
        }
  /* 2. Number the others, so that references between chains can be renumbered. */
  for (guint c = 0, n = 0; c < n_chains; c++)
    if (new_index[c] != HYB_NO_ID)
      new_index[c] = n++;
  /* 3. Remove from the end, so that the indices before it stay valid. */
  for (guint c = n_chains; c-- > 0;)
    {
      HybChain *chain = cells->chains->pdata[c];

      if (new_index[c] == HYB_NO_ID)
        g_ptr_array_remove_index (cells->chains, c);
      else if (chain->continues != HYB_NO_ID)
        chain->continues = new_index[chain->continues];
    }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (cells->graph); id++)
    if (cells->chain_of_node[id] != HYB_NO_ID)
      cells->chain_of_node[id] = new_index[cells->chain_of_node[id]];
}

static HybCellStep
make_body_step (const HybBody *body, guint step)
{
  guint       n = body->n_steps + 1;
  HybCellStep made = { .x = body->data ? body->data[step] : HYB_NO_ID,
                       .previous = HYB_NO_ID,
                       .next = HYB_NO_ID };
  HybValueId  in[HYB_MAX_STATES], out[HYB_MAX_STATES];

  for (guint s = 0; s < HYB_MAX_STATES; s++)
    {
      gboolean exists = s < body->states->len / n;

      in[s] = exists ? g_array_index (body->states, HybValueId, s * n + step) : HYB_NO_ID;
      out[s] = exists ? g_array_index (body->states, HybValueId, s * n + step + 1) : HYB_NO_ID;
    }
  made.h_in = in[0];
  made.c_in = in[1];
  made.h = out[0];
  made.c = out[1];
  memcpy (made.more_in, in + 2, sizeof made.more_in);
  memcpy (made.more, out + 2, sizeof made.more);
  return made;
}

static void
add_body (HybCells *cells, const HybBody *body)
{
  HybChain *chain = g_new0 (HybChain, 1);

  chain->kind = HYB_CELL_NONE;
  chain->n_steps = body->n_steps;
  chain->continues = chain->first_difference = HYB_NO_ID;
  chain->steps = g_new (guint, body->n_steps);
  chain->nodes = g_ptr_array_ref (body->nodes);
  for (guint t = 0; t < body->n_steps; t++)
    {
      HybCellStep step = make_body_step (body, t);

      chain->steps[t] = cells->steps->len;
      g_array_append_val (cells->steps, step);
      for (guint e = 0; e < body->nodes->len; e++)
        {
          HybNodeId id = nodes_of (body, e)[t];

          if (id == HYB_NO_ID)
            continue;
          cells->chain_of_node[id] = cells->chains->len;
          cells->step_of_node[id] = t;
        }
    }
  g_ptr_array_add (cells->chains, chain);
}

void
hyb_cells_add_bodies (HybCells *cells)
{
  guint              n_nodes = hyb_graph_n_nodes (cells->graph);
  g_autofree guint8 *taken = g_new0 (guint8, MAX (n_nodes, 1));
  g_autofree guint8 *is_broken = g_new0 (guint8, MAX (cells->chains->len, 1));
  g_autoptr (GPtrArray) bodies = NULL;

  for (guint c = 0; c < cells->chains->len; c++)
    {
      g_autofree char *broken = hyb_chain_dup_break (cells, c);

      is_broken[c] = broken != NULL;
    }
  for (HybNodeId id = 0; id < n_nodes; id++)
    taken[id] = cells->chain_of_node[id] != HYB_NO_ID && !is_broken[cells->chain_of_node[id]];
  bodies = hyb_bodies_find (cells->graph, taken);
  if (bodies->len == 0)
    return;
  drop_parts (cells, bodies);
  for (guint b = 0; b < bodies->len; b++)
    add_body (cells, bodies->pdata[b]);
}
