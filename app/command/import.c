/* import.c — hscope import: attaches a profiler trace to a graph.
 *
 * Reads MXNet's profile.json or another Chrome trace, matches its events to nodes by operator name
 * and order (profiler/exchange/import.h) and writes a capture.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/describe/describe-capture.h"
#include "app/command/frame/command.h"
#include "app/command/frame/open-model.h"
#include "app/command/recordings/read-trace.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/one-line.h"
#include "profiler/base/format.h"
#include "profiler/exchange/import.h"
#include "profiler/exchange/report-text.h"
#include "profiler/summary/measured-capture.h"

#include <stdio.h>

typedef struct
{
  char *symbol, *capture;
  char *like; /* a trace without bulking */
} ImportOptions;

/* Types as far as they can be inferred: the time of a bulked event is divided by estimated cost. */
static HybType *
infer_types (const ScopeCommonOptions *common, HybModel *model, GError **error)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  guint               n = hyb_graph_n_values (graph);
  g_autofree HybType *types = g_new (HybType, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    types[i] = HYB_TYPE_UNKNOWN;
  if (!scope_fill_types (common, model, types, error))
    return NULL;
  /* The trace can be attached even if shapes contradict each other. */
  if (!hyb_infer_types (graph, types, NULL, FALSE, NULL))
    for (guint i = 0; i < n; i++)
      types[i] = HYB_TYPE_UNKNOWN;
  return g_steal_pointer (&types);
}

#define MAX_FUSIONS 20 /* in text */

static void
print_text (const ProfTrace *trace, const ProfImport *import, const ProfCapture *capture)
{
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);
  g_autofree char *report = prof_report_text (capture, summary);

  fputs (report, stdout);
  printf ("\n%u of %u operator executions were matched to nodes", import->n_attributed,
          import->n_operators);
  printf ("; %u iteration%s", import->n_iterations, import->n_iterations == 1 ? "" : "s");
  if (import->n_loop_steps > 0)
    printf (", %u loop steps", import->n_loop_steps);
  printf ("\n");
  if (import->n_shared > 0)
    printf ("the time of %u bulked event%s was divided among %u operators: these are estimates.  "
            "MXNET_EXEC_BULK_EXEC_INFERENCE=0 and MXNET_EXEC_BULK_EXEC_TRAIN=0 make MXNet record "
            "operators one by one, which changes their times\n",
            import->n_shared, import->n_shared == 1 ? "" : "s", import->n_members);
  if (import->n_spans > 0)
    printf ("%u steps of loops were placed\n", import->n_spans);
  if (import->n_inside > 0)
    printf ("%u more executions are inside of others and are part of their time\n",
            import->n_inside);
  if (import->n_fused > 0)
    printf ("%u executions are of fused operators: the time of their parts is counted at their "
            "node\n",
            import->n_fused);
  if (import->n_layouts > 0)
    printf ("%u executions change the layout of an array: their time is at the node that they "
            "are made for\n",
            import->n_layouts);
  for (guint i = 0; i < MIN (import->fusions->len, MAX_FUSIONS); i++)
    {
      const ProfFusion *fusion = &g_array_index (import->fusions, ProfFusion, i);

      printf ("theirs: %s, ours: %s\n", hyb_one_line (fusion->name), hyb_one_line (fusion->nodes));
    }
  if (import->fusions->len > MAX_FUSIONS)
    printf ("and %u more; --json lists them\n", import->fusions->len - MAX_FUSIONS);
  for (guint i = 0; i < import->unmatched->len; i++)
    {
      const ProfUnmatched *unmatched = &g_array_index (import->unmatched, ProfUnmatched, i);
      g_autofree char     *time = prof_format_seconds (unmatched->seconds);

      printf ("%6u × %s, %s: %s\n", unmatched->count, hyb_one_line (unmatched->name), time,
              hyb_one_line (unmatched->reason));
    }
  if (trace->n_mended > 0)
    printf ("%u strings were not escaped as JSON requires; they were repaired\n", trace->n_mended);
  if (trace->n_broken > 0 || trace->is_cut)
    printf ("the file %s%s\n",
            trace->is_cut ? "is truncated: the profile was not finished by a dump" : "has errors",
            trace->n_broken > 0 ? "; some events could not be read" : "");
}

static void
print_json (const ProfTrace *trace, const ProfImport *import, const ProfCapture *capture)
{
  g_autoptr (ScopeJson) json = scope_json_new ();
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);

  scope_json_int (json, "executions", import->n_operators);
  scope_json_int (json, "attributed", import->n_attributed);
  scope_json_int (json, "bulked", import->n_shared);
  scope_json_int (json, "loop_spans", import->n_spans);
  scope_json_int (json, "inside", import->n_inside);
  scope_json_int (json, "fused", import->n_fused);
  scope_json_int (json, "bulked_members", import->n_members);
  scope_json_int (json, "iterations", import->n_iterations);
  scope_json_int (json, "loop_steps", import->n_loop_steps);
  scope_json_int (json, "broken", trace->n_broken);
  scope_json_boolean (json, "cut", trace->is_cut);
  scope_json_begin_list (json, "unattributed");
  for (guint i = 0; i < import->unmatched->len; i++)
    {
      const ProfUnmatched *unmatched = &g_array_index (import->unmatched, ProfUnmatched, i);

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", unmatched->name);
      scope_json_int (json, "count", unmatched->count);
      scope_json_double (json, "seconds", unmatched->seconds);
      scope_json_string (json, "reason", unmatched->reason);
      scope_json_end (json);
    }
  scope_json_end (json);
  scope_json_int (json, "layout_changes", import->n_layouts);
  scope_json_begin_list (json, "fusions");
  for (guint i = 0; i < import->fusions->len; i++)
    {
      const ProfFusion *fusion = &g_array_index (import->fusions, ProfFusion, i);

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", fusion->name);
      scope_json_string (json, "nodes", fusion->nodes);
      scope_json_end (json);
    }
  scope_json_end (json);
  scope_describe_capture (json, capture, summary);
  scope_json_print (json);
}

/* Opens the trace of --like; *like is NULL if none was given. */
static gboolean
read_like (const ImportOptions *options,
           HybModel            *model,
           const HybType       *types,
           ProfCapture        **like,
           GError             **error)
{
  g_autoptr (ProfTrace) trace = NULL;
  ProfImport import = { 0 };

  *like = NULL;
  if (!options->like)
    return TRUE;
  if (!(trace = scope_read_trace (options->like, error)))
    return FALSE;
  *like = prof_import_trace (trace, hyb_model_get_graph (model),
                             &(ProfImportOptions){ .types = types }, &import, error);
  if (import.n_shared > 0)
    scope_print_message (HYB_SEVERITY_WARNING,
                         "--like %s: this trace has bulked events, too; record it with "
                         "MXNET_EXEC_BULK_EXEC_INFERENCE=0 and MXNET_EXEC_BULK_EXEC_TRAIN=0",
                         options->like);
  prof_import_clear (&import);
  return *like != NULL;
}

static HybModel *
open_symbol (const ScopeCommonOptions *common, const ImportOptions *options, GError **error)
{
  char *files[] = { options->symbol, NULL, NULL };
  g_autoptr (HybModel) model = scope_open_model_tolerant (common, files, error);

  if (model && !hyb_model_get_graph (model))
    {
      g_autoptr (HybModel) again = scope_open_model (common, files, error);

      if (again) /* it can be opened, but is something else */
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s: the file holds no graph",
                     options->symbol);
      return NULL;
    }
  return g_steal_pointer (&model);
}

static int
run_import (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const ImportOptions *options = data;
  g_autoptr (HybModel) model = NULL;
  g_autoptr (ProfTrace) trace = NULL;
  g_autoptr (ProfFacts) facts = prof_facts_new ();
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (ProfCapture) like = NULL;
  g_autofree HybType *types = NULL;
  ProfImport          import = { 0 };

  if (!options->symbol)
    {
      scope_usage_error (error,
                         "hscope import needs --symbol MODEL, the graph that the trace belongs to");
      return SCOPE_EXIT_FAILED;
    }
  if (!(model = open_symbol (common, options, error)) ||
      !(trace = scope_read_trace (files[0], error)) ||
      !(types = infer_types (common, model, error)) ||
      !read_like (options, model, types, &like, error))
    return SCOPE_EXIT_FAILED;
  prof_facts_set (facts, "program", "hscope " SCOPE_VERSION);
  prof_facts_set (facts, "subject", options->symbol);
  prof_facts_set (facts, "trace", files[0]);
  capture = prof_import_trace (trace, hyb_model_get_graph (model),
                               &(ProfImportOptions){ types, like, facts }, &import, error);
  if (capture && (!options->capture || prof_capture_write (capture, options->capture, error)))
    (common->json ? print_json : print_text) (trace, &import, capture);
  prof_import_clear (&import);
  return SCOPE_EXIT_DONE;
}

static const GOptionEntry import_options[] = {
  { SCOPE_OPTION (ImportOptions, FILENAME, "symbol", symbol), "The graph that the trace belongs to",
    "MODEL" },
  { SCOPE_OPTION (ImportOptions, FILENAME, "like", like),
    "Divide bulked events in the proportions of this trace, recorded without bulking",
    "PROFILE.json" },
  { SCOPE_OPTION (ImportOptions, FILENAME, "capture", capture), "Capture to write", "FILE.hscope" },
  { 0 },
};

static const char *const examples[] = {
  "hscope profile gallery:mlp --repeat 5 --trace mlp.json && hscope import mlp.json --symbol "
  "gallery:mlp",
  "hscope import mlp.json --symbol gallery:mlp --capture mlp.hscope --json",
  NULL,
};

static const ScopeOutput outputs[] = {
  { "capture", ".hscope" },
  { 0 },
};

const ScopeCommand scope_command_import = {
  .name = "import",
  .arguments = "PROFILE.json|.sqlite",
  .summary =
      "Attach a profile (of MXNet, PyTorch, ONNX Runtime, Nsight Systems or hscope) to a graph",
  .n_files = { 1, 1 },
  .option_groups = SCOPE_OPTIONS_MODEL | SCOPE_OPTIONS_TYPES,
  .unused_options = "no-guess",
  .examples = examples,
  .outputs = outputs,
  .options = import_options,
  .options_size = sizeof (ImportOptions),
  .run = run_import,
};
