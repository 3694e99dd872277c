/* sandbox.c — enters the sandbox in two stages, and says what of it is active.
 *
 * Rules for files apply to one thread and to what it starts, and libraries start threads before main().  So the
 * first stage gives up privileges, sets limits and rules for files, and executes the program again; the
 * second stage, found by a variable of the environment, filters the system calls of all threads.  Start at
 * scope_sandbox_enter().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sandbox/sandbox.h"

#include "app/sandbox/file-rules.h"
#include "app/sandbox/filter.h"
#include "app/sandbox/resources.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* What the first stage tells the second: for each part "+" and a text, or "-" and the reason, by line. */
#define STAGE_VARIABLE "HYBRIDSCOPE_SANDBOX_STAGE"

typedef enum
{
  PART_PRIVILEGES,
  PART_FILES,
  PART_MEMORY,
  PART_TIME,
  PART_CALLS,
  N_PARTS,
} Part;

static const char *const part_names[N_PARTS] = {
  [PART_PRIVILEGES] = "privileges", [PART_FILES] = "files",        [PART_MEMORY] = "memory",
  [PART_TIME] = "processor time",   [PART_CALLS] = "system calls",
};

static char    *facts[N_PARTS]; /* what is active, or why it is not */
static gboolean is_active[N_PARTS];

/* Takes text. */
static void
set_part (Part part, gboolean active, char *text)
{
  g_free (facts[part]);
  facts[part] = text;
  is_active[part] = active;
}

#ifdef __SANITIZE_ADDRESS__
/* The sanitizer looks for leaks with ptrace(), which the filter refuses. */
int __lsan_is_turned_off (void) __attribute__ ((visibility ("default")));

int
__lsan_is_turned_off (void)
{
  return is_active[PART_CALLS];
}
#endif

/* --- The first stage --- */

/* The dynamic loader, which the kernel executes with every program; NULL: the program has none. */
static const char *
find_loader (void)
{
  Dl_info loader;
  gsize   base = (gsize) getauxval (AT_BASE);

  return base != 0 && dladdr (GSIZE_TO_POINTER (base), &loader) != 0 ? loader.dli_fname : NULL;
}

static void
apply_file_rules (const ScopeSandbox *sandbox)
{
  const char    *programs[4] = { "/proc/self/exe" };
  ScopeFileRules files = { sandbox->outputs, programs, sandbox->devices };
  guint          n = 1;
  char          *reason = NULL;
  int            version;

  if (find_loader ())
    programs[n++] = find_loader ();
  if (sandbox->program)
    programs[n++] = sandbox->program;
  version = scope_file_rules_apply (&files, &reason);
  set_part (PART_FILES,
            version > 0,
            version > 0 ? g_strdup_printf ("only the folders of outputs can be written (Landlock "
                                           "version %d)",
                                           version)
                        : reason);
}

static void
start_again (const ScopeSandbox *sandbox)
{
  g_autoptr (GString) stage = g_string_new (NULL);

  for (guint i = 0; i < N_PARTS; i++)
    if (facts[i])
      g_string_append_printf (stage, "%u%c%s\n", i, is_active[i] ? '+' : '-', facts[i]);
  g_setenv (STAGE_VARIABLE, stage->str, TRUE);
  execv ("/proc/self/exe", sandbox->argv);
  /* Threads of libraries stay outside of the rules for files. */
  set_part (PART_FILES,
            FALSE,
            g_strdup_printf ("the program cannot be started again: %s", g_strerror (errno)));
}

static void
enter_first_stage (const ScopeSandbox *sandbox)
{
  g_autofree char *memory = g_format_size_full (sandbox->memory, G_FORMAT_SIZE_IEC_UNITS);

  set_part (PART_PRIVILEGES,
            scope_resources_drop_privileges (),
            g_strdup ("none can be gained by executing a program"));
  if (!is_active[PART_PRIVILEGES])
    set_part (PART_PRIVILEGES, FALSE, g_strdup (g_strerror (errno)));
  set_part (PART_MEMORY,
            scope_resources_limit_memory (sandbox->memory),
            g_strdup_printf ("%s beyond the program itself", memory));
  set_part (PART_TIME,
            scope_resources_limit_time (sandbox->seconds, sandbox->status),
            g_strdup_printf ("%" G_GUINT64_FORMAT " seconds", sandbox->seconds));
  apply_file_rules (sandbox);
  start_again (sandbox);
}

/* --- The second stage --- */

static void
read_first_stage (const char *stage)
{
  g_auto (GStrv) lines = g_strsplit (stage, "\n", -1);

  for (guint i = 0; lines[i]; i++)
    if (lines[i][0] >= '0' && lines[i][0] < '0' + N_PARTS && lines[i][1] != '\0')
      set_part ((Part) (lines[i][0] - '0'), lines[i][1] == '+', g_strdup (lines[i] + 2));
}

static void
filter_calls (const ScopeSandbox *sandbox)
{
  char    *reason = NULL;
  gboolean done =
      scope_filter_install (sandbox->program != NULL, sandbox->devices != NULL, &reason);

  if (done)
    reason = g_strdup (sandbox->program ? "no network and no tracing; one program can be started"
                                        : "no programs, no network, no tracing");
  set_part (PART_CALLS, done, reason);
}

static gboolean
check_parts (GError **error)
{
  for (guint i = 0; i < N_PARTS; i++)
    if (!is_active[i])
      {
        g_set_error (error,
                     G_IO_ERROR,
                     G_IO_ERROR_NOT_SUPPORTED,
                     "the sandbox cannot protect %s: %s. --sandbox without “=strict” goes on with "
                     "the other protections",
                     part_names[i],
                     facts[i] ? facts[i] : "the limit cannot be set");
        return FALSE;
      }
  return TRUE;
}

gboolean
scope_sandbox_enter (const ScopeSandbox *sandbox, GError **error)
{
  const char *stage = g_getenv (STAGE_VARIABLE);

  if (sandbox->mode == SCOPE_SANDBOX_NONE)
    return TRUE;
  if (!stage)
    enter_first_stage (sandbox);
  else
    {
      read_first_stage (stage);
      g_unsetenv (STAGE_VARIABLE);
      scope_resources_limit_time (sandbox->seconds, sandbox->status);
    }
  filter_calls (sandbox);
  return sandbox->mode != SCOPE_SANDBOX_STRICT || check_parts (error);
}

char *
scope_sandbox_describe (void)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < N_PARTS; i++)
    g_string_append_printf (text,
                            "  %-15s %s%s\n",
                            part_names[i],
                            is_active[i] ? "" : "not protected: ",
                            facts[i] ? facts[i] : "not in the sandbox");
  return g_string_free (text, FALSE);
}
