/* passes.c — runs the engine's pipeline up to each pass, to show the changes of every pass.
 *
 * The pipeline is started anew for every pass, because a pipeline keeps only its final graph.  Bodies of
 * loops follow after the model.  Start reading with run_in_worker().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/passes.h"

#include "app/adapt/body-types.h"
#include "app/process/worker.h"
#include "engine/graph/reach.h"

#include <stdlib.h>
#include <string.h>

/* Operators named in the description of a pass. */
#define MAX_NAMED_CHANGES 5

static void
step_free (gpointer data)
{
  ScopePassStep *step = data;

  g_clear_pointer (&step->new_nodes, g_ptr_array_unref);
  g_clear_pointer (&step->graph, hyb_graph_unref);
  g_free (step->types);
  g_free (step->changes);
  g_free (step->body_of);
  g_free (step);
}

/* --- Changes --- */

typedef struct
{
  const char *type;
  int         change;
} Change;

static void
count_types (GHashTable *counts, HybGraph *graph, int sign)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const char *type = hyb_graph_get_node (graph, id)->type;
      int         before = GPOINTER_TO_INT (g_hash_table_lookup (counts, type));

      if (!hyb_node_is_variable (hyb_graph_get_node (graph, id)))
        g_hash_table_insert (counts, (gpointer) type, GINT_TO_POINTER (before + sign));
    }
}

/* Added operators first, then by number. */
static int
compare_changes (gconstpointer a, gconstpointer b)
{
  const Change *x = a, *y = b;

  if ((x->change > 0) != (y->change > 0))
    return x->change > 0 ? -1 : 1;
  return abs (x->change) != abs (y->change) ? abs (y->change) - abs (x->change)
                                            : strcmp (x->type, y->type);
}

static char *
describe_changes (HybGraph *before, HybGraph *after)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GArray) changes = g_array_new (FALSE, FALSE, sizeof (Change));
  GString       *text = g_string_new (NULL);
  GHashTableIter iter;
  gpointer       type, n;

  count_types (counts, before, -1);
  count_types (counts, after, 1);
  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, &type, &n))
    {
      Change change = { type, GPOINTER_TO_INT (n) };

      if (change.change != 0)
        g_array_append_val (changes, change);
    }
  g_array_sort (changes, compare_changes);
  for (guint i = 0; i < MIN (changes->len, MAX_NAMED_CHANGES); i++)
    {
      const Change *change = &g_array_index (changes, Change, i);

      g_string_append_printf (text, "%s%s%d %s", i > 0 ? ",  " : "", change->change > 0 ? "+" : "−",
                              abs (change->change), change->type);
    }
  if (changes->len > MAX_NAMED_CHANGES)
    g_string_append (text, ", …");
  return g_string_free (text, FALSE);
}

static GPtrArray *
list_new_nodes (HybGraph *before, HybGraph *after)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *new_nodes = g_ptr_array_new ();

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (before); id++)
    g_hash_table_add (known, (gpointer) hyb_graph_get_node (before, id)->name);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (after); id++)
    if (!g_hash_table_contains (known, hyb_graph_get_node (after, id)->name))
      g_ptr_array_add (new_nodes, (gpointer) hyb_graph_get_node (after, id)->name);
  return new_nodes;
}

/* --- The pipeline --- */

typedef struct
{
  HybModel *model; /* its parameters are constants to the passes; NULL for a body, which has none */
  HybGraph *graph;
  HybType  *types; /* of its values */
  const char *body_of;
  GPtrArray  *steps;
} PassRun;

static HybFacts *
initial_facts (const PassRun *run)
{
  HybFacts          *facts = hyb_facts_new (FALSE);
  g_autofree guint8 *written = hyb_graph_find_written (run->graph, FALSE);
  guint              n;
  const HybNodeId   *variables = hyb_graph_get_variables (run->graph, &n);

  hyb_facts_resize (facts, run->graph);
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (run->graph, variables[i]);
      HybTensor     *tensor = run->model ? hyb_model_get_parameter (run->model, node->name) : NULL;

      facts->types[node->first_output] = run->types[node->first_output];
      if (tensor && !written[variables[i]])
        facts->constants[node->first_output] = hyb_tensor_ref (tensor);
    }
  return facts;
}

/* Runs the pipeline without the passes after last. */
static ScopePassStep *
run_to (const PassRun *run, guint last, GError **error)
{
  const HybPass *const *passes = hyb_passes ();
  g_autoptr (GPtrArray) without = g_ptr_array_new ();
  g_autoptr (GArray) reports = g_array_new (FALSE, FALSE, sizeof (HybPassReport));
  g_autoptr (HybFacts) facts = initial_facts (run);
  HybPipelineOptions options = { .optimise = TRUE };
  ScopePassStep     *step;
  HybGraph          *graph;

  for (guint i = last + 1; passes[i] != NULL; i++)
    g_ptr_array_add (without, (gpointer) passes[i]->name);
  g_ptr_array_add (without, NULL);
  options.without = (const char *const *) without->pdata;
  graph = hyb_pipeline_run (run->graph, facts, &options, reports, error);
  if (!graph)
    return NULL;
  step = g_new0 (ScopePassStep, 1);
  step->pass = passes[last];
  step->body_of = g_strdup (run->body_of);
  step->graph = graph;
  step->types = g_steal_pointer (&facts->types);
  for (guint i = 0; i < reports->len; i++)
    {
      const HybPassReport *report = &g_array_index (reports, HybPassReport, i);

      if (report->pass == step->pass)
        {
          step->nodes_before = report->nodes_before;
          step->nodes_after = report->nodes_after;
          step->folded = report->folded;
        }
    }
  return step;
}

/* Adds a step for each pass; returns the last one, or NULL and an error. */
static ScopePassStep *
run_all_passes (const PassRun *run, GCancellable *cancellable, GError **error)
{
  HybGraph      *before = run->graph;
  ScopePassStep *step = NULL;

  for (guint i = 0; hyb_passes ()[i] != NULL; i++)
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return NULL;
      step = run_to (run, i, error);
      if (!step)
        return NULL;
      step->changes = describe_changes (before, step->graph);
      step->new_nodes = list_new_nodes (before, step->graph);
      before = step->graph;
      g_ptr_array_add (run->steps, step);
    }
  return step;
}

/* The engine optimises the bodies of loops and branches separately, and leaves bodies of fused
 * nodes unchanged. */
static gboolean
run_bodies (GPtrArray *steps, ScopePassStep *outer, GCancellable *cancellable, GError **error)
{
  g_autoptr (GHashTable) types = scope_body_types_of_graph (outer->graph, outer->types);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (outer->graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (outer->graph, id);

      if (node->op->category != HYB_CATEGORY_CONTROL)
        continue;
      for (guint b = 0; b < node->n_bodies; b++)
        {
          HybGraph      *body = hyb_graph_get_bodies (outer->graph, id)[b];
          PassRun        run = { .graph = body,
                                 .types = g_hash_table_lookup (types, body),
                                 .body_of = node->name,
                                 .steps = steps };
          ScopePassStep *last;

          if (!run.types)
            continue;
          last = run_all_passes (&run, cancellable, error);
          if (!last || !run_bodies (steps, last, cancellable, error))
            return FALSE;
        }
    }
  return TRUE;
}

static void
run_in_worker (GTask *task, gpointer data)
{
  GCancellable *cancellable = g_task_get_cancellable (task);
  g_autoptr (GPtrArray) steps = g_ptr_array_new_with_free_func (step_free);
  HybGraph      *graph = scope_document_get_graph (data);
  PassRun        run = { .model = scope_document_get_model (data),
                         .graph = graph,
                         .types = (HybType *) scope_document_get_types (data, graph),
                         .steps = steps };
  GError        *error = NULL;
  ScopePassStep *last = run_all_passes (&run, cancellable, &error);

  if (last && run_bodies (steps, last, cancellable, &error))
    g_task_return_pointer (task, g_steal_pointer (&steps), (GDestroyNotify) g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

void
scope_passes_run_async (ScopeDocument      *document,
                        GCancellable       *cancellable,
                        GAsyncReadyCallback callback,
                        gpointer            user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);

  g_task_set_task_data (task, scope_document_ref (document), (GDestroyNotify) scope_document_unref);
  scope_worker_run (task, run_in_worker);
}

GPtrArray *
scope_passes_run_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* --- Showing one --- */

static void
choice_free (gpointer data)
{
  ScopePassChoice *choice = data;

  scope_document_unref (choice->document);
  scope_worker_free (choice->steps, (GDestroyNotify) g_ptr_array_unref);
  g_free (choice);
}

static void
show_in_worker (GTask *task, gpointer data)
{
  const ScopePassChoice *choice = data;
  const ScopePassStep   *step = choice->steps->pdata[choice->index];

  g_task_return_pointer (task,
                         scope_document_new_of_graph (choice->document, step->graph, step->types),
                         (GDestroyNotify) scope_document_unref);
}

void
scope_passes_show_async (const ScopePassChoice *choice,
                         GCancellable          *cancellable,
                         GAsyncReadyCallback    callback,
                         gpointer               user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  ScopePassChoice *copy = g_memdup2 (choice, sizeof (ScopePassChoice));

  scope_document_ref (copy->document);
  g_ptr_array_ref (copy->steps);
  g_task_set_task_data (task, copy, choice_free);
  scope_worker_run (task, show_in_worker);
}

ScopeDocument *
scope_passes_show_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
