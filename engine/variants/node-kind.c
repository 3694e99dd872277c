/* node-kind.c — maps operators to the kinds that recurrent cells are written with.
 *
 * The table maps an operator to a kind; for the operators in the second table an attribute decides.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/node-kind.h"

#include <string.h>

static const struct
{
  const char *op;
  HybNodeKind kind;
} kinds[] = {
  { "elemwise_add", HYB_KIND_ADD },
  { "broadcast_add", HYB_KIND_ADD },
  { "elemwise_sub", HYB_KIND_SUB },
  { "broadcast_sub", HYB_KIND_SUB },
  { "elemwise_mul", HYB_KIND_MUL },
  { "broadcast_mul", HYB_KIND_MUL },
  { "sigmoid", HYB_KIND_SIGMOID },
  { "tanh", HYB_KIND_TANH },
  { "relu", HYB_KIND_RELU },
  { "ones_like", HYB_KIND_ONES_LIKE },
  { "FullyConnected", HYB_KIND_LINEAR },
  { "dot", HYB_KIND_DOT },
  { "_npi_matmul", HYB_KIND_DOT },
  { "SliceChannel", HYB_KIND_SPLIT },
  { "slice_axis", HYB_KIND_SLICE_AXIS },
  { "slice", HYB_KIND_SLICE },
  { "sign", HYB_KIND_SIGN },
  { "_mul_scalar", HYB_KIND_MUL_SCALAR },
  { "slice_like", HYB_KIND_SLICE_LIKE },
  { "stack", HYB_KIND_STACK },
  { "Concat", HYB_KIND_CONCAT },
  { "_npi_concatenate", HYB_KIND_CONCAT },
  { "expand_dims", HYB_KIND_EXPAND },
  { "squeeze", HYB_KIND_SQUEEZE },
  { "_np_squeeze", HYB_KIND_SQUEEZE },
  { "reverse", HYB_KIND_REVERSE },
  { "_zeros", HYB_KIND_CONSTANT },
  { "_ones", HYB_KIND_CONSTANT },
  { "_full", HYB_KIND_CONSTANT },
  { "_copy", HYB_KIND_COPY },
  { "take", HYB_KIND_TAKE },
  { "SequenceLast", HYB_KIND_LAST },
  { "Reshape", HYB_KIND_RESHAPE },
  { "_np_reshape", HYB_KIND_RESHAPE },
  { "_rnn_param_concat", HYB_KIND_PARAM_CONCAT },
  { "Dropout", HYB_KIND_DROPOUT },
  { "RNN", HYB_KIND_RNN },
  { "_foreach", HYB_KIND_FOREACH },
  { "_while_loop", HYB_KIND_WHILE },
  { "_lesser_scalar", HYB_KIND_LESSER_SCALAR },
  { "_plus_scalar", HYB_KIND_PLUS_SCALAR },
  { "Cast", HYB_KIND_CAST },
  { "_arange", HYB_KIND_COUNT },
  { "_npi_less", HYB_KIND_LESS },
  { "where", HYB_KIND_WHERE },
  { "_npi_where", HYB_KIND_WHERE },
  { "SequenceMask", HYB_KIND_SEQUENCE_MASK },
  { "SequenceReverse", HYB_KIND_SEQUENCE_REVERSE },
};

/* --- Kinds that depend on an attribute --- */
static HybNodeKind
activation_kind (const HybNode *node)
{
  static const char *const names[] = { "relu", "sigmoid", "tanh" };
  static const HybNodeKind kinds_of_names[] = { HYB_KIND_RELU, HYB_KIND_SIGMOID, HYB_KIND_TANH };
  const char              *type = hyb_node_get_attribute (node, "act_type");

  for (guint i = 0; type && i < G_N_ELEMENTS (names); i++)
    if (strcmp (type, names[i]) == 0)
      return kinds_of_names[i];
  return HYB_KIND_OTHER;
}

static HybNodeKind
rminus_kind (const HybNode *node)
{
  return hyb_node_double (node, "scalar", 0) == 1 ? HYB_KIND_ONE_MINUS : HYB_KIND_OTHER;
}

static HybNodeKind
swap_kind (const HybNode *node)
{
  gint64 a = hyb_node_int (node, "dim1", 0), b = hyb_node_int (node, "dim2", 0);

  return (a == 0 && b == 1) || (a == 1 && b == 0) ? HYB_KIND_SWAP : HYB_KIND_OTHER;
}

static HybNodeKind
transpose_kind (const HybNode *node)
{
  const char *text = hyb_node_get_attribute (node, "axes");
  HybInts     axes = { 0 };
  gboolean    is_swap;

  if (!text || !hyb_params_parse_ints (text, &axes))
    return HYB_KIND_OTHER;
  is_swap = axes.n >= 2 && axes.value[0] == 1 && axes.value[1] == 0;
  for (int i = 2; i < axes.n; i++)
    is_swap = is_swap && axes.value[i] == i;
  g_free (axes.value);
  return is_swap ? HYB_KIND_SWAP : HYB_KIND_OTHER;
}

static const struct
{
  const char *op;
  HybNodeKind (*kind) (const HybNode *node);
} kind_functions[] = {
  { "Activation", activation_kind },
  { "_rminus_scalar", rminus_kind },
  { "SwapAxis", swap_kind },
  { "transpose", transpose_kind },
};

static GHashTable *
make_index (void)
{
  GHashTable *index = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    g_hash_table_insert (index, (gpointer) hyb_op_find (kinds[i].op),
                         GUINT_TO_POINTER (kinds[i].kind));
  for (guint i = 0; i < G_N_ELEMENTS (kind_functions); i++)
    g_hash_table_insert (index, (gpointer) hyb_op_find (kind_functions[i].op),
                         GUINT_TO_POINTER (G_MAXINT - i));
  return index;
}

HybNodeKind
hyb_node_kind (const HybNode *node)
{
  static gsize       is_made;
  static GHashTable *index;
  guint              kind;

  if (g_once_init_enter (&is_made))
    {
      index = make_index ();
      g_once_init_leave (&is_made, 1);
    }

  kind = GPOINTER_TO_UINT (g_hash_table_lookup (index, node->op));
  if (kind > G_MAXINT - G_N_ELEMENTS (kind_functions))
    return kind_functions[G_MAXINT - kind].kind (node);
  return (HybNodeKind) kind;
}

HybNodeKind
hyb_value_kind (const HybGraph *graph, HybValueId value)
{
  return hyb_node_kind (hyb_graph_get_node (graph, hyb_graph_get_producer (graph, value)));
}

gint64
hyb_node_int (const HybNode *node, const char *name, gint64 fallback)
{
  return hyb_params_get_int (node->op->params, node->params, name, fallback);
}

double
hyb_node_double (const HybNode *node, const char *name, double fallback)
{
  return hyb_params_get_double (node->op->params, node->params, name, fallback);
}

gboolean
hyb_node_bool (const HybNode *node, const char *name)
{
  return hyb_params_get_bool (node->op->params, node->params, name);
}

const HybInts *
hyb_node_ints (const HybNode *node, const char *name)
{
  return hyb_params_get_ints (node->op->params, node->params, name);
}

const HybShape *
hyb_node_shape (const HybNode *node, const char *name)
{
  const HybParam *param = hyb_params_find (node->op->params, name);

  return param && param->kind == HYB_PARAM_SHAPE && node->params
             ? (const HybShape *) (gconstpointer) ((const char *) node->params + param->offset)
             : NULL;
}

gboolean
hyb_node_is_elementwise (const HybNode *node)
{
  return !hyb_node_is_variable (node) && node->n_bodies == 0 && node->n_inputs > 0 &&
         !(node->op->flags & HYB_OP_OPAQUE) &&
         (node->op->category == HYB_CATEGORY_ELEMENTWISE ||
          hyb_node_kind (node) == HYB_KIND_DROPOUT) &&
         hyb_op_n_visible (node->op, node->params, node->n_outputs) == 1;
}

/* Whether an attribute belongs to the operator, and not to the user or the file ("__shape__"). */
static gboolean
is_operator_key (const char *key)
{
  return !g_str_has_prefix (key, "__");
}

/* Whether b has all attributes of a with the same values. */
static gboolean
has_attributes_of (const HybNode *a, const HybNode *b)
{
  for (guint i = 0; a->attributes && a->attributes[i]; i += 2)
    {
      const char *other;

      if (!is_operator_key (a->attributes[i]))
        continue;
      other = hyb_node_get_attribute (b, a->attributes[i]);
      if (!other || strcmp (other, a->attributes[i + 1]) != 0)
        return FALSE;
    }
  return TRUE;
}

gboolean
hyb_nodes_alike (const HybNode *a, const HybNode *b)
{
  return a->op == b->op && a->n_inputs == b->n_inputs && a->n_outputs == b->n_outputs &&
         a->n_bodies == b->n_bodies && strcmp (a->type, b->type) == 0 && has_attributes_of (a, b) &&
         has_attributes_of (b, a);
}

gboolean
hyb_value_is_variable (const HybGraph *graph, HybValueId value)
{
  return hyb_node_is_variable (hyb_graph_get_node (graph, hyb_graph_get_producer (graph, value)));
}

char *
hyb_value_describe (const HybGraph *graph, HybValueId value)
{
  g_autofree char *name = hyb_graph_dup_value_name (graph, value);

  return g_strdup_printf ("“%s”", name);
}

gint64
hyb_node_concat_axis (const HybNode *node)
{
  return hyb_node_int (node, "axis", hyb_node_int (node, "dim", 1));
}
