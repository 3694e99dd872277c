/* test-fuse-attention.c — attention in pieces becomes one operator with the same numbers: scaled, with a bias, masked either
 * way, over broadcast batches and more rows than a block has; what is read elsewhere stays.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/trace.h"
#include "engine/exec/executor.h"
#include "engine/exec/plan-sources.h"
#include "tests/engine/ops/op-plan.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

/* Attention over two heads. */
typedef struct
{
  gint64      m, n;          /* rows of queries, of keys */
  const char *scale;         /* of _mul_scalar; NULL: none */
  int         bias_rank;     /* 0: none; 1: by column; 4: all scores of a head */
  gboolean    has_mask;      /* shows the triangle below the diagonal */
  gboolean    is_inverted;   /* the mask is where scores are replaced */
  gboolean    hides_a_row;   /* the mask shows nothing of row 1 */
  const char *hidden;        /* what replaces them */
  gboolean    shows_weights; /* the softmax is an output, too */
  gboolean    shares_key;    /* one key for both heads */
} Case;

#define HEADS 2
#define DEPTH 5
#define WIDTH 3

static HybShape
shape_of (const Case *c, const char *name)
{
  if (g_str_equal (name, "q"))
    return hyb_shape_4d (1, HEADS, c->m, DEPTH);
  if (g_str_equal (name, "k"))
    return hyb_shape_4d (1, c->shares_key ? 1 : HEADS, DEPTH, c->n);
  if (g_str_equal (name, "v"))
    return hyb_shape_4d (1, HEADS, c->n, WIDTH);
  if (g_str_equal (name, "mask"))
    return hyb_shape_2d (c->m, c->n);
  if (g_str_equal (name, "hidden"))
    return (HybShape){ .rank = 0 };
  return c->bias_rank == 1 ? hyb_shape_1d (c->n) : hyb_shape_4d (1, 1, c->m, c->n);
}

static HybGraph *
trace (const Case *c)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (GError) error = NULL;
  HybValue *q = hyb_value_variable (F, "q", NULL), *k = hyb_value_variable (F, "k", NULL);
  HybValue *v = hyb_value_variable (F, "v", NULL), *mask, *hidden, *y;
  HybGraph *graph;

  y = HYB_OP (F, "_npi_matmul", .in = { q, k });
  if (c->scale)
    y = HYB_OP (F, "_mul_scalar", .in = { y }, .attributes = HYB_WITH ("scalar", c->scale));
  if (c->bias_rank > 0)
    y = HYB_OP (F, "broadcast_add", .in = { hyb_value_variable (F, "bias", NULL), y });
  if (c->has_mask)
    {
      mask = hyb_value_variable (F, "mask", NULL);
      hidden = hyb_value_variable (F, "hidden", NULL);
      y = c->is_inverted ? HYB_OP (F, "_npi_where", .in = { mask, hidden, y })
                         : HYB_OP (F, "_npi_where", .in = { mask, y, hidden });
    }
  y = HYB_OP (F, "softmax", .in = { y }, .attributes = HYB_WITH ("axis", "-1"));
  v = HYB_OP (F, "_npi_matmul", .in = { y, v });
  graph = hyb_f_finish (F, c->shows_weights ? hyb_list (F, 2, (HybValue *[]){ v, y }) : v, &error);
  g_assert_no_error (error);
  return graph;
}

static double
value_of (const Case *c, const char *name, gint64 i)
{
  gint64 row = i / c->n, column = i % c->n;

  if (g_str_equal (name, "hidden"))
    return g_ascii_strtod (c->hidden, NULL);
  if (g_str_equal (name, "mask"))
    return (column <= row && !(c->hides_a_row && row == 1)) != c->is_inverted;
  return sin (0.7 * (double) (i + 1) + 3 * name[0]);
}

static HybExecutor *
run (const Case *c, const HybExecutorOptions *options)
{
  g_autoptr (HybGraph) graph = trace (c);
  HybExecutor     *executor = hyb_executor_new (graph, options);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      HybType     type = { shape_of (c, name), g_str_equal (name, "mask") ? HYB_BOOL : HYB_F32 };
      g_autoptr (HybTensor) tensor = hyb_tensor_new (&type, &error);

      for (gint64 k = 0; k < hyb_tensor_get_size (tensor); k++)
        hyb_dtype_set_double (hyb_tensor_get_data (tensor), type.dtype, (gsize) k,
                              value_of (c, name, k));
      g_assert_true (hyb_executor_bind (executor, name, tensor, &error));
    }
  g_assert_true (hyb_executor_run (executor, NULL, &error));
  g_assert_no_error (error);
  return executor;
}

/* Compares with a run without passes; returns how many operators are attention. */
static guint
check (const Case *c, const HybExecutorOptions *options)
{
  HybExecutorOptions no_passes = { .mode = HYB_MODE_STATIC,
                                   .no_passes = TRUE,
                                   .training = options->training };
  g_autoptr (HybExecutor) fused = run (c, options);
  g_autoptr (HybExecutor) plain = run (c, &no_passes);

  for (guint head = 0; head < hyb_executor_n_outputs (plain); head++)
    {
      HybTensor *a = hyb_executor_get_output (fused, head);
      HybTensor *b = hyb_executor_get_output (plain, head);

      g_assert_true (hyb_shape_equal (hyb_tensor_get_shape (a), hyb_tensor_get_shape (b)));
      for (gint64 i = 0; i < hyb_tensor_get_size (a); i++)
        {
          double x = hyb_tensor_get_value (a, i), y = hyb_tensor_get_value (b, i);

          g_assert_true ((isnan (x) && isnan (y)) || fabs (x - y) <= 2e-6);
        }
    }
  return op_count_planned (fused, "_scaled_attention");
}

static const HybExecutorOptions planned = { .mode = HYB_MODE_STATIC };

static void
test_pieces_become_one_operator (void)
{
  const Case cases[] = {
    { 4, 7 },
    { 1, 1, "2.5" },
    { 4, 7, "0.25", .bias_rank = 1 },
    { 4, 7, NULL, .bias_rank = 4 },
    { 9, 9, "0.25", .has_mask = TRUE, .hidden = "-inf" },
    { 9, 9, "0.25", .has_mask = TRUE, .hidden = "-3" },
    { 9, 9, "0.25", 4, .has_mask = TRUE, .is_inverted = TRUE, .hidden = "-inf" },
    { 9, 30, NULL, .has_mask = TRUE, .hidden = "-inf" },
    { 9, 30, NULL, .has_mask = TRUE, .is_inverted = TRUE, .hidden = "-inf" },
    { 9, 30, NULL, .has_mask = TRUE, .hides_a_row = TRUE, .hidden = "-inf" },
    { 5, 6, "0.25", .shares_key = TRUE },
    /* Several blocks, the last of which is smaller. */
    { 50, 5000, "0.25", 1 },
    { 50, 5000, "0.25", .has_mask = TRUE, .hidden = "-inf" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("case %u", i);
      g_assert_cmpuint (check (&cases[i], &planned), ==, 1);
    }
}

static void
test_what_is_read_elsewhere_stays (void)
{
  const Case         shown = { 4, 7, .shows_weights = TRUE }, plain = { 4, 7 };
  const char        *without[] = { "fuse-attention", NULL };
  HybExecutorOptions left_out = planned, training = planned, exact = planned;

  left_out.without = without;
  training.training = TRUE;
  exact.same_bytes = TRUE;
  g_assert_cmpuint (check (&shown, &planned), ==, 0);
  g_assert_cmpuint (check (&plain, &left_out), ==, 0);
  g_assert_cmpuint (check (&plain, &training), ==, 0);
  g_assert_cmpuint (check (&plain, &exact), ==, 0);
}

/* The time of the operator belongs to all pieces. */
static void
test_the_map_names_all_pieces (void)
{
  const Case c = { 9, 9, "0.25", 4, .has_mask = TRUE, .hidden = "-inf" };
  g_autoptr (HybExecutor) executor = run (&c, &planned);
  const HybPlan *plan = hyb_executor_get_plan (executor);
  HybGraph      *graph = hyb_plan_get_graph (plan);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (g_str_equal (hyb_graph_get_node (graph, id)->op->name, "_scaled_attention"))
      {
        guint n;

        hyb_plan_get_sources (plan, id, &n);
        g_assert_cmpuint (n, ==, 6);
        return;
      }
  g_assert_not_reached ();
}

TEST_PROGRAM (test_fuse_attention)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/passes/fuse-attention/pieces-become-one-operator",
                   test_pieces_become_one_operator);
  g_test_add_func ("/engine/passes/fuse-attention/what-is-read-elsewhere-stays",
                   test_what_is_read_elsewhere_stays);
  g_test_add_func ("/engine/passes/fuse-attention/the-map-names-all-pieces",
                   test_the_map_names_all_pieces);

  return g_test_run ();
}
