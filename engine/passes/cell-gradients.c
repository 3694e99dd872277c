/* cell-gradients.c — finds the gradients of cells, which the gradients of their pointwise operators make up.
 *
 * From a value of the cell the search follows its readers, of which only a product with one known factor, or the gradient
 * of one known activation, can be meant.  Start at match_lstm() and match_gru().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/passes/cells.h"

/* A value with more readers is not searched. */
#define MAX_READERS 32

typedef struct
{
  const HybWrittenCells  *cells;
  const HybCell          *cell;
  HybWrittenCellGradient *gradient;
} Search;

/* --- Readers --- */

static const HybNodeId *
readers (const Search *search, HybValueId value, guint *n)
{
  const HybNodeId *users = hyb_graph_get_users (search->cells->graph, value, n);

  if (*n > MAX_READERS)
    *n = 0;
  return users;
}

static const HybNode *
node_of (const Search *search, HybNodeId id)
{
  return hyb_graph_get_node (search->cells->graph, id);
}

/* The only output of a node, which belongs to the gradient.  HYB_NO_ID if there is no room. */
static HybValueId
take (const Search *search, HybNodeId id)
{
  return hyb_cell_nodes_add (&search->gradient->nodes, id) ? node_of (search, id)->first_output
                                                           : HYB_NO_ID;
}

/* x y, in either order; HYB_NO_ID if no node computes it. */
static HybValueId
product_of (const Search *search, HybValueId x, HybValueId y)
{
  guint            n;
  const HybNodeId *users = x == HYB_NO_ID ? NULL : readers (search, x, &n);

  for (guint i = 0; users && i < n; i++)
    {
      const HybValueId *inputs = hyb_graph_get_inputs (search->cells->graph, users[i]);

      if (node_of (search, users[i])->op == search->cells->mul &&
          ((inputs[0] == x && inputs[1] == y) || (inputs[0] == y && inputs[1] == x)))
        return take (search, users[i]);
    }
  return HYB_NO_ID;
}

/* TRUE if a node is the gradient of an activation whose result is y. */
static gboolean
is_slope_of (const Search *search, HybNodeId id, HybValueId y, const char *function)
{
  const HybNode   *node = node_of (search, id);
  g_autofree char *backward = g_strconcat ("_backward_", function, NULL);

  return (node->op == hyb_op_find (backward) ||
          (node->op == search->cells->backward_activation && node->n_inputs == 2 &&
           g_strcmp0 (hyb_node_get_attribute (node, "act_type"), function) == 0)) &&
         hyb_graph_get_inputs (search->cells->graph, id)[1] == y;
}

/* The gradient of the activation with the result y, for the gradient x; HYB_NO_ID if no node computes it. */
static HybValueId
slope_of (const Search *search, HybValueId x, HybValueId y, const char *function)
{
  guint            n;
  const HybNodeId *users = x == HYB_NO_ID ? NULL : readers (search, x, &n);

  for (guint i = 0; users && i < n; i++)
    if (is_slope_of (search, users[i], y, function))
      return take (search, users[i]);
  return HYB_NO_ID;
}

/* The n parts side by side; HYB_NO_ID if no node computes it. */
static HybValueId
join_of (const Search *search, guint n, const HybValueId *parts)
{
  guint            n_users;
  const HybNodeId *users = readers (search, parts[0], &n_users);

  for (guint i = 0; i < n_users; i++)
    {
      const HybNode    *node = node_of (search, users[i]);
      const HybValueId *inputs = hyb_graph_get_inputs (search->cells->graph, users[i]);
      const char       *axis = hyb_node_get_attribute (node, "dim");
      gboolean          is = node->op == search->cells->concat && node->n_inputs == n &&
                    (!axis || g_str_equal (axis, "1"));

      for (guint k = 0; is && k < n; k++)
        is = inputs[k] == parts[k];
      if (is)
        return take (search, users[i]);
    }
  return HYB_NO_ID;
}

/* If x is the product of factor and another value, takes that node and returns the other value; else HYB_NO_ID. */
static HybValueId
other_factor (const Search *search, HybValueId x, HybValueId factor)
{
  HybNodeId         id = hyb_graph_get_producer (search->cells->graph, x);
  const HybValueId *inputs = hyb_graph_get_inputs (search->cells->graph, id);

  if (node_of (search, id)->op != search->cells->mul)
    return HYB_NO_ID;
  if (inputs[0] != factor && inputs[1] != factor)
    return HYB_NO_ID;
  return take (search, id) == HYB_NO_ID ? HYB_NO_ID : inputs[0] == factor ? inputs[1] : inputs[0];
}

/* The activation's gradient that reads y as its result: its argument is found in *x. */
static HybValueId
find_slope (const Search *search, HybValueId y, const char *function, HybValueId *x)
{
  guint            n;
  const HybNodeId *users = readers (search, y, &n);

  for (guint i = 0; i < n; i++)
    if (is_slope_of (search, users[i], y, function))
      {
        *x = hyb_graph_get_inputs (search->cells->graph, users[i])[0];
        return take (search, users[i]);
      }
  return HYB_NO_ID;
}

static gboolean
has_type_of_state (const Search *search, HybValueId value)
{
  const HybType *types = search->cells->facts->types;
  const HybType *x = &types[value], *y = &types[search->cell->inputs[2]];

  return x->dtype == y->dtype && hyb_shape_equal (&x->shape, &y->shape);
}

/* --- LSTM --- */

/* The gradient of the cell: the part through its tanh, and the part that arrives directly. */
static HybValueId
add_arriving (const Search *search, HybValueId own)
{
  guint             n;
  const HybNodeId  *users = readers (search, own, &n);
  const HybValueId *inputs;

  search->gradient->cell = HYB_NO_ID;
  if (n != 1 || node_of (search, users[0])->op != search->cells->add)
    return own;
  inputs = hyb_graph_get_inputs (search->cells->graph, users[0]);
  search->gradient->cell = inputs[0] == own ? inputs[1] : inputs[0];
  return search->gradient->cell == own ? HYB_NO_ID : take (search, users[0]);
}

static gboolean
match_lstm (const Search *search)
{
  /* kept = i, f, g, o, t, with c = f c' + i g, t = tanh (c) and h = o t.  own = dh o (1 − t²) is
   * the part of dc that arrives through h. */
  static const char *const functions[] = { "sigmoid", "sigmoid", "tanh", "sigmoid" };
  const HybValueId        *kept = search->cell->kept;
  HybWrittenCellGradient  *gradient = search->gradient;
  HybValueId               arriving, dc, others[4], parts[4];
  HybValueId               own = find_slope (search, kept[4], "tanh", &arriving);

  if (own == HYB_NO_ID)
    return FALSE;
  gradient->output = other_factor (search, arriving, kept[3]);
  dc = add_arriving (search, own);
  if (gradient->output == HYB_NO_ID || dc == HYB_NO_ID)
    return FALSE;
  /* Gradients of the four gates before the slopes of their functions: di = dc g, df = dc c', dg =
   * dc i, do = dh t. */
  others[0] = product_of (search, dc, kept[2]);
  others[1] = product_of (search, dc, search->cell->inputs[2]);
  others[2] = product_of (search, dc, kept[0]);
  others[3] = product_of (search, gradient->output, kept[4]);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      parts[i] = slope_of (search, others[i], kept[i], functions[i]);
      if (parts[i] == HYB_NO_ID)
        return FALSE;
    }
  /* Results: the gradient of the joined gates, and dc' = dc f. */
  gradient->results[0] = join_of (search, G_N_ELEMENTS (parts), parts);
  gradient->results[1] = product_of (search, dc, kept[1]);
  return gradient->results[0] != HYB_NO_ID && has_type_of_state (search, gradient->output) &&
         (gradient->cell == HYB_NO_ID || has_type_of_state (search, gradient->cell));
}

/* --- GRU --- */

/* The second part of split number index of 3 of a product, which the cell reads. */
static HybValueId
third_of_h2h (const Search *search)
{
  const HybWrittenCells *cells = search->cells;

  for (guint i = 0; i < search->cell->nodes.n; i++)
    {
      HybNodeId      id = search->cell->nodes.id[i];
      const HybNode *node = node_of (search, id);

      if (node->op == cells->slice &&
          hyb_graph_get_inputs (cells->graph, id)[0] == search->cell->inputs[1])
        return node->first_output + 2;
    }
  return HYB_NO_ID;
}

/* 1 − z, which a node of the cell computes. */
static HybValueId
complement (const Search *search)
{
  const HybValueId *inputs = hyb_graph_get_inputs (search->cells->graph, search->cell->output);

  return hyb_graph_get_inputs (search->cells->graph,
                               hyb_graph_get_producer (search->cells->graph, inputs[0]))[0];
}

/* The gradient of z: dh h' − dh n, where both terms are there and have one reader. */
static HybValueId
gradient_of_update (const Search *search, HybValueId dh)
{
  const HybWrittenCells *cells = search->cells;
  HybValueId             kept = product_of (search, dh, search->cell->inputs[2]);
  HybValueId             lost = product_of (search, dh, search->cell->kept[2]);
  guint                  n;
  const HybNodeId       *users = lost == HYB_NO_ID ? NULL : readers (search, lost, &n);
  const HybValueId      *inputs;
  HybValueId             negative;

  if (kept == HYB_NO_ID || !users || n != 1 || node_of (search, users[0])->op != cells->negative)
    return HYB_NO_ID;
  negative = take (search, users[0]);
  users = negative == HYB_NO_ID ? NULL : readers (search, negative, &n);
  if (!users || n != 1 || node_of (search, users[0])->op != cells->add)
    return HYB_NO_ID;
  inputs = hyb_graph_get_inputs (cells->graph, users[0]);
  return inputs[0] == kept || inputs[1] == kept ? take (search, users[0]) : HYB_NO_ID;
}

static gboolean
match_gru (const Search *search)
{
  const HybValueId       *kept = search->cell->kept;
  HybWrittenCellGradient *gradient = search->gradient;
  HybValueId              parts[4], arriving, dn = find_slope (search, kept[2], "tanh", &arriving);
  HybValueId              y = third_of_h2h (search);

  if (dn == HYB_NO_ID || y == HYB_NO_ID)
    return FALSE;
  gradient->output = other_factor (search, arriving, complement (search));
  if (gradient->output == HYB_NO_ID)
    return FALSE;
  gradient->cell = HYB_NO_ID;
  parts[0] = slope_of (search, product_of (search, dn, y), kept[0], "sigmoid");
  parts[1] = slope_of (search, gradient_of_update (search, gradient->output), kept[1], "sigmoid");
  parts[2] = dn;
  parts[3] = product_of (search, dn, kept[0]);
  if (parts[0] == HYB_NO_ID || parts[1] == HYB_NO_ID || parts[3] == HYB_NO_ID)
    return FALSE;
  gradient->results[0] = join_of (search, 3, parts);
  parts[2] = parts[3];
  gradient->results[1] = join_of (search, 3, parts);
  gradient->results[2] = product_of (search, gradient->output, kept[1]);
  return gradient->results[0] != HYB_NO_ID && gradient->results[1] != HYB_NO_ID &&
         has_type_of_state (search, gradient->output);
}

gboolean
hyb_cells_match_gradient (const HybWrittenCells  *cells,
                          const HybCell          *cell,
                          HybWrittenCellGradient *gradient)
{
  Search search = { cells, cell, gradient };

  gradient->nodes.n = 0;
  return cell->cell != HYB_NO_ID ? match_lstm (&search) : match_gru (&search);
}
