/* rnn-arrays.c — the weight space and the reserve space of recurrent layers, and device memory as doubles.
 *
 * The reserve space holds doubles: a mark (1 after the forward pass, 2 after the gradient of the data), and
 * for each pseudo-layer what RnnKept lists, for all steps and sequences.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/cudnn-private.h"
#include "tests/engine/cuda/pretend/element.h"
#include "tests/engine/cuda/pretend/rnn-private.h"

#include <string.h>

/* --- The weight space --- */

int
rnn_input_size (const RnnNet *net, int pseudo_layer)
{
  return pseudo_layer < net->D ? net->I : net->D * net->P;
}

/* Matrices of a pseudo-layer: those of the input, those of the state, and the projection. */
static int
n_parts (const RnnNet *net)
{
  return 2 * net->G + (net->P < net->H);
}

void
rnn_matrix_size (const RnnNet *net, int pseudo_layer, int part, int *rows, int *columns)
{
  *rows = part < 2 * net->G ? net->H : net->P;
  *columns = part < net->G       ? rnn_input_size (net, pseudo_layer)
             : part < 2 * net->G ? net->P
                                 : net->H;
}

/* Elements between parts, if the space is asked to have gaps. */
static gsize
gap (void)
{
  return pretend.gaps ? 3 : 0;
}

gsize
rnn_weight_offset (const RnnNet *net, int pseudo_layer, int part, gboolean bias)
{
  gsize offset = 0;

  for (int pl = 0; pl < net->L * net->D; pl++)
    for (int k = 0; k < n_parts (net); k++)
      {
        int rows, columns;

        if (!bias && pl == pseudo_layer && k == part)
          return offset;
        rnn_matrix_size (net, pl, k, &rows, &columns);
        offset += (gsize) rows * (gsize) columns + gap ();
      }
  if (!bias)
    return offset;
  return offset +
         ((gsize) pseudo_layer * 2 * (gsize) net->G + (gsize) part) * ((gsize) net->H + gap ());
}

gsize
rnn_n_weights (const RnnNet *net)
{
  return rnn_weight_offset (net, net->L * net->D, 0, TRUE);
}

/* --- Arrays in device memory --- */

double *
rnn_read (const RnnNet *net, guint64 at, gsize n, gboolean rounds, GError **error)
{
  gsize         element = element_bytes (net->type);
  double       *values = g_new0 (double, n + 1);
  const guint8 *data = at && n ? element_reach (at, n * element, FALSE, error) : NULL;

  if (at && n && !data)
    {
      g_free (values);
      return NULL;
    }
  for (gsize i = 0; data && i < n; i++)
    {
      values[i] = element_get (data + i * element, net->type);
      if (rounds && net->coarse)
        values[i] = element_to_tf32 (values[i]);
    }
  return values;
}

gboolean
rnn_write (const RnnNet *net, guint64 at, gsize n, const double *values, GError **error)
{
  gsize   element = element_bytes (net->type);
  guint8 *data = at ? element_reach (at, n * element, TRUE, error) : NULL;

  for (gsize i = 0; data && i < n; i++)
    element_put (data + i * element, net->type, values[i]);
  return !at || data;
}

/* --- The reserve space --- */

static gsize
kept_elements (const RnnNet *net)
{
  return (gsize) net->T * (gsize) net->N *
         (2 * ((gsize) net->G + 1) * (gsize) net->H + 2 * (gsize) net->H + 2 * (gsize) net->P);
}

gsize
rnn_reserve_bytes (const RnnNet *net)
{
  return (1 + (gsize) net->L * (gsize) net->D * kept_elements (net)) * sizeof (double);
}

RnnKept
rnn_kept (const RnnNet *net, double *reserve, int pseudo_layer)
{
  gsize   cells = (gsize) net->T * (gsize) net->N;
  double *at = reserve + 1 + (gsize) pseudo_layer * kept_elements (net);
  RnnKept kept = { .gates = at };

  kept.cell = kept.gates + cells * ((gsize) net->G + 1) * (gsize) net->H;
  kept.raw = kept.cell + cells * (gsize) net->H;
  kept.state = kept.raw + cells * (gsize) net->H;
  kept.dgates = kept.state + cells * (gsize) net->P;
  kept.dstate = kept.dgates + cells * ((gsize) net->G + 1) * (gsize) net->H;
  return kept;
}

const double *
rnn_matrix (const RnnLayer *layer, int part)
{
  return layer->w + rnn_weight_offset (layer->net, layer->pl, part, FALSE);
}

int
rnn_step (const RnnNet *net, int pl, int s, int length)
{
  return pl % net->D == 0 ? s : length - 1 - s;
}

double *
rnn_join_directions (const RnnPass *pass, double *reserve, int layer)
{
  const RnnNet *net = &pass->net;
  gsize         P = (gsize) net->P, D = (gsize) net->D, cells = (gsize) net->T * (gsize) net->N;
  double       *y = g_new0 (double, cells *D *P);

  for (int d = 0; d < net->D; d++)
    {
      RnnKept kept = rnn_kept (net, reserve, layer * net->D + d);

      for (gsize cell = 0; cell < cells; cell++)
        for (gsize k = 0;
             k < P && (int) (cell / (gsize) net->N) < pass->lengths[cell % (gsize) net->N]; k++)
          y[cell * D * P + (gsize) d * P + k] = kept.state[cell * P + k];
    }
  return y;
}

RnnSizes
rnn_sizes (const RnnNet *net)
{
  gsize cells = (gsize) net->T * (gsize) net->N,
        slots = (gsize) net->L * (gsize) net->D * (gsize) net->N;

  return (RnnSizes){ cells * (gsize) net->I, cells * (gsize) net->D * (gsize) net->P,
                     slots * (gsize) net->P, slots * (gsize) net->H };
}

/* FALSE and an error if the copy of the lengths cannot be read; a copy of other lengths is a problem. */
static gboolean
check_lengths (const RnnPass *pass, GError **error)
{
  gsize         bytes = sizeof (int) * (gsize) pass->net.N;
  const guint8 *copy = element_reach (pass->device_lengths, bytes, FALSE, error);

  if (copy && memcmp (copy, pass->lengths, bytes) != 0)
    pretend_problem ("the lengths on the device are not those of the descriptor");
  return copy != NULL;
}

double *
rnn_reserve (const RnnPass *pass, double **owned, double mark, GError **error)
{
  double *reserve;

  *owned = NULL;
  if (pass->device_lengths && !check_lengths (pass, error))
    return NULL;
  if (!pass->reserve)
    return *owned = g_malloc0 (rnn_reserve_bytes (&pass->net));
  if (mark > 0 && !element_reach (pass->reserve, rnn_reserve_bytes (&pass->net), FALSE, error))
    return NULL;
  reserve = element_reach (pass->reserve, rnn_reserve_bytes (&pass->net), TRUE, error);
  if (reserve && mark > 0 && !(reserve[0] >= mark && reserve[0] <= mark))
    pretend_problem (mark > 1 ? "BackwardWeights runs before BackwardData of the same reserve space"
                              : "BackwardData runs without the reserve space of a forward pass");
  return reserve;
}
