/* panel-product.c — _weight_panels packs a weight into panels (kernels/matrix/panels.h), and
 * _panel_product is FullyConnected with such a weight.
 *
 * passes/pack-weights.c inserts them where a weight is multiplied often.  Start with
 * product_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/kernels/matrix/panels.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/linear/product-params.h"

typedef struct
{
  gboolean transposed;
} PanelsParams;

static const HybParam panels_params[] = {
  { HYB_FIELD (PanelsParams, transposed), HYB_PARAM_BOOL, "False",
    .doc = "pack for products with the transpose of the weight" },
  { 0 },
};

/* --- _weight_panels --- */

/* The size k × n of the weight as the right side of a product. */
static void
measure_weight (const HybCall *call, gint64 *n, gint64 *k)
{
  const PanelsParams *params = call->params;
  const HybShape     *weight = &call->input[0].shape;

  *n = weight->dim[params->transposed ? 0 : 1];
  *k = weight->dim[params->transposed ? 1 : 0];
}

static gboolean
panels_infer_shape (HybCall *call, GError **error)
{
  HybShape want;
  gint64   n, k;

  if (!hyb_layer_expect_rank (&call->input[0].shape, "weight", 2, 2, error))
    return FALSE;
  if (!hyb_shape_is_known (&call->input[0].shape))
    return TRUE;
  measure_weight (call, &n, &k);
  want = hyb_shape_1d ((gint64) hyb_panels_size (n, k));
  return hyb_shape_assign (&call->output[0].shape, &want, error);
}

static void
panels_forward (const HybCall *call, const HybRun *run)
{
  const PanelsParams *params = call->params;
  gint64              n, k;

  measure_weight (call, &n, &k);
  hyb_panels_pack (n, k, run->input[0], params->transposed, run->output[0]);
}

/* --- _panel_product --- */

static gboolean
product_infer_shape (HybCall *call, GError **error)
{
  const HybProductParams *params = call->params;
  HybShape               *data = &call->input[0].shape;
  HybShape                want = hyb_shape_2d (HYB_UNKNOWN, params->num_hidden);

  if (!hyb_layer_expect_rank (data, "data", 2, 2, error) ||
      (!params->no_bias &&
       !hyb_layer_expect_vector (&call->input[2].shape, "bias", params->num_hidden, error)))
    return FALSE;
  if (!hyb_shape_is_known (data))
    return TRUE;

  want.dim[0] = data->dim[0];
  return hyb_layer_expect (&call->output[0].shape, "output", &want, error) &&
         hyb_layer_expect_vector (&call->input[1].shape, "panels",
                                  (gint64) hyb_panels_size (params->num_hidden, data->dim[1]),
                                  error);
}

static void
product_forward (const HybCall *call, const HybRun *run)
{
  const HybProductParams *params = call->params;
  const HybShape         *data = &call->input[0].shape;

  hyb_panels_multiply (&(HybPanelProduct){ .m = data->dim[0],
                                           .n = params->num_hidden,
                                           .k = data->dim[1],
                                           .ldx = data->dim[1],
                                           .ldy = params->num_hidden,
                                           .bias = params->no_bias ? NULL : run->input[2] },
                       run->input[0], run->input[1], run->output[0]);
}

/* There are few different texts, which are kept. */
static const char *
product_note (const HybCall *call)
{
  const HybProductParams *params = call->params;
  const HybShape         *data = &call->input[0].shape;
  g_autofree char *how = hyb_panels_describe (data->dim[0], params->num_hidden, data->dim[1]);
  g_autofree char *text = g_strconcat ("weights in panels, ", how, NULL);

  return g_intern_string (text);
}

const HybOp hyb_ops_panel_product[] = {
  { .name = "_weight_panels",
    .doc = "Packs a weight once, for many products of few rows.",
    .category = HYB_CATEGORY_MOVEMENT,
    .flags = HYB_OP_INTERNAL,
    .inputs = (const char *const[]){ "weight", NULL },
    HYB_PARAMS (panels_params, PanelsParams),
    .infer_shape = panels_infer_shape,
    .forward = panels_forward,
    .cost = hyb_rule_cost_move },
  { .name = "_panel_product",
    .doc = "FullyConnected, or its gradient by data, with a packed weight.",
    .category = HYB_CATEGORY_LINEAR,
    .flags = HYB_OP_INTERNAL,
    .inputs = (const char *const[]){ "data", "panels", "bias", NULL },
    .rowwise_inputs = 1u << 0,
    HYB_PARAMS (hyb_product_params, HybProductParams),
    .arity = hyb_product_arity,
    .infer_shape = product_infer_shape,
    .forward = product_forward,
    .note = product_note,
    .cost = hyb_product_cost },
  { 0 },
};
