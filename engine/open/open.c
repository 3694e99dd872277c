/* open.c — opens a model: a graph, its parameters, and both matched to each other.
 *
 * A model comes from a symbol file with parameters beside it, or from a plug-in.  Start
 * with hyb_model_open().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/open/open.h"

#include "engine/block/plugin.h"
#include "engine/doctor/match-parameters.h"
#include "engine/formats/file.h"
#include "engine/formats/format.h"
#include "engine/formats/model-weights.h"
#include "engine/formats/mxnet-symbol.h"

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
