/* recurrent-direction.c — one direction of one layer of recurrent cells, over all steps.
 *
 *   gates[t,n] = W_i x[t,n] + biases for all steps, as one product (with packed weights for a few steps at a time, so that they
 *   are still cached); then for each step t: gates[t] += W_h h[t−1] (N rows), and for each row n the cell's activations.
 * Threads share out a step, or, where it is small, the rows for all steps: run_shared().  Start at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/recurrent/recurrent-direction.h"

#include "engine/base/parallel.h"
#include "engine/kernels/matrix/narrow.h"
#include "engine/kernels/matrix/panels.h"
#include "engine/kernels/recurrent/cell-form.h"

#include <string.h>

/* Elements of gates below which a slice is not worth a thread. */
#define GRAIN 4096
/* Multiplications below which a share of one product is not worth a thread. */
#define PRODUCT_GRAIN 131072
/* The same of a step, for fewer rows of each thread than are worth reading all weights for. */
#define STEP_GRAIN      8192
#define MIN_SHARED_ROWS 2

/* The address of step t of a kept array (N, width) at this offset. */
static gpointer
kept_at (const HybRecurrentDirection *run, gint64 offset, gint64 width, gint64 t)
{
  gint64 step = run->recording ? t * run->net->batch * width : 0;

  return hyb_direction_at (run, run->kept, offset + step);
}

/* The address of the gates (N, G H) of step t. */
static gpointer
gates_at (const HybRecurrentDirection *run, gint64 t)
{
  return hyb_direction_at (run, run->kept,
                           run->slot.gates + (t - run->first) * run->net->batch * run->GH);
}

/* The biases at this offset of the parameters. */
static gconstpointer
bias_at (const HybRecurrentDirection *run, gint64 offset)
{
  if (run->pass->narrow == HYB_F32)
    return hyb_direction_at (run, run->pass->parameters, offset);
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
multiply (const HybRecurrentDirection *run,
          const HybGemm               *gemm,
          gconstpointer                x,
          const Weight                *w,
          gpointer                     y)
{
  HybDType dtype = run->pass->narrow;
  gsize    head = dtype == HYB_F32 ? 0 : hyb_narrow_row_bytes (dtype, 0);
  gsize    skipped =
      (gsize) w->offset * hyb_dtype_size (dtype) + (gsize) (run->weight_rows + w->rows) * head;

  if (dtype == HYB_F32)
    hyb_cell_gemm (run->maths, gemm, x, hyb_direction_at (run, run->pass->parameters, w->offset),
                   y);
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
multiply_cost (const HybRecurrentDirection *run, const HybGemm *gemm)
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
has_ended (const HybRecurrentDirection *run, gint64 n)
{
  return run->pass->lengths && run->t >= run->pass->lengths[n];
}

static gpointer
state_row (const HybRecurrentDirection *run, gint64 n)
{
  return hyb_direction_at (run, run->states, run->t * run->state_step + n * run->state_stride);
}

static HybCellRow
describe_row (const HybRecurrentDirection *run, gint64 n)
{
  const HybRecurrent *net = run->net;
  const HybCellSlot  *slot = &run->slot;
  gint64              H = net->hidden;
  HybCellRow          row = {
             .net = net,
             .keeps_gates = run->recording,
             .bias = net->in_panels ? NULL : run->bias,
             .candidate_bias = hyb_direction_at (run, bias_at (run, slot->b_hidden), 2 * H),
             .gates = hyb_direction_at (run, gates_at (run, run->t), n * run->GH),
             .recurrent = hyb_direction_at (run, run->recurrent, n * run->GH),
             .before = hyb_direction_before (run, n),
             .h = state_row (run, n),
             .functions = run->functions,
             .peepholes = run->peepholes,
  };

  if (net->cell == HYB_RNN_LSTM)
    {
      row.cell_before = hyb_direction_at (run, run->cell_before, n * H);
      row.cell = hyb_direction_at (run, kept_at (run, slot->cells, H, run->t), n * H);
    }
  if (net->cell == HYB_RNN_GRU && run->recording)
    row.candidate = hyb_direction_at (run, kept_at (run, slot->candidates, H, run->t), n * H);
  if (net->projection > 0)
    row.h = hyb_direction_at (run, kept_at (run, slot->full, H, run->t), n * H);
  return row;
}

static void
compute_row (const HybRecurrentDirection *run, gint64 n)
{
  HybCellRow row = describe_row (run, n);

  if (run->net->form)
    hyb_cell_form_forward (&row);
  else
    run->maths->forward[run->net->cell](&row);
}

/* Keeps the state of a sequence that has ended.  The row before projection is cleared, because the
 * backward pass multiplies it by zero and it must not be NaN. */
static void
carry_row (const HybRecurrentDirection *run, gint64 n)
{
  gint64 H = run->net->hidden;

  hyb_direction_copy (run, state_row (run, n), hyb_direction_before (run, n), run->R);
  if (run->net->cell == HYB_RNN_LSTM)
    hyb_direction_copy (run,
                        hyb_direction_at (run, kept_at (run, run->slot.cells, H, run->t), n * H),
                        hyb_direction_at (run, run->cell_before, n * H), H);
  if (run->net->projection > 0)
    memset (hyb_direction_at (run, kept_at (run, run->slot.full, H, run->t), n * H), 0,
            (gsize) H * run->maths->size);
}

static void
compute_rows (gint64 begin, gint64 end, gpointer data)
{
  const HybRecurrentDirection *run = data;

  for (gint64 n = run->begin + begin; n < run->begin + end; n++)
    if (has_ended (run, n))
      carry_row (run, n);
    else
      compute_row (run, n);
}

static void
compute_gates (HybRecurrentDirection *run)
{
  const HybRecurrent *net = run->net;

  hyb_phase_begin (run->pass->run, &hyb_phase_gates);
  hyb_parallel_for (run->n_rows, 1 + GRAIN / run->GH, compute_rows, run);
  hyb_phase_end (run->pass->run, &hyb_phase_gates, hyb_recurrent_gates_cost (net, run->maths));
}

/* r and z of some rows, and the products r h' in place of W_h h'. */
static void
reset_rows (gint64 begin, gint64 end, gpointer data)
{
  const HybRecurrentDirection *run = data;

  for (gint64 n = run->begin + begin; n < run->begin + end; n++)
    {
      HybCellRow row = describe_row (run, n);

      hyb_cell_form_reset (&row, hyb_direction_at (run, run->recurrent, n * run->R));
    }
}

/* The work is counted by compute_gates(). */
static void
reset_states (HybRecurrentDirection *run)
{
  hyb_phase_begin (run->pass->run, &hyb_phase_gates);
  hyb_parallel_for (run->n_rows, 1 + GRAIN / run->GH, reset_rows, run);
  hyb_phase_end (run->pass->run, &hyb_phase_gates, (HybCost){ 0 });
}

/* Writes the states W_r h: directly without lengths, else only the rows that have not ended. */
static void
project (const HybRecurrentDirection *run)
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
                         hyb_direction_at (run, full, run->begin * net->hidden),
                         run->projection_panels,
                         hyb_direction_at (run, states, run->begin * gemm.ldc));
  else
    multiply (run, &gemm, full, &(Weight){ run->slot.w_projection, 2 * run->GH }, states);
  hyb_phase_end (run->pass->run, &hyb_phase_products, multiply_cost (run, &gemm));
  for (gint64 n = run->begin; n < run->begin + run->n_rows && !direct; n++)
    if (!has_ended (run, n))
      hyb_direction_copy (run, state_row (run, n),
                          hyb_direction_at (run, run->recurrent, n * run->R), run->R);
}

/* Copies the states to y if there are lengths: zeros for sequences that have ended. */
static void
write_output (const HybRecurrentDirection *run)
{
  double bytes = (double) (run->n_rows * run->R) * (double) run->maths->size;

  hyb_phase_begin (run->pass->run, &hyb_phase_copies);
  for (gint64 n = run->begin; n < run->begin + run->n_rows; n++)
    {
      gpointer row = hyb_direction_at (run, run->y, (run->t * run->net->batch + n) * run->y_stride);

      if (has_ended (run, n))
        memset (row, 0, (gsize) run->R * run->maths->size);
      else
        hyb_direction_copy (run, row, state_row (run, n), run->R);
    }
  hyb_phase_end (run->pass->run, &hyb_phase_copies, (HybCost){ 0, bytes, bytes });
}

/* A part of W_h, and what it is multiplied by. */
typedef struct
{
  gint64        first, n; /* rows of W_h */
  gconstpointer states;   /* (N, R) */
  gint64        stride;
} StateProduct;

/* gates[t] += W_h h' for some rows of W_h; for the GRU whose r multiplies a part of W_h h', the product alone. */
static void
multiply_states (const HybRecurrentDirection *run, const StateProduct *p)
{
  const HybRecurrent *net = run->net;
  gboolean            is_apart = hyb_recurrent_keeps_product (net);
  gpointer            product =
      hyb_direction_at (run, is_apart ? run->recurrent : gates_at (run, run->t), p->first);
  HybGemm gemm = { .transpose_b = TRUE,
                   .m = net->batch,
                   .n = p->n,
                   .k = run->R,
                   .lda = p->stride,
                   .ldb = run->R,
                   .ldc = run->GH,
                   .beta = is_apart ? 0 : 1 };

  hyb_phase_begin (run->pass->run, &hyb_phase_products);
  if (hyb_recurrent_hidden_panels (net) > 0)
    hyb_panels_multiply (&(HybPanelProduct){ run->n_rows, p->n, run->R, p->stride, run->GH,
                                             .adds = !is_apart },
                         hyb_direction_at (run, p->states, run->begin * p->stride),
                         hyb_direction_at (run, run->hidden_panels,
                                           hyb_panels_size (p->first, run->R)),
                         hyb_direction_at (run, product, run->begin * run->GH));
  else
    multiply (run, &gemm, p->states,
              &(Weight){ run->slot.w_hidden + p->first * run->R, run->GH + p->first }, product);
  hyb_phase_end (run->pass->run, &hyb_phase_products, multiply_cost (run, &gemm));
}

static void
run_step (HybRecurrentDirection *run)
{
  gint64 first = hyb_recurrent_first_rows (run->net);

  multiply_states (run, &(StateProduct){ 0, first, run->before, run->before_stride });
  if (first < run->GH)
    {
      reset_states (run);
      multiply_states (run, &(StateProduct){ first, run->GH - first, run->recurrent, run->R });
    }
  compute_gates (run);
  if (run->net->projection > 0)
    project (run);
  if (run->pass->lengths)
    write_output (run);
}

/* Computes the bias of every gate, b_i + b_h; for the n of a GRU whose r multiplies W_hn h' only b_i, see HybCellRow. */
static void
add_biases (const HybRecurrentDirection *run)
{
  gconstpointer input = bias_at (run, run->slot.b_input);
  gint64        both = hyb_recurrent_keeps_product (run->net) ? 2 * run->net->hidden : run->GH;

  hyb_direction_copy (run, run->bias, input, run->GH);
  run->maths->add (both, input, bias_at (run, run->slot.b_hidden), run->bias);
}

/* Computes the gates W_i x + bias of `count` steps, starting at step t. */
static void
multiply_inputs (const HybRecurrentDirection *run, gconstpointer x, gint64 t, gint64 count)
{
  gint64        in = run->slot.in;
  gint64        rows = (count - 1) * run->net->batch + run->n_rows;
  gconstpointer from = hyb_direction_at (run, x, (t * run->net->batch + run->begin) * in);
  HybGemm       gemm = {
          .transpose_b = TRUE, .m = rows, .n = run->GH, .k = in, .lda = in, .ldb = in, .ldc = run->GH
  };

  hyb_phase_begin (run->pass->run, &hyb_phase_products);
  if (run->net->in_panels)
    hyb_panels_multiply (&(HybPanelProduct){ rows, run->GH, in, in, run->GH, .bias = run->bias },
                         from, run->input_panels,
                         hyb_direction_at (run, gates_at (run, t), run->begin * run->GH));
  else
    multiply (run, &gemm, from, &(Weight){ run->slot.w_input, 0 }, gates_at (run, t));
  hyb_phase_end (run->pass->run, &hyb_phase_products, multiply_cost (run, &gemm));
}

/* Makes the states of this step those before the next. */
static void
end_step (HybRecurrentDirection *run)
{
  run->before = state_row (run, 0);
  run->before_stride = run->state_stride;
  if (run->net->cell == HYB_RNN_LSTM)
    run->cell_before = kept_at (run, run->slot.cells, run->net->hidden, run->t);
}

/* The steps in which some sequence has not ended: later ones are not computed.  The backward pass reads all steps. */
static gint64
count_steps (const HybRecurrentDirection *run)
{
  gint64 count = 0;

  if (!run->pass->lengths || run->recording)
    return run->net->n_steps;
  for (gint64 n = 0; n < run->net->batch; n++)
    count = MAX (count, run->pass->lengths[n]);
  return count;
}

/* Writes zeros to y after the last step that is computed. */
static void
clear_outputs (const HybRecurrentDirection *run)
{
  for (gint64 t = run->n_steps; t < run->net->n_steps; t++)
    for (gint64 n = run->begin; n < run->begin + run->n_rows; n++)
      memset (hyb_direction_at (run, run->y, (t * run->net->batch + n) * run->y_stride), 0,
              (gsize) run->R * run->maths->size);
}

/* Runs all steps; on return, before and cell_before are the final states. */
static void
run_direction (HybRecurrentDirection *run, gconstpointer x, gboolean backwards)
{
  const HybRecurrent *net = run->net;
  gint64              T = run->n_steps;
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
  clear_outputs (run);
}

/* Runs all steps of some rows. */
typedef struct
{
  const HybRecurrentDirection *run; /* of all rows */
  gconstpointer                x;
  gboolean                     backwards;
} Shares;

static void
run_share (gint64 begin, gint64 end, gpointer data)
{
  const Shares         *shares = data;
  HybRecurrentDirection part = *shares->run;

  part.begin = begin;
  part.n_rows = end - begin;
  run_direction (&part, shares->x, shares->backwards);
}

/* Whether threads share out the rows, for all steps, because their part of a step is too small; but each reads all weights in
 * each step, which takes as long for one row as for a few.  Only packed weights are multiplied alike however many rows there are.
 * A traced run shares out steps, although that takes longer, because its products and gates are reported apart. */
static gboolean
should_share_rows (const HybRecurrentDirection *run)
{
  const HybRecurrent *net = run->net;
  double              work = (double) net->batch * (double) run->GH * (double) run->R;
  double              n_threads = (double) hyb_parallel_get_threads ();
  double grain = (double) net->batch < MIN_SHARED_ROWS * n_threads ? STEP_GRAIN : PRODUCT_GRAIN;

  return !hyb_phase_is_watched (run->pass->run) && net->in_panels && net->batch > 1 &&
         run->n_steps > 0 && n_threads > 1 && work < n_threads * grain;
}

static void
run_shared (HybRecurrentDirection *run, gconstpointer x, gboolean backwards)
{
  const HybRecurrent *net = run->net;
  Shares              shares = { run, x, backwards };
  double row = (double) run->n_steps * (double) run->GH * (double) (run->slot.in + run->R);

  hyb_parallel_for (net->batch, 1 + (gint64) (PRODUCT_GRAIN / (row + 1)), run_share, &shares);
  run->t = backwards ? 0 : run->n_steps - 1;
  end_step (run);
}

void
hyb_recurrent_direction_run (HybRecurrentDirection *run, gconstpointer x, gboolean backwards)
{
  run->n_steps = count_steps (run);
  add_biases (run);
  if (should_share_rows (run))
    run_shared (run, x, backwards);
  else
    run_direction (run, x, backwards);
}
