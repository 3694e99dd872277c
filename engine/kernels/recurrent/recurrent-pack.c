/* recurrent-pack.c — packs the weights of recurrent layers into panels (matrix/panels.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/panels.h"
#include "engine/kernels/recurrent/recurrent-cell.h"

/* Packs W_h: for resets_first as two matrices, of r and z, and of n. */
static void
pack_states (const HybRecurrent *net, const float *weights, float *panels)
{
  gint64 GH = hyb_recurrent_n_gates (net->cell) * net->hidden;
  gint64 R = hyb_recurrent_state_size (net);
  gint64 first = hyb_recurrent_first_rows (net);

  hyb_panels_pack (first, R, weights, TRUE, panels);
  if (first < GH)
    hyb_panels_pack (GH - first, R, weights + first * R, TRUE, panels + hyb_panels_size (first, R));
}

void
hyb_recurrent_pack_slot (const HybRecurrent *net,
                         const HybCellSlot  *slot,
                         const float        *parameters,
                         float              *panels)
{
  gint64 GH = hyb_recurrent_n_gates (net->cell) * net->hidden;
  float *hidden_panels = panels + hyb_recurrent_input_panels (net);

  hyb_panels_pack (GH, slot->in, parameters + slot->w_input, TRUE, panels);
  if (hyb_recurrent_hidden_panels (net) > 0)
    pack_states (net, parameters + slot->w_hidden, hidden_panels);
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
        hyb_recurrent_pack_slot (net, &slot, parameters, panels);
        panels += hyb_recurrent_slot_panels (net);
      }
}
