/* trainer-exchange.c — tells an exchange during a run which gradients have their values.
 *
 * In static mode an output lies at the same address in every run of a plan.  The first run of a plan shows the addresses, the
 * second one which nodes are computed at all (others are views), and from the third one on gradients are given away as soon as
 * their nodes are computed.  In all other cases they are given away after the run.  Start with
 * hyb_trainer_exchange_begin().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/train/exchange.h"
#include "engine/train/trainer-private.h"

#define NONE G_MAXUINT

struct _TrainerExchange
{
  const HybExchange *functions;
  HybProbe           probe;
  guint              n;           /* gradients */
  HybTensor        **averages;    /* by gradient */
  HybPlan           *plan;        /* of the last run; NULL: none yet */
  gconstpointer     *from;        /* by gradient: where that run left it */
  gboolean          *is_computed; /* by node of plan's graph: an operator runs */
  guint             *first;       /* by node: a gradient that it computes, or NONE */
  guint             *next;        /* by gradient: another one of the same node, or NONE */
  gboolean          *is_given;    /* by gradient */
  gboolean           is_same;     /* this run is of plan */
  gboolean           is_mapped;   /* first and next are known */
};

static void
give (TrainerExchange *exchange, guint index, gconstpointer from, gboolean is_early)
{
  HybTensor       *to = exchange->averages[index];
  HybReadyGradient gradient = { .index = index,
                                .from = from,
                                .to = hyb_tensor_get_data (to),
                                .n = hyb_tensor_get_size (to),
                                .is_early = is_early };

  exchange->is_given[index] = TRUE;
  exchange->functions->ready (exchange->functions->data, &gradient);
}

/* For HybProbe. */
static void
end_of_node (gpointer data, const HybSpan *span)
{
  TrainerExchange *exchange = data;

  if (exchange->is_same && span->kind == HYB_SPAN_NODE && span->plan == exchange->plan)
    {
      exchange->is_computed[span->id] = TRUE;
      for (guint i = exchange->first[span->id]; i != NONE; i = exchange->next[i])
        give (exchange, i, exchange->from[i], TRUE);
    }
  exchange->functions->poll (exchange->functions->data, span);
}

/* Begins to learn about a new plan. */
static void
take_plan (TrainerExchange *exchange, const HybPlan *plan)
{
  guint n_nodes = hyb_graph_n_nodes (hyb_plan_get_graph (plan));

  g_clear_pointer (&exchange->plan, hyb_plan_unref);
  exchange->plan = hyb_plan_ref ((HybPlan *) plan);
  exchange->is_mapped = FALSE;
  g_free (exchange->is_computed);
  exchange->is_computed = g_new0 (gboolean, MAX (n_nodes, 1));
  exchange->first = g_renew (guint, exchange->first, MAX (n_nodes, 1));
  for (guint i = 0; i < n_nodes; i++)
    exchange->first[i] = NONE;
}

/* Finds the node that computes each gradient.  One that nothing computes (a constant) has none and is given away after the
 * run. */
static void
map_gradients (TrainerExchange *exchange)
{
  HybGraph         *graph = hyb_plan_get_graph (exchange->plan);
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);

  for (guint i = 0; i < exchange->n; i++)
    {
      HybNodeId node = hyb_graph_get_producer (graph, heads[1 + i]);

      /* A view shows what its first input is. */
      while (!exchange->is_computed[node] && hyb_graph_get_node (graph, node)->n_inputs > 0)
        node = hyb_graph_get_producer (graph, hyb_graph_get_inputs (graph, node)[0]);
      exchange->next[i] = exchange->first[node];
      exchange->first[node] = i;
    }
  exchange->is_mapped = TRUE;
}

gboolean
hyb_trainer_exchange_begin (HybTrainer *trainer, GError **error)
{
  TrainerExchange *exchange = trainer->exchange;

  if (!exchange)
    return TRUE;
  if (!hyb_executor_prepare (trainer->executor, error))
    return FALSE;
  exchange->is_same = trainer->is_static && exchange->plan &&
                      hyb_executor_get_plan (trainer->executor) == exchange->plan;
  for (guint i = 0; i < exchange->n; i++)
    exchange->is_given[i] = FALSE;
  return TRUE;
}

gboolean
hyb_trainer_exchange_end (HybTrainer *trainer, double *loss, GError **error)
{
  TrainerExchange *exchange = trainer->exchange;
  const HybPlan   *plan;

  if (!exchange)
    return TRUE;
  for (guint i = 0; i < exchange->n; i++)
    {
      gconstpointer from = hyb_tensor_get_data (hyb_executor_get_output (trainer->executor, 1 + i));

      exchange->from[i] = from;
      if (!exchange->is_given[i])
        give (exchange, i, from, FALSE);
    }
  if (!exchange->functions->finish (exchange->functions->data, loss, error))
    return FALSE;
  plan = hyb_executor_get_plan (trainer->executor);
  if (plan && plan != exchange->plan)
    take_plan (exchange, plan);
  else if (exchange->is_same && !exchange->is_mapped)
    map_gradients (exchange);
  return TRUE;
}

HybTensor *
hyb_trainer_exchange_get (HybTrainer *trainer, guint index)
{
  return trainer->exchange ? trainer->exchange->averages[index] : NULL;
}

gboolean
hyb_trainer_exchange_state (HybTrainer *trainer, HybTensor *state, GError **error)
{
  const HybExchange *functions = trainer->exchange ? trainer->exchange->functions : NULL;

  return !functions || hyb_tensor_get_dtype (state) != HYB_F32 ||
         functions->average (functions->data,
                             hyb_tensor_get_data (state),
                             hyb_tensor_get_size (state),
                             error);
}

void
hyb_trainer_exchange_free (TrainerExchange *exchange)
{
  for (guint i = 0; i < exchange->n; i++)
    hyb_tensor_unref (exchange->averages[i]);
  g_clear_pointer (&exchange->plan, hyb_plan_unref);
  g_free (exchange->averages);
  g_free (exchange->from);
  g_free (exchange->is_computed);
  g_free (exchange->first);
  g_free (exchange->next);
  g_free (exchange->is_given);
  g_free (exchange);
}

/* --- What a caller sets --- */

guint
hyb_trainer_n_trained (HybTrainer *trainer)
{
  return trainer->parameters->len;
}

HybTensor *
hyb_trainer_get_trained (HybTrainer *trainer, guint index, const char **name)
{
  TrainedParameter *parameter = &g_array_index (trainer->parameters, TrainedParameter, index);

  *name = parameter->name;
  return parameter->weight;
}

gboolean
hyb_trainer_is_carrying (HybTrainer *trainer)
{
  return trainer->carried->len > 0;
}

static gboolean
are_floats (HybTrainer *trainer, GError **error)
{
  for (guint i = 0; i < trainer->parameters->len; i++)
    {
      const char *name;
      HybTensor  *weight = hyb_trainer_get_trained (trainer, i, &name);

      if (hyb_tensor_get_dtype (weight) != HYB_F32)
        return hyb_error_at (error,
                             HYB_GRAPH_ERROR,
                             HYB_GRAPH_ERROR_TYPES,
                             NULL,
                             "Convert the model to float32, or train it in one process",
                             "gradients of several processes are averaged in float32, and “%s” is "
                             "%s",
                             name,
                             hyb_dtype_name (hyb_tensor_get_dtype (weight)));
    }
  return TRUE;
}

gboolean
hyb_trainer_set_exchange (HybTrainer *trainer, const HybExchange *functions, GError **error)
{
  TrainerExchange *exchange;
  guint            n = trainer->parameters->len;

  if (!are_floats (trainer, error))
    return FALSE;
  g_clear_pointer (&trainer->exchange, hyb_trainer_exchange_free);
  exchange = trainer->exchange = g_new0 (TrainerExchange, 1);
  exchange->functions = functions;
  exchange->probe = (HybProbe){ .data = exchange, .end = end_of_node };
  exchange->n = n;
  exchange->averages = g_new0 (HybTensor *, n);
  exchange->from = g_new0 (gconstpointer, n);
  exchange->next = g_new (guint, n);
  exchange->is_given = g_new0 (gboolean, n);
  for (guint i = 0; i < n; i++)
    {
      TrainedParameter *parameter = &g_array_index (trainer->parameters, TrainedParameter, i);

      exchange->averages[i] = hyb_tensor_new (hyb_tensor_get_type (parameter->weight), error);
      if (!exchange->averages[i])
        return FALSE;
    }
  hyb_executor_set_probe (trainer->executor, &exchange->probe);
  return TRUE;
}
