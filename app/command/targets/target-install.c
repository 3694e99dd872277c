/* target-install.c — copies a bundle of hscope through the stdin of a launcher to tar on the target.
 *
 * Words behind the launcher are plain, because ssh lets a shell read them and others do not.  The bundle is unpacked beside its
 * place and tried before it takes the place.  Start at scope_target_install().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/target-install.h"

#include "app/command/frame/json-writer.h"
#include "app/command/frame/messages.h"
#include "app/command/frame/terminal.h"
#include "app/command/targets/launcher.h"

#include "engine/base/error.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_ANSWER ((gsize) 65536) /* bytes */
#define PIECE      65536
#define DEFAULT    ".local/lib/hybridscope" /* in the home folder */

typedef struct
{
  const ScopeTarget *target;
  char             **producer; /* a command here that prints the tar file */
  char              *place;    /* the folder there */
  char              *part;     /* where it is unpacked */
  char              *version;
} Install;

static gboolean
fail (const Install *install, GError **error, const char *what, const char *why)
{
  g_set_error (error, SCOPE_ERROR, SCOPE_ERROR_FAILED, "%s: %s: %s. Nothing was replaced",
               install->target->name, what, why);
  return FALSE;
}

/* --- Steps --- */

/* Starts the producer, whose stdout the launcher reads. */
static gboolean
start_producer (const Install *install, GPid *pid, int *from, GError **error)
{
  return g_spawn_async_with_pipes (NULL, install->producer, NULL,
                                   G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, pid,
                                   NULL, from, NULL, error);
}

/* Reads both streams of a step to their ends and prints stderr.  Returns stdout, (transfer full). */
static char *
read_answer (ScopeLauncher *launcher)
{
  g_autoptr (GString) answer = g_string_new (NULL);
  g_autofree char *piece = g_malloc (PIECE);

  while (launcher->out >= 0)
    {
      struct pollfd ready[] = { { .fd = launcher->out, .events = POLLIN },
                                { .fd = launcher->err, .events = POLLIN } };
      gsize         n;

      if (poll (ready, G_N_ELEMENTS (ready), -1) <= 0)
        continue;
      n = ready[0].revents != 0 ? scope_pipe_read (&launcher->out, piece, PIECE) : 0;
      if (answer->len + n <= MAX_ANSWER)
        g_string_append_len (answer, piece, (gssize) n);
      if (ready[1].revents != 0)
        scope_terminal_pass_on (piece, scope_pipe_read (&launcher->err, piece, PIECE));
    }
  return g_string_free (g_steal_pointer (&answer), FALSE);
}

/* Runs a command there; sends: with the bundle on its stdin.  Its output (transfer full); NULL and an error if it cannot be
 * run, or failed. */
static char *
run_step (const Install *install, const char *const *words, gboolean sends, GError **error)
{
  ScopeLauncher    launcher = SCOPE_LAUNCHER_NONE;
  g_autofree char *answer = NULL, *why = NULL;
  GPid             pid = 0;
  int              from = -1, status, end = 0;
  gboolean         is_started;

  if (sends && !start_producer (install, &pid, &from, error))
    return NULL;
  is_started = scope_launcher_start (&launcher, install->target, words, from, error);
  if (from >= 0)
    close (from);
  if (launcher.in >= 0)
    close (launcher.in);
  launcher.in = -1;
  if (is_started)
    {
      answer = read_answer (&launcher);
      why = scope_launcher_end (&launcher, &status);
    }
  if (pid > 0)
    waitpid (pid, &end, 0);
  if (!is_started)
    return NULL;
  if (status != 0)
    fail (install, error, words[0], why);
  else if (end != 0)
    fail (install, error, "the bundle", "it cannot be read here");
  else
    return g_steal_pointer (&answer);
  return NULL;
}

static gboolean
do_step (const Install *install, const char *const *words, GError **error)
{
  g_autofree char *answer = run_step (install, words, FALSE, error);

  return answer != NULL;
}

/* The last line that begins so.  (transfer full) */
static char *
find_line (const char *answer, const char *beginning)
{
  g_auto (GStrv) lines = g_strsplit (answer, "\n", -1);

  for (guint i = g_strv_length (lines); i-- > 0;)
    if (g_str_has_prefix (g_strstrip (lines[i]), beginning))
      return g_strdup (lines[i]);
  return NULL;
}

/* --- Bundle and destination --- */

/* The folder of the bundle that this program runs from; NULL: it does not.  (transfer full) */
static char *
find_own_bundle (void)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *bin = program ? g_path_get_dirname (program) : NULL;
  g_autofree char *root = bin ? g_path_get_dirname (bin) : NULL;
  g_autofree char *libraries =
      root ? g_build_filename (root, "lib", "hybridscope", "libraries", NULL) : NULL;

  return libraries && g_file_test (libraries, G_FILE_TEST_IS_DIR) ? g_steal_pointer (&root) : NULL;
}

static char **
make_words (const char *a, const char *b, const char *c)
{
  const char *const words[] = { a, b, c, NULL };

  return g_strdupv ((char **) words);
}

/* The command here that prints the bundle as a tar file with one folder. */
static gboolean
find_producer (Install *install, const char *bundle, GError **error)
{
  g_autofree char *root = bundle ? NULL : find_own_bundle ();

  if (root)
    {
      g_autofree char  *parent = g_path_get_dirname (root);
      g_autofree char  *base = g_path_get_basename (root);
      const char *const words[] = { "tar", "-c", "-f", "-", "-C", parent, "--", base, NULL };

      install->producer = g_strdupv ((char **) words);
    }
  else if (!bundle)
    return scope_usage_error (error,
                              "hscope targets install needs --bundle FILE.tar.xz: take the tarball "
                              "of a release, or make one with packaging/build-tarball.sh");
  else if (!g_file_test (bundle, G_FILE_TEST_IS_REGULAR))
    return hyb_error_at (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, bundle,
                         "packaging/build-tarball.sh makes one", "there is no such file");
  else if (g_str_has_suffix (bundle, ".xz"))
    install->producer = make_words ("xz", "-dc", bundle);
  else if (g_str_has_suffix (bundle, "gz"))
    install->producer = make_words ("gzip", "-dc", bundle);
  else
    install->producer = make_words ("cat", "--", bundle);
  return TRUE;
}

static gboolean
find_place (Install *install, const char *folder, GError **error)
{
  const char *const words[] = { "printenv", "HOME", NULL };
  g_autofree char  *answer = folder ? NULL : run_step (install, words, FALSE, error);
  g_autofree char  *home = answer ? find_line (answer, "/") : NULL;
  g_autofree char  *token = NULL;
  g_autoptr (ScopeTarget) checked = NULL;

  if (!folder && !answer)
    return FALSE;
  if (!folder && !home)
    return fail (install, error, "there is no home folder", "name one with --to FOLDER");
  install->place = folder ? g_strdup (folder) : g_build_filename (home, DEFAULT, NULL);
  token = g_uuid_string_random ();
  install->part = g_strdup_printf ("%s.part-%s", install->place, token);
  /* The rules for a folder of a target. */
  checked = *install->place == '/'
                ? scope_target_new (install->target->name, install->target->launcher, NULL,
                                    install->place, error)
                : NULL;
  if (!checked && *install->place != '/')
    scope_usage_error (error, "--to %s: the folder must be absolute", install->place);
  return checked != NULL;
}

/* --- The whole --- */

/* A folder that is there is replaced only if it holds hscope. */
static gboolean
check_place (const Install *install, GError **error)
{
  g_autofree char  *program = g_build_filename (install->place, "bin", "hscope", NULL);
  const char *const is_there[] = { "test", "-e", install->place, NULL };
  const char *const is_ours[] = { "test", "-x", program, NULL };

  if (!do_step (install, is_there, NULL) || do_step (install, is_ours, NULL))
    return TRUE;
  return fail (install, error, install->place,
               "the folder holds something else; choose another one with --to");
}

static gboolean
unpack (Install *install, GError **error)
{
  g_autofree char  *program = g_build_filename (install->part, "bin", "hscope", NULL);
  const char *const make[] = { "mkdir", "-p", install->part, NULL };
  const char *const take[] = {
    "tar", "-x", "-f", "-", "--no-same-owner", "--strip-components=1", "-C", install->part, NULL,
  };
  const char *const try[] = { program, "--version", NULL };
  g_autofree char  *taken = NULL, *answer = NULL;

  if (!do_step (install, make, error) || !(taken = run_step (install, take, TRUE, error)) ||
      !(answer = run_step (install, try, FALSE, error)))
    return FALSE;
  install->version = find_line (answer, "hscope ");
  return install->version ||
         fail (install, error, "the program that was copied", "it does not say its version");
}

/* Removes only files that this process has moved aside. */
static gboolean
replace (const Install *install, GError **error)
{
  g_autofree char  *old = g_strconcat (install->part, ".old", NULL);
  const char *const there[] = { "test", "-e", install->place, NULL };
  const char *const aside[] = { "mv", "-T", install->place, old, NULL };
  const char *const in[] = { "mv", "-T", install->part, install->place, NULL };
  const char *const clear[] = { "rm", "-rf", old, NULL };

  if (!do_step (install, there, NULL))
    return do_step (install, in, error);
  return do_step (install, aside, error) && do_step (install, in, error) &&
         do_step (install, clear, error);
}

static gboolean
install_bundle (Install *install, GError **error)
{
  const char *const words[] = { "rm", "-rf", install->part, NULL };

  if (!check_place (install, error))
    return FALSE;
  if (unpack (install, error) && replace (install, error))
    return TRUE;
  do_step (install, words, NULL);
  return FALSE;
}

static gboolean
note_program (const Install *install, GError **error)
{
  g_autofree char *program = g_build_filename (install->place, "bin", "hscope", NULL);
  g_autoptr (ScopeTarget) target =
      scope_target_new (install->target->name, install->target->launcher, program,
                        install->target->folder, error);

  return target && scope_targets_store (target, target->name, error);
}

static void
print_result (const ScopeCommonOptions *common, const Install *install)
{
  if (common->json)
    {
      g_autoptr (ScopeJson) json = scope_json_new ();

      scope_json_string (json, "target", install->target->name);
      scope_json_string (json, "folder", install->place);
      scope_json_string (json, "version", install->version);
      scope_json_print (json);
      return;
    }
  printf ("installed %s on %s in %s\n", install->version, install->target->name, install->place);
}

int
scope_target_install (const ScopeCommonOptions *common,
                      const ScopeTarget        *target,
                      const char               *bundle,
                      const char               *folder,
                      GError                  **error)
{
  Install  install = { .target = target };
  gboolean is_done = find_producer (&install, bundle, error) &&
                     find_place (&install, folder, error) && install_bundle (&install, error) &&
                     note_program (&install, error);

  if (is_done)
    print_result (common, &install);
  g_strfreev (install.producer);
  g_free (install.place);
  g_free (install.part);
  g_free (install.version);
  return is_done ? SCOPE_EXIT_DONE : SCOPE_EXIT_MODEL;
}
