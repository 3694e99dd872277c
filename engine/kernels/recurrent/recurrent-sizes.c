/* recurrent-sizes.c — the sizes of a recurrent network's arrays, and the layout of their parts.
 *
 * Sizes are computed in double, which cannot overflow, and checked by bounded().  The layouts are
 * described at HybCellSlot (recurrent-cell.h) and at the heads of recurrent-forward.c and
 * recurrent-backward.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/matrix/panels.h"
#include "engine/kernels/recurrent/recurrent-cell.h"

#include <math.h>
#include <string.h>

/* Larger sizes are refused; up to this doubles count exactly. */
#define MAX_ELEMENTS 4503599627370496.0 /* 2^52 */

gint64
hyb_recurrent_state_size (const HybRecurrent *net)
{
  return net->projection > 0 ? net->projection : net->hidden;
}

gint64
hyb_recurrent_n_gates (HybRnnMode cell)
{
  static const gint64 n_gates[HYB_RNN_N_MODES] = { 1, 1, 4, 3 };

  return n_gates[cell];
}

/* The size of an input row of a layer. */
static double
layer_input (const HybRecurrent *net, gint64 layer)
{
  return layer == 0 ? (double) net->input
                    : (double) net->n_directions * (double) hyb_recurrent_state_size (net);
}

/* Returns the size as an integer, or -1 if it is too large. */
static gint64
bounded (double count)
{
  return count >= 0 && count <= MAX_ELEMENTS ? (gint64) count : -1;
}

/* The number of weights, without biases, of one direction of a layer. */
static double
n_weights (const HybRecurrent *net, gint64 layer)
{
  double rows = (double) hyb_recurrent_n_gates (net->cell) * (double) net->hidden;
  double R = (double) hyb_recurrent_state_size (net);

  return rows * (layer_input (net, layer) + R) + (double) net->projection * (double) net->hidden;
}

gint64
hyb_recurrent_n_parameters (const HybRecurrent *net)
{
  double D = (double) net->n_directions;
  double biases = 2.0 * (double) hyb_recurrent_n_gates (net->cell) * (double) net->hidden;

  return bounded (D * (n_weights (net, 0) + biases) +
                  (double) (net->n_layers - 1) * D * (n_weights (net, 1) + biases));
}

gint64
hyb_recurrent_n_weights (const HybRecurrent *net)
{
  double D = (double) net->n_directions;

  return bounded (D * (n_weights (net, 0) + (double) (net->n_layers - 1) * n_weights (net, 1)));
}

gint64
hyb_recurrent_n_weight_rows (const HybRecurrent *net)
{
  double rows = 2.0 * (double) hyb_recurrent_n_gates (net->cell) * (double) net->hidden;

  return bounded ((double) net->n_layers * (double) net->n_directions *
                  (rows + (double) net->projection));
}

/* T N */
static double
n_rows (const HybRecurrent *net)
{
  return (double) net->n_steps * (double) net->batch;
}

static gboolean
keeps_hidden (const HybRecurrent *net)
{
  return net->cell == HYB_RNN_LSTM || net->cell == HYB_RNN_GRU;
}

/* Rows of one product of inputs with packed weights: hyb_panels_multiply() reads the weights
 * once for this many rows. */
#define ROWS_AHEAD 96

/* Parts of nearly equal size, because a short last one would read all weights for few rows. */
gint64
hyb_recurrent_steps_ahead (const HybRecurrent *net)
{
  gint64 max, n_parts;

  if (!net->in_panels || net->n_steps < 1)
    return net->n_steps;
  max = MAX (ROWS_AHEAD / net->batch, 1);
  n_parts = (net->n_steps + max - 1) / max;
  return (net->n_steps + n_parts - 1) / n_parts;
}

gboolean
hyb_recurrent_should_use_panels (const HybRecurrent *net)
{
  return net->batch > 1 && net->n_steps >= 4;
}

/* G H */
static double
gate_rows (const HybRecurrent *net)
{
  return (double) hyb_recurrent_n_gates (net->cell) * (double) net->hidden;
}

/* The floats of packed weights with this many output rows; see hyb_panels_size(). */
static double
panels (const HybRecurrent *net, double rows, double columns)
{
  double n = (rows + HYB_PANEL_WIDTH - 1) / HYB_PANEL_WIDTH;

  return net->in_panels ? floor (n) * HYB_PANEL_WIDTH * columns : 0;
}

gint64
hyb_recurrent_input_panels (const HybRecurrent *net)
{
  double in = layer_input (net, 0);

  if (net->n_layers > 1)
    in = MAX (in, layer_input (net, 1));
  return bounded (panels (net, gate_rows (net), in));
}

gint64
hyb_recurrent_first_rows (const HybRecurrent *net)
{
  gint64 gates = hyb_recurrent_n_gates (net->cell);

  return (net->form && net->form->resets_first ? gates - 1 : gates) * net->hidden;
}

gboolean
hyb_recurrent_keeps_product (const HybRecurrent *net)
{
  return net->cell == HYB_RNN_GRU && !(net->form && net->form->resets_first);
}

gint64
hyb_recurrent_hidden_panels (const HybRecurrent *net)
{
  double rows = gate_rows (net);
  double R = (double) hyb_recurrent_state_size (net);
  double first = (double) hyb_recurrent_first_rows (net);

  /* For one row, W_h is packed only where that is done once: packing takes as long as several steps. */
  if (net->batch == 1 && !net->keeps_panels)
    return 0;
  /* The backward pass packs W_h transposed. */
  return bounded (
      MAX (panels (net, first, R) + panels (net, rows - first, R), panels (net, R, rows)));
}

gint64
hyb_recurrent_projection_panels (const HybRecurrent *net)
{
  if (hyb_recurrent_hidden_panels (net) == 0)
    return 0;
  return bounded (panels (net, (double) net->projection, (double) net->hidden));
}

gint64
hyb_recurrent_slot_panels (const HybRecurrent *net)
{
  return bounded ((double) hyb_recurrent_input_panels (net) +
                  (double) hyb_recurrent_hidden_panels (net) +
                  (double) hyb_recurrent_projection_panels (net));
}

gint64
hyb_recurrent_panels (const HybRecurrent *net)
{
  return bounded ((double) net->n_layers * (double) net->n_directions *
                  (double) hyb_recurrent_slot_panels (net));
}

/* The elements that one slot keeps, see HybCellSlot. */
static double
kept (const HybRecurrent *net, gboolean recording)
{
  double H = (double) net->hidden;
  double per_row = 0;

  per_row += keeps_hidden (net) ? H : 0;
  per_row += net->projection > 0 ? H : 0;
  per_row += net->has_lengths ? (double) hyb_recurrent_state_size (net) : 0;
  return (recording ? n_rows (net)
                    : (double) hyb_recurrent_steps_ahead (net) * (double) net->batch) *
             (double) hyb_recurrent_n_gates (net->cell) * H +
         (recording ? n_rows (net) : (double) net->batch) * per_row;
}

gint64
hyb_recurrent_kept_size (const HybRecurrent *net, gboolean recording)
{
  return bounded (kept (net, recording));
}

/* D R, the size of an output row of a layer. */
static double
output_row (const HybRecurrent *net)
{
  return (double) net->n_directions * (double) hyb_recurrent_state_size (net);
}

gint64
hyb_recurrent_reserve (const HybRecurrent *net)
{
  double between = (double) (net->n_layers - 1) * n_rows (net) * output_row (net);

  return bounded ((double) net->n_layers * (double) net->n_directions * kept (net, TRUE) +
                  between * (net->dropout > 0 ? 2 : 1));
}

/* The parts are described at the head of recurrent-forward.c. */
gint64
hyb_recurrent_forward_workspace (const HybRecurrent *net, gboolean recording)
{
  double gates = (double) hyb_recurrent_n_gates (net->cell) * (double) net->hidden;
  double outputs = n_rows (net) * output_row (net);
  double count = gates + (double) net->batch * MAX (gates, (double) hyb_recurrent_state_size (net));

  if (!net->keeps_panels)
    count += (double) hyb_recurrent_slot_panels (net);
  count += net->dropout > 0 ? outputs : 0;
  if (!recording)
    count += kept (net, FALSE) + outputs * (net->dropout > 0 ? 3 : 2);
  return bounded (count);
}

/* The parts are described at the head of recurrent-backward.c. */
gint64
hyb_recurrent_backward_workspace (const HybRecurrent *net)
{
  double rows = n_rows (net);
  double gates = (double) hyb_recurrent_n_gates (net->cell) * (double) net->hidden;
  double R = (double) hyb_recurrent_state_size (net);

  return bounded (
      (double) hyb_recurrent_hidden_panels (net) +
      rows * gates * (net->cell == HYB_RNN_GRU ? 2 : 1) +
      (net->projection > 0 ? rows * R + (double) net->batch * (double) net->hidden : 0) +
      3 * rows * output_row (net));
}

/* FLOP of a cell for one unit of a row, without products: biases, the sum of both products, and the
 * functions and products of single elements of an unrolled cell; a sigmoid counts as one. */
static const struct
{
  double forward, backward;
} cell_flops[HYB_RNN_N_MODES] = {
  [HYB_RNN_RELU] = { 3, 1 },
  [HYB_RNN_TANH] = { 3, 1 },
  [HYB_RNN_LSTM] = { 17, 12 },
  [HYB_RNN_GRU] = { 15, 11 },
};

/* The sum of 2 × weights over all directions of all layers. */
static double
product_flops (const HybRecurrent *net)
{
  double others = (double) (net->n_layers - 1);

  return 2 * (double) net->n_directions *
         (n_weights (net, 0) + (others > 0 ? others * n_weights (net, 1) : 0));
}

/* The units of all directions of all layers. */
static double
n_units (const HybRecurrent *net)
{
  return (double) net->n_layers * (double) net->n_directions * (double) net->hidden;
}

double
hyb_recurrent_flops (const HybRecurrent *net)
{
  return n_rows (net) * (product_flops (net) + cell_flops[net->cell].forward * n_units (net));
}

double
hyb_recurrent_gradient_flops (const HybRecurrent *net, gboolean of_data)
{
  double R = (double) hyb_recurrent_state_size (net);
  double gates = gate_rows (net) / (double) MAX (net->hidden, 1);
  double sums = net->cell == HYB_RNN_GRU ? 2 * gates : gates;
  double per_row = 2 * product_flops (net) +
                   (cell_flops[net->cell].backward + sums) * n_units (net) +
                   (double) net->n_layers * (double) net->n_directions * R;

  if (!of_data)
    per_row -= 2 * (double) net->n_directions * gate_rows (net) * (double) net->input;
  return n_rows (net) * per_row;
}

HybCost
hyb_recurrent_gates_cost (const HybRecurrent *net, const HybCellMaths *maths)
{
  double units = (double) net->batch * (double) net->hidden;
  double gates = (double) net->batch * gate_rows (net);
  double states = keeps_hidden (net) ? 2 * units : units;
  double size = (double) maths->size;

  return (HybCost){ .flops = cell_flops[net->cell].forward * units,
                    .bytes_read = (gates + states) * size,
                    .bytes_written = (gates + states) * size };
}

HybCost
hyb_recurrent_gates_gradient_cost (const HybRecurrent *net, const HybCellMaths *maths)
{
  double units = (double) net->batch * (double) net->hidden;
  double gates = (double) net->batch * gate_rows (net);
  double states = keeps_hidden (net) ? 3 * units : 2 * units;
  double size = (double) maths->size;

  return (HybCost){ .flops = cell_flops[net->cell].backward * units,
                    .bytes_read = (gates + states) * size,
                    .bytes_written = (gates + states) * size };
}

void
hyb_recurrent_slot (const HybRecurrent *net,
                    gint64              layer,
                    gint64              direction,
                    gboolean            recording,
                    HybCellSlot        *slot)
{
  gint64 D = net->n_directions;
  gint64 H = net->hidden;
  gint64 GH = hyb_recurrent_n_gates (net->cell) * H;
  gint64 first = (gint64) n_weights (net, 0);
  gint64 other = (gint64) n_weights (net, 1);
  gint64 index = layer * D + direction;
  gint64 rows = recording ? net->n_steps * net->batch : net->batch;

  slot->in = (gint64) layer_input (net, layer);
  slot->w_input = index < D ? index * first : D * first + (index - D) * other;
  slot->w_hidden = slot->w_input + GH * slot->in;
  slot->w_projection = slot->w_hidden + GH * hyb_recurrent_state_size (net);
  slot->b_input = D * first + (net->n_layers - 1) * D * other + index * 2 * GH;
  slot->b_hidden = slot->b_input + GH;

  slot->gates = recording ? index * hyb_recurrent_kept_size (net, TRUE) : 0;
  slot->cells = slot->candidates =
      slot->gates + (recording ? net->n_steps : hyb_recurrent_steps_ahead (net)) * net->batch * GH;
  slot->full = slot->cells + (keeps_hidden (net) ? rows * H : 0);
  slot->states = slot->full + (net->projection > 0 ? rows * H : 0);
}

gint64
hyb_recurrent_reserved_output (const HybRecurrent *net, gint64 layer)
{
  return net->n_layers * net->n_directions * hyb_recurrent_kept_size (net, TRUE) +
         layer * net->n_steps * net->batch * (gint64) output_row (net);
}

gint64
hyb_recurrent_reserved_mask (const HybRecurrent *net, gint64 layer)
{
  return hyb_recurrent_reserved_output (net, net->n_layers - 1 + layer);
}

void
hyb_cell_gemm (const HybCellMaths *maths,
               const HybGemm      *shape,
               gconstpointer       a,
               gconstpointer       b,
               gpointer            c)
{
  HybGemm gemm = *shape;

  if (gemm.m == 0 || gemm.n == 0)
    return;

  gemm.alpha = 1;
  if (gemm.k > 0)
    maths->gemm (&gemm, a, b, c);
  else if (gemm.beta == 0)
    for (gint64 row = 0; row < gemm.m; row++)
      memset (hyb_cell_at (maths, c, row * gemm.ldc), 0, (gsize) gemm.n * maths->size);
}
