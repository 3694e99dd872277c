/* test-exports-control.c — loops and branches traced in C give, byte for byte, the
 * symbol files that MXNet exported; and at once they compute the same.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/control.h"
#include "engine/rnn/cell.h"
#include "tests/engine/block/export-check.h"

/* A block that is nothing but a function. */
typedef struct
{
  HybBlock parent;
  HybValue *(*function) (HybF *F, HybBlock *block, HybValue *input);
  HybBlock     *cell;
  HybParameter *w;
} Fn;

static HybValue *
fn_forward (HybF *F, HybBlock *block, HybValue *input)
{
  return ((Fn *) block)->function (F, block, input);
}

static const HybBlockClass fn_class = {
  .name = "Fn",
  .size = sizeof (Fn),
  .forward = fn_forward,
};
static const HybBlockClass foreach_rnn_class = {
  .name = "ForeachRNN",
  .size = sizeof (Fn),
  .forward = fn_forward,
};

static HybValue *
scalar (HybF *F, const char *op, const char *hint, HybValue *x, const char *value)
{
  return HYB_OP (F, op, .hint = hint, .in = { x }, .attributes = HYB_WITH ("scalar", value));
}

/* ---- foreach ---- */

typedef struct
{
  HybValue *scale, *shift;
} Captured;

static HybValue *
captured_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  const Captured *captured = user;
  HybValue       *product = hyb_mul (F, x, captured->scale);
  HybValue       *y = hyb_add (F, product, hyb_mul (F, *state, captured->shift));

  *state = hyb_unary (F, "relu", y);
  return y;
}

static HybValue *
captured_values (HybF *F, HybBlock *block, HybValue *input)
{
  HybValue *third = hyb_item (F, input, 2);
  Captured  captured;
  HybValue *result;

  captured.scale = hyb_unary (F, "exp", scalar (F, "_mul_scalar", "_mulscalar", third, "0.3"));
  captured.shift =
      hyb_broadcast (F,
                     "broadcast_add",
                     captured.scale,
                     HYB_OP (F,
                             "mean",
                             .in = { third },
                             .attributes = HYB_WITH ("axis", "0", "keepdims", "True")));
  result =
      hyb_foreach (F, captured_body, hyb_item (F, input, 0), hyb_item (F, input, 1), &captured);
  return hyb_list_of (F, hyb_item (F, result, 0), hyb_item (F, result, 1), captured.shift, NULL);
}

static HybValue *
inner_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  return *state = hyb_add (F, *state, hyb_mul (F, x, hyb_use (F, user)));
}

static HybValue *
outer_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  HybValue *result = hyb_foreach (F, inner_body, x, *state, user);

  *state = hyb_unary (F, "tanh", hyb_item (F, result, 1));
  return scalar (F, "_mul_scalar", "_mulscalar", hyb_item (F, result, 0), "2");
}

static HybValue *
nested_loops (HybF *F, HybBlock *block, HybValue *input)
{
  HybParameter *w = ((Fn *) block)->w;

  hyb_use (F, w); /* the parameter is touched outside first */
  return hyb_foreach (F, outer_body, hyb_item (F, input, 0), hyb_item (F, input, 1), w);
}

static HybValue *
rnn_body (HybF *F, HybValue *x, HybValue **states, gpointer cell)
{
  HybValue *output = hyb_cell_step (F, cell, x, states);

  return hyb_list_of (F, output, *states, NULL);
}

static HybValue *
foreach_rnn (HybF *F, HybBlock *block, HybValue *input)
{
  HybValue *result = hyb_foreach (F,
                                  rnn_body,
                                  hyb_item (F, input, 0),
                                  hyb_item (F, input, 1),
                                  ((Fn *) block)->cell);

  return hyb_item (F, result, 0);
}

/* ---- while_loop ---- */

static HybValue *
at_most_five (HybF *F, HybValue *variables, gpointer user)
{
  return scalar (F,
                 "_lesser_equal_scalar",
                 "_lesser_equal_scalar",
                 hyb_item (F, variables, 0),
                 "5");
}

static HybValue *
count_and_sum (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *i = hyb_item (F, *variables, 0), *s = hyb_item (F, *variables, 1);
  HybValue *output = hyb_add (F, i, s);
  HybValue *next = scalar (F, "_plus_scalar", "_plusscalar", i, "1");

  *variables = hyb_list_of (F, next, hyb_add (F, s, i), NULL);
  return hyb_list_of (F, output, NULL);
}

static HybValue *
while_document (HybF *F, HybBlock *block, HybValue *input)
{
  return hyb_while_loop (F, at_most_five, count_and_sum, input, 10, NULL);
}

/* ---- cond ---- */

static HybValue *
add_both (HybF *F, gpointer user)
{
  const Captured *captured = user;

  return hyb_list_of (F, hyb_add (F, captured->scale, captured->shift), captured->scale, NULL);
}

static HybValue *
subtract_both (HybF *F, gpointer user)
{
  const Captured *captured = user;

  return hyb_list_of (F, hyb_sub (F, captured->scale, captured->shift), captured->shift, NULL);
}

static HybValue *
cond_captured (HybF *F, HybBlock *block, HybValue *input)
{
  Captured  captured = { .scale = hyb_unary (F, "exp", hyb_item (F, input, 1)),
                         .shift = hyb_item (F, input, 0) };
  HybValue *total = HYB_OP (F, "sum", .in = { hyb_mul (F, captured.scale, captured.shift) });

  return hyb_cond (F,
                   scalar (F, "_greater_scalar", "_greater_scalar", total, "0"),
                   add_both,
                   subtract_both,
                   &captured);
}

typedef struct
{
  HybValue *x, *selector;
} Choice;

static HybValue *
twice (HybF *F, gpointer user)
{
  return scalar (F, "_mul_scalar", "_mulscalar", ((Choice *) user)->x, "2");
}

static HybValue *
sine (HybF *F, gpointer user)
{
  return hyb_unary (F, "sin", ((Choice *) user)->x);
}

static HybValue *
exponential (HybF *F, gpointer user)
{
  return hyb_unary (F, "exp", ((Choice *) user)->x);
}

static HybValue *
minus_one (HybF *F, gpointer user)
{
  return scalar (F, "_minus_scalar", "_minusscalar", ((Choice *) user)->x, "1");
}

static HybValue *
below (HybF *F, gpointer user, const char *limit)
{
  return scalar (F, "_lesser_scalar", "_lesser_scalar", ((Choice *) user)->selector, limit);
}

static HybValue *
two_or_more (HybF *F, gpointer user)
{
  return hyb_cond (F, below (F, user, "2"), exponential, minus_one, user);
}

static HybValue *
one_or_more (HybF *F, gpointer user)
{
  return hyb_cond (F, below (F, user, "1"), sine, two_or_more, user);
}

static HybValue *
cond_nested (HybF *F, HybBlock *block, HybValue *input)
{
  Choice choice = { .x = hyb_item (F, input, 0), .selector = hyb_item (F, input, 1) };

  return hyb_cond (F, below (F, &choice, "0"), twice, one_or_more, &choice);
}

/* ---- The table ---- */

typedef struct
{
  const char *folder;
  const char *structure;
  HybValue *(*function) (HybF *F, HybBlock *block, HybValue *input);
} Row;

static const Row rows[] = {
  { "foreach-captured-values", "[0, 0, 0]", captured_values },
  { "foreach-nested", "[0, 0]", nested_loops },
  { "foreachrnn-lstm", "[0, [0, 0]]", foreach_rnn },
  { "while-document", "[0, 0]", while_document },
  { "cond-captured", "[0, 0]", cond_captured },
  { "cond-nested-0", "[0, 0]", cond_nested },
};

static HybBlock *
build (gconstpointer data)
{
  const Row *row = data;
  HybBlock  *block =
      hyb_block_new (row->function == foreach_rnn ? &foreach_rnn_class : &fn_class, NULL);
  Fn *self = (Fn *) block;

  self->function = row->function;
  if (row->function == foreach_rnn)
    self->cell = hyb_block_add_child (block, hyb_lstm_cell (.hidden = 4, .input_size = 3), "cell");
  if (row->function == nested_loops)
    self->w =
        hyb_block_add_parameter (block,
                                 &(HybParameterSpec){ .name = "w", .shape = hyb_shape_1d (3) });
  return block;
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    export_check_add (rows[i].folder, build, &rows[i], rows[i].structure);
  return g_test_run ();
}
