/* cell-conv.c — cells whose states are feature maps (hyb_conv_cell_new()).
 *
 * They make the same steps as the basic cells, with convolutions instead of matrix products
 * (hyb_cell_linear()).  The recurrent convolution is padded so that it keeps the extent of the
 * state.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/rnn/cell-private.h"

#include <string.h>

static guint
one_state (HybCell *cell)
{
  return 1;
}

static guint
two_states (HybCell *cell)
{
  return 2;
}

static void
map_state (HybCell *cell, guint index, HybStateInfo *info)
{
  info->shape = cell->convolution->state_shape;
  info->layout = cell->convolution->layout;
}

#define CONV_CELL(Name, states, function)                          \
  {                                                                \
    .block = { .name = Name,                                       \
               .size = sizeof (HybCell),                           \
               .forward = hyb_cell_forward,                        \
               .finish = hyb_cell_finish },                        \
    .n_states = states, .state_info = map_state, .step = function, \
  }

static const struct
{
  const char  *mode, *default_prefix;
  guint        n_gates;
  HybCellClass klass;
} kinds[] = {
  { "rnn", "ConvRNN_", 1, CONV_CELL ("conv_rnn", one_state, hyb_cell_plain_step) },
  { "lstm", "ConvLSTM_", 4, CONV_CELL ("conv_lstm", two_states, hyb_cell_lstm_step) },
  { "gru", "ConvGRU_", 3, CONV_CELL ("conv_gru", one_state, hyb_cell_gru_step) },
};

#undef CONV_CELL

/* given, or fallback in all dimensions if given has another rank. */
static HybShape
extent (const HybShape *given, int rank, gint64 fallback)
{
  HybShape shape = { .rank = rank };

  if (given->rank == rank)
    return *given;
  for (int i = 0; i < rank; i++)
    shape.dim[i] = fallback;
  return shape;
}

/* The extent of the state along a spatial axis:
 * ⌊(x + 2 pad − dilate (kernel − 1) − 1) / stride⌋ + 1. */
static gint64
extent_after (const CellConvolution *conv, int axis)
{
  gint64 reach = conv->i2h_dilate.dim[axis] * (conv->i2h_kernel.dim[axis] - 1);
  gint64 room = conv->input_shape.dim[1 + axis] + 2 * conv->i2h_pad.dim[axis] - reach - 1;

  return room / MAX (conv->i2h_stride.dim[axis], 1) + 1;
}

/* (transfer full) */
static CellConvolution *
make_geometry (const HybConvCellOptions *options)
{
  static const char *const layouts[] = { "NC", "NCW", "NCHW", "NCDHW" };
  CellConvolution         *conv = g_new0 (CellConvolution, 1);
  int                      rank = options->input_shape.rank - 1;
  gboolean                 symbolic = options->style == HYB_STYLE_SYMBOLIC;

  conv->input_shape = options->input_shape;
  conv->layout = layouts[rank];
  conv->i2h_kernel = extent (&options->i2h_kernel, rank, 3);
  conv->h2h_kernel = extent (&options->h2h_kernel, rank, 3);
  conv->i2h_stride = extent (&options->i2h_stride, rank, 1);
  conv->i2h_pad = extent (&options->i2h_pad, rank, symbolic ? 1 : 0);
  conv->i2h_dilate = extent (&options->i2h_dilate, rank, 1);
  conv->h2h_dilate = extent (&options->h2h_dilate, rank, 1);
  conv->h2h_pad.rank = rank;
  conv->state_shape = hyb_shape_2d (HYB_UNKNOWN, options->channels);
  conv->state_shape.rank = rank + 2;
  for (int i = 0; i < rank; i++)
    {
      conv->h2h_pad.dim[i] = conv->h2h_dilate.dim[i] * (conv->h2h_kernel.dim[i] - 1) / 2;
      conv->state_shape.dim[2 + i] = extent_after (conv, i);
    }
  return conv;
}

static HybParameter *
add_weight (HybCell *cell, const char *name, gint64 rows, gint64 columns, const HybShape *kernel)
{
  HybParameterSpec spec = { .name = name,
                            .shape = { .rank = kernel->rank + 2, .dim = { rows, columns } },
                            .allow_deferred = TRUE,
                            .is_bare = cell->style == HYB_STYLE_SYMBOLIC };

  for (int i = 0; i < kernel->rank; i++)
    spec.shape.dim[2 + i] = kernel->dim[i];
  return hyb_block_add_parameter (&cell->parent, &spec);
}

static HybParameter *
add_bias (HybCell *cell, const char *name, gint64 rows)
{
  return hyb_block_add_parameter (&cell->parent,
                                  &(HybParameterSpec){ .name = name,
                                                       .shape = hyb_shape_1d (rows),
                                                       .init = "zeros",
                                                       .allow_deferred = TRUE,
                                                       .is_bare =
                                                           cell->style == HYB_STYLE_SYMBOLIC });
}

static gboolean
is_odd (const HybShape *kernel)
{
  for (int i = 0; i < kernel->rank; i++)
    if (kernel->dim[i] % 2 != 1)
      return FALSE;
  return TRUE;
}

HybBlock *
hyb_conv_cell_new (const char *mode, const HybConvCellOptions *given)
{
  const HybConvCellOptions *options = given ? given : &(const HybConvCellOptions){ 0 };
  HybCellOptions            cell_options = { .hidden = options->channels,
                                             .prefix = options->prefix,
                                             .shared = options->shared,
                                             .style = options->style };
  guint                     kind = 0;
  gint64                    rows;
  HybCell                  *cell;

  while (kind < G_N_ELEMENTS (kinds) && g_strcmp0 (kinds[kind].mode, mode) != 0)
    kind++;
  g_return_val_if_fail (kind < G_N_ELEMENTS (kinds), NULL);
  g_return_val_if_fail (options->input_shape.rank >= 2 && options->input_shape.rank <= 4, NULL);
  /* With an even kernel no padding keeps the extent of the state. */
  g_return_val_if_fail (is_odd (&options->h2h_kernel), NULL);

  cell = hyb_cell_new (&kinds[kind].klass, &cell_options, kinds[kind].default_prefix);
  cell->is_contrib = TRUE;
  cell->activation = options->activation                    ? options->activation
                     : options->style == HYB_STYLE_SYMBOLIC ? "leaky"
                                                            : "tanh";
  cell->convolution = make_geometry (options);
  rows = options->channels * kinds[kind].n_gates;
  cell->i2h_weight = add_weight (cell, "i2h_weight", rows, options->input_shape.dim[0],
                                 &cell->convolution->i2h_kernel);
  cell->h2h_weight =
      add_weight (cell, "h2h_weight", rows, options->channels, &cell->convolution->h2h_kernel);
  cell->i2h_bias = add_bias (cell, "i2h_bias", rows);
  cell->h2h_bias = add_bias (cell, "h2h_bias", rows);
  return &cell->parent;
}
