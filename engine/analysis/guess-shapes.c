/* guess-shapes.c — guesses the open dimensions of a graph's inputs.
 *
 * Each guess is tried by inference, usual sizes first.  Inference decides; the operators that read
 * an input only suggest the usual sizes.  Start at hyb_guess_shapes().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/guess-shapes.h"

#include "engine/analysis/guess-clues.h"
#include "engine/analysis/guess-images.h"
#include "engine/analysis/guess-open.h"
#include "engine/analysis/guess-trial.h"
#include "engine/base/translate.h"
#include "engine/graph/roles.h"
#include "engine/op/op.h"

#include <string.h>

/* Limit of inferences of one graph: MAX_VISITS nodes in all, clamped to MIN_TRIES to MAX_TRIES inferences. */
#define MAX_VISITS 4000000
#define MIN_TRIES  24
#define MAX_TRIES  600
#define PROBE      251 /* a size that hardly anything else in a graph has */

static const gint64 lengths[] = { 35, 16, 32, 10, 8, 20, 30, 50, 64, 100, 128, 5, 4, 2, 1 };

static const HybGuessSizes of_sequences = { lengths, G_N_ELEMENTS (lengths), 512, N_ ("sequences"),
                                            TRUE };

/* --- Features and sequences --- */

/* Whether this axis counts the steps of a recurrent operator: a size that is put there comes out as
 * the first axis of its data. */
static gboolean
is_time (HybGuess *guess, const HybShape *shape, int axis)
{
  HybShape probed = *shape;

  probed.dim[axis] = PROBE;
  if (!hyb_guess_try (guess, &probed))
    return FALSE;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (guess->graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (guess->graph, id);

      if (node->n_inputs == 0 || (node->op->category != HYB_CATEGORY_RECURRENT &&
                                  node->op->category != HYB_CATEGORY_CONTROL))
        continue;
      for (guint i = 0; i < node->n_inputs; i++)
        {
          const HybShape *data = &guess->trial[hyb_graph_get_inputs (guess->graph, id)[i]].shape;

          if (data->rank > 0 && data->dim[0] == PROBE)
            return TRUE;
        }
    }
  return FALSE;
}

/* Several axes got the size that an operator needs for only one of them: gives the others the usual length, where that fits. */
static void
lengthen (HybGuess *guess, HybShape *shape, guint axes)
{
  for (int axis = 0; axis < shape->rank; axis++)
    {
      HybShape longer = *shape;

      longer.dim[axis] = guess->length > 0 ? guess->length : of_sequences.usual[0];
      if (axes & 1u << axis && hyb_guess_try (guess, &longer))
        *shape = longer;
    }
}

/* One axis is the batch, the other open ones are lengths. */
static gboolean
guess_lengths (HybGuess *guess, HybShape *shape, int batch)
{
  HybShape full = *shape;
  guint    axes = 0;

  if (full.rank > batch && full.dim[batch] == HYB_UNKNOWN)
    {
      full.dim[batch] = hyb_guess_batch (guess);
      /* Without this no length would help, and trying them all would cost the trials of other inputs. */
      if (!hyb_guess_try (guess, &full))
        return FALSE;
      hyb_guess_add_batch_reason (guess);
    }
  for (int axis = 0; axis < full.rank; axis++)
    if (full.dim[axis] == HYB_UNKNOWN)
      axes |= 1u << axis;
  if (!hyb_guess_take_named_size (guess, &full, axes, &of_sequences) &&
      !hyb_guess_find_size (guess, &full, axes, &of_sequences))
    return FALSE;
  if ((axes & (axes - 1)) != 0)
    lengthen (guess, &full, axes);
  *shape = full;
  return TRUE;
}

/* The rank is known: the batch is the first axis, or the second one of sequences. */
static gboolean
guess_sequence (HybGuess *guess, HybShape *shape)
{
  gboolean can_have_time = shape->rank >= 2 && shape->dim[0] == HYB_UNKNOWN;
  int      batch = can_have_time && is_time (guess, shape, 0) ? 1 : 0;
  gsize    said = guess->reason->len;

  if (guess_lengths (guess, shape, batch))
    return TRUE;
  g_string_truncate (guess->reason, said);
  return can_have_time && shape->dim[1] == HYB_UNKNOWN && guess_lengths (guess, shape, 1 - batch);
}

/* If the operands of an operator that reads the value allow only one size, as the weights of a fully
 * connected layer do: a matrix with this size. */
static gboolean
guess_from_operands (HybGuess *guess, HybShape *shape)
{
  guint            n_users;
  const HybNodeId *users = hyb_graph_get_users (guess->graph, guess->value, &n_users);

  for (guint u = 0; u < n_users; u++)
    {
      const HybNode    *user = hyb_graph_get_node (guess->graph, users[u]);
      const HybValueId *inputs = hyb_graph_get_inputs (guess->graph, users[u]);

      for (guint i = 0; i < user->n_inputs; i++)
        for (int axis = guess->types[inputs[i]].shape.rank; axis-- > 0;)
          {
            gint64   size = guess->types[inputs[i]].shape.dim[axis];
            HybShape fitting = hyb_shape_2d (hyb_guess_batch (guess), size);
            HybShape larger = hyb_shape_2d (hyb_guess_batch (guess), size + 1);

            if (size <= 0 || !hyb_guess_try (guess, &fitting) || hyb_guess_try (guess, &larger))
              continue;
            *shape = fitting;
            hyb_guess_add_batch_reason (guess);
            hyb_guess_add_reason (guess, _ ("“%s” reads %lld numbers"), user->name,
                                  (long long) size);
            return TRUE;
          }
    }
  return FALSE;
}

/* A matrix for fully connected layers that accept any number of features.  Ten classes suggest
 * digits; nothing suggests another number. */
static gboolean
guess_features (HybGuess *guess, HybShape *shape)
{
  *shape = hyb_shape_2d (hyb_guess_batch (guess), 28 * 28);
  if (!hyb_guess_has_ten_classes (guess) || !hyb_guess_try (guess, shape))
    return FALSE;
  hyb_guess_add_batch_reason (guess);
  hyb_guess_add_reason (guess,
                        _ ("784 = 28 × 28 is usual with ten classes and other sizes fit, too"));
  return TRUE;
}

static gboolean
is_read_by_linear (HybGuess *guess)
{
  guint            n_users;
  const HybNodeId *users = hyb_graph_get_users (guess->graph, guess->value, &n_users);

  for (guint u = 0; u < n_users; u++)
    {
      const HybNode *user = hyb_graph_get_node (guess->graph, users[u]);

      if (user->op->category == HYB_CATEGORY_LINEAR)
        return TRUE;
    }
  return FALSE;
}

/* --- One variable --- */

/* Whether an operator that takes sequences or samples depends on the variable, or the data decides, as
 * of a label.  Elementwise operators alone suggest nothing. */
static gboolean
suggests_rank (const HybGuess *guess, HybNodeId variable)
{
  return hyb_graph_get_role (guess->graph, variable, FALSE) == HYB_ROLE_LABEL ||
         hyb_guess_reads (guess, variable, HYB_CATEGORY_LINEAR) ||
         hyb_guess_reads (guess, variable, HYB_CATEGORY_CONVOLUTION) ||
         hyb_guess_reads (guess, variable, HYB_CATEGORY_RECURRENT) ||
         hyb_guess_reads (guess, variable, HYB_CATEGORY_CONTROL);
}

/* Copies the types that the last trial inferred, such as the number of steps of an unrolled
 * graph. */
static void
take_inferred (HybGuess *guess, HybShape *shape)
{
  const HybShape *inferred = &guess->trial[guess->value].shape;

  for (int axis = 0; axis < shape->rank; axis++)
    if (shape->dim[axis] == HYB_UNKNOWN && inferred->dim[axis] != HYB_UNKNOWN)
      hyb_guess_add_reason (guess, _ ("%lld as the graph says"), (long long) inferred->dim[axis]);
  *shape = *inferred;
}

static gboolean
guess_rank (HybGuess *guess, HybNodeId variable, HybShape *shape)
{
  static const int ranks[] = { 2, 3, 1, 4 };

  if (hyb_guess_reads (guess, variable, HYB_CATEGORY_CONVOLUTION))
    {
      *shape = hyb_shape_make (4, NULL);
      if (hyb_guess_image (guess, shape))
        return TRUE;
      g_string_truncate (guess->reason, 0);
    }
  if (guess_from_operands (guess, shape))
    return TRUE;
  if (is_read_by_linear (guess))
    return guess_features (guess, shape);
  for (guint i = 0; suggests_rank (guess, variable) && i < G_N_ELEMENTS (ranks); i++)
    {
      g_string_truncate (guess->reason, 0);
      *shape = hyb_shape_make (ranks[i], NULL);
      if (!hyb_guess_try (guess, shape))
        continue;
      take_inferred (guess, shape);
      /* A first axis of known size counts steps; the batch is the next one. */
      if (shape->dim[0] != HYB_UNKNOWN && guess_lengths (guess, shape, 1))
        return TRUE;
      if (guess_sequence (guess, shape))
        return TRUE;
    }
  return FALSE;
}

static gboolean
guess_shape (HybGuess *guess, HybNodeId variable, HybShape *shape)
{
  if (shape->rank == HYB_UNKNOWN)
    return guess_rank (guess, variable, shape);
  if (shape->rank >= 4 && hyb_guess_reads (guess, variable, HYB_CATEGORY_CONVOLUTION))
    return hyb_guess_image (guess, shape);
  return guess_sequence (guess, shape);
}

static void
shape_guess_free (gpointer data)
{
  HybShapeGuess *guess = data;

  g_free (guess->reason);
  g_free (guess);
}

/* Whether a shape is found that the graph accepts. */
static gboolean
try_variable (HybGuess *guess, HybNodeId variable, HybShape *shape)
{
  HybShape full = *shape;

  g_string_truncate (guess->reason, 0);
  if (!guess_shape (guess, variable, &full) || !hyb_guess_try (guess, &full))
    return FALSE;
  *shape = full;
  return TRUE;
}

/* Tries the batches that inputs with a known shape may have. */
static gboolean
try_known_batches (HybGuess *guess, HybNodeId variable, HybShape *shape)
{
  gint64      batch = guess->batch;
  const char *name = guess->batch_name;

  for (guint i = 0; i < guess->known->len; i++)
    {
      const HybNode *node =
          hyb_graph_get_node (guess->graph, g_array_index (guess->known, HybNodeId, i));
      const HybShape *known = &guess->types[node->first_output].shape;

      guess->batch_name = node->name;
      for (int axis = 0; axis < known->rank; axis++)
        {
          guess->batch = known->dim[axis];
          if (guess->batch > 1 && try_variable (guess, variable, shape))
            return TRUE;
        }
    }
  guess->batch = batch;
  guess->batch_name = name;
  return FALSE;
}

/* Guesses one variable and keeps the types that follow from it. */
static void
guess_variable (HybGuess *guess, HybNodeId variable, GPtrArray *guesses)
{
  HybValueId value = hyb_graph_get_node (guess->graph, variable)->first_output;
  g_autoptr (GString) reason = g_string_new (NULL);
  HybShape       shape = guess->types[value].shape;
  HybShapeGuess *found;

  guess->value = value;
  guess->reason = reason;
  if (hyb_shape_is_known (&shape) ||
      (!try_variable (guess, variable, &shape) && !try_known_batches (guess, variable, &shape)))
    return;
  found = g_new (HybShapeGuess, 1);
  *found = (HybShapeGuess){ variable, guess->types[value].shape, shape, g_strdup (reason->str) };
  memcpy (guess->types, guess->trial, hyb_graph_n_values (guess->graph) * sizeof *guess->types);
  g_ptr_array_add (guesses, found);
}

static int
compare_variables (gconstpointer a, gconstpointer b)
{
  const HybShapeGuess *const *first = a, *const *second = b;

  return (*first)->variable < (*second)->variable ? -1 : 1;
}

/* The inputs whose shapes are known from the start; none if the caller gives the batch size.  (transfer
 * full) */
static GArray *
find_known (HybGraph *graph, const HybType *types, const guint8 *needed, const HybGuessHints *hints)
{
  GArray          *known = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; hints->batch <= 0 && i < n; i++)
    {
      HybRole role = hyb_graph_get_role (graph, variables[i], FALSE);

      if (needed[variables[i]] && (role == HYB_ROLE_DATA || role == HYB_ROLE_STATE) &&
          hyb_shape_is_known (&types[hyb_graph_get_node (graph, variables[i])->first_output].shape))
        g_array_append_val (known, variables[i]);
    }
  return known;
}

static GPtrArray *
guess_by_role (HybGraph            *graph,
               HybType             *types,
               const guint8        *needed,
               gboolean             training,
               const HybGuessHints *hints)
{
  /* Data decides the batch of states and labels. */
  static const HybRole order[] = { HYB_ROLE_DATA, HYB_ROLE_STATE, HYB_ROLE_LABEL };
  GPtrArray           *guesses = g_ptr_array_new_with_free_func (shape_guess_free);
  guint                n, n_nodes = MAX (hyb_graph_n_nodes (graph), 1);
  const HybNodeId     *variables = hyb_graph_get_variables (graph, &n);
  g_autofree HybType  *trial = g_new (HybType, MAX (hyb_graph_n_values (graph), 1));
  g_autofree guint32  *readers = hyb_guess_find_readers (graph);
  g_autoptr (GArray) operands = hyb_guess_find_operands (graph, types, MIN_TRIES);
  g_autoptr (GArray) known = find_known (graph, types, needed, hints);
  HybGuess guess = {
    .graph = graph,
    .training = training,
    .file = hints->file,
    .batch = hints->batch,
    .length = hints->length,
    .types = types,
    .trial = trial,
    .readers = readers,
    .operands = operands,
    .known = known,
    .tries = CLAMP (MAX_VISITS / n_nodes, MIN_TRIES, MAX_TRIES),
  };

  for (guint r = 0; r < G_N_ELEMENTS (order); r++)
    for (guint i = 0; i < n; i++)
      if (needed[variables[i]] && hyb_graph_get_role (graph, variables[i], FALSE) == order[r])
        guess_variable (&guess, variables[i], guesses);
  g_ptr_array_sort (guesses, compare_variables);
  g_free (guess.refused_by);
  return guesses;
}

GPtrArray *
hyb_guess_shapes (HybGraph            *graph,
                  HybType             *types,
                  const guint8        *needed,
                  gboolean             training,
                  const HybGuessHints *hints)
{
  return hyb_graph_get_dialect (graph) ? hyb_guess_open (graph, types, needed, training, hints)
                                       : guess_by_role (graph, types, needed, training, hints);
}
