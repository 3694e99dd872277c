/* flex-attention.c — FlexAttention: attention whose scores and probabilities are changed by graphs.
 *
 * Both graphs are optional; they are written in place.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

#include <math.h>
#include <string.h>

/* A graph has one variable, for the values that it changes. */
static guint
formal_input (const HybOnnxUse *use, guint variable, HybPortKind *port)
{
  *port = HYB_PORT_VALUE;
  return G_MAXUINT;
}

/* The type that scores are normalised in. */
static HybDType
find_precision (HybLowering *lowering, HybDType dtype)
{
  gint64 given = hyb_onnx_int (lowering, "softmax_precision", 0);

  if (given > 0)
    return hyb_onnx_dtype_to_engine ((HybOnnxDType) MIN (given, G_MAXINT16));
  return hyb_dtype_size (dtype) < 4 ? HYB_F32 : dtype;
}

/* The result of the graph of that name for x; x itself if the node has none. */
static HybValueId
change (HybLowering *lowering, const char *name, HybValueId x)
{
  const HybOnnxUse *use = hyb_onnx_use (lowering);
  const HybOp      *op = &use->row->op;
  HybDType          dtype = hyb_lowering_get_type (lowering, x)->dtype;

  for (guint b = 0; b < op->n_bodies; b++)
    {
      g_autofree HybValueId *variables = NULL;
      g_autofree HybValueId *heads = NULL;
      guint                  n;

      if (strcmp (op->body_names[b], name) != 0)
        continue;
      variables = g_new (HybValueId, MAX (use->n_variables[b], 1));
      for (guint v = 0; v < use->n_variables[b]; v++)
        variables[v] = use->body_inputs[b][v] == G_MAXUINT
                           ? x
                           : hyb_lowering_input (lowering, use->body_inputs[b][v]);
      hyb_graph_get_heads (hyb_lowering_get_body (lowering, b), &n);
      heads = g_new (HybValueId, MAX (n, 1));
      if (n != 1)
        hyb_lowering_fail (lowering, NULL, "its graph %s has %u outputs instead of 1", name, n);
      else if (hyb_lowering_inline (lowering, b, variables, heads))
        return hyb_onnx_cast (lowering, heads[0], dtype);
      return HYB_NO_ID;
    }
  return x;
}

static HybValueId
find_scores (HybLowering *lowering, HybValueId q, HybValueId k)
{
  static const gint64 order[] = { 0, 1, 3, 2 };
  double              size = (double) onnx_size (lowering, q, 3);
  double              root = sqrt (hyb_onnx_float (lowering, "scale", 1 / sqrt (size)));

  k = onnx_scale (lowering, hyb_onnx_transpose (lowering, k, 4, order), root);
  return onnx_matmul (lowering, onnx_scale (lowering, q, root), k);
}

static void
lower_flex_attention (HybLowering *lowering)
{
  HybType    q = *hyb_onnx_type (lowering, 0), k = *hyb_onnx_type (lowering, 1);
  HybType    v = *hyb_onnx_type (lowering, 2);
  HybDType   precision = find_precision (lowering, q.dtype);
  HybValueId keys = hyb_onnx_input (lowering, 1), values = hyb_onnx_input (lowering, 2), x;

  if (!hyb_type_is_known (&q) || !hyb_type_is_known (&k) || !hyb_type_is_known (&v))
    {
      hyb_onnx_set_rank (lowering, 0, v.dtype, 4);
      return;
    }
  if (q.shape.rank != 4 || k.shape.rank != 4 || v.shape.rank != 4 || k.shape.dim[1] < 1 ||
      q.shape.dim[1] % k.shape.dim[1] != 0)
    {
      hyb_lowering_fail (lowering, NULL, "its keys do not fit its queries");
      return;
    }
  keys = onnx_repeat (lowering, keys, 1, q.shape.dim[1] / k.shape.dim[1]);
  values = onnx_repeat (lowering, values, 1, q.shape.dim[1] / k.shape.dim[1]);
  x = hyb_onnx_cast (lowering, find_scores (lowering, hyb_onnx_input (lowering, 0), keys),
                     precision);
  x = change (lowering, "score_mod", x);
  x = hyb_lowering_emit (lowering, "softmax", 1, &x, "axis", "-1", NULL);
  x = change (lowering, "prob_mod", x);
  x = onnx_matmul (lowering, x, hyb_onnx_cast (lowering, values, precision));
  hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, x, v.dtype));
}

static const char *const inputs[] = { "Q", "K", "V", NULL };
static const char *const outputs[] = { "Y", NULL };
static const char *const score[] = { "score_mod" };
static const char *const both[] = { "score_mod", "prob_mod" };

#define FLEX(...)                                                                     \
  {                                                                                   \
    .op = { HYB_ONNX_ROW,                                                             \
            .name = "FlexAttention",                                                  \
            .doc = "Attention whose scores and probabilities are changed by graphs.", \
            .category = HYB_CATEGORY_LINEAR,                                          \
            .inputs = inputs,                                                         \
            .outputs = outputs,                                                       \
            .lower = lower_flex_attention,                                            \
            __VA_ARGS__ },                                                            \
    .domain = "ai.onnx.preview", .since = 1, .formal_input = formal_input             \
  }
#define BODIES(N, NAMES)                                                       \
  .n_bodies = N, .body_names = NAMES, .body_variable = hyb_onnx_body_variable, \
  .body_port = hyb_onnx_body_port, .body_next = hyb_onnx_no_head, .body_result = hyb_onnx_no_head

const HybOnnxOp hyb_onnx_ops_flex_attention[] = {
  FLEX (.n_bodies = 0),    FLEX (BODIES (1, score)), FLEX (BODIES (1, both + 1)),
  FLEX (BODIES (2, both)), { .since = 0 },
};
