/* lists.c — operators of sequences: lists of arrays of one shape.
 *
 * The engine has no lists.  A list is one array of all its elements along a new first axis, and an empty one is an array of no
 * elements.  A Loop that only appends to a list returns rows instead (loop.c): there an insertion is represented by the
 * element.
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

/* An input that contains a place in a list of n elements, from 0 to last.  FALSE, and a failure where there is none such. */
static gboolean
read_place (HybLowering *lowering, guint index, gint64 n, gint64 last, gint64 *place)
{
  gint64 given = (gint64) hyb_onnx_input_double (lowering, index, (double) last);

  *place = given < 0 ? given + n : given;
  if (hyb_lowering_has_failed (lowering))
    return FALSE;
  if (*place >= 0 && *place <= last)
    return TRUE;
  hyb_lowering_fail (lowering, NULL,
                     "its position is %" G_GINT64_FORMAT ", and the list has %" G_GINT64_FORMAT
                     " arrays",
                     given, n);
  return FALSE;
}

/* FALSE, and a failure, if an array of another shape or type is to join the list. */
static gboolean
fits_list (HybLowering *lowering, const HybType *element, const HybType *other)
{
  if (element->dtype == other->dtype && hyb_shape_equal (&element->shape, &other->shape))
    return TRUE;
  hyb_lowering_fail (lowering, NULL,
                     "its arrays have different shapes or types, and a list is computed only where "
                     "all are alike");
  return FALSE;
}

/* Whether the sizes of a list that is an array of its elements are all known while planning. */
static gboolean
is_known_list (const HybType *list)
{
  return list->shape.rank > 0 && hyb_type_is_known (list);
}

static HybType
element_type (const HybType *list)
{
  HybType type = { { .rank = list->shape.rank - 1 }, list->dtype };

  for (int i = 0; i < type.shape.rank; i++)
    type.shape.dim[i] = list->shape.dim[i + 1];
  return type;
}

/* Lowers an insertion into a list that is an array of its elements. */
static void
insert (HybLowering *lowering, HybValueId element)
{
  const HybType *list = hyb_onnx_type (lowering, 0);
  HybType        kept = element_type (list);
  HybValueId     parts[3], x = hyb_onnx_input (lowering, 0);
  gint64         n = list->shape.dim[0], place;

  if (!is_known_list (list) || !hyb_type_is_known (hyb_onnx_type (lowering, 1)) ||
      !fits_list (lowering, &kept, hyb_onnx_type (lowering, 1)) ||
      !read_place (lowering, 2, n, n, &place))
    return;
  parts[0] = hyb_onnx_slice (lowering, x, 0, 0, place);
  parts[1] = element;
  parts[2] = hyb_onnx_slice (lowering, x, 0, place, n);
  hyb_lowering_set_output (lowering, 0,
                           place == 0 ? hyb_onnx_concat (lowering, 2, parts + 1, 0)
                           : place == n
                               ? hyb_onnx_concat (lowering, 2, (HybValueId[]){ x, element }, 0)
                               : hyb_onnx_concat (lowering, 3, parts, 0));
}

void
hyb_onnx_lower_insertion (HybLowering *lowering)
{
  const HybType *list = hyb_onnx_type (lowering, 0);
  HybValueId     x = hyb_onnx_input (lowering, 1);

  if (hyb_onnx_is_empty_list (list) && !hyb_onnx_contents (lowering, 0))
    {
      hyb_lowering_set_output (lowering, 0, x);
      return;
    }
  x = hyb_lowering_emit (lowering, "expand_dims", 1, &x, "axis", "0", NULL);
  if (hyb_onnx_is_empty_list (list))
    hyb_lowering_set_output (lowering, 0, x);
  else
    insert (lowering, x);
}

static void
lower_construct (HybLowering *lowering)
{
  guint                  n = hyb_onnx_n_inputs (lowering);
  g_autofree HybValueId *parts = g_new (HybValueId, n);

  for (guint i = 0; i < n; i++)
    {
      if (!hyb_type_is_known (hyb_onnx_type (lowering, i)) ||
          !fits_list (lowering, hyb_onnx_type (lowering, 0), hyb_onnx_type (lowering, i)))
        return;
      parts[i] = hyb_onnx_input (lowering, i);
    }
  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_emit (lowering, "stack", n, parts, "axis", "0", "num_args",
                                              hyb_lowering_text (lowering, "%u", n), NULL));
}

static void
lower_at (HybLowering *lowering)
{
  const HybType *list = hyb_onnx_type (lowering, 0);
  HybType        element = element_type (list);
  HybValueId     x = hyb_onnx_input (lowering, 0);
  gint64         n = list->shape.dim[0], place;

  if (!is_known_list (list) || !read_place (lowering, 1, n, n - 1, &place))
    return;
  hyb_lowering_set_output (lowering, 0,
                           onnx_reshape_to (lowering,
                                            hyb_onnx_slice (lowering, x, 0, place, place + 1),
                                            &element.shape));
}

static void
lower_length (HybLowering *lowering)
{
  const HybShape *list = &hyb_onnx_type (lowering, 0)->shape;

  if (list->rank > 0 && list->dim[0] != HYB_UNKNOWN)
    hyb_lowering_set_output (lowering, 0,
                             hyb_onnx_scalar (lowering, (double) list->dim[0], HYB_I64));
}

/* Sets *piece to the number of slices in each array of a split.  FALSE, and a failure, if the numbers differ. */
static gboolean
read_piece (HybLowering *lowering, gint64 size, gint64 *piece)
{
  HybTensor *split = hyb_onnx_contents (lowering, 1);
  gint64     n = split ? hyb_tensor_get_size (split) : 0;
  gboolean   is_even;

  *piece = 1;
  if (!hyb_onnx_has_input (lowering, 1))
    return TRUE;
  if (n > 0)
    *piece = hyb_dtype_get_int (hyb_tensor_get_data (split), hyb_tensor_get_dtype (split), 0);
  is_even = n > 0 && *piece > 0 && size % *piece == 0;
  for (gint64 i = 1; is_even && i < n; i++)
    is_even =
        hyb_dtype_get_int (hyb_tensor_get_data (split), hyb_tensor_get_dtype (split), i) == *piece;
  if (!is_even)
    hyb_lowering_fail (lowering, NULL,
                       split ? "its pieces have different sizes, and a list is computed only where "
                               "all are alike"
                             : "the sizes of its pieces are known only while running");
  return is_even;
}

/* Pieces of an axis, which becomes two: the list, and the axis of a piece. */
static void
lower_split (HybLowering *lowering)
{
  const HybType *type = hyb_onnx_type (lowering, 0);
  HybValueId     x = hyb_onnx_input (lowering, 0);
  int            rank = type->shape.rank, axis;
  gint64         piece, dims[HYB_MAX_RANK + 1];
  gboolean drops = !hyb_onnx_has_input (lowering, 1) && hyb_onnx_int (lowering, "keepdims", 1) == 0;

  if (!hyb_type_is_known (type))
    return;
  axis = hyb_onnx_axis (lowering, hyb_onnx_int (lowering, "axis", 0), rank);
  if (axis < 0 || !read_piece (lowering, type->shape.dim[axis], &piece))
    return;
  if (rank == HYB_MAX_RANK)
    {
      hyb_lowering_fail (lowering, NULL, "its array has too many axes for a list of them");
      return;
    }
  for (int i = 0; i <= rank; i++)
    dims[i] = i < axis        ? type->shape.dim[i]
              : i == axis     ? type->shape.dim[i] / piece
              : i == axis + 1 ? piece
                              : type->shape.dim[i - 1];
  x = hyb_onnx_reshape (lowering, x, (guint) rank + 1, dims);
  x = onnx_move_axis (lowering, x, rank + 1, axis, 0);
  if (drops)
    x = hyb_lowering_emit (lowering, "squeeze", 1, &x, "axis",
                           hyb_lowering_text (lowering, "%d", axis + 1), NULL);
  hyb_lowering_set_output (lowering, 0, x);
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
  gint64     dims[HYB_MAX_RANK];

  if (type.shape.rank < 1 || !hyb_shape_is_known (&type.shape))
    return;
  axis = axis < 0 ? axis + rank : axis;
  if (hyb_onnx_is_empty_list (&type) || axis < 0 || axis >= rank)
    {
      hyb_lowering_fail (lowering, NULL, "the list is empty, or has not this axis");
      return;
    }
  x = onnx_move_axis (lowering, x, type.shape.rank, 0, (int) axis);
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
static const char *const arrays[] = { "inputs", NULL };
static const char *const place[] = { "input_sequence", "position", NULL };
static const char *const pieces[] = { "input", "split", NULL };
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
  ROW ("SequenceConstruct", arrays, lower_construct, "A list of arrays."),
  ROW ("SplitToSequence", pieces, lower_split, "A list of the pieces of an array."),
  ROW ("SequenceInsert", insertion, hyb_onnx_lower_insertion, "A list with one more array."),
  ROW ("SequenceAt", place, lower_at, "One array of a list."),
  ROW ("SequenceLength", list, lower_length, "How many arrays a list has."),
  ROW ("ConcatFromSequence", list, lower_concat, "All arrays of a list, joined along an axis."),
  { .since = 0 },
};
/* clang-format on */
