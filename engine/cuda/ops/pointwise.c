/* pointwise.c — pointwise operators, and chains of them, as one kernel made of their formulas.
 *
 * The text of a kernel depends on operators, attributes that choose a formula, element types, and on
 * whether operands are broadcast; numbers and shapes are arguments.  Start with pointwise_prepare().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/pointwise.h"

#include "engine/base/error.h"
#include "engine/cuda/compile.h"
#include "engine/cuda/ops/axes.h"
#include "engine/cuda/ops/types.h"
#include "engine/graph/graph.h"

#include <string.h>

#define THREADS 256
/* Inputs that a formula has names for. */
#define NAMED 4

typedef struct
{
  CUfunction                function;
  gboolean                  broadcasts;
  struct BroadcastArguments arguments;
} Prepared;

/* A kernel while its text is made. */
typedef struct
{
  const HybCall            *call;
  const HybPointwise       *row; /* of the operator; NULL for a chain */
  struct BroadcastArguments arguments;
  guint                     n_numbers;
  gboolean                  broadcasts;
  GString                  *text;
} Making;

/* One operator of a kernel: its operands are variables of the text. */
typedef struct
{
  const HybOp   *op;
  gconstpointer  params;
  HybDType       result; /* stored type of its output */
  const HybType *input;  /* the types of its inputs; NULL: all of the type `result` */
  guint          n;
  guint         *operands; /* numbers of variables */
  guint          output;
} Member;

/* A chain has its operators in a body; an operator with a formula has none. */
static gboolean
is_chain (const HybOp *op)
{
  return op->n_bodies > 0;
}

static gboolean
is_integer (HybDType dtype)
{
  return !hyb_dtype_is_float (dtype);
}

/* --- Refusals --- */

static const char *
refuse_formula (const HybOp *op, gconstpointer params)
{
  return hyb_pointwise_find (op, params) ? NULL
                                         : "the GPU module has no formula for these attributes";
}

static const char *
refuse_chain (const HybCall *call)
{
  HybGraph   *body = call->body[0];
  const char *reason = NULL;

  for (HybNodeId id = 0; !reason && id < hyb_graph_n_nodes (body); id++)
    {
      const HybNode *node = hyb_graph_get_node (body, id);

      if (!hyb_node_is_variable (node))
        reason = refuse_formula (node->op, node->params);
    }
  return reason;
}

static const char *
pointwise_refuses (const HybCall *call)
{
  if (call->n_inputs > EACH_MOST)
    return "it has more inputs than a kernel of the GPU module takes";
  if (call->n_outputs != 1)
    return "the GPU module has no formula for these attributes";
  return is_chain (call->op) ? refuse_chain (call) : refuse_formula (call->op, call->params);
}

/* --- Text --- */

/* Sets numbers[] and returns how many there are. */
static guint
find_numbers (const Member *member, const HybPointwise *row, double *numbers)
{
  g_auto (GStrv) names = g_strsplit (row->numbers ? row->numbers : "", " ", POINTWISE_NUMBERS);
  guint n = 0;

  if (row->find_numbers)
    {
      row->find_numbers (member->op, member->params, member->result, numbers);
      return POINTWISE_NUMBERS;
    }
  for (; names[n] && *names[n]; n++)
    numbers[n] = hyb_params_get_double (member->op->params, member->params, names[n], 0);
  return n;
}

/* The numbers s, t and u of a member. */
static gboolean
add_numbers (Making *making, const Member *member, const HybPointwise *row)
{
  static const char names[] = "stu";
  double            numbers[POINTWISE_NUMBERS] = { 0 };
  guint             n = find_numbers (member, row, numbers);

  if (row->measure)
    numbers[n++] = row->measure (making->call);
  if (making->n_numbers + n > EACH_MOST)
    return FALSE;
  for (guint k = 0; k < n; k++)
    {
      making->arguments.each.s[making->n_numbers] = numbers[k];
      g_string_append_printf (making->text,
                              row->find_numbers
                                  ? "    const double %c = a.s[%u];\n"
                                  : "    const T %c = (T) To<Result>::from (a.s[%u]);\n",
                              names[k], making->n_numbers++);
    }
  return TRUE;
}

static void
add_operands (Making *making, const Member *member, const HybPointwise *row)
{
  static const char *const names[NAMED] = { "x", "w", "v", "p" };

  for (guint k = 0; k < MIN (member->n, NAMED); k++)
    if (row->unread >> k & 1)
      continue;
    else if (row->raw >> k & 1)
      g_string_append_printf (making->text, "    const auto %s = v%u;\n", names[k],
                              member->operands[k]);
    else
      g_string_append_printf (making->text, "    const T %s = (T) To<T>::from (v%u);\n", names[k],
                              member->operands[k]);
}

/* FALSE if there are more numbers than a kernel takes. */
static gboolean
add_member (Making *making, const Member *member)
{
  const HybPointwise *row = hyb_pointwise_find (member->op, member->params);
  HybDType            computed = hyb_cuda_computed_type (member->op, member->result);
  const char         *result = hyb_cuda_result_type (computed);

  g_string_append_printf (making->text,
                          "    Wide<%s>::type v%u;\n"
                          "    {\n"
                          "    typedef %s Result;\n"
                          "    typedef Wide<Result>::type T;\n",
                          result, member->output, result);
  if (!row->formula)
    {
      g_string_append_printf (making->text, "    T sum = (T) v%u;\n", member->operands[0]);
      for (guint k = 1; k < member->n; k++)
        g_string_append_printf (making->text, "    sum = m_add (sum, (T) v%u);\n",
                                member->operands[k]);
      g_string_append_printf (making->text, "    v%u = sum;\n    }\n", member->output);
      return TRUE;
    }
  add_operands (making, member, row);
  if (!add_numbers (making, member, row))
    return FALSE;
  g_string_append_printf (making->text, "    v%u = (T) (%s);\n    }\n", member->output,
                          row->formula);
  return TRUE;
}

/* The members of a chain, or the one operator. */
static gboolean
add_body (Making *making, guint *last)
{
  const HybCall    *call = making->call;
  HybGraph         *body = is_chain (call->op) ? call->body[0] : NULL;
  g_autofree guint *variable = NULL, *operands = NULL;
  guint             next = 0, n_variables = 0;

  *last = call->n_inputs;
  if (!body)
    {
      operands = g_new (guint, MAX (call->n_inputs, 1));
      for (guint k = 0; k < call->n_inputs; k++)
        operands[k] = k;
      return add_member (making, &(Member){ call->op, call->params, call->output[0].dtype,
                                            call->input, call->n_inputs, operands, *last });
    }

  variable = g_new0 (guint, MAX (hyb_graph_n_values (body), 1)); /* by value of the body */
  operands = g_new (guint, hyb_graph_n_values (body) + EACH_MOST);
  next = call->n_inputs;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (body); id++)
    {
      const HybNode    *node = hyb_graph_get_node (body, id);
      const HybValueId *inputs = hyb_graph_get_inputs (body, id);
      Member member = { node->op, node->params, call->output[0].dtype, NULL, node->n_inputs,
                        operands, next };

      if (hyb_node_is_variable (node))
        {
          variable[node->first_output] = n_variables++;
          continue;
        }
      if (node->n_inputs > EACH_MOST)
        return FALSE;
      for (guint k = 0; k < node->n_inputs; k++)
        operands[k] = variable[inputs[k]];
      if (!add_member (making, &member))
        return FALSE;
      variable[node->first_output] = *last = next++;
    }
  return TRUE;
}

/* Where each operand's element is: i, or a sum over the axes. */
static void
add_offsets (Making *making, guint n)
{
  if (!making->broadcasts)
    {
      for (guint k = 0; k < n; k++)
        g_string_append_printf (making->text, "    const long long o%u = i;\n", k);
      return;
    }
  for (guint k = 0; k < n; k++)
    g_string_append_printf (making->text, "    long long o%u = 0;\n", k);
  g_string_append (making->text, "    Index rest = (Index) i;\n"
                                 "    for (int d = b.rank - 1; d >= 0; d--)\n"
                                 "      {\n"
                                 "        const Index size = (Index) b.dim[d], at = rest % size;\n"
                                 "        rest /= size;\n");
  for (guint k = 0; k < n; k++)
    g_string_append_printf (making->text, "        o%u += (long long) at * b.stride[%u][d];\n", k,
                            k);
  g_string_append (making->text, "      }\n");
}

/* TRUE if the operator, which is not a chain, reads no element of input k. */
static gboolean
is_unread (const Making *making, guint k)
{
  return making->row && making->row->unread >> k & 1;
}

/* An input in the type that the processor computes in. */
static void
add_loads (Making *making)
{
  const HybCall *call = making->call;

  for (guint k = 0; k < call->n_inputs; k++)
    if (!is_unread (making, k))
      g_string_append_printf (making->text,
                              "    const auto v%u = get ((const %s *) a.x[%u], o%u);\n", k,
                              hyb_cuda_stored_type (call->input[k].dtype), k, k);
}

static void
add_store (Making *making, guint last)
{
  HybDType    stored = making->call->output[0].dtype;
  HybDType    computed = hyb_cuda_computed_type (making->call->op, stored);
  const char *type = hyb_cuda_stored_type (stored);

  if (is_integer (stored) && stored != HYB_BOOL && !is_integer (computed))
    g_string_append_printf (making->text, "    put ((%s *) a.y, i, To<%s>::from (v%u));\n", type,
                            type, last);
  else
    g_string_append_printf (making->text, "    put ((%s *) a.y, i, v%u);\n", type, last);
}

/* (transfer full); NULL and an error if the kernel would need too many arguments. */
static char *
make_text (Making *making, GError **error)
{
  gint64 n = hyb_shape_size (&making->call->output[0].shape);
  guint  last;

  making->text = g_string_new ("#include \"prelude.cuh\"\n#include \"arguments.h\"\n");
  g_string_append_printf (making->text,
                          "typedef %s Index;\n"
                          "extern \"C\" __global__ void\n"
                          "each (const %s given)\n"
                          "{\n",
                          n <= G_MAXUINT32 ? "unsigned" : "unsigned long long",
                          making->broadcasts ? "BroadcastArguments" : "EachArguments");
  g_string_append (making->text, making->broadcasts
                                     ? "  const BroadcastArguments &b = given;\n  const "
                                       "EachArguments &a = b.each;\n"
                                     : "  const EachArguments &a = given;\n");
  g_string_append (making->text, "  EACH (i, a.n)\n  {\n");
  add_offsets (making, making->call->n_inputs);
  add_loads (making);
  if (add_body (making, &last))
    {
      add_store (making, last);
      g_string_append (making->text, "  }\n}\n");
      return g_string_free (g_steal_pointer (&making->text), FALSE);
    }
  g_string_free (g_steal_pointer (&making->text), TRUE);
  hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_FAILED, NULL, NULL,
                "it has more numbers than a kernel of the GPU module takes");
  return NULL;
}

/* --- The twin --- */

/* FALSE and an error if the operands have too many axes. */
static gboolean
find_axes (Making *making, GError **error)
{
  const HybCall *call = making->call;
  HybAxes        axes = hyb_axes_new (&call->output[0].shape, call->n_inputs);

  for (guint k = 0; k < call->n_inputs; k++)
    if (!is_unread (making, k))
      {
        making->broadcasts |= !hyb_shape_equal (&call->input[k].shape, &call->output[0].shape);
        hyb_axes_broadcast (&axes, k, &call->input[k].shape, FALSE);
      }
  if (making->broadcasts && making->row && making->row->lay)
    making->row->lay (call, &axes);
  making->arguments.each.n = hyb_shape_size (&call->output[0].shape);
  if (!making->broadcasts)
    return TRUE;
  if (!hyb_axes_join (&axes))
    return hyb_axes_refuse (error);
  making->arguments.rank = axes.rank;
  for (int d = 0; d < axes.rank; d++)
    {
      making->arguments.dim[d] = axes.dim[d];
      for (guint k = 0; k < call->n_inputs; k++)
        making->arguments.stride[k][d] = axes.stride[k][d];
    }
  return TRUE;
}

static Making
start_making (const HybCall *call)
{
  return (Making){ .call = call,
                   .row =
                       is_chain (call->op) ? NULL : hyb_pointwise_find (call->op, call->params) };
}

char *
hyb_pointwise_dup_text (const HybCall *call, GError **error)
{
  Making making = start_making (call);

  return find_axes (&making, error) ? make_text (&making, error) : NULL;
}

static gpointer
pointwise_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  Making           making = start_making (call);
  g_autofree char *text = NULL;
  CUfunction       function;
  Prepared        *prepared;

  if (!find_axes (&making, error) || !(text = make_text (&making, error)))
    return NULL;
  function = hyb_cuda_compile (device, text, "each", error);
  if (!function)
    return NULL;
  prepared = g_new (Prepared, 1);
  *prepared = (Prepared){ function, making.broadcasts, making.arguments };
  return prepared;
}

static void
pointwise_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  Prepared                 *prepared = data;
  struct BroadcastArguments arguments = prepared->arguments;

  for (guint k = 0; k < call->n_inputs; k++)
    arguments.each.x[k] = run->input[k];
  arguments.each.y = run->output[0];
  hyb_cuda_launch (queue,
                   &(HybLaunch){ prepared->function, arguments.each.n, THREADS, &arguments,
                                 prepared->broadcasts ? sizeof arguments : sizeof arguments.each });
}

void
hyb_pointwise_list (void (*function) (const HybDeviceOp *op, gpointer data), gpointer data)
{
  HybDeviceOp twin = { .name = "_elementwise_chain",
                       .refuses = pointwise_refuses,
                       .prepare = pointwise_prepare,
                       .launch = pointwise_launch,
                       .release = g_free };

  function (&twin, data);
  for (const HybPointwise *row = hyb_pointwise_formulas; row->op; row++)
    {
      if (row > hyb_pointwise_formulas && strcmp (row[-1].op, row->op) == 0)
        continue;
      twin.name = row->op;
      function (&twin, data);
    }
}
