/* recurrent-forward.c — the forward pass of layers of recurrent cells over a sequence.
 *
 *   for each layer, for each direction: gates[t,n] = W_i x[t,n] + biases for all steps, as one
 *   product (with packed weights for a few steps at a time, so that they are still cached); then
 *   for each step t: gates[t] += W_h h[t−1] (N rows), and for each row n the cell's activations.
 * Threads share out a step, or, where it is small, the rows for all steps: run_shared().
 *
 * Workspace: packed W_i, W_h and W_r, unless the caller keeps them | the sum of the two biases | W_h
 * h' of one step (GRU), or the projected states of one step (with lengths) | the output of a
 * layer after dropout; and, when not recording: what one slot keeps | outputs of two layers | a
 * dropout mask.  Start at the end, with hyb_recurrent_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "engine/kernels/matrix/narrow.h"
#include "engine/kernels/matrix/panels.h"
#include "engine/kernels/recurrent/recurrent-cell.h"

#include <string.h>

/* Elements of gates below which a slice is not worth a thread. */
#define GRAIN 4096
/* Multiplications below which a share of one product is not worth a thread. */
#define PRODUCT_GRAIN 131072

/* The run of one direction of one layer. */
typedef struct
{
  const HybRecurrent        *net;
  const HybCellMaths        *maths;
  const HybRecurrentForward *pass;
  HybCellSlot                slot;
  gint64                     R, GH;
  gint64                     begin, n_rows; /* the rows that it computes; all, unless shared out */
  gint64                     weight_rows;   /* rows of all weights before this slot's */
  gboolean                   recording;
  gpointer                   kept; /* the slot's offsets count from here */
  gpointer                   input_panels, hidden_panels, projection_panels;
  gpointer                   bias, recurrent;
  gpointer                   y; /* (T, N, D R), starting at this direction's first column */
  gint64                     y_stride;
  gpointer                   states; /* h of every step: y, or with lengths a separate array */
  gint64                     state_stride, state_step; /* from row to row, from step to step */
  gconstpointer              first_state, first_cell;  /* (N, R), (N, H) */

  /* The current step. */
  gint64        t;
  gint64        first;  /* the first step whose gates are in the buffer; 0 when recording */
  gconstpointer before; /* h' */
  gint64        before_stride;
  gconstpointer cell_before;
} Direction;

static gpointer
at (const Direction *run, gconstpointer data, gint64 index)
{
  return hyb_cell_at (run->maths, data, index);
}

/* The address of step t of a kept array (N, width) at this offset. */
static gpointer
kept_at (const Direction *run, gint64 offset, gint64 width, gint64 t)
{
  gint64 step = run->recording ? t * run->net->batch * width : 0;

  return at (run, run->kept, offset + step);
}

/* The address of the gates (N, G H) of step t. */
static gpointer
gates_at (const Direction *run, gint64 t)
{
  return at (run, run->kept, run->slot.gates + (t - run->first) * run->net->batch * run->GH);
}

/* The biases at this offset of the parameters. */
static gconstpointer
bias_at (const Direction *run, gint64 offset)
{
  if (run->pass->narrow == HYB_F32)
    return at (run, run->pass->parameters, offset);
  return run->pass->biases + (offset - hyb_recurrent_n_weights (run->net));
}

/* A weight of the slot: where it is in the parameters, and how many rows of weights the slot has
 * before it. */
typedef struct
{
  gint64 offset, rows;
} Weight;

/* Computes y = x Wᵀ + beta y. */
static void
multiply (const Direction *run, const HybGemm *gemm, gconstpointer x, const Weight *w, gpointer y)
{
  HybDType dtype = run->pass->narrow;
  gsize    head = dtype == HYB_F32 ? 0 : hyb_narrow_row_bytes (dtype, 0);
  gsize    skipped =
      (gsize) w->offset * hyb_dtype_size (dtype) + (gsize) (run->weight_rows + w->rows) * head;

  if (dtype == HYB_F32)
    hyb_cell_gemm (run->maths, gemm, x, at (run, run->pass->parameters, w->offset), y);
  else
    hyb_narrow_multiply (&(HybNarrow){ dtype, gemm->n, gemm->k,
                                       (const char *) run->pass->parameters + skipped },
                         &(HybNarrowProduct){ .m = gemm->m,
                                              .ldx = gemm->lda,
                                              .ldy = gemm->ldc,
                                              .adds = gemm->beta != 0 },
                         x, y);
}

/* The work of multiply(). */
static HybCost
multiply_cost (const Direction *run, const HybGemm *gemm)
{
  HybCost cost = hyb_cell_gemm_cost (run->maths, gemm);
  double  size = (double) run->maths->size;

  if (run->pass->narrow != HYB_F32)
    cost.bytes_read +=
        (double) gemm->n *
        ((double) hyb_narrow_row_bytes (run->pass->narrow, gemm->k) - (double) gemm->k * size);
  return cost;
}

static gboolean
has_ended (const Direction *run, gint64 n)
{
  return run->pass->lengths && run->t >= run->pass->lengths[n];
}

static void
copy_row (const Direction *run, gpointer to, gconstpointer from, gint64 count)
{
  if (to != from)
    memcpy (to, from, (gsize) count * run->maths->size);
}

static gpointer
state_row (const Direction *run, gint64 n)
{
  return at (run, run->states, run->t * run->state_step + n * run->state_stride);
}

static gconstpointer
before_row (const Direction *run, gint64 n)
{
  return at (run, run->before, n * run->before_stride);
}

static void
compute_row (const Direction *run, gint64 n)
{
  const HybRecurrent *net = run->net;
  const HybCellSlot  *slot = &run->slot;
  gint64              H = net->hidden;
  HybCellRow          row = {
             .net = net,
             .keeps_gates = run->recording,
             .bias = net->in_panels ? NULL : run->bias,
             .candidate_bias = at (run, bias_at (run, slot->b_hidden), 2 * H),
             .gates = at (run, gates_at (run, run->t), n * run->GH),
             .recurrent = at (run, run->recurrent, n * run->GH),
             .before = before_row (run, n),
             .h = state_row (run, n),
  };

  if (net->cell == HYB_RNN_LSTM)
    {
      row.cell_before = at (run, run->cell_before, n * H);
      row.cell = at (run, kept_at (run, slot->cells, H, run->t), n * H);
    }
  if (net->cell == HYB_RNN_GRU && run->recording)
    row.candidate = at (run, kept_at (run, slot->candidates, H, run->t), n * H);
  if (net->projection > 0)
    row.h = at (run, kept_at (run, slot->full, H, run->t), n * H);

  run->maths->forward[net->cell](&row);
}

/* Keeps the state of a sequence that has ended.  The row before projection is cleared, because the
 * backward pass multiplies it by zero and it must not be NaN. */
static void
carry_row (const Direction *run, gint64 n)
{
  gint64 H = run->net->hidden;

  copy_row (run, state_row (run, n), before_row (run, n), run->R);
  if (run->net->cell == HYB_RNN_LSTM)
    copy_row (run, at (run, kept_at (run, run->slot.cells, H, run->t), n * H),
              at (run, run->cell_before, n * H), H);
  if (run->net->projection > 0)
    memset (at (run, kept_at (run, run->slot.full, H, run->t), n * H), 0,
            (gsize) H * run->maths->size);
}

static void
compute_rows (gint64 begin, gint64 end, gpointer data)
{
  const Direction *run = data;

  for (gint64 n = run->begin + begin; n < run->begin + end; n++)
    if (has_ended (run, n))
      carry_row (run, n);
    else
      compute_row (run, n);
}

static void
compute_gates (Direction *run)
{
  const HybRecurrent *net = run->net;

  hyb_phase_begin (run->pass->run, &hyb_phase_gates);
  hyb_parallel_for (run->n_rows, 1 + GRAIN / run->GH, compute_rows, run);
  hyb_phase_end (run->pass->run, &hyb_phase_gates, hyb_recurrent_gates_cost (net, run->maths));
}

/* Writes the states W_r h: directly without lengths, else only the rows that have not ended. */
static void
project (const Direction *run)
{
  const HybRecurrent *net = run->net;
  gboolean            direct = !run->pass->lengths;
  gpointer            full = kept_at (run, run->slot.full, net->hidden, run->t);
  gpointer            states = direct ? state_row (run, 0) : run->recurrent;
  HybGemm             gemm = { .transpose_b = TRUE,
                               .m = net->batch,
                               .n = net->projection,
                               .k = net->hidden,
                               .lda = net->hidden,
                               .ldb = net->hidden,
                               .ldc = direct ? run->state_stride : net->projection };

  hyb_phase_begin (run->pass->run, &hyb_phase_products);
  if (hyb_recurrent_projection_panels (net) > 0)
    hyb_panels_multiply (&(HybPanelProduct){ .m = run->n_rows,
                                             .n = gemm.n,
                                             .k = gemm.k,
                                             .ldx = gemm.lda,
                                             .ldy = gemm.ldc },
                         at (run, full, run->begin * net->hidden), run->projection_panels,
                         at (run, states, run->begin * gemm.ldc));
  else
    multiply (run, &gemm, full, &(Weight){ run->slot.w_projection, 2 * run->GH }, states);
  hyb_phase_end (run->pass->run, &hyb_phase_products, multiply_cost (run, &gemm));
  for (gint64 n = run->begin; n < run->begin + run->n_rows && !direct; n++)
    if (!has_ended (run, n))
      copy_row (run, state_row (run, n), at (run, run->recurrent, n * run->R), run->R);
}

/* Copies the states to y if there are lengths: zeros for sequences that have ended. */
static void
write_output (const Direction *run)
{
  double bytes = (double) (run->n_rows * run->R) * (double) run->maths->size;

  hyb_phase_begin (run->pass->run, &hyb_phase_copies);
  for (gint64 n = run->begin; n < run->begin + run->n_rows; n++)
    {
      gpointer row = at (run, run->y, (run->t * run->net->batch + n) * run->y_stride);

      if (has_ended (run, n))
        memset (row, 0, (gsize) run->R * run->maths->size);
      else
        copy_row (run, row, state_row (run, n), run->R);
    }
  hyb_phase_end (run->pass->run, &hyb_phase_copies, (HybCost){ 0, bytes, bytes });
}

/* gates[t] += W_h h'; for the GRU the product alone. */
static void
multiply_states (const Direction *run)
{
  const HybRecurrent *net = run->net;
  gboolean            is_gru = net->cell == HYB_RNN_GRU; /* whose r multiplies a part of W_h h' */
  gpointer            product = is_gru ? run->recurrent : gates_at (run, run->t);
  HybGemm             gemm = { .transpose_b = TRUE,
                               .m = net->batch,
                               .n = run->GH,
                               .k = run->R,
                               .lda = run->before_stride,
                               .ldb = run->R,
                               .ldc = run->GH,
                               .beta = is_gru ? 0 : 1 };

  hyb_phase_begin (run->pass->run, &hyb_phase_products);
  if (hyb_recurrent_hidden_panels (net) > 0)
    hyb_panels_multiply (&(HybPanelProduct){ run->n_rows, run->GH, run->R, run->before_stride,
                                             run->GH, .adds = !is_gru },
                         before_row (run, run->begin), run->hidden_panels,
                         at (run, product, run->begin * run->GH));
  else
    multiply (run, &gemm, run->before, &(Weight){ run->slot.w_hidden, run->GH }, product);
  hyb_phase_end (run->pass->run, &hyb_phase_products, multiply_cost (run, &gemm));
}

static void
run_step (Direction *run)
{
  multiply_states (run);
  compute_gates (run);
  if (run->net->projection > 0)
    project (run);
  if (run->pass->lengths)
    write_output (run);
}

/* Computes the bias of every gate, b_i + b_h; for the GRU's n only b_i, see HybCellRow. */
static void
add_biases (const Direction *run)
{
  gconstpointer input = bias_at (run, run->slot.b_input);
  gint64        both = run->net->cell == HYB_RNN_GRU ? 2 * run->net->hidden : run->GH;

  copy_row (run, run->bias, input, run->GH);
  run->maths->add (both, input, bias_at (run, run->slot.b_hidden), run->bias);
}

/* Computes the gates W_i x + bias of `count` steps, starting at step t. */
static void
multiply_inputs (const Direction *run, gconstpointer x, gint64 t, gint64 count)
{
  gint64        in = run->slot.in;
  gint64        rows = (count - 1) * run->net->batch + run->n_rows;
  gconstpointer from = at (run, x, (t * run->net->batch + run->begin) * in);
  HybGemm       gemm = {
          .transpose_b = TRUE, .m = rows, .n = run->GH, .k = in, .lda = in, .ldb = in, .ldc = run->GH
  };

  hyb_phase_begin (run->pass->run, &hyb_phase_products);
  if (run->net->in_panels)
    hyb_panels_multiply (&(HybPanelProduct){ rows, run->GH, in, in, run->GH, .bias = run->bias },
                         from, run->input_panels,
                         at (run, gates_at (run, t), run->begin * run->GH));
  else
    multiply (run, &gemm, from, &(Weight){ run->slot.w_input, 0 }, gates_at (run, t));
  hyb_phase_end (run->pass->run, &hyb_phase_products, multiply_cost (run, &gemm));
}

static void
pack_slot (const HybRecurrent *net, const HybCellSlot *slot, const float *parameters, float *panels)
{
  gint64 GH = hyb_recurrent_n_gates (net->cell) * net->hidden;
  float *hidden_panels = panels + hyb_recurrent_input_panels (net);

  hyb_panels_pack (GH, slot->in, parameters + slot->w_input, TRUE, panels);
  if (hyb_recurrent_hidden_panels (net) > 0)
    hyb_panels_pack (GH, hyb_recurrent_state_size (net), parameters + slot->w_hidden, TRUE,
                     hidden_panels);
  if (hyb_recurrent_projection_panels (net) > 0)
    hyb_panels_pack (net->projection, net->hidden, parameters + slot->w_projection, TRUE,
                     hidden_panels + hyb_recurrent_hidden_panels (net));
}

void
hyb_recurrent_pack (const HybRecurrent *net, const float *parameters, float *panels)
{
  for (gint64 layer = 0; layer < net->n_layers; layer++)
    for (gint64 d = 0; d < net->n_directions; d++)
      {
        HybCellSlot slot;

        hyb_recurrent_slot (net, layer, d, FALSE, &slot);
        pack_slot (net, &slot, parameters, panels);
        panels += hyb_recurrent_slot_panels (net);
      }
}

/* Finds the packed weights of slot `index`; packs them if the caller does not keep them. */
static void
find_panels (Direction *run, gint64 index)
{
  const HybRecurrent *net = run->net;
  gint64              n_all = hyb_recurrent_slot_panels (net);

  if (!net->in_panels)
    return;
  if (net->keeps_panels)
    run->input_panels = (gpointer) (run->pass->panels + index * n_all);
  else
    {
      double bytes = (double) n_all * (double) run->maths->size;

      hyb_phase_begin (run->pass->run, &hyb_phase_packing);
      pack_slot (net, &run->slot, run->pass->parameters, run->input_panels);
      hyb_phase_end (run->pass->run, &hyb_phase_packing, (HybCost){ 0, bytes, bytes });
    }
  run->hidden_panels = at (run, run->input_panels, hyb_recurrent_input_panels (net));
  run->projection_panels = at (run, run->hidden_panels, hyb_recurrent_hidden_panels (net));
}

/* Makes the states of this step those before the next. */
static void
end_step (Direction *run)
{
  run->before = state_row (run, 0);
  run->before_stride = run->state_stride;
  if (run->net->cell == HYB_RNN_LSTM)
    run->cell_before = kept_at (run, run->slot.cells, run->net->hidden, run->t);
}

/* Runs all steps; on return, before and cell_before are the final states. */
static void
run_direction (Direction *run, gconstpointer x, gboolean backwards)
{
  const HybRecurrent *net = run->net;
  gint64              T = net->n_steps;
  gint64              ahead = run->n_rows < net->batch ? 1 : hyb_recurrent_steps_ahead (net);

  run->before = run->first_state;
  run->before_stride = run->R;
  run->cell_before = run->first_cell;
  for (gint64 k = 0; k < T; k++)
    {
      run->t = backwards ? T - 1 - k : k;
      if (k % ahead == 0)
        {
          gint64 count = MIN (ahead, T - k);
          gint64 first = backwards ? T - k - count : k;

          run->first = run->recording ? 0 : first;
          multiply_inputs (run, x, first, count);
        }
      run_step (run);
      end_step (run);
    }
}

/* Runs all steps of some rows. */
typedef struct
{
  const Direction *run; /* of all rows */
  gconstpointer    x;
  gboolean         backwards;
} Shares;

static void
run_share (gint64 begin, gint64 end, gpointer data)
{
  const Shares *shares = data;
  Direction     part = *shares->run;

  part.begin = begin;
  part.n_rows = end - begin;
  run_direction (&part, shares->x, shares->backwards);
}

/* Whether threads share out the rows, for all steps, because their part of a step is too small.  Only packed weights are
 * multiplied alike however many rows there are.  A traced run shares out steps, although that takes longer, because
 * its products and gates are reported apart. */
static gboolean
should_share_rows (const Direction *run)
{
  const HybRecurrent *net = run->net;
  double              work = (double) net->batch * (double) run->GH * (double) run->R;

  return !hyb_phase_is_watched (run->pass->run) && net->in_panels && net->batch > 1 &&
         net->n_steps > 0 && hyb_parallel_get_threads () > 1 &&
         work < (double) hyb_parallel_get_threads () * PRODUCT_GRAIN;
}

static void
run_shared (Direction *run, gconstpointer x, gboolean backwards)
{
  const HybRecurrent *net = run->net;
  Shares              shares = { run, x, backwards };
  double row = (double) net->n_steps * (double) run->GH * (double) (run->slot.in + run->R);

  hyb_parallel_for (net->batch, 1 + (gint64) (PRODUCT_GRAIN / (row + 1)), run_share, &shares);
  run->t = backwards ? 0 : net->n_steps - 1;
  end_step (run);
}

static void
write_final_states (const Direction *run, gint64 index)
{
  gint64 N = run->net->batch;
  gint64 H = run->net->hidden;

  if (run->pass->state_out)
    for (gint64 n = 0; n < N; n++)
      copy_row (run, at (run, run->pass->state_out, (index * N + n) * run->R), before_row (run, n),
                run->R);
  if (run->pass->cell_out && run->net->cell == HYB_RNN_LSTM)
    copy_row (run, at (run, run->pass->cell_out, index * N * H), run->cell_before, N * H);
}

static void
run_layer (Direction *run, gint64 layer, gconstpointer x, gpointer y)
{
  const HybRecurrent *net = run->net;
  gint64              D = net->n_directions;

  for (gint64 d = 0; d < D; d++)
    {
      gint64 index = layer * D + d;

      hyb_recurrent_slot (net, layer, d, run->recording, &run->slot);
      run->weight_rows = index * (2 * run->GH + net->projection);
      find_panels (run, index);
      run->y = at (run, y, d * run->R);
      run->y_stride = D * run->R;
      run->first_state = at (run, run->pass->state, index * net->batch * run->R);
      if (net->cell == HYB_RNN_LSTM)
        run->first_cell = at (run, run->pass->cell, index * net->batch * net->hidden);

      run->states = run->y;
      run->state_stride = run->y_stride;
      if (net->has_lengths)
        {
          run->states = at (run, run->kept, run->slot.states);
          run->state_stride = run->R;
        }
      run->state_step = net->has_lengths && !run->recording ? 0 : net->batch * run->state_stride;

      add_biases (run);
      if (should_share_rows (run))
        run_shared (run, x, d == 1);
      else
        run_direction (run, x, d == 1);
      write_final_states (run, index);
    }
}

/* Parts of the workspace: the output of a layer after dropout, outputs of two layers, and a
 * mask. */
typedef struct
{
  gpointer dropped, outputs, mask;
} LayerBuffers;

static LayerBuffers
divide_workspace (Direction *run)
{
  const HybRecurrent *net = run->net;
  gint64              row = net->n_directions * run->R;
  gint64              outputs = net->n_steps * net->batch * row;
  LayerBuffers        rooms = { 0 };

  run->input_panels = run->pass->workspace;
  run->bias = net->keeps_panels ? run->pass->workspace
                                : at (run, run->pass->workspace, hyb_recurrent_slot_panels (net));
  run->recurrent = at (run, run->bias, run->GH);
  rooms.dropped = at (run, run->recurrent, net->batch * MAX (run->GH, run->R));
  run->kept = at (run, rooms.dropped, net->dropout > 0 ? outputs : 0);
  rooms.outputs = at (run, run->kept, hyb_recurrent_kept_size (net, FALSE));
  rooms.mask = at (run, rooms.outputs, 2 * outputs);
  if (run->recording)
    run->kept = run->pass->reserve;
  return rooms;
}

void
hyb_recurrent_forward (const HybRecurrent *net, HybDType dtype, const HybRecurrentForward *pass)
{
  const HybCellMaths *maths = dtype == HYB_F64 ? &hyb_cell_maths_f64 : &hyb_cell_maths_f32;
  Direction           run = { .net = net,
                              .maths = maths,
                              .pass = pass,
                              .R = hyb_recurrent_state_size (net),
                              .GH = hyb_recurrent_n_gates (net->cell) * net->hidden,
                              .n_rows = net->batch,
                              .recording = pass->reserve != NULL };
  LayerBuffers        rooms = divide_workspace (&run);
  gint64              outputs = net->n_steps * net->batch * net->n_directions * run.R;
  gconstpointer       x = pass->x;

  for (gint64 layer = 0; layer < net->n_layers; layer++)
    {
      gboolean is_last = layer == net->n_layers - 1;
      gpointer y = pass->y;
      gpointer mask = rooms.mask;

      if (!is_last && run.recording)
        {
          y = at (&run, pass->reserve, hyb_recurrent_reserved_output (net, layer));
          mask = at (&run, pass->reserve, hyb_recurrent_reserved_mask (net, layer));
        }
      else if (!is_last)
        y = at (&run, rooms.outputs, layer % 2 * outputs);

      run_layer (&run, layer, x, y);
      x = y;
      if (!is_last && net->dropout > 0)
        {
          guint64 seed = hyb_random_mix (pass->seed, (guint64) layer);

          hyb_phase_begin (pass->run, &hyb_phase_gates);
          maths->mask (outputs, seed, 0, net->dropout, mask);
          maths->multiply (outputs, y, mask, rooms.dropped);
          hyb_phase_end (pass->run, &hyb_phase_gates, hyb_cell_elementwise_cost (maths, outputs));
          x = rooms.dropped;
        }
    }
}
