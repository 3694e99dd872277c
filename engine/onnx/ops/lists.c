/* lists.c — SequenceEmpty, SequenceInsert and ConcatFromSequence: lists of arrays of one shape.
 *
 * The engine has no lists.  A list is one array of all its elements along a new first axis, and an empty one is an array of no
 * elements.  A Loop that only appends to a list returns rows instead (loop.c): there an insertion stands for the element.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/lists.h"

#include "engine/onnx/ops/pieces.h"

gboolean
hyb_onnx_is_empty_list (const HybType *type)
{
  return type->shape.rank == 1 && type->shape.dim[0] == 0;
}

HybValueId
hyb_onnx_find_appended (HybGraph *body, HybNodeId variable, HybValueId head)
{
  HybValueId        list = hyb_graph_get_node (body, variable)->first_output;
  HybNodeId         id = hyb_graph_get_producer (body, head);
  const HybNode    *node = hyb_graph_get_node (body, id);
  guint             n, n_heads;
  const HybNodeId  *users = hyb_graph_get_users (body, list, &n);
  const HybValueId *heads = hyb_graph_get_heads (body, &n_heads);

  for (guint i = 0; i < n_heads; i++)
    if (heads[i] == list)
      return HYB_NO_ID;
  return n == 1 && users[0] == id && node->op->lower == hyb_onnx_lower_insertion &&
                 node->n_inputs == 2 && hyb_graph_get_inputs (body, id)[0] == list
             ? hyb_graph_get_inputs (body, id)[1]
             : HYB_NO_ID;
}

static void
lower_empty (HybLowering *lowering)
{
  gint64  dtype = hyb_onnx_int (lowering, "dtype", HYB_ONNX_FLOAT);
  HybType type = { hyb_shape_1d (0), hyb_onnx_dtype_to_engine ((HybOnnxDType) dtype) };

  hyb_lowering_set_type (lowering, 0, &type);
  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_constant (lowering, hyb_tensor_new (&type, NULL)));
}

void
hyb_onnx_lower_insertion (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 1), parts[2];

  if (hyb_onnx_has_input (lowering, 2))
    {
      hyb_lowering_fail (lowering, NULL, "it inserts at a position, and only the end is possible");
      return;
    }
  if (hyb_onnx_is_empty_list (hyb_onnx_type (lowering, 0)) && !hyb_onnx_contents (lowering, 0))
    {
      hyb_lowering_set_output (lowering, 0, x);
      return;
    }
  parts[1] = hyb_lowering_emit (lowering, "expand_dims", 1, &x, "axis", "0", NULL);
  if (!hyb_onnx_is_empty_list (hyb_onnx_type (lowering, 0)))
    {
      parts[0] = hyb_onnx_input (lowering, 0);
      parts[1] = hyb_onnx_concat (lowering, 2, parts, 0);
    }
  hyb_lowering_set_output (lowering, 0, parts[1]);
}

/* All elements joined along an axis, which may be a new one. */
static void
lower_concat (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  HybValueId x = hyb_onnx_input (lowering, 0);
  gboolean   is_new = hyb_onnx_int (lowering, "new_axis", 0) != 0;
  int        rank = type.shape.rank - (is_new ? 0 : 1);
  gint64     axis = hyb_onnx_int (lowering, "axis", 0);
  gint64     order[HYB_MAX_RANK], dims[HYB_MAX_RANK];

  if (type.shape.rank < 1 || !hyb_shape_is_known (&type.shape))
    return;
  axis = axis < 0 ? axis + rank : axis;
  if (hyb_onnx_is_empty_list (&type) || axis < 0 || axis >= rank)
    {
      hyb_lowering_fail (lowering, NULL, "the list is empty, or has not this axis");
      return;
    }
  for (int i = 0; i < type.shape.rank; i++)
    order[i] = i < axis ? i + 1 : i == axis ? 0 : i;
  if (axis > 0)
    x = hyb_onnx_transpose (lowering, x, (guint) type.shape.rank, order);
  for (int i = 0; i < rank; i++)
    dims[i] = i < axis    ? type.shape.dim[i + 1]
              : i == axis ? type.shape.dim[0] * type.shape.dim[i + 1]
                          : type.shape.dim[i + 1];
  if (!is_new)
    x = hyb_onnx_reshape (lowering, x, (guint) rank, dims);
  hyb_lowering_set_output (lowering, 0, x);
}

static const char *const none[] = { NULL };
static const char *const insertion[] = { "input_sequence", "tensor", "position", NULL };
static const char *const list[] = { "input_sequence", NULL };
static const char *const output[] = { "output", NULL };

#define ROW(NAME, INPUTS, LOWER, DOC)                                                              \
  {                                                                                                \
    .op = { HYB_ONNX_ROW,     .name = NAME,      .doc = DOC,    .category = HYB_CATEGORY_MOVEMENT, \
            .inputs = INPUTS, .outputs = output, .lower = LOWER },                                 \
    .since = 11                                                                                    \
  }

/* clang-format off */
const HybOnnxOp hyb_onnx_ops_lists[] = {
  ROW ("SequenceEmpty", none, lower_empty, "A list without elements."),
  ROW ("SequenceInsert", insertion, hyb_onnx_lower_insertion, "A list with one more array."),
  ROW ("ConcatFromSequence", list, lower_concat, "All arrays of a list, joined along an axis."),
  { .since = 0 },
};
/* clang-format on */
