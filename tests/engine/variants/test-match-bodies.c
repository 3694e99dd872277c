/* test-match-bodies.c — every node of an unrolled step has one node of its role in a loop's body.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/match-bodies.h"
#include "tests/engine/variants/converted.h"
#include "tests/engine/variants/listed.h"
#include "tests/program.h"

#include <string.h>

/* Unrolled by MXNet's cells: one layer each. */
static const char *const models[] = {
  "cell-lstm-t6-ntc-none",
  "cell-gru-t6-ntc-none",
  "cell-rnn_tanh-t6-ntc-none",
  "gallery:lstm-unrolled",
};

static guint
count_operators (HybGraph *graph)
{
  guint n = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    n += !hyb_node_is_variable (hyb_graph_get_node (graph, id));
  return n;
}

/* The part of a name that does not change from step to step: "i2h" of "lstm0_t3_i2h". */
static const char *
role_of (const char *name)
{
  return strrchr (name, '_') ? strrchr (name, '_') : name;
}

/* Roles found: one node of every step for each node of the body, and with the same operator. */
static void
check_roles (HybGraph *a, HybGraph *b, const GArray *found)
{
  g_autoptr (GHashTable) pairs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < found->len; i++)
    {
      const HybBodyMatch *match = &g_array_index (found, HybBodyMatch, i);
      HybGraph           *body = hyb_graph_get_bodies (b, match->loop)[match->body];
      const HybNode      *outer = hyb_graph_get_node (a, match->a);
      const HybNode      *inner = hyb_graph_get_node (body, match->node);

      g_assert_cmpstr (outer->type, ==, inner->type);
      if (g_str_has_suffix (outer->name, "2h"))
        g_assert_cmpstr (role_of (outer->name), ==, role_of (inner->name));
      g_assert_true (
          g_hash_table_add (pairs, g_strdup_printf ("%u/%u/%u/%d", match->loop, match->body,
                                                    match->node, match->step)));
    }
}

static void
test_roles (gconstpointer data)
{
  HybForm form = (HybForm) GPOINTER_TO_UINT (data);

  for (guint m = 0; m < G_N_ELEMENTS (models); m++)
    {
      HybModel *model = listed_open (models[m], "?hidden=8&length=5");
      g_autoptr (HybTensorList) input = NULL;
      g_autoptr (HybVariant) variant = NULL;
      g_autoptr (GArray) found = NULL;
      HybGraph *a, *b;
      gboolean  has_weights;
      guint     n_steps = 0, n_loops = 0, n_inside = 0;

      if (!model)
        continue;
      input = listed_input (models[m], model, &has_weights);
      variant = converted_new (model, form, input);
      a = hyb_model_get_graph (model);
      b = hyb_model_get_graph (variant->model);
      found = hyb_match_bodies (a, b, variant->matches);
      check_roles (a, b, found);
      for (guint i = 0; i < variant->matches->len; i++)
        {
          const HybMatch *match = &g_array_index (variant->matches, HybMatch, i);

          if (match->step >= 0 && hyb_graph_get_node (b, match->b)->n_bodies > 0)
            n_steps++;
        }
      for (HybNodeId id = 0; id < hyb_graph_n_nodes (b); id++)
        if (hyb_graph_get_node (b, id)->n_bodies > 0)
          {
            n_loops++;
            n_inside += count_operators (hyb_graph_get_bodies (b, id)[0]);
          }
      g_assert_cmpuint (n_loops, ==, 1);
      g_assert_cmpuint (n_inside, >, 0);
      /* No node of a step is left without a role. */
      g_assert_cmpuint (found->len, ==, n_steps);
      hyb_model_unref (model);
    }
}

TEST_PROGRAM (test_match_bodies)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/engine/variants/match-bodies/foreach",
                        GUINT_TO_POINTER (HYB_FORM_FOREACH), test_roles);
  g_test_add_data_func ("/engine/variants/match-bodies/while", GUINT_TO_POINTER (HYB_FORM_WHILE),
                        test_roles);
  return g_test_run ();
}
