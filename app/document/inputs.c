/* inputs.c — finds the inputs of a model and guesses their open shapes; see scope_inputs_find().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/inputs.h"

#include "engine/analysis/infer-types.h"
#include "engine/graph/reach.h"
#include "engine/open/guess-inputs.h"

#include <string.h>

gboolean
scope_input_parse (const char *text, char **name, HybShape *shape)
{
  const char *equals = strrchr (text, '=');
  g_auto (GStrv) dims = NULL;

  if (!equals || equals == text)
    return FALSE;
  *shape = (HybShape){ .rank = 0 };
  dims = g_strsplit_set (equals + 1, ",x", HYB_MAX_RANK + 1);
  for (guint i = 0; dims[i] && shape->rank < HYB_MAX_RANK; i++)
    {
      gint64 dim = HYB_UNKNOWN;

      if (strcmp (dims[i], "?") != 0 &&
          !g_ascii_string_to_signed (dims[i], 10, 0, (gint64) 1 << 48, &dim, NULL))
        return FALSE;
      shape->dim[shape->rank++] = dim;
    }
  *name = g_strndup (text, (gsize) (equals - text));
  return TRUE;
}

char *
scope_input_to_option (const ScopeInput *input)
{
  g_autofree char *shape = NULL;

  if (!hyb_shape_is_known (&input->type.shape))
    return NULL;
  shape = hyb_shape_join (&input->type.shape, ",");
  return g_strdup_printf ("%s=%s", input->name, shape);
}

static gboolean
is_input (HybModel *model, HybNodeId variable)
{
  HybGraph      *graph = hyb_model_get_graph (model);
  const HybNode *node = hyb_graph_get_node (graph, variable);

  return !hyb_model_get_parameter (model, node->name) &&
         hyb_graph_get_role (graph, variable, FALSE) != HYB_ROLE_PARAMETER;
}

/* inferred: the types that follow without the given shapes; they become the known types. */
static GArray *
list_inputs (HybModel *model, const HybType *inferred, const guint8 *needed)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  GArray          *inputs = g_array_new (FALSE, FALSE, sizeof (ScopeInput));

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      ScopeInput     input = { .name = node->name };

      if (!needed[variables[i]] || !is_input (model, variables[i]))
        continue;
      input.role = hyb_graph_get_role (graph, variables[i], FALSE);
      input.known = inferred[node->first_output].shape;
      g_array_append_val (inputs, input);
    }
  return inputs;
}

static ScopeInput *
find_input (GArray *inputs, const char *name)
{
  for (guint i = 0; i < inputs->len; i++)
    {
      ScopeInput *input = &g_array_index (inputs, ScopeInput, i);

      if (strcmp (input->name, name) == 0)
        return input;
    }
  return NULL;
}

/* TRUE if there was one. */
static gboolean
set_given (HybGraph *graph, HybType *types, GArray *inputs, const char *const *given)
{
  gboolean was_given = FALSE;

  for (guint i = 0; given && given[i]; i++)
    {
      g_autofree char *name = NULL;
      HybShape         shape;
      HybNodeId        id;
      ScopeInput      *input;

      if (!scope_input_parse (given[i], &name, &shape))
        continue;
      id = hyb_graph_find_variable (graph, name);
      if (id == HYB_NO_ID)
        continue;
      types[hyb_graph_get_node (graph, id)->first_output].shape = shape;
      was_given = TRUE;
      input = find_input (inputs, name);
      if (input)
        input->is_given = TRUE;
    }
  return was_given;
}

/* Adds guesses to types.  inferred: the types that follow from these, and then also from the
 * guesses. */
static void
guess (HybModel *model, HybType *types, HybType *inferred, const guint8 *needed, GArray *inputs)
{
  HybGraph     *graph = hyb_model_get_graph (model);
  HybGuessHints hints = { .file = hyb_model_get_file (model) };
  g_autoptr (GPtrArray) guesses = hyb_model_guess_inputs (model, inferred, needed, FALSE, &hints);

  for (guint i = 0; guesses && i < guesses->len; i++)
    {
      const HybShapeGuess *found = guesses->pdata[i];
      const HybNode       *node = hyb_graph_get_node (graph, found->variable);
      ScopeInput          *input = find_input (inputs, node->name);

      types[node->first_output].shape = found->shape;
      if (input)
        input->reason = g_strdup (found->reason);
    }
}

static void
set_types (HybGraph *graph, const HybType *inferred, GArray *inputs)
{
  for (guint i = 0; i < inputs->len; i++)
    {
      ScopeInput *input = &g_array_index (inputs, ScopeInput, i);
      HybNodeId   id = hyb_graph_find_variable (graph, input->name);

      input->type = inferred[hyb_graph_get_node (graph, id)->first_output];
    }
}

static void
input_clear (gpointer data)
{
  g_free (((ScopeInput *) data)->reason);
}

GArray *
scope_inputs_find (HybModel *model, HybType *types, const char *const *given)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  gsize               n_values = MAX (hyb_graph_n_values (graph), 1);
  g_autofree HybType *inferred = g_memdup2 (types, n_values * sizeof (HybType));
  g_autofree guint8  *needed = hyb_graph_find_needed (graph, NULL);
  gboolean            is_consistent = hyb_infer_types (graph, inferred, NULL, FALSE, NULL);
  GArray             *inputs = list_inputs (model, inferred, needed);

  g_array_set_clear_func (inputs, input_clear);
  if (set_given (graph, types, inputs, given))
    {
      memcpy (inferred, types, n_values * sizeof (HybType));
      is_consistent = hyb_infer_types (graph, inferred, NULL, FALSE, NULL);
    }
  /* Findings name contradictions of the given shapes, from which nothing can be guessed. */
  if (is_consistent)
    guess (model, types, inferred, needed, inputs);
  set_types (graph, inferred, inputs);
  return inputs;
}

guint
scope_inputs_count_missing (HybModel *model)
{
  HybGraph          *graph = hyb_model_get_graph (model);
  g_autofree guint8 *needed = hyb_graph_find_needed (graph, NULL);
  guint              n, n_missing = 0;
  const HybNodeId   *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    n_missing += needed[variables[i]] &&
                 hyb_graph_get_role (graph, variables[i], FALSE) == HYB_ROLE_PARAMETER &&
                 !hyb_model_get_parameter (model, hyb_graph_get_node (graph, variables[i])->name);
  return n_missing;
}
