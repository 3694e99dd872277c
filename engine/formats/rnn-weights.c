/* rnn-weights.c — converts the weights of recurrent networks: packed, per gate, stacked.
 *
 * The flat vector has all weights first: for each layer, for each direction, input to hidden, hidden
 * to hidden, and the projection; then the biases in the same order.  The gates of a matrix are
 * stacked along its rows.  Start at hyb_rnn_parts().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/rnn-weights.h"

#include "engine/base/error.h"

#include <string.h>

/* Larger sizes mean that the file is damaged; within these limits no product overflows 64 bits. */
#define MAX_SIZE   ((gint64) 1 << 24)
#define MAX_LAYERS 1000

static const struct
{
  const char        *name, *alias;
  const char *const *suffixes;
} modes[HYB_RNN_N_MODES] = {
  [HYB_RNN_RELU] = { "rnn_relu", "relu", (const char *[]){ "", NULL } },
  [HYB_RNN_TANH] = { "rnn_tanh", "rnn", (const char *[]){ "", NULL } },
  [HYB_RNN_LSTM] = { "lstm", "lstm", (const char *[]){ "_i", "_f", "_c", "_o", NULL } },
  [HYB_RNN_GRU] = { "gru", "gru", (const char *[]){ "_r", "_z", "_o", NULL } },
};

const char *
hyb_rnn_mode_name (HybRnnMode mode)
{
  return modes[mode].name;
}

gboolean
hyb_rnn_mode_from_name (const char *name, HybRnnMode *mode)
{
  for (guint i = 0; i < HYB_RNN_N_MODES; i++)
    if (strcmp (name, modes[i].name) == 0 || strcmp (name, modes[i].alias) == 0)
      {
        *mode = (HybRnnMode) i;
        return TRUE;
      }

  return FALSE;
}

const char *const *
hyb_rnn_gate_suffixes (HybRnnMode mode)
{
  return modes[mode].suffixes;
}

guint
hyb_rnn_n_gates (HybRnnMode mode)
{
  return g_strv_length ((char **) modes[mode].suffixes);
}

static gboolean
is_sane (const HybRnnWeights *weights)
{
  return weights->n_layers >= 1 && weights->n_layers <= MAX_LAYERS && weights->hidden >= 1 &&
         weights->hidden <= MAX_SIZE && weights->input >= 0 && weights->input <= MAX_SIZE * 64 &&
         weights->projection >= 0 && weights->projection <= MAX_SIZE;
}

/* The size of the state that a layer passes to the next step. */
static gint64
recurrent_size (const HybRnnWeights *weights)
{
  return weights->projection > 0 ? weights->projection : weights->hidden;
}

/* *at: offset of the next part. */
static void
add_part (GArray *parts, HybRnnPart part, gint64 *at)
{
  part.offset = *at;
  *at += part.rows * MAX (part.columns, 1);
  g_array_append_val (parts, part);
}

static void
add_layer (const HybRnnWeights *weights, GArray *parts, HybRnnPart part, gint64 *at)
{
  gint64 directions = weights->is_bidirectional ? 2 : 1;
  gint64 recurrent = recurrent_size (weights);

  part.rows = hyb_rnn_n_gates (weights->mode) * weights->hidden;
  part.columns = part.is_bias ? 0 : part.layer == 0 ? weights->input : directions * recurrent;
  add_part (parts, part, at);
  part.is_hidden = TRUE;
  part.columns = part.is_bias ? 0 : recurrent;
  add_part (parts, part, at);

  if (weights->projection > 0 && !part.is_bias)
    {
      part.is_projection = TRUE;
      part.rows = weights->projection;
      part.columns = weights->hidden;
      add_part (parts, part, at);
    }
}

GArray *
hyb_rnn_parts (const HybRnnWeights *weights)
{
  GArray *parts = g_array_new (FALSE, FALSE, sizeof (HybRnnPart));
  guint   n_directions = weights->is_bidirectional ? 2 : 1;
  gint64  at = 0;

  for (guint bias = 0; bias < 2; bias++)
    for (guint layer = 0; layer < weights->n_layers; layer++)
      for (guint direction = 0; direction < n_directions; direction++)
        add_layer (weights, parts,
                   (HybRnnPart){ .layer = layer, .direction = direction, .is_bias = bias == 1 },
                   &at);

  return parts;
}

gint64
hyb_rnn_packed_size (const HybRnnWeights *weights)
{
  gint64 directions = weights->is_bidirectional ? 2 : 1;
  gint64 recurrent, rows;

  if (!is_sane (weights))
    return -1;

  recurrent = recurrent_size (weights);
  rows = directions * hyb_rnn_n_gates (weights->mode) * weights->hidden;
  return rows * (weights->input + recurrent + 2) +
         (weights->n_layers - 1) * rows * (directions * recurrent + recurrent + 2) +
         weights->n_layers * directions * weights->projection * weights->hidden;
}

gint64
hyb_rnn_input_size (const HybRnnWeights *weights, gint64 length)
{
  HybRnnWeights without = *weights;
  gint64        rows, rest;

  without.input = 0;
  if (!is_sane (&without))
    return -1;

  rows = (weights->is_bidirectional ? 2 : 1) * hyb_rnn_n_gates (weights->mode) * weights->hidden;
  rest = length - hyb_rnn_packed_size (&without);
  return rest > 0 && rest % rows == 0 ? rest / rows : -1;
}

char *
hyb_rnn_part_name (const HybRnnWeights *weights, const HybRnnPart *part, const char *gate)
{
  const char *kind = part->is_projection ? "h2r" : part->is_hidden ? "h2h" : "i2h";

  return g_strdup_printf ("%s%c%u_%s%s_%s", weights->prefix, part->direction == 0 ? 'l' : 'r',
                          part->layer, kind, part->is_projection ? "" : gate,
                          part->is_bias ? "bias" : "weight");
}

static HybType
part_type (const HybRnnPart *part, gint64 rows, HybDType dtype)
{
  return (HybType){
    .shape = part->columns > 0 ? hyb_shape_2d (rows, part->columns) : hyb_shape_1d (rows),
    .dtype = dtype,
  };
}

static void
unpack_part (const HybRnnWeights *weights,
             const HybRnnPart    *part,
             HybTensor           *packed,
             gboolean             per_gate,
             HybTensorList       *to)
{
  static const char *const whole[] = { "", NULL };
  const char *const       *gates =
      per_gate && !part->is_projection ? hyb_rnn_gate_suffixes (weights->mode) : whole;
  guint    n_gates = g_strv_length ((char **) gates);
  HybDType dtype = hyb_tensor_get_dtype (packed);
  HybType  type = part_type (part, part->rows / n_gates, dtype);
  gsize    size = hyb_type_bytes (&type);

  for (guint i = 0; i < n_gates; i++)
    {
      g_autofree char *name = hyb_rnn_part_name (weights, part, gates[i]);
      g_autoptr (HybTensor) view =
          hyb_tensor_new_view (packed, &type,
                               (gsize) part->offset * hyb_dtype_size (dtype) + i * size);

      hyb_tensor_list_set (to, name, view);
    }
}

gboolean
hyb_rnn_unpack (const HybRnnWeights *given,
                HybTensor           *packed,
                gboolean             per_gate,
                HybTensorList       *to,
                GError             **error)
{
  HybRnnWeights weights = *given;
  gint64        length = hyb_tensor_get_size (packed);
  g_autoptr (GArray) parts = NULL;

  if (weights.input == 0)
    weights.input = MAX (hyb_rnn_input_size (&weights, length), 0);
  if (weights.input == 0 || hyb_rnn_packed_size (&weights) != length)
    return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, weights.prefix,
                         "Check the mode, hidden size, number of layers and directions",
                         "a vector of %" G_GINT64_FORMAT " elements does not hold the weights of "
                         "%u %slayers of %s with %" G_GINT64_FORMAT " units",
                         length, weights.n_layers, weights.is_bidirectional ? "bidirectional " : "",
                         hyb_rnn_mode_name (weights.mode), weights.hidden);

  parts = hyb_rnn_parts (&weights);
  for (guint i = 0; i < parts->len; i++)
    unpack_part (&weights, &g_array_index (parts, HybRnnPart, i), packed, per_gate, to);
  return TRUE;
}

/* A stretch of the flat vector: offset in elements, and the array that belongs there. */
typedef struct
{
  HybTensor *vector;
  gint64     offset;
  HybType    type;
} Stretch;

/* Copies the array called name; fails unless it has the type of the stretch. */
static gboolean
copy_array (const Stretch *to, HybTensorList *from, const char *name, GError **error)
{
  HybTensor       *tensor = hyb_tensor_list_find (from, name);
  g_autofree char *expected = NULL, *got = NULL;

  if (tensor && hyb_shape_equal (hyb_tensor_get_shape (tensor), &to->type.shape) &&
      hyb_tensor_get_dtype (tensor) == to->type.dtype)
    {
      memcpy ((guint8 *) hyb_tensor_get_data (to->vector) +
                  (gsize) to->offset * hyb_dtype_size (to->type.dtype),
              hyb_tensor_get_data (tensor), hyb_tensor_get_bytes (tensor));
      return TRUE;
    }

  expected = hyb_type_to_string (&to->type);
  got = tensor ? hyb_type_to_string (hyb_tensor_get_type (tensor)) : NULL;
  return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, name, NULL,
                       "%s is needed, but %s is there", expected, got ? got : "nothing");
}

/* Copies a part, stacked or gate by gate. */
static gboolean
pack_part (const HybRnnWeights *weights,
           const HybRnnPart    *part,
           HybTensorList       *from,
           HybTensor           *vector,
           GError             **error)
{
  const char *const *gates = hyb_rnn_gate_suffixes (weights->mode);
  guint              n_gates = g_strv_length ((char **) gates);
  g_autofree char   *stacked = hyb_rnn_part_name (weights, part, "");
  HybDType           dtype = hyb_tensor_get_dtype (vector);
  Stretch            to = { vector, part->offset, part_type (part, part->rows, dtype) };

  if (hyb_tensor_list_find (from, stacked) || part->is_projection)
    return copy_array (&to, from, stacked, error);

  to.type = part_type (part, part->rows / n_gates, dtype);
  for (guint i = 0; i < n_gates; i++)
    {
      g_autofree char *name = hyb_rnn_part_name (weights, part, gates[i]);

      if (!copy_array (&to, from, name, error))
        return FALSE;
      to.offset += hyb_shape_size (&to.type.shape);
    }

  return TRUE;
}

/* The first array of the weights, which decides the element type; NULL if it is missing. */
static HybTensor *
find_first (const HybRnnWeights *weights, HybTensorList *from)
{
  HybRnnPart       part = { 0 };
  g_autofree char *stacked = hyb_rnn_part_name (weights, &part, "");
  g_autofree char *gate =
      hyb_rnn_part_name (weights, &part, hyb_rnn_gate_suffixes (weights->mode)[0]);
  HybTensor *found = hyb_tensor_list_find (from, stacked);

  return found ? found : hyb_tensor_list_find (from, gate);
}

/* hyb_rnn_find_misfit() for one part. */
static char *
misfit_of_part (const HybRnnWeights *weights,
                const HybRnnPart    *part,
                HybTensorList       *from,
                HybType             *expected)
{
  const char *const *gates = hyb_rnn_gate_suffixes (weights->mode);
  guint              n_gates = g_strv_length ((char **) gates);
  g_autofree char   *stacked = hyb_rnn_part_name (weights, part, "");
  HybTensor         *tensor = hyb_tensor_list_find (from, stacked);

  if (tensor || part->is_projection)
    {
      *expected = part_type (part, part->rows, expected->dtype);
      return tensor && hyb_shape_equal (hyb_tensor_get_shape (tensor), &expected->shape)
                 ? NULL
                 : g_steal_pointer (&stacked);
    }

  *expected = part_type (part, part->rows / n_gates, expected->dtype);
  for (guint i = 0; i < n_gates; i++)
    {
      g_autofree char *name = hyb_rnn_part_name (weights, part, gates[i]);

      tensor = hyb_tensor_list_find (from, name);
      if (!tensor || !hyb_shape_equal (hyb_tensor_get_shape (tensor), &expected->shape) ||
          hyb_tensor_get_dtype (tensor) != expected->dtype)
        return g_steal_pointer (&name);
    }
  return NULL;
}

char *
hyb_rnn_find_misfit (const HybRnnWeights *given, HybTensorList *from, HybType *expected)
{
  HybRnnWeights weights = *given;
  HybTensor    *first = find_first (&weights, from);
  g_autoptr (GArray) parts = NULL;
  char *found = NULL;

  *expected = HYB_TYPE_UNKNOWN;
  if (!first || hyb_tensor_get_shape (first)->rank != 2)
    {
      HybRnnPart part = { 0 };

      return hyb_rnn_part_name (&weights, &part, hyb_rnn_gate_suffixes (weights.mode)[0]);
    }

  weights.input = hyb_tensor_get_shape (first)->dim[1];
  parts = hyb_rnn_parts (&weights);
  for (guint i = 0; i < parts->len && !found; i++)
    {
      expected->dtype = hyb_tensor_get_dtype (first);
      found = misfit_of_part (&weights, &g_array_index (parts, HybRnnPart, i), from, expected);
    }
  return found;
}

HybTensor *
hyb_rnn_pack (const HybRnnWeights *given, HybTensorList *from, GError **error)
{
  HybRnnWeights weights = *given;
  HybTensor    *first = find_first (&weights, from);
  g_autoptr (HybTensor) packed = NULL;
  g_autoptr (GArray) parts = NULL;
  HybType type;

  if (first && weights.input == 0 && hyb_tensor_get_shape (first)->rank == 2)
    weights.input = hyb_tensor_get_shape (first)->dim[1];
  if (!first || hyb_rnn_packed_size (&weights) < 0)
    {
      hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, weights.prefix, NULL,
                    "there are no weights under this prefix that make up a fused RNN");
      return NULL;
    }

  type = (HybType){ hyb_shape_1d (hyb_rnn_packed_size (&weights)), hyb_tensor_get_dtype (first) };
  packed = hyb_tensor_new (&type, error);
  parts = hyb_rnn_parts (&weights);
  for (guint i = 0; packed && i < parts->len; i++)
    if (!pack_part (&weights, &g_array_index (parts, HybRnnPart, i), from, packed, error))
      return NULL;

  return g_steal_pointer (&packed);
}

/* The recurrent matrix of a layer, or of one of its gates; NULL if it is missing. */
static HybTensor *
find_h2h (HybTensorList       *from,
          const HybRnnWeights *weights,
          guint                layer,
          guint                direction,
          const char          *gate)
{
  HybRnnPart       part = { .layer = layer, .direction = direction, .is_hidden = TRUE };
  g_autofree char *name = hyb_rnn_part_name (weights, &part, gate);
  HybTensor       *tensor = hyb_tensor_list_find (from, name);

  return tensor && hyb_tensor_get_shape (tensor)->rank == 2 ? tensor : NULL;
}

/* Sets mode and hidden size.  *gate: a suffix that names of the arrays have. */
static gboolean
recognise_mode (HybTensorList *from, HybRnnWeights *weights, const char **gate)
{
  static const HybRnnMode gated[] = { HYB_RNN_LSTM, HYB_RNN_GRU };
  static const HybRnnMode by_gates[] = { HYB_RNN_LSTM, HYB_RNN_GRU, HYB_RNN_TANH };
  HybTensor              *tensor;
  const HybShape         *shape;

  /* The second gate (forget, update) has a suffix that only one of the modes has. */
  for (guint i = 0; i < G_N_ELEMENTS (gated); i++)
    {
      *gate = hyb_rnn_gate_suffixes (gated[i])[1];
      tensor = find_h2h (from, weights, 0, 0, *gate);
      if (!tensor)
        continue;
      weights->mode = gated[i];
      weights->hidden = hyb_tensor_get_shape (tensor)->dim[0];
      return TRUE;
    }

  *gate = "";
  tensor = find_h2h (from, weights, 0, 0, "");
  shape = tensor ? hyb_tensor_get_shape (tensor) : NULL;
  for (guint i = 0; shape && i < G_N_ELEMENTS (by_gates); i++)
    if (shape->dim[0] == hyb_rnn_n_gates (by_gates[i]) * shape->dim[1])
      {
        weights->mode = by_gates[i];
        weights->hidden = shape->dim[1];
        return TRUE;
      }

  return FALSE;
}

gboolean
hyb_rnn_recognise (HybTensorList *from, const char *prefix, HybRnnWeights *weights)
{
  const char *gate;

  *weights = (HybRnnWeights){ .prefix = prefix };
  if (!recognise_mode (from, weights, &gate))
    return FALSE;

  weights->is_bidirectional = find_h2h (from, weights, 0, 1, gate) != NULL;
  while (weights->n_layers < MAX_LAYERS && find_h2h (from, weights, weights->n_layers, 0, gate))
    weights->n_layers++;
  return TRUE;
}

HybTensorList *
hyb_rnn_number_layer (HybTensorList *list, const char *prefix)
{
  HybTensorList *numbered = hyb_tensor_list_new ();
  gsize          length = strlen (prefix);
  gboolean       is_changed = FALSE;

  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);
      const char           *rest = entry->name + length;
      g_autofree char      *name = NULL;

      if (g_str_has_prefix (entry->name, prefix) &&
          (g_str_has_prefix (rest, "i2h_") || g_str_has_prefix (rest, "h2h_")))
        name = g_strconcat (prefix, "l0_", rest, NULL);
      is_changed |= name != NULL;
      hyb_tensor_list_set (numbered, name ? name : entry->name, entry->tensor);
    }
  if (!is_changed)
    g_clear_pointer (&numbered, hyb_tensor_list_unref);
  return numbered;
}
