/* recurrent-backward.c — the backward pass of layers of recurrent cells, through time.
 *
 *   for each layer from the last, for each direction, for each step t from its last: dh += dy[t];
 *   for each row n the cell's gradients dgates[t,n]; dh = dgates[t] W_h.  Then for all steps at
 *   once: dW_i = dgatesᵀ x, dW_h = dgatesᵀ h', db = sum of dgates, dx = dgates W_i.
 *
 * The running gradients of h and c are kept in the memory of the initial states' gradients.
 * Workspace: packed W_h | gradient of W_i x, all steps | gradient of W_h h', all steps (GRU) |
 * gradient of the projected states, all steps, and of h before projection, one step | input of a
 * layer after dropout | gradients of the inputs of two layers.  Start at the end, with
 * hyb_recurrent_backward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/parallel.h"
#include "engine/kernels/matrix/panels.h"
#include "engine/kernels/recurrent/recurrent-cell.h"

#include <string.h>

/* Elements of gates below which a slice is not worth a thread. */
#define GRAIN 4096

/* The run of one direction of one layer. */
typedef struct
{
  const HybRecurrent         *net;
  const HybCellMaths         *maths;
  const HybRecurrentBackward *pass;
  HybCellSlot                 slot;
  gint64                      R, GH;
  gpointer                    hidden_panels;
  gpointer                    dgates, drecurrent; /* (T, N, G H) */
  gpointer                    dprojected;         /* (T, N, P) */
  gpointer                    dfull;              /* (N, H) */
  gpointer                    dropped;
  gpointer                    dinputs;
  gconstpointer               dy; /* (T, N, D R), starting at this direction's first column */
  gint64                      dy_stride;
  gconstpointer               states; /* h of every step */
  gint64                      state_stride;
  gconstpointer               first_state, first_cell;
  gpointer                    dh, dc; /* (N, R), (N, H): running gradients */

  /* The current step. */
  gint64        t;
  gconstpointer before;
  gint64        before_stride;
  gconstpointer cell_before;
} Direction;

static gpointer
at (const Direction *run, gconstpointer data, gint64 index)
{
  return hyb_cell_at (run->maths, data, index);
}

/* The address of row n of the current step of an array (T, N, width). */
static gpointer
step_row (const Direction *run, gconstpointer data, gint64 width, gint64 n)
{
  return at (run, data, (run->t * run->net->batch + n) * width);
}

/* The same for an array in the reserve. */
static gpointer
kept_row (const Direction *run, gint64 offset, gint64 width, gint64 n)
{
  return step_row (run, at (run, run->pass->reserve, offset), width, n);
}

static gboolean
has_ended (const Direction *run, gint64 n)
{
  return run->pass->lengths && run->t >= run->pass->lengths[n];
}

static void
clear (const Direction *run, gpointer data, gint64 count)
{
  memset (data, 0, (gsize) count * run->maths->size);
}

/* Adds the gradient of the output, dy, to dh, the gradient from the later step.  With a projection
 * dh is moved to dprojected, because the product with W_r is computed for all rows at once. */
static void
add_incoming_rows (gint64 begin, gint64 end, gpointer data)
{
  const Direction *run = data;
  gint64           R = run->R;

  for (gint64 n = begin; n < end; n++)
    {
      gpointer dh = at (run, run->dh, n * R);

      if (!has_ended (run, n))
        run->maths->add (R, dh, step_row (run, run->dy, run->dy_stride, n), dh);
      if (run->net->projection == 0)
        continue;

      gpointer dprojected = step_row (run, run->dprojected, R, n);

      if (has_ended (run, n))
        clear (run, dprojected, R);
      else
        {
          memcpy (dprojected, dh, (gsize) R * run->maths->size);
          clear (run, dh, R);
        }
    }
}

/* dfull = dprojected W_r for all rows of the step. */
static void
differentiate_projection (const Direction *run)
{
  gint64  H = run->net->hidden;
  HybGemm gemm = { .m = run->net->batch, .n = H, .k = run->R, .lda = run->R, .ldb = H, .ldc = H };

  hyb_phase_begin (run->pass->run, &hyb_phase_products);
  hyb_cell_gemm (run->maths, &gemm, step_row (run, run->dprojected, run->R, 0),
                 at (run, run->pass->parameters, run->slot.w_projection), run->dfull);
  hyb_phase_end (run->pass->run, &hyb_phase_products, hyb_cell_gemm_cost (run->maths, &gemm));
}

/* Computes the gradients of the gates of one row; on return, dh is the gradient of h' except
 * through the gates. */
static void
differentiate_row (const Direction *run, gint64 n)
{
  const HybRecurrent *net = run->net;
  const HybCellSlot  *slot = &run->slot;
  gint64              H = net->hidden;
  gpointer            dh = at (run, run->dh, n * run->R);
  HybCellGradient     row = {
        .net = net,
        .gates = kept_row (run, slot->gates, run->GH, n),
        .before = at (run, run->before, n * run->before_stride),
        .h = step_row (run, run->states, run->state_stride, n),
        .dh = net->projection > 0 ? at (run, run->dfull, n * H) : dh,
        .dbefore = dh,
        .dgates = step_row (run, run->dgates, run->GH, n),
        .drecurrent = step_row (run, run->drecurrent, run->GH, n),
  };

  if (net->cell == HYB_RNN_LSTM)
    {
      row.cell = kept_row (run, slot->cells, H, n);
      row.cell_before = at (run, run->cell_before, n * H);
      row.dcell = at (run, run->dc, n * H);
    }
  if (net->cell == HYB_RNN_GRU)
    row.candidate = kept_row (run, slot->candidates, H, n);

  /* A GRU also passes h' on directly (dh' = dh z), which its function leaves in dh; the other cells
   * reach h' through the gates alone, so dh starts from 0. */
  run->maths->backward[net->cell](&row);
  if (net->cell != HYB_RNN_GRU)
    clear (run, dh, run->R);
}

static void
differentiate_rows (gint64 begin, gint64 end, gpointer data)
{
  const Direction *run = data;

  for (gint64 n = begin; n < end; n++)
    if (!has_ended (run, n))
      differentiate_row (run, n);
    else
      {
        clear (run, step_row (run, run->dgates, run->GH, n), run->GH);
        clear (run, step_row (run, run->drecurrent, run->GH, n), run->GH);
      }
}

/* Makes step number k, in the order of the forward pass, the current one. */
static void
select_step (Direction *run, gint64 k, gboolean backwards)
{
  gint64 N = run->net->batch;
  gint64 T = run->net->n_steps;
  gint64 earlier = backwards ? T - k : k - 1;

  run->t = backwards ? T - 1 - k : k;
  run->before = k == 0 ? run->first_state : at (run, run->states, earlier * N * run->state_stride);
  run->before_stride = k == 0 ? run->R : run->state_stride;
  if (run->net->cell == HYB_RNN_LSTM)
    run->cell_before =
        k == 0 ? run->first_cell
               : at (run, run->pass->reserve, run->slot.cells + earlier * N * run->net->hidden);
}

static void
differentiate_step (Direction *run)
{
  gint64  grain = 1 + GRAIN / run->GH;
  HybGemm gemm = { .m = run->net->batch,
                   .n = run->R,
                   .k = run->GH,
                   .lda = run->GH,
                   .ldb = run->R,
                   .ldc = run->R,
                   .beta = 1 };

  hyb_phase_begin (run->pass->run, &hyb_phase_gates);
  hyb_parallel_for (run->net->batch, grain, add_incoming_rows, run);
  hyb_phase_end (run->pass->run, &hyb_phase_gates,
                 hyb_cell_elementwise_cost (run->maths, run->net->batch * run->R));
  if (run->net->projection > 0)
    differentiate_projection (run);
  hyb_phase_begin (run->pass->run, &hyb_phase_gates);
  hyb_parallel_for (run->net->batch, grain, differentiate_rows, run);
  hyb_phase_end (run->pass->run, &hyb_phase_gates,
                 hyb_recurrent_gates_gradient_cost (run->net, run->maths));
  /* dh (batch, R) += drecurrent (batch, GH) · W_hidden (GH, R): the gradient of h' through the
   * gates. */
  hyb_phase_begin (run->pass->run, &hyb_phase_products);
  if (run->net->in_panels && run->net->batch > 1)
    hyb_panels_multiply (&(HybPanelProduct){ .m = gemm.m,
                                             .n = gemm.n,
                                             .k = gemm.k,
                                             .ldx = gemm.lda,
                                             .ldy = gemm.ldc,
                                             .adds = TRUE },
                         step_row (run, run->drecurrent, run->GH, 0), run->hidden_panels, run->dh);
  else
    hyb_cell_gemm (run->maths, &gemm, step_row (run, run->drecurrent, run->GH, 0),
                   at (run, run->pass->parameters, run->slot.w_hidden), run->dh);
  hyb_phase_end (run->pass->run, &hyb_phase_products, hyb_cell_gemm_cost (run->maths, &gemm));
}

/* c (m, n) = aᵀ b + beta c over k rows: the gradient of a weight matrix. */
static void
multiply_transposed (const Direction *run,
                     HybGemm          gemm,
                     gconstpointer    a,
                     gconstpointer    b,
                     gpointer         c)
{
  gemm.transpose_a = TRUE;
  gemm.lda = gemm.m;
  gemm.ldc = gemm.n;
  hyb_phase_begin (run->pass->run, &hyb_phase_weights);
  hyb_cell_gemm (run->maths, &gemm, a, b, c);
  hyb_phase_end (run->pass->run, &hyb_phase_weights, hyb_cell_gemm_cost (run->maths, &gemm));
}

/* dW_h = Σ drecurrent[t]ᵀ h'[t]: h' is the state of the step before, or the initial state for the
 * first step. */
static void
differentiate_hidden_weights (const Direction *run, gboolean backwards)
{
  gint64   T = run->net->n_steps;
  gint64   N = run->net->batch;
  gpointer dw = at (run, run->pass->dparameters, run->slot.w_hidden);
  HybGemm  later = { .m = run->GH, .n = run->R, .k = MAX (T - 1, 0) * N, .ldb = run->state_stride };
  HybGemm  first = { .m = run->GH, .n = run->R, .k = N, .ldb = run->R, .beta = 1 };

  multiply_transposed (run, later, at (run, run->drecurrent, backwards ? 0 : N * run->GH),
                       at (run, run->states, backwards ? N * run->state_stride : 0), dw);
  if (T > 0)
    multiply_transposed (run, first,
                         at (run, run->drecurrent, backwards ? (T - 1) * N * run->GH : 0),
                         run->first_state, dw);
}

static void
differentiate_weights (const Direction *run, gconstpointer x, gboolean backwards)
{
  gint64   rows = run->net->n_steps * run->net->batch;
  gpointer dw = run->pass->dparameters;
  HybGemm  input = { .m = run->GH, .n = run->slot.in, .k = rows, .ldb = run->slot.in };
  HybGemm  projection = { .m = run->R, .n = run->net->hidden, .k = rows, .ldb = run->net->hidden };

  multiply_transposed (run, input, run->dgates, x, at (run, dw, run->slot.w_input));
  differentiate_hidden_weights (run, backwards);
  if (run->net->projection > 0)
    multiply_transposed (run, projection, run->dprojected,
                         at (run, run->pass->reserve, run->slot.full),
                         at (run, dw, run->slot.w_projection));

  hyb_phase_begin (run->pass->run, &hyb_phase_sums);
  run->maths->sum_rows (rows, run->GH, run->dgates, at (run, dw, run->slot.b_input));
  if (run->drecurrent != run->dgates)
    run->maths->sum_rows (rows, run->GH, run->drecurrent, at (run, dw, run->slot.b_hidden));
  else
    memcpy (at (run, dw, run->slot.b_hidden), at (run, dw, run->slot.b_input),
            (gsize) run->GH * run->maths->size);
  hyb_phase_end (run->pass->run, &hyb_phase_sums,
                 hyb_cell_elementwise_cost (run->maths,
                                            rows * run->GH *
                                                (run->drecurrent != run->dgates ? 2 : 1)));
}

static void
differentiate_input (const Direction *run, gpointer dx, gboolean add)
{
  HybGemm gemm = { .m = run->net->n_steps * run->net->batch,
                   .n = run->slot.in,
                   .k = run->GH,
                   .lda = run->GH,
                   .ldb = run->slot.in,
                   .ldc = run->slot.in,
                   .beta = add ? 1 : 0 };

  hyb_phase_begin (run->pass->run, &hyb_phase_products);
  hyb_cell_gemm (run->maths, &gemm, run->dgates, at (run, run->pass->parameters, run->slot.w_input),
                 dx);
  hyb_phase_end (run->pass->run, &hyb_phase_products, hyb_cell_gemm_cost (run->maths, &gemm));
}

/* Initialises a running gradient with that of the final state and returns its address. */
static gpointer
start_state (const Direction *run,
             gpointer         gradient,
             gconstpointer    incoming,
             gint64           index,
             gint64           width)
{
  gint64   count = run->net->batch * width;
  gpointer running = at (run, gradient, index * count);

  if (incoming)
    memcpy (running, at (run, incoming, index * count), (gsize) count * run->maths->size);
  else
    clear (run, running, count);
  return running;
}

static void
start_direction (Direction *run, gint64 layer, gint64 d, gconstpointer y, gconstpointer dy)
{
  const HybRecurrent         *net = run->net;
  const HybRecurrentBackward *pass = run->pass;
  gint64                      index = layer * net->n_directions + d;

  hyb_recurrent_slot (net, layer, d, TRUE, &run->slot);
  run->dy = at (run, dy, d * run->R);
  run->dy_stride = net->n_directions * run->R;
  run->states =
      net->has_lengths ? at (run, pass->reserve, run->slot.states) : at (run, y, d * run->R);
  run->state_stride = net->has_lengths ? run->R : run->dy_stride;
  run->first_state = at (run, pass->state, index * net->batch * run->R);
  run->dh = start_state (run, pass->dstate, pass->dstate_out, index, run->R);
  if (net->cell == HYB_RNN_LSTM)
    {
      run->first_cell = at (run, pass->cell, index * net->batch * net->hidden);
      run->dc = start_state (run, pass->dcell, pass->dcell_out, index, net->hidden);
    }
}

/* to = from × mask, the dropout of the forward pass applied again. */
static void
multiply_mask (const Direction *run,
               gint64           count,
               gconstpointer    from,
               gconstpointer    mask,
               gpointer         to)
{
  hyb_phase_begin (run->pass->run, &hyb_phase_gates);
  run->maths->multiply (count, from, mask, to);
  hyb_phase_end (run->pass->run, &hyb_phase_gates, hyb_cell_elementwise_cost (run->maths, count));
}

/* Returns the input of a layer, with the dropout of the forward pass applied again. */
static gconstpointer
layer_input (const Direction *run, gint64 layer, gint64 outputs)
{
  gconstpointer below, mask;

  if (layer == 0)
    return run->pass->x;
  below = at (run, run->pass->reserve, hyb_recurrent_reserved_output (run->net, layer - 1));
  if (run->net->dropout == 0)
    return below;

  mask = at (run, run->pass->reserve, hyb_recurrent_reserved_mask (run->net, layer - 1));
  multiply_mask (run, outputs, below, mask, run->dropped);
  return run->dropped;
}

/* Packs W_h transposed. */
static void
pack_hidden (const Direction *run)
{
  double bytes = (double) (run->R * run->GH) * (double) run->maths->size;

  hyb_phase_begin (run->pass->run, &hyb_phase_packing);
  hyb_panels_pack (run->R, run->GH, at (run, run->pass->parameters, run->slot.w_hidden), FALSE,
                   run->hidden_panels);
  hyb_phase_end (run->pass->run, &hyb_phase_packing, (HybCost){ 0, bytes, bytes });
}

static void
differentiate_layer (Direction *run, gint64 layer, gconstpointer dy, gpointer dx)
{
  const HybRecurrent *net = run->net;
  gint64              outputs = net->n_steps * net->batch * net->n_directions * run->R;
  gconstpointer       x = layer_input (run, layer, outputs);
  gconstpointer       y = layer == net->n_layers - 1
                              ? run->pass->y
                              : at (run, run->pass->reserve, hyb_recurrent_reserved_output (net, layer));

  /* Each direction: gradients of the gates step by step, from the last step to the first; then those of all steps at once
   * give the weights' and the input's (steps × batch rows).  The second direction adds to dx. */
  for (gint64 d = 0; d < net->n_directions; d++)
    {
      start_direction (run, layer, d, y, dy);
      if (net->in_panels && net->batch > 1)
        pack_hidden (run);
      for (gint64 k = net->n_steps; k-- > 0;)
        {
          select_step (run, k, d == 1);
          differentiate_step (run);
        }
      differentiate_weights (run, x, d == 1);
      if (dx)
        differentiate_input (run, dx, d > 0);
    }

  /* dx is the gradient of the lower layer's output behind its dropout. */
  if (layer > 0 && net->dropout > 0)
    multiply_mask (run, outputs, dx,
                   at (run, run->pass->reserve, hyb_recurrent_reserved_mask (net, layer - 1)), dx);
}

static void
divide_workspace (Direction *run)
{
  const HybRecurrent *net = run->net;
  gint64              rows = net->n_steps * net->batch;
  gint64              outputs = rows * net->n_directions * run->R;

  run->hidden_panels = run->pass->workspace;
  run->dgates = at (run, run->hidden_panels, hyb_recurrent_hidden_panels (net));
  run->drecurrent = at (run, run->dgates, net->cell == HYB_RNN_GRU ? rows * run->GH : 0);
  run->dprojected = at (run, run->drecurrent, rows * run->GH);
  run->dfull = at (run, run->dprojected, net->projection > 0 ? rows * run->R : 0);
  run->dropped = at (run, run->dfull, net->projection > 0 ? net->batch * net->hidden : 0);
  run->dinputs = at (run, run->dropped, outputs);
}

void
hyb_recurrent_backward (const HybRecurrent *net, HybDType dtype, const HybRecurrentBackward *pass)
{
  const HybCellMaths *maths = dtype == HYB_F64 ? &hyb_cell_maths_f64 : &hyb_cell_maths_f32;
  Direction           run = { .net = net,
                              .maths = maths,
                              .pass = pass,
                              .R = hyb_recurrent_state_size (net),
                              .GH = hyb_recurrent_n_gates (net->cell) * net->hidden };
  gint64              outputs = net->n_steps * net->batch * net->n_directions * run.R;
  gconstpointer       dy = pass->dy;

  divide_workspace (&run);
  for (gint64 layer = net->n_layers; layer-- > 0;)
    {
      gpointer dx = layer == 0 ? pass->dx : at (&run, run.dinputs, layer % 2 * outputs);

      differentiate_layer (&run, layer, dy, dx);
      dy = dx;
    }
}
