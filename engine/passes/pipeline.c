/* pipeline.c — runs all passes over one graph, in the order of pass-list.h.
 *
 * After each pass the graph is verified, facts are carried over, and values without a type are
 * inferred.  Start with hyb_pipeline_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/passes/pipeline.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"

#include <stdio.h>
#include <string.h>

#define HYB_PASS(name) extern const HybPass hyb_pass_##name;
#include "engine/passes/pass-list.h"
#undef HYB_PASS

static const HybPass *const passes[] = {
#define HYB_PASS(name) &hyb_pass_##name,
#include "engine/passes/pass-list.h"
#undef HYB_PASS
  NULL,
};

const HybPass *const *
hyb_passes (void)
{
  return passes;
}

const HybPass *
hyb_pass_find (const char *name)
{
  for (guint i = 0; passes[i] != NULL; i++)
    if (strcmp (passes[i]->name, name) == 0)
      return passes[i];
  return NULL;
}

static gboolean
check_name (const char *name, GError **error)
{
  const HybPass *pass = hyb_pass_find (name);

  if (!pass)
    {
      g_autoptr (GString) all = g_string_new (passes[0]->name);

      for (guint i = 1; passes[i] != NULL; i++)
        g_string_append_printf (all, ", %s", passes[i]->name);
      return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN, NULL, NULL,
                           "there is no pass called “%s”; there are %s", name, all->str);
    }
  return TRUE;
}

static gboolean
check_options (const HybPipelineOptions *options, GError **error)
{
  for (guint i = 0; options->without && options->without[i]; i++)
    if (!check_name (options->without[i], error))
      return FALSE;
  return !options->dump_after || check_name (options->dump_after, error);
}

static gboolean
is_left_out (const HybPass *pass, const HybPipelineOptions *options)
{
  if ((pass->host_only && options->for_device) || (pass->makes_constants && options->for_body))
    return TRUE;
  return pass->optimising && (!options->optimise ||
                              (options->without && g_strv_contains (options->without, pass->name)));
}

static guint
count_constants (const HybFacts *facts)
{
  guint n = 0;

  for (guint i = 0; i < facts->n_values; i++)
    n += facts->constants[i] != NULL;
  return n;
}

/* Carries facts over and infers the types of values that the pass has added. */
static gboolean
follow (HybGraph *graph, HybFacts *facts, const GArray *map, GError **error)
{
  hyb_facts_follow (facts, graph, map);
  for (guint i = 0; (facts->have & HYB_FACT_TYPES) && i < facts->n_values; i++)
    if (!hyb_type_is_known (&facts->types[i]))
      return hyb_infer_types (graph, facts->types, facts->fixed_by, facts->training, error);
  return TRUE;
}

static void
report_pass (const HybProbe *probe, gboolean begin, guint index, guint32 graph)
{
  HybSpan span = { .kind = HYB_SPAN_PASS, .id = index, .graph = graph };

  if (probe && begin && probe->begin)
    probe->begin (probe->data, &span);
  if (probe && !begin && probe->end)
    probe->end (probe->data, &span);
}

/* Runs one pass.  Consumes graph.  NULL and an error if the pass fails. */
static HybGraph *
run_pass (const HybPass *pass, HybGraph *graph, HybFacts *facts, GArray *reports, GError **error)
{
  g_autoptr (GArray) map = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  HybPassReport report = { .pass = pass, .nodes_before = hyb_graph_n_nodes (graph) };
  guint         constants_before = reports ? count_constants (facts) : 0;
  g_autoptr (HybGraph) before = graph;
  g_autoptr (HybGraph) after = NULL;

  g_return_val_if_fail ((facts->have & pass->needs) == pass->needs, NULL);

  after = pass->run (before, facts, map, error);
  if (!after)
    return NULL;
  if (reports)
    report.folded = count_constants (facts) - constants_before;

  if (after != before)
    {
      /* A pass that writes a wrong graph fails here, by name, and not in a later pass. */
      if (!hyb_graph_verify (after, error))
        {
          g_prefix_error (error, "after the pass %s: ", pass->name);
          return NULL;
        }
      if (facts->sources)
        hyb_sources_follow (facts->sources, before, after, map);
      if (!follow (after, facts, map, error))
        return NULL;
    }

  report.nodes_after = hyb_graph_n_nodes (after);
  if (reports)
    g_array_append_val (reports, report);
  return g_steal_pointer (&after);
}

HybGraph *
hyb_pipeline_run (HybGraph                 *graph,
                  HybFacts                 *facts,
                  const HybPipelineOptions *options,
                  GArray                   *reports,
                  GError                  **error)
{
  HybGraph *current;

  if (!check_options (options, error))
    return NULL;

  current = hyb_graph_ref (graph);
  for (guint i = 0; passes[i] && current; i++)
    {
      if (!is_left_out (passes[i], options))
        {
          guint32 before = hyb_graph_get_id (current);

          report_pass (options->probe, TRUE, i, before);
          current = run_pass (passes[i], current, facts, reports, error);
          report_pass (options->probe, FALSE, i, before);
        }

      if (current && g_strcmp0 (options->dump_after, passes[i]->name) == 0)
        {
          g_autofree char *text = hyb_graph_print (current, facts->types);

          fprintf (stderr, "after %s:\n%s", passes[i]->name, text);
        }
    }
  return current;
}
