/* targets.c — hscope targets: lists machines that runs may be sent to, checks one, and installs hscope there.
 *
 * An action is a row of the table; start at run_targets().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/command.h"
#include "app/command/frame/json-writer.h"
#include "app/command/targets/far-side.h"
#include "app/command/targets/remote-run.h"
#include "app/command/targets/target-check.h"
#include "app/command/targets/target-install.h"

#include <stdio.h>
#include <string.h>

typedef struct
{
  char *bundle, *to;
} TargetsOptions;

/* --- The list --- */

static void
describe_target (ScopeJson *json, const ScopeTarget *target)
{
  scope_json_begin_object (json, NULL);
  scope_json_string (json, "name", target->name);
  scope_json_string (json, "launcher", target->launcher);
  scope_json_string (json, "program", target->program);
  scope_json_string (json, "folder", target->folder);
  scope_json_end (json);
}

static void
print_json (const char *path, const GPtrArray *targets)
{
  static const ScopeTarget local = { .name = (char *) SCOPE_TARGET_LOCAL };
  g_autoptr (ScopeJson) json = scope_json_new ();

  scope_json_string (json, "file", path);
  scope_json_begin_list (json, "targets");
  describe_target (json, &local);
  for (guint i = 0; i < targets->len; i++)
    describe_target (json, targets->pdata[i]);
  scope_json_end (json);
  scope_json_print (json);
}

static void
print_text (const char *path, const GPtrArray *targets)
{
  printf ("%-16s this machine\n", SCOPE_TARGET_LOCAL);
  for (guint i = 0; i < targets->len; i++)
    {
      const ScopeTarget *target = targets->pdata[i];

      printf ("%-16s %s %s%s%s\n", target->name, target->launcher, target->program,
              target->folder ? ", files in " : "", target->folder ? target->folder : "");
    }
  printf ("%u in %s\n", targets->len, path);
}

static int
list (const ScopeCommonOptions *common, GError **error)
{
  g_autoptr (GPtrArray) targets = scope_targets_read (error);
  g_autofree char *path = scope_targets_dup_path ();

  if (!targets)
    return SCOPE_EXIT_FAILED;
  if (common->json)
    print_json (path, targets);
  else
    print_text (path, targets);
  return SCOPE_EXIT_DONE;
}

/* --- Actions --- */

static int
check (const ScopeCommonOptions    *common,
       const TargetsOptions *unused G_GNUC_UNUSED,
       const char                  *name,
       GError                     **error)
{
  g_autoptr (ScopeTarget) target = scope_find_target ("", name, error);

  return target ? scope_target_check (common, target) : SCOPE_EXIT_FAILED;
}

static int
install (const ScopeCommonOptions *common,
         const TargetsOptions     *options,
         const char               *name,
         GError                  **error)
{
  g_autoptr (ScopeTarget) target = scope_find_target ("", name, error);

  return target ? scope_target_install (common, target, options->bundle, options->to, error)
                : SCOPE_EXIT_FAILED;
}

static int
serve (const ScopeCommonOptions *common G_GNUC_UNUSED,
       const TargetsOptions *options    G_GNUC_UNUSED,
       const char *name                 G_GNUC_UNUSED,
       GError                         **error)
{
  return scope_far_side_run (error);
}

static const struct
{
  const char *name;
  gboolean    needs_target;
  int (*run) (const ScopeCommonOptions *common,
              const TargetsOptions     *options,
              const char               *name,
              GError                  **error);
} actions[] = {
  { "check", TRUE, check },
  { "install", TRUE, install },
  { "serve", FALSE, serve },
};

static int
run_targets (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  guint n = g_strv_length (files);

  if (n == 0)
    return list (common, error);
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    if (strcmp (files[0], actions[i].name) == 0 && (n == 2) == actions[i].needs_target)
      return actions[i].run (common, data, files[1], error);
  scope_usage_error (error,
                     "hscope targets %s: write hscope targets, hscope targets check NAME or hscope "
                     "targets install NAME",
                     files[0]);
  return SCOPE_EXIT_FAILED;
}

static const GOptionEntry targets_options[] = {
  { SCOPE_OPTION (TargetsOptions, FILENAME, "bundle", bundle),
    "With install: a tarball of hscope (default: the one that this program runs from)",
    "FILE.tar.xz" },
  { SCOPE_OPTION (TargetsOptions, STRING, "to", to),
    "With install: the folder on the target (default: ~/.local/lib/hybridscope)", "FOLDER" },
  { 0 },
};

static const char *const examples[] = {
  "hscope targets",
  "hscope targets --json",
  NULL,
};

const ScopeCommand scope_command_targets = {
  .name = "targets",
  .arguments = "[check|install NAME]",
  .summary = "List the machines that runs may be sent to, check one, and install hscope there",
  .notes = "The list is ~/.config/hybridscope/targets.ini, with a group for each target:\n"
           "  [gpu-box]\n"
           "  launcher = ssh gpu-box\n"
           "  program = /opt/hybridscope/bin/hscope\n"
           "  folder = /scratch/me\n"
           "The launcher is put before hscope and must pass on stdin and stdout, as ssh, srun, "
           "podman run -i\n"
           "and kubectl exec -i do. program (default: hscope) and folder (default: that for "
           "temporary files)\n"
           "are those of the target. hscope run, profile, compare, prove, train and sweep take "
           "--target NAME.\n",
  .n_files = { 0, 2 },
  .examples = examples,
  .options = targets_options,
  .options_size = sizeof (TargetsOptions),
  .starts_others = TRUE,
  .run = run_targets,
};
