/* mxnet-format.c — MXNet's two file formats: symbol files (graphs) and parameter files.
 *
 * A model is a pair of them: PREFIX-symbol.json and PREFIX-NNNN.params, NNNN being the epoch.
 * The readers are in mxnet-symbol.c and mxnet-params.c, the writers in mxnet-symbol-write.c and
 * mxnet-params.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/file.h"
#include "engine/formats/format.h"
#include "engine/formats/model-weights.h"
#include "engine/formats/mxnet-params.h"
#include "engine/formats/mxnet-symbol.h"
#include "engine/graph/roles.h"

static gboolean
write_list (GOutputStream *out, gpointer list, GError **error)
{
  return hyb_ndarrays_write (list, out, error);
}

/* TRUE for a graph whose parameters were never read: an empty file of them would be taken for its own. */
static gboolean
lacks_parameters (HybModel *model, HybTensorList *list)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  if (hyb_tensor_list_n (list) > 0)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (hyb_graph_get_role (graph, variables[i], FALSE) == HYB_ROLE_PARAMETER)
      return TRUE;
  return FALSE;
}

static gboolean
write_pair (HybModel *model, const char *prefix, guint epoch, GPtrArray *written, GError **error)
{
  g_autofree char *symbol = g_strconcat (prefix, "-symbol.json", NULL);
  g_autofree char *params = g_strdup_printf ("%s-%04u.params", prefix, epoch);
  g_autoptr (HybTensorList) list = hyb_model_list_parameters (model);
  gsize            length;
  g_autofree char *text = hyb_symbol_print (hyb_model_get_graph (model), &length);
  g_autoptr (HybPendingFile) first = NULL;
  g_autoptr (HybPendingFile) second = NULL;
  gboolean has_second = !lacks_parameters (model, list);

  if (!hyb_file_check_link (symbol, error) || !hyb_file_check_link (params, error))
    return FALSE;
  first = hyb_file_prepare_contents (symbol, text, length, error);
  if (!first)
    return FALSE;
  if (has_second)
    second = hyb_file_prepare (params, write_list, list, error);
  if (has_second && !second)
    return FALSE;
  if (!hyb_files_commit ((HybPendingFile *[]){ first, second }, has_second ? 2 : 1, error))
    return FALSE;

  if (written)
    {
      g_ptr_array_add (written, g_steal_pointer (&symbol));
      if (has_second)
        g_ptr_array_add (written, g_steal_pointer (&params));
    }
  return TRUE;
}

const HybFormat hyb_format_mxnet_symbol = {
  .id = "mxnet-symbol",
  .patterns = (const char *[]){ "*-symbol.json", "*.json", "*.json.gz", NULL },
  .sniff = HYB_SNIFF_JSON,
  .is_fallback = TRUE,
  .read_graph = hyb_symbol_read,
  .endings = (const char *[]){ ".gz", ".ref", ".json", "-symbol", NULL },
  .params_beside =
      (const char *[]){ "-#.params", ".params", "-model.params", ".npz", ".safetensors", NULL },
  .write_model = write_pair,
};

const HybFormat hyb_format_mxnet_params = {
  .id = "mxnet-params",
  .patterns = (const char *[]){ "*.params", "*.nd", NULL },
  .sniff = HYB_SNIFF_PARAMS,
  .is_fallback = TRUE,
  .read_weights = hyb_ndarrays_read,
  .write_weights = hyb_ndarrays_write,
};
