/* attempts.c — a plug-in that tries what a plug-in in the sandbox must not do, and says what was refused.
 *
 * HYB_TEST_PLACE names a folder that is no output of the command.  Prints "NAME: done" or "NAME: refused" to
 * stderr while the model is built.  A call that would do harm is made with arguments that are invalid: it
 * counts as refused if the kernel refuses it before it looks at them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __NR_io_uring_setup
#define __NR_io_uring_setup 425
#endif

/* The path of a file in the folder.  (transfer full) */
static char *
place (const char *name)
{
  return g_build_filename (g_getenv ("HYB_TEST_PLACE"), name, NULL);
}

/* TRUE if the call was not refused; result: of a function that sets errno. */
static gboolean
is_done (long result)
{
  return result >= 0 || (errno != EPERM && errno != EACCES);
}

static gboolean
close_if_done (int file)
{
  gboolean done = is_done (file);

  if (file >= 0)
    close (file);
  return done;
}

/* --- Files --- */

static gboolean
try_new_file (void)
{
  g_autofree char *path = place ("new");

  return close_if_done (open (path, O_WRONLY | O_CREAT, 0600));
}

static gboolean
try_change (void)
{
  g_autofree char *path = place ("victim");

  return close_if_done (open (path, O_WRONLY | O_TRUNC));
}

static gboolean
try_truncate (void)
{
  g_autofree char *path = place ("victim");

  return is_done (truncate (path, 0));
}

static gboolean
try_mode (void)
{
  g_autofree char *path = place ("victim");
  int              file = open (path, O_RDONLY);
  gboolean         done = is_done (chmod (path, 0666)) || is_done (fchmod (file, 0666));

  close (file);
  return done;
}

static gboolean
try_rename (void)
{
  g_autofree char *path = place ("victim");
  g_autofree char *other = place ("other");
  gboolean         done = is_done (rename (path, other));

  if (done)
    rename (other, path);
  return done;
}

static gboolean
try_remove (void)
{
  g_autofree char *path = place ("second");

  return is_done (unlink (path));
}

static gboolean
try_folder (void)
{
  g_autofree char *path = place ("folder");

  return is_done (mkdir (path, 0700));
}

/* In another thread, which rules for one thread would not concern. */
static gpointer
write_in_thread (gpointer unused)
{
  g_autofree char *path = place ("thread");

  return GINT_TO_POINTER (close_if_done (open (path, O_WRONLY | O_CREAT, 0600)));
}

static gboolean
try_thread (void)
{
  return GPOINTER_TO_INT (g_thread_join (g_thread_new ("attempt", write_in_thread, NULL)));
}

/* --- Other processes and the kernel --- */

static gboolean
try_process (void)
{
  pid_t child = fork ();

  if (child == 0)
    _exit (0);
  if (child > 0)
    waitpid (child, NULL, 0);
  return is_done (child);
}

static gboolean
try_program (void)
{
  return is_done (execl ("/nowhere/program", "program", NULL));
}

static gboolean
try_internet (void)
{
  return close_if_done (socket (AF_INET, SOCK_STREAM, 0));
}

static gboolean
try_local_socket (void)
{
  return close_if_done (socket (AF_UNIX, SOCK_STREAM, 0));
}

static gboolean
try_signal (void)
{
  return is_done (kill (getppid (), SIGCONT));
}

static gboolean
try_trace (void)
{
  return is_done (ptrace (PTRACE_ATTACH, 0x7ffffff0, NULL, NULL));
}

static gboolean
try_mount (void)
{
  return is_done (syscall (__NR_mount, NULL, NULL, NULL, 0ul, NULL));
}

static gboolean
try_module (void)
{
  return is_done (syscall (__NR_init_module, NULL, 0ul, NULL));
}

static gboolean
try_bpf (void)
{
  return is_done (syscall (__NR_bpf, 0x7fff, NULL, 0u));
}

static gboolean
try_io_uring (void)
{
  return is_done (syscall (__NR_io_uring_setup, 0u, NULL));
}

static gboolean
try_keys (void)
{
  return is_done (syscall (__NR_keyctl, 0x7fff, 0ul, 0ul, 0ul, 0ul));
}

static gboolean
try_namespace (void)
{
  return is_done (syscall (__NR_unshare, 0x7)); /* no valid flags */
}

/* More than the machine has; only addresses, which are not touched. */
static gboolean
try_memory (void)
{
  gsize    bytes = (gsize) 1 << 42;
  gpointer got = mmap (NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (got != MAP_FAILED)
    munmap (got, bytes);
  return got != MAP_FAILED;
}

/* A thread without the filter; those of libraries are older than main(). */
static gboolean
try_unfiltered_thread (void)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  const char *task;
  gboolean    found = FALSE;

  while ((task = g_dir_read_name (tasks)))
    {
      g_autofree char *path = g_build_filename ("/proc/self/task", task, "status", NULL);
      g_autofree char *text = NULL;

      found |= g_file_get_contents (path, &text, NULL, NULL) && !strstr (text, "Seccomp:\t2");
    }
  return found;
}

/* A request that no device knows. */
static gboolean
try_control (void)
{
  return is_done (ioctl (STDIN_FILENO, 0x46ff, NULL));
}

static const struct
{
  const char *name;
  gboolean (*try) (void);
} attempts[] = {
  { "file", try_new_file },     { "change", try_change },
  { "truncate", try_truncate }, { "mode", try_mode },
  { "rename", try_rename },     { "remove", try_remove },
  { "folder", try_folder },     { "thread", try_thread },
  { "process", try_process },   { "program", try_program },
  { "internet", try_internet }, { "local-socket", try_local_socket },
  { "signal", try_signal },     { "trace", try_trace },
  { "mount", try_mount },       { "module", try_module },
  { "bpf", try_bpf },           { "io-uring", try_io_uring },
  { "keys", try_keys },         { "namespace", try_namespace },
  { "memory", try_memory },     { "unfiltered-thread", try_unfiltered_thread },
  { "control", try_control },
};

static HybBlock *
build_attempts (gconstpointer options)
{
  for (guint i = 0; i < G_N_ELEMENTS (attempts); i++)
    {
      gboolean done = attempts[i].try ();

      fprintf (stderr, "%s: %s\n", attempts[i].name, done ? "done" : "refused");
    }
  return hyb_dense (.units = 3);
}

static HybBlock *
build_endless (gconstpointer options)
{
  for (;;)
    ;
  return NULL;
}

static const HybModelClass trying = {
  .name = "trying",
  .doc = "Tries what it must not do",
  .inputs = "float32(2, 4)",
  .build = build_attempts,
};
static const HybModelClass endless = {
  .name = "endless",
  .doc = "Computes for ever",
  .inputs = "float32(2, 4)",
  .build = build_endless,
};

HYB_PLUGIN (&trying, &endless);
