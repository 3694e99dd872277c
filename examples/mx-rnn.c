/* mx-rnn.c — the cells of mx.rnn: stepping, unrolling, stacks, the fused cell, checkpoints, sentences.
 *
 * Follows the tutorial docs/tutorials/mx-rnn.md.  With the name of a folder it saves its graphs there, too, as
 * graph-1-symbol.json and so on.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

#include <math.h>
#include <stdio.h>

#define HIDDEN 4
#define LENGTH 3

static int
fail (const GError *error)
{
  fprintf (stderr, "%s\n", error ? error->message : "a graph could not be made");
  return 1;
}

/* Where graphs are saved, or NULL. */
static const char *folder;

/* Saves a graph as graph-N-symbol.json, N counting from 1. */
static void
save_graph (HybGraph *graph)
{
  static guint n_saved;
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autofree char *prefix = g_strdup_printf ("%s/graph-%u", folder, ++n_saved);
  g_autoptr (GError) error = NULL;

  hyb_model_set_graph (model, graph);
  if (!hyb_model_save (model, prefix, 0, NULL, &error))
    fprintf (stderr, "%s\n", error->message);
}

/* Prints how many operators and variables a graph has, and the names of its outputs. */
static void
show_graph (const char *what, HybGraph *graph)
{
  g_auto (GStrv) outputs = hyb_graph_dup_output_names (graph);
  g_autofree char *names = g_strjoinv (", ", outputs);
  guint            n_variables;

  hyb_graph_get_variables (graph, &n_variables);
  printf ("%s: %u operators, %u variables, outputs %s\n",
          what,
          hyb_graph_n_nodes (graph) - n_variables,
          n_variables,
          names);
  if (folder)
    save_graph (graph);
}

/* --- One step --- */

static HybGraph *
trace_step (GError **error)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (HybBlock) cell = hyb_lstm_cell (.hidden = HIDDEN, .style = HYB_STYLE_SYMBOLIC);
  HybValue *words = hyb_value_variable (F, "step_data", NULL);
  HybValue *x = HYB_COMPOSE (F,
                             "Embedding",
                             .in = { words },
                             .attributes = HYB_WITH ("input_dim", "10", "output_dim", "4"));
  HybValue *states = hyb_cell_begin_state (F, cell, "_zeros", 0);
  HybValue *output = hyb_cell_step (F, cell, x, &states);

  return hyb_f_finish (F, hyb_list_of (F, output, states, NULL), error);
}

/* --- All steps of any cell --- */

/* Unrolls a cell over LENGTH steps of one array (batch, time, channels). */
static HybGraph *
trace_unrolled (HybBlock *cell, HybMerge merge, GError **error)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  HybValue *outputs = hyb_unroll (F,
                                  cell,
                                  NULL,
                                  .length = LENGTH,
                                  .inputs = hyb_value_variable (F, "data", NULL),
                                  .layout = "NTC",
                                  .merge = merge);

  return hyb_f_finish (F, outputs, error);
}

/* Shows an unrolled cell and frees the cell. */
static int
show_unrolled (const char *what, HybBlock *cell, HybMerge merge)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = trace_unrolled (cell, merge, &error);

  hyb_block_unref (cell);
  if (!graph)
    return fail (error);
  show_graph (what, graph);
  return 0;
}

static HybBlock *
lstm (const char *prefix)
{
  return hyb_lstm_cell (.hidden = HIDDEN, .prefix = prefix, .style = HYB_STYLE_SYMBOLIC);
}

/* Cells of different kinds may read the sequence forwards and backwards. */
static HybBlock *
new_both_ways (void)
{
  HybBlock *forwards = lstm ("l_");
  HybBlock *backwards = hyb_gru_cell (.hidden = 6, .prefix = "r_", .style = HYB_STYLE_SYMBOLIC);

  return hyb_bidirectional_cell_new (forwards, backwards, NULL, HYB_STYLE_SYMBOLIC);
}

/* Cells on top of each other. */
static HybBlock *
new_stack (void)
{
  HybBlock *stack = hyb_sequential_cell_new (HYB_STYLE_SYMBOLIC, NULL);

  hyb_append (stack, new_both_ways ());
  hyb_append (stack, hyb_dropout_cell_new (0.5, HYB_STYLE_SYMBOLIC, NULL));
  hyb_append (stack, lstm ("l1_"));
  return stack;
}

/* --- A checkpoint of the fused cell, loaded for single cells --- */

/* Gives each variable of the graph but the data values that depend on its name. */
static HybModel *
new_model (HybGraph *graph, GError **error)
{
  HybModel *model = hyb_model_new ();
  HybType   packed = { hyb_shape_1d (4 * HIDDEN * (HIDDEN + HIDDEN + 2) * 2), HYB_F32 };
  g_autoptr (HybTensor) weights = hyb_tensor_new (&packed, error);

  for (gint64 i = 0; weights && i < hyb_tensor_get_size (weights); i++)
    ((float *) hyb_tensor_get_data (weights))[i] =
        (float) (hyb_random_uniform (1, (guint64) i) - 0.5);
  hyb_model_set_graph (model, graph);
  if (weights)
    hyb_model_set_parameter (model, "lstm_parameters", weights);
  return model;
}

/* The output of the model for fixed data, or NULL.  (transfer full) */
static HybTensor *
predict (HybModel *model, GError **error)
{
  g_autoptr (HybExecutor) executor =
      hyb_executor_new (hyb_model_get_graph (model),
                        &(HybExecutorOptions){ .mode = HYB_MODE_STATIC });
  g_autoptr (HybTensor) data =
      hyb_tensor_new_float (3, (const gint64[]){ 1, LENGTH, HIDDEN }, NULL);

  for (gint64 i = 0; i < hyb_tensor_get_size (data); i++)
    ((float *) hyb_tensor_get_data (data))[i] = (float) i / 10;
  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *name = hyb_model_get_parameter_name (model, i);

      if (!hyb_executor_bind (executor, name, hyb_model_get_parameter (model, name), error))
        return NULL;
    }
  if (!hyb_executor_bind (executor, "data", data, error) ||
      !hyb_executor_run (executor, NULL, error))
    return NULL;
  return hyb_tensor_copy (hyb_executor_get_output (executor, 0));
}

static int
show_checkpoint (void)
{
  g_autoptr (HybBlock) fused = hyb_fused_cell (.mode = "lstm", .hidden = HIDDEN, .layers = 2);
  g_autoptr (HybBlock) single = hyb_fused_cell_unfuse (fused);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) fused_graph = trace_unrolled (fused, HYB_MERGE_YES, &error);
  g_autoptr (HybGraph) single_graph =
      fused_graph ? trace_unrolled (single, HYB_MERGE_YES, &error) : NULL;
  g_autoptr (HybModel) trained = NULL;
  g_autoptr (HybModel) loaded = NULL;
  g_autoptr (HybTensor) before = NULL;
  g_autoptr (HybTensor) after = NULL;
  double difference = 0;

  if (!single_graph)
    return fail (error);
  show_graph ("fused", fused_graph);
  show_graph ("unfused", single_graph);
  trained = new_model (fused_graph, &error);
  if (!hyb_rnn_save_checkpoint (&(HybRnnCheckpoint){ &fused, 1, "lstm", 1 }, 1, trained, &error))
    return fail (error);
  loaded = hyb_rnn_load_checkpoint (&(HybRnnCheckpoint){ &single, 1, "lstm", 1 }, 1, &error);
  if (!loaded)
    return fail (error);
  hyb_model_set_graph (loaded, single_graph);
  before = predict (trained, &error);
  after = before ? predict (loaded, &error) : NULL;
  if (!after)
    return fail (error);
  for (gint64 i = 0; i < hyb_tensor_get_size (before); i++)
    difference =
        MAX (difference, fabs (hyb_tensor_get_value (before, i) - hyb_tensor_get_value (after, i)));
  printf ("single cells give the numbers of the fused one: %s\n", difference < 1e-6 ? "yes" : "no");
  return 0;
}

/* --- Sentences in buckets of similar length --- */

static int
show_buckets (void)
{
  static const char *const text[] = {
    "the cat sat", "the dog sat", "a cat and a dog", "a dog and a cat"
  };
  static const guint lengths[] = { 3, 5 };
  g_autoptr (GPtrArray) sentences = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  g_autoptr (GPtrArray) encoded = NULL;
  g_autoptr (HybVocabulary) words = NULL;
  g_autoptr (HybBucketIterator) batches = NULL;
  g_autoptr (GError) error = NULL;
  HybEncoding    encoding = { .invalid_label = 0, .start_label = 1 };
  HybBucketBatch batch;

  for (guint i = 0; i < G_N_ELEMENTS (text); i++)
    g_ptr_array_add (sentences, g_strsplit (text[i], " ", -1));
  encoded = hyb_encode_sentences (sentences, &words, &encoding, &error);
  if (!encoded)
    return fail (error);
  batches = hyb_bucket_iterator_new (encoded,
                                     &(HybBucketOptions){ .batch_size = 2,
                                                          .buckets = lengths,
                                                          .n_buckets = G_N_ELEMENTS (lengths),
                                                          .dtype = HYB_F32 },
                                     &error);
  if (!batches)
    return fail (error);
  while (hyb_bucket_iterator_next (batches, &batch))
    {
      printf ("bucket of %u steps:", batch.key);
      for (gint64 i = 0; i < hyb_tensor_get_size (batch.data); i++)
        printf (" %g", hyb_tensor_get_value (batch.data, i));
      printf ("\n");
    }
  return 0;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) step = trace_step (&error);

  folder = argc > 1 ? argv[1] : NULL;
  if (!step)
    return fail (error);
  show_graph ("one step", step);
  return show_unrolled ("three steps, merged", lstm ("lstm_"), HYB_MERGE_YES) ||
         show_unrolled ("three steps, a list", lstm ("lstm_"), HYB_MERGE_NO) ||
         show_unrolled ("both ways", new_both_ways (), HYB_MERGE_YES) ||
         show_unrolled ("zoneout", hyb_zoneout_cell_new (lstm ("lstm_"), 0, 0.5), HYB_MERGE_YES) ||
         show_unrolled ("residual", hyb_residual_cell_new (lstm ("lstm_")), HYB_MERGE_YES) ||
         show_unrolled ("a stack", new_stack (), HYB_MERGE_YES) || show_checkpoint () ||
         show_buckets ();
}
