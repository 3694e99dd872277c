/* cell.c — shared parts of all recurrent cells: creation, names, parameters, states, stepping.
 *
 * Start at hyb_cell_new() and hyb_cell_forward(); the steps themselves are in cell-basic.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/rnn/cell.h"

#include "engine/block/block-private.h"
#include "engine/block/trace-private.h"
#include "engine/rnn/cell-private.h"

#include <string.h>

HybCell *
hyb_cell_from_block (HybBlock *block)
{
  return block && block->klass->finish == hyb_cell_finish ? (HybCell *) block : NULL;
}

HybCell *
hyb_cell_or_fail (HybF *F, HybBlock *block)
{
  HybCell *cell = hyb_cell_from_block (block);

  if (!cell)
    hyb_f_fail (F, "%s%s is stepped like a recurrent cell, which it is not",
                block ? "block " : "NULL", block ? hyb_block_get_name (block) : "");
  return cell;
}

static const HybCellClass *
class_of (HybCell *cell)
{
  return (const HybCellClass *) cell->parent.klass;
}

HybCell *
hyb_cell_new (const HybCellClass *klass, const HybCellOptions *options, const char *default_prefix)
{
  gboolean    symbolic = options->style == HYB_STYLE_SYMBOLIC;
  const char *prefix = symbolic && !options->prefix ? default_prefix : options->prefix;
  HybBlock   *block = hyb_block_new_shared (&klass->block, prefix, options->shared);
  HybCell    *cell = (HybCell *) block;

  /* mx.rnn has no scopes: its cells have full names, and automatic names are counted globally. */
  if (symbolic)
    block->priv->has_scope = FALSE;
  cell->style = options->style;
  cell->node_prefix = g_strdup (prefix ? prefix : "");
  cell->hidden = options->hidden;
  cell->counter = cell->state_counter = -1;
  return cell;
}

void
hyb_cell_finish (HybBlock *block)
{
  HybCell *cell = (HybCell *) block;

  g_free (cell->node_prefix);
  g_free (cell->output_prefix);
  g_free (cell->convolution);
}

const char *
hyb_cell_name (HybF *F, HybCell *cell, const char *suffix)
{
  const char *prefix = cell->style == HYB_STYLE_SYMBOLIC ? cell->node_prefix : "";

  return hyb_f_text (F, "%st%d_%s", prefix, g_atomic_int_get (&cell->counter), suffix);
}

const char *
hyb_cell_gluon_name (HybF *F, HybCell *cell, const char *suffix)
{
  return cell->style == HYB_STYLE_SYMBOLIC || cell->is_contrib ? NULL
                                                               : hyb_cell_name (F, cell, suffix);
}

static HybParameter *
add_parameter (HybCell *cell, const char *name, HybShape shape, const char *init)
{
  return hyb_block_add_parameter (&cell->parent,
                                  &(HybParameterSpec){ .name = name,
                                                       .shape = shape,
                                                       .init = init,
                                                       .allow_deferred = TRUE,
                                                       .is_bare =
                                                           cell->style == HYB_STYLE_SYMBOLIC });
}

void
hyb_cell_add_parameters (HybCell *cell, const HybCellOptions *options, guint n_gates)
{
  gint64      rows = cell->hidden * n_gates;
  gint64      columns = options->input_size > 0 ? options->input_size : HYB_UNKNOWN;
  gint64      recurrent = cell->projection > 0 ? cell->projection : cell->hidden;
  const char *bias = cell->style == HYB_STYLE_GLUON ? "zeros" : NULL;

  cell->i2h_weight =
      add_parameter (cell, "i2h_weight", hyb_shape_2d (rows, columns), options->i2h_weight_init);
  cell->h2h_weight =
      add_parameter (cell, "h2h_weight", hyb_shape_2d (rows, recurrent), options->h2h_weight_init);
  if (cell->projection > 0)
    cell->h2r_weight =
        add_parameter (cell, "h2r_weight", hyb_shape_2d (cell->projection, cell->hidden), NULL);
  cell->i2h_bias = add_parameter (cell, "i2h_bias", hyb_shape_1d (rows),
                                  options->i2h_bias_init ? options->i2h_bias_init : bias);
  cell->h2h_bias = add_parameter (cell, "h2h_bias", hyb_shape_1d (rows),
                                  options->h2h_bias_init ? options->h2h_bias_init : bias);
}

static const char *
shape_text (HybF *F, const HybShape *shape)
{
  g_autofree char *text = hyb_shape_to_string (shape);

  return hyb_f_text (F, "%s", text);
}

/* hyb_cell_linear() for cells whose states are feature maps. */
static HybValue *
convolve (HybF *F, HybCell *cell, HybValue *x, CellSide side, const char *name)
{
  const CellConvolution *conv = cell->convolution;
  gboolean               is_i2h = side == CELL_I2H;
  HybParameter          *weight = is_i2h ? cell->i2h_weight : cell->h2h_weight;
  HybParameter          *bias = is_i2h ? cell->i2h_bias : cell->h2h_bias;
  HybShape               ones = conv->h2h_pad;

  for (int i = 0; i < ones.rank; i++)
    ones.dim[i] = 1;
  return HYB_OP (F, "Convolution", .name = name,
                 .in = { x, hyb_use (F, weight), hyb_use (F, bias) },
                 .attributes =
                     HYB_WITH ("dilate",
                               shape_text (F, is_i2h ? &conv->i2h_dilate : &conv->h2h_dilate),
                               "kernel",
                               shape_text (F, is_i2h ? &conv->i2h_kernel : &conv->h2h_kernel),
                               "layout", conv->layout, "num_filter",
                               hyb_f_text (F, "%" G_GINT64_FORMAT,
                                           hyb_parameter_get_shape (bias)->dim[0]),
                               "pad", shape_text (F, is_i2h ? &conv->i2h_pad : &conv->h2h_pad),
                               "stride", shape_text (F, is_i2h ? &conv->i2h_stride : &ones)));
}

HybValue *
hyb_cell_linear (HybF *F, HybCell *cell, HybValue *x, CellSide side, const char *name)
{
  HybParameter *weight = side == CELL_I2H   ? cell->i2h_weight
                         : side == CELL_H2H ? cell->h2h_weight
                                            : cell->h2r_weight;
  HybParameter *bias = side == CELL_I2H ? cell->i2h_bias : side == CELL_H2H ? cell->h2h_bias : NULL;
  const HybShape *shape = hyb_parameter_get_shape (weight);

  if (cell->convolution)
    return convolve (F, cell, x, side, name);
  return HYB_OP (F, "FullyConnected", .name = name,
                 .in = { x, hyb_use (F, weight), bias ? hyb_use (F, bias) : NULL },
                 .attributes = HYB_WITH ("no_bias", !bias ? "True" : NULL, "num_hidden",
                                         hyb_f_text (F, "%" G_GINT64_FORMAT, shape->dim[0])));
}

const char *
hyb_cell_rate_text (HybF *F, double rate)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (text, sizeof text, "%.15g", rate);
  return hyb_f_text (F, "%s", text);
}

/* --- States --- */

guint
hyb_cell_n_states (HybBlock *block)
{
  HybCell *cell = hyb_cell_from_block (block);

  g_return_val_if_fail (cell, 0);
  return class_of (cell)->n_states (cell);
}

/* "(0, 4)"; batch, where the shape is unknown, is "0" if the batch size is not known either. */
static const char *
state_shape (HybF *F, const HybStateInfo *info, const char *batch)
{
  g_autoptr (GString) text = g_string_new ("(");

  for (int i = 0; i < info->shape.rank; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      if (info->shape.dim[i] < 0)
        g_string_append (text, batch);
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, info->shape.dim[i]);
    }
  g_string_append (text, ")");
  return hyb_f_text (F, "%s", text->str);
}

/* One array of the initial state. */
static HybValue *
begin_one (HybF *F, HybCell *cell, guint index, const char *op, const char *batch)
{
  HybStateInfo info = { 0 };
  const char  *name, *shape;
  int          number;

  class_of (cell)->state_info (cell, index, &info);
  number = g_atomic_int_add (&cell->state_counter, 1) + 1;
  name = hyb_f_text (F, "%sbegin_state_%d",
                     cell->style == HYB_STYLE_GLUON ? hyb_block_get_prefix (&cell->parent)
                                                    : cell->node_prefix,
                     number);
  shape = state_shape (F, &info, batch);
  if (!op && !hyb_f_is_tracing (F))
    {
      hyb_f_fail (F, "a begin state as a variable can only be traced; give arrays instead");
      return hyb_list (F, 0, NULL);
    }
  if (!op)
    return hyb_value_variable (F, hyb_f_name (F, name, NULL),
                               HYB_WITH ("__layout__", info.layout, "__shape__", shape));
  return HYB_OP (F, op, .name = name,
                 .attributes =
                     HYB_WITH ("__layout__", info.layout, "dtype", "float32", "shape", shape));
}

static HybValue *
begin_state (HybF *F, HybCell *cell, const char *op, const char *batch)
{
  guint                 n = class_of (cell)->n_states (cell);
  g_autofree HybValue **states = g_new (HybValue *, MAX (n, 1));

  if (class_of (cell)->begin_state)
    return class_of (cell)->begin_state (F, cell, op, batch);
  for (guint i = 0; i < n; i++)
    states[i] = begin_one (F, cell, i, op, batch);
  return hyb_list (F, n, states);
}

HybValue *
hyb_cell_begin_state (HybF *F, HybBlock *block, const char *op, gint64 batch)
{
  HybCell *cell = hyb_cell_or_fail (F, block);

  if (!cell)
    return hyb_list (F, 0, NULL);
  return begin_state (F, cell, op, hyb_f_text (F, "%" G_GINT64_FORMAT, MAX (batch, (gint64) 0)));
}

guint
hyb_cell_states_of_children (HybCell *cell)
{
  guint n = 0;

  for (guint i = 0; i < hyb_block_n_children (&cell->parent); i++)
    n += hyb_cell_n_states (hyb_block_get_child (&cell->parent, i));
  return n;
}

HybValue *
hyb_cell_begin_children (HybF *F, HybCell *cell, const char *op, const char *batch)
{
  HybValue *states = hyb_list (F, 0, NULL);
  gint64    number = g_ascii_strtoll (batch, NULL, 10);

  for (guint i = 0; i < hyb_block_n_children (&cell->parent); i++)
    {
      HybBlock *child = hyb_block_get_child (&cell->parent, i);

      states = hyb_states_join (F, states, hyb_cell_begin_state (F, child, op, number));
    }
  return states;
}

HybValue *
hyb_states_slice (HybF *F, HybValue *states, guint from, guint n)
{
  g_autofree HybValue **part = g_new (HybValue *, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    part[i] = hyb_item (F, states, from + i);
  return hyb_list (F, n, part);
}

HybValue *
hyb_states_join (HybF *F, HybValue *a, HybValue *b)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();

  hyb_flatten_into (a, all);
  hyb_flatten_into (b, all);
  return hyb_list (F, all->len, (HybValue *const *) all->pdata);
}

void
hyb_cell_reset (HybBlock *block)
{
  HybCell *cell = hyb_cell_from_block (block);

  if (!cell)
    return;
  g_atomic_int_set (&cell->counter, -1);
  g_atomic_int_set (&cell->state_counter, -1);
  g_atomic_int_inc (&cell->n_resets);
  if (class_of (cell)->reset)
    class_of (cell)->reset (cell);
  for (guint i = 0; i < hyb_block_n_children (block); i++)
    hyb_cell_reset (hyb_block_get_child (block, i));
}

gpointer
hyb_cell_get_memory (HybF *F, HybCell *cell, gsize size)
{
  CellMemory *memory = hyb_f_get_memory (F, cell, size);
  int         n_resets = g_atomic_int_get (&cell->n_resets);

  if (memory->n_resets != n_resets)
    {
      memset (memory, 0, size);
      memory->n_resets = n_resets;
    }
  return memory;
}

HybValue *
hyb_cell_flat_states (HybF *F, HybCell *cell, HybValue *states)
{
  guint n = class_of (cell)->n_states (cell);
  g_autoptr (GPtrArray) arrays = g_ptr_array_new ();

  hyb_flatten_into (states, arrays);
  if (arrays->len == n || hyb_value_is_failed (states))
    return hyb_list (F, arrays->len, (HybValue *const *) arrays->pdata);
  hyb_f_fail (F,
              "%u state%s given where the cell has %u. Use hyb_cell_begin_state() for the first "
              "step and the states it returned for the next",
              arrays->len, arrays->len == 1 ? " was" : "s were", n);
  return NULL;
}

/* --- Stepping --- */

HybValue *
hyb_cell_forward (HybF *F, HybBlock *block, HybValue *input)
{
  HybCell  *cell = (HybCell *) block;
  HybValue *states = hyb_item (F, input, 1);
  HybValue *output;

  if (class_of (cell)->no_step)
    {
      hyb_f_fail (F, "%s", class_of (cell)->no_step);
      return hyb_list (F, 0, NULL);
    }
  states = hyb_cell_flat_states (F, cell, states);
  if (!states)
    return hyb_list (F, 0, NULL);
  g_atomic_int_inc (&cell->counter);
  output = class_of (cell)->step (F, cell, hyb_item (F, input, 0), &states);
  return hyb_list_of (F, output, states, NULL);
}

HybValue *
hyb_cell_step (HybF *F, HybBlock *block, HybValue *x, HybValue **states)
{
  HybValue *result;

  if (!states)
    {
      hyb_f_fail (F, "a cell is stepped with NULL for its states; hyb_cell_begin_state() makes the "
                     "first ones");
      return hyb_list (F, 0, NULL);
    }
  if (!hyb_cell_or_fail (F, block))
    return hyb_list (F, 0, NULL);
  result = hyb_call (F, block, hyb_list_of (F, x, *states, NULL));
  if (hyb_n_items (result) < 2)
    return hyb_item (F, result, 0);
  *states = hyb_item (F, result, 1);
  return hyb_item (F, result, 0);
}
