/* null-calls.c — calls every public function without what it needs, each in a process of its own.
 *
 * A call may return an error or print that an assertion failed; it may not end the process.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/null-calls.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_SECONDS 20

guint64 zeros[4096];
GError *error;

/* --- Objects --- */

HybF *
make_f (void)
{
  static HybF *f;

  if (!f)
    f = hyb_f_new (FALSE, 0);
  return f;
}

HybTensor *
make_tensor (void)
{
  return hyb_tensor_new_float (2, (const gint64[]){ 2, 3 }, NULL);
}

HybValue *
make_value (void)
{
  return hyb_value_from_tensor (make_f (), make_tensor ());
}

HybBlock *
make_block (void)
{
  HybBlock *block = hyb_dense (.units = 3, .in_units = 3);

  hyb_block_initialize (block, NULL, 0);
  return block;
}

HybBlock *
make_cell (void)
{
  return hyb_lstm_cell (.hidden = 4);
}

HybGraph *
make_graph (void)
{
  HybF     *f = hyb_f_new_trace (FALSE);
  HybValue *x = hyb_value_variable (f, "x", NULL);

  return hyb_f_finish (f, hyb_add (f, x, x), NULL);
}

HybGraph *
make_empty_graph (void)
{
  HybF *f = hyb_f_new_trace (FALSE);

  return hyb_f_finish (f, hyb_list (f, 0, NULL), NULL);
}

HybValue *
make_traced (void)
{
  return hyb_value_variable (hyb_f_new_trace (FALSE), "t", NULL);
}

HybTensor *
make_nothing (void)
{
  return hyb_tensor_new_float (1, (const gint64[]){ 0 }, NULL);
}

HybTensor *
make_integers (void)
{
  return hyb_tensor_convert (make_tensor (), HYB_I32);
}

HybModel *
make_model (void)
{
  HybModel *model = hyb_model_new ();

  hyb_model_set_graph (model, make_graph ());
  return model;
}

HybExecutor *
make_executor (void)
{
  return hyb_executor_new (make_graph (), NULL);
}

HybParameter *
make_parameter (void)
{
  return g_ptr_array_index (hyb_block_collect_parameters (make_block ()), 0);
}

/* --- Calls --- */

/* The status of a process that makes the call. */
static int
run (const NullCall *call)
{
  int   status;
  pid_t child;

  fflush (stdout);
  child = fork ();
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      int nothing = open ("/dev/null", O_RDWR | O_CLOEXEC);

      dup2 (nothing, STDOUT_FILENO);
      dup2 (nothing, STDERR_FILENO);
      alarm (MAX_SECONDS);
      call->call ();
      _exit (0);
    }
  waitpid (child, &status, 0);
  return status;
}

/* Files that calls write go into a folder of their own, which is the working folder until it is left.  (transfer full) */
static char *
enter_folder (void)
{
  char *folder = g_dir_make_tmp ("null-calls-XXXXXX", NULL);

  g_assert_true (folder && chdir (folder) == 0);
  return folder;
}

static void
remove_folder (const char *folder)
{
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);
  const char *name;

  while (directory && (name = g_dir_read_name (directory)))
    g_remove (name);
  g_assert_true (chdir ("/") == 0);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = enter_folder ();
  guint            n = 0, n_failed = 0;

  while (null_calls[n].function)
    n++;
  printf ("1..%u\n", n);
  for (guint i = 0; i < n; i++)
    {
      const NullCall *call = &null_calls[i];
      int             status;

      if (argc > 1 && strcmp (argv[1], call->function) != 0)
        continue;
      status = run (call);
      if (status != 0)
        n_failed++;
      printf ("%s %u %s given %s%s%s\n", status != 0 ? "not ok" : "ok", i + 1, call->function,
              call->given, status != 0 ? ": " : "",
              WIFSIGNALED (status) ? strsignal (WTERMSIG (status))
              : status != 0        ? "reported by a checker"
                                   : "");
    }
  remove_folder (folder);
  return n_failed > 0;
}
