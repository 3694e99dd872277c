/* memory-curve.c — lifetimes of planned values, added up.
 *
 * Views and results computed in place share their bytes with what they are made of:
 * they lengthen its life and add nothing.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/memory-curve.h"

#include "engine/exec/plan-private.h"

typedef struct
{
  gsize   begin, end;  /* bytes of the block */
  guint32 first, last; /* nodes */
} Room;

static guint32 *
find_last_uses (HybGraph *graph)
{
  guint             n_heads, n_nodes = hyb_graph_n_nodes (graph);
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);
  guint32          *last = g_new0 (guint32, MAX (hyb_graph_n_values (graph), 1));

  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

      for (guint i = 0; i < node->n_outputs; i++)
        last[node->first_output + i] = id;
      for (guint i = 0; i < node->n_inputs; i++)
        last[inputs[i]] = id;
    }
  for (guint i = 0; i < n_heads; i++)
    last[heads[i]] = n_nodes - 1;
  return last;
}

/* The room of an input that this value lies in, partly or wholly. */
static guint32
find_shared (const HybPlan *plan,
             HybNodeId      id,
             const Room    *room,
             const guint32 *room_of,
             GArray        *rooms)
{
  const HybValueId *inputs = hyb_graph_get_inputs (plan->graph, id);

  for (guint i = 0; i < hyb_graph_get_node (plan->graph, id)->n_inputs; i++)
    if (room_of[inputs[i]] != HYB_NO_ID)
      {
        const Room *other = &g_array_index (rooms, Room, room_of[inputs[i]]);

        if (room->begin < other->end && other->begin < room->end)
          return room_of[inputs[i]];
      }
  return HYB_NO_ID;
}

static GArray *
find_rooms (const HybPlan *plan)
{
  GArray             *rooms = g_array_new (FALSE, FALSE, sizeof (Room));
  guint               n_values = hyb_graph_n_values (plan->graph);
  g_autofree guint32 *last = find_last_uses (plan->graph);
  g_autofree guint32 *room_of = g_new (guint32, MAX (n_values, 1));

  for (HybValueId value = 0; value < n_values; value++)
    {
      HybNodeId producer = hyb_graph_get_producer (plan->graph, value);
      gsize     begin = plan->places[value].offset;
      Room      room = { begin, begin, producer, last[value] };
      guint32   shared;

      room_of[value] = HYB_NO_ID;
      if (plan->places[value].kind != HYB_PLACE_BLOCK || !hyb_type_is_known (&plan->types[value]))
        continue;
      room.end += hyb_type_bytes (&plan->types[value]);
      shared = find_shared (plan, producer, &room, room_of, rooms);
      if (shared == HYB_NO_ID)
        {
          room_of[value] = rooms->len;
          g_array_append_val (rooms, room);
        }
      else
        {
          Room *other = &g_array_index (rooms, Room, shared);

          room_of[value] = shared;
          other->begin = MIN (other->begin, room.begin);
          other->end = MAX (other->end, room.end);
          other->last = MAX (other->last, room.last);
        }
    }
  return rooms;
}

GArray *
prof_memory_curve (const HybPlan *plan)
{
  GArray *curve = g_array_new (FALSE, FALSE, sizeof (ProfLive));
  g_autoptr (GArray) rooms = NULL;
  g_autofree gint64 *change = NULL;
  gint64             live = 0;
  HybNodeId          at = 0;

  if (!plan || plan->is_dynamic)
    return curve;

  rooms = find_rooms (plan);
  change = g_new0 (gint64, (gsize) hyb_graph_n_nodes (plan->graph) + 2);
  for (guint i = 0; i < rooms->len; i++)
    {
      const Room *room = &g_array_index (rooms, Room, i);

      change[room->first] += (gint64) (room->end - room->begin);
      change[room->last + 1] -= (gint64) (room->end - room->begin);
    }
  for (guint i = 0; i < plan->n_steps; i++)
    {
      ProfLive point = { .node = plan->steps[i].node };

      for (; at <= plan->steps[i].node; at++)
        live += change[at];
      point.live = (gsize) live + plan->steps[i].workspace_bytes;
      g_array_append_val (curve, point);
    }
  return curve;
}
