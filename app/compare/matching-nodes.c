/* matching-nodes.c — ties between boxes and the nodes in the middle, looked at from both ends.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/matching-nodes.h"

typedef struct
{
  guint32 box, node; /* node: number of one in the middle */
  gint32  step;
} Tie;

struct _ScopeSide
{
  gatomicrefcount n_refs;
  ScopeDocument  *document;
  GArray         *by_box, *by_node; /* of Tie */
};

static int
compare_boxes (gconstpointer a, gconstpointer b)
{
  const Tie *x = a, *y = b;

  return x->box != y->box     ? (x->box < y->box ? -1 : 1)
         : x->node != y->node ? (x->node < y->node ? -1 : 1)
                              : 0;
}

static int
compare_nodes (gconstpointer a, gconstpointer b)
{
  const Tie *x = a, *y = b;

  return x->node != y->node ? (x->node < y->node ? -1 : 1)
         : x->box != y->box ? (x->box < y->box ? -1 : 1)
                            : 0;
}

static guint32
number_of (GHashTable *names, const char *name)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (names, name));

  if (number == 0)
    {
      number = g_hash_table_size (names) + 1;
      g_hash_table_insert (names, g_strdup (name), GUINT_TO_POINTER (number));
    }
  return number - 1;
}

static void
tie (ScopeNodeMap *self, GHashTable *names, const char *own, const char *middle, gint32 step)
{
  Tie found = { .box = scope_document_find_name (self->document, own), .step = step };

  if (found.box == VIZ_ROOT)
    return;
  found.node = number_of (names, middle);
  g_array_append_val (self->by_box, found);
}

ScopeNodeMap *
scope_node_map_new (ScopeDocument      *document,
                    const GArray       *matches,
                    ScopeMatchDirection ties,
                    GHashTable         *names)
{
  ScopeNodeMap *self = g_new0 (ScopeNodeMap, 1);
  HybGraph     *graph = scope_document_get_graph (document);

  g_atomic_ref_count_init (&self->n_refs);
  self->document = scope_document_ref (document);
  self->by_box = g_array_new (FALSE, FALSE, sizeof (Tie));
  for (guint i = 0; ties == SCOPE_MATCH_IDENTITY && i < hyb_graph_n_nodes (graph); i++)
    {
      const char *name = hyb_graph_get_node (graph, i)->name;

      tie (self, names, name, name, -1);
    }
  for (guint i = 0; ties != SCOPE_MATCH_IDENTITY && i < matches->len; i++)
    {
      const ScopeNameMatch *match = &g_array_index (matches, ScopeNameMatch, i);

      if (ties == SCOPE_MATCH_FROM_REFERENCE)
        tie (self, names, match->to, match->from, match->step);
      else
        tie (self, names, match->from, match->to, match->step);
    }
  self->by_node = g_array_copy (self->by_box);
  g_array_sort (self->by_box, compare_boxes);
  g_array_sort (self->by_node, compare_nodes);
  return self;
}

ScopeNodeMap *
scope_node_map_ref (ScopeNodeMap *side)
{
  g_atomic_ref_count_inc (&side->n_refs);
  return side;
}

ScopeDocument *
scope_node_map_get_document (const ScopeNodeMap *side)
{
  return side->document;
}

void
scope_node_map_unref (ScopeNodeMap *side)
{
  if (!g_atomic_ref_count_dec (&side->n_refs))
    return;
  scope_document_unref (side->document);
  g_array_unref (side->by_box);
  g_array_unref (side->by_node);
  g_free (side);
}

/* The first tie that is not before key. */
static guint
lower_bound (const GArray *ties, const Tie *key, GCompareFunc compare)
{
  guint low = 0, high = ties->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (compare (&g_array_index (ties, Tie, middle), key) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static gboolean
is_tied (const ScopeNodeMap *self, guint32 box)
{
  Tie   key = { .box = box };
  guint at = lower_bound (self->by_box, &key, compare_boxes);

  return at < self->by_box->len && g_array_index (self->by_box, Tie, at).box == box;
}

/* The box, or the nearest around it, that is tied; VIZ_ROOT: none. */
static guint32
find_tied (const ScopeNodeMap *self, guint32 box)
{
  VizDiagram *diagram = scope_document_get_diagram (self->document);

  while (box != VIZ_ROOT && !is_tied (self, box))
    box = viz_diagram_box (diagram, box)->parent;
  return box;
}

/* --- Partners --- */

static void
add_partner (GHashTable *found, const Tie *tie)
{
  ScopeCounterpart *partner = g_hash_table_lookup (found, GUINT_TO_POINTER (tie->box));

  if (!partner)
    {
      partner = g_new (ScopeCounterpart, 1);
      *partner = (ScopeCounterpart){ tie->box, tie->step, tie->step };
      g_hash_table_insert (found, GUINT_TO_POINTER (tie->box), partner);
    }
  partner->first_step = MIN (partner->first_step, tie->step);
  partner->last_step = MAX (partner->last_step, tie->step);
}

static void
collect (const ScopeNodeMap *from, guint32 box, const ScopeNodeMap *to, GHashTable *found)
{
  Tie key = { .box = box };

  for (guint i = lower_bound (from->by_box, &key, compare_boxes);
       i < from->by_box->len && g_array_index (from->by_box, Tie, i).box == box;
       i++)
    {
      Tie there = { .node = g_array_index (from->by_box, Tie, i).node };

      for (guint k = lower_bound (to->by_node, &there, compare_nodes);
           k < to->by_node->len && g_array_index (to->by_node, Tie, k).node == there.node;
           k++)
        add_partner (found, &g_array_index (to->by_node, Tie, k));
    }
}

static int
compare_partners (gconstpointer a, gconstpointer b)
{
  const ScopeCounterpart *x = a, *y = b;

  return x->box < y->box ? -1 : x->box > y->box;
}

GArray *
scope_node_map_find (const ScopeNodeMap *from, guint32 box, const ScopeNodeMap *to)
{
  GArray     *partners = g_array_new (FALSE, FALSE, sizeof (ScopeCounterpart));
  VizDiagram *diagram = scope_document_get_diagram (from->document);
  g_autoptr (GHashTable) found = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  GHashTableIter iter;
  gpointer       partner;

  if (box == VIZ_ROOT)
    return partners;
  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    if (i == box || viz_diagram_is_inside (diagram, i, box))
      collect (from, i, to, found);
  if (g_hash_table_size (found) == 0) /* inside a loop: the loop as a whole stands for it */
    collect (from, find_tied (from, box), to, found);
  g_hash_table_iter_init (&iter, found);
  while (g_hash_table_iter_next (&iter, NULL, &partner))
    g_array_append_vals (partners, partner, 1);
  g_array_sort (partners, compare_partners);
  return partners;
}

/* --- Groups --- */

static guint32
find_root (guint32 *parent, guint32 node)
{
  while (parent[node] != node)
    node = parent[node] = parent[parent[node]];
  return node;
}

/* All nodes that one box is tied to are one. */
static void
join (const ScopeNodeMap *side, guint32 *parent)
{
  for (guint i = 1; i < side->by_box->len; i++)
    {
      const Tie *before = &g_array_index (side->by_box, Tie, i - 1);
      const Tie *tie = &g_array_index (side->by_box, Tie, i);

      if (before->box == tie->box)
        parent[find_root (parent, before->node)] = find_root (parent, tie->node);
    }
}

static guint32
count_nodes (const ScopeNodeMap *side)
{
  return side->by_node->len > 0
             ? g_array_index (side->by_node, Tie, side->by_node->len - 1).node + 1
             : 0;
}

static guint32 *
number_boxes (const ScopeNodeMap *side, guint32 *parent)
{
  guint32  n = viz_diagram_n_boxes (scope_document_get_diagram (side->document));
  guint32 *group = g_new (guint32, n);

  for (guint32 box = 0; box < n; box++)
    {
      guint32 tied = find_tied (side, box);
      Tie     key = { .box = tied };

      group[box] = G_MAXUINT32;
      if (tied != VIZ_ROOT)
        group[box] = find_root (parent,
                                g_array_index (side->by_box,
                                               Tie,
                                               lower_bound (side->by_box, &key, compare_boxes))
                                    .node);
    }
  return group;
}

void
scope_node_maps_group (const ScopeNodeMap *a,
                       const ScopeNodeMap *b,
                       guint32           **group_a,
                       guint32           **group_b,
                       guint              *n_groups)
{
  guint32             n = MAX (count_nodes (a), count_nodes (b));
  g_autofree guint32 *parent = g_new (guint32, MAX (n, 1));

  for (guint32 i = 0; i < n; i++)
    parent[i] = i;
  join (a, parent);
  join (b, parent);
  *group_a = number_boxes (a, parent);
  *group_b = number_boxes (b, parent);
  *n_groups = n;
}
