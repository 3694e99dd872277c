/* checkpoint.c — see checkpoint.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/rnn/checkpoint.h"

#include "engine/base/error.h"
#include "engine/open/open.h"
#include "engine/rnn/cell-private.h"

#include <string.h>

/* What is done with a cell that has weights of its own. */
typedef gboolean (*CellFunc) (HybCell *cell, HybModel *model, GError **error);

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
find (HybModel *model, const char *name, GError **error)
{
  HybTensor *tensor = hyb_model_get_parameter (model, name);

  if (!tensor)
    hyb_error_at (error,
                  HYB_FORMAT_ERROR,
                  HYB_FORMAT_ERROR_MISMATCH,
                  hyb_model_get_weights_file (model),
                  "Look whether the cell has the prefix with which it was trained",
                  "there is no array “%s”",
                  name);
  return tensor;
}

static void
set (HybModel *model, const char *name, HybTensor *tensor)
{
  hyb_model_set_parameter (model, name, tensor);
  hyb_model_set_parameter_prefix (model, name, HYB_PREFIX_ARG);
}

/* --- Fused cells --- */

static HybTensorList *
list_of (HybModel *model)
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
  HybTensor       *packed = find (model, name, error);
  g_autoptr (HybTensorList) gates = hyb_tensor_list_new ();

  if (!packed || !hyb_rnn_unpack (weights, packed, TRUE, gates, error))
    return FALSE;
  for (guint i = 0; i < hyb_tensor_list_n (gates); i++)
    set (model, hyb_tensor_list_get (gates, i)->name, hyb_tensor_list_get (gates, i)->tensor);
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
  all = list_of (model);
  packed = hyb_rnn_pack (&weights, all, error);
  if (!packed || !hyb_rnn_unpack (&weights, packed, TRUE, gates, error))
    return FALSE;
  for (guint i = 0; i < hyb_tensor_list_n (gates); i++)
    hyb_model_remove_parameter (model, hyb_tensor_list_get (gates, i)->name);
  set (model, name, packed);
  return TRUE;
}

/* --- Single cells --- */

/* One stacked array of a cell: "lstm_i2h_" and "weight", or "bias". */
typedef struct
{
  char              *stem;
  const char        *kind;
  const char *const *gates; /* suffixes, in the order of the rows */
  guint              n_gates;
} Stacked;

static const char *const *
gates_of (HybCell *cell, guint *n)
{
  const HybShape *rows = hyb_parameter_get_shape (cell->i2h_bias);

  *n = cell->hidden > 0 ? (guint) (rows->dim[0] / cell->hidden) : 1;
  return hyb_rnn_gate_suffixes (*n == 4 ? HYB_RNN_LSTM : *n == 3 ? HYB_RNN_GRU : HYB_RNN_TANH);
}

static char *
stacked_name (const Stacked *stacked)
{
  return g_strdup_printf ("%s_%s", stacked->stem, stacked->kind);
}

static char *
gate_name (const Stacked *stacked, guint gate)
{
  return g_strdup_printf ("%s%s_%s", stacked->stem, stacked->gates[gate], stacked->kind);
}

static gboolean
split_rows (const Stacked *stacked, HybModel *model, GError **error)
{
  g_autofree char *name = stacked_name (stacked);
  HybTensor       *whole = find (model, name, error);
  HybType          type;
  gsize            bytes;

  if (!whole)
    return FALSE;
  type = *hyb_tensor_get_type (whole);
  if (type.shape.rank < 1 || type.shape.dim[0] % stacked->n_gates != 0)
    return hyb_error_at (error,
                         HYB_FORMAT_ERROR,
                         HYB_FORMAT_ERROR_MISMATCH,
                         name,
                         "Look at the kind of cell",
                         "its rows do not divide into %u gates",
                         stacked->n_gates);
  type.shape.dim[0] /= stacked->n_gates;
  bytes = hyb_type_bytes (&type);
  for (guint i = 0; i < stacked->n_gates; i++)
    {
      g_autofree char *gate = gate_name (stacked, i);
      g_autoptr (HybTensor) rows = hyb_tensor_new_view (whole, &type, i * bytes);

      set (model, gate, rows);
    }
  hyb_model_remove_parameter (model, name);
  return TRUE;
}

static gboolean
join_rows (const Stacked *stacked, HybModel *model, GError **error)
{
  g_autofree char *name = stacked_name (stacked);
  g_autoptr (HybTensor) whole = NULL;
  HybType first, type;

  if (hyb_model_get_parameter (model, name))
    return TRUE;
  for (guint i = 0; i < stacked->n_gates; i++)
    {
      g_autofree char *gate = gate_name (stacked, i);
      HybTensor       *rows = find (model, gate, error);

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
        return hyb_error_at (error,
                             HYB_FORMAT_ERROR,
                             HYB_FORMAT_ERROR_MISMATCH,
                             gate,
                             NULL,
                             "its type differs from that of the first gate");
      memcpy ((guint8 *) hyb_tensor_get_data (whole) + i * hyb_tensor_get_bytes (rows),
              hyb_tensor_get_data (rows),
              hyb_tensor_get_bytes (rows));
    }
  for (guint i = 0; i < stacked->n_gates; i++)
    {
      g_autofree char *gate = gate_name (stacked, i);

      hyb_model_remove_parameter (model, gate);
    }
  set (model, name, whole);
  return TRUE;
}

static gboolean
for_each_stacked (HybCell  *cell,
                  HybModel *model,
                  gboolean (*function) (const Stacked *stacked, HybModel *model, GError **error),
                  GError **error)
{
  static const char *const kinds[] = { "weight", "bias" };
  static const char *const sides[] = { "i2h", "h2h" };
  const char              *full;
  g_autofree char         *prefix = NULL;
  Stacked                  stacked;

  if (!cell->i2h_weight)
    return TRUE;
  stacked.gates = gates_of (cell, &stacked.n_gates);
  if (stacked.n_gates == 1)
    return TRUE; /* a gate without a name: nothing changes */
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

static HybModel *
copy_of (HybModel *model)
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
  g_autoptr (HybModel) unpacked = copy_of (model);

  return hyb_rnn_unpack_weights (checkpoint->cells, checkpoint->n, unpacked, error) &&
         hyb_model_save (unpacked, checkpoint->prefix, epoch, NULL, error);
}

HybModel *
hyb_rnn_load_checkpoint (const HybRnnCheckpoint *checkpoint, guint epoch, GError **error)
{
  g_autofree char *symbol = g_strconcat (checkpoint->prefix, "-symbol.json", NULL);
  g_autofree char *params = g_strdup_printf ("%s-%04u.params", checkpoint->prefix, epoch);
  g_autoptr (HybModel) model = hyb_model_open (symbol, params, epoch, error);

  if (!model || !hyb_rnn_pack_weights (checkpoint->cells, checkpoint->n, model, error))
    return NULL;
  return g_steal_pointer (&model);
}

gboolean
hyb_rnn_checkpoint_epoch (const HybRnnCheckpoint *checkpoint,
                          guint                   finished,
                          HybModel               *model,
                          GError                **error)
{
  if ((finished + 1) % MAX (checkpoint->period, 1) != 0)
    return TRUE;
  return hyb_rnn_save_checkpoint (checkpoint, finished + 1, model, error);
}
