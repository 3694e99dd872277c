/* random-graph.c — makes random graphs; see random-graph.h.  scope.h has the pieces that it is made of.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/graphs/random-graph.h"

#include "tests/fuzz/graphs/growth.h"

#define MAX_HEADS 8

/* Values that nothing reads become outputs, and now and then one that is read. */
static void
add_heads (Scope *scope)
{
  guint n_heads = 0;

  for (guint i = scope->known->len; i-- > 0 && n_heads < MAX_HEADS;)
    {
      const KnownValue *known = scope_get (scope, i);
      gboolean          is_variable = hyb_node_is_variable (
                   hyb_builder_get_node (scope->builder,
                                         hyb_builder_get_producer (scope->builder, known->value)));

      if (is_variable || (known->n_readers > 0 && !fuzz_once_in (scope->random, 12)))
        continue;
      hyb_builder_add_head (scope->builder, known->value);
      n_heads++;
    }
}

RandomGraph *
random_graph_new (GPtrArray *operators, guint64 seed)
{
  FuzzRandom   state = seed * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);
  guint        n_names = 0;
  Scope        scope = { .operators = operators, .random = &state, .n_names = &n_names };
  RandomGraph *random = g_new0 (RandomGraph, 1);

  fuzz_below (&state, 2);
  scope.has_scalars = fuzz_once_in (&state, 2);
  scope_init (&scope, NULL);
  growth_add (&scope, 2 + fuzz_below (&state, 9));
  if (scope.known->len == 0)
    growth_add (&scope, 8);
  add_heads (&scope);
  random->graph = hyb_builder_freeze (g_steal_pointer (&scope.builder));
  random->values = g_ptr_array_ref (scope.values);
  scope_clear (&scope);
  return random;
}

void
random_graph_free (RandomGraph *random)
{
  hyb_graph_unref (random->graph);
  g_ptr_array_unref (random->values);
  g_free (random);
}
