/* beside.c — see beside.h.
 *
 * Each node of the model is a unit.  Nodes that one of the programs computes together are joined; a group is a set of joined
 * units.  Both captures have the nodes of the model under their names.  Start at prof_beside_list().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/beside.h"

#include "profiler/summary/origins.h"

#include <string.h>

#define MAX_NAMES 8 /* in a text */

/* Names, of which a text shows the first. */
typedef struct
{
  GString *text; /* NULL: none */
  guint    n;
} Names;

typedef struct
{
  const ProfBeside *given;
  guint             n_units; /* rows of theirs, by which all arrays are */
  GHashTable       *by_name; /* name of a node of the model → unit + 1 */
  guint32          *parent;  /* of a tree whose root represents the group */
  guint8           *has_ours;
  double           *ours;
  Names            *our_names, *their_names;
  double            unplaced;
} Joining;

/* --- Names --- */

static void
add_name (Names *names, const char *name)
{
  if (!names->text)
    names->text = g_string_new (NULL);
  if (names->n < MAX_NAMES)
    g_string_append_printf (names->text, "%s%s", names->n > 0 ? ", " : "", name);
  names->n++;
}

/* The text, with how many names it leaves out.  (transfer full) */
static char *
take_text (Names *names)
{
  if (!names->text)
    return g_strdup ("");
  if (names->n > MAX_NAMES)
    g_string_append_printf (names->text, " and %u more", names->n - MAX_NAMES);
  return g_string_free (g_steal_pointer (&names->text), FALSE);
}

static const char *
name_of (const ProfCapture *capture, guint32 row)
{
  return prof_capture_get_string (capture, prof_capture_get_node (capture, row)->name);
}

/* --- Units and groups --- */

static guint32
root_of (const Joining *joining, guint32 unit)
{
  while (joining->parent[unit] != unit)
    unit = joining->parent[unit] = joining->parent[joining->parent[unit]];
  return unit;
}

/* Joins the groups of two units; the earlier one stays the root. */
static void
join (const Joining *joining, guint32 a, guint32 b)
{
  guint32 x = root_of (joining, a), y = root_of (joining, b);

  joining->parent[MAX (x, y)] = MIN (x, y);
}

static guint32
unit_of (const Joining *joining, const char *name)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (joining->by_name, name)) - 1;
}

static gboolean
ran_there (const Joining *joining, guint32 unit)
{
  return joining->given->theirs_summary->by_row[unit] != PROF_NONE;
}

static void
list_units (Joining *joining)
{
  const ProfCapture *theirs = joining->given->theirs;

  for (guint32 row = 0; row < joining->n_units; row++)
    {
      const ProfNode *node = prof_capture_get_node (theirs, row);
      const char     *name = prof_capture_get_string (theirs, node->name);

      joining->parent[row] = row;
      if (!(node->flags & (PROF_NODE_VARIABLE | PROF_NODE_ADDED)) &&
          !g_hash_table_contains (joining->by_name, name))
        g_hash_table_insert (joining->by_name, (gpointer) name, GUINT_TO_POINTER (row + 1));
    }
}

/* --- Nodes computed together --- */

/* Counts a row of ours with the nodes that it computes, which are one group, or else with the first that it helps. */
static void
place_ours (Joining *joining, const ProfOrigins *origins, const ProfNodeSum *sum)
{
  const ProfCapture *ours = joining->given->ours;
  guint              n;
  const ProfOrigin  *all = prof_origins_of (origins, sum->row, &n);
  guint32            first = PROF_NONE;

  for (guint i = 0; i < n && (first == PROF_NONE || all[i].role == PROF_COMPUTES); i++)
    {
      guint32 unit = unit_of (joining, name_of (ours, all[i].of));

      if (unit == PROF_NONE)
        continue;
      first = first == PROF_NONE ? unit : first;
      joining->has_ours[unit] = TRUE;
      join (joining, first, unit);
    }
  if (first == PROF_NONE)
    {
      joining->unplaced += sum->self;
      return;
    }
  joining->ours[first] += sum->self;
  if (all[0].role == PROF_COMPUTES)
    {
      const ProfNode  *node = prof_capture_get_node (ours, sum->row);
      g_autofree char *text = g_strdup_printf ("%s (%s)", name_of (ours, sum->row),
                                               prof_capture_get_string (ours, node->type));

      add_name (&joining->our_names[first], text);
    }
}

static void
place_all_ours (Joining *joining)
{
  const ProfBeside *given = joining->given;
  g_autoptr (ProfOrigins) origins = prof_origins_new (given->ours, given->ours_summary);

  for (guint i = 0; i < given->ours_summary->node->len; i++)
    place_ours (joining, origins, &g_array_index (given->ours_summary->node, ProfNodeSum, i));
}

/* The last node that ran there among those that a node reads directly or through nodes that did not; PROF_NONE if there is
 * none.  ends: by node, the same for the nodes before it. */
static guint32
last_before (const Joining *joining, HybNodeId id, const guint32 *unit_of_node, const guint32 *ends)
{
  HybGraph         *graph = joining->given->graph;
  const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
  guint32           last = PROF_NONE;

  for (guint i = 0; i < hyb_graph_get_node (graph, id)->n_inputs; i++)
    {
      HybNodeId producer = hyb_graph_get_producer (graph, inputs[i]);
      guint32   unit = unit_of_node[producer];

      if (unit != PROF_NONE && !ran_there (joining, unit))
        unit = ends[producer];
      if (unit != PROF_NONE && (last == PROF_NONE || unit > last))
        last = unit;
    }
  return last;
}

/* Joins nodes that did not run there with those that include them. */
static void
follow_their_fusions (Joining *joining)
{
  HybGraph           *graph = joining->given->graph;
  guint               n = MAX (hyb_graph_n_nodes (graph), 1);
  g_autofree guint32 *units = g_new (guint32, n), *ends = g_new (guint32, n);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      ends[id] = PROF_NONE;
      units[id] = hyb_node_is_variable (node) ? PROF_NONE : unit_of (joining, node->name);
      if (units[id] == PROF_NONE || ran_there (joining, units[id]))
        continue;
      ends[id] = last_before (joining, id, units, ends);
      /* Nodes that neither program computes are constants or shapes. */
      if (ends[id] != PROF_NONE && joining->has_ours[units[id]])
        join (joining, ends[id], units[id]);
    }
}

/* Names of the other program for its nodes: the model's unless its optimiser gave others. */
static void
name_theirs (Joining *joining)
{
  const GArray *fusions = joining->given->import->fusions;

  for (guint i = 0; i < fusions->len; i++)
    {
      const ProfFusion *fusion = &g_array_index (fusions, ProfFusion, i);
      guint32           unit = unit_of (joining, fusion->first);

      if (unit != PROF_NONE && ran_there (joining, unit))
        add_name (&joining->their_names[unit], fusion->name);
    }
  for (guint32 unit = 0; unit < joining->n_units; unit++)
    if (ran_there (joining, unit) && joining->their_names[unit].n == 0)
      add_name (&joining->their_names[unit], name_of (joining->given->theirs, unit));
}

/* --- Groups --- */

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const ProfBesideRow *x = a, *y = b;
  double               more = MAX (x->ours_seconds, x->theirs_seconds);
  double               less = MAX (y->ours_seconds, y->theirs_seconds);

  if (more != less)
    return more < less ? 1 : -1;
  return strcmp (x->nodes->pdata[0], y->nodes->pdata[0]);
}

static void
clear_row (gpointer data)
{
  ProfBesideRow *row = data;

  g_ptr_array_unref (row->nodes);
  g_free (row->ours);
  g_free (row->theirs);
}

/* Adds a unit to the row of its group.  index: by root, of the row + 1. */
static void
add_unit (const Joining *joining, guint32 unit, guint *index, GArray *rows)
{
  const ProfSummary *theirs = joining->given->theirs_summary;
  guint32            root = root_of (joining, unit);
  ProfBesideRow     *row;

  if (!ran_there (joining, unit) && !joining->has_ours[unit])
    return;
  if (index[root] == 0)
    {
      g_array_set_size (rows, rows->len + 1);
      index[root] = rows->len;
      g_array_index (rows, ProfBesideRow, rows->len - 1).nodes = g_ptr_array_new ();
    }
  row = &g_array_index (rows, ProfBesideRow, index[root] - 1);
  row->ours_seconds += joining->ours[unit];
  if (ran_there (joining, unit))
    row->theirs_seconds += g_array_index (theirs->node, ProfNodeSum, theirs->by_row[unit]).self;
  g_ptr_array_add (row->nodes, (gpointer) name_of (joining->given->theirs, unit));
  if (joining->our_names[unit].text && unit != root)
    add_name (&joining->our_names[root], joining->our_names[unit].text->str);
  if (joining->their_names[unit].text && unit != root)
    add_name (&joining->their_names[root], joining->their_names[unit].text->str);
}

static GArray *
make_rows (Joining *joining)
{
  GArray           *rows = g_array_new (FALSE, TRUE, sizeof (ProfBesideRow));
  g_autofree guint *index = g_new0 (guint, joining->n_units + 1);

  g_array_set_clear_func (rows, clear_row);
  for (guint32 unit = 0; unit < joining->n_units; unit++)
    add_unit (joining, unit, index, rows);
  for (guint32 unit = 0; unit < joining->n_units; unit++)
    if (index[unit] > 0)
      {
        ProfBesideRow *row = &g_array_index (rows, ProfBesideRow, index[unit] - 1);

        row->ours = take_text (&joining->our_names[unit]);
        row->theirs = take_text (&joining->their_names[unit]);
      }
  g_array_sort (rows, compare_rows);
  return rows;
}

static void
free_names (Names *names, guint n)
{
  for (guint i = 0; i < n; i++)
    if (names[i].text)
      g_string_free (names[i].text, TRUE);
  g_free (names);
}

GArray *
prof_beside_list (const ProfBeside *given, double *unplaced)
{
  guint   n = prof_capture_n_nodes (given->theirs);
  Joining joining = {
    .given = given,
    .n_units = n,
    .by_name = g_hash_table_new (g_str_hash, g_str_equal),
    .parent = g_new (guint32, n + 1),
    .has_ours = g_new0 (guint8, n + 1),
    .ours = g_new0 (double, n + 1),
    .our_names = g_new0 (Names, n + 1),
    .their_names = g_new0 (Names, n + 1),
  };
  GArray *rows;

  list_units (&joining);
  place_all_ours (&joining);
  follow_their_fusions (&joining);
  name_theirs (&joining);
  rows = make_rows (&joining);
  *unplaced = joining.unplaced;

  g_hash_table_unref (joining.by_name);
  g_free (joining.parent);
  g_free (joining.has_ours);
  g_free (joining.ours);
  free_names (joining.our_names, n);
  free_names (joining.their_names, n);
  return rows;
}
