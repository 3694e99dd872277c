/* enter-sandbox.c — the option --sandbox before a command: the command's outputs and limits.
 *
 * A command lists the options that name its outputs (ScopeCommand.outputs).  Start at
 * scope_enter_sandbox().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/enter-sandbox.h"

#include "app/command/frame/outputs.h"
#include "engine/base/limits.h"

#include <string.h>

#define OPTION          "--sandbox"
#define DEFAULT_SECONDS 3600 /* of each processor */

gboolean
scope_take_sandbox_option (char *const *argv, ScopeSandboxMode *mode, guint *skip, GError **error)
{
  *mode = SCOPE_SANDBOX_NONE;
  *skip = 0;
  if (!argv[0] || !argv[1] || !g_str_has_prefix (argv[1], OPTION))
    return TRUE;
  *skip = 1;
  if (strcmp (argv[1], OPTION) == 0)
    *mode = SCOPE_SANDBOX_AVAILABLE;
  else if (strcmp (argv[1], OPTION "=strict") == 0)
    *mode = SCOPE_SANDBOX_STRICT;
  if (*mode != SCOPE_SANDBOX_NONE)
    return TRUE;
  return scope_usage_error (error, "%s: write it as %s or %s=strict", argv[1], OPTION, OPTION);
}

/* --- GPUs --- */

static gboolean
uses_gpu (const ScopeSandboxedCall *call)
{
  const char *device = call->common ? call->common->device : NULL;

  return (device && g_str_has_prefix (device, "gpu")) ||
         (call->command &&
          (call->command->opens_gpus ||
           (call->command->needs_gpus && call->command->needs_gpus (call->options))));
}

/* Files that NVIDIA's driver opens. */
static GPtrArray *
list_devices (void)
{
  GPtrArray  *devices = g_ptr_array_new_with_free_func (g_free);
  GDir       *folder = g_dir_open ("/dev", 0, NULL);
  const char *name;

  while (folder && (name = g_dir_read_name (folder)))
    if (g_str_has_prefix (name, "nvidia"))
      g_ptr_array_add (devices, g_build_filename ("/dev", name, NULL));
  if (folder)
    g_dir_close (folder);
  g_ptr_array_add (devices, NULL);
  return devices;
}

/* The folders in which compiled kernels (engine/cuda/compile.c) and the results of a self-test
 * (selftest/verdict.c) are kept. */
static char *
dup_gpu_file (const char *folder)
{
  return g_build_filename (g_get_user_cache_dir (), "hybridscope", folder, "any", NULL);
}

/* --- Outputs --- */

static void
add_cache_file (GPtrArray *outputs, char *file_to_write /* (transfer full) */)
{
  g_autofree char *file = file_to_write;
  g_autofree char *folder = g_path_get_dirname (file);

  /* The folder must exist before the rules are made.  Without it nothing is stored. */
  if (g_mkdir_with_parents (folder, 0700) == 0)
    g_ptr_array_add (outputs, g_steal_pointer (&file));
}

/* A prefix also covers the two files of a model. */
static void
add_output (GPtrArray *outputs, const char *path)
{
  g_ptr_array_add (outputs, g_strdup (path));
  g_ptr_array_add (outputs, g_strconcat (path, "-symbol.json", NULL));
  g_ptr_array_add (outputs, g_strconcat (path, "-0000.params", NULL));
}

static GPtrArray *
list_outputs (const ScopeSandboxedCall *call)
{
  GPtrArray *outputs = g_ptr_array_new_with_free_func (g_free);
  guint      n_files = call->files ? g_strv_length ((char **) call->files) : 0;

  for (guint i = 0; call->command && call->command->outputs && call->command->outputs[i].option;
       i++)
    {
      const char *value =
          scope_output_get (call->command, call->options, call->command->outputs[i].option);

      if (value && strcmp (value, "-") != 0)
        add_output (outputs, value);
    }
  if (call->command && call->command->writes_last_file && n_files > 1)
    add_output (outputs, call->files[n_files - 1]);
  if (call->command && call->command->dup_cache_file)
    add_cache_file (outputs, call->command->dup_cache_file ());
  if (uses_gpu (call))
    {
      add_cache_file (outputs, dup_gpu_file ("kernels"));
      add_cache_file (outputs, dup_gpu_file ("selftest"));
    }
  g_ptr_array_add (outputs, NULL);
  return outputs;
}

gboolean
scope_enter_sandbox (const ScopeSandboxedCall *call, GError **error)
{
  const ScopeCommand *command = call->command;
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GPtrArray) devices = NULL;
  g_autofree char *program =
      command && command->dup_program ? command->dup_program (call->options) : NULL;
  guint64      seconds = call->common && call->common->limit_cpu > 0
                             ? (guint64) call->common->limit_cpu
                             : (guint64) DEFAULT_SECONDS * g_get_num_processors ();
  ScopeSandbox sandbox = { .mode = call->mode,
                           .argv = call->argv,
                           .program = program,
                           .memory = hyb_limits_get_run_memory (),
                           .seconds = seconds,
                           .status = SCOPE_EXIT_MODEL };

  if (call->mode == SCOPE_SANDBOX_NONE)
    return TRUE;
  outputs = list_outputs (call);
  sandbox.outputs = (const char *const *) outputs->pdata;
  if (uses_gpu (call))
    {
      devices = list_devices ();
      sandbox.devices = (const char *const *) devices->pdata;
    }
  return scope_sandbox_enter (&sandbox, error);
}
