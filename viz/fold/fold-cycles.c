/* fold-cycles.c — dissolves scopes that lie on a cycle of arrows.
 *
 * A scope whose outputs lead back to one of its inputs through boxes outside cannot be drawn as one
 * box in a flow from top to bottom.  Such scopes hand their children to their parents.
 * Start reading at viz_fold_dissolve_cycles().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-private.h"

/* Dissolving a scope can put the scope around it on a cycle. */
#define ROUNDS 4

/* The arrows between siblings: an arrow between two boxes counts for the ancestors (or boxes) at
 * which their paths to the root meet. */
typedef struct
{
  VizDiagramBuilder *builder;
  guint32            n;  /* boxes */
  guint32 *first, *head; /* heads of the arrows that leave box i: first[i] to first[i + 1] */
  guint32 *depth;        /* per box */
} Quotient;

static guint32
parent_of (const Quotient *quotient, guint32 box)
{
  return viz_diagram_builder_box (quotient->builder, box)->parent;
}

/* The two siblings that contain the ends of an arrow.  FALSE for feedback, if one end contains the other, and for arrows
 * to hidden boxes: the shape of a value inside a scope may be read outside. */
static gboolean
find_siblings (const Quotient *quotient, const VizArrow *arrow, guint32 *tail, guint32 *head)
{
  guint32 a = arrow->tail, b = arrow->head;

  if (viz_diagram_builder_box (quotient->builder, b)->flags & VIZ_BOX_FOLDED)
    return FALSE;
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
    if (find_siblings (quotient, viz_diagram_builder_arrow (quotient->builder, i), &tail, &head))
      quotient->first[tail + 1]++;
  for (guint32 i = 0; i < quotient->n; i++)
    quotient->first[i + 1] += quotient->first[i];
  next = g_memdup2 (quotient->first, (quotient->n + 1) * sizeof *next);
  for (guint32 i = 0; i < n_arrows; i++)
    if (find_siblings (quotient, viz_diagram_builder_arrow (quotient->builder, i), &tail, &head))
      quotient->head[next[tail]++] = head;
  g_free (next);
}

/* Marks every box that shares a strongly connected component with another.  Tarjan's algorithm, with
 * an explicit stack because chains may be 100,000 boxes long. */
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

          /* 1. First visit: number the box and put it on the stack of open boxes. */
          if (index[node] == 0)
            {
              index[node] = low[node] = ++counter;
              open[n_open++] = node;
              on_stack[node] = TRUE;
            }
          /* 2. Descend along the next arrow, or take over the number of an open box that it reaches. */
          if (at[node] < quotient->first[node + 1])
            {
              guint32 head = quotient->head[at[node]++];

              if (index[head] == 0)
                path[n_path++] = head;
              else if (on_stack[head])
                low[node] = MIN (low[node], index[head]);
              continue;
            }
          /* 3. All arrows are done: hand the smallest number reached to the caller. */
          n_path--;
          if (n_path > 0)
            low[path[n_path - 1]] = MIN (low[path[n_path - 1]], low[node]);
          if (low[node] != index[node])
            continue;
          /* 4. The box is the root of a component, which is the top of the stack down to it. */
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

/* Moves the children of scopes on a cycle to the scopes' parents.  Returns whether there were any. */
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
  /* The dissolved scopes are empty now and must not be drawn. */
  for (guint32 i = n_given; i < quotient.n; i++)
    if (in_cycle[i])
      viz_diagram_builder_add_flags (builder, i, VIZ_BOX_FOLDED);
  g_free (in_cycle);
  g_free (quotient.depth);
  g_free (quotient.head);
  g_free (quotient.first);
  return any;
}

void
viz_fold_dissolve_cycles (VizDiagramBuilder *builder, guint32 n_given)
{
  for (guint round = 0; round < ROUNDS && dissolve_cyclic_scopes (builder, n_given); round++)
    ;
}
