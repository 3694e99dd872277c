/* fold-branches.c — groups equal branches that run side by side into one operator.
 *
 * A detector joins six heads of the same four operators, one for each scale; a decoder that was written out by
 * hand joins a hundred.  A branch is all that only leads to one input of the operator that joins them.  Equal
 * branches become one closed group, "6 × conv … Flatten".
 * Start reading at viz_fold_branches().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-private.h"

#include "viz/diagram/short-names.h"

#define SMALL_GROUP  24 /* groups of up to this many boxes are left as they are */
#define MIN_BRANCHES 4
#define MIN_BOXES    2   /* of a branch; single boxes are grouped by fold-twins.c */
#define MAX_BOXES    200 /* of a branch */

typedef struct
{
  VizDiagramBuilder *builder;
  guint32            n_given;
  guint32           *first_in, *tails; /* tails of the arrows into box i, from first_in[i] on */
  guint32           *n_out;            /* arrows that leave a box */
  guint32           *n_inside; /* per box, while a branch is collected: arrows into the branch */
  guint8            *is_taken; /* in a branch that was found */
} Branches;

/* A branch, or several equal ones. */
typedef struct
{
  GArray *boxes;   /* guint32, the last operator first */
  guint32 n_equal; /* branches */
} Branch;

static void
branch_free (gpointer data)
{
  Branch *branch = data;

  g_array_unref (branch->boxes);
  g_free (branch);
}

static void
index_tails (Branches *branches, guint32 n)
{
  guint32 n_arrows = viz_diagram_builder_n_arrows (branches->builder);

  branches->first_in = g_new0 (guint32, n + 2);
  branches->tails = g_new (guint32, n_arrows + 1);
  branches->n_out = g_new0 (guint32, n);
  for (guint32 i = 0; i < n_arrows; i++)
    {
      const VizArrow *arrow = viz_diagram_builder_arrow (branches->builder, i);

      if (viz_fold_is_inner (branches->builder, arrow))
        continue;
      branches->first_in[arrow->head + 2]++;
      branches->n_out[arrow->tail]++;
    }
  for (guint32 i = 0; i < n; i++)
    branches->first_in[i + 2] += branches->first_in[i + 1];
  for (guint32 i = 0; i < n_arrows; i++)
    {
      const VizArrow *arrow = viz_diagram_builder_arrow (branches->builder, i);

      if (!viz_fold_is_inner (branches->builder, arrow))
        branches->tails[branches->first_in[arrow->head + 1]++] = arrow->tail;
    }
}

/* Whether a box may be in a branch below a group. */
static gboolean
is_loose (const Branches *branches, guint32 box, guint32 group)
{
  const VizBox *shown = viz_diagram_builder_box (branches->builder, box);

  return box < branches->n_given && shown->parent == group && shown->step < 0 &&
         !branches->is_taken[box] &&
         (shown->kind == VIZ_BOX_OPERATOR || shown->kind == VIZ_BOX_FRAME) &&
         (shown->flags & (VIZ_BOX_FOLDED | VIZ_BOX_INSIDE | VIZ_BOX_PROBLEM)) == 0;
}

/* The boxes that only lead to last, with last; and a text that is equal for equal branches.  NULL if they are
 * too few or too many.  (transfer full) */
static Branch *
collect (Branches *branches, guint32 last, GString *text)
{
  guint32 group = viz_diagram_builder_box (branches->builder, last)->parent;
  Branch *branch = g_new0 (Branch, 1);

  branch->n_equal = 1;
  branch->boxes = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_val (branch->boxes, last);
  for (guint at = 0; at < branch->boxes->len && branch->boxes->len <= MAX_BOXES; at++)
    {
      guint32       box = g_array_index (branch->boxes, guint32, at);
      const VizBox *shown = viz_diagram_builder_box (branches->builder, box);

      g_string_append_printf (text, "%s(", shown->title ? shown->title : "");
      for (guint32 k = branches->first_in[box]; k < branches->first_in[box + 1]; k++)
        {
          guint32 tail = branches->tails[k];

          if (!is_loose (branches, tail, group))
            continue;
          g_string_append_c (text, '.');
          if (++branches->n_inside[tail] == branches->n_out[tail])
            g_array_append_val (branch->boxes, tail);
        }
      g_string_append_c (text, ')');
    }
  for (guint i = 0; i < branch->boxes->len; i++)
    {
      guint32 box = g_array_index (branch->boxes, guint32, i);

      for (guint32 k = branches->first_in[box]; k < branches->first_in[box + 1]; k++)
        branches->n_inside[branches->tails[k]] = 0;
    }
  if (branch->boxes->len >= MIN_BOXES && branch->boxes->len <= MAX_BOXES)
    return branch;
  branch_free (branch);
  return NULL;
}

static void
add_group (Branches *branches, const Branch *branch)
{
  VizDiagramBuilder *builder = branches->builder;
  guint32            n = branch->boxes->len / branch->n_equal;
  guint32            last = g_array_index (branch->boxes, guint32, 0);
  const VizBox      *end = viz_diagram_builder_box (builder, last);
  const VizBox      *start =
      viz_diagram_builder_box (builder, g_array_index (branch->boxes, guint32, n - 1));
  g_autofree char *id = g_strdup_printf ("branches:%s", end->id);
  g_autofree char *from = viz_short_operator (start->title ? start->title : "");
  g_autofree char *to = viz_short_operator (end->title ? end->title : "");
  g_autofree char *title = g_strdup_printf ("%u × %s … %s", branch->n_equal, from, to);

  viz_fold_add_group (builder,
                      &(VizBoxInfo){ .id = id,
                                     .title = title,
                                     .kind = VIZ_BOX_SCOPE,
                                     .category = start->category,
                                     .flags = VIZ_BOX_TWINS,
                                     .parent = end->parent,
                                     .user = VIZ_NO_USER },
                      branch->boxes);
}

/* Groups the equal branches that a box joins. */
static void
fold_into (Branches *branches, guint32 box)
{
  guint32 group = viz_diagram_builder_box (branches->builder, box)->parent;
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (branch_free);
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint32 k = branches->first_in[box]; k < branches->first_in[box + 1]; k++)
    {
      g_autoptr (GString) text = NULL;
      guint32 last = branches->tails[k];
      Branch *branch, *equal;

      if (!is_loose (branches, last, group) || branches->n_out[last] != 1)
        continue;
      text = g_string_new (NULL);
      branch = collect (branches, last, text);
      if (!branch)
        continue;
      equal = g_hash_table_lookup (known, text->str);
      g_ptr_array_add (all, branch);
      if (!equal)
        g_hash_table_insert (known, g_strdup (text->str), branch);
      else
        {
          g_array_append_vals (equal->boxes, branch->boxes->data, branch->boxes->len);
          equal->n_equal++;
        }
    }
  for (guint i = 0; i < all->len; i++)
    {
      const Branch *branch = all->pdata[i];

      if (branch->n_equal < MIN_BRANCHES)
        continue;
      for (guint b = 0; b < branch->boxes->len; b++)
        branches->is_taken[g_array_index (branch->boxes, guint32, b)] = TRUE;
      add_group (branches, branch);
    }
}

gboolean
viz_fold_branches (VizDiagramBuilder *builder, guint32 n_given)
{
  guint32             n = viz_diagram_builder_n_boxes (builder);
  g_autofree guint32 *n_children = g_new0 (guint32, n);
  Branches            branches = { .builder = builder, .n_given = n_given };

  index_tails (&branches, n);
  branches.n_inside = g_new0 (guint32, n);
  branches.is_taken = g_new0 (guint8, n);
  for (guint32 i = 1; i < n; i++)
    if ((viz_diagram_builder_box (builder, i)->flags & VIZ_BOX_FOLDED) == 0)
      n_children[viz_diagram_builder_box (builder, i)->parent]++;
  for (guint32 i = 1; i < n_given; i++)
    if (branches.first_in[i + 1] - branches.first_in[i] >= MIN_BRANCHES &&
        n_children[viz_diagram_builder_box (builder, i)->parent] > SMALL_GROUP)
      fold_into (&branches, i);
  g_free (branches.first_in);
  g_free (branches.tails);
  g_free (branches.n_out);
  g_free (branches.n_inside);
  g_free (branches.is_taken);
  return viz_diagram_builder_n_boxes (builder) > n;
}
