/* guess-inputs.c — guesses the open shapes of a model's inputs, if need be with the help of weights beside its file.
 *
 * A graph of dense layers accepts any number of features; only weights tell it.  Exports are often renamed, so that the
 * weights no longer have the name of the graph.  Start at hyb_model_guess_inputs().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/open/guess-inputs.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/compare-names.h"
#include "engine/formats/format.h"
#include "engine/formats/tensor-list.h"
#include "engine/graph/roles.h"

#include <glib/gstdio.h>
#include <string.h>

#define MAX_FILES 16
#define MAX_BYTES \
  (64 << 20) /* of one file: opening a model is not to take long because of its neighbours */

typedef struct
{
  HybModel     *model;
  HybGraph     *graph;
  const guint8 *needed;
  HybType      *types; /* of the values; parameters get the shapes of arrays */
  char         *file;  /* the first one that fits, or NULL */
} Beside;

/* Whether the variable is a parameter of which the model has no value. */
static gboolean
is_missing (const Beside *beside, HybNodeId variable)
{
  const char *name = hyb_graph_get_node (beside->graph, variable)->name;

  return beside->needed[variable] && !hyb_model_get_parameter (beside->model, name) &&
         hyb_graph_get_role (beside->graph, variable, FALSE) == HYB_ROLE_PARAMETER;
}

static HybTensor *
find_array (HybTensorList *list, const char *name)
{
  static const char *const prefixes[] = { "", "arg:", "aux:" };

  for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++)
    {
      g_autofree char *key = g_strconcat (prefixes[i], name, NULL);
      HybTensor       *tensor = hyb_tensor_list_find (list, key);

      if (tensor)
        return tensor;
    }
  return NULL;
}

/* Whether the list has an array for every missing parameter, and no other shape than types. */
static gboolean
fits (const Beside *beside, HybTensorList *list, HybType *types)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (beside->graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (beside->graph, variables[i]);
      HybTensor     *tensor;
      HybShape       shape;

      if (!is_missing (beside, variables[i]))
        continue;
      tensor = find_array (list, node->name);
      if (!tensor)
        return FALSE;
      shape = *hyb_tensor_get_shape (tensor);
      if (!hyb_shape_unify (&types[node->first_output].shape, &shape, NULL))
        return FALSE;
    }
  return TRUE;
}

/* Takes the shapes of this file if it fits.  FALSE if it fits the graph, but not the files before. */
static gboolean
take_file (Beside *beside, const HybType *open, const char *path)
{
  gsize               size = MAX (hyb_graph_n_values (beside->graph), 1) * sizeof *open;
  g_autofree HybType *alone = g_memdup2 (open, size);
  g_autoptr (HybTensorList) list = NULL;
  GStatBuf status;

  if (g_stat (path, &status) != 0 || !S_ISREG (status.st_mode) || status.st_size > MAX_BYTES)
    return TRUE;
  list = hyb_weights_read_file (path, NULL, NULL);
  if (!list || !fits (beside, list, alone))
    return TRUE;
  if (!fits (beside, list, beside->types))
    return FALSE;
  if (!beside->file)
    beside->file = g_path_get_basename (path);
  return TRUE;
}

/* The files with weights in the model's folder, by name.  (transfer full) */
static GPtrArray *
list_weights (HybModel *model)
{
  const char      *file = hyb_model_get_file (model);
  g_autofree char *folder = file ? g_path_get_dirname (file) : NULL;
  g_autoptr (GDir) dir = folder ? g_dir_open (folder, 0, NULL) : NULL;
  GPtrArray  *files = g_ptr_array_new_with_free_func (g_free);
  const char *entry;

  while (dir && (entry = g_dir_read_name (dir)))
    if (g_str_has_suffix (entry, ".params") || g_str_has_suffix (entry, ".npz"))
      g_ptr_array_add (files, g_build_filename (folder, entry, NULL));
  g_ptr_array_sort (files, hyb_compare_names);
  return files;
}

/* Sets the shapes of missing parameters to those of the weights in the model's folder; FALSE if there are none that
 * fit, or if they differ. */
static gboolean
take_shapes (Beside *beside, const HybType *open)
{
  g_autoptr (GPtrArray) files = list_weights (beside->model);

  for (guint i = 0; i < MIN (files->len, MAX_FILES); i++)
    if (!take_file (beside, open, files->pdata[i]))
      return FALSE;
  return beside->file != NULL;
}

/* Whether an input is open that weights could decide. */
static gboolean
is_open (const Beside *beside)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (beside->graph, &n);
  gboolean         lacks_input = FALSE, lacks_weights = FALSE;

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (beside->graph, variables[i]);
      HybRole        role = hyb_graph_get_role (beside->graph, variables[i], FALSE);

      lacks_weights |= is_missing (beside, variables[i]);
      lacks_input |= beside->needed[variables[i]] && role != HYB_ROLE_PARAMETER &&
                     !hyb_shape_is_known (&beside->types[node->first_output].shape);
    }
  return lacks_input && lacks_weights;
}

static void
add_file_to_reasons (GPtrArray *guesses, const char *file)
{
  for (guint i = 0; i < guesses->len; i++)
    {
      HybShapeGuess *guess = guesses->pdata[i];
      char          *reason = g_strdup_printf ("%s by the weights in %s", guess->reason, file);

      g_free (guess->reason);
      guess->reason = reason;
    }
}

GPtrArray *
hyb_model_guess_inputs (HybModel            *model,
                        HybType             *types,
                        const guint8        *needed,
                        gboolean             training,
                        const HybGuessHints *hints)
{
  HybGraph *graph = hyb_model_get_graph (model);
  gsize     size = MAX (hyb_graph_n_values (graph), 1) * sizeof *types;
  Beside    beside = { model, graph, needed, types, NULL };
  gboolean  was_open = is_open (&beside); /* guesses open nothing: most graphs need no copies */
  g_autofree HybType *open = was_open ? g_memdup2 (types, size) : NULL;
  g_autofree HybType *taken = was_open ? g_memdup2 (types, size) : NULL;
  GPtrArray          *guesses = hyb_guess_shapes (graph, types, needed, training, hints), *more;

  if (was_open && is_open (&beside))
    {
      beside.types = taken;
      if (take_shapes (&beside, open) && hyb_infer_types (graph, taken, NULL, training, NULL))
        {
          more = hyb_guess_shapes (graph, taken, needed, training, hints);
          if (more->len > guesses->len)
            {
              memcpy (types, taken, size);
              add_file_to_reasons (more, beside.file);
              g_ptr_array_unref (guesses);
              guesses = g_ptr_array_ref (more);
            }
          g_ptr_array_unref (more);
        }
      g_free (beside.file);
    }
  return guesses;
}
