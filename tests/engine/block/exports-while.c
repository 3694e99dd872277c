/* exports-while.c — export tests: models with a while loop.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/control.h"
#include "tests/engine/block/export-check.h"

static HybValue *
variable (HybF *F, HybValue *const *variables, guint index)
{
  return hyb_item (F, *variables, index);
}

static HybValue *
add_one (HybF *F, HybValue *x)
{
  return with_number (F, "plus", x, "1");
}

/* A loop over all inputs while the first variable stays below a limit. */
typedef struct
{
  const char  *limit;
  HybWhileBody body;
  gint64       maximum;
  gboolean     only_variables; /* heads */
} Simple;

static HybValue *
below_limit (HybF *F, HybValue *variables, gpointer user)
{
  const Simple *simple = ((Model *) user)->row->data;

  return compare (F, "lesser", hyb_item (F, variables, 0), simple->limit);
}

static HybValue *
simple_loop (HybF *F, Model *model, HybValue *input)
{
  const Simple *simple = model->row->data;
  HybValue     *result;

  result = hyb_while_loop (F, &(HybWhile){ .condition = below_limit,
                                           .body = simple->body,
                                           .variables = input,
                                           .max_iterations = simple->maximum,
                                           .user = model });
  return simple->only_variables ? hyb_item (F, result, 1) : result;
}

static HybValue *
exchange_body (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *a = variable (F, variables, 1), *b = variable (F, variables, 2);
  HybValue *output = hyb_add (F, a, b);

  *variables =
      hyb_list_of (F, add_one (F, variable (F, variables, 0)), b, hyb_unary (F, "tanh", a), NULL);
  return output;
}
static const Simple exchange = { "4", exchange_body, 5 };

static HybValue *
counter_body (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *i = variable (F, variables, 0), *s = variable (F, variables, 1);
  HybValue *output = with_number (F, "mul", s, "2");

  i = add_one (F, i);
  *variables = hyb_list_of (F, i, add_one (F, s), NULL);
  return output;
}
static const Simple int_counter = { "4", counter_body, 5 };

static HybValue *
no_step_body (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *i = variable (F, variables, 0), *s = variable (F, variables, 1);
  HybValue *output = with_number (F, "mul", s, "3");

  i = add_one (F, i);
  *variables = hyb_list_of (F, i, add_one (F, s), NULL);
  return output;
}
static const Simple no_step = { "0", no_step_body, 7, TRUE };

static HybValue *
multi_output_body (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *i = variable (F, variables, 0);
  HybValue *a = variable (F, variables, 1), *b = variable (F, variables, 2);
  HybValue *all = hyb_mul (F, a, b), *rows = hyb_sum (F, a, "1");
  HybValue *next = hyb_add (F, hyb_unary (F, "sin", a), b);

  *variables = hyb_list_of (F, add_one (F, i), next, with_number (F, "mul", b, "0.9"), NULL);
  return hyb_list_of (F, all, rows, i, NULL);
}
static const Simple multi_output = { "5", multi_output_body, 8 };

static HybValue *
no_output_body (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *i = add_one (F, variable (F, variables, 0));

  *variables = hyb_list_of (F, i, with_number (F, "mul", variable (F, variables, 1), "1.5"), NULL);
  return hyb_list (F, 0, NULL);
}
static const Simple no_output = { "4", no_output_body, 7 };

static HybValue *
pass_through_body (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *s = variable (F, variables, 1), *k = variable (F, variables, 2);
  HybValue *scaled = hyb_mul (F, s, k);
  HybValue *i = add_one (F, variable (F, variables, 0));

  *variables = hyb_list_of (F, i, hyb_add (F, s, k), k, NULL);
  return hyb_list_of (F, k, scaled, NULL);
}
static const Simple pass_through = { "3", pass_through_body, 4 };

static HybValue *
maximum_body (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *i = variable (F, variables, 0), *s = variable (F, variables, 1);
  HybValue *output = hyb_broadcast (F, "broadcast_mul", s, i);

  i = add_one (F, i);
  s = hyb_unary (F, "tanh", with_number (F, "plus", s, "0.1"));
  *variables = hyb_list_of (F, i, s, NULL);
  return output;
}
static const Simple reaches_maximum = { "100", maximum_body, 7 };

/* --- Other conditions --- */

static HybValue *
at_most_five (HybF *F, HybValue *variables, gpointer user)
{
  return compare (F, "lesser_equal", hyb_item (F, variables, 0), "5");
}

static HybValue *
document_body (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *i = variable (F, variables, 0), *s = variable (F, variables, 1);
  HybValue *output = hyb_add (F, i, s), *next = add_one (F, i);

  *variables = hyb_list_of (F, next, hyb_add (F, s, i), NULL);
  return hyb_list_of (F, output, NULL);
}

static HybValue *
document (HybF *F, Model *model, HybValue *input)
{
  return hyb_while_loop (F, &(HybWhile){ .condition = at_most_five,
                                         .body = document_body,
                                         .variables = input,
                                         .max_iterations = 10 });
}

static HybValue *
sum_below_twenty (HybF *F, HybValue *variables, gpointer user)
{
  HybValue *total = hyb_unary (F, "sum", hyb_unary (F, "abs", hyb_item (F, variables, 0)));

  return compare (F, "lesser", total, "20");
}

static HybValue *
growing_body (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *s = variable (F, variables, 0);
  HybValue *output = add_one (F, s);

  *variables = hyb_list_of (F, with_number (F, "mul", s, "1.7"), NULL);
  return output;
}

static HybValue *
data_dependent (HybF *F, Model *model, HybValue *input)
{
  return hyb_while_loop (F, &(HybWhile){ .condition = sum_below_twenty,
                                         .body = growing_body,
                                         .variables = hyb_list_of (F, input, NULL),
                                         .max_iterations = 20 });
}

typedef struct
{
  Model    *model;
  HybValue *a, *b;
} Outer;

static HybValue *
below_captured (HybF *F, HybValue *variables, gpointer user)
{
  return hyb_broadcast (F, "_lesser", hyb_item (F, variables, 0), ((const Outer *) user)->a);
}

static HybValue *
captured_body (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *s = variable (F, variables, 1);
  HybValue *i = add_one (F, variable (F, variables, 0));

  *variables =
      hyb_list_of (F, i, hyb_broadcast (F, "broadcast_mul", s, ((const Outer *) user)->b), NULL);
  return s;
}

static HybValue *
captured_limit (HybF *F, Model *model, HybValue *input)
{
  HybValue *third = hyb_item (F, input, 2);
  Outer     outer = { model, hyb_unary (F, "sum", hyb_mul (F, third, third)), NULL };
  HybValue *variables = hyb_list_of (F, hyb_item (F, input, 0), hyb_item (F, input, 1), NULL);

  outer.a = with_number (F, "plus", outer.a, "2.5");
  outer.b = hyb_unary (F, "exp", third);
  return hyb_while_loop (F, &(HybWhile){ .condition = below_captured,
                                         .body = captured_body,
                                         .variables = variables,
                                         .max_iterations = 7,
                                         .user = &outer });
}

static HybValue *
not_close (HybF *F, HybValue *variables, gpointer user)
{
  HybValue *y = hyb_item (F, variables, 0);
  HybValue *off = hyb_sub (F, hyb_mul (F, y, y), ((const Outer *) user)->a);

  return compare (F, "greater", hyb_unary (F, "max", hyb_unary (F, "abs", off)), "0.001");
}

static HybValue *
newton_body (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *y = variable (F, variables, 0);
  HybValue *sum = hyb_add (F, y, hyb_div (F, ((const Outer *) user)->a, y));

  y = with_number (F, "mul", sum, "0.5");
  *variables = hyb_list_of (F, y, NULL);
  return y;
}

static HybValue *
newton (HybF *F, Model *model, HybValue *input)
{
  Outer     outer = { model, hyb_item (F, input, 0), NULL };
  HybValue *variables = hyb_list_of (F, hyb_item (F, input, 1), NULL);

  return hyb_while_loop (F, &(HybWhile){ .condition = not_close,
                                         .body = newton_body,
                                         .variables = variables,
                                         .max_iterations = 12,
                                         .user = &outer });
}

/* --- Loops in networks and in loops --- */

static HybValue *
below (HybF *F, HybValue *variables, gpointer limit)
{
  return compare (F, "lesser", hyb_item (F, variables, 0), limit);
}

static HybValue *
shrinking_body (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *s = variable (F, variables, 1);
  HybValue *i = add_one (F, variable (F, variables, 0));

  *variables = hyb_list_of (F, i, with_number (F, "mul", s, "0.8"), NULL);
  return s;
}

static HybValue *
in_network (HybF *F, Model *model, HybValue *input)
{
  HybValue *sine = hyb_unary (F, "sin", hyb_item (F, input, 1));
  HybValue *variables = hyb_list_of (F, hyb_item (F, input, 0), sine, NULL);
  HybValue *result = hyb_while_loop (F, &(HybWhile){ .condition = below,
                                                     .body = shrinking_body,
                                                     .variables = variables,
                                                     .max_iterations = 3,
                                                     .user = (gpointer) "50" });
  HybValue *y =
      HYB_OP (F, "FullyConnected", .in = { hyb_item (F, result, 0), hyb_use (F, model->w[0]) },
              .attributes = HYB_WITH ("flatten", "False", "no_bias", "True", "num_hidden", "2"));

  y = hyb_sum (F, y, "0");
  return hyb_list_of (F, y, add_one (F, hyb_item (F, hyb_item (F, result, 1), 1)), NULL);
}

static void
in_network_parts (Model *model)
{
  model->w[0] = add_weight (model, "w", 2, 3);
}

static HybValue *
scale_and_drift (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  HybValue *y = hyb_mul (F, x, *state);

  *state = hyb_add (F, *state, with_number (F, "mul", x, "0.1"));
  return y;
}

static HybValue *
foreach_inside_body (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *result =
      hyb_foreach (F, scale_and_drift, ((const Outer *) user)->a, variable (F, variables, 1), NULL);
  HybValue *output = hyb_sum (F, hyb_item (F, result, 0), "0");
  HybValue *i = add_one (F, variable (F, variables, 0));

  *variables = hyb_list_of (F, i, hyb_item (F, result, 1), NULL);
  return output;
}

static HybValue *
below_three (HybF *F, HybValue *variables, gpointer user)
{
  return compare (F, "lesser", hyb_item (F, variables, 0), "3");
}

static HybValue *
foreach_inside (HybF *F, Model *model, HybValue *input)
{
  Outer     outer = { model, hyb_item (F, input, 2), NULL };
  HybValue *variables = hyb_list_of (F, hyb_item (F, input, 0), hyb_item (F, input, 1), NULL);

  return hyb_while_loop (F, &(HybWhile){ .condition = below_three,
                                         .body = foreach_inside_body,
                                         .variables = variables,
                                         .max_iterations = 4,
                                         .user = &outer });
}

static HybValue *
halving_body (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *i = add_one (F, variable (F, variables, 0));
  HybValue *half = with_number (F, "mul", variable (F, variables, 1), "0.5");

  *variables = hyb_list_of (F, i, hyb_add (F, half, ((const Outer *) user)->a), NULL);
  return hyb_list (F, 0, NULL);
}

static HybValue *
while_inside_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  Outer     outer = { user, x, NULL };
  HybValue *variables = hyb_list_of (F, with_number (F, "mul", *state, "0"), *state, NULL);
  HybValue *last, *y;

  last = hyb_item (F,
                   hyb_while_loop (F, &(HybWhile){ .condition = below_three,
                                                   .body = halving_body,
                                                   .variables = variables,
                                                   .max_iterations = 5,
                                                   .user = &outer }),
                   1);
  y = with_number (F, "mul", hyb_item (F, last, 1), "2");
  *state = hyb_add (F, hyb_item (F, last, 1), with_number (F, "mul", hyb_item (F, last, 0), "0"));
  return y;
}

static HybValue *
inside_foreach (HybF *F, Model *model, HybValue *input)
{
  return hyb_foreach (F, while_inside_body, hyb_item (F, input, 0), hyb_item (F, input, 1), model);
}

static HybValue *
inner_turn (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *j = variable (F, variables, 0), *s = variable (F, variables, 1);
  HybValue *next = add_one (F, j);

  s = hyb_add (F, s, with_number (F, "mul", j, "0"));
  s = hyb_unary (F, "tanh", with_number (F, "plus", s, "0.2"));
  *variables = hyb_list_of (F, next, with_number (F, "mul", s, "1.1"), NULL);
  return hyb_list (F, 0, NULL);
}

static HybValue *
outer_turn (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *i = variable (F, variables, 0), *s = variable (F, variables, 1);
  HybValue *inner = hyb_list_of (F, with_number (F, "mul", i, "0"), s, NULL);
  HybValue *last = hyb_item (F,
                             hyb_while_loop (F, &(HybWhile){ .condition = below_three,
                                                             .body = inner_turn,
                                                             .variables = inner,
                                                             .max_iterations = 4 }),
                             1);
  HybValue *next = add_one (F, i);
  HybValue *steps = with_number (F, "mul", hyb_item (F, last, 0), "0");

  *variables = hyb_list_of (F, next, hyb_add (F, hyb_item (F, last, 1), steps), NULL);
  return hyb_item (F, last, 1);
}

static HybValue *
nested (HybF *F, Model *model, HybValue *input)
{
  return hyb_while_loop (F, &(HybWhile){ .condition = below_three,
                                         .body = outer_turn,
                                         .variables = input,
                                         .max_iterations = 5 });
}

static HybValue *
recurrent_body (HybF *F, HybValue **variables, gpointer user)
{
  const Outer *outer = user;
  Model       *model = outer->model;
  HybValue    *i = variable (F, variables, 0);
  HybValue    *x = HYB_OP (F, "take", .in = { outer->a, i });
  HybValue    *fresh = product (F, hyb_squeeze (F, x, 0), model->w[0], model->w[1], "4");
  HybValue    *kept = hyb_dot (F, variable (F, variables, 1), hyb_use (F, model->w[2]), FALSE);
  HybValue    *h = hyb_unary (F, "tanh", hyb_add (F, fresh, kept));

  *variables = hyb_list_of (F, add_one (F, i), h, NULL);
  return h;
}

static HybValue *
below_four (HybF *F, HybValue *variables, gpointer user)
{
  return compare (F, "lesser", hyb_item (F, variables, 0), "4");
}

static HybValue *
recurrent (HybF *F, Model *model, HybValue *input)
{
  Outer     outer = { model, hyb_item (F, input, 0), NULL };
  HybValue *variables = hyb_list_of (F, hyb_item (F, input, 1), hyb_item (F, input, 2), NULL);

  return hyb_while_loop (F, &(HybWhile){ .condition = below_four,
                                         .body = recurrent_body,
                                         .variables = variables,
                                         .max_iterations = 6,
                                         .user = &outer });
}

static void
recurrent_parts (Model *model)
{
  model->w[0] = add_weight (model, "w", 4, 3);
  model->w[1] = add_weight (model, "b", 4, 0);
  model->w[2] = add_weight (model, "u", 4, 4);
}

static const ModelRow rows[] = {
  { "while-captured-limit", "Fn", "[0, 0, 0]", captured_limit },
  { "while-data-dependent", "Fn", "0", data_dependent },
  { "while-document", "Fn", "[0, 0]", document },
  { "while-exchange", "Fn", "[0, 0, 0]", simple_loop, NULL, &exchange },
  { "while-foreach-inside", "Fn", "[0, 0, 0]", foreach_inside },
  { "while-in-network", "Fn", "[0, 0]", in_network, in_network_parts },
  { "while-inside-foreach", "Fn", "[0, 0]", inside_foreach },
  { "while-int-counter", "Fn", "[0, 0]", simple_loop, NULL, &int_counter },
  { "while-multi-output", "Fn", "[0, 0, 0]", simple_loop, NULL, &multi_output },
  { "while-nested", "Fn", "[0, 0]", nested },
  { "while-newton", "Fn", "[0, 0]", newton },
  { "while-no-output", "Fn", "[0, 0]", simple_loop, NULL, &no_output },
  { "while-no-step", "Fn", "[0, 0]", simple_loop, NULL, &no_step },
  { "while-pass-through", "Fn", "[0, 0, 0]", simple_loop, NULL, &pass_through },
  { "while-reaches-maximum", "Fn", "[0, 0]", simple_loop, NULL, &reaches_maximum },
  { "while-rnn", "Fn", "[0, 0, 0]", recurrent, recurrent_parts },
};

void
exports_add_while (void)
{
  export_check_add_models (rows, G_N_ELEMENTS (rows));
}
