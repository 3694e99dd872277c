/* neighbours.c — looks for a parameter file that fits the graph beside one that does not.
 *
 * Training leaves many files in one folder, so the highest epoch may belong to another model.
 * Start at hyb_neighbours_find().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/neighbours.h"

#include "engine/analysis/infer-types.h"
#include "engine/doctor/match-parameters.h"
#include "engine/formats/format.h"
#include "engine/formats/model-weights.h"
#include "engine/graph/roles.h"
#include "engine/tensor/finite.h"

#include <string.h>
#include <sys/stat.h>

#define MAX_FILES          64
#define MAX_ENTRIES        10000     /* of a folder */
#define MAX_LOOKED_THROUGH (1 << 28) /* bytes of a file whose values are checked */

static gboolean
is_weights_name (const char *name)
{
  const HybFormat *format = hyb_format_of_path (name);

  return format && format->read_weights && !format->read_graph;
}

/* How much of both names is equal: files of one model differ in the epoch only. */
static gsize
count_common (const char *a, const char *b)
{
  gsize n = 0;

  while (a[n] && a[n] == b[n])
    n++;
  return n;
}

typedef struct
{
  const char *name; /* of the file that does not fit */
} Order;

/* Names with more in common first, then higher epochs. */
static int
compare_names (gconstpointer a, gconstpointer b, gpointer data)
{
  const Order *order = data;
  const char  *first = *(const char *const *) a, *second = *(const char *const *) b;
  gsize        n_first = count_common (first, order->name);
  gsize        n_second = count_common (second, order->name);
  gsize        n_prefix =
      strlen (order->name) - strlen (strrchr (order->name, '-') ? strrchr (order->name, '-') : "");

  n_first = MIN (n_first, n_prefix);
  n_second = MIN (n_second, n_prefix);
  if (n_first != n_second)
    return n_first > n_second ? -1 : 1;
  return strcmp (second, first);
}

/* TRUE if the model's parameters are all there and agree with the graph and each other. */
static gboolean
fits_graph (HybModel *model)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  guint               n;
  const HybNodeId    *variables = hyb_graph_get_variables (graph, &n);
  g_autofree HybType *types = hyb_model_new_types (model);

  for (guint i = 0; i < n; i++)
    if (!hyb_model_get_parameter (model, hyb_graph_get_node (graph, variables[i])->name) &&
        hyb_graph_get_role (graph, variables[i], FALSE) == HYB_ROLE_PARAMETER)
      return FALSE;
  return hyb_infer_types (graph, types, NULL, FALSE, NULL);
}

gboolean
hyb_neighbour_take (HybModel *model, const char *path, GError **error)
{
  g_autoptr (HybTensorList) list = hyb_weights_read_file (path, NULL, error);

  if (!list)
    return FALSE;
  for (guint i = hyb_model_n_parameters (model); i-- > 0;)
    {
      g_autofree char *name = g_strdup (hyb_model_get_parameter_name (model, i));

      hyb_model_remove_parameter (model, name);
    }
  hyb_model_take_weights (model, list, path);
  hyb_model_match_parameters (model);
  return TRUE;
}

static gboolean
file_fits (HybModel *model, const char *path)
{
  g_autoptr (HybModel) trial = hyb_model_new ();

  hyb_model_set_graph (trial, hyb_model_get_graph (model));
  return hyb_neighbour_take (trial, path, NULL) && fits_graph (trial);
}

GPtrArray *
hyb_neighbours_find (HybModel *model)
{
  GPtrArray       *fitting = g_ptr_array_new_with_free_func (g_free);
  const char      *file = hyb_model_get_weights_file (model);
  g_autofree char *folder = file ? g_path_get_dirname (file) : NULL;
  g_autofree char *own = file ? g_path_get_basename (file) : NULL;
  g_autoptr (GDir) dir = folder ? g_dir_open (folder, 0, NULL) : NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  Order       order = { own };
  const char *entry;

  for (guint n = 0; dir && n < MAX_ENTRIES && (entry = g_dir_read_name (dir)); n++)
    if (strcmp (entry, own) != 0 && is_weights_name (entry))
      g_ptr_array_add (names, g_strdup (entry));
  g_ptr_array_sort_with_data (names, compare_names, &order);

  for (guint i = 0; i < MIN (names->len, MAX_FILES); i++)
    {
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);

      if (file_fits (model, path))
        g_ptr_array_add (fitting, g_steal_pointer (&path));
    }
  return fitting;
}

gboolean
hyb_neighbour_has_nan (const char *path)
{
  struct stat status;
  g_autoptr (HybTensorList) list = NULL;

  if (stat (path, &status) != 0 || status.st_size > MAX_LOOKED_THROUGH)
    return FALSE;
  list = hyb_weights_read_file (path, NULL, NULL);
  for (guint i = 0; list && i < hyb_tensor_list_n (list); i++)
    {
      HybTensor *tensor = hyb_tensor_list_get (list, i)->tensor;

      if (tensor && !hyb_tensor_is_finite (tensor))
        return TRUE;
    }
  return FALSE;
}

/* Whether the parameters were found beside the graph; else somebody has chosen their file. */
static gboolean
was_found (HybModel *model)
{
  GPtrArray *findings = hyb_model_get_findings (model);

  for (guint i = 0; i < findings->len; i++)
    if (strcmp (((HybFinding *) findings->pdata[i])->code, "paired-file") == 0)
      return TRUE;
  return FALSE;
}

gboolean
hyb_neighbour_is_certain (HybModel *model, const GPtrArray *fitting)
{
  return fitting->len == 1 && was_found (model);
}
