/* export-parts.c — parts that several models of the export tests have in common.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/block/export-check.h"

static HybValue *
model_forward (HybF *F, HybBlock *block, HybValue *input)
{
  Model *model = (Model *) block;

  return model->row->forward (F, model, input);
}

static const HybBlockClass model_class = {
  .name = "Model",
  .size = sizeof (Model),
  .forward = model_forward,
};

HybBlock *
model_from_row (const ModelRow *row)
{
  HybBlock *block = hyb_block_new_full (&model_class, row->name, row->prefix, NULL);
  Model    *model = (Model *) block;

  model->row = row;
  hyb_block_enter_scope (block);
  if (row->prepare)
    row->prepare (model);
  hyb_block_leave_scope (block);
  return block;
}

HybValue *
with_number (HybF *F, const char *op, HybValue *x, const char *text)
{
  return HYB_OP (F, hyb_f_text (F, "_%s_scalar", op), .hint = hyb_f_text (F, "_%sscalar", op),
                 .in = { x }, .attributes = HYB_WITH ("scalar", text));
}

HybValue *
compare (HybF *F, const char *op, HybValue *x, const char *text)
{
  return HYB_OP (F, hyb_f_text (F, "_%s_scalar", op), .in = { x },
                 .attributes = HYB_WITH ("scalar", text));
}

HybValue *
with_axis (HybF *F, const char *op, HybValue *x, const char *axis)
{
  return HYB_OP (F, op, .in = { x }, .attributes = HYB_WITH ("axis", axis));
}

HybValue *
product (HybF *F, HybValue *x, HybParameter *weight, HybParameter *bias, const char *n)
{
  return HYB_OP (F, "FullyConnected",
                 .in = { x, hyb_use (F, weight), bias ? hyb_use (F, bias) : NULL },
                 .attributes = HYB_WITH ("no_bias", !bias ? "True" : NULL, "num_hidden", n));
}

HybParameter *
add_weight (Model *model, const char *name, gint64 rows, gint64 columns)
{
  HybShape shape = columns > 0 ? hyb_shape_2d (rows, columns) : hyb_shape_1d (rows);

  return hyb_block_add_parameter (&model->parent,
                                  &(HybParameterSpec){ .name = name, .shape = shape });
}
