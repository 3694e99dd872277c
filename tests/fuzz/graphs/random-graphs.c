/* random-graphs.c — random graphs compute the same however they are run, forwards and backwards.
 *
 * usage: random-graphs SAMPLES [--first N] [--count N] [--print] [--write FOLDER [--draws]]
 *
 * --write writes the graphs, inputs and results for tools/replay/random-graphs.py, which compares them with MXNet.  It makes
 * other graphs than without, since operators that draw numbers are left out; with --draws it makes the same.  Prints TAP.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/parallel.h"
#include "engine/formats/mxnet-symbol.h"
#include "engine/formats/npz.h"
#include "tests/fuzz/graphs/random-graph.h"
#include "tests/fuzz/graphs/sample-list.h"
#include "tests/fuzz/graphs/trial.h"

#include <stdio.h>

static int      first = 1, count = 200;
static char    *folder;
static gboolean with_draws, prints;

static const GOptionEntry entries[] = {
  { "first", 0, 0, G_OPTION_ARG_INT, &first, "The seed of the first graph", "N" },
  { "count", 0, 0, G_OPTION_ARG_INT, &count, "The number of graphs", "N" },
  { "print", 0, 0, G_OPTION_ARG_NONE, &prints, "Print the graphs", NULL },
  { "write", 0, 0, G_OPTION_ARG_FILENAME, &folder, "Write graphs and results to files here",
    "FOLDER" },
  { "draws", 0, 0, G_OPTION_ARG_NONE, &with_draws, "Also write graphs that draw numbers", NULL },
  { 0 },
};

/* What all graphs together were. */
typedef struct
{
  GHashTable *operators; /* names of operators that ran */
  guint       n_graphs, n_gradients, n_wrong;
  guint64     n_compared, n_elements;
} Totals;

static void
count_operators (Totals *totals, HybGraph *graph)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      g_hash_table_add (totals->operators, (gpointer) node->op->name);
      for (guint i = 0; i < node->n_bodies; i++)
        count_operators (totals, hyb_graph_get_bodies (graph, id)[i]);
    }
}

static void
report (Totals *totals, int seed, const char *part, const char *way, const char *wrong)
{
  if (wrong)
    {
      totals->n_wrong++;
      printf ("# graph %d%s, %s: %s\n", seed, part, way, wrong);
    }
}

static void
compare (Totals *totals, Trial *trial, int seed, const char *part)
{
  for (guint way = 0; way < trial_n_ways (); way++)
    {
      g_autofree char *wrong = trial_run (trial, way);

      report (totals, seed, part, trial_way_name (way), wrong);
    }
  totals->n_compared += trial->n_compared;
  totals->n_elements += trial->n_elements;
}

/* --- Files --- */

static void
add_tensor (HybTensorList *list, const char *kind, const char *name, HybTensor *tensor)
{
  g_autofree char *key = g_strdup_printf ("%s:%s", kind, name);

  hyb_tensor_list_set (list, key, tensor);
}

static void
add_result (HybTensorList *list, const char *kind, const char *name, const Trial *trial, guint k)
{
  HybTensor       *result = trial->results->pdata[k];
  HybType          type = { *hyb_tensor_get_shape (result), HYB_F64 };
  g_autofree char *tolerance = g_strdup_printf ("%s-tolerance", kind);
  g_autoptr (HybTensor) wrapped = NULL;

  add_tensor (list, kind, name, result);
  if (trial->tolerance->pdata[k])
    {
      wrapped = hyb_tensor_new_wrapped (&type, trial->tolerance->pdata[k], NULL, NULL);
      add_tensor (list, tolerance, name, wrapped);
    }
}

/* The gradient's heads are those of the forward graph, then one for each argument that is a float. */
static void
add_gradients (HybTensorList *list, const Trial *forward, const Trial *gradient)
{
  guint            n, n_heads;
  const HybNodeId *variables = hyb_graph_get_variables (forward->graph, &n);

  hyb_graph_get_heads (forward->graph, &n_heads);
  for (guint i = 0; i < n_heads; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u", i);

      add_tensor (list, "head", name, gradient->values->pdata[n + i]);
    }
  for (guint i = 0, k = n_heads; i < n; i++)
    if (hyb_dtype_is_float (hyb_tensor_get_dtype (forward->values->pdata[i])) &&
        !hyb_graph_is_auxiliary (forward->graph, variables[i]))
      add_result (list, "gradient", hyb_graph_get_node (forward->graph, variables[i])->name,
                  gradient, k++);
}

static void
write_files (int seed, const Trial *forward, const Trial *gradient)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autofree char *symbol =
      g_strdup_printf ("%s/%d%s-symbol.json", folder, seed, forward->training ? "-training" : "");
  g_autofree char *arrays =
      g_strdup_printf ("%s/%d%s.npz", folder, seed, forward->training ? "-training" : "");
  g_autoptr (GError) error = NULL;
  gsize            length;
  g_autofree char *text = hyb_symbol_print (forward->graph, &length);
  guint            n, n_heads, n_written;
  const HybNodeId *variables = hyb_graph_get_variables (forward->graph, &n),
                  *written = hyb_graph_get_auxiliary (forward->graph, &n_written);

  for (guint i = 0; i < n; i++)
    add_tensor (list, "variable", hyb_graph_get_node (forward->graph, variables[i])->name,
                forward->values->pdata[i]);
  hyb_graph_get_heads (forward->graph, &n_heads);
  for (guint i = 0; i < n_heads; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u", i);

      add_result (list, "output", name, forward, i);
    }
  for (guint i = 0; i < n_written; i++)
    add_result (list, "written", hyb_graph_get_node (forward->graph, written[i])->name, forward,
                n_heads + i);
  if (gradient)
    add_gradients (list, forward, gradient);
  if (!g_file_set_contents (symbol, text, (gssize) length, &error) ||
      !hyb_npz_write_file (list, arrays, &error))
    g_error ("%s", error->message);
}

/* --- Graphs --- */

static void
try_graph (Totals *totals, GPtrArray *operators, int seed)
{
  g_autoptr (RandomGraph) random = random_graph_new (operators, (guint64) seed);
  g_autofree char *text = prints ? hyb_graph_print (random->graph, NULL) : NULL;

  if (text)
    printf ("%s", text);
  for (gboolean training = FALSE; training <= TRUE; training++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (Trial) forward = trial_new (random->graph, random->values, training, &error);
      g_autoptr (Trial) gradient = forward ? trial_new_gradient (forward, (guint64) seed) : NULL;
      g_autofree char *inferred = NULL;

      if (!forward)
        {
          /* A graph grows in inference mode; in training, values may be impossible, such as a pivot of 0. */
          if (!training)
            report (totals, seed, "", "reference", error->message);
          continue;
        }
      if (folder)
        write_files (seed, forward, gradient);
      inferred = trial_infer (forward, (guint64) seed);
      report (totals, seed, training ? " in training" : "", "inference", inferred);
      compare (totals, forward, seed, training ? " in training" : "");
      if (gradient)
        compare (totals, gradient, seed, training ? " in training, gradients" : ", gradients");
      totals->n_gradients += gradient && training;
    }
  totals->n_graphs++;
  count_operators (totals, random->graph);
}

/* Tells which operators no graph used, if there were many graphs. */
static void
report_unused (const Totals *totals, GPtrArray *operators)
{
  if (totals->n_graphs < 1000)
    return;
  printf ("# not in any graph:");
  for (guint i = 0; i < operators->len; i++)
    {
      const HybOp *op = ((const SampledOperator *) operators->pdata[i])->op;

      if (!g_hash_table_contains (totals->operators, op->name))
        printf (" %s", op->name);
    }
  printf ("\n");
}

/* Numbers that are drawn are not those that MXNet draws. */
static void
leave_out_random (GPtrArray *operators)
{
  for (guint i = operators->len; i-- > 0;)
    if (((const SampledOperator *) operators->pdata[i])->op->flags & HYB_OP_RANDOM)
      g_ptr_array_remove_index (operators, i);
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("SAMPLES");
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) operators = NULL;
  Totals totals = { .operators = g_hash_table_new (NULL, NULL) };

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc != 2 ||
      !(operators = sample_list_read (argv[1], &error)))
    {
      fprintf (stderr, "random-graphs: %s\n", error ? error->message : "name the file of samples");
      return 2;
    }
  if (folder && !with_draws)
    leave_out_random (operators);
  setvbuf (stdout, NULL, _IOLBF, 0);
  g_log_set_always_fatal (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING);
  hyb_parallel_set_threads (1);
  printf ("1..1\n");
  for (int i = 0; i < count; i++)
    try_graph (&totals, operators, first + i);
  printf ("# %u graphs, %u with gradients, of %u operators; %u ways; %.1f %% of %.0f numbers "
          "compared to a hundredth or better\n",
          totals.n_graphs, totals.n_gradients, g_hash_table_size (totals.operators),
          trial_n_ways (), 100. * (double) totals.n_compared / (double) MAX (totals.n_elements, 1),
          (double) totals.n_elements);
  report_unused (&totals, operators);
  printf ("%sok 1 random-graphs-compute-the-same-however-they-are-run\n",
          totals.n_wrong > 0 ? "not " : "");
  g_hash_table_unref (totals.operators);
  return totals.n_wrong > 0;
}
