/* loop-backward.c — going back through a loop: planning and running.
 *
 * Read loop-gradient.c first: it says what the body and its heads are.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/control/loop-deferred.h"

#include "engine/graph/reach.h"
#include "engine/graph/with-heads.h"

#include <string.h>

/* --- Planning --- */

/* A gradient that goes out. */
typedef struct
{
  guint        variable; /* of the body */
  int          head;     /* of the planned graph; -1: an integer, whose gradient is zero */
  gsize        bytes;    /* of one step's */
  gint64       size;
  HybDType     dtype;
  HybDeferred *deferred; /* computed behind the loop; NULL: in every step */
  gsize        scratch;  /* one step's, before it is added; or two of them, for a state */
} Outgoing;

typedef struct
{
  HybLoop         loop;
  HybLoopSections sections;
  HybSubgraph     body;
  gint64          length;
  gsize          *row_bytes;  /* by variable */
  gsize          *head_bytes; /* by head of the forward body */
  int            *incoming;   /* by head of the forward body: the node's input; -1: zero */
  int            *outgoing;   /* by variable: which of out; -1 */
  guint           n_out;
  Outgoing       *out;
  gsize *private;  /* by variable: a copy, because the body writes it (moving averages) */
  guint8 *written; /* by variable */
  gsize   zeros, zeros_bytes;
  gsize   captured; /* pointers, by variable */
  gsize   workspace;
} WayBack;

static void
way_back_free (WayBack *way)
{
  hyb_subgraph_clear (&way->body);
  hyb_loop_clear (&way->loop);
  for (guint g = 0; g < way->n_out; g++)
    g_free (way->out[g].deferred);
  g_free (way->row_bytes);
  g_free (way->head_bytes);
  g_free (way->incoming);
  g_free (way->outgoing);
  g_free (way->out);
  g_free (way->private);
  g_free (way->written);
  g_free (way);
}

void
hyb_loop_gradient_release (HybCall *call)
{
  g_clear_pointer ((WayBack **) &call->prepared, way_back_free);
}

static HybType *
infer_variables (const WayBack *way, HybCall *call, GError **error)
{
  const HybLoop      *loop = &way->loop;
  g_autofree HybType *forward = g_new (HybType, MAX (loop->n_variables, 1));

  hyb_loop_variable_types (loop, call->input + way->sections.inputs, call->legacy_shapes, forward);
  return hyb_subgraph_gradient_types (call->body[0],
                                      forward,
                                      loop->n_out_data + loop->n_states,
                                      call->training,
                                      error);
}

/* The graph to run: gradients of float variables only, and of captured weights what
 * they will be computed from. */
static gboolean
choose_heads (WayBack                     *way,
              HybCall                     *call,
              const HybLoopGradientParams *params,
              const HybType               *variables,
              GError                     **error)
{
  guint               n_heads;
  const HybValueId   *heads = hyb_graph_get_heads (call->body[0], &n_heads);
  guint               first = way->loop.n_out_data + way->loop.n_states;
  g_autofree HybType *types =
      hyb_subgraph_value_types (call->body[0], variables, call->training, error);
  g_autofree HybValueId *chosen = g_new (HybValueId, n_heads * HYB_DEFERRED_OPERANDS + 1);
  guint                  n_chosen = 0;

  if (!types)
    return FALSE;
  way->n_out = (guint) params->gradients.n;
  way->out = g_new0 (Outgoing, MAX (way->n_out, 1));
  for (guint g = 0; g < way->n_out; g++)
    {
      guint                  v = (guint) params->gradients.value[g];
      const HybLoopVariable *variable = &way->loop.variable[v];
      const HybType         *type = &variables[v];
      Outgoing              *out = &way->out[g];

      *out = (Outgoing){
        .variable = v,
        .head = hyb_dtype_is_float (type->dtype) ? (int) n_chosen : -1,
        .bytes = hyb_type_bytes (type),
        .size = hyb_shape_size (&type->shape),
        .dtype = type->dtype,
      };
      way->outgoing[v] = (int) g;
      if (out->head < 0)
        continue;
      if (!variable->is_slice && variable->state == HYB_LOOP_NOTHING)
        out->deferred = hyb_deferred_new (&way->loop,
                                          call,
                                          heads[first + g],
                                          types,
                                          way->length,
                                          &way->workspace);
      if (out->deferred)
        n_chosen += hyb_deferred_get_heads (out->deferred, call->body[0], chosen + n_chosen);
      else
        chosen[n_chosen++] = heads[first + g];
    }
  way->body.graph = hyb_graph_with_heads (call->body[0], n_chosen, chosen);
  return TRUE;
}

static void
place_operands (WayBack *way, gboolean training, const HybType *variables)
{
  const HybLoop     *loop = &way->loop;
  guint              n_heads = loop->n_out_data + loop->n_states;
  g_autofree guint8 *written = hyb_graph_find_written (way->body.graph, training);
  guint              n;
  const HybNodeId   *ids = hyb_graph_get_variables (way->body.graph, &n);

  for (guint v = 0; v < loop->n_variables; v++)
    {
      way->row_bytes[v] = hyb_type_bytes (&variables[v]);
      way->written[v] = written[ids[v]];
      if (way->written[v])
        way->private[v] = hyb_workspace_take (&way->workspace, way->row_bytes[v]);
    }
  for (guint h = 0; h < n_heads; h++)
    {
      way->head_bytes[h] = hyb_type_bytes (&variables[loop->n_variables + h]);
      way->zeros_bytes = MAX (way->zeros_bytes, way->head_bytes[h]);
    }
  way->zeros = hyb_workspace_take (&way->workspace, way->zeros_bytes);
  way->captured = hyb_workspace_take (&way->workspace, loop->n_variables * sizeof (gpointer));
  for (guint g = 0; g < way->n_out; g++)
    {
      const HybLoopVariable *variable = &loop->variable[way->out[g].variable];

      if (way->out[g].deferred)
        continue;
      way->out[g].scratch =
          hyb_workspace_take (&way->workspace, variable->is_slice ? 0 : way->out[g].bytes);
      if (variable->state != HYB_LOOP_NOTHING)
        hyb_workspace_take (&way->workspace, way->out[g].bytes);
    }
}

/* What comes in must be what the loop gave: rows, states, what was recorded, and one
 * number of steps; all slices as long as the loop, and all inputs as the body takes them,
 * which also tells a dimension of 0 that stood for an unknown one. */
static gboolean
check_inputs (const WayBack               *way,
              const HybCall               *call,
              const HybLoopGradientParams *params,
              const HybType               *variables,
              GError                     **error)
{
  const HybLoop *loop = &way->loop;
  HybType        want = { hyb_shape_1d (1), HYB_I64 };

  if (!hyb_control_expect (call, way->sections.count, &want, error))
    return FALSE;
  for (int i = 0; i < params->heads.n; i++)
    {
      guint h = (guint) params->heads.value[i];

      want = variables[loop->n_variables + h];
      if (h < loop->n_out_data)
        want.shape = hyb_loop_stacked_shape (way->length, &want.shape);
      if (!hyb_control_expect (call, (guint) i, &want, error))
        return FALSE;
    }
  for (guint k = 0; k < loop->n_states; k++)
    {
      want = variables[loop->state[k]];
      want.shape = hyb_loop_stacked_shape (way->length, &want.shape);
      if (!hyb_control_expect (call, way->sections.kept + k, &want, error))
        return FALSE;
    }
  for (guint v = 0; v < loop->n_variables; v++)
    {
      guint  input = way->sections.inputs + loop->variable[v].input;
      gint64 rows = loop->variable[v].is_slice ? way->length : 1;

      want = call->input[input];
      if (loop->variable[v].is_slice)
        want.shape.dim[0] = way->length;
      /* Sizes, because a row of one number may have the shape () or (1,). */
      if (hyb_shape_size (&want.shape) != rows * hyb_shape_size (&variables[v].shape))
        want.shape = loop->variable[v].is_slice ? hyb_loop_stacked_shape (rows, &variables[v].shape)
                                                : variables[v].shape;
      if (!hyb_control_expect (call, input, &want, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hyb_loop_gradient_prepare (HybLoop                     *given,
                           const HybLoopGradientParams *params,
                           HybCall                     *call,
                           GError                     **error)
{
  WayBack            *way = g_new0 (WayBack, 1);
  const HybLoop      *loop = &way->loop;
  g_autofree HybType *variables = NULL;
  guint               n_heads;

  way->loop = *given;
  *given = (HybLoop){ 0 };
  call->prepared = way;
  way->sections = hyb_loop_sections (loop, params);
  way->length = hyb_loop_length (loop, call->input + way->sections.inputs);
  n_heads = loop->n_out_data + loop->n_states;
  way->row_bytes = g_new0 (gsize, MAX (loop->n_variables, 1));
  way->private = g_new0 (gsize, MAX (loop->n_variables, 1));
  way->written = g_new0 (guint8, MAX (loop->n_variables, 1));
  way->outgoing = g_new (int, MAX (loop->n_variables, 1));
  way->head_bytes = g_new0 (gsize, MAX (n_heads, 1));
  way->incoming = g_new (int, MAX (n_heads, 1));
  for (guint v = 0; v < loop->n_variables; v++)
    way->outgoing[v] = -1;
  for (guint h = 0; h < n_heads; h++)
    way->incoming[h] = -1;
  for (int i = 0; i < params->heads.n; i++)
    way->incoming[params->heads.value[i]] = i;

  variables = infer_variables (way, call, error);
  if (!variables || !check_inputs (way, call, params, variables, error) ||
      !choose_heads (way, call, params, variables, error) ||
      !hyb_subgraph_plan (&way->body, call, variables, &way->workspace, error))
    {
      hyb_loop_gradient_release (call);
      return FALSE;
    }
  place_operands (way, call->training, variables);
  return TRUE;
}

gsize
hyb_loop_gradient_workspace (const HybCall *call)
{
  const WayBack *way = call->prepared;

  return way->workspace;
}

/* --- Running --- */

typedef struct
{
  const WayBack *way;
  const HybRun  *run;
  HybFrame      *frame;
  gconstpointer *captured; /* by variable */
  gint64         n_steps;  /* as executed forward */
} Running;

static gpointer
in_workspace (const Running *running, gsize offset)
{
  return (char *) running->run->workspace + offset;
}

static gconstpointer
forward_input (const Running *running, guint v)
{
  const WayBack *way = running->way;

  return running->run->input[way->sections.inputs + way->loop.variable[v].input];
}

static gsize
aligned (gsize bytes)
{
  return (bytes + HYB_ALIGNMENT - 1) & ~(gsize) (HYB_ALIGNMENT - 1);
}

/* Where the body leaves a gradient in a step.  A state's goes to and fro between two
 * places until the first step, where it is done. */
static gpointer
gradient_place (const Running *running, guint g, gint64 step)
{
  const Outgoing        *out = &running->way->out[g];
  const HybLoopVariable *variable = &running->way->loop.variable[out->variable];
  char                  *output = running->run->output[g];

  if (variable->is_slice)
    return output + (gsize) step * out->bytes;
  if (variable->state != HYB_LOOP_NOTHING)
    return step == 0 ? output
                     : in_workspace (running, out->scratch + (step & 1 ? aligned (out->bytes) : 0));
  return step == running->n_steps - 1 ? output : in_workspace (running, out->scratch);
}

/* The gradient of a head of the forward body in a step. */
static gconstpointer
head_gradient (const Running *running, guint h, gint64 step)
{
  const WayBack *way = running->way;
  const HybLoop *loop = &way->loop;
  int            incoming = way->incoming[h];
  int            g;

  if (h < loop->n_out_data)
    return incoming < 0
               ? in_workspace (running, way->zeros)
               : (const char *) running->run->input[incoming] + (gsize) step * way->head_bytes[h];

  g = way->outgoing[loop->state[h - loop->n_out_data]];
  if (step < running->n_steps - 1)
    return g >= 0 && way->out[g].head >= 0 ? gradient_place (running, (guint) g, step + 1)
                                           : in_workspace (running, way->zeros);
  return incoming < 0 ? in_workspace (running, way->zeros) : running->run->input[incoming];
}

/* What stays the same in all steps. */
static void
bind_captured (const Running *running)
{
  const WayBack *way = running->way;

  for (guint v = 0; v < way->loop.n_variables; v++)
    if (way->written[v])
      {
        memcpy (in_workspace (running, way->private[v]),
                forward_input (running, v),
                way->row_bytes[v]);
        hyb_frame_bind_variable (running->frame, v, in_workspace (running, way->private[v]));
      }
    else
      hyb_frame_bind_variable (running->frame, v, forward_input (running, v));
}

static void
bind_step (const Running *running, gint64 step)
{
  const WayBack *way = running->way;
  const HybLoop *loop = &way->loop;

  for (guint v = 0; v < loop->n_variables; v++)
    {
      gsize offset = (gsize) step * way->row_bytes[v];
      guint k = loop->variable[v].state;

      if (loop->variable[v].is_slice)
        hyb_frame_bind_variable (running->frame,
                                 v,
                                 (const char *) forward_input (running, v) + offset);
      else if (k != HYB_LOOP_NOTHING)
        hyb_frame_bind_variable (running->frame,
                                 v,
                                 (const char *) running->run->input[way->sections.kept + k] +
                                     offset);
    }
  for (guint h = 0; h < loop->n_out_data + loop->n_states; h++)
    hyb_frame_bind_variable (running->frame,
                             loop->n_variables + h,
                             head_gradient (running, h, step));
  for (guint g = 0; g < way->n_out; g++)
    if (way->out[g].deferred)
      hyb_deferred_bind (way->out[g].deferred,
                         running->run,
                         running->frame,
                         (guint) way->out[g].head,
                         step);
    else if (way->out[g].head >= 0)
      hyb_frame_bind_head (running->frame,
                           (guint) way->out[g].head,
                           gradient_place (running, g, step));
}

static void
accumulate (const Running *running, gint64 step)
{
  for (guint g = 0; g < running->way->n_out; g++)
    {
      const Outgoing        *out = &running->way->out[g];
      const HybLoopVariable *variable = &running->way->loop.variable[out->variable];

      if (!variable->is_slice && variable->state == HYB_LOOP_NOTHING && out->head >= 0 &&
          !out->deferred && step < running->n_steps - 1)
        hyb_subgraph_accumulate (out->dtype,
                                 out->size,
                                 gradient_place (running, g, step),
                                 running->run->output[g]);
    }
}

/* Gradients of integers, and of a loop that made no step: then only what comes in
 * for a final state goes on to the initial one. */
static void
write_trivial (const Running *running)
{
  const WayBack *way = running->way;

  for (guint g = 0; g < way->n_out; g++)
    {
      const Outgoing        *out = &way->out[g];
      const HybLoopVariable *variable = &way->loop.variable[out->variable];
      gsize                  rows = variable->is_slice ? (gsize) way->length : 1;
      int                    incoming = variable->state == HYB_LOOP_NOTHING
                                            ? -1
                                            : way->incoming[way->loop.n_out_data + variable->state];

      if (running->n_steps > 0 && out->head >= 0)
        continue;
      if (out->head >= 0 && incoming >= 0)
        memcpy (running->run->output[g], running->run->input[incoming], out->bytes);
      else
        memset (running->run->output[g], 0, rows * out->bytes);
    }
}

static void
run_deferred (const Running *running)
{
  const WayBack *way = running->way;

  for (guint v = 0; v < way->loop.n_variables; v++)
    running->captured[v] = forward_input (running, v);
  for (guint g = 0; g < way->n_out; g++)
    if (way->out[g].deferred)
      hyb_deferred_run (way->out[g].deferred,
                        running->run,
                        running->captured,
                        running->n_steps,
                        running->run->output[g]);
}

void
hyb_loop_gradient_forward (const HybCall *call, const HybRun *run)
{
  const WayBack *way = call->prepared;
  Running        running = { .way = way, .run = run, .n_steps = way->length };

  running.n_steps = CLAMP (*(const gint64 *) run->input[way->sections.count], 0, way->length);
  write_trivial (&running);
  if (running.n_steps == 0)
    return;

  running.frame = hyb_subgraph_start (&way->body, run);
  running.captured = in_workspace (&running, way->captured);
  memset (in_workspace (&running, way->zeros), 0, way->zeros_bytes);
  bind_captured (&running);
  for (gint64 step = running.n_steps - 1; step >= 0; step--)
    {
      bind_step (&running, step);
      if (!hyb_subgraph_run (&way->body, running.frame, run, step))
        return;
      accumulate (&running, step);
    }
  run_deferred (&running);
}

void
hyb_loop_gradient_cost (const HybLoop               *loop,
                        const HybLoopGradientParams *params,
                        const HybCall               *call,
                        HybCost                     *cost)
{
  HybLoopSections     sections = hyb_loop_sections (loop, params);
  guint               n_heads = loop->n_out_data + loop->n_states;
  g_autofree HybType *variables = g_new (HybType, loop->n_variables + n_heads + 1);
  gint64              length = hyb_loop_length (loop, call->input + sections.inputs);

  hyb_loop_variable_types (loop, call->input + sections.inputs, call->legacy_shapes, variables);
  for (guint h = 0; h < n_heads; h++)
    variables[loop->n_variables + h] = HYB_TYPE_UNKNOWN;
  *cost = (HybCost){ 0 };
  hyb_subgraph_add_cost (call->body[0], variables, call->training, (double) MAX (length, 0), cost);
}
