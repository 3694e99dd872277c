/* unpack-weights.c — unpacks the flat vector of a fused recurrent layer for the cells of an unrolled graph.
 *
 * Layers, directions, cell and hidden size follow from the names and shapes of the variables that lack
 * an array.  Start at hyb_unpack_weights().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/unpack-weights.h"

#include "engine/analysis/infer-types.h"
#include "engine/formats/rnn-weights.h"

#include <string.h>

#define MAX_LAYERS 64

/* The cells of the graph that the vector may belong to. */
typedef struct
{
  HybModel     *model;
  HybGraph     *graph;
  HybType      *known;      /* by value */
  char         *prefix;     /* "lstm_" in lstm_l0_i2h_weight */
  gboolean      has_layers; /* names have a part such as "l0_" */
  gboolean      has_gates;  /* variables are per gate */
  HybRnnWeights weights;
} Cells;

/* TRUE if the graph has the variable and the model no array for it. */
static gboolean
is_missing (const Cells *cells, const char *name)
{
  return hyb_graph_find_variable (cells->graph, name) != HYB_NO_ID &&
         !hyb_model_get_parameter (cells->model, name);
}

/* TRUE for "lstm_l1_" and "lstm_r0_", but not for "lstm_". */
static gboolean
names_a_layer (const char *prefix, gsize length)
{
  gsize at = length > 0 && prefix[length - 1] == '_' ? length - 1 : 0;

  while (at > 0 && g_ascii_isdigit (prefix[at - 1]))
    at--;
  return at > 0 && at + 1 < length && (prefix[at - 1] == 'l' || prefix[at - 1] == 'r') &&
         (at == 1 || prefix[at - 2] == '_');
}

/* Sets prefix and the form of names by a variable such as lstm_l0_i2h_weight, lstm_l0_i2h_i_weight or
 * lstm_i2h_weight.  FALSE if it is of none of these forms, or of a further layer. */
static gboolean
parse_name (Cells *cells, const char *name)
{
  const char *at = strstr (name, "i2h_");

  if (!at || at == name || !g_str_has_suffix (name, "_weight"))
    return FALSE;
  cells->has_gates = strcmp (at, "i2h_weight") != 0;
  cells->has_layers = at - name >= 3 && strncmp (at - 3, "l0_", 3) == 0;
  if (!cells->has_layers && names_a_layer (name, (gsize) (at - name)))
    return FALSE;
  cells->prefix = g_strndup (name, (gsize) (at - name) - (cells->has_layers ? 3 : 0));
  return TRUE;
}

static const HybShape *
shape_of (const Cells *cells, const char *name)
{
  HybNodeId id = hyb_graph_find_variable (cells->graph, name);

  return id == HYB_NO_ID ? NULL
                         : &cells->known[hyb_graph_get_node (cells->graph, id)->first_output].shape;
}

/* The name of an array without the part for the layer if the graph has none.  (transfer full) */
static char *
name_in_graph (const Cells *cells, const char *name)
{
  gsize n = strlen (cells->prefix);

  return cells->has_layers ? g_strdup (name)
                           : g_strconcat (cells->prefix, name + n + strlen ("l0_"), NULL);
}

static gboolean
has_part (const Cells *cells, guint layer, const char *direction)
{
  const char *const *gates = hyb_rnn_gate_suffixes (cells->weights.mode);
  g_autofree char   *full = g_strdup_printf ("%s%s%u_i2h%s_weight", cells->prefix, direction, layer,
                                           cells->has_gates ? gates[0] : "");
  g_autofree char   *name = name_in_graph (cells, full);

  return is_missing (cells, name);
}

/* TRUE if the weights of the cells with this mode are just as long as the vector. */
static gboolean
try_mode (Cells *cells, HybRnnMode mode, gint64 length)
{
  g_autofree char *first = NULL, *second = NULL, *name = NULL, *other = NULL;
  const HybShape  *rows, *columns;
  gint64           n_gates = hyb_rnn_n_gates (mode);
  const char      *gate = cells->has_gates ? hyb_rnn_gate_suffixes (mode)[0] : "";

  cells->weights.mode = mode;
  first = g_strdup_printf ("%sl0_i2h%s_weight", cells->prefix, gate);
  second = g_strdup_printf ("%sl0_h2h%s_weight", cells->prefix, gate);
  name = name_in_graph (cells, first);
  other = name_in_graph (cells, second);
  rows = shape_of (cells, name);
  columns = shape_of (cells, other);
  if (!rows || rows->rank != 2 || rows->dim[0] < 1)
    return FALSE;

  cells->weights.hidden = cells->has_gates ? rows->dim[0] : rows->dim[0] / n_gates;
  if (!cells->has_gates && rows->dim[0] % n_gates != 0)
    return FALSE;
  if (columns && columns->rank == 2 && columns->dim[1] > 0 &&
      columns->dim[1] != cells->weights.hidden)
    return FALSE;

  cells->weights.n_layers = 1;
  while (cells->has_layers && cells->weights.n_layers < MAX_LAYERS &&
         has_part (cells, cells->weights.n_layers, "l"))
    cells->weights.n_layers++;
  cells->weights.is_bidirectional = cells->has_layers && has_part (cells, 0, "r");
  cells->weights.prefix = cells->prefix;
  cells->weights.input = hyb_rnn_input_size (&cells->weights, length);
  return cells->weights.input > 0;
}

/* Cells whose name the vector or the variables contain are tried first. */
static gboolean
find_mode (Cells *cells, const char *vector, gint64 length)
{
  static const struct
  {
    const char *word;
    HybRnnMode  mode;
  } modes[] = { { "lstm", HYB_RNN_LSTM }, { "gru", HYB_RNN_GRU }, { "rnn", HYB_RNN_TANH } };

  for (int is_named = 1; is_named >= 0; is_named--)
    for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
      if ((strstr (vector, modes[i].word) || strstr (cells->prefix, modes[i].word)) == is_named &&
          try_mode (cells, modes[i].mode, length))
        return TRUE;
  return FALSE;
}

/* Adds the arrays if all of them belong to variables that lack one. */
static gboolean
unpack (const Cells *cells, HybTensor *vector, GPtrArray *unpacked)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();

  if (!hyb_rnn_unpack (&cells->weights, vector, cells->has_gates, list, NULL))
    return FALSE;
  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      g_autofree char *name = name_in_graph (cells, hyb_tensor_list_get (list, i)->name);

      if (!is_missing (cells, name))
        return FALSE;
    }
  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);
      g_autofree char      *name = name_in_graph (cells, entry->name);

      hyb_model_set_parameter (cells->model, name, entry->tensor);
      g_ptr_array_add (unpacked, g_steal_pointer (&name));
    }
  return TRUE;
}

gboolean
hyb_unpack_weights (HybModel *model, const char *vector, GPtrArray *unpacked)
{
  HybTensor          *tensor = hyb_model_get_parameter (model, vector);
  HybGraph           *graph = hyb_model_get_graph (model);
  guint               n, n_values = hyb_graph_n_values (graph);
  const HybNodeId    *variables = hyb_graph_get_variables (graph, &n);
  g_autofree HybType *known = g_new (HybType, MAX (n_values, 1));
  g_autofree char    *name = g_strdup (vector);
  gboolean            is_done = FALSE;

  if (!tensor || hyb_tensor_get_shape (tensor)->rank != 1)
    return FALSE;
  for (guint i = 0; i < n_values; i++)
    known[i] = HYB_TYPE_UNKNOWN;
  if (!hyb_infer_known_types (graph, known, FALSE, NULL))
    return FALSE;

  for (guint i = 0; i < n && !is_done; i++)
    {
      const char *variable = hyb_graph_get_node (graph, variables[i])->name;
      Cells       cells = { .model = model, .graph = graph, .known = known };

      if (is_missing (&cells, variable) && parse_name (&cells, variable))
        is_done = find_mode (&cells, vector, hyb_tensor_get_size (tensor)) &&
                  unpack (&cells, tensor, unpacked);
      g_free (cells.prefix);
    }
  if (is_done)
    hyb_model_remove_parameter (model, name);
  return is_done;
}
