/* counterparts.c — finds nodes of two models that have the same role.
 *
 * Recurrent layers, inputs and outputs are paired first, then their readers and inputs (pair-nodes.c). Remaining nodes between
 * the same pairs belong together.  Start at hyb_counterparts_find().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/roles/counterparts.h"

#include "engine/variants/node-kind.h"
#include "engine/variants/roles/pair-nodes.h"
#include "engine/variants/variant.h"

#include <string.h>

#define NO_SET G_MAXUINT

/* One of the models. */
typedef struct
{
  HybModel   *model;
  HybGraph   *graph;
  HybVariant *variant; /* the form in which both are compared */
  guint      *set;     /* by node of graph; NO_SET: none yet */
} Side;

/* Sets of nodes, joined where a node belongs to several. */
typedef struct
{
  GArray    *parent; /* of guint, by set */
  GPtrArray *roles;  /* of char *, by set; NULL: not known */
  GArray    *ranks; /* of guint, by set: of joined sets that with the highest rank gives the role */
} Sets;

/* How much the role of a set says. */
enum
{
  RANK_PLACE,
  RANK_NODE,
  RANK_LAYER,
};

static void
free_counterpart (gpointer data)
{
  HybCounterpart *counterpart = data;

  g_free (counterpart->role);
  g_array_unref (counterpart->a);
  g_array_unref (counterpart->b);
  g_free (counterpart);
}

static guint
add_set (Sets *sets, guint rank, char *role)
{
  guint set = sets->parent->len;

  g_array_append_val (sets->parent, set);
  g_array_append_val (sets->ranks, rank);
  g_ptr_array_add (sets->roles, role);
  return set;
}

static guint
root_of (const Sets *sets, guint set)
{
  guint *parent = (guint *) (gpointer) sets->parent->data;

  while (parent[set] != set)
    set = parent[set] = parent[parent[set]];
  return set;
}

static void
join (Sets *sets, guint a, guint b)
{
  guint first = root_of (sets, a), second = root_of (sets, b);

  if (g_array_index (sets->ranks, guint, second) > g_array_index (sets->ranks, guint, first))
    g_array_index (sets->parent, guint, first) = second;
  else if (first != second)
    g_array_index (sets->parent, guint, second) = first;
}

static void
put_into (Side *side, Sets *sets, HybNodeId id, guint set)
{
  if (side->set[id] == NO_SET)
    side->set[id] = set;
  else
    join (sets, side->set[id], set);
}

/* --- Both in one form --- */

static void
side_init (Side *side, HybModel *model)
{
  guint n = hyb_graph_n_nodes (hyb_model_get_graph (model));

  *side = (Side){ .model = model, .graph = hyb_model_get_graph (model) };
  side->set = g_new (guint, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    side->set[i] = NO_SET;
}

static void
side_clear (Side *side)
{
  hyb_variant_free (side->variant);
  g_free (side->set);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Side, side_clear)

static gboolean
convert (Side *side, HybForm form, HybTensorList *input)
{
  const HybConvertOptions options = {
    .form = form, .per_layer = form == HYB_FORM_FUSED, .is_free = TRUE, .input = input
  };

  hyb_variant_free (side->variant);
  side->variant = hyb_variant_convert (side->model, &options, NULL);
  return side->variant != NULL;
}

static gboolean
keep (Side *side, HybTensorList *input, GError **error)
{
  hyb_variant_free (side->variant);
  side->variant = hyb_variant_keep (side->model, input, error);
  return side->variant != NULL;
}

static gboolean
has_layers (const Side *side)
{
  HybGraph *graph = hyb_model_get_graph (side->variant->model);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (hyb_node_kind (hyb_graph_get_node (graph, id)) == HYB_KIND_RNN)
      return TRUE;
  return FALSE;
}

/* Layers if both can be written so, else steps, else as both models are. */
static gboolean
choose_form (Side *sides, HybTensorList *input, GError **error)
{
  gboolean are_layers = TRUE;

  for (guint i = 0; i < 2; i++)
    {
      if (!convert (&sides[i], HYB_FORM_FUSED, input) && !keep (&sides[i], input, error))
        return FALSE;
      are_layers = are_layers && has_layers (&sides[i]);
    }
  if (are_layers || (convert (&sides[0], HYB_FORM_UNROLLED, input) &&
                     convert (&sides[1], HYB_FORM_UNROLLED, input)))
    return TRUE;
  return keep (&sides[0], input, error) && keep (&sides[1], input, error);
}

/* --- Sets --- */

static char *
describe (HybGraph *graph, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (graph, id);

  if (hyb_node_is_variable (node))
    return g_strdup_printf ("input %s", node->name);
  if (hyb_node_kind (node) == HYB_KIND_RNN)
    return g_strdup_printf ("%s, %" G_GINT64_FORMAT " units",
                            hyb_node_get_attribute (node, "mode")
                                ? hyb_node_get_attribute (node, "mode")
                                : "layer",
                            hyb_node_int (node, "state_size", 0));
  return g_strdup (node->op->name);
}

/* The set of each node of the form that was chosen. */
static void
number_pairs (const Side *sides, const HybPairs *pairs, Sets *sets, guint *of_node[2])
{
  HybGraph *a = hyb_model_get_graph (sides[0].variant->model);

  for (guint i = 0; i < 2; i++)
    {
      guint n = hyb_graph_n_nodes (hyb_model_get_graph (sides[i].variant->model));

      of_node[i] = g_new (guint, MAX (n, 1));
      for (guint k = 0; k < n; k++)
        of_node[i][k] = NO_SET;
    }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (a); id++)
    if (pairs->other[0][id] != HYB_NO_ID)
      of_node[0][id] = of_node[1][pairs->other[0][id]] =
          add_set (sets,
                   hyb_node_kind (hyb_graph_get_node (a, id)) == HYB_KIND_RNN ? RANK_LAYER
                                                                              : RANK_NODE,
                   describe (a, id));
}

/* Where a node that has no pair is: the last set above it and the first one below it. */
typedef struct
{
  guint above, below;
} Place;

/* (transfer full), by node */
static Place *
find_places (HybGraph *graph, const guint *of_node)
{
  guint  n = hyb_graph_n_nodes (graph), n_heads;
  Place *places = g_new (Place, MAX (n, 1));

  for (HybNodeId id = 0; id < n; id++)
    {
      places[id] = (Place){ 0, NO_SET };
      for (guint i = 0; i < hyb_graph_get_node (graph, id)->n_inputs; i++)
        {
          HybNodeId maker = hyb_graph_get_producer (graph, hyb_graph_get_inputs (graph, id)[i]);

          places[id].above = MAX (places[id].above, of_node[maker] != NO_SET ? of_node[maker] + 1
                                                                             : places[maker].above);
        }
    }
  hyb_graph_get_heads (graph, &n_heads);
  for (HybNodeId id = n; id-- > 0;)
    for (guint i = 0; i < hyb_graph_get_node (graph, id)->n_inputs; i++)
      {
        HybNodeId maker = hyb_graph_get_producer (graph, hyb_graph_get_inputs (graph, id)[i]);

        places[maker].below =
            MIN (places[maker].below, of_node[id] != NO_SET ? of_node[id] : places[id].below);
      }
  return places;
}

/* Nodes without a pair that stand between the same pairs in both models. */
static void
join_places (const Side *sides, Sets *sets, guint *of_node[2])
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autofree Place *places[2] = { NULL, NULL };

  for (guint i = 0; i < 2; i++)
    places[i] = find_places (hyb_model_get_graph (sides[i].variant->model), of_node[i]);
  for (guint i = 0; i < 2; i++)
    {
      HybGraph *graph = hyb_model_get_graph (sides[i].variant->model);
      guint     n = hyb_graph_n_nodes (graph);

      for (HybNodeId id = 0; id < n; id++)
        {
          /* Equal neighbours among the pairs, above and below, are the key; the nodes of both
           * models there become one set. */
          gint64   key = ((gint64) places[i][id].above << 32) | places[i][id].below;
          gpointer found = g_hash_table_lookup (seen, &key);

          if (of_node[i][id] != NO_SET || hyb_node_is_variable (hyb_graph_get_node (graph, id)))
            continue;
          if (!found)
            {
              found = GUINT_TO_POINTER (add_set (sets, RANK_PLACE, NULL) + 1);
              g_hash_table_insert (seen, g_memdup2 (&key, sizeof key), found);
            }
          of_node[i][id] = GPOINTER_TO_UINT (found) - 1;
        }
      g_clear_pointer (&places[i], g_free);
    }
}

/* --- Back to the files --- */

/* Nodes of a file by their lowered form. */
static void
lead_back (Side *side, Sets *sets, const guint *of_node)
{
  const GArray *matches = side->variant->matches;

  for (guint i = 0; i < matches->len; i++)
    {
      const HybMatch *match = &g_array_index (matches, HybMatch, i);

      if (of_node[match->b] != NO_SET)
        put_into (side, sets, match->a, of_node[match->b]);
    }
}

/* Inputs are paired by their names. */
static void
pair_inputs (Side *sides, Sets *sets)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (sides[0].graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (sides[0].graph, variables[i])->name;
      HybNodeId   other = hyb_graph_find_variable (sides[1].graph, name);
      guint       set;

      if (other == HYB_NO_ID || hyb_model_get_parameter (sides[0].model, name) ||
          hyb_model_get_parameter (sides[1].model, name))
        continue;
      set = add_set (sets, RANK_NODE, g_strdup_printf ("input %s", name));
      sides[0].set[variables[i]] = sides[1].set[other] = set;
    }
}

/* The set of all readers of a node, if that is one; NO_SET: there are none, or several. */
static guint
set_of_readers (const Side *side, const Sets *sets, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (side->graph, id);
  guint          set = NO_SET;

  for (guint o = 0; o < node->n_outputs; o++)
    {
      guint            n;
      const HybNodeId *users = hyb_graph_get_users (side->graph, node->first_output + o, &n);

      for (guint u = 0; u < n; u++)
        {
          guint of_user = root_of (sets, side->set[users[u]]);

          if (set != NO_SET && set != of_user)
            return NO_SET;
          set = of_user;
        }
    }
  return set;
}

/* The set of the first input that has one. */
static guint
set_of_makers (const Side *side, const Sets *sets, HybNodeId id)
{
  const HybValueId *inputs = hyb_graph_get_inputs (side->graph, id);

  for (guint i = 0; i < hyb_graph_get_node (side->graph, id)->n_inputs; i++)
    {
      HybNodeId maker = hyb_graph_get_producer (side->graph, inputs[i]);

      if (side->set[maker] != NO_SET &&
          !hyb_node_is_variable (hyb_graph_get_node (side->graph, maker)))
        return root_of (sets, side->set[maker]);
    }
  return NO_SET;
}

static gboolean
moves_elements (const Side *side, HybNodeId id)
{
  const HybOp *op = hyb_graph_get_node (side->graph, id)->op;

  return op->category == HYB_CATEGORY_MOVEMENT || op->category == HYB_CATEGORY_DATA ||
         strcmp (hyb_graph_get_node (side->graph, id)->type, "Identity") == 0;
}

/* Weights, and nodes computed while planning, belong to the set of their readers if there is one, else to the nodes that are
 * done before any run.  Nodes that only reorder outputs belong to their producers. */
static void
add_prepared (Side *side, Sets *sets, guint before)
{
  for (HybNodeId id = hyb_graph_n_nodes (side->graph); id-- > 0;)
    if (side->set[id] == NO_SET)
      {
        guint set = set_of_readers (side, sets, id);

        side->set[id] = set != NO_SET ? set : before;
      }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (side->graph); id++)
    if (side->set[id] == before && moves_elements (side, id))
      {
        guint set = set_of_makers (side, sets, id);

        side->set[id] = set != NO_SET ? set : before;
      }
}

/* Nodes that reorder elements and have no counterpart belong to their readers, or else to their producers: a step that reads
 * its row of a sequence, and a layer that reads all of it. */
static void
add_moving (Side *sides, Sets *sets)
{
  g_autofree guint8 *in = g_new0 (guint8, sets->parent->len);

  for (guint i = 0; i < 2; i++)
    for (HybNodeId id = 0; id < hyb_graph_n_nodes (sides[i].graph); id++)
      in[root_of (sets, sides[i].set[id])] |= (guint8) (1 << i);
  for (guint i = 0; i < 2; i++)
    for (HybNodeId id = hyb_graph_n_nodes (sides[i].graph); id-- > 0;)
      {
        guint readers;

        if (in[root_of (sets, sides[i].set[id])] == 3 || !moves_elements (&sides[i], id))
          continue;
        readers = set_of_readers (&sides[i], sets, id);
        if (readers == NO_SET || in[readers] != 3)
          readers = set_of_makers (&sides[i], sets, id);
        if (readers != NO_SET && in[readers] == 3)
          sides[i].set[id] = readers;
      }
}

/* The description of a set in the words of the file: its role, or the operator of its first node that has one.  (transfer
 * full) */
static char *
name_role (const Side *sides, const Sets *sets, guint set, const HybCounterpart *found)
{
  const char *role = sets->roles->pdata[set];

  for (guint i = 0; i < found->a->len && g_array_index (sets->ranks, guint, set) == RANK_NODE; i++)
    {
      const HybNode *node =
          hyb_graph_get_node (sides[0].graph, g_array_index (found->a, HybNodeId, i));

      if (!hyb_node_is_variable (node) && node->op->category != HYB_CATEGORY_DATA)
        return g_strdup (node->type);
    }
  return g_strdup (role ? role : "nodes in between");
}

static GPtrArray *
collect (const Side *sides, const Sets *sets)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (free_counterpart);
  g_autoptr (GHashTable) by_set = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < 2; i++)
    for (HybNodeId id = 0; id < hyb_graph_n_nodes (sides[i].graph); id++)
      {
        guint           set = root_of (sets, sides[i].set[id]);
        HybCounterpart *found = g_hash_table_lookup (by_set, GUINT_TO_POINTER (set));

        if (!found)
          {
            found = g_new (HybCounterpart, 1);
            found->role = NULL;
            found->a = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
            found->b = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
            g_hash_table_insert (by_set, GUINT_TO_POINTER (set), found);
            g_ptr_array_add (all, found);
            g_array_append_val (numbers, set);
          }
        g_array_append_val (i == 0 ? found->a : found->b, id);
      }
  for (guint i = 0; i < all->len; i++)
    ((HybCounterpart *) all->pdata[i])->role =
        name_role (sides, sets, g_array_index (numbers, guint, i), all->pdata[i]);
  /* Sets with nodes of one model only have no counterpart. */
  for (guint i = all->len; i-- > 0;)
    if (((HybCounterpart *) all->pdata[i])->a->len == 0 ||
        ((HybCounterpart *) all->pdata[i])->b->len == 0)
      g_ptr_array_remove_index (all, i);
  return all;
}

GPtrArray *
hyb_counterparts_find (HybModel *a, HybModel *b, HybTensorList *input, GError **error)
{
  g_auto (Side) first = { 0 }, second = { 0 };
  Side       sides[2];
  Sets       sets = { g_array_new (FALSE, FALSE, sizeof (guint)), NULL,
                      g_array_new (FALSE, FALSE, sizeof (guint)) };
  GPtrArray *found = NULL;
  guint     *of_node[2] = { NULL, NULL };

  sets.roles = g_ptr_array_new_with_free_func (g_free);
  side_init (&first, a);
  side_init (&second, b);
  sides[0] = first;
  sides[1] = second;
  if (choose_form (sides, input, error))
    {
      g_auto (HybPairs) pairs = { 0 };

      hyb_pairs_find (&pairs, sides[0].variant->model, sides[1].variant->model);
      number_pairs (sides, &pairs, &sets, of_node);
      join_places (sides, &sets, of_node);
      pair_inputs (sides, &sets);
      for (guint i = 0; i < 2; i++)
        lead_back (&sides[i], &sets, of_node[i]);
      for (guint i = 0, before = add_set (&sets, RANK_PLACE, g_strdup ("before any run")); i < 2;
           i++)
        add_prepared (&sides[i], &sets, before);
      add_moving (sides, &sets);
      found = collect (sides, &sets);
    }
  first = sides[0];
  second = sides[1];
  g_free (of_node[0]);
  g_free (of_node[1]);
  g_array_unref (sets.parent);
  g_array_unref (sets.ranks);
  g_ptr_array_unref (sets.roles);
  return found;
}
