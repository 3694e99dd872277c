/* checkpoint.c — splits the weights of cells by gate and joins them again; saves and loads mx.rnn's
 * checkpoints.
 *
 * Fused cells have one flat vector (formats/rnn-weights.h); single cells have arrays whose rows
 * are stacked by gate.  Start at hyb_rnn_save_checkpoint().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/rnn/checkpoint.h"

#include "engine/base/error.h"
#include "engine/formats/format.h"
#include "engine/formats/model-weights.h"
#include "engine/open/open.h"
#include "engine/rnn/cell-private.h"

#include <string.h>

typedef gboolean (*CellFunc) (HybCell *cell, HybModel *model, GError **error);

/* Calls function for block, if it is a cell, and for all cells below it. */
static gboolean
for_each_cell (HybBlock *block, CellFunc function, HybModel *model, GError **error)
{
  HybCell *cell = hyb_cell_from_block (block);

  if (cell && !function (cell, model, error))
    return FALSE;
  for (guint i = 0; i < hyb_block_n_children (block); i++)
    if (!for_each_cell (hyb_block_get_child (block, i), function, model, error))
      return FALSE;
  return TRUE;
}

static HybTensor *
find_array (HybModel *model, const char *name, GError **error)
{
  HybTensor *tensor = hyb_model_get_parameter (model, name);

  if (!tensor)
    hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH,
                  hyb_model_get_weights_file (model),
                  "Check that the cell has the prefix with which it was trained",
                  "there is no array “%s”", name);
  return tensor;
}

static void
set_array (HybModel *model, const char *name, HybTensor *tensor)
{
  hyb_model_set_parameter (model, name, tensor);
  hyb_model_set_parameter_prefix (model, name, HYB_PREFIX_ARG);
}

/* --- Fused cells --- */

/* All parameters of the model.  (transfer full) */
static HybTensorList *
list_parameters (HybModel *model)
{
  HybTensorList *list = hyb_tensor_list_new ();

  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *name = hyb_model_get_parameter_name (model, i);

      hyb_tensor_list_set (list, name, hyb_model_get_parameter (model, name));
    }
  return list;
}

static gboolean
unpack_fused (const HybRnnWeights *weights, HybModel *model, GError **error)
{
  g_autofree char *name = g_strconcat (weights->prefix, "parameters", NULL);
  HybTensor       *packed = find_array (model, name, error);
  g_autoptr (HybTensorList) gates = hyb_tensor_list_new ();

  if (!packed || !hyb_rnn_unpack (weights, packed, TRUE, gates, error))
    return FALSE;
  for (guint i = 0; i < hyb_tensor_list_n (gates); i++)
    set_array (model, hyb_tensor_list_get (gates, i)->name, hyb_tensor_list_get (gates, i)->tensor);
  hyb_model_remove_parameter (model, name);
  return TRUE;
}

static gboolean
pack_fused (const HybRnnWeights *given, HybModel *model, GError **error)
{
  HybRnnWeights    weights = *given;
  g_autofree char *name = g_strconcat (weights.prefix, "parameters", NULL);
  g_autoptr (HybTensorList) all = NULL;
  g_autoptr (HybTensor) packed = NULL;
  g_autoptr (HybTensorList) gates = hyb_tensor_list_new ();

  if (hyb_model_get_parameter (model, name))
    return TRUE;
  all = list_parameters (model);
  packed = hyb_rnn_pack (&weights, all, error);
  /* The arrays may have been given in either form. */
  if (!packed || !hyb_rnn_unpack (&weights, packed, TRUE, gates, error) ||
      !hyb_rnn_unpack (&weights, packed, FALSE, gates, error))
    return FALSE;
  for (guint i = 0; i < hyb_tensor_list_n (gates); i++)
    hyb_model_remove_parameter (model, hyb_tensor_list_get (gates, i)->name);
  set_array (model, name, packed);
  return TRUE;
}

/* --- Single cells --- */

/* An array whose rows are stacked by gate, such as lstm_i2h_weight. */
typedef struct
{
  char              *stem;  /* "lstm_i2h" */
  const char        *kind;  /* "weight" or "bias" */
  const char *const *gates; /* suffixes "_i" …, in the order of the rows */
  guint              n_gates;
} StackedArray;

/* The suffixes of the cell's gates, and how many there are. */
static const char *const *
gates_of (HybCell *cell, guint *n)
{
  const HybShape *rows = hyb_parameter_get_shape (cell->i2h_bias);

  *n = cell->hidden > 0 ? (guint) (rows->dim[0] / cell->hidden) : 1;
  return hyb_rnn_gate_suffixes (*n == 4 ? HYB_RNN_LSTM : *n == 3 ? HYB_RNN_GRU : HYB_RNN_TANH);
}

static char *
stacked_name (const StackedArray *stacked)
{
  return g_strdup_printf ("%s_%s", stacked->stem, stacked->kind);
}

static char *
gate_name (const StackedArray *stacked, guint gate)
{
  return g_strdup_printf ("%s%s_%s", stacked->stem, stacked->gates[gate], stacked->kind);
}

/* Replaces a stacked array by one array for each gate. */
static gboolean
split_rows (const StackedArray *stacked, HybModel *model, GError **error)
{
  g_autofree char *name = stacked_name (stacked);
  HybTensor       *whole = find_array (model, name, error);
  HybType          type;
  gsize            bytes;

  if (!whole)
    return FALSE;
  type = *hyb_tensor_get_type (whole);
  if (type.shape.rank < 1 || type.shape.dim[0] % stacked->n_gates != 0)
    return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, name,
                         "Check that the cell is of the kind that was trained",
                         "its %" G_GINT64_FORMAT " rows do not divide into %u gates",
                         type.shape.rank < 1 ? 0 : type.shape.dim[0], stacked->n_gates);
  type.shape.dim[0] /= stacked->n_gates;
  bytes = hyb_type_bytes (&type);
  for (guint i = 0; i < stacked->n_gates; i++)
    {
      g_autofree char *gate = gate_name (stacked, i);
      g_autoptr (HybTensor) rows = hyb_tensor_new_view (whole, &type, i * bytes);

      set_array (model, gate, rows);
    }
  hyb_model_remove_parameter (model, name);
  return TRUE;
}

/* Replaces the arrays of the gates by one stacked array. */
static gboolean
join_rows (const StackedArray *stacked, HybModel *model, GError **error)
{
  g_autofree char *name = stacked_name (stacked);
  g_autoptr (HybTensor) whole = NULL;
  HybType first, type;

  if (hyb_model_get_parameter (model, name))
    return TRUE;
  for (guint i = 0; i < stacked->n_gates; i++)
    {
      g_autofree char *gate = gate_name (stacked, i);
      HybTensor       *rows = find_array (model, gate, error);

      if (!rows)
        return FALSE;
      if (!whole)
        {
          first = type = *hyb_tensor_get_type (rows);
          if (type.shape.rank > 0)
            type.shape.dim[0] *= stacked->n_gates;
          whole = hyb_tensor_new (&type, error);
        }
      if (!whole)
        return FALSE;
      if (first.shape.rank < 1 || !hyb_shape_equal (&first.shape, hyb_tensor_get_shape (rows)) ||
          first.dtype != hyb_tensor_get_dtype (rows))
        return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, gate, NULL,
                             "its type differs from the first gate's");
      memcpy ((guint8 *) hyb_tensor_get_data (whole) + i * hyb_tensor_get_bytes (rows),
              hyb_tensor_get_data (rows), hyb_tensor_get_bytes (rows));
    }
  for (guint i = 0; i < stacked->n_gates; i++)
    {
      g_autofree char *gate = gate_name (stacked, i);

      hyb_model_remove_parameter (model, gate);
    }
  set_array (model, name, whole);
  return TRUE;
}

/* Calls function for the weights and biases of a single cell. */
static gboolean
for_each_stacked (HybCell  *cell,
                  HybModel *model,
                  gboolean (*function) (const StackedArray *stacked,
                                        HybModel           *model,
                                        GError            **error),
                  GError **error)
{
  static const char *const kinds[] = { "weight", "bias" };
  static const char *const sides[] = { "i2h", "h2h" };
  const char              *full;
  g_autofree char         *prefix = NULL;
  StackedArray             stacked;

  if (!cell->i2h_weight)
    return TRUE;
  stacked.gates = gates_of (cell, &stacked.n_gates);
  if (stacked.n_gates == 1)
    return TRUE; /* a single gate has no suffix: both forms are the same */
  full = hyb_parameter_get_name (cell->i2h_weight);
  prefix = g_strndup (full, strlen (full) - strlen ("i2h_weight"));
  for (guint s = 0; s < G_N_ELEMENTS (sides); s++)
    for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
      {
        g_autofree char *stem = g_strconcat (prefix, sides[s], NULL);

        stacked.stem = stem;
        stacked.kind = kinds[k];
        if (!function (&stacked, model, error))
          return FALSE;
      }
  return TRUE;
}

static gboolean
unpack_cell (HybCell *cell, HybModel *model, GError **error)
{
  HybRnnWeights weights;

  if (hyb_fused_cell_get_weights (&cell->parent, &weights))
    return unpack_fused (&weights, model, error);
  return for_each_stacked (cell, model, split_rows, error);
}

static gboolean
pack_cell (HybCell *cell, HybModel *model, GError **error)
{
  HybRnnWeights weights;

  if (hyb_fused_cell_get_weights (&cell->parent, &weights))
    return pack_fused (&weights, model, error);
  return for_each_stacked (cell, model, join_rows, error);
}

gboolean
hyb_rnn_unpack_weights (HybBlock *const *cells, guint n, HybModel *model, GError **error)
{
  for (guint i = 0; i < n; i++)
    if (!for_each_cell (cells[i], unpack_cell, model, error))
      return FALSE;
  return TRUE;
}

gboolean
hyb_rnn_pack_weights (HybBlock *const *cells, guint n, HybModel *model, GError **error)
{
  for (guint i = 0; i < n; i++)
    if (!for_each_cell (cells[i], pack_cell, model, error))
      return FALSE;
  return TRUE;
}

/* --- Files --- */

/* A model with the same graph and the same arrays.  (transfer full) */
static HybModel *
copy_model (HybModel *model)
{
  HybModel *copy = hyb_model_new ();

  hyb_model_set_graph (copy, hyb_model_get_graph (model));
  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *name = hyb_model_get_parameter_name (model, i);

      hyb_model_set_parameter (copy, name, hyb_model_get_parameter (model, name));
      hyb_model_set_parameter_prefix (copy, name, hyb_model_get_parameter_prefix (model, i));
    }
  return copy;
}

gboolean
hyb_rnn_save_checkpoint (const HybRnnCheckpoint *checkpoint,
                         guint                   epoch,
                         HybModel               *model,
                         GError                **error)
{
  g_return_val_if_fail (checkpoint && model, FALSE);

  g_autoptr (HybModel) unpacked = copy_model (model);

  return hyb_rnn_unpack_weights (checkpoint->cells, checkpoint->n, unpacked, error) &&
         hyb_model_save (unpacked, checkpoint->prefix, epoch, NULL, error);
}

HybModel *
hyb_rnn_load_checkpoint (const HybRnnCheckpoint *checkpoint, guint epoch, GError **error)
{
  g_return_val_if_fail (checkpoint, NULL);

  g_autofree char *symbol = g_strconcat (checkpoint->prefix, "-symbol.json", NULL);
  g_autofree char *params = g_strdup_printf ("%s-%04u.params", checkpoint->prefix, epoch);
  g_autoptr (HybModel) model = hyb_model_open (symbol, params, epoch, error);
  g_autoptr (HybTensorList) list = NULL;

  list = model ? hyb_weights_read_file (params, NULL, error) : NULL;
  if (!list)
    return NULL;

  /* Opening matched the arrays to the graph of the file, which may be that of another form. */
  while (hyb_model_n_parameters (model) > 0)
    hyb_model_remove_parameter (model, hyb_model_get_parameter_name (model, 0));
  hyb_model_take_weights (model, list, params);
  if (!hyb_rnn_pack_weights (checkpoint->cells, checkpoint->n, model, error))
    return NULL;
  return g_steal_pointer (&model);
}

gboolean
hyb_rnn_checkpoint_epoch (const HybRnnCheckpoint *checkpoint,
                          guint                   finished,
                          HybModel               *model,
                          GError                **error)
{
  g_return_val_if_fail (checkpoint && model, FALSE);
  if ((finished + 1) % MAX (checkpoint->period, 1) != 0)
    return TRUE;
  return hyb_rnn_save_checkpoint (checkpoint, finished + 1, model, error);
}
