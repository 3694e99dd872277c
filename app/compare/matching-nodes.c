/* matching-nodes.c — links between boxes and reference nodes, sorted for lookup from both ends.
 *
 * Matches of two forms are found by going from a box to its reference nodes and on to the boxes of
 * the other form.  Start reading with scope_node_map_find().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/matching-nodes.h"

typedef struct
{
  guint32 box, reference; /* reference: number of a reference node */
  gint32  step;           /* -1: any */
} Link;

struct _ScopeSide
{
  gatomicrefcount n_refs;
  ScopeDocument  *document;
  GArray *by_box, *by_reference; /* of Link; nodes in bodies by their role, if it is known */
  GArray *outer;                 /* of Link, by box; loops as a whole */
};

static int
compare_boxes (gconstpointer a, gconstpointer b)
{
  const Link *x = a, *y = b;

  return x->box != y->box               ? (x->box < y->box ? -1 : 1)
         : x->reference != y->reference ? (x->reference < y->reference ? -1 : 1)
                                        : 0;
}

static int
compare_references (gconstpointer a, gconstpointer b)
{
  const Link *x = a, *y = b;

  return x->reference != y->reference ? (x->reference < y->reference ? -1 : 1)
         : x->box != y->box           ? (x->box < y->box ? -1 : 1)
                                      : 0;
}

/* The number of a reference node, which is given the next one if it is new. */
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
add_link (GArray *links, guint32 box, guint32 reference, gint32 step)
{
  const Link link = { box, reference, step };

  if (box != VIZ_ROOT)
    g_array_append_val (links, link);
}

/* Boxes of the nodes outside of bodies, by name: a weight has the same name inside and outside of a loop.
 * (transfer full) */
static GHashTable *
index_boxes (ScopeDocument *document)
{
  GHashTable *boxes = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = scope_document_n_places (document); i-- > 0;)
    {
      const ScopePlace *place = scope_document_nth_place (document, i);

      if (place->graph == scope_document_get_graph (document))
        g_hash_table_insert (boxes, (gpointer) hyb_graph_get_node (place->graph, place->node)->name,
                             GUINT_TO_POINTER (place->box));
    }
  return boxes;
}

/* Matches every node of the reference with itself. */
static void
link_identity (ScopeNodeMap *self, GHashTable *boxes, GHashTable *names)
{
  GHashTableIter iter;
  gpointer       name, box;

  g_hash_table_iter_init (&iter, boxes);
  while (g_hash_table_iter_next (&iter, &name, &box))
    add_link (self->outer, GPOINTER_TO_UINT (box), number_of (names, name), -1);
  g_array_append_vals (self->by_box, self->outer->data, self->outer->len);
}

/* A node with a role inside a loop is linked to that; the loop as a whole only to the rest. */
static void
link_matches (ScopeNodeMap       *self,
              GHashTable         *boxes,
              const GArray       *matches,
              ScopeMatchDirection direction,
              GHashTable         *names)
{
  gboolean is_forward = direction == SCOPE_MATCH_FROM_REFERENCE;
  g_autoptr (GHashTable) inside = g_hash_table_new (NULL, NULL); /* reference numbers + 1 */

  for (guint i = matches->len; i-- > 0;) /* roles come last */
    {
      const ScopeNameMatch *match = &g_array_index (matches, ScopeNameMatch, i);
      guint32               number = number_of (names, is_forward ? match->from : match->to), box;

      if (match->inner)
        {
          box = scope_document_find_inside (self->document, match->body, match->inner);
          if (!is_forward || box == VIZ_ROOT)
            continue;
          g_hash_table_add (inside, GUINT_TO_POINTER (number + 1));
          add_link (self->by_box, box, number, match->step);
          continue;
        }
      box = GPOINTER_TO_UINT (g_hash_table_lookup (boxes, is_forward ? match->to : match->from));
      add_link (self->outer, box, number, match->step);
      if (!g_hash_table_contains (inside, GUINT_TO_POINTER (number + 1)))
        add_link (self->by_box, box, number, match->step);
    }
}

ScopeNodeMap *
scope_node_map_new (ScopeDocument      *document,
                    const GArray       *matches,
                    ScopeMatchDirection direction,
                    GHashTable         *names)
{
  ScopeNodeMap *self = g_new0 (ScopeNodeMap, 1);
  g_autoptr (GHashTable) boxes = index_boxes (document);

  g_atomic_ref_count_init (&self->n_refs);
  self->document = scope_document_ref (document);
  self->by_box = g_array_new (FALSE, FALSE, sizeof (Link));
  self->outer = g_array_new (FALSE, FALSE, sizeof (Link));
  if (direction == SCOPE_MATCH_IDENTITY)
    link_identity (self, boxes, names);
  else
    link_matches (self, boxes, matches, direction, names);
  self->by_reference = g_array_copy (self->by_box);
  g_array_sort (self->by_box, compare_boxes);
  g_array_sort (self->outer, compare_boxes);
  g_array_sort (self->by_reference, compare_references);
  return self;
}

ScopeNodeMap *
scope_node_map_ref (ScopeNodeMap *map)
{
  g_atomic_ref_count_inc (&map->n_refs);
  return map;
}

ScopeDocument *
scope_node_map_get_document (const ScopeNodeMap *map)
{
  return map->document;
}

void
scope_node_map_unref (ScopeNodeMap *map)
{
  if (!g_atomic_ref_count_dec (&map->n_refs))
    return;
  scope_document_unref (map->document);
  g_array_unref (map->by_box);
  g_array_unref (map->by_reference);
  g_array_unref (map->outer);
  g_free (map);
}

/* The index of the first link that is not before key. */
static guint
lower_bound (const GArray *links, const Link *key, GCompareFunc compare)
{
  guint low = 0, high = links->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (compare (&g_array_index (links, Link, middle), key) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static gboolean
has_link (const ScopeNodeMap *self, guint32 box)
{
  Link  key = { .box = box };
  guint at = lower_bound (self->outer, &key, compare_boxes);

  return at < self->outer->len && g_array_index (self->outer, Link, at).box == box;
}

/* The box, or its nearest ancestor, that has a link as a whole; VIZ_ROOT: none. */
static guint32
find_linked (const ScopeNodeMap *self, guint32 box)
{
  VizDiagram *diagram = scope_document_get_diagram (self->document);

  while (box != VIZ_ROOT && !has_link (self, box))
    box = viz_diagram_box (diagram, box)->parent;
  return box;
}

/* --- Counterparts --- */

static void
add_counterpart (GHashTable *found, const Link *link)
{
  ScopeCounterpart *counterpart = g_hash_table_lookup (found, GUINT_TO_POINTER (link->box));

  if (!counterpart)
    {
      counterpart = g_new (ScopeCounterpart, 1);
      *counterpart = (ScopeCounterpart){ link->box, link->step, link->step };
      g_hash_table_insert (found, GUINT_TO_POINTER (link->box), counterpart);
    }
  counterpart->first_step = MIN (counterpart->first_step, link->step);
  counterpart->last_step = MAX (counterpart->last_step, link->step);
}

/* Adds the boxes of to that share a reference node with one box.  links: of a map, by box. */
static void
collect (const GArray *links, guint32 box, const ScopeNodeMap *to, GHashTable *found)
{
  Link key = { .box = box };

  for (guint i = lower_bound (links, &key, compare_boxes);
       i < links->len && g_array_index (links, Link, i).box == box; i++)
    {
      Link there = { .reference = g_array_index (links, Link, i).reference };

      for (guint k = lower_bound (to->by_reference, &there, compare_references);
           k < to->by_reference->len &&
           g_array_index (to->by_reference, Link, k).reference == there.reference;
           k++)
        add_counterpart (found, &g_array_index (to->by_reference, Link, k));
    }
}

static int
compare_counterparts (gconstpointer a, gconstpointer b)
{
  const ScopeCounterpart *x = a, *y = b;

  return x->box < y->box ? -1 : x->box > y->box;
}

GArray *
scope_node_map_find (const ScopeNodeMap *from, guint32 box, const ScopeNodeMap *to)
{
  GArray     *counterparts = g_array_new (FALSE, FALSE, sizeof (ScopeCounterpart));
  VizDiagram *diagram = scope_document_get_diagram (from->document);
  g_autoptr (GHashTable) found = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  GHashTableIter iter;
  gpointer       counterpart;

  if (box == VIZ_ROOT)
    return counterparts;
  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    if (i == box || viz_diagram_is_inside (diagram, i, box))
      collect (from->by_box, i, to, found);
  if (g_hash_table_size (found) == 0) /* without a role inside a loop, it belongs to the loop */
    collect (from->outer, find_linked (from, box), to, found);
  g_hash_table_iter_init (&iter, found);
  while (g_hash_table_iter_next (&iter, NULL, &counterpart))
    g_array_append_vals (counterparts, counterpart, 1);
  g_array_sort (counterparts, compare_counterparts);
  return counterparts;
}

/* --- Groups --- */

static guint32
find_root (guint32 *parent, guint32 reference)
{
  while (parent[reference] != reference)
    reference = parent[reference] = parent[parent[reference]];
  return reference;
}

/* Unites the reference nodes of each box (union-find by parent). */
static void
join (const ScopeNodeMap *map, guint32 *parent)
{
  for (guint i = 1; i < map->outer->len; i++)
    {
      const Link *before = &g_array_index (map->outer, Link, i - 1);
      const Link *link = &g_array_index (map->outer, Link, i);

      if (before->box == link->box)
        parent[find_root (parent, before->reference)] = find_root (parent, link->reference);
    }
}

static guint32
count_references (const ScopeNodeMap *map)
{
  guint32 n = 0;

  for (guint i = 0; i < map->outer->len; i++)
    n = MAX (n, g_array_index (map->outer, Link, i).reference + 1);
  return n;
}

/* The group of every box.  (transfer full) */
static guint32 *
number_boxes (const ScopeNodeMap *map, guint32 *parent)
{
  guint32  n = viz_diagram_n_boxes (scope_document_get_diagram (map->document));
  guint32 *group = g_new (guint32, n);

  for (guint32 box = 0; box < n; box++)
    {
      guint32 linked = find_linked (map, box);
      Link    key = { .box = linked };

      group[box] = G_MAXUINT32;
      if (linked != VIZ_ROOT)
        group[box] =
            find_root (parent, g_array_index (map->outer, Link,
                                              lower_bound (map->outer, &key, compare_boxes))
                                   .reference);
    }
  return group;
}

void
scope_node_maps_group (const ScopeNodeMap *a, const ScopeNodeMap *b, ScopeNodeGroups *groups)
{
  guint32             n = MAX (count_references (a), count_references (b));
  g_autofree guint32 *parent = g_new (guint32, MAX (n, 1));

  for (guint32 i = 0; i < n; i++)
    parent[i] = i;
  join (a, parent);
  join (b, parent);
  groups->of_box[0] = number_boxes (a, parent);
  groups->of_box[1] = number_boxes (b, parent);
  groups->n = n;
}
