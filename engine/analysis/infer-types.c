/* infer-types.c — infers shapes and dtypes of every value, forwards and backwards.
 *
 * A queue holds the nodes whose rules must be applied: at first all of them, then the neighbours of
 * each value whose type became better known.  Types only gain information, so this terminates, and
 * the work for a node depends on its neighbours and not on the length of the graph.  Start with
 * hyb_infer_types().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/infer-types.h"

#include "engine/analysis/infer-memo.h"
#include "engine/analysis/pass.h"
#include "engine/base/error.h"
#include "engine/base/remedy.h"
#include "engine/base/translate.h"
#include "engine/op/rules.h"

/* At most this many operands are listed in a message. */
#define MAX_LISTED 6
/* Up to this many values without a dtype are completed one by one, each with its consequences. */
#define MAX_SINGLE_DEFAULTS 4096

typedef struct
{
  HybGraph *graph;
  HybType  *types;
  guint32  *fixed_by;
  gboolean  training;

  /* A ring of node ids; each is in it at most once. */
  HybNodeId *queue;
  guint      first, n_queued, room;
  guint8    *is_queued;

  HybType *operands;        /* space for the inputs and outputs of any node */
  gboolean had_input_types; /* all inputs of the current node were known before */
} Inference;

void
hyb_call_init (HybCall *call, HybGraph *graph, HybNodeId id, const HybType *types, HybType *room)
{
  const HybNode    *node = hyb_graph_get_node (graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

  *call = (HybCall){
    .op = node->op,
    .params = node->params,
    .n_inputs = node->n_inputs,
    .n_outputs = node->n_outputs,
    .input = room,
    .output = room + node->n_inputs,
    .body = node->n_bodies > 0 ? (HybGraph **) hyb_graph_get_bodies (graph, id) : NULL,
    .n_bodies = node->n_bodies,
    .legacy_shapes = hyb_graph_has_legacy_shapes (graph),
  };

  for (guint i = 0; i < node->n_inputs; i++)
    call->input[i] = types[inputs[i]];
  for (guint i = 0; i < node->n_outputs; i++)
    call->output[i] = types[node->first_output + i];
}

gboolean
hyb_call_infer (HybCall *call, GError **error)
{
  gboolean (*infer_dtype) (HybCall *, GError **) = call->op->infer_dtype;

  if (call->op->flags & (HYB_OP_OPAQUE | HYB_OP_FOREIGN))
    return TRUE;
  if (!infer_dtype)
    infer_dtype = hyb_rule_same_dtype;

  return infer_dtype (call, error) &&
         (!call->op->infer_shape || call->op->infer_shape (call, error)) &&
         (!call->op->gradient_of || hyb_rule_gradient (call, error));
}

/* --- The queue --- */

static void
enqueue (Inference *inference, HybNodeId id)
{
  if (inference->is_queued[id] || hyb_node_is_variable (hyb_graph_get_node (inference->graph, id)))
    return;

  inference->is_queued[id] = TRUE;
  inference->queue[(inference->first + inference->n_queued++) % inference->room] = id;
}

static HybNodeId
dequeue (Inference *inference)
{
  HybNodeId id = inference->queue[inference->first];

  inference->first = (inference->first + 1) % inference->room;
  inference->n_queued--;
  inference->is_queued[id] = FALSE;
  return id;
}

static void
enqueue_users (Inference *inference, HybValueId value)
{
  guint            n_users;
  const HybNodeId *users = hyb_graph_get_users (inference->graph, value, &n_users);

  for (guint i = 0; i < n_users; i++)
    enqueue (inference, users[i]);
}

static void
enqueue_neighbours (Inference *inference, HybValueId value)
{
  enqueue (inference, hyb_graph_get_producer (inference->graph, value));
  enqueue_users (inference, value);
}

/* --- Messages --- */

static void
append_operand (GString *text, const Inference *inference, const char *name, HybValueId value)
{
  const HybGraph  *graph = inference->graph;
  const HybType   *type = &inference->types[value];
  const HybNode   *from = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, value));
  g_autofree char *shape = hyb_shape_to_string (&type->shape);

  g_string_append_printf (text, "%s “%s” %s %s", name, from->name, hyb_dtype_name (type->dtype),
                          shape);
}

/* “line 12: node “fc” (FullyConnected): … Its inputs are data “x” float32 (2, 3), …” */
static void
explain_contradiction (const Inference *inference, HybNodeId id, GError **error)
{
  const HybNode    *node = hyb_graph_get_node (inference->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (inference->graph, id);
  g_autoptr (GString) text = g_string_new (NULL);
  GError *cause;

  if (!error)
    return;

  if (node->line > 0)
    g_string_append_printf (text, "line %u: ", node->line);
  g_string_append_printf (text, "node “%s” (%s): ", node->name, node->type);
  cause = *error;
  g_string_append (text, cause->message);
  /* Some messages end with a full stop, some do not. */
  if (text->str[text->len - 1] == '.')
    g_string_truncate (text, text->len - 1);

  for (guint i = 0; i < MIN (node->n_inputs, MAX_LISTED); i++)
    {
      g_autofree char *name = hyb_node_dup_input_name (node, i);

      g_string_append (text, i > 0                 ? ", "
                             : node->n_inputs == 1 ? ". Its input is "
                                                   : ". Its inputs are ");
      append_operand (text, inference, name, inputs[i]);
    }
  if (node->n_inputs > MAX_LISTED)
    g_string_append_printf (text, " and %u more", node->n_inputs - MAX_LISTED);

  g_free (cause->message);
  cause->message = g_strdup (text->str);
  hyb_error_add_remedy (error, hyb_error_get_remedy (cause), node->name);
}

/* --- One node --- */

static gboolean
type_equal (const HybType *a, const HybType *b)
{
  return a->dtype == b->dtype && hyb_shape_equal (&a->shape, &b->shape);
}

/* FALSE if a dimension is negative, as an attribute may be that a rule takes it from, or if the dimensions
 * that are known have a product that no array can have, so that rules multiply dimensions without checks. */
static gboolean
has_possible_size (const HybType *type, GError **error)
{
  HybShape         known = type->shape;
  gsize            bytes;
  g_autofree char *text = NULL;

  for (int i = 0; i < known.rank; i++)
    {
      if (known.dim[i] < HYB_UNKNOWN)
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                             "axis %d would have %" G_GINT64_FORMAT " elements", i, known.dim[i]);
      known.dim[i] = known.dim[i] == HYB_UNKNOWN ? 1 : known.dim[i];
    }
  if (known.rank == HYB_UNKNOWN || hyb_shape_bytes (&known, HYB_U8, &bytes, NULL))
    return TRUE;

  text = hyb_shape_to_string (&type->shape);
  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                       "an array of shape %s would not fit any memory", text);
}

/* Merges the type that a rule inferred for an operand into the type of its value.  Fails if both
 * are known and differ, which also catches an operand that occurs twice. */
static gboolean
learn (Inference *inference, HybNodeId id, HybValueId value, const HybType *found, GError **error)
{
  HybType *type = &inference->types[value];
  HybType  before;

  if (type_equal (type, found))
    return TRUE;

  before = *type;
  if (!hyb_shape_assign (&type->shape, &found->shape, error) ||
      !hyb_dtype_assign (&type->dtype, found->dtype, error) || !has_possible_size (type, error))
    {
      *type = before;
      return FALSE;
    }

  if (type_equal (type, &before))
    return TRUE;

  if (inference->fixed_by)
    inference->fixed_by[value] = id;
  if (inference->had_input_types)
    enqueue_users (inference, value);
  else
    enqueue_neighbours (inference, value);
  return TRUE;
}

static gboolean
has_input_types (const HybCall *call)
{
  for (guint i = 0; i < call->n_inputs; i++)
    if (!hyb_type_is_known (&call->input[i]))
      return FALSE;
  return TRUE;
}

/* learn() queues a node again, the current one included, when a type of its operands becomes
 * better known, unless all inputs were known before: its outputs then follow from them. */
static gboolean
infer_node (Inference *inference, HybNodeId id, GError **error)
{
  const HybNode    *node = hyb_graph_get_node (inference->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (inference->graph, id);
  HybCall           call;

  hyb_call_init (&call, inference->graph, id, inference->types, inference->operands);
  call.training = inference->training;
  inference->had_input_types = has_input_types (&call);
  if (!hyb_infer_memo_count (error) || !hyb_call_infer (&call, error))
    return FALSE;

  for (guint i = 0; i < node->n_inputs; i++)
    if (!learn (inference, id, inputs[i], &call.input[i], error))
      return FALSE;
  for (guint i = 0; i < node->n_outputs; i++)
    if (!learn (inference, id, node->first_output + i, &call.output[i], error))
      return FALSE;

  return TRUE;
}

static gboolean
run_queue (Inference *inference, GError **error)
{
  while (inference->n_queued > 0)
    {
      HybNodeId id = dequeue (inference);
      GError   *cause = NULL;

      if (!infer_node (inference, id, &cause))
        {
          explain_contradiction (inference, id, &cause);
          g_propagate_error (error, cause);
          return FALSE;
        }
    }
  return TRUE;
}

/* --- Types stated by variables --- */

static char *
dup_place (const HybNode *node)
{
  return node->line > 0 ? g_strdup_printf ("line %u: node “%s”", node->line, node->name)
                        : g_strdup_printf ("node “%s”", node->name);
}

static gboolean
refuse_attribute (const HybNode *node, const char *key, const char *text, GError **error)
{
  g_autofree char *where = dup_place (node);

  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, where,
                       "Correct or remove the attribute", "%s is “%s”, which cannot be parsed", key,
                       text);
}

static gboolean
read_shape (const HybNode *node, gboolean legacy, HybShape *shape, GError **error)
{
  const char *text = hyb_node_get_attribute (node, "__shape__");
  HybInts     ints = { 0 };
  gboolean    is_good;

  if (!text)
    return TRUE;
  if (!hyb_params_parse_ints (text, &ints))
    return refuse_attribute (node, "__shape__", text, error);

  is_good = ints.n <= HYB_MAX_RANK;
  /* "()" is a scalar, except under legacy shape rules, where it means "unknown". */
  if (is_good && (ints.n > 0 || (ints.n == 0 && !legacy)))
    {
      *shape = hyb_shape_make (ints.n, NULL);
      for (int i = 0; i < ints.n; i++)
        if (ints.value[i] > 0 || (ints.value[i] == 0 && !legacy))
          shape->dim[i] = ints.value[i];
        else if (ints.value[i] < -1 && ints.value[i] != HYB_NONE)
          is_good = FALSE;
    }

  g_free (ints.value);
  return is_good || refuse_attribute (node, "__shape__", text, error);
}

static gboolean
read_dtype (const HybNode *node, HybDType *dtype, GError **error)
{
  const char *text = hyb_node_get_attribute (node, "__dtype__");
  gint64      code;

  if (!text)
    return TRUE;

  if (g_ascii_string_to_signed (text, 10, -1, G_MAXINT, &code, NULL))
    {
      if (code >= 0 && !hyb_dtype_is_valid_code (code))
        return refuse_attribute (node, "__dtype__", text, error);
      *dtype = (HybDType) code;
      return TRUE;
    }

  *dtype = hyb_dtype_from_name (text);
  return *dtype != HYB_DTYPE_UNKNOWN || refuse_attribute (node, "__dtype__", text, error);
}

static gboolean
read_variables (Inference *inference, GError **error)
{
  gboolean         legacy = hyb_graph_has_legacy_shapes (inference->graph);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (inference->graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (inference->graph, variables[i]);
      HybType       *type = &inference->types[node->first_output];

      if (type->shape.rank == HYB_UNKNOWN && !read_shape (node, legacy, &type->shape, error))
        return FALSE;
      if (type->dtype == HYB_DTYPE_UNKNOWN && !read_dtype (node, &type->dtype, error))
        return FALSE;
      if (!has_possible_size (type, error))
        {
          g_autofree char *place = dup_place (node);

          g_prefix_error (error, "%s: ", place);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
lacks_dtype (const Inference *inference, HybValueId value, gboolean variables_only)
{
  HybNodeId      producer = hyb_graph_get_producer (inference->graph, value);
  const HybNode *node = hyb_graph_get_node (inference->graph, producer);

  return inference->types[value].dtype == HYB_DTYPE_UNKNOWN && !(node->op->flags & HYB_OP_OPAQUE) &&
         (!variables_only || hyb_node_is_variable (node));
}

/* Sets dtypes that nothing determines to float32: first variables, each followed by its
 * consequences, then the remaining values.  A graph with more than MAX_SINGLE_DEFAULTS such
 * variables (no real model has them) gets all defaults at once. */
static gboolean
fill_dtypes (Inference *inference, GError **error)
{
  guint n = hyb_graph_n_values (inference->graph);

  for (int turn = 0; turn < 2; turn++)
    {
      guint n_filled = 0;

      for (HybValueId value = 0; value < n; value++)
        {
          if (!lacks_dtype (inference, value, turn == 0))
            continue;
          inference->types[value].dtype = HYB_F32;
          enqueue_neighbours (inference, value);
          if (n_filled++ < MAX_SINGLE_DEFAULTS && !run_queue (inference, error))
            return FALSE;
        }
      if (!run_queue (inference, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
infer_graph (Inference *inference, gboolean with_defaults, GError **error)
{
  HybGraph             *graph = inference->graph;
  guint                 n_nodes = hyb_graph_n_nodes (graph);
  guint                 most_operands = 1;
  g_autofree HybNodeId *queue = g_new (HybNodeId, MAX (n_nodes, 1));
  g_autofree guint8    *is_queued = g_new0 (guint8, MAX (n_nodes, 1));
  g_autofree HybType   *operands = NULL;
  gboolean              is_done;

  inference->queue = queue;
  inference->room = MAX (n_nodes, 1);
  inference->is_queued = is_queued;
  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      most_operands = MAX (most_operands, node->n_inputs + node->n_outputs);
      enqueue (inference, id);
    }
  inference->operands = operands = g_new (HybType, most_operands);

  if (inference->fixed_by)
    for (guint i = 0; i < hyb_graph_n_values (graph); i++)
      inference->fixed_by[i] = HYB_NO_ID;

  hyb_infer_memo_begin ();
  is_done = read_variables (inference, error) && run_queue (inference, error) &&
            (!with_defaults || fill_dtypes (inference, error));
  hyb_infer_memo_end ();
  return is_done;
}

gboolean
hyb_infer_types (HybGraph *graph,
                 HybType  *types,
                 guint32  *fixed_by,
                 gboolean  training,
                 GError  **error)
{
  const HybDialect *dialect = hyb_graph_get_dialect (graph);
  Inference         inference = {
            .graph = graph, .types = types, .fixed_by = fixed_by, .training = training
  };

  if (dialect)
    return dialect->infer_types (graph, types, fixed_by, training, error);

  return infer_graph (&inference, TRUE, error);
}

gboolean
hyb_infer_known_types (HybGraph *graph, HybType *types, gboolean training, GError **error)
{
  Inference inference = { .graph = graph, .types = types, .training = training };

  if (hyb_graph_get_dialect (graph))
    return hyb_infer_types (graph, types, NULL, training, error);
  return infer_graph (&inference, FALSE, error);
}

/* --- Reasons --- */

static gboolean
is_missing (const HybType *types, HybValueId value)
{
  return !hyb_type_is_known (&types[value]);
}

/* The value that makes another one unknown: follows the first unknown input upstream. */
static HybValueId
find_root (HybGraph *graph, const HybType *types, HybValueId value)
{
  for (;;)
    {
      HybNodeId         id = hyb_graph_get_producer (graph, value);
      const HybNode    *node = hyb_graph_get_node (graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
      guint             i = 0;

      while (i < node->n_inputs && !is_missing (types, inputs[i]))
        i++;
      if (i == node->n_inputs)
        return value;
      value = inputs[i];
    }
}

static char *
describe_variable (const HybNode *node, const HybType *type)
{
  g_autofree char *shape = hyb_shape_to_string (&type->shape);

  if (type->shape.rank == HYB_UNKNOWN)
    return g_strdup_printf (_ ("the shape of variable “%s” is not given, and no operator that "
                               "reads "
                               "it determines it"),
                            node->name);
  return g_strdup_printf (_ ("the shape of variable “%s” is only known as %s"), node->name, shape);
}

static char *
describe_operator (const HybNode *node, const HybType *type)
{
  g_autofree char *shape = hyb_shape_to_string (&type->shape);

  if (node->op->flags & HYB_OP_OPAQUE)
    return g_strdup_printf (_ ("node “%s” has the unknown operator “%s”, so the type of its output "
                               "cannot be inferred"),
                            node->name, node->type);
  if (node->op->compute)
    return g_strdup_printf (_ ("node “%s” (%s) has a shape that is only known while it runs"),
                            node->name, node->type);
  if (node->n_inputs == 0)
    return g_strdup_printf (_ ("node “%s” (%s) produces %s, and no reader determines the rest"),
                            node->name, node->type, shape);
  return g_strdup_printf (_ ("node “%s” (%s) does not determine its output from its inputs: only "
                             "%s "
                             "is known"),
                          node->name, node->type, shape);
}

char *
hyb_infer_reason (HybGraph *graph, const HybType *types, HybValueId value)
{
  HybValueId       root = find_root (graph, types, value);
  const HybNode   *node = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, root));
  g_autofree char *name = hyb_graph_dup_value_name (graph, value);
  g_autofree char *cause = hyb_node_is_variable (node) ? describe_variable (node, &types[root])
                                                       : describe_operator (node, &types[root]);

  if (!is_missing (types, value))
    return g_strdup_printf (_ ("the shape of “%s” is known"), name);
  return g_strdup_printf (_ ("the shape of “%s” is unknown because %s"), name, cause);
}

static HybGraph *
infer_types_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  if (!hyb_infer_types (graph, facts->types, facts->fixed_by, facts->training, error))
    return NULL;
  facts->have |= HYB_FACT_TYPES;
  return hyb_graph_ref (graph);
}

extern const HybPass hyb_pass_infer_types;

const HybPass hyb_pass_infer_types = {
  .name = "infer-types",
  .doc = "Infers the shape and dtype of every value, forwards and backwards.",
  .run = infer_types_run,
};
