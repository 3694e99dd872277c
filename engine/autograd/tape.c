/* tape.c — records operator calls as they are computed, and computes gradients from the recording.
 *
 * hyb_tape_call() computes a call and adds it as a node to a graph builder.  hyb_tape_backward()
 * freezes a copy of that graph, lets hyb_graph_with_gradients() add gradient nodes, and computes
 * only those, dropping each tensor after its last reader.  Sums of weight gradients are computed by
 * tape-rows.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/autograd/tape.h"

#include "engine/autograd/tape-rows.h"
#include "engine/base/error.h"
#include "engine/gradient/backward.h"
#include "engine/graph/builder.h"
#include "engine/imperative/imperative.h"

struct _HybTape
{
  HybBuilder *builder;  /* the recording */
  GHashTable *values;   /* from HybTensor * to value id + 1 */
  GPtrArray  *tensors;  /* by value id; the references keep addresses from being reused */
  GArray     *contexts; /* of CallContext by node id */
  GArray     *scopes;   /* of gboolean: whether the scope records */
  GHashTable *attached; /* from HybTensor * to Attachment */
};

/* A recorded call, for the backward pass. */
typedef struct
{
  gboolean training, has_scalars;
  guint64  seed;
} CallContext;

typedef struct
{
  HybTensor *tensor;
  HybTensor *gradient; /* NULL before the first backward pass */
  HybRequest request;
} Attachment;

static void
attachment_free (gpointer data)
{
  Attachment *attachment = data;

  hyb_tensor_unref (attachment->tensor);
  hyb_tensor_unref (attachment->gradient);
  g_free (attachment);
}

static void
start_recording (HybTape *tape)
{
  tape->builder = hyb_builder_new ();
  tape->values = g_hash_table_new (NULL, NULL);
  tape->tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  tape->contexts = g_array_new (FALSE, FALSE, sizeof (CallContext));
}

static void
drop_recording (HybTape *tape)
{
  g_clear_pointer (&tape->builder, hyb_builder_free);
  g_clear_pointer (&tape->values, g_hash_table_unref);
  g_clear_pointer (&tape->tensors, g_ptr_array_unref);
  g_clear_pointer (&tape->contexts, g_array_unref);
}

HybTape *
hyb_tape_new (void)
{
  HybTape *tape = g_new0 (HybTape, 1);

  tape->scopes = g_array_new (FALSE, FALSE, sizeof (gboolean));
  tape->attached = g_hash_table_new_full (NULL, NULL, NULL, attachment_free);
  start_recording (tape);
  return tape;
}

void
hyb_tape_free (HybTape *tape)
{
  if (!tape)
    return;

  drop_recording (tape);
  g_array_unref (tape->scopes);
  g_hash_table_unref (tape->attached);
  g_free (tape);
}

void
hyb_tape_clear (HybTape *tape)
{
  g_return_if_fail (tape);
  drop_recording (tape);
  start_recording (tape);
}

static void
push_scope (HybTape *tape, gboolean records)
{
  g_array_append_val (tape->scopes, records);
}

void
hyb_tape_begin (HybTape *tape)
{
  g_return_if_fail (tape);
  push_scope (tape, TRUE);
}

void
hyb_tape_pause (HybTape *tape)
{
  g_return_if_fail (tape);
  push_scope (tape, FALSE);
}

void
hyb_tape_end (HybTape *tape)
{
  g_return_if_fail (tape);
  g_return_if_fail (tape->scopes->len > 0);

  g_array_set_size (tape->scopes, tape->scopes->len - 1);
}

gboolean
hyb_tape_is_recording (const HybTape *tape)
{
  g_return_val_if_fail (tape, FALSE);
  return tape->scopes->len > 0 && g_array_index (tape->scopes, gboolean, tape->scopes->len - 1);
}

void
hyb_tape_attach (HybTape *tape, HybTensor *tensor, HybRequest request)
{
  Attachment *attachment;

  g_return_if_fail (tape);
  if (request == HYB_REQUEST_NULL)
    {
      g_hash_table_remove (tape->attached, tensor);
      return;
    }

  attachment = g_new0 (Attachment, 1);
  attachment->tensor = hyb_tensor_ref (tensor);
  attachment->request = request;
  g_hash_table_replace (tape->attached, tensor, attachment);
}

HybTensor *
hyb_tape_get_gradient (HybTape *tape, HybTensor *tensor)
{
  g_return_val_if_fail (tape, NULL);

  Attachment *attachment = g_hash_table_lookup (tape->attached, tensor);

  return attachment ? attachment->gradient : NULL;
}

void
hyb_tape_clear_gradients (HybTape *tape)
{
  GHashTableIter iter;
  gpointer       attachment;

  g_return_if_fail (tape);
  g_hash_table_iter_init (&iter, tape->attached);
  while (g_hash_table_iter_next (&iter, NULL, &attachment))
    g_clear_pointer (&((Attachment *) attachment)->gradient, hyb_tensor_unref);
}

static HybValueId
find_value (const HybTape *tape, HybTensor *tensor)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (tape->values, tensor)) - 1;
}

static void
add_value (HybTape *tape, HybTensor *tensor, HybValueId value)
{
  g_assert (value == tape->tensors->len);

  g_ptr_array_add (tape->tensors, hyb_tensor_ref (tensor));
  g_hash_table_insert (tape->values, tensor, GUINT_TO_POINTER (value + 1));
}

/* Returns the value of a tensor; a tensor that no recorded call has computed becomes a variable. */
static HybValueId
ensure_value (HybTape *tape, HybTensor *tensor)
{
  HybValueId value = find_value (tape, tensor);

  if (value == HYB_NO_ID)
    {
      g_autofree char *name = g_strdup_printf ("tensor%u", tape->tensors->len);
      CallContext      none = { 0 };

      value = hyb_builder_add_variable (tape->builder, name, NULL);
      add_value (tape, tensor, value);
      g_array_append_val (tape->contexts, none);
    }

  return value;
}

/* A call that has been computed. */
typedef struct
{
  HybTensor *const *inputs, *const *outputs;
  guint32     key;
  CallContext context;
} ComputedCall;

/* Adds the call as a node; spec lacks only its name, key and inputs. */
static gboolean
record (HybTape *tape, HybNodeSpec *spec, const ComputedCall *call, GError **error)
{
  g_autofree HybValueId *values = g_new (HybValueId, MAX (spec->n_inputs, 1));
  g_autofree char       *name = NULL;
  HybNodeId              node;

  for (guint i = 0; i < spec->n_inputs; i++)
    values[i] = ensure_value (tape, call->inputs[i]);

  name = g_strdup_printf ("%s%u", spec->op->name, hyb_builder_n_nodes (tape->builder));
  spec->name = name;
  spec->inputs = values;
  spec->key = call->key;
  node = hyb_builder_add (tape->builder, spec, error);
  if (node == HYB_NO_ID)
    return FALSE;

  for (guint i = 0; i < hyb_builder_get_node (tape->builder, node)->n_outputs; i++)
    add_value (tape, call->outputs[i], hyb_builder_output (tape->builder, node, i));
  g_array_append_val (tape->contexts, call->context);
  return TRUE;
}

gboolean
hyb_tape_call (HybTape *tape, const HybImperativeCall *call, const HybRun *context, GError **error)
{
  g_return_val_if_fail (tape && call && call->op, FALSE);

  const HybOp         *op = call->op;
  const HybOp         *recorded_op = op->recording ? hyb_op_find (op->recording) : op;
  g_autofree gpointer *all = NULL;
  HybRun               run = context ? *context : (HybRun){ 0 };
  HybNodeSpec          spec = { .op = recorded_op,
                                .params = hyb_params_ref (call->params),
                                .n_inputs = call->n_inputs,
                                .n_bodies = op->n_bodies,
                                .bodies = call->bodies };
  HybImperativeCall    recorded_call = *call;
  guint                n, n_outputs, n_all;
  gboolean             is_done;

  if (!hyb_tape_is_recording (tape) || !recorded_op)
    {
      hyb_params_unref (spec.params);
      return hyb_imperative_call (call, context, error);
    }

  /* The recorded operator may have further outputs, which the tape keeps for the gradient. */
  hyb_op_arity (op, call->params, &n, &n_outputs);
  hyb_op_arity (recorded_op, call->params, &n, &n_all);
  all = g_new0 (gpointer, MAX (n_all, 1));
  /* Each call draws random numbers of its own.  0 means no key, hence the 1. */
  if (run.key == 0)
    run.key = hyb_builder_n_nodes (tape->builder) + 1;

  recorded_call.op = recorded_op;
  recorded_call.outputs = (HybTensor **) all;
  is_done = hyb_imperative_call (&recorded_call, &run, error);
  if (!is_done)
    hyb_params_unref (spec.params);
  else
    {
      ComputedCall computed = { call->inputs,
                                (HybTensor *const *) all,
                                run.key,
                                { run.training, call->has_scalars, run.seed } };

      is_done = record (tape, &spec, &computed, error);
    }

  for (guint i = 0; i < n_all; i++)
    if (is_done && i < n_outputs)
      call->outputs[i] = all[i];
    else
      hyb_tensor_unref (all[i]);

  return is_done;
}

/* --- Backward pass --- */

typedef struct
{
  HybTape   *tape;
  HybGraph  *graph;     /* the recording with gradient nodes */
  GPtrArray *wrt;       /* of Attachment, borrowed */
  guint      n_forward; /* nodes of the recording, which come first */
  guint      n_heads;
  GPtrArray
      *tensors;  /* by value of graph; NULL before they are computed and after their last reader */
  guint32 *left; /* by value: nodes and heads that have yet to read it */
  guint8  *is_merged; /* by node: computed by tape-rows.h together with others */
} Backward;

static void
backward_clear (Backward *back)
{
  g_clear_pointer (&back->graph, hyb_graph_unref);
  g_clear_pointer (&back->wrt, g_ptr_array_unref);
  g_clear_pointer (&back->tensors, g_ptr_array_unref);
  g_free (back->left);
  g_free (back->is_merged);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Backward, backward_clear)

/* Returns a frozen copy of the recording with these heads; the tape can go on recording. */
static HybGraph *
freeze_recording (HybTape *tape, guint n_heads, HybTensor *const *heads, GError **error)
{
  g_autoptr (HybGraph) recorded = NULL;
  HybBuilder *copy;

  for (guint i = 0; i < n_heads; i++)
    if (g_hash_table_contains (tape->attached, heads[i]))
      ensure_value (tape, heads[i]);
    else if (find_value (tape, heads[i]) == HYB_NO_ID)
      {
        hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, NULL,
                      "Compute it between hyb_tape_begin() and hyb_tape_end()",
                      "head %u was not computed while recording", i);
        return NULL;
      }

  for (guint i = 0; i < n_heads; i++)
    hyb_builder_add_head (tape->builder, find_value (tape, heads[i]));
  recorded = hyb_builder_freeze (g_steal_pointer (&tape->builder));

  copy = hyb_builder_new ();
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (recorded); id++)
    hyb_builder_copy (copy, recorded, id, hyb_graph_get_inputs (recorded, id));
  tape->builder = copy;

  return g_steal_pointer (&recorded);
}

static gboolean
backward_prepare (Backward *back, guint n_heads, HybTensor *const *heads, GError **error)
{
  g_autoptr (GArray) wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (HybGraph) recorded = freeze_recording (back->tape, n_heads, heads, error);

  if (!recorded)
    return FALSE;

  back->n_heads = n_heads;
  back->wrt = g_ptr_array_new ();
  back->n_forward = hyb_graph_n_nodes (recorded);

  /* In node order, so that the graph does not depend on addresses. */
  for (HybValueId value = 0; value < back->tape->tensors->len; value++)
    {
      HybNodeId   id = hyb_graph_get_producer (recorded, value);
      Attachment *attachment =
          g_hash_table_lookup (back->tape->attached, back->tape->tensors->pdata[value]);

      if (attachment && hyb_node_is_variable (hyb_graph_get_node (recorded, id)))
        {
          g_array_append_val (wrt, id);
          g_ptr_array_add (back->wrt, attachment);
        }
    }

  back->graph = hyb_graph_with_gradients (recorded, wrt->len, (gconstpointer) wrt->data, error);
  return back->graph != NULL;
}

static HybTensor *
make_ones (HybTensor *like)
{
  HybTensor *ones = hyb_tensor_copy (like);

  for (gint64 i = 0; ones && i < hyb_tensor_get_size (ones); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (ones), hyb_tensor_get_dtype (ones), (gsize) i, 1);
  return ones;
}

static void
count_readers (Backward *back)
{
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (back->graph, &n);

  back->left = g_new0 (guint32, hyb_graph_n_values (back->graph));
  for (HybNodeId id = back->n_forward; id < hyb_graph_n_nodes (back->graph); id++)
    for (guint i = 0; i < hyb_graph_get_node (back->graph, id)->n_inputs; i++)
      back->left[hyb_graph_get_inputs (back->graph, id)[i]]++;
  for (guint i = back->n_heads; i < n; i++)
    back->left[heads[i]]++;
}

/* Fills in the tensors of the recording and the head gradients. */
static void
set_known_tensors (Backward *back, HybTensor *const *heads, HybTensor *const *head_gradients)
{
  back->tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_ptr_array_set_size (back->tensors, (int) hyb_graph_n_values (back->graph));
  for (guint i = 0; i < back->tape->tensors->len; i++)
    back->tensors->pdata[i] = hyb_tensor_ref (back->tape->tensors->pdata[i]);
  for (guint i = 0; i < back->n_heads; i++)
    back->tensors->pdata[back->tape->tensors->len + i] = head_gradients && head_gradients[i]
                                                             ? hyb_tensor_ref (head_gradients[i])
                                                             : make_ones (heads[i]);
}

/* Counts one reader of a value as done; drops the tensor after the last. */
static void
drop_read (Backward *back, HybValueId value)
{
  if (--back->left[value] == 0)
    g_clear_pointer ((HybTensor **) &back->tensors->pdata[value], hyb_tensor_unref);
}

/* Does that for all inputs of a node, and of the merged nodes among them. */
static void
drop_inputs (Backward *back, HybNodeId id)
{
  const HybValueId *values = hyb_graph_get_inputs (back->graph, id);

  for (guint i = 0; i < hyb_graph_get_node (back->graph, id)->n_inputs; i++)
    {
      HybNodeId producer = hyb_graph_get_producer (back->graph, values[i]);

      if (back->is_merged[producer])
        drop_inputs (back, producer);
      drop_read (back, values[i]);
    }
}

/* Of the recorded call that a node belongs to.  A node that only adds up gradients belongs to none. */
static CallContext
find_context (const Backward *back, const HybNode *node)
{
  return node->origin < back->n_forward
             ? g_array_index (back->tape->contexts, CallContext, node->origin)
             : (CallContext){ .has_scalars = TRUE };
}

static gboolean
call_node (Backward *back, HybNodeId id, const HybRun *run, HybTensor **outputs, GError **error)
{
  const HybNode       *node = hyb_graph_get_node (back->graph, id);
  const HybValueId    *values = hyb_graph_get_inputs (back->graph, id);
  g_autofree gpointer *inputs = g_new (gpointer, MAX (node->n_inputs, 1));
  HybTensor *const    *tensors = (HybTensor *const *) back->tensors->pdata;

  if (node->n_inputs > 0 && back->is_merged[hyb_graph_get_producer (back->graph, values[0])])
    {
      outputs[0] = hyb_tape_rows_call (back->graph, id, tensors, run, error);
      return outputs[0] != NULL;
    }

  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = tensors[values[i]];
  return hyb_imperative_call (&(HybImperativeCall){ .op = node->op,
                                                    .params = node->params,
                                                    .bodies =
                                                        hyb_graph_get_bodies (back->graph, id),
                                                    .n_inputs = node->n_inputs,
                                                    .inputs = (HybTensor *const *) inputs,
                                                    .outputs = outputs,
                                                    .has_scalars =
                                                        find_context (back, node).has_scalars },
                              run, error);
}

static gboolean
run_node (Backward *back, HybNodeId id, GError **error)
{
  const HybNode *node = hyb_graph_get_node (back->graph, id);
  HybTensor    **outputs = (HybTensor **) &back->tensors->pdata[node->first_output];
  CallContext    context = find_context (back, node);
  HybRun         run = { .training = context.training, .seed = context.seed, .key = node->key };

  if (back->is_merged[id])
    return TRUE;

  if (!call_node (back, id, &run, outputs, error))
    {
      g_prefix_error (error, "node “%s” (%s): ", node->name, node->op->name);
      return FALSE;
    }

  drop_inputs (back, id);
  for (guint i = 0; i < node->n_outputs; i++)
    if (back->left[node->first_output + i] == 0)
      g_clear_pointer (&outputs[i], hyb_tensor_unref);
  return TRUE;
}

/* Stores or adds the gradient of one attached tensor. */
static gboolean
store_gradient (Attachment *attachment, HybTensor *gradient, GError **error)
{
  HybTensor *inputs[] = { attachment->gradient, gradient };
  HybTensor *sum;

  if (attachment->request != HYB_REQUEST_ADD || !attachment->gradient)
    sum = hyb_tensor_ref (gradient);
  else if (!hyb_imperative_call (&(HybImperativeCall){ .op = hyb_op_find ("elemwise_add"),
                                                       .n_inputs = 2,
                                                       .inputs = inputs,
                                                       .outputs = &sum,
                                                       .has_scalars = TRUE },
                                 NULL, error))
    return FALSE;

  hyb_tensor_unref (attachment->gradient);
  attachment->gradient = sum;
  return TRUE;
}

gboolean
hyb_tape_backward (HybTape *tape, const HybBackwardPass *pass, GError **error)
{
  g_return_val_if_fail (tape && pass, FALSE);

  g_auto (Backward) back = { .tape = tape };
  const HybValueId *gradients;
  guint             n;

  if (!backward_prepare (&back, pass->n_heads, pass->heads, error))
    return FALSE;

  count_readers (&back);
  back.is_merged = hyb_tape_rows_find (back.graph, back.n_forward, back.left);
  set_known_tensors (&back, pass->heads, pass->head_gradients);
  for (HybNodeId id = back.n_forward; id < hyb_graph_n_nodes (back.graph); id++)
    if (!hyb_node_is_variable (hyb_graph_get_node (back.graph, id)) && !run_node (&back, id, error))
      return FALSE;

  gradients = hyb_graph_get_heads (back.graph, &n);
  for (guint i = 0; i < back.wrt->len; i++)
    if (!store_gradient (back.wrt->pdata[i], back.tensors->pdata[gradients[pass->n_heads + i]],
                         error))
      return FALSE;

  if (!pass->retain)
    hyb_tape_clear (tape);

  return TRUE;
}
