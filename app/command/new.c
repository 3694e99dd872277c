/* new.c — hscope new and hscope trace: write models that are built by C code.
 *
 * hscope new writes a model of the gallery, hscope trace one of a plug-in.  Both write an MXNet
 * pair: PREFIX-symbol.json and PREFIX-0000.params.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/describe/describe.h"
#include "app/command/frame/command.h"
#include "app/command/frame/open-model.h"

#include "engine/block/plugin.h"
#include "engine/formats/model-files.h"
#include "engine/open/open.h"

#include <stdio.h>

typedef struct
{
  char    *output;
  gboolean list;
} NewOptions;

static void
list_json (GPtrArray *models)
{
  g_autoptr (ScopeJson) json = scope_json_new ();

  scope_json_begin_list (json, "models");
  for (guint i = 0; i < models->len; i++)
    {
      const HybModelClass *model = models->pdata[i];

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", model->name);
      scope_json_string (json, "doc", model->doc);
      scope_json_begin_list (json, "options");
      for (const HybParam *option = model->options; option && option->name; option++)
        {
          scope_json_begin_object (json, NULL);
          scope_json_string (json, "name", option->name);
          scope_json_string (json, "default", option->fallback);
          scope_json_string (json, "doc", option->doc);
          scope_json_end (json);
        }
      scope_json_end (json);
      scope_json_end (json);
    }
  scope_json_end (json);
  scope_json_print (json);
}

static void
list_text (GPtrArray *models)
{
  for (guint i = 0; i < models->len; i++)
    {
      const HybModelClass *model = models->pdata[i];

      printf ("%-14s %s\n", model->name, model->doc);
      for (const HybParam *option = model->options; option && option->name; option++)
        printf ("%14s   %s=%s  %s\n", "", option->name, option->fallback, option->doc);
    }
  printf ("\nOptions follow the name: hscope new 'lstm-lm?hidden=512&length=35' --output lm\n");
}

static int
list_models (const ScopeCommonOptions *common)
{
  g_autoptr (GPtrArray) models = hyb_gallery_list ();

  if (common->json)
    list_json (models);
  else
    list_text (models);
  return SCOPE_EXIT_DONE;
}

/* Writes the model as a pair of files and lists them. */
static int
write_model (const ScopeCommonOptions *common, const char *name, const char *prefix, GError **error)
{
  char              *files[] = { (char *) name, NULL, NULL };
  ScopeCommonOptions opening = *common;
  g_autoptr (HybModel) model = NULL;
  g_autoptr (GPtrArray) written = g_ptr_array_new_with_free_func (g_free);
  guint n_nodes;

  opening.epoch = HYB_EPOCH_HIGHEST; /* the command has no --epoch */
  model = scope_open_model (&opening, files, error);
  if (!model || !hyb_model_save (model, prefix, 0, written, error))
    return SCOPE_EXIT_FAILED;
  n_nodes = hyb_graph_n_nodes (hyb_model_get_graph (model));
  if (common->json)
    {
      g_autoptr (ScopeJson) json = scope_json_new ();

      scope_describe_strings (json, "written", written);
      scope_json_int (json, "nodes", n_nodes);
      scope_json_print (json);
      return SCOPE_EXIT_DONE;
    }
  scope_print_all_written (written);
  printf ("%u node%s\n", n_nodes, n_nodes == 1 ? "" : "s");
  return SCOPE_EXIT_DONE;
}

static int
run_new (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const NewOptions *options = data;
  g_autofree char  *name = NULL;

  if (options->list)
    return list_models (common);
  if (files[0] && options->output)
    {
      name = g_str_has_prefix (files[0], "gallery:") ? g_strdup (files[0])
                                                     : g_strconcat ("gallery:", files[0], NULL);
      return write_model (common, name, options->output, error);
    }

  if (files[0])
    scope_usage_error (error,
                       "hscope new needs --output PREFIX: hscope new %s --output net writes "
                       "net-symbol.json and net-0000.params",
                       files[0]);
  else
    scope_usage_error (error, "hscope new takes the name of a model and --output PREFIX; hscope "
                              "new --list shows the names");
  return SCOPE_EXIT_FAILED;
}

static int
run_trace (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const NewOptions *options = data;

  if (!options->output || !hyb_is_plugin_name (files[0]))
    {
      scope_usage_error (error, "hscope trace takes a plug-in, FILE.so[:MODEL][?option=value&…], "
                                "and --output PREFIX");
      return SCOPE_EXIT_FAILED;
    }
  return write_model (common, files[0], options->output, error);
}

static const GOptionEntry new_options[] = {
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, SCOPE_OPTION_FIELD (NewOptions, output),
    "Write PREFIX-symbol.json and PREFIX-0000.params", "PREFIX" },
  { SCOPE_OPTION (NewOptions, NONE, "list", list), "List the gallery models and their options",
    NULL },
  { NULL },
};

static const GOptionEntry trace_options[] = {
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, SCOPE_OPTION_FIELD (NewOptions, output),
    "Write PREFIX-symbol.json and PREFIX-0000.params", "PREFIX" },
  { NULL },
};

static const char *const examples[] = {
  "hscope new --list",
  "hscope new lstm-hybrid?hidden=64 --output net",
  NULL,
};

static const ScopeOutput outputs[] = {
  { "output", NULL },
  { 0 },
};

const ScopeCommand scope_command_new = {
  .name = "new",
  .arguments = "NAME[?option=value&…]",
  .summary = "Write a gallery model as a symbol file and a parameter file",
  .n_files = { 0, 1 },
  .examples = examples,
  .outputs = outputs,
  .options = new_options,
  .options_size = sizeof (NewOptions),
  .run = run_new,
};

static const char *const trace_examples[] = {
  "hscope trace PLUGIN.so --output net",
  "hscope trace PLUGIN.so:MODEL --output net",
  NULL,
};

const ScopeCommand scope_command_trace = {
  .name = "trace",
  .arguments = "PLUGIN.so[:MODEL]",
  .summary = "Trace a model written in C into a symbol file and a parameter file",
  .n_files = { 1, 1 },
  .option_groups = SCOPE_OPTIONS_MODEL,
  .unused_options = "params epoch",
  .examples = trace_examples,
  .outputs = outputs,
  .options = trace_options,
  .options_size = sizeof (NewOptions),
  .run = run_trace,
};
