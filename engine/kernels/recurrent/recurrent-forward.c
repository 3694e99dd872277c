/* recurrent-forward.c — the forward pass of layers of recurrent cells over a sequence: memory, and one layer after the other.
 *
 * Workspace: packed W_i, W_h and W_r, unless the caller keeps them | the sum of the two biases | W_h
 * h' of one step, or r h' (GRU), or the projected states of one step (with lengths) | the output of a
 * layer after dropout; and, when not recording: what one slot keeps | outputs of two layers | a
 * dropout mask.  Start at the end, with hyb_recurrent_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/random.h"
#include "engine/kernels/matrix/panels.h"
#include "engine/kernels/recurrent/recurrent-direction.h"

/* Finds the packed weights of slot `index`; packs them if the caller does not keep them. */
static void
find_panels (HybRecurrentDirection *run, gint64 index)
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
      hyb_recurrent_pack_slot (net, &run->slot, run->pass->parameters, run->input_panels);
      hyb_phase_end (run->pass->run, &hyb_phase_packing, (HybCost){ 0, bytes, bytes });
    }
  run->hidden_panels = hyb_direction_at (run, run->input_panels, hyb_recurrent_input_panels (net));
  run->projection_panels =
      hyb_direction_at (run, run->hidden_panels, hyb_recurrent_hidden_panels (net));
}

static void
write_final_states (const HybRecurrentDirection *run, gint64 index)
{
  gint64 N = run->net->batch;
  gint64 H = run->net->hidden;

  if (run->pass->state_out)
    for (gint64 n = 0; n < N; n++)
      hyb_direction_copy (run,
                          hyb_direction_at (run, run->pass->state_out, (index * N + n) * run->R),
                          hyb_direction_before (run, n), run->R);
  if (run->pass->cell_out && run->net->cell == HYB_RNN_LSTM)
    hyb_direction_copy (run, hyb_direction_at (run, run->pass->cell_out, index * N * H),
                        run->cell_before, N * H);
}

static void
run_layer (HybRecurrentDirection *run, gint64 layer, gconstpointer x, gpointer y)
{
  const HybRecurrent *net = run->net;
  gint64              D = net->n_directions;

  for (gint64 d = 0; d < D; d++)
    {
      gint64 index = layer * D + d;

      hyb_recurrent_slot (net, layer, d, run->recording, &run->slot);
      run->weight_rows = index * (2 * run->GH + net->projection);
      find_panels (run, index);
      run->y = hyb_direction_at (run, y, d * run->R);
      run->y_stride = D * run->R;
      run->first_state = hyb_direction_at (run, run->pass->state, index * net->batch * run->R);
      if (net->cell == HYB_RNN_LSTM)
        run->first_cell = hyb_direction_at (run, run->pass->cell, index * net->batch * net->hidden);

      if (net->form)
        run->functions = net->form->functions[d];
      if (run->pass->peepholes)
        run->peepholes = run->pass->peepholes + d * 3 * net->hidden;

      run->states = run->y;
      run->state_stride = run->y_stride;
      if (net->has_lengths)
        {
          run->states = hyb_direction_at (run, run->kept, run->slot.states);
          run->state_stride = run->R;
        }
      run->state_step = net->has_lengths && !run->recording ? 0 : net->batch * run->state_stride;

      hyb_recurrent_direction_run (run, x, d == 1);
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
divide_workspace (HybRecurrentDirection *run)
{
  const HybRecurrent *net = run->net;
  gint64              row = net->n_directions * run->R;
  gint64              outputs = net->n_steps * net->batch * row;
  LayerBuffers        rooms = { 0 };

  run->input_panels = run->pass->workspace;
  run->bias = net->keeps_panels
                  ? run->pass->workspace
                  : hyb_direction_at (run, run->pass->workspace, hyb_recurrent_slot_panels (net));
  run->recurrent = hyb_direction_at (run, run->bias, run->GH);
  rooms.dropped = hyb_direction_at (run, run->recurrent, net->batch * MAX (run->GH, run->R));
  run->kept = hyb_direction_at (run, rooms.dropped, net->dropout > 0 ? outputs : 0);
  rooms.outputs = hyb_direction_at (run, run->kept, hyb_recurrent_kept_size (net, FALSE));
  rooms.mask = hyb_direction_at (run, rooms.outputs, 2 * outputs);
  if (run->recording)
    run->kept = run->pass->reserve;
  return rooms;
}

void
hyb_recurrent_forward (const HybRecurrent *net, HybDType dtype, const HybRecurrentForward *pass)
{
  const HybCellMaths   *maths = dtype == HYB_F64 ? &hyb_cell_maths_f64 : &hyb_cell_maths_f32;
  HybRecurrentDirection run = { .net = net,
                                .maths = maths,
                                .pass = pass,
                                .R = hyb_recurrent_state_size (net),
                                .GH = hyb_recurrent_n_gates (net->cell) * net->hidden,
                                .n_rows = net->batch,
                                .recording = pass->reserve != NULL };
  LayerBuffers          rooms = divide_workspace (&run);
  gint64                outputs = net->n_steps * net->batch * net->n_directions * run.R;
  gconstpointer         x = pass->x;

  for (gint64 layer = 0; layer < net->n_layers; layer++)
    {
      gboolean is_last = layer == net->n_layers - 1;
      gpointer y = pass->y;
      gpointer mask = rooms.mask;

      if (!is_last && run.recording)
        {
          y = hyb_direction_at (&run, pass->reserve, hyb_recurrent_reserved_output (net, layer));
          mask = hyb_direction_at (&run, pass->reserve, hyb_recurrent_reserved_mask (net, layer));
        }
      else if (!is_last)
        y = hyb_direction_at (&run, rooms.outputs, layer % 2 * outputs);

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
