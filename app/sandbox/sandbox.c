/* sandbox.c — enters the sandbox in two stages, and reports its active parts.
 *
 * Rules for files apply to one thread and to what it starts, and libraries start threads before main().  So the
 * first stage gives up privileges, sets limits and rules for files, and executes the program again; the
 * second stage filters the system calls of all threads.  A variable of the environment names the descriptor of what
 * the first stage has done; it is believed only if no one else can have written it, and if the kernel agrees.  Start
 * at scope_sandbox_enter().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sandbox/sandbox.h"

#include "app/sandbox/file-rules.h"
#include "app/sandbox/filter.h"
#include "app/sandbox/resources.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The descriptor of a sealed memory file, in which the first stage leaves results for the second: for each part "+" and a
 * text, or "-" and the reason, by line. */
#define STAGE_VARIABLE "HYBRIDSCOPE_SANDBOX_STAGE"
#define STAGE_NAME     "hscope-sandbox-stage"
#define STAGE_SEALS    (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)
#define MAX_STAGE      (1 << 16) /* bytes */

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

static char    *facts[N_PARTS]; /* the active parts, or why there are none */
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
  set_part (PART_FILES, version > 0,
            version > 0 ? g_strdup_printf ("only the folders of outputs can be written (Landlock "
                                           "version %d)",
                                           version)
                        : reason);
}

/* TRUE if keep_stage() made the file: it has no name in a file system, and its contents are sealed. */
static gboolean
is_stage (int file)
{
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", file);
  g_autofree char *name = g_file_read_link (link, NULL);

  return g_strcmp0 (name, "/memfd:" STAGE_NAME " (deleted)") == 0 &&
         (fcntl (file, F_GET_SEALS) & STAGE_SEALS) == STAGE_SEALS;
}

/* Keeps the text for the program that takes our place. */
static gboolean
keep_stage (const GString *stage)
{
  int              file = memfd_create (STAGE_NAME, MFD_ALLOW_SEALING);
  g_autofree char *number = g_strdup_printf ("%d", file);

  return file >= 0 && write (file, stage->str, stage->len) == (gssize) stage->len &&
         fcntl (file, F_ADD_SEALS, STAGE_SEALS) == 0 && is_stage (file) &&
         g_setenv (STAGE_VARIABLE, number, TRUE);
}

static void
start_again (const ScopeSandbox *sandbox)
{
  g_autoptr (GString) stage = g_string_new (NULL);

  for (guint i = 0; i < N_PARTS; i++)
    if (facts[i])
      g_string_append_printf (stage, "%u%c%s\n", i, is_active[i] ? '+' : '-', facts[i]);
  if (keep_stage (stage))
    execv ("/proc/self/exe", sandbox->argv);
  /* Threads of libraries stay outside of the rules for files. */
  set_part (PART_FILES, FALSE,
            g_strdup_printf ("the program cannot be started again: %s", g_strerror (errno)));
}

static void
enter_first_stage (const ScopeSandbox *sandbox)
{
  g_autofree char *memory = g_format_size_full (sandbox->memory, G_FORMAT_SIZE_IEC_UNITS);

  set_part (PART_PRIVILEGES, scope_resources_drop_privileges (),
            g_strdup ("none can be gained by executing a program"));
  if (!is_active[PART_PRIVILEGES])
    set_part (PART_PRIVILEGES, FALSE, g_strdup (g_strerror (errno)));
  set_part (PART_MEMORY, scope_resources_limit_memory (sandbox->memory),
            g_strdup_printf ("%s beyond the program itself", memory));
  set_part (PART_TIME, scope_resources_limit_time (sandbox->seconds, sandbox->status),
            g_strdup_printf ("%" G_GUINT64_FORMAT " seconds", sandbox->seconds));
  apply_file_rules (sandbox);
  start_again (sandbox);
}

/* --- The second stage --- */

/* Reads the text that the first stage left, and closes its file; NULL if number is not such a file.  (transfer full) */
static char *
take_stage (const char *number)
{
  guint64          file;
  g_autofree char *text = NULL;
  gssize           n;

  if (!g_ascii_string_to_unsigned (number, 10, 3, G_MAXINT, &file, NULL) || !is_stage ((int) file))
    return NULL;
  text = g_malloc0 (MAX_STAGE);
  n = pread ((int) file, text, MAX_STAGE - 1, 0);
  close ((int) file);
  return n > 0 ? g_steal_pointer (&text) : NULL;
}

/* TRUE if rules for files are in force: they refuse writing the process's own name, which is
 * allowed without them. */
static gboolean
refuses_files (void)
{
  int file = open ("/proc/self/comm", O_WRONLY | O_CLOEXEC);

  if (file >= 0)
    close (file);
  return file < 0 && errno == EACCES;
}

/* A part counts as active only if the kernel confirms it. */
static void
confirm_parts (void)
{
  if (prctl (PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
    set_part (PART_PRIVILEGES, FALSE, g_strdup ("the kernel does not know of it"));
  if (is_active[PART_FILES] && !refuses_files ())
    set_part (PART_FILES, FALSE, g_strdup ("the kernel does not refuse to write other files"));
}

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
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                     "the sandbox cannot protect %s: %s. --sandbox without “=strict” goes on with "
                     "the other protections",
                     part_names[i], facts[i] ? facts[i] : "the limit cannot be set");
        return FALSE;
      }
  return TRUE;
}

static gboolean
check_outputs (const ScopeSandbox *sandbox, GError **error)
{
  const char *stray = scope_file_rules_find_stray (sandbox->outputs);

  if (stray)
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_LOOP,
                 "%s: this is a link out of its folder, which a sandbox does not follow. Name the "
                 "file that is to be written, or remove the link",
                 stray);
  return !stray;
}

gboolean
scope_sandbox_enter (const ScopeSandbox *sandbox, GError **error)
{
  const char      *number = g_getenv (STAGE_VARIABLE);
  g_autofree char *stage = NULL;

  if (sandbox->mode == SCOPE_SANDBOX_NONE)
    return TRUE;
  if (!check_outputs (sandbox, error))
    return FALSE;
  stage = number ? take_stage (number) : NULL;
  g_unsetenv (STAGE_VARIABLE);
  if (!stage)
    enter_first_stage (sandbox);
  else
    {
      read_first_stage (stage);
      confirm_parts ();
      scope_resources_limit_time (sandbox->seconds, sandbox->status);
    }
  filter_calls (sandbox);
  return sandbox->mode != SCOPE_SANDBOX_STRICT || check_parts (error);
}

gboolean
scope_sandbox_allows_programs (void)
{
  return !is_active[PART_CALLS];
}

char *
scope_sandbox_describe (void)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < N_PARTS; i++)
    g_string_append_printf (text, "  %-15s %s%s\n", part_names[i],
                            is_active[i] ? "" : "not protected: ",
                            facts[i] ? facts[i] : "not in the sandbox");
  return g_string_free (text, FALSE);
}
