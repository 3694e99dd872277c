/* load-checkpoint.c — mx.rnn's checkpoints: arrays by gate, packed for cells and split again.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/touch.h"

#include "engine/block/layers.h"
#include "engine/formats/format.h"
#include "engine/formats/model-weights.h"
#include "engine/rnn/checkpoint.h"
#include "engine/rnn/layer.h"

static HybBlock *cells[3];

static void
make_cells (void)
{
  HybBlock *stack = hyb_sequential_cell_new (HYB_STYLE_SYMBOLIC, NULL);

  hyb_append (stack,
              hyb_lstm_cell (.hidden = 4, .prefix = "lstm_l0_", .style = HYB_STYLE_SYMBOLIC));
  hyb_append (stack, hyb_gru_cell (.hidden = 4, .prefix = "gru_l1_", .style = HYB_STYLE_SYMBOLIC));
  cells[0] = stack;
  cells[1] = hyb_fused_cell (.mode = "lstm", .hidden = 4, .layers = 2);
  cells[2] = hyb_fused_cell (.mode = "gru", .hidden = 4, .layers = 2, .bidirectional = TRUE);
}

static void
pack_and_unpack (HybBlock *cell, HybTensorList *list)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GError) error = NULL;

  hyb_model_take_weights (model, list, "fuzz");
  if (!hyb_rnn_pack_weights (&cell, 1, model, &error))
    {
      g_assert_nonnull (error);
      return;
    }
  fuzz_reached (FUZZ_PLANNED);
  if (hyb_rnn_unpack_weights (&cell, 1, model, &error))
    fuzz_reached (FUZZ_RAN);
  else
    g_assert_nonnull (error);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = fuzz_bytes (data, size);
  g_autoptr (HybTensorList) list = NULL;
  const HybFormat *format = hyb_format_of_bytes (bytes);

  fuzz_begin ();
  if (!cells[0])
    make_cells ();
  if (format && format->read_weights)
    list = format->read_weights (bytes, "fuzz", NULL, NULL);
  if (!list)
    return 0;

  fuzz_reached (FUZZ_READ);
  for (guint i = 0; i < G_N_ELEMENTS (cells); i++)
    pack_and_unpack (cells[i], list);
  return 0;
}
