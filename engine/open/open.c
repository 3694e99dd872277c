/* open.c — opens a model: reads its graph, reads its parameters, and matches both.
 *
 * A model comes from a graph file, whose format says where parameters are, or from a plug-in.
 * Start at hyb_model_open().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/open/open-private.h"

#include "engine/base/remedy.h"
#include "engine/base/translate.h"
#include "engine/block/plugin.h"
#include "engine/doctor/match-parameters.h"
#include "engine/formats/file.h"
#include "engine/formats/format.h"
#include "engine/formats/mapped-file.h"
#include "engine/formats/model-weights.h"
#include "engine/graph/roles.h"

/* On failure, a finding of the model says why as well. */
static gboolean
load_weights (HybModel *model, const char *path, GError **error)
{
  HybFinding *trouble = NULL;
  g_autoptr (HybTensorList) list = hyb_weights_read_file (path, &trouble, error);

  if (trouble)
    {
      hyb_model_add_finding (model, trouble);
      hyb_model_set_weights_file (model, path);
    }
  if (!list)
    return FALSE;

  hyb_model_take_weights (model, list, path);
  return TRUE;
}

/* The file that a model is opened from. */
typedef struct
{
  const char      *name;
  const char      *params; /* as given; may be NULL */
  gint64           epoch;
  const HybFormat *format; /* set by read_graph(); NULL for a plug-in, which has its weights */
  GBytes          *bytes;  /* likewise */
} Source;

/* Reads the parameter file that was given, or the one beside the graph file. */
static gboolean
read_params (HybModel *model, const Source *source, GError **error)
{
  g_autofree char *found = NULL;
  const char      *why = NULL;
  HybFinding      *note;

  if (source->params)
    return load_weights (model, source->params, error);
  if (!source->format || source->format->carries_params)
    return source->epoch < 0 ||
           hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, source->name, NULL,
                         "it has its parameters with it, and no epoch %" G_GINT64_FORMAT,
                         source->epoch);

  found = hyb_format_find_params (source->format, source->name, source->epoch, &why);
  if (!found && source->epoch < 0)
    return TRUE;
  if (!found)
    {
      hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, source->name, NULL,
                    "there are no parameters of epoch %" G_GINT64_FORMAT " beside it",
                    source->epoch);
      return hyb_error_add_remedy (error, HYB_REMEDY_PARAMETERS, NULL);
    }

  note = hyb_finding_new ("paired-file", HYB_SEVERITY_NOTE, _ ("these parameters are used: %s"),
                          _ (why));
  note->file = g_strdup (found);
  hyb_model_add_finding (model, note);
  return load_weights (model, found, error);
}

/* There is no such file: names the one that is there if only its ending was left out. */
static void
suggest_file (const char *name, GError **error)
{
  static const char *const endings[] = { "-symbol.json", ".onnx", ".pt2", ".json", ".hscope" };

  if (!error || !g_error_matches (*error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    {
      g_autofree char *path = g_strconcat (name, endings[i], NULL);
      char            *message = NULL;

      if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
        continue;
      message = g_strdup_printf ("%s; did you mean “%s”?", (*error)->message, path);
      g_free ((*error)->message);
      (*error)->message = message;
      return;
    }
}

static gboolean
read_graph (HybModel *model, Source *source, GError **error)
{
  if (hyb_is_plugin_name (source->name))
    return hyb_model_read_plugin (model, source->name, error);

  source->bytes = hyb_file_read (source->name, 0, error);
  if (!source->bytes)
    {
      suggest_file (source->name, error);
      return FALSE;
    }
  source->format = hyb_format_for_graph (hyb_format_of_bytes (source->bytes));
  hyb_model_set_file (model, source->name);
  return source->format->read_graph (model, source->bytes, source->name, error);
}

/* Fails with the first finding that is an error. */
static gboolean
refuse_findings (HybModel *model, GError **error)
{
  GPtrArray        *findings = hyb_model_get_findings (model);
  const HybFinding *first = NULL;
  g_autofree char  *where = NULL, *more = NULL;
  guint             n = 0;

  /* A graph of another format can still be viewed; planning refuses to run it. */
  if (hyb_model_get_graph (model) && hyb_graph_get_dialect (hyb_model_get_graph (model)))
    return TRUE;
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
  hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, where, first->hint, "%s%s",
                first->message, more ? more : "");
  return hyb_error_add_remedy (error, first->remedy, first->node);
}

static gboolean
open_strictly (HybModel *model, Source *source, GError **error)
{
  if (!read_graph (model, source, error) || !refuse_findings (model, error) ||
      !read_params (model, source, error) || !refuse_findings (model, error))
    return FALSE;

  hyb_model_match_parameters (model);
  return TRUE;
}

static gboolean
open_tolerantly (HybModel *model, Source *source, GError **error)
{
  g_autoptr (GError) failure = NULL;

  if (!read_graph (model, source, &failure) && hyb_model_get_findings (model)->len == 0)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }

  /* A broken parameter file is a finding already; one that cannot be read at all is not. */
  g_clear_error (&failure);
  if (!read_params (model, source, &failure) && failure->domain != HYB_FORMAT_ERROR)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }

  if (hyb_model_get_graph (model))
    hyb_model_match_parameters (model);
  return TRUE;
}

/* Opens the model with one of the functions above.  If a file was cut while it was read, this is reported
 * instead of errors in the bytes that were read. */
static HybModel *
open_source (Source *source,
             gboolean (*open) (HybModel *model, Source *source, GError **error),
             GError **error)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GError) failure = NULL;
  gboolean is_open = open (model, source, &failure);
  gboolean is_whole =
      (!source->bytes || hyb_mapped_file_check (g_bytes_get_data (source->bytes, NULL), error)) &&
      hyb_model_check_files (model, error);

  g_clear_pointer (&source->bytes, g_bytes_unref);
  if (!is_whole)
    return NULL;
  if (!is_open)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return NULL;
    }
  return g_steal_pointer (&model);
}

HybModel *
hyb_model_open_unmatched (const char *file, const char *params, gint64 epoch, GError **error)
{
  Source source = { .name = file, .params = params, .epoch = epoch };

  return open_source (&source, open_strictly, error);
}

/* Fails if the file of parameters that was given holds arrays, but none for a variable of the graph. */
static gboolean
refuse_strangers (HybModel *model, GError **error)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  guint            n, n_parameters = 0;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  if (hyb_graph_get_dialect (graph) || !hyb_model_get_weights_file (model) ||
      hyb_model_n_parameters (model) == 0)
    return TRUE;
  for (guint i = 0; i < n; i++)
    {
      if (hyb_model_get_parameter (model, hyb_graph_get_node (graph, variables[i])->name))
        return TRUE;
      n_parameters += hyb_graph_get_role (graph, variables[i], FALSE) == HYB_ROLE_PARAMETER;
    }
  if (n_parameters == 0)
    return TRUE;
  hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH,
                hyb_model_get_weights_file (model),
                _ ("Load the file that was exported with this graph"),
                _ ("none of its %u arrays is one of the graph’s %u parameters"),
                hyb_model_n_parameters (model), n_parameters);
  return hyb_error_add_remedy (error, HYB_REMEDY_PARAMETERS, NULL);
}

HybModel *
hyb_model_open (const char *file, const char *params, gint64 epoch, GError **error)
{
  g_autoptr (HybModel) model = NULL;

  g_return_val_if_fail (file, NULL);
  model = hyb_model_open_unmatched (file, params, epoch, error);
  if (!model || (params && !refuse_strangers (model, error)))
    return NULL;
  return g_steal_pointer (&model);
}

HybModel *
hyb_model_open_tolerant (const char *file, const char *params, gint64 epoch, GError **error)
{
  g_return_val_if_fail (file, NULL);

  Source source = { .name = file, .params = params, .epoch = epoch };

  return open_source (&source, open_tolerantly, error);
}
