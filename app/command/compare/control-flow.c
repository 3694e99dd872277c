/* control-flow.c — the same recurrence unrolled, with foreach, with while_loop and fused.
 *
 * Each form is a function of the table in recurrence_forward().  Start at scope_loop_trace().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/control-flow.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/random.h"
#include "engine/block/control.h"
#include "engine/rnn/layer.h"

#include <math.h>
#include <string.h>

const char *
scope_form_name (ScopeForm form)
{
  static const char *const names[] = { "unrolled", "foreach", "while", "fused" };

  return names[form];
}

const char *
scope_cell_kind_name (ScopeCellKind kind)
{
  static const char *const names[] = { "rnn", "gru", "lstm" };

  return names[kind];
}

/* A block that runs a cell over a sequence. */
typedef struct
{
  HybBlock  parent;
  HybBlock *cell; /* in the fused form a layer */
  ScopeLoop loop;
  HybValue *x; /* the sequence, for the functions of the while loop */
} Recurrence;

/* --- The forms --- */

static HybValue *
run_unrolled (HybF *F, Recurrence *self, HybValue *x, HybValue *states)
{
  HybValue *y =
      hyb_unroll (F, self->cell, &states, .length = (guint) self->loop.length, .inputs = x,
                  .begin_state = states, .layout = "TNC", .merge = HYB_MERGE_YES);

  return hyb_list_of (F, y, states, NULL);
}

static HybValue *
run_foreach (HybF *F, Recurrence *self, HybValue *x, HybValue *states)
{
  return hyb_foreach_cell (F, self->cell, x, states);
}

/* Condition of the while loop.  Loop variables: the number of the step, the states. */
static HybValue *
continues (HybF *F, HybValue *variables, gpointer user)
{
  gint64 length = ((Recurrence *) user)->loop.length;

  return hyb_compare_scalar (F, hyb_item (F, variables, 0), HYB_LESS, (double) length);
}

/* Body of the while loop. */
static HybValue *
run_step (HybF *F, HybValue **variables, gpointer user)
{
  Recurrence *self = user;
  HybValue   *number = hyb_item (F, *variables, 0);
  HybValue   *states = hyb_item (F, *variables, 1);
  HybValue   *row = HYB_OP (F, "take", .in = { self->x, number });
  HybValue   *y = hyb_cell_step (F, self->cell, hyb_squeeze (F, row, 0), &states);

  *variables = hyb_list_of (F, hyb_add_scalar (F, number, 1), states, NULL);
  return hyb_list_of (F, y, NULL);
}

static HybValue *
run_while (HybF *F, Recurrence *self, HybValue *x, HybValue *states)
{
  HybValue     *first = hyb_zeros (F, "(1,)");
  HybLoopResult loop;
  HybValue     *result;

  self->x = x;
  result = hyb_while_loop (F, &(HybWhile){ .condition = continues,
                                           .body = run_step,
                                           .variables = hyb_list_of (F, first, states, NULL),
                                           .max_iterations = self->loop.length,
                                           .user = self });
  loop = hyb_loop_result (F, result);
  return hyb_list_of (F, hyb_item (F, loop.outputs, 0), hyb_item (F, loop.states, 1), NULL);
}

/* States of the layer have one more dimension, for layers and directions. */
static HybValue *
run_fused (HybF *F, Recurrence *self, HybValue *x, HybValue *states)
{
  HybValue *deep[2] = { NULL, NULL };
  guint     n = MIN (hyb_n_items (states), G_N_ELEMENTS (deep));

  for (guint i = 0; i < n; i++)
    deep[i] = hyb_expand_dims (F, hyb_item (F, states, i), 0);
  return hyb_call (F, self->cell, hyb_list_of (F, x, hyb_list (F, n, deep), NULL));
}

static HybValue *
recurrence_forward (HybF *F, HybBlock *block, HybValue *input)
{
  static HybValue *(*const run[]) (HybF *, Recurrence *, HybValue *, HybValue *) = {
    [SCOPE_FORM_UNROLLED] = run_unrolled,
    [SCOPE_FORM_FOREACH] = run_foreach,
    [SCOPE_FORM_WHILE] = run_while,
    [SCOPE_FORM_FUSED] = run_fused,
  };
  Recurrence *self = (Recurrence *) block;

  if (self->loop.form != SCOPE_FORM_FUSED)
    hyb_cell_reset (self->cell);
  return run[self->loop.form](F, self, hyb_item (F, input, 0), hyb_item (F, input, 1));
}

static const HybBlockClass recurrence_class = {
  .name = "Recurrence",
  .size = sizeof (Recurrence),
  .forward = recurrence_forward,
};

static HybBlock *
make_block (const ScopeLoop *loop)
{
  static HybBlock *(*const make_cell[]) (const HybCellOptions *) = {
    [SCOPE_CELL_RNN] = hyb_rnn_cell_new,
    [SCOPE_CELL_GRU] = hyb_gru_cell_new,
    [SCOPE_CELL_LSTM] = hyb_lstm_cell_new,
  };
  static const char *const modes[] = { "rnn_tanh", "gru", "lstm" };
  HybBlock                *block = hyb_block_new (&recurrence_class, NULL);
  Recurrence              *self = (Recurrence *) block;
  HybCellOptions           cell = { .hidden = loop->hidden, .input_size = loop->inputs };

  self->loop = *loop;
  hyb_block_enter_scope (block);
  self->cell = loop->form == SCOPE_FORM_FUSED
                   ? hyb_rnn_layer (.mode = modes[loop->cell], .hidden = loop->hidden,
                                    .input_size = loop->inputs)
                   : make_cell[loop->cell](&cell);
  hyb_block_add_child (block, self->cell, NULL);
  hyb_block_leave_scope (block);
  return block;
}

/* --- Values --- */

/* Seed of a variable's values: by the end of its name, as prefixes differ between forms. */
static guint
seed_of (const char *name)
{
  static const char *const endings[] = {
    "i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias", "data0", "data1", "data2",
  };

  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (name, endings[i]))
      return i + 1;
  return 0;
}

static gboolean
set_input_types (const ScopeLoop *loop, HybGraph *graph, HybType *types)
{
  const HybShape data = hyb_shape_3d (loop->length, loop->batch, loop->inputs);
  const HybShape state = hyb_shape_2d (loop->batch, loop->hidden);
  HybNodeId      id = hyb_graph_find_variable (graph, "data0");

  if (id == HYB_NO_ID)
    return FALSE;
  types[hyb_graph_get_node (graph, id)->first_output] = (HybType){ data, HYB_F32 };
  for (guint i = 1; i < 3; i++)
    {
      g_autofree char *name = g_strdup_printf ("data%u", i);

      id = hyb_graph_find_variable (graph, name);
      if (id != HYB_NO_ID)
        types[hyb_graph_get_node (graph, id)->first_output] = (HybType){ state, HYB_F32 };
    }
  return TRUE;
}

static HybTensor *
make_value (const ScopeLoop *loop, const char *name, const HybType *type, GError **error)
{
  HybTensor *tensor = hyb_tensor_new (type, error);
  double     bound = 1 / sqrt ((double) loop->hidden);
  float     *data;

  if (!tensor)
    return NULL;
  data = hyb_tensor_get_data (tensor);
  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    data[i] = (float) (bound * (2 * hyb_random_uniform (seed_of (name), (guint64) i) - 1));
  return tensor;
}

static GPtrArray *
make_values (const ScopeLoop *loop, HybGraph *graph, GError **error)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autofree HybType *types = g_new (HybType, MAX (hyb_graph_n_values (graph), 1));
  guint               n;
  const HybNodeId    *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  if (!set_input_types (loop, graph, types) ||
      !hyb_infer_types (graph, types, NULL, loop->training, error))
    return NULL;
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybTensor     *value = make_value (loop, node->name, &types[node->first_output], error);

      if (!value)
        return NULL;
      g_ptr_array_add (values, value);
    }
  return g_steal_pointer (&values);
}

HybGraph *
scope_loop_trace (const ScopeLoop *loop, GPtrArray **values, GError **error)
{
  gboolean is_lstm = loop->cell == SCOPE_CELL_LSTM;
  g_autoptr (HybBlock) block = NULL;
  g_autoptr (HybGraph) graph = NULL;

  hyb_names_reset ();
  block = make_block (loop);
  graph = hyb_block_trace (block, is_lstm ? 3 : 2, is_lstm ? "[0, [0, 0]]" : "[0, [0]]",
                           loop->training, error);
  if (!graph || !(*values = make_values (loop, graph, error)))
    return NULL;
  return g_steal_pointer (&graph);
}
