/* diff.c — matches the nodes of two graphs from their variables on.
 *
 * First nodes that do the same with inputs that match_nodes, then recurrent units in different
 * forms, then nodes of the same name.  Start reading at hyb_diff_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/diff.h"

#include "engine/variants/conversion.h"
#include "engine/variants/node-kind.h"
#include "engine/variants/recognise.h"
#include "engine/variants/roles/counterparts.h"
#include "engine/variants/structure.h"

#include <math.h>
#include <string.h>

typedef struct
{
  HybModel *a_model, *b_model;
  HybGraph *a, *b;
  HybDiff  *diff;
} Differ;

static void
free_group (gpointer data)
{
  HybDiffGroup *group = data;

  g_free (group->role);
  g_array_unref (group->a);
  g_array_unref (group->b);
  g_free (group);
}

void
hyb_diff_free (HybDiff *diff)
{
  if (!diff)
    return;
  g_free (diff->b_of_a);
  g_free (diff->a_of_b);
  g_array_unref (diff->removed);
  g_array_unref (diff->added);
  g_array_unref (diff->changed);
  g_ptr_array_unref (diff->groups);
  g_array_unref (diff->parameters);
  g_free (diff);
}

static void
match_nodes (Differ *differ, HybNodeId a, HybNodeId b)
{
  differ->diff->b_of_a[a] = b;
  differ->diff->a_of_b[b] = a;
}

/* --- Equal work on equal inputs --- */

/* The operator and inputs of a node as text; inputs are named by their ids in b. NULL if an input of a has no match in b.
 * (transfer full) */
static char *
key_of (const Differ *differ, HybGraph *graph, HybNodeId id, gboolean is_a)
{
  const HybNode    *node = hyb_graph_get_node (graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
  HybGraph *const  *bodies = hyb_graph_get_bodies (graph, id);
  GString *text = g_string_new (node->op->flags & HYB_OP_OPAQUE ? node->type : node->op->name);

  if (hyb_node_is_variable (node))
    g_string_append_printf (text, "|%s", node->name);
  /* Hints of frontends, such as __ctx_group__, are not compared. */
  for (guint i = 0; node->attributes && node->attributes[i]; i += 2)
    if (!g_str_has_prefix (node->attributes[i], "__"))
      g_string_append_printf (text, "|%s=%s", node->attributes[i], node->attributes[i + 1]);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      HybNodeId maker = hyb_graph_get_producer (graph, inputs[i]);
      HybNodeId known = is_a ? differ->diff->b_of_a[maker] : maker;

      if (known == HYB_NO_ID)
        {
          g_string_free (text, TRUE);
          return NULL;
        }
      g_string_append_printf (text, "|%u:%u", known, hyb_graph_get_output_index (graph, inputs[i]));
    }
  for (guint b = 0; b < node->n_bodies; b++)
    {
      g_autofree char *body = hyb_graph_print (bodies[b], NULL);

      g_string_append_printf (text, "|{%s}", body);
    }
  return g_string_free (text, FALSE);
}

static void
free_queue (gpointer queue)
{
  g_queue_free (queue);
}

/* Queues of nodes of b by key, in the order of the graph. */
static GHashTable *
index_nodes (Differ *differ)
{
  GHashTable *index = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_queue);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (differ->b); id++)
    {
      char   *key = key_of (differ, differ->b, id, FALSE);
      GQueue *queue = g_hash_table_lookup (index, key);

      if (queue)
        g_free (key);
      else
        {
          queue = g_queue_new ();
          g_hash_table_insert (index, key, queue);
        }
      g_queue_push_tail (queue, GUINT_TO_POINTER (id));
    }
  return index;
}

static void
match_equal (Differ *differ)
{
  g_autoptr (GHashTable) index = index_nodes (differ);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (differ->a); id++)
    {
      g_autofree char *key = key_of (differ, differ->a, id, TRUE);
      GQueue          *queue = key ? g_hash_table_lookup (index, key) : NULL;

      if (queue && !g_queue_is_empty (queue))
        {
          match_nodes (differ, id, GPOINTER_TO_UINT (g_queue_pop_head (queue)));
          differ->diff->n_matched++;
        }
    }
}

/* --- The same cells in other forms --- */

/* Something recurrent that has no match_nodes: an unrolled chain, or one node. */
typedef struct
{
  const char *cell;
  gint64      hidden;
  guint       n_chains; /* layers × directions */
  GArray     *nodes;    /* of HybNodeId */
} RecurrentUnit;

static void
free_unit (gpointer data)
{
  RecurrentUnit *unit = data;

  g_array_unref (unit->nodes);
  g_free (unit);
}

static RecurrentUnit *
new_unit (GPtrArray *units, const char *cell, gint64 hidden, guint n_chains)
{
  RecurrentUnit *unit = g_new0 (RecurrentUnit, 1);

  unit->cell = g_intern_string (cell);
  unit->hidden = hidden;
  unit->n_chains = n_chains;
  unit->nodes = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_ptr_array_add (units, unit);
  return unit;
}

/* Adds fused operators and loops. */
static void
add_node_units (HybGraph *graph, const HybType *types, const HybNodeId *matched, GPtrArray *units)
{
  g_autoptr (GArray) structure = hyb_structure_find (graph, types);

  for (guint i = 0; i < structure->len; i++)
    {
      const HybStructure *entry = &g_array_index (structure, HybStructure, i);
      HybNodeKind         word = hyb_node_kind (hyb_graph_get_node (graph, entry->node));
      guint               n_directions = g_strcmp0 (entry->direction, "both") == 0 ? 2 : 1;
      gboolean is_node = word == HYB_KIND_RNN || word == HYB_KIND_FOREACH || word == HYB_KIND_WHILE;

      if (is_node && entry->cell && matched[entry->node] == HYB_NO_ID)
        g_array_append_val (new_unit (units, entry->cell, entry->hidden,
                                      entry->layers * n_directions)
                                ->nodes,
                            entry->node);
    }
}

/* Adds unrolled chains. */
static void
add_chain_units (HybGraph *graph, const HybType *types, const HybNodeId *matched, GPtrArray *units)
{
  g_autoptr (HybCells) cells = hyb_cells_find (graph, types, NULL);

  for (guint c = 0; c < cells->chains->len; c++)
    {
      const HybChain *chain = cells->chains->pdata[c];
      HybNodeId       first = hyb_graph_get_producer (graph, hyb_chain_step (cells, chain, 0)->h);
      RecurrentUnit  *unit;

      if (matched[first] != HYB_NO_ID)
        continue;
      unit = new_unit (units, hyb_cell_kind_name (chain->kind), chain->hidden, 1);
      for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
        if (cells->chain_of_node[id] == c)
          g_array_append_val (unit->nodes, id);
    }
}

static GPtrArray *
list_units (HybModel *model, const HybNodeId *matched)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = hyb_variant_infer_types (model, NULL);
  GPtrArray          *units = g_ptr_array_new_with_free_func (free_unit);

  add_node_units (graph, types, matched, units);
  add_chain_units (graph, types, matched, units);
  return units;
}

/* Removes units of this cell from units, up to n_chains chains, and appends their nodes to nodes.
 * Returns how many chains they have. */
static guint
remove_units (GPtrArray *units, const char *cell, gint64 hidden, guint n_chains, GArray *nodes)
{
  guint n = 0;

  for (guint i = 0; i < units->len && n < n_chains;)
    {
      RecurrentUnit *unit = units->pdata[i];

      if (unit->cell != cell || unit->hidden != hidden || n + unit->n_chains > n_chains)
        {
          i++;
          continue;
        }
      g_array_append_vals (nodes, unit->nodes->data, unit->nodes->len);
      n += unit->n_chains;
      g_ptr_array_remove_index (units, i);
    }
  return n;
}

static void
add_group (Differ *differ, GArray *a, GArray *b)
{
  HybDiffGroup *group = g_new0 (HybDiffGroup, 1);

  for (guint i = 0; i < a->len; i++)
    differ->diff->b_of_a[g_array_index (a, HybNodeId, i)] = g_array_index (b, HybNodeId, 0);
  for (guint i = 0; i < b->len; i++)
    differ->diff->a_of_b[g_array_index (b, HybNodeId, i)] = g_array_index (a, HybNodeId, 0);
  group->a = g_array_ref (a);
  group->b = g_array_ref (b);
  g_ptr_array_add (differ->diff->groups, group);
}

/* Matches units of the same cell, each against as many of the other model as it has chains. */
static void
match_units (Differ *differ)
{
  g_autoptr (GPtrArray) a = list_units (differ->a_model, differ->diff->b_of_a);
  g_autoptr (GPtrArray) b = list_units (differ->b_model, differ->diff->a_of_b);

  while (a->len > 0 && b->len > 0)
    {
      const RecurrentUnit *unit = a->pdata[0];
      const char          *cell = unit->cell;
      gint64               hidden = unit->hidden;
      guint                n_chains = unit->n_chains, n_a, n_b;
      g_autoptr (GArray) a_nodes = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
      g_autoptr (GArray) b_nodes = g_array_new (FALSE, FALSE, sizeof (HybNodeId));

      for (guint i = 0; i < b->len; i++)
        if (((RecurrentUnit *) b->pdata[i])->cell == cell &&
            ((RecurrentUnit *) b->pdata[i])->hidden == hidden)
          {
            n_chains = MAX (n_chains, ((RecurrentUnit *) b->pdata[i])->n_chains);
            break;
          }
      n_a = remove_units (a, cell, hidden, n_chains, a_nodes);
      n_b = remove_units (b, cell, hidden, n_chains, b_nodes);
      if (n_a > 0 && n_b > 0)
        add_group (differ, a_nodes, b_nodes);
    }
}

/* --- Nodes that are left --- */

static void
match_names (Differ *differ)
{
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);

  for (HybNodeId id = hyb_graph_n_nodes (differ->b); id-- > 0;)
    if (differ->diff->a_of_b[id] == HYB_NO_ID)
      g_hash_table_insert (by_name, (gpointer) hyb_graph_get_node (differ->b, id)->name,
                           GUINT_TO_POINTER (id + 1));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (differ->a); id++)
    {
      const char *name = hyb_graph_get_node (differ->a, id)->name;
      guint       other = GPOINTER_TO_UINT (g_hash_table_lookup (by_name, name));

      if (differ->diff->b_of_a[id] != HYB_NO_ID || other == 0)
        continue;
      match_nodes (differ, id, other - 1);
      g_array_append_val (differ->diff->changed, id);
      g_hash_table_remove (by_name, name);
    }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (differ->a); id++)
    if (differ->diff->b_of_a[id] == HYB_NO_ID)
      g_array_append_val (differ->diff->removed, id);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (differ->b); id++)
    if (differ->diff->a_of_b[id] == HYB_NO_ID)
      g_array_append_val (differ->diff->added, id);
}

/* --- Parameters --- */

static void
compare_tensors (HybDiffParameter *parameter)
{
  double sum = 0;

  parameter->max_abs = parameter->distance = -1;
  if (!parameter->a || !parameter->b ||
      !hyb_shape_equal (hyb_tensor_get_shape (parameter->a), hyb_tensor_get_shape (parameter->b)))
    return;
  parameter->max_abs = 0;
  for (gint64 i = 0; i < hyb_tensor_get_size (parameter->a); i++)
    {
      double difference =
          fabs (hyb_tensor_get_value (parameter->a, i) - hyb_tensor_get_value (parameter->b, i));

      parameter->max_abs = fmax (parameter->max_abs, difference);
      sum += difference * difference;
    }
  parameter->distance = sqrt (sum);
}

static void
compare_parameters (Differ *differ)
{
  for (guint i = 0; i < hyb_model_n_parameters (differ->a_model); i++)
    {
      const char      *name = hyb_model_get_parameter_name (differ->a_model, i);
      HybDiffParameter parameter = { .name = name,
                                     .a = hyb_model_get_parameter (differ->a_model, name),
                                     .b = hyb_model_get_parameter (differ->b_model, name) };

      compare_tensors (&parameter);
      if (parameter.max_abs == 0)
        differ->diff->n_equal++;
      else
        g_array_append_val (differ->diff->parameters, parameter);
    }
  for (guint i = 0; i < hyb_model_n_parameters (differ->b_model); i++)
    {
      const char      *name = hyb_model_get_parameter_name (differ->b_model, i);
      HybDiffParameter parameter = { .name = name,
                                     .b = hyb_model_get_parameter (differ->b_model, name),
                                     .max_abs = -1,
                                     .distance = -1 };

      if (!hyb_model_get_parameter (differ->a_model, name))
        g_array_append_val (differ->diff->parameters, parameter);
    }
}

static gboolean
heads_match (const Differ *differ)
{
  guint             n, m;
  const HybValueId *a = hyb_graph_get_heads (differ->a, &n);
  const HybValueId *b = hyb_graph_get_heads (differ->b, &m);

  for (guint i = 0; n == m && i < n; i++)
    if (differ->diff->b_of_a[hyb_graph_get_producer (differ->a, a[i])] !=
            hyb_graph_get_producer (differ->b, b[i]) ||
        hyb_graph_get_output_index (differ->a, a[i]) !=
            hyb_graph_get_output_index (differ->b, b[i]))
      return FALSE;
  return n == m;
}

static HybNodeId *
new_map (HybGraph *graph)
{
  guint      n = hyb_graph_n_nodes (graph);
  HybNodeId *map = g_new (HybNodeId, MAX (n, 1));

  memset (map, 0xff, n * sizeof (HybNodeId));
  return map;
}

/* --- Roles --- */

static void
remove_all (GArray *from, const GArray *nodes)
{
  for (guint i = from->len; i-- > 0;)
    for (guint k = 0; k < nodes->len; k++)
      if (g_array_index (from, HybNodeId, i) == g_array_index (nodes, HybNodeId, k))
        {
          g_array_remove_index (from, i);
          break;
        }
}

/* Whether a group is a pair of nodes that match already. */
static gboolean
is_known (const HybDiff *diff, const HybCounterpart *counterpart)
{
  HybNodeId a = g_array_index (counterpart->a, HybNodeId, 0);

  if (counterpart->a->len != 1 || counterpart->b->len != 1 ||
      diff->b_of_a[a] != g_array_index (counterpart->b, HybNodeId, 0))
    return FALSE;
  for (guint i = 0; i < diff->changed->len; i++)
    if (g_array_index (diff->changed, HybNodeId, i) == a)
      return FALSE;
  return TRUE;
}

void
hyb_diff_add_counterparts (HybDiff *diff, const GPtrArray *counterparts)
{
  g_ptr_array_set_size (diff->groups, 0);
  for (guint i = 0; i < counterparts->len; i++)
    {
      const HybCounterpart *counterpart = counterparts->pdata[i];
      HybDiffGroup         *group;

      if (is_known (diff, counterpart))
        continue;
      group = g_new (HybDiffGroup, 1);
      *group = (HybDiffGroup){ g_strdup (counterpart->role), g_array_ref (counterpart->a),
                               g_array_ref (counterpart->b) };
      g_ptr_array_add (diff->groups, group);
      remove_all (diff->removed, counterpart->a);
      remove_all (diff->changed, counterpart->a);
      remove_all (diff->added, counterpart->b);
    }
}

HybDiff *
hyb_diff_new (HybModel *a, HybModel *b)
{
  HybDiff *diff = g_new0 (HybDiff, 1);
  Differ   differ = { a, b, hyb_model_get_graph (a), hyb_model_get_graph (b), diff };

  diff->b_of_a = new_map (differ.a);
  diff->a_of_b = new_map (differ.b);
  diff->removed = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  diff->added = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  diff->changed = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  diff->groups = g_ptr_array_new_with_free_func (free_group);
  diff->parameters = g_array_new (FALSE, FALSE, sizeof (HybDiffParameter));
  match_equal (&differ);
  match_units (&differ);
  match_names (&differ);
  compare_parameters (&differ);
  diff->same = diff->removed->len == 0 && diff->added->len == 0 && diff->changed->len == 0 &&
               diff->groups->len == 0 && diff->parameters->len == 0 && heads_match (&differ);
  return diff;
}
