/* exports-networks.c — export tests: networks of Gluon's layers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers.h"
#include "tests/engine/block/export-check.h"

/* One part after the other. */
static HybValue *
chain (HybF *F, Model *model, HybValue *x)
{
  for (guint i = 0; i < hyb_block_n_children (&model->parent); i++)
    x = hyb_call (F, hyb_block_get_child (&model->parent, i), x);
  return x;
}

static HybBlock *
conv (gint64 channels, gint64 extent, const char *activation)
{
  return hyb_conv (.channels = channels, .kernel = hyb_shape_2d (extent, extent),
                   .activation = activation);
}

static HybBlock *
max_pool (void)
{
  return hyb_pool (.type = "max", .size = hyb_shape_2d (2, 2));
}

static HybBlock *
global_pool (const char *type, int rank)
{
  return hyb_pool (.type = type, .global = TRUE, .rank = rank);
}

/* --- The tutorial's net: layers and a weight of its own --- */

static HybValue *
tutorial (HybF *F, Model *model, HybValue *x)
{
  x = hyb_unary (F, "relu", hyb_call (F, model->part[0], x));
  x = hyb_call (F, model->part[1], x);
  x = hyb_unary (F, "relu", hyb_call (F, model->part[2], x));
  x = hyb_reshape (F, hyb_call (F, model->part[3], x), "(0, -1)");
  x = hyb_unary (F, "relu", hyb_call (F, model->part[4], x));
  x = hyb_unary (F, "relu", hyb_call (F, model->part[5], x));
  return hyb_dot (F, x, hyb_use (F, model->w[0]), TRUE);
}

static void
tutorial_parts (Model *model)
{
  const gint64 *widths = model->row->data;
  HybBlock     *block = &model->parent;

  model->part[0] = hyb_append (block, conv (widths[0], 5, NULL));
  model->part[1] = hyb_append (block, max_pool ());
  model->part[2] = hyb_append (block, conv (widths[1], 5, NULL));
  model->part[3] = hyb_append (block, max_pool ());
  model->part[4] = hyb_append (block, hyb_dense (.units = widths[2]));
  model->part[5] = hyb_append (block, hyb_dense (.units = widths[3]));
  model->w[0] = add_weight (model, "fc3_weight", 10, widths[3]);
}

static const gint64 full[] = { 6, 16, 120, 84 }, narrow[] = { 3, 4, 12, 10 };

static void
lenet_parts (Model *model)
{
  HybBlock *block = &model->parent;

  hyb_append (block, conv (4, 5, "tanh"));
  hyb_append (block, max_pool ());
  hyb_append (block, conv (6, 3, "tanh"));
  hyb_append (block, max_pool ());
  hyb_append (block, hyb_flatten_new (NULL));
  hyb_append (block, hyb_dense (.units = 12, .activation = "tanh"));
  hyb_append (block, hyb_dense (.units = 10));
}

/* --- Dense after Dense --- */

static void
deep_parts (Model *model)
{
  for (guint i = 0; i < 6; i++)
    hyb_append (&model->parent, hyb_dense (.units = 7, .activation = "tanh"));
  hyb_append (&model->parent, hyb_dense (.units = 2));
}

static void
dropout_parts (Model *model)
{
  HybBlock *block = &model->parent;

  hyb_append (block, hyb_dense (.units = 8, .activation = "relu"));
  hyb_append (block, hyb_dropout_new (0.5, NULL));
  hyb_append (block, hyb_dense (.units = 6, .activation = "relu"));
  hyb_append (block, hyb_dropout_new (0.5, NULL));
  hyb_append (block, hyb_dense (.units = 3));
}

static void
image_parts (Model *model)
{
  hyb_append (&model->parent, hyb_dense (.units = 9, .activation = "relu"));
  hyb_append (&model->parent, hyb_dense (.units = 4));
}

static void
two_parts (Model *model)
{
  HybBlock *block = &model->parent;

  hyb_append (block, hyb_dense (.units = 8, .activation = "relu"));
  hyb_append (block, hyb_dense (.units = 6, .activation = "relu"));
  hyb_append (block, hyb_dense (.units = 3));
}

static HybBlock *
single_dense (gconstpointer data)
{
  return hyb_dense (.units = 3);
}

static void
double_parts (Model *model)
{
  hyb_append (&model->parent, hyb_dense (.units = 5, .activation = "relu"));
  hyb_append (&model->parent, hyb_dense (.units = 2));
  hyb_block_cast (&model->parent, HYB_F64);
}

/* The first layer again, and one that has its parameters. */
static void
shared_parts (Model *model)
{
  HybBlock *block = &model->parent;
  HybBlock *first = hyb_append (block, hyb_dense (.units = 5, .activation = "tanh", .in_units = 5));

  hyb_append (block, hyb_dense (.units = 5, .activation = "relu", .in_units = 5, .shared = first));
  hyb_append (block, hyb_block_ref (first));
}

/* --- Several inputs and outputs --- */

static HybValue *
two_inputs (HybF *F, Model *model, HybValue *input)
{
  HybValue *a = hyb_call (F, model->part[0], hyb_item (F, input, 0));
  HybValue *b = hyb_call (F, model->part[1], hyb_item (F, input, 1));
  HybValue *both = hyb_concat (F, hyb_list_of (F, a, hyb_sum (F, b, "1"), NULL), 1);

  return hyb_list_of (F, a, hyb_list_of (F, b, both, NULL), NULL);
}

static void
two_inputs_parts (Model *model)
{
  HybBlock *block = &model->parent;

  model->part[0] = hyb_append (block, hyb_dense (.units = 4, .activation = "tanh"));
  model->part[1] =
      hyb_append (block, hyb_dense (.units = 3, .no_flatten = TRUE, .activation = "sigmoid"));
}

/* --- Many kinds of layers --- */

static void
mixed_parts (Model *model)
{
  HybBlock *block = &model->parent;

  hyb_append (block,
              hyb_conv (.channels = 3, .kernel = hyb_shape_2d (4, 4), .stride = hyb_shape_2d (2, 2),
                        .pad = hyb_shape_2d (1, 1), .transposed = TRUE));
  hyb_append (block, hyb_leaky_new ("leaky", 0.1, NULL));
  hyb_append (block, hyb_conv (.channels = 4, .kernel = hyb_shape_2d (3, 3),
                               .dilate = hyb_shape_2d (2, 2)));
  hyb_append (block, hyb_leaky_new ("prelu", 0, NULL));
  hyb_append (block, hyb_instance_norm (.epsilon = 1e-5));
  hyb_append (block, hyb_conv (.channels = 4, .kernel = hyb_shape_2d (3, 3), .groups = 4));
  hyb_append (block, hyb_leaky_new ("elu", 0.7, NULL));
  hyb_append (block, hyb_layer_norm (.epsilon = 1e-5));
  hyb_append (block, hyb_leaky_new ("swish", 1, NULL));
  hyb_append (block, global_pool ("max", 2));
  hyb_append (block, hyb_flatten_new (NULL));
  hyb_append (block, hyb_dense (.units = 5));
  hyb_append (block, hyb_leaky_new ("selu", 0, NULL));
  hyb_append (block, hyb_leaky_new ("gelu", 0, NULL));
}

static HybValue *
channels_first (HybF *F, HybValue *x)
{
  return hyb_transpose (F, x, "(0, 2, 1)");
}

static void
text_parts (Model *model)
{
  HybBlock *block = &model->parent;

  hyb_append (block, hyb_embedding_new (11, 6, NULL));
  hyb_append (block, hyb_lambda_new (channels_first, NULL));
  hyb_append (block, hyb_conv (.channels = 5, .kernel = hyb_shape_1d (3), .pad = hyb_shape_1d (1),
                               .activation = "relu"));
  hyb_append (block, hyb_pool (.type = "max", .size = hyb_shape_1d (2)));
  hyb_append (block,
              hyb_conv (.channels = 4, .kernel = hyb_shape_1d (2), .stride = hyb_shape_1d (2)));
  hyb_append (block, global_pool ("avg", 1));
  hyb_append (block, hyb_dense (.units = 3));
}

static HybValue *
constants (HybF *F, Model *model, HybValue *x)
{
  HybValue *row = hyb_slice_axis (F, hyb_use (F, model->w[0]), 0, 1, 2);

  return hyb_call (F, model->part[0], hyb_broadcast (F, "broadcast_mul", x, row));
}

static void
constants_parts (Model *model)
{
  g_autoptr (HybTensor) scale = hyb_tensor_new_float (2, (const gint64[]){ 2, 3 }, NULL);

  model->w[0] = hyb_block_add_constant (&model->parent, "scale", scale);
  model->part[0] = hyb_append (&model->parent, hyb_dense (.units = 2));
}

/* --- BatchNorm and a residual block --- */

static HybBlock *
plain_conv (gint64 stride)
{
  return hyb_conv (.channels = 4, .kernel = hyb_shape_2d (3, 3),
                   .stride = hyb_shape_2d (stride, stride), .pad = hyb_shape_2d (1, 1),
                   .no_bias = TRUE);
}

static HybValue *
residual (HybF *F, Model *model, HybValue *x)
{
  HybValue *y = chain (F, model, x);

  return hyb_activation (F, hyb_add (F, y, x), "relu", NULL);
}

static void
residual_parts (Model *model)
{
  HybBlock *block = &model->parent;

  hyb_append (block, plain_conv (1));
  hyb_append (block, hyb_batch_norm (.epsilon = 1e-5));
  hyb_append (block, hyb_activation_new ("relu", NULL));
  hyb_append (block, plain_conv (1));
  hyb_append (block, hyb_batch_norm (.epsilon = 1e-5));
}

static const ModelRow residual_row = { NULL, "Residual", NULL, residual, residual_parts };

static void
batch_norm_parts (Model *model)
{
  HybBlock *block = &model->parent;

  hyb_append (block, plain_conv (2));
  hyb_append (block, hyb_batch_norm (.epsilon = 1e-5));
  hyb_append (block, hyb_activation_new ("relu", NULL));
  hyb_append (block, model_from_row (&residual_row));
  hyb_append (block, global_pool ("avg", 2));
  hyb_append (block, hyb_dense (.units = 3));
}

static const ModelRow rows[] = {
  { "bn-residual-predict", "BnNet", "0", chain, batch_norm_parts, NULL, "bnnet_" },
  { "bn-residual-train", "BnNet", "0", chain, batch_norm_parts, NULL, "bnnet_" },
  { "constant-parameter", "Constants", "0", constants, constants_parts },
  { "conv1d-text", "HybridSequential", "0", chain, text_parts },
  { "double-precision", "HybridSequential", "0", chain, double_parts },
  { "layers-mixed", "HybridSequential", "0", chain, mixed_parts },
  { "lenet-sequential", "HybridSequential", "0", chain, lenet_parts },
  { "lenet-static", "Net", "0", tutorial, tutorial_parts, narrow },
  { "lenet-tutorial", "Net", "0", tutorial, tutorial_parts, full },
  { "lenet-tutorial-epoch1", "Net", "0", tutorial, tutorial_parts, narrow },
  { "mlp-deep", "HybridSequential", "0", chain, deep_parts },
  { "mlp-dropout", "HybridSequential", "0", chain, dropout_parts },
  { "mlp-image-input", "HybridSequential", "0", chain, image_parts },
  { "mlp-two", "HybridSequential", "0", chain, two_parts },
  { "shared-weights", "HybridSequential", "0", chain, shared_parts },
  { "two-inputs", "Two", "[0, 0]", two_inputs, two_inputs_parts },
};

void
exports_add_networks (void)
{
  export_check_add_models (rows, G_N_ELEMENTS (rows));
  export_check_add ("single-dense", single_dense, NULL, "0");
}
