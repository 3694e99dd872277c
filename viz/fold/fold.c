/* fold.c — weights, then names, then what stands open at first.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold.h"

#include "viz/fold/fold-private.h"

#include <string.h>

/* Smaller groups of boxes are read at a glance; groups by underscore would only be in the way. */
#define FEW 24
/* A scope by underscore has at least this many boxes: many names share a word by chance. */
#define LEAST_BY_UNDERSCORE 3
#define MAX_PARTS           12
#define ROUNDS              4

static void
fold_weights (VizDiagramBuilder *builder)
{
  guint32 n = viz_diagram_builder_n_boxes (builder);
  guint8 *fed = g_new0 (guint8, n);
  guint8 *used = g_new0 (guint8, n);

  for (guint32 i = 0; i < viz_diagram_builder_n_arrows (builder); i++)
    {
      const VizArrow *arrow = viz_diagram_builder_arrow (builder, i);

      fed[arrow->head] = TRUE;
      used[arrow->tail] |= viz_diagram_builder_box (builder, arrow->head)->kind != VIZ_BOX_OUTPUT;
    }
  for (guint32 i = 1; i < n; i++)
    if (viz_diagram_builder_box (builder, i)->kind == VIZ_BOX_WEIGHT && used[i] && !fed[i])
      viz_diagram_builder_add_flags (builder, i, VIZ_BOX_FOLDED);
  g_free (used);
  g_free (fed);
}

/* Names */

static const char *
name_of (const VizBox *box)
{
  if (box->subtitle)
    return box->subtitle;
  /* The name of an operator says nothing about where it belongs. */
  return box->title && box->kind != VIZ_BOX_OPERATOR ? box->title : "";
}

typedef struct
{
  guint32     parent;
  const char *token;
} PartKey;

static guint
part_key_hash (gconstpointer data)
{
  const PartKey *key = data;

  return g_direct_hash (key->token) * 31u + key->parent;
}

static gboolean
part_key_equal (gconstpointer a, gconstpointer b)
{
  const PartKey *left = a, *right = b;

  return left->parent == right->parent && left->token == right->token;
}

static guint32
add_part (VizNames   *names,
          GHashTable *known,
          guint32     parent,
          const char *token,
          gsize       length,
          char        separator)
{
  g_autofree char *copy = g_strndup (token, length);
  PartKey          key = { parent, g_string_chunk_insert_const (names->strings, copy) };
  guint32          found = GPOINTER_TO_UINT (g_hash_table_lookup (known, &key));
  VizNamePart      part = { parent, key.token, separator, 0, VIZ_NO_CELL, VIZ_ROOT };

  if (found > 0)
    return found;
  g_array_append_val (names->parts, part);
  g_hash_table_insert (known,
                       g_memdup2 (&key, sizeof key),
                       GUINT_TO_POINTER (names->parts->len - 1));
  return names->parts->len - 1;
}

/* "expand_dims3" says the operator once more: that is no scope. */
static gboolean
is_numbered_operator (const VizBox *box)
{
  const char *name = box->subtitle, *title = box->title;
  gsize       length;

  if (!name || !title)
    return FALSE;
  name += strspn (name, "_");
  title += strspn (title, "_");
  length = strlen (title);
  return g_ascii_strncasecmp (name, title, length) == 0 &&
         strspn (name + length, "0123456789") == strlen (name + length);
}

/* All parts of a name but the last, which is the box's own. */
static void
read_names (VizNames *names)
{
  g_autoptr (GHashTable) known =
      g_hash_table_new_full (part_key_hash, part_key_equal, g_free, NULL);

  for (guint m = 0; m < names->members->len; m++)
    {
      guint32     box = g_array_index (names->members, guint32, m), part = 0;
      const char *at = name_of (viz_diagram_builder_box (names->builder, box));
      gboolean is_numbered = is_numbered_operator (viz_diagram_builder_box (names->builder, box));

      for (guint depth = 0; depth < MAX_PARTS; depth++)
        {
          gsize length = strcspn (at, "/_.");

          if (at[length] == '\0' || at[length + 1] == '\0' || is_numbered)
            break;
          if (length > 0)
            part = add_part (names, known, part, at, length, at[length]);
          at += length + 1;
        }
      names->part_of[box] = part;
      for (guint32 p = part;; p = viz_names_part (names, p)->parent)
        {
          viz_names_part (names, p)->n_leaves++;
          if (p == 0)
            break;
        }
    }
}

char *
viz_names_path (const VizNames *names, guint32 part)
{
  GString *path = g_string_new (viz_names_part (names, part)->token);

  for (part = viz_names_part (names, part)->parent; part != 0;
       part = viz_names_part (names, part)->parent)
    {
      const VizNamePart *above = viz_names_part (names, part);

      g_string_prepend_c (path, above->separator);
      g_string_prepend (path, above->token);
    }
  return g_string_free (path, FALSE);
}

/* Whether a part of names deserves a group, below one that holds n_above boxes. */
static gboolean
deserves_group (const VizNamePart *part, guint32 n_above)
{
  if (part->n_leaves >= n_above)
    return FALSE;
  if (part->separator == '/')
    return part->n_leaves >= 2;
  return part->n_leaves >= LEAST_BY_UNDERSCORE && n_above > FEW;
}

/* What went into cells does not count for the scopes around them. */
static void
discount_cells (VizNames *names)
{
  for (guint32 i = 1; i < names->parts->len; i++)
    {
      const VizNamePart *part = viz_names_part (names, i);

      if (part->cell == VIZ_NO_CELL)
        continue;
      for (guint32 p = part->parent;; p = viz_names_part (names, p)->parent)
        {
          viz_names_part (names, p)->n_leaves -= part->n_leaves;
          if (p == 0)
            break;
        }
    }
}

static void
add_scopes (VizNames *names, gboolean by_name)
{
  /* Boxes in the group of the nearest part above that has one. */
  g_autofree guint32 *n_above = g_new0 (guint32, names->parts->len);

  discount_cells (names);
  viz_names_part (names, 0)->group = names->group;
  n_above[0] = viz_names_part (names, 0)->n_leaves;
  for (guint32 i = 1; i < names->parts->len; i++)
    {
      VizNamePart     *part = viz_names_part (names, i);
      g_autofree char *path = NULL, *id = NULL;

      n_above[i] = n_above[part->parent];
      if (part->cell != VIZ_NO_CELL)
        {
          n_above[i] = part->n_leaves;
          continue;
        }
      part->group = viz_names_part (names, part->parent)->group;
      if (!by_name || !deserves_group (part, n_above[part->parent]))
        continue;
      path = viz_names_path (names, i);
      id = g_strconcat ("scope:",
                        viz_diagram_builder_box (names->builder, names->group)->id,
                        ":",
                        path,
                        NULL);
      part->group = viz_diagram_builder_add_box (names->builder,
                                                 &(VizBoxInfo){ .id = id,
                                                                .title = path,
                                                                .kind = VIZ_BOX_SCOPE,
                                                                .parent = part->group,
                                                                .user = VIZ_NO_USER });
      n_above[i] = part->n_leaves;
    }
  for (guint m = 0; m < names->members->len; m++)
    {
      guint32 box = g_array_index (names->members, guint32, m);

      viz_diagram_builder_set_parent (names->builder,
                                      box,
                                      viz_names_part (names, names->part_of[box])->group);
    }
}

static void
chain_clear (gpointer data)
{
  VizChain *chain = data;

  g_free (chain->cells);
  g_free (chain->stem);
}

static void
fold_group (VizDiagramBuilder *builder,
            guint32            group,
            GArray            *members,
            guint32           *part_of,
            VizFoldWhat        what)
{
  VizNamePart root = { 0, "", '/', 0, VIZ_NO_CELL, group };
  VizNames    names = {
       .builder = builder,
       .group = group,
       .members = members,
       .strings = g_string_chunk_new (4096),
       .parts = g_array_new (FALSE, TRUE, sizeof (VizNamePart)),
       .part_of = part_of,
       .n_boxes = viz_diagram_builder_n_boxes (builder),
       .chains = g_array_new (FALSE, TRUE, sizeof (VizChain)),
  };

  g_array_set_clear_func (names.chains, chain_clear);
  g_array_append_val (names.parts, root);
  read_names (&names);
  if (what & VIZ_FOLD_REPEATS)
    {
      viz_names_find_chains (&names);
      viz_names_add_chains (&names);
    }
  add_scopes (&names, (what & VIZ_FOLD_SCOPES) != 0);
  g_array_unref (names.chains);
  g_array_unref (names.parts);
  g_string_chunk_free (names.strings);
}

/* The boxes of each group that the diagram came with, as lists. */
static void
fold_names (VizDiagramBuilder *builder, VizFoldWhat what)
{
  guint32  n = viz_diagram_builder_n_boxes (builder);
  GArray **members = g_new0 (GArray *, n);
  guint32 *part_of = g_new0 (guint32, n);

  for (guint32 i = 1; i < n; i++)
    {
      const VizBox *box = viz_diagram_builder_box (builder, i);

      if (box->flags & (VIZ_BOX_FOLDED | VIZ_BOX_INSIDE) || box->step >= 0 ||
          box->kind == VIZ_BOX_INPUT || box->kind == VIZ_BOX_OUTPUT)
        continue;
      if (!members[box->parent])
        members[box->parent] = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_array_append_val (members[box->parent], i);
    }
  for (guint32 i = 0; i < n; i++)
    if (members[i])
      {
        if (viz_diagram_builder_box (builder, i)->kind != VIZ_BOX_STEPS)
          fold_group (builder, i, members[i], part_of, what);
        g_array_unref (members[i]);
      }
  g_free (part_of);
  g_free (members);
}

/* A scope that feeds something which feeds the scope again cannot be drawn as a box in the flow:
 * such scopes are taken apart. */

typedef struct
{
  VizDiagramBuilder *builder;
  guint32            n, n_edges;
  guint32           *first, *head;
  guint32           *depth;
} Quotient;

static guint32
parent_of (const Quotient *quotient, guint32 box)
{
  return viz_diagram_builder_box (quotient->builder, box)->parent;
}

/* The two boxes of one parent between which an arrow runs; FALSE if there is none. */
static gboolean
lift (const Quotient *quotient, const VizArrow *arrow, guint32 *tail, guint32 *head)
{
  guint32 a = arrow->tail, b = arrow->head;

  while (quotient->depth[a] > quotient->depth[b])
    a = parent_of (quotient, a);
  while (quotient->depth[b] > quotient->depth[a])
    b = parent_of (quotient, b);
  if (a == b)
    return FALSE;
  while (parent_of (quotient, a) != parent_of (quotient, b))
    {
      a = parent_of (quotient, a);
      b = parent_of (quotient, b);
    }
  *tail = a;
  *head = b;
  return arrow->kind != VIZ_ARROW_FEEDBACK;
}

static void
build_quotient (Quotient *quotient)
{
  guint32  n_arrows = viz_diagram_builder_n_arrows (quotient->builder);
  guint32  tail, head;
  guint32 *next;

  quotient->first = g_new0 (guint32, quotient->n + 1);
  quotient->head = g_new (guint32, n_arrows + 1);
  quotient->depth = g_new0 (guint32, quotient->n);
  for (guint32 i = 1; i < quotient->n; i++)
    for (guint32 at = i; at != VIZ_ROOT && quotient->depth[i] < quotient->n;
         at = parent_of (quotient, at))
      quotient->depth[i]++;
  for (guint32 i = 0; i < n_arrows; i++)
    if (lift (quotient, viz_diagram_builder_arrow (quotient->builder, i), &tail, &head))
      quotient->first[tail + 1]++;
  for (guint32 i = 0; i < quotient->n; i++)
    quotient->first[i + 1] += quotient->first[i];
  next = g_memdup2 (quotient->first, (quotient->n + 1) * sizeof *next);
  for (guint32 i = 0; i < n_arrows; i++)
    if (lift (quotient, viz_diagram_builder_arrow (quotient->builder, i), &tail, &head))
      quotient->head[next[tail]++] = head;
  g_free (next);
}

/* Tarjan's strongly connected components, with a stack of our own.  Marks every box that shares
 * its component with another. */
static guint8 *
find_cycles (const Quotient *quotient)
{
  guint32  n = quotient->n, counter = 0;
  guint8  *in_cycle = g_new0 (guint8, n);
  guint8  *on_stack = g_new0 (guint8, n);
  guint32 *index = g_new0 (guint32, n), *low = g_new0 (guint32, n);
  guint32 *at = g_memdup2 (quotient->first, n * sizeof *at);
  guint32 *path = g_new (guint32, n + 1), *open = g_new (guint32, n + 1);
  guint32  n_path = 0, n_open = 0;

  for (guint32 start = 0; start < n; start++)
    {
      if (index[start] != 0)
        continue;
      path[n_path++] = start;
      while (n_path > 0)
        {
          guint32 node = path[n_path - 1];

          if (index[node] == 0)
            {
              index[node] = low[node] = ++counter;
              open[n_open++] = node;
              on_stack[node] = TRUE;
            }
          if (at[node] < quotient->first[node + 1])
            {
              guint32 head = quotient->head[at[node]++];

              if (index[head] == 0)
                path[n_path++] = head;
              else if (on_stack[head])
                low[node] = MIN (low[node], index[head]);
              continue;
            }
          n_path--;
          if (n_path > 0)
            low[path[n_path - 1]] = MIN (low[path[n_path - 1]], low[node]);
          if (low[node] != index[node])
            continue;
          for (guint32 first = n_open; n_open > 0;)
            {
              guint32 member = open[--n_open];

              on_stack[member] = FALSE;
              in_cycle[member] = member != node || first - n_open > 1;
              if (member == node)
                break;
            }
        }
    }
  g_free (open);
  g_free (path);
  g_free (at);
  g_free (low);
  g_free (index);
  g_free (on_stack);
  return in_cycle;
}

/* Gives the children of cyclic scopes to their parents.  FALSE when there were none. */
static gboolean
dissolve_cyclic_scopes (VizDiagramBuilder *builder, guint32 n_given)
{
  Quotient quotient = { .builder = builder, .n = viz_diagram_builder_n_boxes (builder) };
  guint8  *in_cycle;
  gboolean any = FALSE;

  build_quotient (&quotient);
  in_cycle = find_cycles (&quotient);
  for (guint32 i = n_given; i < quotient.n; i++)
    in_cycle[i] = in_cycle[i] && viz_diagram_builder_box (builder, i)->kind == VIZ_BOX_SCOPE &&
                  viz_diagram_builder_box (builder, i)->step < 0;
  for (guint32 i = 1; i < quotient.n; i++)
    {
      guint32 parent = parent_of (&quotient, i);

      while (parent >= n_given && in_cycle[parent])
        {
          parent = parent_of (&quotient, parent);
          any = TRUE;
        }
      viz_diagram_builder_set_parent (builder, i, parent);
    }
  /* Empty now: nothing to see. */
  for (guint32 i = n_given; i < quotient.n; i++)
    if (in_cycle[i])
      viz_diagram_builder_add_flags (builder, i, VIZ_BOX_FOLDED);
  g_free (in_cycle);
  g_free (quotient.depth);
  g_free (quotient.head);
  g_free (quotient.first);
  return any;
}

static void
dissolve_all (VizDiagramBuilder *builder, guint32 n_given)
{
  for (guint round = 0; round < ROUNDS && dissolve_cyclic_scopes (builder, n_given); round++)
    ;
}

void
viz_fold (VizDiagramBuilder *builder, VizFoldWhat what)
{
  guint32 n_given = viz_diagram_builder_n_boxes (builder);

  if (what & VIZ_FOLD_WEIGHTS)
    fold_weights (builder);
  if (what & (VIZ_FOLD_SCOPES | VIZ_FOLD_REPEATS))
    fold_names (builder, what);
  dissolve_all (builder, n_given);
  if (what & VIZ_FOLD_REPEATS && viz_fold_repeats (builder, n_given))
    dissolve_all (builder, n_given);
  if (what & VIZ_FOLD_REPEATS)
    viz_fold_twins (builder, n_given);
  viz_fold_open (builder);
}
