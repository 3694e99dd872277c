/* common.c — opening what the user names, and speaking on stderr.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/common.h"

#include "app/command/crash.h"
#include "app/command/describe.h"
#include "engine/base/error.h"
#include "engine/block/plugin.h"
#include "engine/formats/file.h"
#include "engine/formats/format.h"
#include "engine/formats/mxnet-symbol.h"
#include "engine/op/suggest.h"
#include "engine/open/open.h"
#include "profiler/capture/capture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

G_DEFINE_QUARK (scope - error - quark, scope_error)

ScopeExit
scope_exit_of_error (const GError *error)
{
  if (error->domain == G_OPTION_ERROR || g_error_matches (error, SCOPE_ERROR, SCOPE_ERROR_USAGE))
    return SCOPE_EXIT_USAGE;
  if (error->domain == G_FILE_ERROR || error->domain == G_IO_ERROR ||
      error->domain == HYB_FORMAT_ERROR || error->domain == PROF_ERROR)
    return SCOPE_EXIT_FILE;

  return SCOPE_EXIT_MODEL;
}

static gboolean
use_colour (void)
{
  const char *no_colour = g_getenv ("NO_COLOR");

  return isatty (STDERR_FILENO) && (!no_colour || !*no_colour);
}

void
scope_say (HybSeverity severity, const char *format, ...)
{
  static const char *const colours[] = {
    [HYB_SEVERITY_NOTE] = "\033[36m",
    [HYB_SEVERITY_WARNING] = "\033[33m",
    [HYB_SEVERITY_ERROR] = "\033[31m",
  };
  g_autofree char *text = NULL;
  va_list          list;

  va_start (list, format);
  text = g_strdup_vprintf (format, list);
  va_end (list);
  if (use_colour ())
    fprintf (stderr, "%s%s:\033[0m %s\n", colours[severity], hyb_severity_name (severity), text);
  else
    fprintf (stderr, "%s: %s\n", hyb_severity_name (severity), text);
}

void
scope_say_findings (HybModel *model, HybSeverity least)
{
  GPtrArray *findings = hyb_model_get_findings (model);

  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];
      g_autofree char  *line = NULL, *hint = scope_tell_hint (finding);

      if (finding->severity < least)
        continue;
      line = finding->line > 0 ? g_strdup_printf (":%u", finding->line) : g_strdup ("");
      scope_say (finding->severity,
                 "%s%s%s%s%s%s",
                 finding->file ? finding->file : "",
                 line,
                 finding->file ? ": " : "",
                 finding->message,
                 hint ? ". " : "",
                 hint ? hint : "");
    }
}

static const char *
params_of (const ScopeCommon *common, char **files)
{
  return common->params ? common->params : files[1];
}

/* Whose code runs from now on. */
static void
expect_plugin (const char *file)
{
  if (hyb_is_plugin_name (file))
    scope_blame (file);
}

static gboolean
is_capture (const char *file)
{
  guint8 head[8];
  FILE  *stream = g_file_test (file, G_FILE_TEST_IS_REGULAR) ? fopen (file, "rbe") : NULL;
  gsize  n = stream ? fread (head, 1, sizeof head, stream) : 0;

  if (stream)
    fclose (stream);
  return prof_capture_sniff (head, n);
}

/* A capture holds the graph of its model, but no parameters. */
static HybModel *
open_capture (const char *file, GError **error)
{
  g_autoptr (ProfCapture) capture = prof_capture_open (file, error);
  g_autoptr (GBytes) symbol = capture ? prof_capture_dup_symbol (capture, error) : NULL;
  g_autoptr (HybModel) model = hyb_model_new ();

  if (!symbol || !hyb_symbol_read (model, symbol, file, error))
    return NULL;
  hyb_model_set_file (model, file);
  return g_steal_pointer (&model);
}

HybModel *
scope_open_model (const ScopeCommon *common, char **files, GError **error)
{
  HybModel *model;

  if (is_capture (files[0]))
    return open_capture (files[0], error);
  expect_plugin (files[0]);
  model = hyb_model_open (files[0], params_of (common, files), common->epoch, error);

  if (model)
    scope_say_findings (model, HYB_SEVERITY_NOTE);
  return model;
}

HybModel *
scope_open_model_tolerant (const ScopeCommon *common, char **files, GError **error)
{
  if (is_capture (files[0]))
    return open_capture (files[0], error);
  expect_plugin (files[0]);
  return hyb_model_open_tolerant (files[0], params_of (common, files), common->epoch, error);
}

gboolean
scope_holds_weights (const char *file)
{
  /* A pipe can be read only once; it is taken for a graph. */
  g_autoptr (GBytes) bytes =
      g_file_test (file, G_FILE_TEST_IS_REGULAR) ? hyb_file_read (file, 0, NULL) : NULL;
  const HybFormat *format = bytes ? hyb_format_of_bytes (bytes) : NULL;

  return format && format->read_weights && !format->read_graph;
}

gboolean
scope_parse_shape (const char *text, char **name, HybShape *shape, GError **error)
{
  const char *equals = strrchr (text, '=');
  g_auto (GStrv) dims = NULL;

  if (!equals || equals == text)
    {
      g_set_error (error,
                   SCOPE_ERROR,
                   SCOPE_ERROR_USAGE,
                   "--shape %s: write it as NAME=1,3,224,224",
                   text);
      return FALSE;
    }

  *shape = (HybShape){ .rank = 0 };
  dims = g_strsplit_set (equals + 1, ",x", -1);
  for (guint i = 0; dims[i]; i++)
    {
      gint64 dim = HYB_UNKNOWN;
      char  *given = g_strstrip (g_strdelimit (dims[i], "()[]", ' '));

      if (!*given && !dims[i + 1]) /* “NAME=” has no dimensions, “NAME=3,” one */
        break;
      if ((strcmp (given, "?") != 0 &&
           !g_ascii_string_to_signed (given, 10, 0, (gint64) 1 << 48, &dim, NULL)) ||
          shape->rank == HYB_MAX_RANK)
        {
          g_set_error (error,
                       SCOPE_ERROR,
                       SCOPE_ERROR_USAGE,
                       "--shape %s: “%s” is no dimension",
                       text,
                       given);
          return FALSE;
        }
      shape->dim[shape->rank++] = dim;
    }

  *name = g_strndup (text, (gsize) (equals - text));
  return TRUE;
}

static gboolean
refuse_variable (HybGraph *graph, const char *name, GError **error)
{
  guint                   n;
  const HybNodeId        *arguments = hyb_graph_get_arguments (graph, &n);
  g_autofree const char **names = g_new (const char *, n + 1);
  const char             *near;

  for (guint i = 0; i < n; i++)
    names[i] = hyb_graph_get_node (graph, arguments[i])->name;
  near = hyb_suggest_name (names, n, name);
  g_set_error (error,
               SCOPE_ERROR,
               SCOPE_ERROR_USAGE,
               "--shape %s: the model has no such variable%s%s%s",
               name,
               near ? "; did you mean “" : ". hscope info lists them",
               near ? near : "",
               near ? "”?" : "");
  return FALSE;
}

gboolean
scope_fill_types (const ScopeCommon *common, HybModel *model, HybType *types, GError **error)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  HybDType         dtype = HYB_DTYPE_UNKNOWN;

  if (common->dtype && (dtype = hyb_dtype_from_name (common->dtype)) == HYB_DTYPE_UNKNOWN)
    {
      g_set_error (error,
                   SCOPE_ERROR,
                   SCOPE_ERROR_USAGE,
                   "--dtype %s: no element type is called so; float32 is one",
                   common->dtype);
      return FALSE;
    }

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybTensor     *tensor = hyb_model_get_parameter (model, node->name);

      const HybType *usual = hyb_model_get_input_type (model, node->name);

      if (tensor)
        types[node->first_output] = *hyb_tensor_get_type (tensor);
      /* One shape that is given may contradict what the others usually are. */
      else if (usual && (!common->shapes || !common->shapes[0]))
        types[node->first_output] = *usual;
    }

  for (guint i = 0; common->shapes && common->shapes[i]; i++)
    {
      g_autofree char *name = NULL;
      HybShape         shape;
      HybNodeId        id;
      HybValueId       value;

      if (!scope_parse_shape (common->shapes[i], &name, &shape, error))
        return FALSE;
      id = hyb_graph_find_variable (graph, name);
      if (id == HYB_NO_ID)
        return refuse_variable (graph, name, error);
      value = hyb_graph_get_node (graph, id)->first_output;
      types[value].shape = shape;
      if (types[value].dtype == HYB_DTYPE_UNKNOWN && hyb_model_get_input_type (model, name))
        types[value].dtype = hyb_model_get_input_type (model, name)->dtype;
      if (dtype != HYB_DTYPE_UNKNOWN && !hyb_model_get_parameter (model, name))
        types[value].dtype = dtype;
    }

  return TRUE;
}

gboolean
scope_check_device (const ScopeCommon *common, GError **error)
{
  return !common->device || strcmp (common->device, "cpu") == 0 ||
         hyb_error_at (error,
                       HYB_DEVICE_ERROR,
                       HYB_DEVICE_ERROR_ABSENT,
                       NULL,
                       "Use --device cpu",
                       "there is no device “%s” here",
                       common->device);
}
