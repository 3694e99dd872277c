/* language-model.c — a recurrent language model that can be hybridized, exported and loaded again, with a
 * fused layer or with cells.
 *
 * Follows the tutorial docs/tutorials/language-model.md.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

#include <math.h>
#include <stdio.h>

#define WORDS  10
#define HIDDEN 8
#define LENGTH 5
#define BATCH  2

static int
fail (const GError *error)
{
  fprintf (stderr, "%s\n", error->message);
  return 1;
}

/* --- The model --- */

typedef struct
{
  HybBlock  parent;
  HybBlock *embedding, *lstm, *decoder;
} LanguageModel;

/* input: the list of words (length, batch) and the states.  Returns scores and new states. */
static HybValue *
forward (HybF *F, HybBlock *block, HybValue *input)
{
  LanguageModel *self = (LanguageModel *) block;
  HybValue      *words = hyb_item (F, input, 0), *states = hyb_item (F, input, 1);
  HybValue      *vectors = hyb_call (F, self->embedding, words);
  HybValue      *result = hyb_call_list (F, self->lstm, vectors, states, NULL);
  HybValue      *scores = hyb_call (F, self->decoder, hyb_item (F, result, 0));

  return hyb_list_of (F, scores, hyb_item (F, result, 1), NULL);
}

static const HybBlockClass language_model_class = {
  .name = "RNNModel",
  .size = sizeof (LanguageModel),
  .forward = forward,
};

static HybBlock *
new_language_model (void)
{
  HybBlock      *block = hyb_block_new (&language_model_class, NULL);
  LanguageModel *self = (LanguageModel *) block;

  hyb_block_enter_scope (block);
  self->embedding = hyb_append (block, hyb_embedding_new (WORDS, HIDDEN, NULL));
  self->lstm = hyb_append (block, hyb_rnn_layer (.hidden = HIDDEN, .input_size = HIDDEN));
  self->decoder =
      hyb_append (block, hyb_dense (.units = WORDS, .no_flatten = TRUE, .in_units = HIDDEN));
  hyb_block_leave_scope (block);
  hyb_block_initialize (block, "xavier", 3);
  return block;
}

/* --- Calling it --- */

typedef struct
{
  HybTensor *words, *hidden, *memory;
} Batch;

/* The scores for a batch, with states that begin at zero.  NULL and an error if the call fails.
 * (transfer full) */
static HybTensor *
scores_of (HybBlock *model, const Batch *batch, gboolean is_flat, GError **error)
{
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  HybValue *words = hyb_value_from_tensor (F, batch->words);
  HybValue *hidden = hyb_value_from_tensor (F, batch->hidden);
  HybValue *memory = hyb_value_from_tensor (F, batch->memory);
  HybValue *result;

  /* The block takes (words, (h, c)); its export has one variable for each array. */
  if (is_flat)
    result = hyb_call_list (F, model, words, hidden, memory, NULL);
  else
    result = hyb_call_list (F, model, words, hyb_list_of (F, hidden, memory, NULL), NULL);
  if (!hyb_f_check (F, error))
    return NULL;
  return hyb_tensor_ref (hyb_value_get_tensor (hyb_item (F, result, 0)));
}

static double
largest_difference (HybTensor *a, HybTensor *b)
{
  double difference = 0;

  for (gint64 i = 0; i < hyb_tensor_get_size (a); i++)
    difference = MAX (difference, fabs (hyb_tensor_get_value (a, i) - hyb_tensor_get_value (b, i)));
  return difference;
}

static void
show_operators (HybGraph *graph)
{
  printf ("operators:");
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (!hyb_node_is_variable (hyb_graph_get_node (graph, id)))
      printf (" %s", hyb_graph_get_node (graph, id)->op->name);
  printf ("\n");
}

int
main (void)
{
  static const float words[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 0 };
  HybType            state = { hyb_shape_3d (1, BATCH, HIDDEN), HYB_F32 };
  g_autoptr (HybTensor) tokens = hyb_tensor_new_float (2, (const gint64[]){ LENGTH, BATCH }, words);
  g_autoptr (HybTensor) zeros = hyb_tensor_new_zeros (&state, NULL);
  g_autoptr (HybBlock) model = new_language_model ();
  g_autoptr (HybBlock) imported = NULL;
  g_autoptr (HybModel) loaded = NULL;
  g_autoptr (HybTensor) eager = NULL;
  g_autoptr (HybTensor) hybrid = NULL;
  g_autoptr (HybTensor) again = NULL;
  g_autoptr (GError) error = NULL;
  Batch batch = { tokens, zeros, zeros };

  eager = scores_of (model, &batch, FALSE, &error);
  if (!eager || !hyb_block_hybridize (model, TRUE, NULL, &error))
    return fail (error);
  hybrid = scores_of (model, &batch, FALSE, &error);
  if (!hybrid || !hyb_block_export (model, "rnnmodel", 0, &error))
    return fail (error);
  printf ("hybridized, the scores are equal: %s\n",
          largest_difference (eager, hybrid) < 1e-6 ? "yes" : "no");

  /* Without its parameters the export cannot be called; the error says which are missing. */
  loaded = hyb_model_open ("rnnmodel-symbol.json", NULL, HYB_EPOCH_HIGHEST, &error);
  if (!loaded)
    return fail (error);
  show_operators (hyb_model_get_graph (loaded));
  imported = hyb_symbol_block_new (loaded, (const char *const[]){ "data0", NULL }, &error);
  if (!imported)
    printf ("with data0 alone: %s\n", error->message);
  g_clear_error (&error);

  imported = hyb_symbol_block_new (loaded,
                                   (const char *const[]){ "data0", "data1", "data2", NULL },
                                   &error);
  if (!imported)
    return fail (error);
  again = scores_of (imported, &batch, TRUE, &error);
  if (!again)
    return fail (error);
  printf ("loaded, the scores are equal: %s\n",
          largest_difference (eager, again) < 1e-6 ? "yes" : "no");
  return 0;
}
