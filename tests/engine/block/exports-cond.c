/* exports-cond.c — export tests: models with a branch.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/control.h"
#include "engine/block/layers.h"
#include "tests/engine/block/export-check.h"

/* What the branches read. */
typedef struct
{
  Model    *model;
  HybValue *a, *b;
} Operands;

static Operands
operands_of (HybF *F, Model *model, HybValue *input)
{
  return (Operands){ model, hyb_item (F, input, 0), hyb_item (F, input, 1) };
}

/* --- The example of the documentation --- */

static HybValue *
both_and (HybF *F, const Operands *operands, const char *op)
{
  HybValue *a = with_number (F, op, operands->a, "5");

  return hyb_mul (F, a, with_number (F, op, operands->b, "5"));
}

static HybValue *
both_plus_five (HybF *F, gpointer user)
{
  return both_and (F, user, "plus");
}

static HybValue *
both_minus_five (HybF *F, gpointer user)
{
  return both_and (F, user, "minus");
}

static HybValue *
document (HybF *F, Model *model, HybValue *input)
{
  Operands  operands = operands_of (F, model, input);
  HybValue *small = compare (F, "lesser", hyb_mul (F, operands.a, operands.b), "5");

  return hyb_cond (F, small, both_plus_five, both_minus_five, &operands);
}

/* --- Captured values --- */

static HybValue *
sum_and_second (HybF *F, gpointer user)
{
  const Operands *operands = user;

  return hyb_list_of (F, hyb_add (F, operands->b, operands->a), operands->b, NULL);
}

static HybValue *
difference_and_first (HybF *F, gpointer user)
{
  const Operands *operands = user;

  return hyb_list_of (F, hyb_sub (F, operands->b, operands->a), operands->a, NULL);
}

static HybValue *
captured (HybF *F, Model *model, HybValue *input)
{
  Operands  operands = operands_of (F, model, input);
  HybValue *total;

  operands.b = hyb_unary (F, "exp", operands.b);
  total = hyb_unary (F, "sum", hyb_mul (F, operands.b, operands.a));
  return hyb_cond (F, compare (F, "greater", total, "0"), sum_and_second, difference_and_first,
                   &operands);
}

static HybValue *
clipped (HybF *F, gpointer user)
{
  const Operands *operands = user;

  return hyb_broadcast (F, "broadcast_div", operands->a, hyb_unary (F, "norm", operands->a));
}

static HybValue *
as_it_is (HybF *F, gpointer user)
{
  return ((const Operands *) user)->a;
}

static HybValue *
clip_norm (HybF *F, Model *model, HybValue *input)
{
  Operands  operands = { model, product (F, input, model->w[0], NULL, "4"), NULL };
  HybValue *large = compare (F, "greater", hyb_unary (F, "norm", operands.a), "1.0");
  HybValue *y = hyb_cond (F, large, clipped, as_it_is, &operands);

  return hyb_list_of (F, hyb_unary (F, "softmax", y), operands.a, NULL);
}

static void
clip_norm_parts (Model *model)
{
  model->w[0] = add_weight (model, "w", 4, 3);
}

/* --- Loops in branches --- */

static HybValue *
step (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  return *state = hyb_unary (F, "tanh", hyb_add (F, x, *state));
}

static HybValue *
forwards (HybF *F, gpointer user)
{
  const Operands *operands = user;

  return hyb_item (F, hyb_foreach (F, step, operands->a, operands->b, NULL), 0);
}

static HybValue *
backwards (HybF *F, gpointer user)
{
  const Operands *operands = user;
  HybValue       *turned = with_axis (F, "reverse", operands->a, "0");
  HybValue       *result = hyb_foreach (F, step, turned, operands->b, NULL);

  return with_axis (F, "reverse", hyb_item (F, result, 0), "0");
}

static HybValue *
foreach_in_branch (HybF *F, Model *model, HybValue *input)
{
  Operands  operands = operands_of (F, model, input);
  HybValue *positive = compare (F, "greater", hyb_item (F, input, 2), "0");

  return hyb_cond (F, positive, forwards, backwards, &operands);
}

static HybValue *
below_three (HybF *F, HybValue *variables, gpointer user)
{
  return compare (F, "lesser", hyb_item (F, variables, 0), "3");
}

static HybValue *
doubling (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *next = with_number (F, "plus", hyb_item (F, *variables, 0), "1");
  HybValue *twice = with_number (F, "mul", hyb_item (F, *variables, 1), "2");

  *variables = hyb_list_of (F, next, twice, NULL);
  return hyb_list (F, 0, NULL);
}

static HybValue *
doubled (HybF *F, gpointer user)
{
  const Operands *operands = user;
  HybValue       *variables = hyb_list_of (F, operands->b, operands->a, NULL);
  HybValue       *result;

  result = hyb_while_loop (F, &(HybWhile){ .condition = below_three,
                                           .body = doubling,
                                           .variables = variables,
                                           .max_iterations = 5 });
  return hyb_item (F, hyb_item (F, result, 1), 1);
}

static HybValue *
while_in_branch (HybF *F, Model *model, HybValue *input)
{
  Operands  operands = operands_of (F, model, input);
  HybValue *small = compare (F, "lesser", hyb_unary (F, "sum", operands.a), "10");

  return hyb_cond (F, small, doubled, as_it_is, &operands);
}

/* --- Branches in loops --- */

static HybValue *
second_plus_first (HybF *F, gpointer user)
{
  const Operands *operands = user;

  return hyb_add (F, operands->b, operands->a);
}

static HybValue *
half_of_second (HybF *F, gpointer user)
{
  return with_number (F, "mul", ((const Operands *) user)->b, "0.5");
}

static HybValue *
branching_step (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  Operands  operands = { user, x, *state };
  HybValue *positive = compare (F, "greater", hyb_unary (F, "sum", x), "0");

  *state = hyb_cond (F, positive, second_plus_first, half_of_second, &operands);
  return with_number (F, "mul", *state, "2");
}

static HybValue *
inside_foreach (HybF *F, Model *model, HybValue *input)
{
  return hyb_foreach (F, branching_step, hyb_item (F, input, 0), hyb_item (F, input, 1), model);
}

static HybValue *
below_four (HybF *F, HybValue *variables, gpointer user)
{
  return compare (F, "lesser", hyb_item (F, variables, 0), "4");
}

static HybValue *
a_little_less (HybF *F, gpointer user)
{
  return with_number (F, "minus", ((const Operands *) user)->a, "0.7");
}

static HybValue *
a_little_more (HybF *F, gpointer user)
{
  return with_number (F, "plus", ((const Operands *) user)->a, "1.1");
}

static HybValue *
branching_turn (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *i = hyb_item (F, *variables, 0), *s = hyb_item (F, *variables, 1);
  Operands  operands = { user, s, NULL };
  HybValue *positive = compare (F, "greater", hyb_unary (F, "sum", s), "0");
  HybValue *y = hyb_cond (F, positive, a_little_less, a_little_more, &operands);

  *variables = hyb_list_of (F, with_number (F, "plus", i, "1"), y, NULL);
  return y;
}

static HybValue *
inside_while (HybF *F, Model *model, HybValue *input)
{
  return hyb_while_loop (F, &(HybWhile){ .condition = below_four,
                                         .body = branching_turn,
                                         .variables = input,
                                         .max_iterations = 6,
                                         .user = model });
}

/* --- Layers, branches in branches, two outputs --- */

static HybValue *
first_layer (HybF *F, gpointer user)
{
  const Operands *operands = user;

  return hyb_call (F, operands->model->part[0], operands->a);
}

static HybValue *
second_layer (HybF *F, gpointer user)
{
  const Operands *operands = user;

  return hyb_call (F, operands->model->part[1], hyb_unary (F, "tanh", operands->a));
}

static HybValue *
layers (HybF *F, Model *model, HybValue *input)
{
  Operands operands = { model, input, NULL };

  return hyb_cond (F, compare (F, "greater", hyb_unary (F, "mean", input), "0"), first_layer,
                   second_layer, &operands);
}

static void
layers_parts (Model *model)
{
  HybBlock *block = &model->parent;

  model->part[0] = hyb_append (block, hyb_dense (.units = 4, .activation = "relu", .in_units = 3));
  model->part[1] =
      hyb_append (block, hyb_dense (.units = 4, .activation = "sigmoid", .in_units = 3));
}

static HybValue *
twice (HybF *F, gpointer user)
{
  return with_number (F, "mul", ((const Operands *) user)->a, "2");
}

static HybValue *
sine (HybF *F, gpointer user)
{
  return hyb_unary (F, "sin", ((const Operands *) user)->a);
}

static HybValue *
exponential (HybF *F, gpointer user)
{
  return hyb_unary (F, "exp", ((const Operands *) user)->a);
}

static HybValue *
minus_one (HybF *F, gpointer user)
{
  return with_number (F, "minus", ((const Operands *) user)->a, "1");
}

static HybValue *
two_or_more (HybF *F, gpointer user)
{
  HybValue *small = compare (F, "lesser", ((const Operands *) user)->b, "2");

  return hyb_cond (F, small, exponential, minus_one, user);
}

static HybValue *
one_or_more (HybF *F, gpointer user)
{
  HybValue *small = compare (F, "lesser", ((const Operands *) user)->b, "1");

  return hyb_cond (F, small, sine, two_or_more, user);
}

static HybValue *
nested (HybF *F, Model *model, HybValue *input)
{
  Operands operands = operands_of (F, model, input);

  return hyb_cond (F, compare (F, "lesser", operands.b, "0"), twice, one_or_more, &operands);
}

static HybValue *
product_and_sum (HybF *F, gpointer user)
{
  const Operands *operands = user;
  HybValue       *first = hyb_mul (F, operands->a, operands->b);

  return hyb_list_of (F, first, hyb_sum (F, operands->a, "1"), NULL);
}

static HybValue *
difference_and_maximum (HybF *F, gpointer user)
{
  const Operands *operands = user;
  HybValue       *first = hyb_sub (F, operands->a, operands->b);

  return hyb_list_of (F, first, with_axis (F, "max", operands->b, "1"), NULL);
}

static HybValue *
two_outputs (HybF *F, Model *model, HybValue *input)
{
  Operands  operands = operands_of (F, model, input);
  HybValue *positive = compare (F, "greater", hyb_unary (F, "sum", operands.a), "0");

  return hyb_cond (F, positive, product_and_sum, difference_and_maximum, &operands);
}

static const ModelRow rows[] = {
  { "cond-captured", "Fn", "[0, 0]", captured },
  { "cond-clip-norm", "Fn", "0", clip_norm, clip_norm_parts },
  { "cond-document-else", "Fn", "[0, 0]", document },
  { "cond-document-then", "Fn", "[0, 0]", document },
  { "cond-foreach-in-branch-else", "Fn", "[0, 0, 0]", foreach_in_branch },
  { "cond-foreach-in-branch-then", "Fn", "[0, 0, 0]", foreach_in_branch },
  { "cond-inside-foreach", "Fn", "[0, 0]", inside_foreach },
  { "cond-inside-while", "Fn", "[0, 0]", inside_while },
  { "cond-layers-else", "Fn", "0", layers, layers_parts },
  { "cond-layers-then", "Fn", "0", layers, layers_parts },
  { "cond-nested-0", "Fn", "[0, 0]", nested },
  { "cond-nested-2", "Fn", "[0, 0]", nested },
  { "cond-two-outputs-else", "Fn", "[0, 0]", two_outputs },
  { "cond-two-outputs-then", "Fn", "[0, 0]", two_outputs },
  { "cond-while-in-branch", "Fn", "[0, 0]", while_in_branch },
};

void
exports_add_cond (void)
{
  export_check_add_models (rows, G_N_ELEMENTS (rows));
}
