/* weights-rnn.c — packs and unpacks the weights of recurrent cells in a list of arrays.
 *
 * Finds the weights by the graph or by their names; engine/formats/rnn-weights.h has the layout.
 * Start at scope_rnn_convert().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/weights/weights-rnn.h"

#include "app/command/frame/messages.h"

#include "engine/formats/rnn-weights.h"
#include "engine/open/open.h"

#include <string.h>

static const char *
without_prefix (const char *name)
{
  return g_str_has_prefix (name, "arg:") ? name + 4 : name;
}

/* Reads the layout of a flat vector from the attributes of the RNN operator that takes it. */
static gboolean
read_attributes (const HybNode *node, HybRnnWeights *weights)
{
  const char *mode = hyb_node_get_attribute (node, "mode");
  const char *hidden = hyb_node_get_attribute (node, "state_size");
  const char *layers = hyb_node_get_attribute (node, "num_layers");
  const char *bidirectional_text = hyb_node_get_attribute (node, "bidirectional");
  const char *projection = hyb_node_get_attribute (node, "projection_size");

  if (!mode || !hidden || !layers || !hyb_rnn_mode_from_name (mode, &weights->mode))
    return FALSE;

  weights->hidden = g_ascii_strtoll (hidden, NULL, 10);
  weights->n_layers = (guint) g_ascii_strtoull (layers, NULL, 10);
  weights->is_bidirectional =
      bidirectional_text && (g_ascii_strcasecmp (bidirectional_text, "true") == 0 ||
                             strcmp (bidirectional_text, "1") == 0);
  weights->projection = projection ? g_ascii_strtoll (projection, NULL, 10) : 0;
  return TRUE;
}

/* FALSE if no RNN operator of the graph takes the variable. */
static gboolean
describe_by_symbol (HybGraph *graph, const char *name, HybRnnWeights *weights)
{
  HybNodeId        id = hyb_graph_find_variable (graph, without_prefix (name));
  guint            n = 0;
  const HybNodeId *users;

  if (id == HYB_NO_ID)
    return FALSE;

  users = hyb_graph_get_users (graph, hyb_graph_get_node (graph, id)->first_output, &n);
  for (guint i = 0; i < n; i++)
    if (read_attributes (hyb_graph_get_node (graph, users[i]), weights))
      return TRUE;
  return FALSE;
}

static gboolean
describe_by_options (const ScopeRnnOptions *options, HybRnnWeights *weights, GError **error)
{
  if (options->cell && options->hidden > 0 &&
      hyb_rnn_mode_from_name (options->cell, &weights->mode))
    {
      weights->hidden = options->hidden;
      weights->n_layers = (guint) MAX (options->layers, 1);
      weights->is_bidirectional = options->bidirectional;
      weights->projection = options->projection;
      return TRUE;
    }

  return scope_usage_error (error, "the layout of the flat vector is unknown: give --symbol MODEL, "
                                   "or --cell lstm|gru|rnn_tanh|rnn_relu with --hidden, --layers, "
                                   "--bidirectional");
}

static HybTensorList *
unpack (const ScopeRnnOptions *options, HybTensorList *list, HybGraph *graph, GError **error)
{
  g_autoptr (HybTensorList) result = hyb_tensor_list_new ();
  guint n_vectors = 0;

  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);
      g_autofree char      *prefix = NULL;
      HybRnnWeights         weights = { 0 };

      if (!entry->tensor || !g_str_has_suffix (entry->name, "parameters") ||
          hyb_tensor_get_shape (entry->tensor)->rank != 1)
        {
          hyb_tensor_list_set (result, entry->name, entry->tensor);
          continue;
        }

      prefix = g_strndup (entry->name, strlen (entry->name) - strlen ("parameters"));
      if (!(graph && describe_by_symbol (graph, entry->name, &weights)) &&
          !describe_by_options (options, &weights, error))
        return NULL;
      weights.prefix = prefix;
      if (!hyb_rnn_unpack (&weights, entry->tensor, !options->stacked, result, error))
        return NULL;
      n_vectors++;
    }

  if (n_vectors == 0)
    {
      scope_usage_error (error,
                         "nothing to unpack: no vector has a name that ends in “parameters”");
      return NULL;
    }
  return g_steal_pointer (&result);
}

/* "arg:lstm_" for "arg:lstm_l0_i2h_i_weight"; NULL if the name has another form.
 * (transfer full) */
static char *
prefix_of (const char *name)
{
  const char *found = strstr (name, "l0_i2h");

  return found && (found == name || strchr ("_.:", found[-1])) && g_str_has_suffix (name, "_weight")
             ? g_strndup (name, (gsize) (found - name))
             : NULL;
}

/* TRUE if the array is one of the matrices or biases, whole or of one gate. */
static gboolean
is_part (const HybRnnWeights *weights, const GArray *parts, const char *name)
{
  const char *const *gates = hyb_rnn_gate_suffixes (weights->mode);

  if (!g_str_has_prefix (name, weights->prefix))
    return FALSE;

  for (guint i = 0; i < parts->len; i++)
    {
      const HybRnnPart *part = &g_array_index (parts, HybRnnPart, i);
      g_autofree char  *stacked = hyb_rnn_part_name (weights, part, "");

      if (strcmp (name, stacked) == 0)
        return TRUE;
      for (guint g = 0; gates[g]; g++)
        {
          g_autofree char *gate = hyb_rnn_part_name (weights, part, gates[g]);

          if (strcmp (name, gate) == 0)
            return TRUE;
        }
    }
  return FALSE;
}

/* A copy of the list with the vector in the place of its parts. */
static HybTensorList *
replace_parts (HybTensorList *list, const HybRnnWeights *weights, HybTensor *packed)
{
  HybTensorList *result = hyb_tensor_list_new ();
  g_autoptr (GArray) parts = hyb_rnn_parts (weights);
  g_autofree char *name = g_strconcat (weights->prefix, "parameters", NULL);

  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);

      if (is_part (weights, parts, entry->name))
        hyb_tensor_list_set (result, name, packed);
      else
        hyb_tensor_list_set (result, entry->name, entry->tensor);
    }
  return result;
}

static HybTensorList *
pack (HybTensorList *list, HybGraph *graph, GError **error)
{
  g_autoptr (HybTensorList) result = hyb_tensor_list_ref (list);
  guint n_vectors = 0;

  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const char      *name = hyb_tensor_list_get (list, i)->name;
      g_autofree char *prefix = prefix_of (name);
      g_autofree char *vector = prefix ? g_strconcat (prefix, "parameters", NULL) : NULL;
      HybRnnWeights    weights;
      g_autoptr (HybTensor) packed = NULL;
      HybTensorList *replaced;

      if (!prefix || hyb_tensor_list_has (result, vector) ||
          !hyb_rnn_recognise (list, prefix, &weights))
        continue;
      if (graph)
        describe_by_symbol (graph, vector, &weights);
      packed = hyb_rnn_pack (&weights, list, error);
      if (!packed)
        return NULL;

      replaced = replace_parts (result, &weights, packed);
      hyb_tensor_list_unref (result);
      result = replaced;
      n_vectors++;
    }

  if (n_vectors == 0)
    {
      scope_usage_error (error, "nothing to pack: no array has a name such as lstm_l0_i2h_weight");
      return NULL;
    }
  return g_steal_pointer (&result);
}

HybTensorList *
scope_rnn_convert (const ScopeRnnOptions *options, HybTensorList *list, GError **error)
{
  g_autoptr (HybModel) model = NULL;
  HybGraph  *graph = NULL;
  HybRnnMode mode;

  if (options->cell && !hyb_rnn_mode_from_name (options->cell, &mode))
    {
      scope_usage_error (error,
                         "--cell %s: unknown cell; there are lstm, gru, rnn_tanh and rnn_relu",
                         options->cell);
      return NULL;
    }
  if (!options->pack && !options->unpack)
    return hyb_tensor_list_ref (list);
  if (options->pack && options->unpack)
    {
      scope_usage_error (error, "--pack and --unpack exclude each other");
      return NULL;
    }

  if (options->symbol)
    {
      model = hyb_model_open (options->symbol, NULL, HYB_EPOCH_HIGHEST, error);
      if (!model)
        return NULL;
      graph = hyb_model_get_graph (model);
    }
  return options->pack ? pack (list, graph, error) : unpack (options, list, graph, error);
}
