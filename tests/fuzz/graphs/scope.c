/* scope.c — values and nodes of a graph that grows; see scope.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/graphs/scope.h"

#include "engine/imperative/imperative.h"
#include "engine/op/rules.h"
#include "engine/op/run-memory.h"
#include "tests/engine/ops/op-tensor.h"

#include <math.h>

#define MAX_ELEMENTS 4096       /* of a value */
#define MAX_MEMORY   (32 << 20) /* bytes of a node while it is computed */
#define MAX_FLOPS    1e6        /* of a node: a graph is computed some hundred times */

static void
known_clear (gpointer data)
{
  hyb_tensor_unref (((KnownValue *) data)->tensor);
}

void
scope_init (Scope *scope, Scope *outer)
{
  if (outer)
    *scope = (Scope){ .operators = outer->operators,
                      .random = outer->random,
                      .n_names = outer->n_names,
                      .has_scalars = outer->has_scalars,
                      .outer = outer };
  scope->builder = hyb_builder_new ();
  hyb_builder_set_legacy_shapes (scope->builder, !scope->has_scalars);
  scope->known = g_array_new (FALSE, FALSE, sizeof (KnownValue));
  g_array_set_clear_func (scope->known, known_clear);
  scope->sources = g_array_new (FALSE, FALSE, sizeof (guint));
  scope->values = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
}

void
scope_clear (Scope *scope)
{
  g_clear_pointer (&scope->builder, hyb_builder_free);
  g_array_unref (scope->known);
  g_array_unref (scope->sources);
  g_ptr_array_unref (scope->values);
}

guint
scope_depth (const Scope *scope)
{
  return scope->outer ? 1 + scope_depth (scope->outer) : 0;
}

KnownValue *
scope_get (Scope *scope, guint index)
{
  return &g_array_index (scope->known, KnownValue, index);
}

const HybType *
scope_type (Scope *scope, guint index)
{
  return hyb_tensor_get_type (scope_get (scope, index)->tensor);
}

guint
scope_choose (Scope *scope,
              gboolean (*suits) (const KnownValue *known, gconstpointer data),
              gconstpointer data)
{
  guint n = scope->known->len;
  guint start = n > 0 ? fuzz_below (scope->random, n) : 0;

  for (guint i = 0; i < n; i++)
    if (!scope_get (scope, (start + i) % n)->is_written &&
        suits (scope_get (scope, (start + i) % n), data))
      return (start + i) % n;
  return SCOPE_NOTHING;
}

static gboolean
is_float (const KnownValue *known, gconstpointer data)
{
  return hyb_dtype_is_float (hyb_tensor_get_dtype (known->tensor)) &&
         hyb_tensor_get_size (known->tensor) > 0;
}

guint
scope_choose_float (Scope *scope)
{
  guint first = scope_choose (scope, is_float, NULL), second = scope_choose (scope, is_float, NULL);

  return first == SCOPE_NOTHING ? first : MAX (first, second);
}

/* --- Variables --- */

static guint
scope_keep (Scope *scope, HybValueId value, HybTensor *tensor)
{
  KnownValue known = { .value = value, .tensor = hyb_tensor_ref (tensor) };

  g_array_append_val (scope->known, known);
  return scope->known->len - 1;
}

/* Some variables state their type, or parts of it. */
static char **
variable_attributes (Scope *scope, const HybType *type)
{
  g_autoptr (GStrvBuilder) attributes = g_strv_builder_new ();
  g_autoptr (GString) shape = g_string_new ("(");

  for (int i = 0; i < type->shape.rank; i++)
    g_string_append_printf (shape, "%d,",
                            fuzz_once_in (scope->random, 3) ? (scope->has_scalars ? -1 : 0)
                                                            : (int) type->shape.dim[i]);
  if (type->shape.rank > 0 && fuzz_once_in (scope->random, 4))
    {
      g_string_append_c (shape, ')');
      g_strv_builder_add (attributes, "__shape__");
      g_strv_builder_add (attributes, shape->str);
    }
  if (fuzz_once_in (scope->random, 6))
    {
      g_autofree char *code = g_strdup_printf ("%d", (int) type->dtype);

      g_strv_builder_add (attributes, "__dtype__");
      g_strv_builder_add (attributes, code);
    }
  return g_strv_builder_end (attributes);
}

static HybValueId
new_variable (Scope *scope, HybTensor *tensor)
{
  g_autofree char *name = g_strdup_printf ("v%u", (*scope->n_names)++);
  g_auto (GStrv) attributes =
      scope->outer ? NULL : variable_attributes (scope, hyb_tensor_get_type (tensor));

  return hyb_builder_add_variable (scope->builder, name, (const char *const *) attributes);
}

guint
scope_add_port (Scope *body, guint outer_index, HybTensor *tensor)
{
  guint index;

  scope_get (body->outer, outer_index)->n_readers++;
  g_array_append_val (body->sources, outer_index);
  index = scope_keep (body, new_variable (body, tensor), tensor);
  scope_get (body, index)->is_drawn = scope_get (body->outer, outer_index)->is_drawn;
  return index;
}

guint
scope_add_variable (Scope *scope, HybTensor *tensor)
{
  if (scope->outer)
    return scope_add_port (scope, scope_add_variable (scope->outer, tensor), tensor);
  g_ptr_array_add (scope->values, hyb_tensor_copy (tensor));
  return scope_keep (scope, new_variable (scope, tensor), tensor);
}

/* --- Nodes --- */

static gboolean
is_acceptable (const Scope *scope, HybTensor *tensor)
{
  const HybShape *shape = hyb_tensor_get_shape (tensor);

  return hyb_tensor_get_size (tensor) <= MAX_ELEMENTS &&
         (scope->has_scalars || (shape->rank > 0 && hyb_tensor_get_size (tensor) > 0));
}

/* The FLOPs of an operator without bodies, whose outputs are known. */
static double
count_flops (Scope *scope, const NodeRequest *request, gconstpointer params, GPtrArray *outputs)
{
  g_autofree HybType *input = g_new (HybType, request->n_inputs + 1),
                     *output = g_new (HybType, outputs->len + 1);
  HybCall call = { .op = request->op,
                   .params = params,
                   .n_inputs = request->n_inputs,
                   .n_outputs = outputs->len,
                   .input = input,
                   .output = output,
                   .legacy_shapes = !scope->has_scalars };
  HybCost cost = { 0 };

  for (guint i = 0; i < request->n_inputs; i++)
    input[i] = *scope_type (scope, request->inputs[i]);
  for (guint i = 0; i < outputs->len; i++)
    output[i] = *hyb_tensor_get_type (outputs->pdata[i]);
  if (request->n_bodies == 0)
    hyb_rule_cost (&call, &cost);
  return cost.flops;
}

/* Runs an operator on the examples.  FALSE if it is refused or its results are not acceptable. */
static gboolean
try_call (Scope *scope, const NodeRequest *request, gconstpointer params, GPtrArray *outputs)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  HybRunMemory memory = { .limit = MAX_MEMORY };
  HybRun       context = { .seed = 1, .key = 1, .memory = &memory };

  for (guint i = 0; i < request->n_inputs; i++)
    {
      HybTensor *tensor = scope_get (scope, request->inputs[i])->tensor;

      if (!is_acceptable (scope, tensor))
        return FALSE;
      /* The operator may write to it. */
      g_ptr_array_add (inputs, hyb_tensor_copy (tensor));
    }
  if (!hyb_imperative_call (&(HybImperativeCall){ .op = request->op,
                                                  .params = params,
                                                  .bodies = request->bodies,
                                                  .n_inputs = inputs->len,
                                                  .inputs = (HybTensor *const *) inputs->pdata,
                                                  .outputs = (HybTensor **) outputs->pdata,
                                                  .has_scalars = scope->has_scalars },
                            &context, NULL))
    return FALSE;
  for (guint i = 0; i < outputs->len; i++)
    if (!is_acceptable (scope, outputs->pdata[i]))
      return FALSE;
  return count_flops (scope, request, params, outputs) <= MAX_FLOPS;
}

gboolean
draws_numbers (HybGraph *graph)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      if (node->op->flags & HYB_OP_RANDOM)
        return TRUE;
      for (guint i = 0; i < node->n_bodies; i++)
        if (draws_numbers (hyb_graph_get_bodies (graph, id)[i]))
          return TRUE;
    }
  return FALSE;
}

static gboolean
is_drawn (Scope *scope, const NodeRequest *request)
{
  gboolean drawn = request->op->flags & HYB_OP_RANDOM;

  for (guint i = 0; i < request->n_bodies; i++)
    drawn |= draws_numbers (request->bodies[i]);
  for (guint i = 0; i < request->n_inputs; i++)
    drawn |= scope_get (scope, request->inputs[i])->is_drawn;
  return drawn;
}

static guint
add_tried (Scope *scope, const NodeRequest *request, gpointer params, GPtrArray *outputs)
{
  g_autofree char       *name = g_strdup_printf ("n%u", (*scope->n_names)++);
  g_autofree HybValueId *inputs = g_new (HybValueId, request->n_inputs + 1);
  guint n_visible = hyb_op_n_visible (request->op, params, outputs->len), first = scope->known->len;
  gboolean  drawn = is_drawn (scope, request);
  HybNodeId node;

  for (guint i = 0; i < request->n_inputs; i++)
    {
      inputs[i] = scope_get (scope, request->inputs[i])->value;
      scope_get (scope, request->inputs[i])->n_readers++;
    }
  node = hyb_builder_add (scope->builder,
                          &(HybNodeSpec){ .op = request->op,
                                          .name = name,
                                          .attributes = (const char *const *) request->attributes,
                                          .n_inputs = request->n_inputs,
                                          .inputs = inputs,
                                          .n_bodies = request->n_bodies,
                                          .bodies = request->bodies },
                          NULL);
  g_assert_true (node != HYB_NO_ID);
  for (guint i = 0; i < n_visible; i++)
    scope_get (scope,
               scope_keep (scope, hyb_builder_output (scope->builder, node, i), outputs->pdata[i]))
        ->is_drawn = drawn;
  return n_visible > 0 ? first : SCOPE_NOTHING;
}

guint
scope_add_node (Scope *scope, const NodeRequest *request)
{
  const HybOp *op = request->op;
  g_autoptr (GPtrArray) outputs =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  gpointer params = op->params
                        ? hyb_params_parse (op->params, op->params_size,
                                            (const char *const *) request->attributes, NULL, NULL)
                        : NULL;
  guint    n_inputs = 0, n_outputs = 0, first = SCOPE_NOTHING;

  if (op->params && !params)
    return SCOPE_NOTHING;
  if (!op->check || op->check (params, NULL))
    {
      hyb_op_body_arity (op, params, request->bodies, &n_inputs, &n_outputs);
      g_ptr_array_set_size (outputs, (int) n_outputs);
      if (n_inputs == request->n_inputs && try_call (scope, request, params, outputs))
        first = add_tried (scope, request, params, outputs);
    }
  hyb_params_unref (params);
  return first;
}

guint
scope_call (Scope *scope, const char *op, const char *attributes, guint a, guint b)
{
  g_auto (GStrv) pairs = op_attributes_from_text (attributes);
  guint inputs[] = { a, b };

  return a == SCOPE_NOTHING
             ? a
             : scope_add_node (scope, &(NodeRequest){ .op = hyb_op_find (op),
                                                      .attributes = pairs,
                                                      .n_inputs = b == SCOPE_NOTHING ? 1 : 2,
                                                      .inputs = inputs });
}

/* --- Values of a wanted type --- */

static guint
fit_size (Scope *scope, guint index, gint64 size)
{
  gint64           has = hyb_tensor_get_size (scope_get (scope, index)->tensor), offset;
  g_autofree char *repetitions = NULL, *part = NULL;

  if (has == size)
    return index;
  if (has == 0 || size == 0)
    return SCOPE_NOTHING;
  index = scope_call (scope, "Reshape", "shape=(-1,)", index, SCOPE_NOTHING);
  if (has < size)
    {
      gint64 times = (size + has - 1) / has;

      repetitions = g_strdup_printf ("reps=(%d,)", (int) times);
      index = scope_call (scope, "tile", repetitions, index, SCOPE_NOTHING);
      has *= times;
    }
  offset = fuzz_below (scope->random, (guint) (has - size) + 1);
  part = g_strdup_printf ("axis=0 begin=%d end=%d", (int) offset, (int) (offset + size));
  return has == size ? index : scope_call (scope, "slice_axis", part, index, SCOPE_NOTHING);
}

static guint
fit_shape (Scope *scope, guint index, const HybShape *shape)
{
  g_autofree char *dims = NULL, *text = NULL;

  index = fit_size (scope, index, hyb_shape_size (shape));
  if (index == SCOPE_NOTHING || hyb_shape_equal (&scope_type (scope, index)->shape, shape))
    return index;
  dims = hyb_shape_join (shape, ",");
  text = g_strdup_printf ("%s=(%s%s)", shape->rank > 0 ? "shape" : "newshape", dims,
                          shape->rank == 1 ? "," : "");
  return scope_call (scope, shape->rank > 0 ? "Reshape" : "_np_reshape", text, index,
                     SCOPE_NOTHING);
}

static guint
scope_call_scalar (Scope *scope, const char *op, double scalar, guint index)
{
  char             number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *text =
      g_strdup_printf ("scalar=%s", g_ascii_dtostr (number, sizeof number, scalar));

  return scope_call (scope, op, text, index, SCOPE_NOTHING);
}

static guint
fit_range (Scope *scope, guint index, double low, double high)
{
  HybStatistics statistics;

  hyb_tensor_statistics (scope_get (scope, index)->tensor, &statistics);
  if (statistics.n_nan > 0 && !fuzz_once_in (scope->random, 8))
    return SCOPE_NOTHING;
  if (statistics.n_infinite == 0 && !(statistics.minimum < low) && !(statistics.maximum > high))
    return index;
  if (low == -high)
    return scope_call_scalar (scope, "_mul_scalar", high,
                              scope_call (scope, "tanh", NULL, index, SCOPE_NOTHING));
  index = scope_call_scalar (scope, "_mul_scalar", high - low,
                             scope_call (scope, "sigmoid", NULL, index, SCOPE_NOTHING));
  return scope_call_scalar (scope, "_plus_scalar", low, index);
}

guint
scope_fit (Scope *scope, guint index, const HybType *type, double low, double high)
{
  index = fit_range (scope, index, low, high);
  if (index != SCOPE_NOTHING)
    index = fit_shape (scope, index, &type->shape);
  if (index != SCOPE_NOTHING && scope_type (scope, index)->dtype != type->dtype)
    {
      g_autofree char *text = g_strdup_printf ("dtype=%s", hyb_dtype_name (type->dtype));

      index = scope_call (scope, "Cast", text, index, SCOPE_NOTHING);
    }
  return index;
}
