/* run-options.c — keeps run options and writes them as arguments of hscope.
 *
 * Options with their default value are left out of the command, so that the log stays short.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/run-options.h"

#include "app/process/child.h"
#include "app/process/limits.h"
#include "app/session/settings.h"

ScopeRunOptions *
scope_run_options_load (void)
{
  ScopeRunOptions *options = g_new0 (ScopeRunOptions, 1);

  options->device = scope_settings_get_text ("run-device", "cpu");
  options->mode = scope_settings_get_text ("run-mode", "static");
  options->init = scope_settings_get_text ("run-init", "uniform");
  options->input = scope_settings_get_text ("run-input", "");
  options->launcher = scope_settings_get_text ("run-launcher", "");
  options->target = scope_settings_get_text ("run-target", "");
  options->threads = scope_settings_get_int ("run-threads", 0);
  options->seconds = scope_settings_get_int ("run-seconds", 20);
  options->patience = scope_settings_get_int ("run-patience", SCOPE_RUN_PATIENCE);
  options->train = scope_settings_get_flag ("run-train", FALSE);
  options->backward = scope_settings_get_flag ("run-backward", FALSE);
  options->fold = scope_settings_get_flag ("run-fold", FALSE);
  return options;
}

void
scope_run_options_save (const ScopeRunOptions *options)
{
  scope_settings_set_text ("run-device", options->device);
  scope_settings_set_text ("run-mode", options->mode);
  scope_settings_set_text ("run-init", options->init);
  scope_settings_set_text ("run-input", options->input);
  scope_settings_set_text ("run-launcher", options->launcher);
  scope_settings_set_text ("run-target", options->target);
  scope_settings_set_int ("run-threads", options->threads);
  scope_settings_set_int ("run-seconds", options->seconds);
  scope_settings_set_flag ("run-train", options->train);
  scope_settings_set_flag ("run-backward", options->backward);
  scope_settings_set_flag ("run-fold", options->fold);
}

ScopeRunOptions *
scope_run_options_copy (const ScopeRunOptions *options)
{
  ScopeRunOptions *copy = g_memdup2 (options, sizeof (ScopeRunOptions));

  copy->device = g_strdup (options->device);
  copy->mode = g_strdup (options->mode);
  copy->init = g_strdup (options->init);
  copy->input = g_strdup (options->input);
  copy->launcher = g_strdup (options->launcher);
  copy->target = g_strdup (options->target);
  return copy;
}

void
scope_run_options_free (ScopeRunOptions *options)
{
  g_free (options->device);
  g_free (options->mode);
  g_free (options->init);
  g_free (options->input);
  g_free (options->launcher);
  g_free (options->target);
  g_free (options);
}

static gboolean
is_given (const char *text)
{
  return text && *text != '\0';
}

gboolean
scope_run_options_are_remote (const ScopeRunOptions *options)
{
  return is_given (options->launcher) || is_given (options->target);
}

static void
add (GPtrArray *argv, const char *name, const char *value)
{
  if (!value || *value == '\0')
    return;
  g_ptr_array_add (argv, g_strdup (name));
  g_ptr_array_add (argv, g_strdup (value));
}

static void
add_shapes (GPtrArray *argv, const char *const *shapes)
{
  for (guint i = 0; shapes && shapes[i]; i++)
    add (argv, "--shape", shapes[i]);
}

gboolean
scope_run_options_may_fold (const char *mode, gboolean trains)
{
  return !trains && g_strcmp0 (mode, "imperative") != 0;
}

char **
scope_run_options_command (const ScopeRunOptions *options,
                           const char            *program,
                           const ScopeRunModel   *model,
                           const char            *capture,
                           GError               **error)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) launcher = NULL;
  g_autofree char *threads = g_strdup_printf ("%d", options->threads);
  g_autofree char *seconds = g_strdup_printf ("%d", MAX (options->seconds, 1));

  if (is_given (options->launcher) && !is_given (options->target) &&
      !g_shell_parse_argv (options->launcher, NULL, &launcher, error))
    return NULL;
  for (guint i = 0; launcher && launcher[i]; i++)
    g_ptr_array_add (argv, g_strdup (launcher[i]));
  g_ptr_array_add (argv, g_strdup (program));
  /* A program on another machine may be an older one. */
  if (!launcher || !launcher[0])
    g_ptr_array_add (argv, g_strdup (SCOPE_CHILD_SANDBOX));
  g_ptr_array_add (argv, g_strdup ("profile"));
  g_ptr_array_add (argv, g_strdup (model->name));
  add (argv, "--params", model->params);
  add (argv, "--capture", capture);
  add (argv, "--target", options->target);
  add (argv, "--progress", "json");
  add (argv, "--time-limit", seconds);
  add (argv, "--mode", options->mode);
  add (argv, "--init", options->init);
  add (argv, "--input", options->input);
  if (g_strcmp0 (options->device, "cpu") != 0)
    add (argv, "--device", options->device);
  if (options->threads > 0)
    add (argv, "--threads", threads);
  /* An older program on another machine records only its own members. */
  if (model->fills && (!launcher || !launcher[0]))
    g_ptr_array_add (argv, g_strdup ("--random-values"));
  if (options->train)
    g_ptr_array_add (argv, g_strdup ("--train"));
  if (options->backward)
    g_ptr_array_add (argv, g_strdup ("--backward"));
  if (options->fold &&
      scope_run_options_may_fold (options->mode, options->train || options->backward))
    g_ptr_array_add (argv, g_strdup ("--fold-parameters"));
  add_shapes (argv, model->shapes);
  if (!launcher || !launcher[0])
    scope_limits_add_options (argv);
  g_ptr_array_add (argv, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&argv), FALSE);
}

char **
scope_run_options_values (const ScopeRunOptions *options, const ScopeRunModel *model)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *seconds = g_strdup_printf ("%d", options->patience);

  if (scope_run_options_are_remote (options) || g_strcmp0 (options->device, "cpu") != 0)
    return NULL;
  g_ptr_array_add (argv, g_strdup ("run"));
  g_ptr_array_add (argv, g_strdup (model->name));
  g_ptr_array_add (argv, g_strdup ("--json"));
  g_ptr_array_add (argv, g_strdup ("--values"));
  add (argv, "--params", model->params);
  add (argv, "--init", options->init);
  if (options->patience > 0)
    add (argv, "--time-limit", seconds);
  add (argv, "--input", options->input);
  if (options->train)
    g_ptr_array_add (argv, g_strdup ("--train"));
  add_shapes (argv, model->shapes);
  g_ptr_array_add (argv, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&argv), FALSE);
}
