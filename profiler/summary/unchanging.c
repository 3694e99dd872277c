/* unchanging.c — marks nodes of a plan that depend on parameters alone.
 *
 * The pass fold-constants says which nodes it would compute while planning.  Start reading at
 * prof_unchanging_add().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/unchanging.h"

#include "engine/exec/plan-constants.h"
#include "engine/exec/plan-sources.h"
#include "engine/graph/reach.h"
#include "engine/passes/fold-constants.h"

/* Parameters that a run does not write, as flags by value of the plan's graph.  (transfer full) */
static guint8 *
flag_parameters (const ProfSubject *subject, HybGraph *graph)
{
  guint8            *flags = g_new0 (guint8, MAX (hyb_graph_n_values (graph), 1));
  g_autofree guint8 *written = hyb_graph_find_written (graph, FALSE);
  guint              n;
  const HybNodeId   *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    flags[hyb_graph_get_node (graph, variables[i])->first_output] =
        prof_subject_is_parameter (subject, i) && !written[variables[i]];
  return flags;
}

/* Whether a node of the plan stands for nodes that depend on parameters alone and nothing else, such as a chain
 * that a pass has fused.  folded: by node of the graph that was planned. */
static gboolean
stands_for_folded (const HybPlan *plan, HybNodeId id, const guint8 *folded)
{
  guint            n;
  const HybSource *sources = hyb_plan_get_sources (plan, id, &n);

  for (guint i = 0; i < n; i++)
    if (sources[i].inner != HYB_NO_ID || !folded[sources[i].node])
      return FALSE;
  return n > 0;
}

/* The nodes of the plan's graph that depend on parameters alone, as flags.  (transfer full) */
static guint8 *
flag_nodes (const ProfSubject *subject, const HybPlan *plan)
{
  HybGraph          *graph = hyb_plan_get_graph (plan), *given = hyb_plan_get_given (plan);
  g_autofree guint8 *of_given = flag_parameters (subject, given);
  g_autofree guint8 *of_plan = flag_parameters (subject, graph);
  g_autofree guint8 *folded =
      hyb_fold_find (given, prof_subject_get_types (subject), of_given, FALSE);
  guint8 *flags = hyb_fold_find (graph, hyb_plan_get_types (plan), of_plan, FALSE);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    flags[id] |= stands_for_folded (plan, id, folded);
  return flags;
}

/* Whether a value of a node that is flagged is read where a run computes; else it need not be kept. */
static gboolean
is_kept (HybGraph *graph, HybValueId value, const guint8 *flagged)
{
  guint             n_users, n_heads;
  const HybNodeId  *users = hyb_graph_get_users (graph, value, &n_users);
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);

  for (guint i = 0; i < n_users; i++)
    if (!flagged[users[i]])
      return TRUE;
  for (guint i = 0; i < n_heads; i++)
    if (heads[i] == value)
      return TRUE;
  return FALSE;
}

static double
count_kept (HybGraph *graph, HybNodeId id, const HybType *types, const guint8 *flagged)
{
  const HybNode *node = hyb_graph_get_node (graph, id);
  double         bytes = 0;

  if (node->op->view) /* of what is there */
    return 0;
  for (guint i = 0; i < node->n_outputs; i++)
    if (is_kept (graph, node->first_output + i, flagged))
      bytes += (double) hyb_type_bytes (&types[node->first_output + i]);
  return bytes;
}

static void
add_foldable (ProfBuilder           *builder,
              const ProfAttribution *attribution,
              const ProfSubject     *subject,
              const HybPlan         *plan,
              ProfFacts             *facts)
{
  HybGraph          *graph = hyb_plan_get_graph (plan);
  const HybType     *types = hyb_plan_get_types (plan);
  g_autofree guint8 *flagged = flag_nodes (subject, plan);
  double             bytes = 0;
  guint              n = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      guint32 row = flagged[id] ? prof_attribution_get_planned_row (attribution, id) : PROF_NONE;

      if (row == PROF_NONE)
        continue;
      prof_builder_get_node (builder, row)->flags |= PROF_NODE_UNCHANGING;
      bytes += count_kept (graph, id, types, flagged);
      n++;
    }
  if (n > 0)
    prof_facts_set_number (facts, PROF_FOLDABLE_BYTES_KEY, bytes);
}

void
prof_unchanging_add (ProfBuilder           *builder,
                     const ProfAttribution *attribution,
                     const ProfSubject     *subject)
{
  const HybPlan *plan = hyb_executor_get_plan (prof_subject_get_executor (subject));
  g_autoptr (ProfFacts) facts = prof_facts_new ();
  guint n;

  if (!prof_subject_may_fold (subject))
    return;
  if (prof_subject_get_options (subject)->fold_parameters)
    {
      hyb_graph_get_variables (prof_subject_get_graph (subject), &n);
      prof_facts_set (facts, PROF_FOLDED_KEY, PROF_FOLDED_VALUE);
      prof_facts_set_number (facts, PROF_FOLDED_BYTES_KEY,
                             (double) hyb_plan_get_folded_bytes (plan,
                                                                 prof_subject_get_values (subject),
                                                                 n));
    }
  else
    add_foldable (builder, attribution, subject, plan, facts);
  prof_builder_add_facts (builder, facts);
}
