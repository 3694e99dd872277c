/* open.c — the symbol file, the parameters beside it, and both as one model.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/open/open.h"

#include "engine/block/plugin.h"
#include "engine/formats/file.h"
#include "engine/formats/format.h"
#include "engine/formats/mxnet-symbol.h"

#include <string.h>

char *
hyb_model_prefix_of (const char *file)
{
  static const char *const endings[] = { ".gz", ".ref", ".json", "-symbol" };
  char                    *prefix = g_strdup (file);

  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (prefix, endings[i]))
      prefix[strlen (prefix) - strlen (endings[i])] = '\0';
  return prefix;
}

/* The number in "net-0012.params" for the name "net"; -1 if it is none. */
static gint64
epoch_of (const char *entry, const char *name)
{
  const char *digits = entry + strlen (name) + 1;
  gsize       n;

  if (!g_str_has_prefix (entry, name) || entry[strlen (name)] != '-')
    return -1;

  n = strspn (digits, "0123456789");
  if (n < 4 || n > 9 || strcmp (digits + n, ".params") != 0)
    return -1;

  return g_ascii_strtoll (digits, NULL, 10);
}

static char *
find_epoch (const char *prefix, gint64 epoch)
{
  g_autofree char *folder = g_path_get_dirname (prefix);
  g_autofree char *name = g_path_get_basename (prefix);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  char       *found = NULL;
  gint64      best = -1;
  const char *entry;

  while (dir && (entry = g_dir_read_name (dir)))
    {
      gint64 number = epoch_of (entry, name);

      if (number < 0 || number <= best || (epoch >= 0 && number != epoch))
        continue;
      best = number;
      g_free (found);
      found = g_build_filename (folder, entry, NULL);
    }

  if (found && strcmp (folder, ".") == 0 && !g_str_has_prefix (prefix, "."))
    {
      g_free (found);
      found = g_strdup_printf ("%s-%04" G_GINT64_FORMAT ".params", prefix, best);
    }
  return found;
}

char *
hyb_model_find_params (const char *file, gint64 epoch, const char **why)
{
  static const char *const endings[] = { ".params", "-model.params", ".npz" };
  g_autofree char         *prefix = hyb_model_prefix_of (file);
  char                    *found = find_epoch (prefix, epoch);

  if (found)
    {
      *why = epoch >= 0 ? "the epoch that was asked for" : "the highest epoch beside the model";
      return found;
    }

  *why = "the same name beside the model";
  for (guint i = 0; epoch < 0 && i < G_N_ELEMENTS (endings); i++)
    {
      g_autofree char *path = g_strconcat (prefix, endings[i], NULL);

      if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer (&path);
    }

  return NULL;
}

static const char *
strip_prefix (const char *name, HybPrefix *prefix)
{
  *prefix = g_str_has_prefix (name, "arg:")   ? HYB_PREFIX_ARG
            : g_str_has_prefix (name, "aux:") ? HYB_PREFIX_AUX
                                              : HYB_PREFIX_NONE;
  return *prefix == HYB_PREFIX_NONE ? name : name + 4;
}

void
hyb_model_take_weights (HybModel *model, HybTensorList *list, const char *where)
{
  GPtrArray *findings = hyb_tensor_list_get_findings (list);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  /* A model of a plug-in has weights already; those are meant to be replaced. */
  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);
      HybPrefix             prefix;
      const char           *name = strip_prefix (entry->name, &prefix);

      if (!entry->tensor)
        continue;
      if (!g_hash_table_add (seen, (gpointer) name))
        {
          HybFinding *finding = hyb_finding_new ("duplicate-parameter",
                                                 HYB_SEVERITY_WARNING,
                                                 "“%s” is there with several prefixes; the last "
                                                 "one counts",
                                                 name);

          finding->file = g_strdup (where);
          finding->remedy = HYB_REMEDY_REPAIR;
          hyb_model_add_finding (model, finding);
        }
      hyb_model_set_parameter (model, name, entry->tensor);
      hyb_model_set_parameter_prefix (model, name, prefix);
    }

  while (findings->len > 0)
    {
      HybFinding *finding = g_ptr_array_steal_index (findings, 0);

      if (!finding->file)
        finding->file = g_strdup (where);
      hyb_model_add_finding (model, finding);
    }
  hyb_model_set_weights_file (model, where);
}

gboolean
hyb_variable_is_stored_as_auxiliary (HybGraph *graph, HybNodeId variable)
{
  guint            n;
  HybValueId       value = hyb_graph_get_node (graph, variable)->first_output;
  const HybNodeId *users = hyb_graph_get_users (graph, value, &n);

  if (!hyb_graph_is_auxiliary (graph, variable))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (hyb_graph_get_node (graph, users[i])->n_bodies > 0)
      return FALSE;
  return TRUE;
}

HybTensorList *
hyb_model_list_parameters (HybModel *model)
{
  HybTensorList *list = hyb_tensor_list_new ();
  HybGraph      *graph = hyb_model_get_graph (model);

  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char      *name = hyb_model_get_parameter_name (model, i);
      HybNodeId        id = graph ? hyb_graph_find_variable (graph, name) : HYB_NO_ID;
      gboolean         is_auxiliary = id == HYB_NO_ID
                                          ? hyb_model_get_parameter_prefix (model, i) == HYB_PREFIX_AUX
                                          : hyb_variable_is_stored_as_auxiliary (graph, id);
      g_autofree char *full = g_strconcat (is_auxiliary ? "aux:" : "arg:", name, NULL);

      hyb_tensor_list_set (list, full, hyb_model_get_parameter (model, name));
    }

  return list;
}

/* FALSE: the weights cannot be read; a finding says why. */
static gboolean
load_weights (HybModel *model, const char *path, GError **error)
{
  HybFinding *trouble = NULL;
  g_autoptr (HybTensorList) list = hyb_weights_read_file (path, &trouble, error);

  if (trouble)
    hyb_model_add_finding (model, trouble);
  if (!list)
    return FALSE;

  hyb_model_take_weights (model, list, path);
  return TRUE;
}

static gboolean
add_weights (HybModel *model, const char *file, const char *params, gint64 epoch, GError **error)
{
  const char      *why = NULL;
  g_autofree char *found =
      params || hyb_is_plugin_name (file) ? NULL : hyb_model_find_params (file, epoch, &why);
  HybFinding *note;

  if (!params && !found)
    {
      if (epoch < 0 || hyb_is_plugin_name (file))
        return TRUE;
      return hyb_error_at (error,
                           HYB_FORMAT_ERROR,
                           HYB_FORMAT_ERROR_MISMATCH,
                           file,
                           "Name the file with --params",
                           "there are no parameters of epoch %" G_GINT64_FORMAT " beside it",
                           epoch);
    }

  if (found)
    {
      note = hyb_finding_new ("paired-file",
                              HYB_SEVERITY_NOTE,
                              "parameters are read from %s: %s",
                              found,
                              why);
      note->file = g_strdup (found);
      hyb_model_add_finding (model, note);
    }
  return load_weights (model, params ? params : found, error);
}

static gboolean
read_graph (HybModel *model, const char *file, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  const HybFormat *format;

  if (hyb_is_plugin_name (file))
    return hyb_model_read_plugin (model, file, error);

  bytes = hyb_file_read (file, 0, error);
  if (!bytes)
    return FALSE;
  format = hyb_format_of_bytes (bytes);

  hyb_model_set_file (model, file);
  if (format && format->read_graph)
    return format->read_graph (model, bytes, file, error);

  /* It says what the file is instead. */
  return hyb_symbol_read (model, bytes, file, error);
}

/* The first error finding as an error. */
static gboolean
refuse_findings (HybModel *model, GError **error)
{
  GPtrArray        *findings = hyb_model_get_findings (model);
  const HybFinding *first = NULL;
  g_autofree char  *where = NULL, *more = NULL;
  guint             n = 0;

  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];

      if (finding->severity != HYB_SEVERITY_ERROR)
        continue;
      if (!first)
        first = finding;
      n++;
    }
  if (!first)
    return TRUE;

  where = first->line > 0 ? g_strdup_printf ("%s:%u", first->file, first->line)
                          : g_strdup (first->file);
  if (n > 1)
    more = g_strdup_printf (" (and %u more: hscope check lists them)", n - 1);
  return hyb_error_at (error,
                       HYB_FORMAT_ERROR,
                       HYB_FORMAT_ERROR_MALFORMED,
                       where,
                       first->hint,
                       "%s%s",
                       first->message,
                       more ? more : "");
}

HybModel *
hyb_model_open (const char *file, const char *params, gint64 epoch, GError **error)
{
  g_autoptr (HybModel) model = hyb_model_new ();

  if (!read_graph (model, file, error) || !refuse_findings (model, error) ||
      !add_weights (model, file, params, epoch, error) || !refuse_findings (model, error))
    return NULL;

  hyb_model_match_parameters (model);
  return g_steal_pointer (&model);
}

HybModel *
hyb_model_open_tolerant (const char *file, const char *params, gint64 epoch, GError **error)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GError) own = NULL;

  if (!read_graph (model, file, &own) && hyb_model_get_findings (model)->len == 0)
    {
      g_propagate_error (error, g_steal_pointer (&own));
      return NULL;
    }

  g_clear_error (&own);
  if (!add_weights (model, file, params, epoch, &own) && own->domain != HYB_FORMAT_ERROR)
    {
      g_propagate_error (error, g_steal_pointer (&own));
      return NULL;
    }

  if (hyb_model_get_graph (model))
    hyb_model_match_parameters (model);
  return g_steal_pointer (&model);
}

gboolean
hyb_model_save (HybModel   *model,
                const char *prefix,
                guint       epoch,
                GPtrArray  *written,
                GError    **error)
{
  g_autofree char *symbol = g_strconcat (prefix, "-symbol.json", NULL);
  g_autofree char *params = g_strdup_printf ("%s-%04u.params", prefix, epoch);
  g_autoptr (HybTensorList) list = hyb_model_list_parameters (model);

  if (!hyb_symbol_write_file (hyb_model_get_graph (model), symbol, error) ||
      !hyb_weights_write_file (list, params, error))
    return FALSE;

  if (written)
    {
      g_ptr_array_add (written, g_steal_pointer (&symbol));
      g_ptr_array_add (written, g_steal_pointer (&params));
    }
  return TRUE;
}
