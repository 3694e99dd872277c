/* bench-net.c — benchmark cases that are networks: forward passes, training steps, and chains of
 * small operators.
 *
 * A case is a row of specs.  Start at bench_net_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/bench/bench-networks.h"

#include "engine/train/trainer.h"

#include <string.h>

/* Tokens (steps, batch): element i is (i × step + offset) mod vocabulary. */
static HybTensor *
token_tensor (gint64 step, gint64 offset, GError **error)
{
  HybShape   shape = hyb_shape_2d (BENCH_STEPS, BENCH_BATCH);
  HybTensor *tensor = bench_zeros (&shape, error);
  float     *values = tensor ? hyb_tensor_get_data (tensor) : NULL;

  for (gint64 i = 0; values && i < BENCH_STEPS * BENCH_BATCH; i++)
    values[i] = (float) ((i * step + offset) % BENCH_VOCABULARY);
  return tensor;
}

/* --- The table --- */

typedef enum
{
  PHASE_INFER,
  PHASE_EAGER, /* operator by operator */
  PHASE_TRAIN, /* with softmax cross-entropy, backward pass and an SGD step */
} Phase;

typedef struct
{
  const char *name;
  HybValue *(*build) (BenchNet *net, HybValue *x);
  HybShape    shape; /* of the input; rank 0: tokens of the language model */
  Phase       phase;
  const char *learning_rate; /* of PHASE_TRAIN */
} NetSpec;

#define SHAPE(...)                                                                       \
  {                                                                                      \
    .rank = sizeof ((gint64[]){ __VA_ARGS__ }) / sizeof (gint64), .dim = { __VA_ARGS__ } \
  }

static const NetSpec specs[] = {
  { "lenet-infer-b1", bench_lenet, SHAPE (1, 1, 28, 28), PHASE_INFER, NULL },
  { "lenet-infer-b32", bench_lenet, SHAPE (32, 1, 28, 28), PHASE_INFER, NULL },
  { "lenet-train-b32", bench_lenet, SHAPE (32, 1, 28, 28), PHASE_TRAIN, "0.01" },
  { "mlp", bench_mlp, SHAPE (32, 784), PHASE_INFER, NULL },
  { "conv3x3", bench_conv3x3, SHAPE (1, 64, 56, 56), PHASE_INFER, NULL },
  { "resnet18-infer-b1", bench_resnet18, SHAPE (1, 3, 224, 224), PHASE_INFER, NULL },
  { "transformer-encoder-layer", bench_transformer_layer, SHAPE (128, 512), PHASE_INFER, NULL },
  { "overhead-chain-1000", bench_overhead_chain, SHAPE (1, 8), PHASE_INFER, NULL },
  { "overhead-chain-1000-imperative", bench_overhead_chain, SHAPE (1, 8), PHASE_EAGER, NULL },
  { "lm-train", bench_language_model, { 0 }, PHASE_TRAIN, "1.0" },
};

#undef SHAPE

void
bench_net_list (GPtrArray *names)
{
  for (guint i = 0; i < G_N_ELEMENTS (specs); i++)
    g_ptr_array_add (names, g_strdup (specs[i].name));
}

static BenchNet
net_new (void)
{
  return (BenchNet){ .values = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref),
                     .names = g_ptr_array_new_with_free_func (g_free) };
}

static void
net_clear (BenchNet *net)
{
  g_clear_pointer (&net->values, g_ptr_array_unref);
  g_clear_pointer (&net->names, g_ptr_array_unref);
  g_clear_error (&net->error);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (BenchNet, net_clear)

/* Traces the network; its parameters are created in net. */
static HybGraph *
net_graph (BenchNet *net, const NetSpec *spec, GError **error)
{
  g_autoptr (HybF) F = hyb_f_new_trace (spec->phase == PHASE_TRAIN);
  HybValue *output;

  net->F = F;
  net->n_used = 0;
  output = spec->build (net, hyb_value_variable (F, "data", NULL));
  net->F = NULL;
  if (net->error)
    {
      g_propagate_error (error, g_steal_pointer (&net->error));
      return NULL;
    }
  return hyb_f_finish (F, output, error);
}

static HybTensor *
net_data (const NetSpec *spec, GError **error)
{
  return spec->shape.rank > 0 ? bench_fill (&spec->shape, (BenchFill){ 1, 1, 0 }, error)
                              : token_tensor (7919, 13, error);
}

static BenchCase *
infer_new (const NetSpec *spec, const BenchOptions *options, GError **error)
{
  g_auto (BenchNet) net = net_new ();
  g_autoptr (HybGraph) graph = net_graph (&net, spec, error);
  g_autoptr (HybTensor) data = graph ? net_data (spec, error) : NULL;
  BenchGraph bench = { .graph = graph, .n_inputs = 1 };

  if (!data)
    return NULL;
  g_ptr_array_insert (net.names, 0, g_strdup ("data"));
  g_ptr_array_insert (net.values, 0, hyb_tensor_ref (data));
  bench.n_values = net.names->len;
  bench.names = (const char *const *) net.names->pdata;
  bench.values = (HybTensor *const *) net.values->pdata;
  return bench_graph_new (&bench, options, error);
}

/* --- Operator by operator --- */

typedef struct
{
  BenchCase      parent;
  BenchNet       net;
  const NetSpec *spec;
  HybTensor     *data, *output;
} EagerCase;

static gboolean
eager_run (BenchCase *bench, GError **error)
{
  EagerCase *self = (EagerCase *) bench;
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  HybValue *output;

  self->net.F = F;
  self->net.n_used = 0;
  output = self->spec->build (&self->net, hyb_value_from_tensor (F, self->data));
  if (!hyb_f_check (F, error))
    return FALSE;
  g_clear_pointer (&self->output, hyb_tensor_unref);
  self->output = hyb_tensor_ref (hyb_value_get_tensor (output));
  return TRUE;
}

static HybTensor *
eager_result (BenchCase *bench, GError **error)
{
  return hyb_tensor_ref (((EagerCase *) bench)->output);
}

static void
eager_free (BenchCase *bench)
{
  EagerCase *self = (EagerCase *) bench;

  g_clear_pointer (&self->data, hyb_tensor_unref);
  g_clear_pointer (&self->output, hyb_tensor_unref);
  net_clear (&self->net);
  g_free (self);
}

static const BenchKind eager_kind = { eager_run, eager_result, eager_free };

static BenchCase *
eager_new (const NetSpec *spec, GError **error)
{
  HybTensor *data = net_data (spec, error);
  EagerCase *self;

  if (!data)
    return NULL;
  self = g_new0 (EagerCase, 1);
  self->parent.kind = &eager_kind;
  self->net = net_new ();
  self->spec = spec;
  self->data = data;
  return &self->parent;
}

/* --- Training steps --- */

typedef struct
{
  BenchCase    parent;
  HybTrainer  *trainer;
  GHashTable  *batch;
  HybTrainStep last;
} TrainCase;

static gboolean
train_run (BenchCase *bench, GError **error)
{
  TrainCase *self = (TrainCase *) bench;

  return hyb_trainer_step (self->trainer, self->batch, &self->last, NULL, error);
}

static HybTensor *
train_result (BenchCase *bench, GError **error)
{
  return hyb_tensor_new_scalar (((TrainCase *) bench)->last.loss);
}

static void
train_free (BenchCase *bench)
{
  TrainCase *self = (TrainCase *) bench;

  g_clear_pointer (&self->trainer, hyb_trainer_free);
  g_clear_pointer (&self->batch, g_hash_table_unref);
  g_free (self);
}

static const BenchKind train_kind = { train_run, train_result, train_free };

static HybTensor *
net_labels (const NetSpec *spec, GError **error)
{
  HybShape   shape = hyb_shape_1d (spec->shape.dim[0]);
  HybTensor *labels;

  if (spec->shape.rank == 0)
    return token_tensor (104729, 7, error);
  labels = bench_zeros (&shape, error);
  for (gint64 i = 0; labels && i < shape.dim[0]; i++)
    ((float *) hyb_tensor_get_data (labels))[i] = (float) (i % 10);
  return labels;
}

static GHashTable *
net_batch (const NetSpec *spec, GError **error)
{
  static const char *const names[] = { "data", "label", "state0", "state1" };
  HybShape                 state = hyb_shape_3d (BENCH_LAYERS, BENCH_BATCH, BENCH_WIDTH);
  guint                    n = spec->shape.rank > 0 ? 2 : 4;
  g_autoptr (GHashTable) batch =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) hyb_tensor_unref);

  for (guint i = 0; i < n; i++)
    {
      HybTensor *tensor = i == 0   ? net_data (spec, error)
                          : i == 1 ? net_labels (spec, error)
                                   : bench_zeros (&state, error);

      if (!tensor)
        return NULL;
      g_hash_table_insert (batch, (gpointer) names[i], tensor);
    }
  return g_steal_pointer (&batch);
}

static BenchCase *
train_new (const NetSpec *spec, const BenchOptions *options, GError **error)
{
  static const char *const data[] = { "data", "state0", "state1", NULL };
  const char *const        settings[] = { "learning_rate", spec->learning_rate, NULL };
  HybTrainerOptions        trainer_options = { .loss = "softmax-cross-entropy",
                                               .optimizer = "sgd",
                                               .settings = settings,
                                               .data = data,
                                               .without = options->without };
  g_auto (BenchNet) net = net_new ();
  g_autoptr (HybGraph) graph = net_graph (&net, spec, error);
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GHashTable) batch = graph ? net_batch (spec, error) : NULL;
  HybTrainer *trainer;
  TrainCase  *self;

  if (!batch)
    return NULL;
  hyb_model_set_graph (model, graph);
  for (guint i = 0; i < net.names->len; i++)
    hyb_model_set_parameter (model, net.names->pdata[i], net.values->pdata[i]);
  trainer = hyb_trainer_new (model, &trainer_options, error);
  if (!trainer)
    return NULL;

  self = g_new0 (TrainCase, 1);
  self->parent.kind = &train_kind;
  self->trainer = trainer;
  self->batch = g_steal_pointer (&batch);
  return &self->parent;
}

BenchCase *
bench_net_new (const char *name, const BenchOptions *options, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (specs); i++)
    if (strcmp (specs[i].name, name) == 0)
      switch (specs[i].phase)
        {
        case PHASE_INFER:
          return infer_new (&specs[i], options, error);
        case PHASE_EAGER:
          return eager_new (&specs[i], error);
        case PHASE_TRAIN:
          return train_new (&specs[i], options, error);
        }
  return NULL;
}
