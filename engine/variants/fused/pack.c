/* pack.c — copies the weights of a group of chains to one packed parameter of a fused operator.
 *
 * Start reading at hyb_fuser_pack().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/fused/fuser.h"

#include "engine/base/error.h"
#include "engine/formats/rnn-weights.h"

const char *
hyb_fuser_name_of (const HybFuser *fuser, HybValueId value)
{
  HybGraph *graph = fuser->cells->graph;

  return hyb_graph_get_node (graph, hyb_graph_get_producer (graph, value))->name;
}

gint64
hyb_group_state_size (const HybGroup *group)
{
  return group->projection > 0 ? group->projection : group->hidden;
}

gint64
hyb_fuser_count_columns (const HybFuser *fuser, const HybTerm *term, gboolean is_hidden)
{
  HybTensor *tensor =
      hyb_model_get_parameter (fuser->conversion->from, hyb_fuser_name_of (fuser, term->weight));
  gint64 all = hyb_tensor_get_shape (tensor)->dim[term->is_transposed ? 0 : 1];

  if (term->columns == HYB_COLUMNS_ALL)
    return all;
  return is_hidden ? hyb_group_state_size (fuser->group)
                   : all - hyb_group_state_size (fuser->group);
}

/* The rows of one gate in one part of the packed weights, and the term that they come from. */
typedef struct
{
  const HybRnnPart *part;
  const HybTerm    *term;
  const char       *to;     /* the packed parameter */
  gint64            at;     /* first element in it */
  gint64            n_rows; /* of the gate, or of the projection */
} GateRows;

static void
copy_bias (HybFuser *fuser, const GateRows *rows)
{
  if (rows->term->bias != HYB_NO_ID)
    hyb_parameter_copies_add (fuser->conversion->copies,
                              &(HybParameterCopy){ .from =
                                                       hyb_fuser_name_of (fuser, rows->term->bias),
                                                   .to = rows->to,
                                                   .from_offset = rows->term->bias_begin,
                                                   .stride = 1,
                                                   .to_offset = rows->at,
                                                   .count = rows->n_rows });
}

/* Copies n_rows × columns elements: at once where they are contiguous, else row by row. */
static void
copy_weight (HybFuser *fuser, const GateRows *rows, gint64 columns)
{
  const HybTerm   *term = rows->term;
  HybParameterCopy copy = { .from = hyb_fuser_name_of (fuser, term->weight),
                            .to = rows->to,
                            .stride = 1 };
  const HybShape  *shape =
      hyb_tensor_get_shape (hyb_model_get_parameter (fuser->conversion->from, copy.from));
  gint64 at = rows->at;
  /* all: columns of the stored weight, which may hold input and state side by side; first: where
   * the columns of this term begin. */
  gint64 all = shape->dim[term->is_transposed ? 0 : 1];
  gint64 first = term->columns == HYB_COLUMNS_LAST ? all - columns : 0;

  if (!term->is_transposed && columns == all)
    {
      copy.from_offset = term->begin * columns;
      copy.to_offset = at;
      copy.count = rows->n_rows * columns;
      hyb_parameter_copies_add (fuser->conversion->copies, &copy);
      return;
    }
  /* The packed array is row-major, (rows, columns).  In a transposed weight, (columns, rows), an
   * output row is a column: elements lie shape->dim[1] apart. */
  copy.stride = term->is_transposed ? shape->dim[1] : 1;
  copy.count = columns;
  for (gint64 row = term->begin; row < term->begin + rows->n_rows; row++, at += columns)
    {
      copy.from_offset = term->is_transposed ? first * shape->dim[1] + row : row * all + first;
      copy.to_offset = at;
      hyb_parameter_copies_add (fuser->conversion->copies, &copy);
    }
}

static gboolean
copy_rows (HybFuser *fuser, const GateRows *rows, GError **error)
{
  gint64 columns;

  if (rows->part->is_bias)
    {
      copy_bias (fuser, rows);
      return TRUE;
    }
  columns = hyb_fuser_count_columns (fuser, rows->term, rows->part->is_hidden);
  if (columns != rows->part->columns)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES,
                         hyb_fuser_name_of (fuser, rows->term->weight), NULL,
                         "the weight multiplies %" G_GINT64_FORMAT
                         " features, but the input has %" G_GINT64_FORMAT,
                         columns, rows->part->columns);
  copy_weight (fuser, rows, columns);
  return TRUE;
}

/* Copies one part of the packed parameter "to": its gates one below the other, or the projection. */
static gboolean
copy_part (HybFuser *fuser, const HybRnnPart *part, const char *to, GError **error)
{
  guint              row = part->layer * fuser->group->n_directions + part->direction;
  const HybChain    *chain = hyb_group_chain (fuser->cells, fuser->group, row);
  const HybCellStep *step = hyb_chain_step (fuser->cells, chain, 0);
  guint              n_blocks = part->is_projection ? 1 : step->n_gates;

  for (guint g = 0; g < n_blocks; g++)
    {
      GateRows rows = { .part = part,
                        .term = part->is_projection ? &step->projection
                                : part->is_hidden   ? &step->gate[g].hidden
                                                    : &step->gate[g].input,
                        .to = to,
                        .n_rows = part->rows / n_blocks };

      rows.at = part->offset + g * rows.n_rows * MAX (part->columns, 1);
      if (!copy_rows (fuser, &rows, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hyb_fuser_pack (HybFuser *fuser, const char *to, GError **error)
{
  g_autoptr (GArray) parts = hyb_rnn_parts (&fuser->weights);
  g_autoptr (HybTensor) packed = NULL;
  gint64  size = hyb_rnn_packed_size (&fuser->weights);
  HybType type = { hyb_shape_1d (size), fuser->dtype };

  for (guint p = 0; p < parts->len; p++)
    if (!copy_part (fuser, &g_array_index (parts, HybRnnPart, p), to, error))
      return FALSE;
  packed = hyb_parameter_copies_gather (fuser->conversion->copies, to, &type,
                                        fuser->conversion->from, error);
  if (packed)
    hyb_model_set_parameter (fuser->conversion->to, to, packed);
  return packed != NULL;
}
