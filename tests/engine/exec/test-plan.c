/* test-plan.c — places, views, computing in place, and what is refused.
 *
 * Random graphs are checked against a memory that remembers which value it
 * holds, and against the same graph run operator by operator.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/exec/plan.h"

#include "engine/base/error.h"
#include "engine/exec/imperative.h"
#include "engine/exec/plan-memory.h"
#include "engine/exec/plan-private.h"
#include "tests/engine/toy-ops.h"

#include <stdlib.h>
#include <string.h>

/* --- Running a plan --- */

static gpointer
aligned_room (gsize bytes)
{
  gpointer room = NULL;

  g_assert_cmpint (posix_memalign (&room, HYB_ALIGNMENT, MAX (bytes, 1)), ==, 0);
  memset (room, 0xff, bytes); /* NaN: what is read unwritten shows */
  return room;
}

static HybPlan *
plan_for (HybGraph *graph, HybTensor *const *inputs, const HybPlanOptions *options)
{
  g_autoptr (GError) error = NULL;
  guint               n;
  HybPlan            *plan;
  g_autofree HybType *types = NULL;

  hyb_graph_get_variables (graph, &n);
  types = g_new (HybType, n + 1);
  for (guint i = 0; i < n; i++)
    types[i] = *hyb_tensor_get_type (inputs[i]);
  plan = hyb_plan_new (graph, types, options, &error);
  g_assert_no_error (error);
  return plan;
}

static GPtrArray *
run_plan (const HybPlan *plan, HybTensor *const *inputs)
{
  GPtrArray *outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  gpointer   room = aligned_room (hyb_frame_size (plan));
  gpointer   memory = aligned_room (hyb_plan_get_memory (plan));
  HybFrame  *frame = hyb_frame_init (room, plan, memory);
  HybRun     context = { .seed = 3 };

  for (guint i = 0; i < hyb_plan_n_variables (plan); i++)
    hyb_frame_bind_variable (frame, i, hyb_tensor_get_data (inputs[i]));
  for (guint i = 0; i < hyb_plan_n_heads (plan); i++)
    {
      g_ptr_array_add (outputs, hyb_tensor_new (hyb_plan_get_head_type (plan, i), NULL));
      if (plan->binds_outputs)
        hyb_frame_bind_head (frame, i, hyb_tensor_get_data (outputs->pdata[i]));
    }
  g_assert_true (hyb_frame_run (frame, &context));
  for (guint i = 0; i < hyb_plan_n_heads (plan); i++)
    memmove (hyb_tensor_get_data (outputs->pdata[i]),
             hyb_frame_get_head (frame, i),
             hyb_tensor_get_bytes (outputs->pdata[i]));
  free (memory);
  free (room);
  return outputs;
}

/* --- Memory that remembers --- */

/* What one float of the block or of a head holds: an element of a value. */
typedef struct
{
  HybValueId value;
  guint32    element;
} Tag;

typedef struct
{
  const HybPlan *plan;
  GHashTable    *tags; /* address (kind, index, offset) as text → Tag */
} Memory;

static char *
address (const HybPlace *place, gsize element)
{
  return g_strdup_printf ("%d %u %" G_GSIZE_FORMAT,
                          place->kind,
                          place->kind == HYB_PLACE_BLOCK ? 0 : place->index,
                          place->offset + element * sizeof (float));
}

static void
write_value (Memory *memory, const HybPlace *place, HybValueId value, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      Tag *tag = g_new (Tag, 1);

      tag->value = value;
      tag->element = (guint32) i;
      g_hash_table_insert (memory->tags, address (place, i), tag);
    }
}

/* Follows views down to the value that was computed. */
static void
check_value (const Memory *memory, HybValueId value)
{
  const HybPlan  *plan = memory->plan;
  const HybPlace *place = &plan->places[value];
  gsize           n = (gsize) hyb_shape_size (&plan->types[value].shape);
  gsize           first = 0;
  HybNodeId       id = hyb_graph_get_producer (plan->graph, value);

  while (hyb_graph_get_node (plan->graph, id)->op == &toy_flat ||
         hyb_graph_get_node (plan->graph, id)->op == &toy_tail)
    {
      HybValueId parent = hyb_graph_get_inputs (plan->graph, id)[0];

      first += (gsize) (hyb_shape_size (&plan->types[parent].shape) -
                        hyb_shape_size (&plan->types[value].shape));
      value = parent;
      id = hyb_graph_get_producer (plan->graph, value);
    }

  if (place->kind != HYB_PLACE_BLOCK && place->kind != HYB_PLACE_HEAD)
    return;
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *at = address (place, i);
      const Tag       *tag = g_hash_table_lookup (memory->tags, at);

      g_assert_nonnull (tag);
      g_assert_cmpuint (tag->value, ==, value);
      g_assert_cmpuint (tag->element, ==, first + i);
    }
}

static void
check_no_overlap (const HybPlan *plan)
{
  Memory memory = { plan, g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free) };
  guint  n_heads;
  const HybValueId *heads = hyb_graph_get_heads (plan->graph, &n_heads);

  for (guint s = 0; s < plan->n_steps; s++)
    {
      const HybStep    *step = &plan->steps[s];
      const HybNode    *node = hyb_graph_get_node (plan->graph, step->node);
      const HybValueId *inputs = hyb_graph_get_inputs (plan->graph, step->node);
      HybPlace          workspace = { .kind = HYB_PLACE_BLOCK, .offset = step->workspace };

      g_assert_cmpuint (step->workspace + step->workspace_bytes, <=, plan->memory);
      write_value (&memory, &workspace, HYB_NO_ID, step->workspace_bytes / sizeof (float));
      for (guint i = 0; i < node->n_inputs; i++)
        check_value (&memory, inputs[i]);
      for (guint i = 0; i < node->n_outputs; i++)
        {
          HybValueId value = node->first_output + i;

          if (plan->places[value].kind == HYB_PLACE_BLOCK)
            g_assert_cmpuint (plan->places[value].offset + hyb_type_bytes (&plan->types[value]),
                              <=,
                              plan->memory);
          g_assert_cmpuint (plan->places[value].offset % sizeof (float), ==, 0);
          write_value (&memory,
                       &plan->places[value],
                       value,
                       (gsize) hyb_shape_size (&plan->types[value].shape));
        }
      /* Only an operator that says so may write over what it reads. */
      for (guint i = 0; i < node->n_inputs; i++)
        if (!(node->op->flags & HYB_OP_IN_PLACE) || i > 0)
          check_value (&memory, inputs[i]);
    }
  for (guint i = 0; i < n_heads; i++)
    check_value (&memory, heads[i]);
  g_hash_table_unref (memory.tags);
}

/* --- Random graphs --- */

static HybValueId
random_node (HybBuilder *builder, GArray *values, GArray *sizes)
{
  static const HybOp *const unary[] = { &toy_step, &toy_scan, &toy_flat, &toy_tail, &toy_noise };
  guint from = (guint) g_test_rand_int_range (MAX (0, (int) values->len - 8), (int) values->len);
  HybValueId a = g_array_index (values, HybValueId, from);
  gint64     size = g_array_index (sizes, gint64, from);

  if (g_test_rand_bit ())
    for (guint i = values->len; i-- > 0;)
      if (i != from && g_array_index (sizes, gint64, i) == size)
        {
          g_array_append_val (sizes, size);
          return toy_node (builder, &toy_add, "", a, g_array_index (values, HybValueId, i));
        }

  from = (guint) g_test_rand_int_range (0, G_N_ELEMENTS (unary));
  if (unary[from] == &toy_tail)
    size -= size / 2;
  g_array_append_val (sizes, size);
  return toy_node (builder, unary[from], "", a, HYB_NO_ID);
}

static HybGraph *
random_graph (guint n_nodes, GPtrArray *inputs)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < 3; i++)
    {
      gint64     size = 5 + 30 * (gint64) i;
      HybValueId value =
          hyb_builder_add_variable (builder, (const char *[]){ "x", "y", "z" }[i], NULL);

      g_array_append_val (values, value);
      g_array_append_val (sizes, size);
      g_ptr_array_add (inputs, toy_row (size, (float) i));
    }
  for (guint i = 0; i < n_nodes; i++)
    {
      HybValueId value = random_node (builder, values, sizes);

      g_array_append_val (values, value);
    }
  for (guint i = 0; i < 4; i++)
    hyb_builder_add_head (builder,
                          g_array_index (values,
                                         HybValueId,
                                         g_test_rand_int_range (0, (int) values->len)));
  hyb_builder_add_head (builder, g_array_index (values, HybValueId, values->len - 1));
  return hyb_builder_freeze (g_steal_pointer (&builder));
}

static void
test_random_graphs_keep_live_values_apart (void)
{
  for (int turn = 0; turn < 150; turn++)
    {
      g_autoptr (GPtrArray) inputs =
          g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
      g_autoptr (HybGraph) graph = random_graph (4 + (guint) turn, inputs);
      HybPlanOptions options = { .optimise = turn % 3 == 0, .bind_outputs = turn % 2 == 0 };
      HybTensor    **given = (HybTensor **) inputs->pdata;
      g_autoptr (HybPlan) plan = plan_for (graph, given, &options);
      g_autoptr (GPtrArray) planned = run_plan (plan, given);
      HybRun     context = { .seed = 3 };
      HybTensor *plain[5];

      check_no_overlap (plan);
      g_assert_true (hyb_imperative_run (graph, given, plain, &context, NULL));
      for (guint i = 0; i < planned->len; i++)
        {
          g_assert_cmpmem (hyb_tensor_get_data (planned->pdata[i]),
                           hyb_tensor_get_bytes (planned->pdata[i]),
                           hyb_tensor_get_data (plain[i]),
                           hyb_tensor_get_bytes (plain[i]));
          hyb_tensor_unref (plain[i]);
        }
    }
}

static void
test_intervals_never_share_memory (void)
{
  for (int turn = 0; turn < 100; turn++)
    {
      const guint n = 120;
      HybInterval intervals[120];
      gsize       total;

      for (guint i = 0; i < n; i++)
        {
          intervals[i].begin = (guint32) g_test_rand_int_range (0, 60);
          intervals[i].end = intervals[i].begin + (guint32) g_test_rand_int_range (0, 12);
          if (g_test_rand_int_range (0, 20) == 0)
            intervals[i].end = G_MAXUINT32;
          intervals[i].bytes = (gsize) g_test_rand_int_range (0, 1000);
        }
      g_assert_cmpuint (hyb_memory_plan (intervals, n, 60, G_MAXSSIZE, &total), ==, n);
      for (guint i = 0; i < n; i++)
        {
          const HybInterval *a = &intervals[i];

          g_assert_cmpuint (a->offset % HYB_ALIGNMENT, ==, 0);
          g_assert_cmpuint (a->offset + a->bytes, <=, total);
          for (guint k = 0; k < i; k++)
            {
              const HybInterval *b = &intervals[k];

              if (a->begin <= b->end && b->begin <= a->end)
                g_assert_true (a->offset + a->bytes <= b->offset ||
                               b->offset + b->bytes <= a->offset);
            }
        }
    }
}

/* --- Single properties --- */

static HybGraph *
chain (guint n, gboolean scan)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId value = hyb_builder_add_variable (builder, "x", NULL);

  for (guint i = 0; i < n; i++)
    value = toy_node (builder, scan ? &toy_scan : &toy_step, "next", value, HYB_NO_ID);
  hyb_builder_add_head (builder, value);
  return hyb_builder_freeze (g_steal_pointer (&builder));
}

static void
test_chains_compute_in_place (void)
{
  g_autoptr (HybGraph) graph = chain (30, FALSE);
  g_autoptr (HybTensor) x = toy_row (16, 0);
  HybPlanOptions options = { .optimise = TRUE };
  g_autoptr (HybPlan) inside = plan_for (graph, &x, &options);
  g_autoptr (HybPlan) outside = NULL;
  g_autoptr (GPtrArray) outputs = NULL;

  g_assert_cmpuint (hyb_plan_get_memory (inside), ==, 64);
  options.bind_outputs = TRUE;
  outside = plan_for (graph, &x, &options);
  g_assert_cmpuint (hyb_plan_get_memory (outside), ==, 0);
  outputs = run_plan (outside, &x);
  g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[0], 15), ==, 45);
  g_assert_cmpfloat (hyb_tensor_get_value (x, 15), ==, 15);
}

static void
test_memory_is_shared_along_a_chain (void)
{
  g_autoptr (HybGraph) graph = chain (30, TRUE);
  g_autoptr (HybTensor) x = toy_row (16, 0);
  HybPlanOptions options = { .optimise = TRUE };
  g_autoptr (HybPlan) plan = plan_for (graph, &x, &options);

  /* Two values and the workspace between them. */
  g_assert_cmpuint (hyb_plan_get_memory (plan), ==, 3 * 64);
}

static void
test_views_are_no_steps (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId     x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId     next = toy_node (builder, &toy_step, "next", x, HYB_NO_ID);
  HybValueId     tail = toy_node (builder, &toy_tail, "tail", next, HYB_NO_ID);
  HybValueId     flat = toy_node (builder, &toy_flat, "flat", tail, HYB_NO_ID);
  HybPlanOptions options = { .optimise = TRUE, .bind_outputs = TRUE };
  g_autoptr (HybTensor) data = toy_row (32, 0);
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybPlan) plan = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  g_autofree char *text = NULL;

  hyb_builder_add_head (builder, flat);
  hyb_builder_add_head (builder, next);
  hyb_builder_add_head (builder, x);
  hyb_builder_add_head (builder, next);
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  plan = plan_for (graph, &data, &options);
  outputs = run_plan (plan, &data);
  text = hyb_plan_print (plan);
  g_test_message ("%s", text);

  g_assert_cmpuint (hyb_plan_n_steps (plan), ==, 1);
  g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[0], 0), ==, 17);
  g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[1], 3), ==, 4);
  g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[2], 3), ==, 3);
  g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[3], 31), ==, 32);
  g_assert_cmpuint (hyb_plan_get_memory (plan), ==, 0);
}

static void
test_equal_nodes_merge_and_constants_fold (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId  weight = hyb_builder_add_variable (builder, "weight", NULL);
  HybValueId  x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId  folded = toy_node (builder, &toy_step, "folded", weight, HYB_NO_ID);
  HybValueId  a = toy_node (builder, &toy_add, "a", x, folded);
  HybValueId  b = toy_node (builder, &toy_add, "b", x, folded);
  HybValueId  noise_a = toy_node (builder, &toy_noise, "n", a, HYB_NO_ID);
  HybValueId  noise_b = toy_node (builder, &toy_noise, "n", b, HYB_NO_ID);
  const char *without[] = { "merge-equal", NULL };
  g_autoptr (HybTensor) data = toy_row (4, 0);
  HybTensor     *inputs[] = { data, data };
  HybTensor     *constants[] = { data, NULL };
  HybPlanOptions options = { .optimise = TRUE, .constants = constants };
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybPlan) plan = NULL;
  g_autoptr (HybPlan) plain = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  g_autofree char *text = NULL;

  hyb_builder_add_head (builder, noise_a);
  hyb_builder_add_head (builder, noise_b);
  toy_node (builder, &toy_step, "dead", x, HYB_NO_ID);
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  plan = plan_for (graph, inputs, &options);
  text = hyb_plan_print (plan);

  g_assert_cmpuint (hyb_plan_n_steps (plan), ==, 3);
  g_assert_cmpuint (hyb_plan_n_variables (plan), ==, 2);
  g_assert_nonnull (strstr (text, "pass fold-constants: 1 values computed"));
  g_assert_nonnull (strstr (text, "pass merge-equal: 7 of 8 nodes left"));
  g_assert_nonnull (strstr (text, "pass drop-dead: 6 of 7 nodes left"));
  outputs = run_plan (plan, inputs);
  g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (outputs->pdata[0], 3), 11.5, 0.5);

  options.without = without;
  plain = plan_for (graph, inputs, &options);
  g_assert_cmpuint (hyb_plan_n_steps (plain), ==, 4);
}

static void
test_states_are_never_folded_or_viewed (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId     x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId     state = toy_node (builder, &toy_zeros, "state", HYB_NO_ID, HYB_NO_ID);
  HybPlanOptions options = { .optimise = TRUE };
  g_autoptr (HybTensor) data = toy_row (4, 0);
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybPlan) plan = NULL;

  hyb_builder_add_head (builder, toy_node (builder, &toy_count, "count", x, state));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  plan = plan_for (graph, &data, &options);
  for (int i = 0; i < 2; i++)
    {
      g_autoptr (GPtrArray) outputs = run_plan (plan, &data);

      g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[0], 0), ==, 1);
    }
}

/* zeros → flat → state: if flat were a view, counting would write the zeros. */
static void
test_views_of_states_are_copies (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId     x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId     one = hyb_builder_add_variable (builder, "one", NULL);
  HybValueId     state = toy_node (builder, &toy_flat, "state", one, HYB_NO_ID);
  HybPlanOptions options = { .optimise = TRUE };
  g_autoptr (HybTensor) data = toy_row (4, 0);
  g_autoptr (HybTensor) start = toy_row (1, 1);
  HybTensor *inputs[] = { data, start };
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybPlan) plan = NULL;
  g_autoptr (GPtrArray) outputs = NULL;

  hyb_builder_add_head (builder, toy_node (builder, &toy_count, "count", x, state));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  plan = plan_for (graph, inputs, &options);
  outputs = run_plan (plan, inputs);
  g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[0], 0), ==, 2);
  g_assert_cmpfloat (hyb_tensor_get_value (start, 0), ==, 1);
}

static void
test_absurd_sizes_are_refused_with_a_name (void)
{
  g_autoptr (HybGraph) graph = chain (3, TRUE);
  HybType        type = { hyb_shape_2d (1 << 20, 1 << 30), HYB_F32 };
  HybPlanOptions options = { .optimise = TRUE };
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_plan_new (graph, &type, &options, &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "“x”"));
  g_clear_error (&error);

  /* Each value fits, all together do not. */
  type.shape = hyb_shape_1d (1000);
  options.memory_limit = 9000;
  g_assert_null (hyb_plan_new (graph, &type, &options, &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "“next”"));
}

static void
test_unknown_types_are_refused_together (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId     a = hyb_builder_add_variable (builder, "a", NULL);
  HybValueId     b = hyb_builder_add_variable (builder, "b", NULL);
  HybType        types[2] = { HYB_TYPE_UNKNOWN, HYB_TYPE_UNKNOWN };
  HybPlanOptions options = { .optimise = TRUE };
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  hyb_builder_add_head (builder, toy_node (builder, &toy_add, "sum", a, b));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  g_assert_null (hyb_plan_new (graph, types, &options, &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "“a”, “b”"));
}

static void
test_passes_have_names (void)
{
  g_autoptr (HybGraph) graph = chain (3, TRUE);
  HybType        type = { hyb_shape_1d (3), HYB_F32 };
  const char    *without[] = { "fold-nothing", NULL };
  HybPlanOptions options = { .optimise = TRUE, .without = without };
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_plan_new (graph, &type, &options, &error));
  g_assert_nonnull (strstr (error->message, "“fold-nothing”"));
  g_assert_nonnull (strstr (error->message, "merge-equal"));
}

static void
test_dynamic_shapes_are_told (void)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId     x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId     kept = toy_node (builder, &toy_positive, "kept", x, HYB_NO_ID);
  HybPlanOptions options = { .optimise = TRUE };
  g_autoptr (HybTensor) data = toy_row (4, 0);
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybPlan) plan = NULL;

  hyb_builder_add_head (builder, toy_node (builder, &toy_step, "next", kept, HYB_NO_ID));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  plan = plan_for (graph, &data, &options);
  g_assert_true (hyb_plan_is_dynamic (plan));
}

static void
do_nothing (const HybCall *call, const HybRun *run)
{
}

static void
test_dispatch_takes_little_time (void)
{
  static const HybOp nothing = {
    .name = "nothing", .inputs = toy_two, .infer_shape = hyb_rule_same_shape, .forward = do_nothing
  };
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId     x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId     value = x;
  HybPlanOptions options = { .optimise = TRUE };
  g_autoptr (HybTensor) data = toy_row (4, 0);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  HybRun context = { .cancellable = cancellable };
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybPlan) plan = NULL;
  gint64    start = g_get_monotonic_time ();
  gpointer  room, memory;
  HybFrame *frame;

  for (int i = 0; i < 20000; i++)
    value = toy_node (builder, &nothing, "", value, x);
  hyb_builder_add_head (builder, value);
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  start = g_get_monotonic_time ();
  plan = plan_for (graph, &data, &options);
  g_test_message ("planning 20000 nodes: %.1f ms",
                  (double) (g_get_monotonic_time () - start) / 1000);

  room = aligned_room (hyb_frame_size (plan));
  memory = aligned_room (hyb_plan_get_memory (plan));
  frame = hyb_frame_init (room, plan, memory);
  hyb_frame_bind_variable (frame, 0, hyb_tensor_get_data (data));
  g_assert_true (hyb_frame_run (frame, &context));
  start = g_get_monotonic_time ();
  for (int i = 0; i < 20; i++)
    g_assert_true (hyb_frame_run (frame, &context));
  g_test_message ("%.1f ns an operator",
                  (double) (g_get_monotonic_time () - start) * 1000 / 20 / hyb_plan_n_steps (plan));

  g_cancellable_cancel (cancellable);
  g_assert_false (hyb_frame_run (frame, &context));
  free (room);
  free (memory);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/exec/plan/random-graphs-keep-live-values-apart",
                   test_random_graphs_keep_live_values_apart);
  g_test_add_func ("/engine/exec/plan/intervals-never-share-memory",
                   test_intervals_never_share_memory);
  g_test_add_func ("/engine/exec/plan/chains-compute-in-place", test_chains_compute_in_place);
  g_test_add_func ("/engine/exec/plan/memory-is-shared-along-a-chain",
                   test_memory_is_shared_along_a_chain);
  g_test_add_func ("/engine/exec/plan/views-are-no-steps", test_views_are_no_steps);
  g_test_add_func ("/engine/exec/plan/equal-nodes-merge-and-constants-fold",
                   test_equal_nodes_merge_and_constants_fold);
  g_test_add_func ("/engine/exec/plan/states-are-never-folded-or-viewed",
                   test_states_are_never_folded_or_viewed);
  g_test_add_func ("/engine/exec/plan/views-of-states-are-copies", test_views_of_states_are_copies);
  g_test_add_func ("/engine/exec/plan/absurd-sizes-are-refused-with-a-name",
                   test_absurd_sizes_are_refused_with_a_name);
  g_test_add_func ("/engine/exec/plan/unknown-types-are-refused-together",
                   test_unknown_types_are_refused_together);
  g_test_add_func ("/engine/exec/plan/passes-have-names", test_passes_have_names);
  g_test_add_func ("/engine/exec/plan/dynamic-shapes-are-told", test_dynamic_shapes_are_told);
  g_test_add_func ("/engine/exec/plan/dispatch-takes-little-time", test_dispatch_takes_little_time);

  return g_test_run ();
}
