/* breakages-weights.c — breakages of parameters: other axes, names, types, and arrays of other models.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/doctor/breakages.h"

#include "engine/doctor/counters.h"
#include "engine/formats/rnn-weights.h"

#include <math.h>
#include <string.h>

/* A copy with the axes in another order, element by element. */
static HybTensor *
permute (HybTensor *tensor, const int *axes)
{
  const HybShape *from = hyb_tensor_get_shape (tensor);
  HybType         type = *hyb_tensor_get_type (tensor);
  HybTensor      *made;
  gint64          index[HYB_MAX_RANK] = { 0 };
  gsize           item = hyb_dtype_size (type.dtype);

  for (int i = 0; i < from->rank; i++)
    type.shape.dim[i] = from->dim[axes[i]];
  made = hyb_tensor_new (&type, NULL);
  for (gint64 at = 0; at < hyb_tensor_get_size (tensor); at++)
    {
      gint64 source = 0, rest = at;

      for (int i = from->rank; i-- > 0;)
        {
          index[axes[i]] = rest % type.shape.dim[i];
          rest /= type.shape.dim[i];
        }
      for (int i = 0; i < from->rank; i++)
        source = source * from->dim[i] + index[i];
      memcpy ((char *) hyb_tensor_get_data (made) + (gsize) at * item,
              (const char *) hyb_tensor_get_data (tensor) + (gsize) source * item, item);
    }
  return made;
}

static HybTensor *
reshape (HybTensor *tensor, const HybShape *shape)
{
  return hyb_tensor_new_view (tensor, &(HybType){ *shape, hyb_tensor_get_dtype (tensor) }, 0);
}

/* Remembers the first array whose shape tells that it was changed. */
static void
blame (Breakage *breakage, const char *name)
{
  if (!breakage->culprit)
    breakage->culprit = g_strdup (strchr (name, ':') ? strchr (name, ':') + 1 : name);
}

static HybTensor *
permute_operand (Breakage *breakage, const char *name, HybTensor *tensor, const int *axes)
{
  HybTensor *changed = permute (tensor, axes);

  if (!hyb_shape_equal (hyb_tensor_get_shape (changed), hyb_tensor_get_shape (tensor)))
    blame (breakage, name);
  return changed;
}

static HybTensor *
transpose_dense (Breakage *breakage, const char *name, HybTensor *tensor)
{
  return breakage_is_operand (breakage, name, "FullyConnected", 1)
             ? permute_operand (breakage, name, tensor, (int[]){ 1, 0 })
             : hyb_tensor_ref (tensor);
}

static HybTensor *
permute_filter (Breakage *breakage, const char *name, HybTensor *tensor, const int *axes)
{
  return breakage_is_operand (breakage, name, "Convolution", 1) &&
                 hyb_tensor_get_shape (tensor)->rank == 4
             ? permute_operand (breakage, name, tensor, axes)
             : hyb_tensor_ref (tensor);
}

static HybTensor *
put_channels_last (Breakage *breakage, const char *name, HybTensor *tensor)
{
  return permute_filter (breakage, name, tensor, (int[]){ 0, 2, 3, 1 });
}

static HybTensor *
order_as_keras (Breakage *breakage, const char *name, HybTensor *tensor)
{
  return permute_filter (breakage, name, tensor, (int[]){ 2, 3, 1, 0 });
}

static HybTensor *
make_rows (Breakage *breakage, const char *name, HybTensor *tensor)
{
  const HybShape *shape = hyb_tensor_get_shape (tensor);

  if (shape->rank != 1 || !breakage_is_operand (breakage, name, "FullyConnected", 2))
    return hyb_tensor_ref (tensor);
  blame (breakage, name);
  return reshape (tensor, &(HybShape){ 2, { 1, shape->dim[0] } });
}

static HybTensor *
make_filters (Breakage *breakage, const char *name, HybTensor *tensor)
{
  const HybShape *shape = hyb_tensor_get_shape (tensor);

  if (!breakage_is_operand (breakage, name, "FullyConnected", 1))
    return hyb_tensor_ref (tensor);
  blame (breakage, name);
  return reshape (tensor, &(HybShape){ 4, { shape->dim[0], shape->dim[1], 1, 1 } });
}

static gboolean
map_all (Breakage *breakage, BreakageMapFunc map)
{
  breakage_map (breakage, map, NULL);
  return breakage->culprit != NULL;
}

static gboolean
transpose_all_dense (Breakage *breakage)
{
  return map_all (breakage, transpose_dense);
}

static gboolean
put_all_channels_last (Breakage *breakage)
{
  return map_all (breakage, put_channels_last);
}

static gboolean
order_all_as_keras (Breakage *breakage)
{
  return map_all (breakage, order_as_keras);
}

static gboolean
make_all_rows (Breakage *breakage)
{
  return map_all (breakage, make_rows);
}

static gboolean
make_all_filters (Breakage *breakage)
{
  return map_all (breakage, make_filters);
}

/* --- One array --- */

/* The middle one of the arrays. */
static const HybNamedTensor *
middle (const Breakage *breakage)
{
  return hyb_tensor_list_get (breakage->weights, hyb_tensor_list_n (breakage->weights) / 2);
}

static HybTensor *
keep_others (Breakage *breakage, const char *name, HybTensor *tensor)
{
  return g_str_has_suffix (name, breakage->culprit) ? NULL : hyb_tensor_ref (tensor);
}

static gboolean
leave_one_out (Breakage *breakage)
{
  if (hyb_tensor_list_n (breakage->weights) < 3)
    return FALSE;
  blame (breakage, middle (breakage)->name);
  breakage_map (breakage, keep_others, NULL);
  return TRUE;
}

static gboolean
add_one (Breakage *breakage)
{
  g_autoptr (HybTensor) spare = hyb_tensor_new_float (1, (gint64[]){ 3 }, (float[]){ 1, 2, 3 });

  breakage->culprit = g_strdup ("forgotten_gamma");
  hyb_tensor_list_set (breakage->weights, "arg:forgotten_gamma", spare);
  return TRUE;
}

static gboolean
widen_one (Breakage *breakage)
{
  const HybNamedTensor *entry = middle (breakage);
  g_autoptr (HybTensor) wide = hyb_tensor_convert (entry->tensor, HYB_F64);

  if (hyb_tensor_list_n (breakage->weights) < 3 || hyb_tensor_get_dtype (entry->tensor) != HYB_F32)
    return FALSE;
  blame (breakage, entry->name);
  hyb_tensor_list_set (breakage->weights, entry->name, wide);
  return TRUE;
}

static gboolean
spoil_one (Breakage *breakage)
{
  const HybNamedTensor *entry = middle (breakage);
  g_autoptr (HybTensor) copy = hyb_tensor_copy (entry->tensor);

  if (hyb_tensor_get_dtype (copy) != HYB_F32)
    return FALSE;
  blame (breakage, entry->name);
  ((float *) hyb_tensor_get_data (copy))[hyb_tensor_get_size (copy) - 1] = NAN;
  hyb_tensor_list_set (breakage->weights, entry->name, copy);
  return TRUE;
}

/* One more row than the graph needs. */
static gboolean
lengthen_one (Breakage *breakage)
{
  for (guint i = 0; i < hyb_tensor_list_n (breakage->weights); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (breakage->weights, i);
      HybType               type = *hyb_tensor_get_type (entry->tensor);
      g_autoptr (HybTensor) longer = NULL;

      if (!breakage_is_operand (breakage, entry->name, "FullyConnected", 1) ||
          hyb_tensor_list_n (breakage->weights) < 4)
        continue;
      type.shape.dim[0]++;
      longer = hyb_tensor_new_zeros (&type, NULL);
      blame (breakage, entry->name);
      hyb_tensor_list_set (breakage->weights, entry->name, longer);
      return TRUE;
    }
  return FALSE;
}

/* --- Names --- */

static char *
add_prefix (Breakage *breakage G_GNUC_UNUSED, const char *name, guint index G_GNUC_UNUSED)
{
  return g_strdup_printf ("%.4s%s%s", name, "net7_", name + 4);
}

static gboolean
prefix_all (Breakage *breakage)
{
  if (hyb_tensor_list_n (breakage->weights) < 2)
    return FALSE;
  breakage->culprit = g_strdup ("net7_");
  breakage_map (breakage, NULL, add_prefix);
  return TRUE;
}

static char *
swap_statistics (Breakage *breakage, const char *name, guint index G_GNUC_UNUSED)
{
  g_auto (GStrv) running = g_strsplit (name, "running_", 2);
  g_auto (GStrv) moving = g_strsplit (name, "moving_", 2);

  if (running[1])
    blame (breakage, name);
  else if (moving[1])
    blame (breakage, name);
  return running[1]  ? g_strjoinv ("moving_", running)
         : moving[1] ? g_strjoinv ("running_", moving)
                     : g_strdup (name);
}

static gboolean
rename_statistics (Breakage *breakage)
{
  breakage_map (breakage, NULL, swap_statistics);
  return breakage->culprit != NULL;
}

/* What remains of a name in the file that save_parameters() writes; NULL for other arrays. */
static const char *
kind_of_array (const char *name)
{
  static const char *const kinds[] = { "i2h_weight", "h2h_weight",   "i2h_bias",    "h2h_bias",
                                       "weight",     "bias",         "gamma",       "beta",
                                       "alpha",      "running_mean", "running_var", "moving_mean",
                                       "moving_var" };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_has_suffix (name, kinds[i]))
      return kinds[i];
  return NULL;
}

/* The name that save_parameters() writes: the number of the layer, a dot, the kind of the array. */
static char *
number_layer (Breakage *breakage, const char *name, guint index)
{
  const char *kind = kind_of_array (name);

  if (kind && index == 0)
    breakage->culprit = g_strdup_printf ("0.%s", kind);
  if (kind)
    return g_strdup_printf ("%u.%s", index, kind);
  g_clear_pointer (&breakage->culprit, g_free);
  return g_strdup (name);
}

/* Whether arrays of one kind and shape have names in the graph that no counter orders: then the numbers of layers do
 * not tell which is which. */
static gboolean
is_in_doubt (const Breakage *breakage)
{
  HybTensorList *weights = breakage->weights;

  for (guint i = 0; i < hyb_tensor_list_n (weights); i++)
    for (guint k = i + 1; k < hyb_tensor_list_n (weights); k++)
      {
        const HybNamedTensor *a = hyb_tensor_list_get (weights, i);
        const HybNamedTensor *b = hyb_tensor_list_get (weights, k);

        if (g_strcmp0 (kind_of_array (a->name), kind_of_array (b->name)) == 0 &&
            hyb_shape_equal (hyb_tensor_get_shape (a->tensor), hyb_tensor_get_shape (b->tensor)) &&
            hyb_counters_compare (a->name, b->name) >= 0)
          return TRUE;
      }
  return FALSE;
}

static gboolean
number_layers (Breakage *breakage)
{
  if (hyb_tensor_list_n (breakage->weights) < 3 || is_in_doubt (breakage))
    return FALSE;
  breakage_map (breakage, NULL, number_layer);
  return breakage->culprit != NULL;
}

static gboolean
number_doubtful_layers (Breakage *breakage)
{
  if (hyb_tensor_list_n (breakage->weights) < 3 || !is_in_doubt (breakage))
    return FALSE;
  breakage_map (breakage, NULL, number_layer);
  return breakage->culprit != NULL;
}

static char *
call_argument (Breakage *breakage, const char *name, guint index G_GNUC_UNUSED)
{
  if (!g_str_has_prefix (name, "aux:"))
    return g_strdup (name);
  blame (breakage, name);
  return g_strconcat ("arg:", name + 4, NULL);
}

static gboolean
call_states_arguments (Breakage *breakage)
{
  breakage_map (breakage, NULL, call_argument);
  return breakage->culprit != NULL;
}

/* --- Recurrent weights --- */

static const char *
find_vector (const Breakage *breakage)
{
  for (guint i = 0; i < hyb_tensor_list_n (breakage->weights); i++)
    {
      const char *name = hyb_tensor_list_get (breakage->weights, i)->name;

      if (g_str_has_suffix (name, "_parameters") && breakage_is_operand (breakage, name, "RNN", 1))
        return name;
    }
  return NULL;
}

static HybTensor *
keep_without_vector (Breakage *breakage, const char *name, HybTensor *tensor)
{
  return strcmp (name, find_vector (breakage)) == 0 ? NULL : hyb_tensor_ref (tensor);
}

static const char *
rnn_attribute (const Breakage *breakage, const char *key)
{
  for (int i = 0; i < breakage_n_nodes (breakage); i++)
    {
      cJSON *node = breakage_node (breakage, i);

      if (strcmp (breakage_text (node, "op"), "RNN") == 0)
        return breakage_text (breakage_attributes (node), key);
    }
  return NULL;
}

/* Replaces the flat vector by the arrays of its cells.  is_single: only if it is that of one cell, whose
 * arrays have no number of a layer in their names. */
static gboolean
take_apart (Breakage *breakage, gboolean per_gate, gboolean is_single)
{
  const char      *vector = find_vector (breakage);
  g_autofree char *prefix = NULL;
  HybRnnWeights    weights = { 0 };
  HybTensorList   *rest;
  g_autoptr (HybTensorList) gates = hyb_tensor_list_new ();

  if (!vector || !hyb_rnn_mode_from_name (rnn_attribute (breakage, "mode"), &weights.mode))
    return FALSE;
  prefix = g_strndup (vector + 4, strlen (vector) - 4 - strlen ("parameters"));
  weights.prefix = prefix;
  weights.n_layers = (guint) g_ascii_strtoull (rnn_attribute (breakage, "num_layers"), NULL, 10);
  weights.hidden = g_ascii_strtoll (rnn_attribute (breakage, "state_size"), NULL, 10);
  weights.is_bidirectional = g_strcmp0 (rnn_attribute (breakage, "bidirectional"), "True") == 0;
  if (is_single && (weights.n_layers != 1 || weights.is_bidirectional))
    return FALSE;
  g_assert_true (hyb_rnn_unpack (&weights, hyb_tensor_list_find (breakage->weights, vector),
                                 per_gate, gates, NULL));
  breakage->culprit = g_strdup (vector + 4);
  breakage_map (breakage, keep_without_vector, NULL);
  rest = breakage->weights;
  for (guint i = 0; i < hyb_tensor_list_n (gates); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (gates, i);
      const char           *after = entry->name + strlen (prefix);
      g_autofree char      *name =
          g_strconcat ("arg:", prefix, is_single ? after + strlen ("l0_") : after, NULL);

      hyb_tensor_list_set (rest, name, entry->tensor);
    }
  return TRUE;
}

/* Weights of each gate, as checkpoints of mx.rnn have them. */
static gboolean
unpack_vector (Breakage *breakage)
{
  return take_apart (breakage, TRUE, FALSE);
}

/* Weights of a single cell, as an unrolled graph has them. */
static gboolean
unpack_for_a_cell (Breakage *breakage)
{
  return take_apart (breakage, FALSE, TRUE);
}

static HybTensor *
keep_without_gates (Breakage *breakage G_GNUC_UNUSED, const char *name, HybTensor *tensor)
{
  return strstr (name, "_i2h_") || strstr (name, "_h2h_") ? NULL : hyb_tensor_ref (tensor);
}

/* One flat vector, as a fused layer has it, for an unrolled graph of mx.rnn's cells. */
static gboolean
pack_vector (Breakage *breakage)
{
  g_autoptr (HybTensorList) plain = hyb_tensor_list_new ();
  g_autoptr (HybTensor) packed = NULL;
  HybRnnWeights weights = { .prefix = "lstm_" };

  for (guint i = 0; i < hyb_tensor_list_n (breakage->weights); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (breakage->weights, i);

      hyb_tensor_list_set (plain, entry->name + 4, entry->tensor);
    }
  if (!hyb_tensor_list_has (plain, "lstm_l0_i2h_weight") ||
      !hyb_rnn_recognise (plain, "lstm_", &weights))
    return FALSE;
  weights.prefix = "lstm_";
  packed = hyb_rnn_pack (&weights, plain, NULL);
  g_assert_nonnull (packed);
  breakage->culprit = g_strdup ("lstm_parameters");
  breakage_map (breakage, keep_without_gates, NULL);
  hyb_tensor_list_set (breakage->weights, "arg:lstm_parameters", packed);
  return TRUE;
}

/* --- Another model --- */

static gboolean
take_other (Breakage *breakage)
{
  hyb_tensor_list_unref (breakage->weights);
  breakage->weights = hyb_tensor_list_ref (breakage->other);
  return TRUE;
}

static gboolean
take_other_epoch (Breakage *breakage)
{
  breakage->is_newer = TRUE;
  breakage->culprit = g_strdup ("net-0000.params");
  return take_other (breakage);
}

static HybTensor *
make_larger (Breakage *breakage G_GNUC_UNUSED, const char *name G_GNUC_UNUSED, HybTensor *tensor)
{
  HybType type = *hyb_tensor_get_type (tensor);

  for (int i = 0; i < type.shape.rank; i++)
    type.shape.dim[i] += 2;
  return hyb_tensor_new_zeros (&type, NULL);
}

/* The same names, but every layer has another size. */
static gboolean
take_larger (Breakage *breakage)
{
  if (hyb_tensor_list_n (breakage->weights) < 4)
    return FALSE;
  breakage_map (breakage, make_larger, NULL);
  return TRUE;
}

const BreakageKind breakages_of_weights[] = {
  { "transposed-dense-weights", "transposed", transpose_all_dense, TRUE },
  { "filters-with-channels-last", "transposed", put_all_channels_last, TRUE },
  { "filters-in-the-order-of-keras", "transposed", order_all_as_keras, TRUE },
  { "biases-as-rows", "extra-axis", make_all_rows, TRUE },
  { "dense-weights-as-filters", "extra-axis", make_all_filters, TRUE },
  { "one-array-is-missing", "missing-parameter", leave_one_out, FALSE },
  { "one-array-too-many", "unused-parameter", add_one, TRUE },
  { "one-array-in-float64", "wrong-dtype", widen_one, TRUE },
  { "one-array-with-nan", "not-finite", spoil_one, FALSE },
  { "one-array-with-another-row", "wrong-shape", lengthen_one, FALSE },
  { "another-prefix", "renamed-parameter", prefix_all, TRUE },
  { "other-names-of-statistics", "renamed-parameter", rename_statistics, TRUE },
  { "names-of-save-parameters", "missing-parameter", number_layers, TRUE },
  { "names-that-order-alone-tells", "ambiguous-names|missing-parameter", number_doubtful_layers,
    FALSE },
  { "states-stored-as-arguments", "wrong-prefix", call_states_arguments, TRUE },
  { "weights-of-each-gate", "packed-parameter", unpack_vector, TRUE },
  { "weights-of-one-cell", "packed-parameter", unpack_for_a_cell, TRUE },
  { "one-vector-for-cells", "packed-parameter", pack_vector, TRUE },
  { "parameters-of-another-model", "wrong-pair", take_other, FALSE },
  { "newer-epoch-of-another-model", "wrong-pair", take_other_epoch, TRUE },
  { "parameters-of-a-larger-model", "wrong-pair", take_larger, FALSE },
  { 0 },
};
