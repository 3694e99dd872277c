/* write-step.c — writes one step of a cell with the nodes and names that Gluon's cells give it.
 *
 * i2h and h2h are the products of the input and of h with the weights of all gates.  Start reading
 * at hyb_write_step().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/write-step.h"

#include <math.h>

typedef struct
{
  HybRebuild            *rebuild;
  const HybUnrolledCell *cell;
  guint                  step;
} StepWriter;

/* Adds a node.  call->name is its role; prefix and step are put before it. */
static HybValueId
add_call (const StepWriter *writer, const HybRebuildCall *call)
{
  g_autofree char *name =
      g_strdup_printf ("%st%u_%s", writer->cell->prefix, writer->step, call->name);
  HybRebuildCall named = *call;

  named.name = name;
  return hyb_rebuild_call (writer->rebuild, &named);
}

static HybValueId
binary (const StepWriter *writer, const char *op, const char *suffix, HybValueId a, HybValueId b)
{
  return add_call (writer, &(HybRebuildCall){ op, suffix, 2, (const HybValueId[]){ a, b }, NULL });
}

static HybValueId
unary (const StepWriter *writer, const char *op, const char *suffix, HybValueId x)
{
  return add_call (writer, &(HybRebuildCall){ op, suffix, 1, &x, NULL });
}

static HybValueId
activation (const StepWriter *writer, const char *type, const char *suffix, HybValueId x)
{
  const char *const attributes[] = { "act_type", type, NULL };

  return add_call (writer, &(HybRebuildCall){ "Activation", suffix, 1, &x, attributes });
}

/* A product with a weight. */
typedef struct
{
  const char *suffix; /* of the name */
  HybValueId  weight, bias;
  gint64      rows;
} Product;

static HybValueId
linear (const StepWriter *writer, HybValueId x, const Product *product)
{
  g_autofree char  *rows = g_strdup_printf ("%" G_GINT64_FORMAT, product->rows);
  HybValueId        bias = product->bias;
  const HybValueId  inputs[] = { x, product->weight, bias };
  const char *const attributes[] = { "num_hidden", rows, NULL };
  const char *const without_bias[] = { "no_bias", "True", "num_hidden", rows, NULL };

  HybRebuildCall call = { "FullyConnected", product->suffix, bias == HYB_NO_ID ? 2 : 3, inputs,
                          bias == HYB_NO_ID ? without_bias : attributes };

  return add_call (writer, &call);
}

static HybValueId
split (const StepWriter *writer, const char *suffix, HybValueId x)
{
  const char *const attributes[] = { "num_outputs",
                                     hyb_cell_kind_n_gates (writer->cell->kind) == 4 ? "4" : "3",
                                     NULL };

  return add_call (writer, &(HybRebuildCall){ "SliceChannel", suffix, 1, &x, attributes });
}

/* A limit of a value: op is an operator with a number. */
static HybValueId
limit (const StepWriter *writer, const char *op, const char *suffix, HybValueId x, double bound)
{
  char              number[G_ASCII_DTOSTR_BUF_SIZE];
  const char *const attributes[] = { "scalar", g_ascii_dtostr (number, sizeof number, bound),
                                     NULL };

  return isinf (bound) ? x : add_call (writer, &(HybRebuildCall){ op, suffix, 1, &x, attributes });
}

/* The cell state within its limits, if it has some.  The operator clip would round them to float32. */
static HybValueId
clip (const StepWriter *writer, HybValueId c)
{
  if (!writer->cell->clips)
    return c;
  c = limit (writer, "_maximum_scalar", "clip_min", c, writer->cell->clip_min);
  return limit (writer, "_minimum_scalar", "clip_max", c, writer->cell->clip_max);
}

static HybValueId
write_plain (const StepWriter *writer, HybValueId i2h, HybValueId h2h)
{
  return unary (writer, writer->cell->kind == HYB_CELL_RNN_TANH ? "tanh" : "relu", "out",
                binary (writer, "elemwise_add", "plus0", i2h, h2h));
}

static HybValueId
write_lstm (const StepWriter *writer, HybValueId i2h, HybValueId h2h, HybValueId *c)
{
  HybValueId gates = split (writer, "slice", binary (writer, "elemwise_add", "plus0", i2h, h2h));
  HybValueId i = unary (writer, "sigmoid", "i", gates);
  HybValueId f = unary (writer, "sigmoid", "f", gates + 1);
  HybValueId g = unary (writer, "tanh", "c", gates + 2);
  HybValueId o = unary (writer, "sigmoid", "o", gates + 3);

  *c = binary (writer, "elemwise_add", "state", binary (writer, "elemwise_mul", "mul0", f, *c),
               binary (writer, "elemwise_mul", "mul1", i, g));
  *c = clip (writer, *c);
  return binary (writer, "elemwise_mul", writer->cell->kind == HYB_CELL_LSTMP ? "hidden" : "out", o,
                 activation (writer, "tanh", "activation0", *c));
}

static HybValueId
write_gru (const StepWriter *writer, HybValueId i2h, HybValueId h2h, HybValueId h)
{
  HybValueId x = split (writer, "i2h_slice", i2h);
  HybValueId s = split (writer, "h2h_slice", h2h);
  HybValueId r =
      activation (writer, "sigmoid", "r_act", binary (writer, "elemwise_add", "plus0", x, s));
  HybValueId z = activation (writer, "sigmoid", "z_act",
                             binary (writer, "elemwise_add", "plus1", x + 1, s + 1));
  HybValueId reset = binary (writer, "elemwise_mul", "mul0", r, s + 2);
  HybValueId n =
      activation (writer, "tanh", "h_act", binary (writer, "elemwise_add", "plus2", x + 2, reset));
  HybValueId rest =
      binary (writer, "elemwise_sub", "minus0", unary (writer, "ones_like", "ones_like0", z), z);

  return binary (writer, "elemwise_add", "out", binary (writer, "elemwise_mul", "mul1", rest, n),
                 binary (writer, "elemwise_mul", "mul20", z, h));
}

void
hyb_write_step (HybRebuild            *rebuild,
                const HybUnrolledCell *cell,
                guint                  step,
                HybValueId             x,
                HybCellStates         *states)
{
  StepWriter writer = { rebuild, cell, step };
  gint64     rows = hyb_cell_kind_n_gates (cell->kind) * cell->hidden;
  Product    input = { "i2h", cell->i2h_weight, cell->i2h_bias, rows };
  Product    hidden = { "h2h", cell->h2h_weight, cell->h2h_bias, rows };
  Product    projection = { "out", cell->h2r_weight, HYB_NO_ID, cell->projection };
  HybValueId i2h = linear (&writer, x, &input);
  HybValueId h2h = linear (&writer, states->h, &hidden);

  if (cell->kind == HYB_CELL_LSTMP)
    states->h = linear (&writer, write_lstm (&writer, i2h, h2h, &states->c), &projection);
  else if (cell->kind == HYB_CELL_LSTM)
    states->h = write_lstm (&writer, i2h, h2h, &states->c);
  else if (cell->kind == HYB_CELL_GRU)
    states->h = write_gru (&writer, i2h, h2h, states->h);
  else
    states->h = write_plain (&writer, i2h, h2h);
}
