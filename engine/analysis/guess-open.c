/* guess-open.c — guesses the open dimensions of the inputs of a graph of another format.
 *
 * Inputs declare which dimensions are open.  Usual sizes are tried: one sample, images of 224, sequences of 16; then 1
 * everywhere, which is what exports freeze most.  The first that inference accepts is the guess.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/guess-open.h"

#include "engine/analysis/declared-types.h"
#include "engine/analysis/infer-types.h"

#define USUAL_EXTENT 224
#define USUAL_LENGTH 16

static gint64
usual_size (const HybShape *shape, int axis, const HybGuessHints *hints)
{
  if (axis == 0)
    return hints && hints->batch > 0 ? hints->batch : 1;
  if (shape->rank >= 4)
    return USUAL_EXTENT;
  return hints && hints->length > 0 ? hints->length : USUAL_LENGTH;
}

static gboolean
is_open (const HybGraph *graph, HybNodeId variable, const HybType *types, const guint8 *needed)
{
  const HybType *type = &types[hyb_graph_get_node (graph, variable)->first_output];

  return (!needed || needed[variable]) && type->shape.rank >= 0 &&
         !hyb_shape_is_known (&type->shape);
}

/* Fills in the open dimensions of all variables; the same name gets the same size. */
static void
fill_in (HybGraph *graph, HybType *types, const HybGuessHints *hints, gboolean with_ones)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      HybShape *shape = &types[hyb_graph_get_node (graph, variables[i])->first_output].shape;

      for (int axis = 0; axis < shape->rank; axis++)
        {
          const char *name = hyb_dim_get_name (shape->dim[axis]);
          gint64      size = with_ones ? 1 : usual_size (shape, axis, hints);

          if (shape->dim[axis] < 0 && name)
            hyb_declared_types_name (graph, types, name, size);
          else if (shape->dim[axis] < 0)
            shape->dim[axis] = size;
        }
    }
}

static void
free_guess (gpointer data)
{
  HybShapeGuess *guess = data;

  g_free (guess->reason);
  g_free (guess);
}

static HybShapeGuess *
new_guess (HybNodeId variable, const HybShape *known, const HybShape *shape)
{
  HybShapeGuess *guess = g_new0 (HybShapeGuess, 1);

  guess->variable = variable;
  guess->known = *known;
  guess->shape = *shape;
  guess->reason = g_strdup ("the file leaves dimensions open");
  return guess;
}

GPtrArray *
hyb_guess_open (HybGraph            *graph,
                HybType             *types,
                const guint8        *needed,
                gboolean             training,
                const HybGuessHints *hints)
{
  GPtrArray       *guesses = g_ptr_array_new_with_free_func (free_guess);
  gsize            n_values = MAX (hyb_graph_n_values (graph), 1);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint with_ones = 0; with_ones < 2; with_ones++)
    {
      g_autofree HybType *trial = g_memdup2 (types, sizeof (HybType) * n_values);

      fill_in (graph, trial, hints, with_ones != 0);
      if (!hyb_infer_types (graph, trial, NULL, training, NULL))
        continue;
      for (guint i = 0; i < n; i++)
        {
          HybValueId value = hyb_graph_get_node (graph, variables[i])->first_output;

          if (is_open (graph, variables[i], types, needed))
            g_ptr_array_add (guesses,
                             new_guess (variables[i], &types[value].shape, &trial[value].shape));
        }
      for (gsize i = 0; i < hyb_graph_n_values (graph); i++)
        types[i] = trial[i];
      break;
    }
  return guesses;
}
