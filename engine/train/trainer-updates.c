/* trainer-updates.c — extends a training graph by the updates of parameters and carried states, so that a GPU
 * computes whole steps.
 *
 * The new variables are the optimizer's states, under their names in a checkpoint, and the numbers that change
 * from step to step (ops/optimizer/update-trained.c).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/graph/builder.h"
#include "engine/train/optimizer-private.h"
#include "engine/train/trainer-private.h"

#include <math.h>

typedef struct
{
  HybTrainer *trainer;
  HybBuilder *builder;
  HybValueId  numbers, norm;
  const HybValueId
          *heads; /* of the training graph: the loss, the gradients, the outputs of the model */
  GArray  *added; /* of HybValueId: results of the updates */
  GError **error;
} Adding;

char *
hyb_trainer_name_state (const TrainedParameter *parameter, guint index)
{
  return g_strdup_printf ("state%u:%s", index, parameter->name);
}

static void
add_text (GStrvBuilder *attributes, const char *key, const char *text)
{
  g_strv_builder_add (attributes, key);
  g_strv_builder_add (attributes, text);
}

static void
add_number (GStrvBuilder *attributes, const char *key, double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isnan (number))
    add_text (attributes, key, g_ascii_dtostr (text, sizeof text, number));
}

/* Values that no step writes: a copy of one that is a variable. */
static HybValueId
settle (Adding *adding, HybValueId value)
{
  HybNodeId   producer = hyb_builder_get_producer (adding->builder, value);
  HybNodeSpec spec = { .name = "update:copy", .n_inputs = 1, .inputs = &value };

  if (!hyb_node_is_variable (hyb_builder_get_node (adding->builder, producer)))
    return value;
  return hyb_builder_call (adding->builder, "_copy", &spec, adding->error);
}

static gboolean
add_norm (Adding *adding, const HybValueId *gradients)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) attributes = NULL;
  guint n = adding->trainer->parameters->len;

  add_number (builder, "num_gradients", n);
  add_number (builder, "limit", MAX (adding->trainer->clip_global_norm, 0));
  attributes = g_strv_builder_end (builder);
  adding->norm = hyb_builder_call (adding->builder, "_update_norm",
                                   &(HybNodeSpec){ .name = "update:norm",
                                                   .attributes = (const char *const *) attributes,
                                                   .n_inputs = n,
                                                   .inputs = gradients },
                                   adding->error);
  return adding->norm != HYB_NO_ID;
}

/* Arguments that do not change from step to step. */
static char **
describe (const Adding *adding, guint index, guint n_states)
{
  g_autoptr (GStrvBuilder) attributes = g_strv_builder_new ();
  HybOptimizerStep step = hyb_optimizer_get_step (adding->trainer->optimizer, 1, 1, 1);

  add_number (attributes, "row", index);
  add_number (attributes, "states", n_states);
  add_number (attributes, "momentum", step.momentum);
  add_number (attributes, "beta1", step.beta1);
  add_number (attributes, "beta2", step.beta2);
  add_number (attributes, "epsilon", step.epsilon);
  add_number (attributes, "clip_weights", step.clip_weights);
  return g_strv_builder_end (attributes);
}

static gboolean
add_update (Adding *adding, HybGraph *graph, guint index, HybValueId gradient)
{
  HybTrainer             *trainer = adding->trainer;
  const TrainedParameter *parameter = &g_array_index (trainer->parameters, TrainedParameter, index);
  guint                   n_states = hyb_optimizer_n_states (trainer->optimizer);
  g_auto (GStrv) attributes = describe (adding, index, n_states);
  g_autofree char *name = g_strconcat ("update:", parameter->name, NULL);
  HybNodeId        weight = hyb_graph_find_variable (graph, parameter->name);
  HybValueId       inputs[4 + HYB_MAX_OPTIMIZER_STATES] = {
          hyb_graph_get_node (graph, weight)->first_output, gradient, adding->numbers, adding->norm
  };
  HybValueId update;

  for (guint k = 0; k < n_states; k++)
    {
      g_autofree char *state = hyb_trainer_name_state (parameter, k);

      inputs[4 + k] = hyb_builder_add_variable (adding->builder, state, NULL);
    }
  update = hyb_builder_call (adding->builder, hyb_optimizer_get_operator (trainer->optimizer),
                             &(HybNodeSpec){ .name = name,
                                             .attributes = (const char *const *) attributes,
                                             .n_inputs = 4 + n_states,
                                             .inputs = inputs },
                             adding->error);
  if (update == HYB_NO_ID)
    return FALSE;
  g_array_append_val (adding->added, update);
  return TRUE;
}

/* Writes an output of this step where the next one reads it. */
static gboolean
add_carried (Adding *adding, HybGraph *graph, guint index, HybValueId value)
{
  const CarriedState *carried = &g_array_index (adding->trainer->carried, CarriedState, index);
  g_autofree char    *name = g_strconcat ("update:", carried->input, NULL);
  HybNodeId           state = hyb_graph_find_variable (graph, carried->input);
  HybValueId          inputs[] = { hyb_graph_get_node (graph, state)->first_output, value };
  HybNodeSpec         spec = { .name = name, .n_inputs = 2, .inputs = inputs };
  HybValueId update = hyb_builder_call (adding->builder, "_update_state", &spec, adding->error);

  if (update == HYB_NO_ID)
    return FALSE;
  g_array_append_val (adding->added, update);
  return TRUE;
}

/* All values are settled before the first of them is written over. */
static gboolean
add_all (Adding *adding, HybGraph *graph)
{
  const HybTrainer      *trainer = adding->trainer;
  guint                  n = trainer->parameters->len, n_carried = trainer->carried->len;
  g_autofree HybValueId *gradients = g_new (HybValueId, n);
  g_autofree HybValueId *states = g_new (HybValueId, MAX (n_carried, 1));

  for (guint i = 0; i < n; i++)
    if ((gradients[i] = settle (adding, adding->heads[1 + i])) == HYB_NO_ID)
      return FALSE;
  for (guint i = 0; i < n_carried; i++)
    {
      guint output = g_array_index (trainer->carried, CarriedState, i).output;

      if ((states[i] = settle (adding, adding->heads[1 + n + output])) == HYB_NO_ID)
        return FALSE;
    }
  if (!add_norm (adding, gradients))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!add_update (adding, graph, i, gradients[i]))
      return FALSE;
  for (guint i = 0; i < n_carried; i++)
    if (!add_carried (adding, graph, i, states[i]))
      return FALSE;
  return TRUE;
}

HybGraph *
hyb_trainer_add_updates (HybTrainer *trainer, HybGraph *graph, GError **error)
{
  g_autoptr (HybBuilder) builder = hyb_trainer_copy_nodes (graph);
  g_autoptr (GArray) added = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  guint  n_heads, n = trainer->parameters->len;
  Adding adding = { .trainer = trainer, .builder = builder, .added = added, .error = error };

  adding.heads = hyb_graph_get_heads (graph, &n_heads);
  adding.numbers = hyb_builder_add_variable (builder, HYB_TRAINER_NUMBERS, NULL);
  if (!add_all (&adding, graph))
    return NULL;

  hyb_builder_add_head (builder, adding.heads[0]);
  hyb_builder_add_head (builder, adding.norm);
  for (guint i = 1 + n; i < n_heads; i++)
    hyb_builder_add_head (builder, adding.heads[i]);
  for (guint i = 0; i < added->len; i++)
    hyb_builder_add_head (builder, g_array_index (added, HybValueId, i));
  return hyb_builder_freeze (g_steal_pointer (&builder));
}
