/* recognise-gates.c — the pass that computes GELU, SiLU and hard swish in one operator.
 *
 * Exporters write them in many spellings.  So that all are found, a value is read as P(x) + Q(x) T, where T is tanh, erf, a
 * sigmoid or a limited line of another polynomial; a function is known by the coefficients of its three polynomials.  Start at
 * match_gate().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/pass.h"
#include "engine/passes/pieces.h"

#include <math.h>

#define N_POWERS   4    /* up to x³ */
#define MAX_DEPTH  6    /* of nodes between a value and x or T */
#define MAX_LEAVES 12   /* values that are tried as x */
#define TOLERANCE  2e-6 /* of coefficients, which files store as floats */

/* P(x) + Q(x) T */
typedef struct
{
  double p[N_POWERS], q[N_POWERS];
} Form;

/* The operator of a function T, and the limits of a line. */
typedef enum
{
  GATE_TANH,
  GATE_ERF,
  GATE_SIGMOID,
  GATE_LIMITED,
} GateKind;

/* A function: T of the argument P(x), and the whole.  Names and values of an attribute of the operator that replaces it. */
typedef struct
{
  GateKind    kind;
  double      low, high; /* of GATE_LIMITED */
  Form        argument, whole;
  const char *op, *key, *value;
} Known;

#define ROOT_HALF 0.70710678118654752
#define ROOT_PI   0.79788456080286536 /* √(2/π) */

static const Known known[] = {
  { GATE_TANH,
    0,
    0,
    { { 0, ROOT_PI, 0, 0.044715 * ROOT_PI } },
    { { 0, 0.5 }, { 0, 0.5 } },
    "_gated_activation",
    "kind",
    "gelu_tanh" },
  { GATE_ERF,
    0,
    0,
    { { 0, ROOT_HALF } },
    { { 0, 0.5 }, { 0, 0.5 } },
    "LeakyReLU",
    "act_type",
    "gelu" },
  { GATE_SIGMOID, 0, 0, { { 0, 1 } }, { { 0 }, { 0, 1 } }, "_gated_activation", "kind", "silu" },
  { GATE_LIMITED,
    0,
    6,
    { { 3, 1 } },
    { { 0 }, { 0, 1 / 6.0 } },
    "_gated_activation",
    "kind",
    "hard_swish" },
  { GATE_LIMITED,
    0,
    1,
    { { 0.5, 1 / 6.0 } },
    { { 0 }, { 0, 1 } },
    "_gated_activation",
    "kind",
    "hard_swish" },
};

/* --- Arithmetic --- */

static Form
number_form (double number)
{
  return (Form){ .p = { number } };
}

static gboolean
is_number (const Form *form)
{
  for (guint i = 0; i < N_POWERS; i++)
    if ((i > 0 && form->p[i] != 0) || form->q[i] != 0)
      return FALSE;
  return TRUE;
}

/* a + factor b */
static Form
add_forms (const Form *a, const Form *b, double factor)
{
  Form sum;

  for (guint i = 0; i < N_POWERS; i++)
    {
      sum.p[i] = a->p[i] + factor * b->p[i];
      sum.q[i] = a->q[i] + factor * b->q[i];
    }
  return sum;
}

/* FALSE if the product has T² or a power that is too high. */
static gboolean
multiply_forms (const Form *a, const Form *b, Form *product)
{
  *product = (Form){ 0 };
  for (guint i = 0; i < N_POWERS; i++)
    for (guint k = 0; k < N_POWERS; k++)
      {
        double p = a->p[i] * b->p[k], q = a->p[i] * b->q[k] + a->q[i] * b->p[k];

        if (a->q[i] * b->q[k] != 0 || (i + k >= N_POWERS && (p != 0 || q != 0)))
          return FALSE;
        if (i + k >= N_POWERS)
          continue;
        product->p[i + k] += p;
        product->q[i + k] += q;
      }
  return TRUE;
}

static gboolean
is_near (const Form *a, const Form *b)
{
  for (guint i = 0; i < N_POWERS; i++)
    if (!(fabs (a->p[i] - b->p[i]) <= TOLERANCE * fabs (b->p[i])) ||
        !(fabs (a->q[i] - b->q[i]) <= TOLERANCE * fabs (b->q[i])))
      return FALSE;
  return TRUE;
}

/* --- Reading a graph --- */

/* The values of x and T. */
typedef struct
{
  const HybPieces *pieces;
  HybReplacement  *found;
  HybValueId       x, gate; /* gate: HYB_NO_ID if there is none */
} Reading;

static gboolean read_form (const Reading *reading, HybValueId value, guint depth, Form *form);

/* The number of an operator on a tensor and a number. */
static double
scalar_of (const HybNode *node)
{
  return node->op->params ? hyb_params_get_double (node->op->params, node->params, "scalar", NAN)
                          : NAN;
}

static gboolean
read_power (const Form *base, double power, Form *form)
{
  Form square;

  if (power != 2 && power != 3)
    return FALSE;
  if (!multiply_forms (base, base, &square))
    return FALSE;
  *form = square;
  return power == 2 || multiply_forms (&square, base, form);
}

/* The functions of one tensor and perhaps a number. */
static gboolean
read_single (const HybPieces *pieces, HybValueId value, const Form *x, Form *form)
{
  const HybNode *node = hyb_pieces_node (pieces, value);
  Form           number = number_form (scalar_of (node));

  if (node->op == hyb_op_find ("square"))
    return read_power (x, 2, form);
  if (node->op == hyb_op_find ("_power_scalar"))
    return read_power (x, number.p[0], form);
  if (node->op == hyb_op_find ("_plus_scalar") || node->op == hyb_op_find ("_minus_scalar"))
    {
      *form = add_forms (x, &number, node->op == hyb_op_find ("_plus_scalar") ? 1 : -1);
      return TRUE;
    }
  if (node->op == hyb_op_find ("negative"))
    number = number_form (-1);
  else if (node->op == hyb_op_find ("_div_scalar"))
    number = number_form (1 / number.p[0]);
  else if (node->op != hyb_op_find ("_mul_scalar"))
    return FALSE;
  return multiply_forms (x, &number, form);
}

static gboolean
read_pair (const HybPieces *pieces, HybValueId value, const Form *a, const Form *b, Form *form)
{
  Form inverse;

  if (hyb_pieces_is_made_by (pieces, value, hyb_pieces_sums) ||
      hyb_pieces_is_made_by (pieces, value, hyb_pieces_differences))
    {
      *form = add_forms (a, b, hyb_pieces_is_made_by (pieces, value, hyb_pieces_sums) ? 1 : -1);
      return TRUE;
    }
  if (hyb_pieces_is_made_by (pieces, value, hyb_pieces_products))
    return multiply_forms (a, b, form);
  if (!is_number (b))
    return FALSE;
  if (hyb_pieces_is_made_by (pieces, value, (const char *const[]){ "broadcast_power", NULL }))
    return read_power (a, b->p[0], form);
  inverse = number_form (1 / b->p[0]);
  return hyb_pieces_is_made_by (pieces, value, hyb_pieces_quotients) &&
         multiply_forms (a, &inverse, form);
}

static gboolean
read_form (const Reading *reading, HybValueId value, guint depth, Form *form)
{
  const HybPieces  *pieces = reading->pieces;
  const HybNode    *node = hyb_pieces_node (pieces, value);
  const HybValueId *inputs = hyb_pieces_inputs (pieces, value);
  double            number;
  Form              a, b;

  if (value == reading->x || value == reading->gate)
    {
      *form = value == reading->x ? (Form){ .p = { 0, 1 } } : (Form){ .q = { 1 } };
      return TRUE;
    }
  if (hyb_pieces_read_number (pieces, value, &number))
    {
      *form = number_form (number);
      return TRUE;
    }
  if (depth == 0 || node->n_inputs == 0 || node->n_inputs > 2 || node->n_outputs != 1 ||
      !read_form (reading, inputs[0], depth - 1, &a) ||
      (node->n_inputs == 2 && !read_form (reading, inputs[1], depth - 1, &b)))
    return FALSE;
  return (node->n_inputs == 2 ? read_pair (pieces, value, &a, &b, form)
                              : read_single (pieces, value, &a, form)) &&
         hyb_pieces_add (pieces, reading->found, value);
}

/* --- Finding T and x --- */

/* Appends the value and its ancestors up to a depth; each once. */
static void
list_values (const HybPieces *pieces, HybValueId value, guint depth, GArray *values)
{
  const HybNode    *node = hyb_pieces_node (pieces, value);
  const HybValueId *inputs = hyb_pieces_inputs (pieces, value);

  for (guint i = 0; i < values->len; i++)
    if (g_array_index (values, HybValueId, i) == value)
      return;
  if (values->len == MAX_LEAVES || pieces->facts->constants[value])
    return;
  g_array_append_val (values, value);
  for (guint i = 0; depth > 0 && i < MIN (node->n_inputs, 2); i++)
    list_values (pieces, inputs[i], depth - 1, values);
}

/* The operators that limit a tensor from one side. */
typedef struct
{
  const char *of_numbers, *of_tensors;
} Side;

static const Side from_above = { "_minimum_scalar", "broadcast_minimum" };
static const Side from_below = { "_maximum_scalar", "broadcast_maximum" };

/* The number that limits value from one side, and *inside, which it limits. */
static gboolean
read_limit (const HybPieces *pieces,
            HybValueId       value,
            const Side      *side,
            double          *limit,
            HybValueId      *inside)
{
  const HybNode    *node = hyb_pieces_node (pieces, value);
  const HybValueId *inputs = hyb_pieces_inputs (pieces, value);

  if (node->op == hyb_op_find (side->of_numbers))
    {
      *limit = scalar_of (node);
      *inside = inputs[0];
      return TRUE;
    }
  if (node->op != hyb_op_find (side->of_tensors))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if (hyb_pieces_read_number (pieces, inputs[i], limit))
      {
        *inside = inputs[1 - i];
        return TRUE;
      }
  return FALSE;
}

/* T, its argument, and its limits. */
typedef struct
{
  GateKind   kind;
  HybValueId argument;
  double     low, high;
  HybValueId inner; /* a further piece; HYB_NO_ID if there is none */
} Gate;

static gboolean
read_gate (const HybPieces *pieces, HybValueId value, Gate *gate)
{
  static const char *const names[] = { "tanh", "erf", "sigmoid" };
  const HybNode           *node = hyb_pieces_node (pieces, value);

  *gate = (Gate){ .inner = HYB_NO_ID };
  if (hyb_node_is_variable (node))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (node->op == hyb_op_find (names[i]))
      {
        gate->kind = (GateKind) i;
        gate->argument = hyb_pieces_inputs (pieces, value)[0];
        return TRUE;
      }
  gate->kind = GATE_LIMITED;
  return read_limit (pieces, value, &from_above, &gate->high, &gate->inner) &&
         read_limit (pieces, gate->inner, &from_below, &gate->low, &gate->argument);
}

static gboolean
is_known_with (const Reading *reading, HybValueId value, const Gate *gate, const Known *function)
{
  Reading of_argument = *reading;
  Form    argument, whole;

  of_argument.gate = HYB_NO_ID;
  reading->found->n_pieces = 0;
  return function->kind == gate->kind &&
         (gate->kind != GATE_LIMITED ||
          (gate->low == function->low && gate->high == function->high)) &&
         read_form (&of_argument, gate->argument, MAX_DEPTH, &argument) &&
         is_near (&argument, &function->argument) &&
         read_form (reading, value, MAX_DEPTH, &whole) && is_near (&whole, &function->whole) &&
         hyb_pieces_add (reading->pieces, reading->found, reading->gate) &&
         (gate->inner == HYB_NO_ID ||
          hyb_pieces_add (reading->pieces, reading->found, gate->inner));
}

/* Removes the last node, which the replacement takes the place of, from the pieces. */
static void
drop_last (HybReplacement *found, HybNodeId id)
{
  for (guint i = 0; i < found->n_pieces; i++)
    if (found->pieces[i] == id)
      {
        found->pieces[i] = found->pieces[--found->n_pieces];
        return;
      }
}

/* TRUE if value is a known function with this T of one of the values below it. */
static gboolean
match_with (const HybPieces *pieces, HybValueId value, HybValueId t, HybReplacement *found)
{
  g_autoptr (GArray) leaves = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  Gate gate;

  if (!read_gate (pieces, t, &gate))
    return FALSE;
  /* x may stand anywhere below T's argument, since files write P(x) in many ways: each value there is tried. */
  list_values (pieces, gate.argument, MAX_DEPTH, leaves);
  for (guint i = 0; i < leaves->len; i++)
    {
      Reading reading = { pieces, found, g_array_index (leaves, HybValueId, i), t };

      /* The replacement is pointwise, so x has the shape of the result; numbers are passed over. */
      if (!hyb_pieces_is_float (pieces, reading.x) ||
          !hyb_shape_equal (&hyb_pieces_type (pieces, reading.x)->shape,
                            &hyb_pieces_type (pieces, value)->shape))
        continue;
      for (guint k = 0; k < G_N_ELEMENTS (known); k++)
        if (is_known_with (&reading, value, &gate, &known[k]))
          {
            found->op = known[k].op;
            found->attributes =
                g_strdupv ((char *[]){ (char *) known[k].key, (char *) known[k].value, NULL });
            found->inputs[0] = reading.x;
            found->n_inputs = 1;
            return TRUE;
          }
    }
  return FALSE;
}

/* The last node is a product or a quotient. */
static gboolean
match_gate (const HybPieces *pieces, HybNodeId id, HybReplacement *found)
{
  HybValueId value = hyb_graph_get_node (pieces->graph, id)->first_output;
  g_autoptr (GArray) values = NULL;

  if (!hyb_pieces_is_float (pieces, value))
    return FALSE;
  values = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  list_values (pieces, value, 4, values);
  for (guint i = 1; i < values->len; i++)
    if (match_with (pieces, value, g_array_index (values, HybValueId, i), found))
      {
        drop_last (found, id);
        return TRUE;
      }
  return FALSE;
}

static const char *const last[] = { "broadcast_mul",
                                    "elemwise_mul",
                                    "broadcast_div",
                                    "elemwise_div",
                                    "_mul_scalar",
                                    "_div_scalar",
                                    NULL };
static const char *const functions[] = {
  "tanh", "erf", "sigmoid", "_minimum_scalar", "broadcast_minimum", NULL
};
static const HybPattern gated = { last, functions, match_gate };

static HybGraph *
recognise_gates_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  return hyb_pieces_replace (graph, facts, &gated, map, error);
}

extern const HybPass hyb_pass_recognise_gates;

const HybPass hyb_pass_recognise_gates = {
  .name = "recognise-gates",
  .doc = "Computes GELU, SiLU and hard swish that are written in pieces as one operator.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .host_only = TRUE,
  .saves = HYB_SAVES_POINTWISE,
  .run = recognise_gates_run,
};
