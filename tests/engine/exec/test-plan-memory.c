/* test-plan-memory.c — memory is shared, and never by two values at once.
 *
 * Random graphs are checked against a memory that remembers which value it
 * holds, and against the same graph run operator by operator.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/exec/plan-memory.h"

#include "engine/imperative/imperative.h"
#include "tests/engine/exec/run-plan.h"
#include "tests/engine/toy-ops.h"
#include "tests/program.h"

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
  return g_strdup_printf ("%d %u %" G_GSIZE_FORMAT, place->kind,
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
  gsize           n = (gsize) hyb_shape_size (&hyb_plan_type (plan, value)->shape);
  gsize           first = 0;
  HybNodeId       id = hyb_graph_get_producer (plan->graph, value);

  while (hyb_graph_get_node (plan->graph, id)->op == &toy_flat ||
         hyb_graph_get_node (plan->graph, id)->op == &toy_tail)
    {
      HybValueId parent = hyb_graph_get_inputs (plan->graph, id)[0];

      first += (gsize) (hyb_shape_size (&hyb_plan_type (plan, parent)->shape) -
                        hyb_shape_size (&hyb_plan_type (plan, value)->shape));
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
            g_assert_cmpuint (plan->places[value].offset +
                                  hyb_type_bytes (hyb_plan_type (plan, value)),
                              <=, plan->memory);
          g_assert_cmpuint (plan->places[value].offset % sizeof (float), ==, 0);
          write_value (&memory, &plan->places[value], value,
                       (gsize) hyb_shape_size (&hyb_plan_type (plan, value)->shape));
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

/* Inside, values of one type share it; a caller gets a list by value, the same one each time. */
static void
check_types (const HybPlan *plan)
{
  const HybType *types = hyb_plan_get_types (plan);

  g_assert_true (types == hyb_plan_get_types (plan));
  for (HybValueId value = 0; value < hyb_graph_n_values (plan->graph); value++)
    {
      const HybType *shared = hyb_plan_type (plan, value);

      g_assert_true (types[value].dtype == shared->dtype);
      g_assert_true (hyb_shape_equal (&types[value].shape, &shared->shape));
      for (HybValueId other = 0; other < value; other++)
        if (hyb_shape_equal (&hyb_plan_type (plan, other)->shape, &shared->shape))
          g_assert_true (hyb_plan_type (plan, other) == shared);
    }
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
    hyb_builder_add_head (builder, g_array_index (values, HybValueId,
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
      check_types (plan);
      g_assert_true (hyb_imperative_run (graph, given, plain, &context, NULL));
      for (guint i = 0; i < planned->len; i++)
        {
          g_assert_cmpmem (hyb_tensor_get_data (planned->pdata[i]),
                           hyb_tensor_get_bytes (planned->pdata[i]), hyb_tensor_get_data (plain[i]),
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

TEST_PROGRAM (test_plan_memory)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/exec/plan-memory/random-graphs-keep-live-values-apart",
                   test_random_graphs_keep_live_values_apart);
  g_test_add_func ("/engine/exec/plan-memory/intervals-never-share-memory",
                   test_intervals_never_share_memory);

  return g_test_run ();
}
