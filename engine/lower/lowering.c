/* lowering.c — the functions that lower() of an operator calls, and the walk over the nodes of a graph.
 *
 * hyb_lowering_add() writes a node, infers its types, and computes it if it is small and all its inputs are
 * known.  Start with hyb_lowering_walk().  lower.c begins and ends a lowering, bodies.c lowers bodies.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/lower/lowering.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"
#include "engine/graph/reach.h"
#include "engine/imperative/imperative.h"
#include "engine/lower/lowering-private.h"
#include "engine/ops/array/constant.h"

/* Values of at most this many elements are computed while lowering: shapes, masks and ranges over a sequence. */
#define MAX_KNOWN_ELEMENTS 4096
/* Elements that are computed while lowering a whole graph; the rest is left to the run. */
#define MAX_EVALUATED_ELEMENTS ((guint64) 1 << 24)
/* Bodies are lowered several times, and nested ones a multiple of that. */
#define MAX_NODES_IN_BODIES (1u << 20)

/* --- Reading --- */

const HybNode *
hyb_lowering_get_node (const HybLowering *lowering)
{
  return hyb_graph_get_node (lowering->scope->graph, lowering->node);
}

static HybValueId
input_value (const HybLowering *lowering, guint index)
{
  return hyb_graph_get_inputs (lowering->scope->graph, lowering->node)[index];
}

const HybType *
hyb_lowering_input_type (const HybLowering *lowering, guint index)
{
  return &lowering->scope->types[input_value (lowering, index)];
}

HybTensor *
hyb_lowering_input_contents (const HybLowering *lowering, guint index)
{
  return hyb_lowering_get_contents (lowering, lowering->scope->map[input_value (lowering, index)]);
}

HybValueId
hyb_lowering_input (HybLowering *lowering, guint index)
{
  HybValueId  value = input_value (lowering, index);
  HybValueId *lowered = &lowering->scope->map[value];

  if (*lowered == HYB_NO_ID)
    *lowered = hyb_lowering_add_placeholder (lowering,
                                             hyb_graph_get_producer (lowering->scope->graph, value),
                                             &lowering->scope->types[value]);
  return *lowered;
}

gboolean
hyb_lowering_is_for_run (const HybLowering *lowering)
{
  return lowering->for_run;
}

gboolean
hyb_lowering_is_tolerant (const HybLowering *lowering)
{
  return lowering->is_tolerant;
}

gboolean
hyb_lowering_is_portable (const HybLowering *lowering)
{
  return lowering->work->is_portable;
}

const HybType *
hyb_lowering_get_type (const HybLowering *lowering, HybValueId value)
{
  static const HybType unknown = { .shape.rank = HYB_UNKNOWN, .dtype = HYB_DTYPE_UNKNOWN };

  return value < lowering->target->types->len
             ? &g_array_index (lowering->target->types, HybType, value)
             : &unknown;
}

HybTensor *
hyb_lowering_get_contents (const HybLowering *lowering, HybValueId value)
{
  return value < lowering->target->contents->len ? lowering->target->contents->pdata[value] : NULL;
}

const HybNode *
hyb_lowering_get_maker (const HybLowering *lowering, HybValueId value, const HybValueId **inputs)
{
  HybBuilder *builder = lowering->target->builder;
  HybNodeId   maker;

  if (value >= lowering->target->types->len)
    return NULL;
  maker = hyb_builder_get_producer (builder, value);
  *inputs = hyb_builder_get_inputs (builder, maker);
  return hyb_builder_get_node (builder, maker);
}

/* --- Writing --- */

/* Makes room for the outputs of a node that was added. */
static void
add_values (LoweringTarget *target, HybNodeId id)
{
  const HybNode *node = hyb_builder_get_node (target->builder, id);
  HybType        unknown = HYB_TYPE_UNKNOWN;

  for (guint i = 0; i < node->n_outputs; i++)
    {
      g_array_append_val (target->types, unknown);
      g_ptr_array_add (target->contents, NULL);
    }
}

/* Fails because a value could not be lowered.  producer: the node that computes it. */
static void
refuse_uncomputed (HybLowering *lowering, HybNodeId producer)
{
  const HybNode *node = hyb_graph_get_node (lowering->scope->graph, producer);

  hyb_lowering_fail (lowering, "hscope info, check and render show the model all the same",
                     "this program does not compute the node “%s” (%s) with these inputs",
                     node->name, node->type);
}

HybValueId
hyb_lowering_add_placeholder (HybLowering *lowering, HybNodeId producer, const HybType *type)
{
  LoweringTarget *target = lowering->target;
  HybNodeSpec     spec = { .name = hyb_lowering_get_node (lowering)->name, .n_outputs = 1 };
  HybNodeId       id;

  if (!lowering->is_tolerant)
    {
      refuse_uncomputed (lowering, producer);
      return HYB_NO_ID;
    }
  id = hyb_builder_add (target->builder, &spec, NULL);
  add_values (target, id);
  g_array_index (target->types, HybType, target->types->len - 1) = *type;
  return target->types->len - 1;
}

/* Types of a node that was added; room has space for its operands. */
static gboolean
infer_added (HybLowering *lowering, HybNodeId id, HybCall *call, GError **error)
{
  LoweringTarget   *target = lowering->target;
  const HybNode    *node = hyb_builder_get_node (target->builder, id);
  const HybValueId *inputs = hyb_builder_get_inputs (target->builder, id);
  HybType          *outputs = &g_array_index (target->types, HybType, node->first_output);

  for (guint i = 0; i < node->n_inputs; i++)
    call->input[i] = g_array_index (target->types, HybType, inputs[i]);
  for (guint i = 0; i < node->n_outputs; i++)
    call->output[i] = HYB_TYPE_UNKNOWN;
  /* Rules may need the dtype of an output for another, so they are applied twice. */
  if (!hyb_call_infer (call, error) || !hyb_call_infer (call, error))
    return FALSE;
  for (guint i = 0; i < node->n_outputs; i++)
    outputs[i] = call->output[i];
  return TRUE;
}

/* TRUE if the node may be computed now: contents of all inputs are known, and it is cheap. */
static gboolean
may_evaluate (const HybLowering *lowering, const HybCall *call, const HybValueId *inputs)
{
  gint64 n = 0;

  if (call->n_bodies > 0 || call->op->mutates != 0 ||
      call->op->flags & (HYB_OP_RANDOM | HYB_OP_OPAQUE | HYB_OP_FOREIGN))
    return FALSE;
  for (guint i = 0; i < call->n_inputs; i++)
    {
      HybTensor *contents = hyb_lowering_get_contents (lowering, inputs[i]);

      if (!contents || hyb_tensor_get_size (contents) > MAX_KNOWN_ELEMENTS)
        return FALSE;
    }
  for (guint i = 0; i < call->n_outputs; i++)
    if (hyb_type_is_known (&call->output[i]))
      n = MAX (n, hyb_shape_size (&call->output[i].shape));
    else if (!call->op->compute)
      return FALSE;
  lowering->work->n_evaluated += (guint64) MAX (n, 1);
  return n <= MAX_KNOWN_ELEMENTS && lowering->work->n_evaluated <= MAX_EVALUATED_ELEMENTS;
}

/* Computes the outputs of a node that was added.  A node that cannot be computed is left to the run. */
static void
evaluate (HybLowering *lowering, HybNodeId id, const HybCall *call)
{
  LoweringTarget        *target = lowering->target;
  const HybNode         *node = hyb_builder_get_node (target->builder, id);
  const HybValueId      *values = hyb_builder_get_inputs (target->builder, id);
  g_autofree HybTensor **inputs = NULL;
  g_autofree HybTensor **outputs = NULL;
  HybImperativeCall use = { .op = node->op, .params = node->params, .n_inputs = node->n_inputs };

  if (!may_evaluate (lowering, call, values))
    return;
  inputs = g_new (HybTensor *, MAX (node->n_inputs, 1));
  outputs = g_new0 (HybTensor *, MAX (node->n_outputs, 1));
  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = hyb_lowering_get_contents (lowering, values[i]);
  use.inputs = inputs;
  use.outputs = outputs;
  use.has_scalars = TRUE;
  if (!hyb_imperative_call (&use, NULL, NULL))
    return;
  for (guint i = 0; i < node->n_outputs; i++)
    {
      target->contents->pdata[node->first_output + i] = outputs[i];
      g_array_index (target->types, HybType, node->first_output + i) =
          *hyb_tensor_get_type (outputs[i]);
    }
}

HybValueId
hyb_lowering_add (HybLowering *lowering, const char *op, const HybNodeSpec *given)
{
  HybNodeSpec         spec = *given;
  LoweringTarget     *target = lowering->target;
  g_autofree HybType *room = NULL;
  HybCall             call;
  HybValueId          first;
  HybNodeId           id;
  const HybNode      *node;

  if (lowering->error)
    return HYB_NO_ID;
  spec.name = hyb_lowering_get_node (lowering)->name;
  spec.origin_plus_one = lowering->outer_node + 1;
  first = hyb_builder_call (target->builder, op, &spec, &lowering->error);
  if (first == HYB_NO_ID)
    return HYB_NO_ID;

  id = hyb_builder_get_producer (target->builder, first);
  node = hyb_builder_get_node (target->builder, id);
  add_values (target, id);
  room = g_new (HybType, node->n_inputs + node->n_outputs);
  call = (HybCall){ .op = node->op,
                    .params = node->params,
                    .n_inputs = node->n_inputs,
                    .n_outputs = node->n_outputs,
                    .input = room,
                    .output = room + node->n_inputs,
                    .body = (HybGraph **) given->bodies,
                    .n_bodies = given->n_bodies,
                    .training = lowering->training };
  if (!infer_added (lowering, id, &call, &lowering->error))
    return HYB_NO_ID;
  evaluate (lowering, id, &call);
  return first;
}

HybValueId
hyb_lowering_call (HybLowering       *lowering,
                   const char        *op,
                   guint              n_inputs,
                   const HybValueId  *inputs,
                   const char *const *attributes)
{
  for (guint i = 0; i < n_inputs; i++)
    if (inputs[i] == HYB_NO_ID)
      return HYB_NO_ID;
  return hyb_lowering_add (lowering, op,
                           &(HybNodeSpec){
                               .n_inputs = n_inputs, .inputs = inputs, .attributes = attributes });
}

HybValueId
hyb_lowering_emit (HybLowering      *lowering,
                   const char       *op,
                   guint             n_inputs,
                   const HybValueId *inputs,
                   ...)
{
  g_autoptr (GPtrArray) attributes = g_ptr_array_new ();
  const char *text;
  va_list     arguments;

  va_start (arguments, inputs);
  while ((text = va_arg (arguments, const char *)))
    g_ptr_array_add (attributes, (gpointer) text);
  va_end (arguments);
  g_ptr_array_add (attributes, NULL);
  return hyb_lowering_call (lowering, op, n_inputs, inputs,
                            (const char *const *) attributes->pdata);
}

const char *
hyb_lowering_text (HybLowering *lowering, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list          arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return hyb_arena_intern (lowering->target->texts, text);
}

const char *
hyb_lowering_text_ints (HybLowering *lowering, guint n, const gint64 *values)
{
  g_autoptr (GString) text = g_string_new ("(");

  for (guint i = 0; i < n; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      if (values[i] == HYB_NONE)
        g_string_append (text, "None");
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, values[i]);
    }
  g_string_append (text, n == 1 ? ",)" : ")");
  return hyb_arena_intern (lowering->target->texts, text->str);
}

HybValueId
hyb_lowering_constant (HybLowering *lowering, HybTensor *contents)
{
  LoweringTarget *target = lowering->target;
  HybNodeSpec     spec = { .op = hyb_op_find ("_constant") };
  HybNodeId       id;

  if (lowering->error || !contents)
    {
      hyb_tensor_unref (contents);
      return HYB_NO_ID;
    }
  spec.name = hyb_lowering_get_node (lowering)->name;
  spec.params = hyb_constant_params_new (contents);
  id = hyb_builder_add (target->builder, &spec, &lowering->error);
  add_values (target, id);
  g_array_index (target->types, HybType, target->types->len - 1) = *hyb_tensor_get_type (contents);
  target->contents->pdata[target->contents->len - 1] = contents;
  return target->types->len - 1;
}

/* --- Results --- */

void
hyb_lowering_set_output (HybLowering *lowering, guint index, HybValueId value)
{
  const HybNode *node = hyb_lowering_get_node (lowering);

  if (lowering->error || value == HYB_NO_ID || index >= node->n_outputs)
    return;
  lowering->scope->map[node->first_output + index] = value;
  lowering->scope->types[node->first_output + index] = *hyb_lowering_get_type (lowering, value);
}

void
hyb_lowering_set_type (HybLowering *lowering, guint index, const HybType *type)
{
  const HybNode *node = hyb_lowering_get_node (lowering);

  if (!lowering->error && index < node->n_outputs)
    lowering->scope->types[node->first_output + index] = *type;
}

void
hyb_lowering_refuse (HybLowering *lowering, HybOpError code, const char *remedy, const char *text)
{
  if (!lowering->error)
    hyb_error_at (&lowering->error, HYB_OP_ERROR, (int) code, NULL, remedy, "%s", text);
}

void
hyb_lowering_fail (HybLowering *lowering, const char *remedy, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list          arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  hyb_lowering_refuse (lowering, HYB_OP_ERROR_UNSUPPORTED, remedy, message);
}

gboolean
hyb_lowering_has_failed (const HybLowering *lowering)
{
  return lowering->error != NULL;
}

/* --- The walk --- */

/* “node “/r/LSTM” (LSTM): …” */
static void
name_node (HybLowering *lowering)
{
  const HybNode *node = hyb_lowering_get_node (lowering);

  g_prefix_error (&lowering->error, "node “%s” (%s): ", node->name, node->type);
}

/* FALSE if the failure ends the lowering. */
static gboolean
keep_fault (HybLowering *lowering)
{
  HybLoweringFault fault = { lowering->outer_node, NULL };

  if (!lowering->error)
    return TRUE;
  name_node (lowering);
  if (!lowering->is_tolerant)
    return FALSE;
  fault.error = g_steal_pointer (&lowering->error);
  g_array_append_val (lowering->faults, fault);
  return TRUE;
}

/* The declared types of outputs whose types cannot be inferred. */
static void
use_declared_types (HybLowering *lowering)
{
  const HybNode *node = hyb_lowering_get_node (lowering);

  for (guint i = 0; node->op->declared_type && i < node->n_outputs; i++)
    {
      HybType *type = &lowering->scope->types[node->first_output + i], declared;

      if (lowering->scope->map[node->first_output + i] != HYB_NO_ID ||
          !node->op->declared_type (node->params, i, &declared))
        continue;
      hyb_dtype_assign (&type->dtype, declared.dtype, NULL);
      hyb_shape_assign (&type->shape, &declared.shape, NULL);
    }
}

static void
lower_node (HybLowering *lowering)
{
  const HybNode *node = hyb_lowering_get_node (lowering);

  if (node->op->lower)
    node->op->lower (lowering);
  else if (!(node->op->flags & HYB_OP_FOREIGN) && !(node->op->flags & HYB_OP_OPAQUE))
    hyb_lowering_fail (lowering, NULL, "an operator of the engine in a graph of another format");
  else if (!lowering->is_tolerant)
    hyb_lowering_fail (lowering, "hscope info, check and render show the model all the same",
                       "this program cannot compute the operator %s", node->type);
}

/* Checks and lowers a node.  FALSE if a failure ends the lowering. */
static gboolean
visit_node (HybLowering *lowering)
{
  const HybNode *node = hyb_lowering_get_node (lowering);
  HybNodeId      id = lowering->node;
  gboolean       is_refused;

  if (node->op->check_use)
    node->op->check_use (lowering);
  is_refused = hyb_lowering_has_failed (lowering);
  if (!keep_fault (lowering))
    return FALSE;
  lower_node (lowering);
  lowering->node = id;
  if (is_refused) /* later failures are consequences */
    g_clear_error (&lowering->error);
  return keep_fault (lowering);
}

/* Lowers a node that nothing reads; a failure is forgotten. */
static void
visit_unread (HybLowering *lowering)
{
  HybNodeId id = lowering->node;

  lower_node (lowering);
  lowering->node = id;
  g_clear_error (&lowering->error);
  use_declared_types (lowering);
}

/* FALSE and a failure if the budget of nodes in bodies is used up. */
static gboolean
count_node (HybLowering *lowering)
{
  if (lowering->work->n_in_bodies++ < MAX_NODES_IN_BODIES)
    return TRUE;
  lowering->work->n_in_bodies = MAX_NODES_IN_BODIES;
  hyb_lowering_fail (lowering, NULL,
                     "its bodies have more than %u nodes to be planned, counting each step and "
                     "nested body",
                     MAX_NODES_IN_BODIES);
  return FALSE;
}

/* By node whether it is lowered; NULL: all are.  Unused nodes are left out where a failure ends the lowering. */
static guint8 *
find_lowered (const HybLowering *lowering)
{
  const LoweringScope *scope = lowering->scope;

  if (scope->by_head)
    return hyb_graph_find_needed_by (scope->graph, scope->by_head);
  return lowering->is_tolerant ? NULL : hyb_graph_find_needed (scope->graph, NULL);
}

gboolean
hyb_lowering_walk (HybLowering *lowering)
{
  LoweringScope     *scope = lowering->scope;
  g_autofree guint8 *needed = find_lowered (lowering);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (scope->graph); id++)
    {
      lowering->node = id;
      if (lowering->depth == 0)
        lowering->outer_node = id;
      else if (!count_node (lowering))
        return FALSE;
      if (hyb_node_is_variable (hyb_graph_get_node (scope->graph, id)))
        continue;
      if (needed && !needed[id])
        {
          if (lowering->is_drawn && !scope->by_head)
            visit_unread (lowering);
          continue;
        }
      if (!visit_node (lowering))
        return FALSE;
      use_declared_types (lowering);
    }
  return TRUE;
}
