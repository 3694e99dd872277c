/* guess-open.c — guesses the open dimensions of the inputs of a graph of another format.
 *
 * Inputs declare which dimensions are open.  Usual sizes are tried: one sample, images of 224, sequences of 16; then 1
 * everywhere, the size that exports freeze most often.  The first that inference accepts is the guess.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/guess-open.h"

#include "engine/analysis/declared-types.h"
#include "engine/analysis/infer-types.h"
#include "engine/base/translate.h"

#include <string.h>

#define USUAL_EXTENT 224
#define USUAL_LENGTH 16

/* The meaning of a dimension, as far as recurrent layers, loops and its name show it. */
typedef enum
{
  ROLE_UNKNOWN,
  ROLE_BATCH,
  ROLE_TIME,
} DimRole;

/* Words in the names of dimensions. */
static const struct
{
  const char *word;
  DimRole     role;
} words[] = {
  { "batch", ROLE_BATCH }, { "seq", ROLE_TIME },  { "time", ROLE_TIME },
  { "length", ROLE_TIME }, { "step", ROLE_TIME }, { "frames", ROLE_TIME },
};

static void
set_role (GHashTable *roles, gint64 dim, DimRole role)
{
  const char *name = hyb_dim_get_name (dim);

  if (name && !g_hash_table_contains (roles, name))
    g_hash_table_insert (roles, (gpointer) name, GINT_TO_POINTER (role));
}

/* A recurrent layer reads steps × batch × features, or with layout 1 batch × steps × features. */
static void
add_layer (HybGraph *graph, HybNodeId id, const HybType *types, GHashTable *roles)
{
  const HybNode  *node = hyb_graph_get_node (graph, id);
  const HybShape *x = &types[hyb_graph_get_inputs (graph, id)[0]].shape;
  gboolean        is_swapped = g_strcmp0 (hyb_node_get_attribute (node, "layout"), "1") == 0;

  if (x->rank != 3)
    return;
  set_role (roles, x->dim[is_swapped ? 1 : 0], ROLE_TIME);
  set_role (roles, x->dim[is_swapped ? 0 : 1], ROLE_BATCH);
}

/* A loop runs along the first axis of its sliced inputs. */
static void
add_loop (HybGraph *graph, HybNodeId id, const HybType *types, GHashTable *roles)
{
  const HybNode *node = hyb_graph_get_node (graph, id);
  guint          n;

  hyb_graph_get_variables (hyb_graph_get_bodies (graph, id)[0], &n);
  for (guint v = 0; v < n && node->op->body_port; v++)
    {
      guint input = node->op->body_variable (node->params, node->n_inputs, 0, v);

      if (input < node->n_inputs &&
          node->op->body_port (node->params, node->n_inputs, 0, v) == HYB_PORT_DATA)
        set_role (roles, types[hyb_graph_get_inputs (graph, id)[input]].shape.dim[0], ROLE_TIME);
    }
}

/* Names of dimensions → DimRole.  (transfer full) */
static GHashTable *
find_roles (HybGraph *graph, const HybType *types)
{
  GHashTable *roles = g_hash_table_new (g_str_hash, g_str_equal);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      if (node->op->category == HYB_CATEGORY_RECURRENT && node->n_inputs > 0)
        add_layer (graph, id, types, roles);
      else if (node->n_bodies > 0)
        add_loop (graph, id, types, roles);
    }
  return roles;
}

static DimRole
get_role (GHashTable *roles, const char *name)
{
  DimRole role =
      name ? (DimRole) GPOINTER_TO_INT (g_hash_table_lookup (roles, name)) : ROLE_UNKNOWN;
  g_autofree char *lower = name ? g_ascii_strdown (name, -1) : NULL;

  for (guint i = 0; name && role == ROLE_UNKNOWN && i < G_N_ELEMENTS (words); i++)
    if (strstr (lower, words[i].word))
      role = words[i].role;
  return role;
}

static gint64
usual_size (const HybShape *shape, int axis, DimRole role, const HybGuessHints *hints)
{
  if (role == ROLE_BATCH || (role == ROLE_UNKNOWN && axis == 0))
    return hints && hints->batch > 0 ? hints->batch : 1;
  if (role == ROLE_UNKNOWN && shape->rank >= 4)
    return USUAL_EXTENT;
  return hints && hints->length > 0 ? hints->length : USUAL_LENGTH;
}

static gboolean
is_open (const HybGraph *graph, HybNodeId variable, const HybType *types, const guint8 *needed)
{
  const HybType *type = &types[hyb_graph_get_node (graph, variable)->first_output];

  return (!needed || needed[variable]) && type->shape.rank >= 0 &&
         !hyb_shape_is_known (&type->shape);
}

/* Fills in the open dimensions of all variables; the same name gets the same size. */
static void
fill_in (HybGraph *graph, HybType *types, const HybGuessHints *hints, gboolean with_ones)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  g_autoptr (GHashTable) roles = find_roles (graph, types);

  for (guint i = 0; i < n; i++)
    {
      HybShape *shape = &types[hyb_graph_get_node (graph, variables[i])->first_output].shape;

      for (int axis = 0; axis < shape->rank; axis++)
        {
          const char *name = hyb_dim_get_name (shape->dim[axis]);
          gint64 size = with_ones ? 1 : usual_size (shape, axis, get_role (roles, name), hints);

          if (shape->dim[axis] < 0 && name)
            hyb_declared_types_name (graph, types, name, size);
          else if (shape->dim[axis] < 0)
            shape->dim[axis] = size;
        }
    }
}

static void
free_guess (gpointer data)
{
  HybShapeGuess *guess = data;

  g_free (guess->reason);
  g_free (guess);
}

static HybShapeGuess *
new_guess (HybNodeId variable, const HybShape *known, const HybShape *shape)
{
  HybShapeGuess *guess = g_new0 (HybShapeGuess, 1);

  guess->variable = variable;
  guess->known = *known;
  guess->shape = *shape;
  guess->reason = g_strdup (_ ("the file leaves dimensions open"));
  return guess;
}

GPtrArray *
hyb_guess_open (HybGraph            *graph,
                HybType             *types,
                const guint8        *needed,
                gboolean             training,
                const HybGuessHints *hints)
{
  GPtrArray       *guesses = g_ptr_array_new_with_free_func (free_guess);
  gsize            n_values = MAX (hyb_graph_n_values (graph), 1);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint with_ones = 0; with_ones < 2; with_ones++)
    {
      g_autofree HybType *trial = g_memdup2 (types, sizeof (HybType) * n_values);

      fill_in (graph, trial, hints, with_ones != 0);
      if (!hyb_infer_types (graph, trial, NULL, training, NULL))
        continue;
      for (guint i = 0; i < n; i++)
        {
          HybValueId value = hyb_graph_get_node (graph, variables[i])->first_output;

          if (is_open (graph, variables[i], types, needed))
            g_ptr_array_add (guesses,
                             new_guess (variables[i], &types[value].shape, &trial[value].shape));
        }
      for (gsize i = 0; i < hyb_graph_n_values (graph); i++)
        types[i] = trial[i];
      break;
    }
  return guesses;
}
