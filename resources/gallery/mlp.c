/* mlp.c — the multilayer perceptron of Gluon's tutorial on hybrid networks.
 *
 * The smallest model of the gallery; a good one to copy.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

typedef struct
{
  gint64 inputs, hidden, classes, batch;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, inputs), HYB_PARAM_INT, "512", 1, 65536, .doc = "features of a sample" },
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "256", 2, 65536,
    .doc = "units of the first layer" },
  { HYB_FIELD (Options, classes), HYB_PARAM_INT, "2", 2, 65536, .doc = "outputs" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "32", 1, 65536, .doc = "samples in a batch" },
  { 0 },
};

static HybBlock *
build (gconstpointer data)
{
  const Options *given = data;
  HybBlock      *net = hyb_sequential (NULL);

  hyb_block_enter_scope (net);
  hyb_append (net, hyb_dense (.units = given->hidden, .activation = "relu"));
  hyb_append (net, hyb_dense (.units = given->hidden / 2, .activation = "relu"));
  hyb_append (net, hyb_dense (.units = given->classes));
  hyb_block_leave_scope (net);
  return net;
}

/* The samples of a class are spread around its centre. */
static void
fill (gconstpointer data, const HybBatch *batch)
{
  const Options *given = data;
  guint64        draw = hyb_random_mix (batch->seed, batch->step);
  float         *x = hyb_tensor_get_data (batch->inputs[0]);
  float         *label = hyb_tensor_get_data (batch->label);

  for (gint64 n = 0; n < given->batch; n++)
    {
      gint64 class = hyb_random_word (~draw, (guint64) n) % given->classes;

      label[n] = (float) class;
      for (gint64 i = 0; i < given->inputs; i++, x++)
        *x = (float) (hyb_random_normal (draw, (guint64) (n * given->inputs + i)) +
                      0.2 * hyb_random_normal ((guint64) class, (guint64) i));
    }
}

HYB_MODEL (.name = "mlp",
           .doc = "Three dense layers: the network of the hybridize tutorial",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = "float32(batch, inputs)",
           .build = build,
           .task = { .label = "float32(batch)",
                     .settings = "learning_rate=0.1",
                     .steps = 100,
                     .fill = fill });
