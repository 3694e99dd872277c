/* resources.c — limits of memory and processor time for the whole process, and its capabilities.
 *
 * RLIMIT_DATA counts memory that a process can fill with its own data, whereas RLIMIT_AS would also count
 * reserved memory and mapped files.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sandbox/resources.h"

#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The program with its libraries; and for each processor a thread with a stack, a heap and OpenBLAS's buffer of
 * 128 MiB. */
#define PROGRAM_BYTES ((guint64) 1 << 30)
#define THREAD_BYTES  ((guint64) 288 << 20)

/* The output when the time is used up, on stdout and on stderr. */
static char     document[256], message[256];
static gboolean has_json;
static int      exit_status;

gboolean
scope_resources_limit_memory (guint64 memory)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ /* sanitizers reserve terabytes */
  (void) memory;
  return TRUE;
#else
  guint64       own = PROGRAM_BYTES + g_get_num_processors () * THREAD_BYTES;
  rlim_t        bytes = memory < G_MAXINT64 - own ? (rlim_t) (memory + own) : G_MAXINT64;
  struct rlimit limit;

  if (getrlimit (RLIMIT_DATA, &limit) != 0)
    return FALSE;
  limit.rlim_max = MIN (limit.rlim_max, bytes);
  limit.rlim_cur = MIN (limit.rlim_cur, bytes);
  return setrlimit (RLIMIT_DATA, &limit) == 0;
#endif
}

static gboolean
write_text (int to, const char *text)
{
  gsize length = 0;

  while (text[length] != '\0')
    length++;
  return write (to, text, length) >= 0;
}

static void
on_time_used (int number G_GNUC_UNUSED)
{
  if (!write_text (STDOUT_FILENO, document) || !write_text (STDERR_FILENO, message))
    _exit (exit_status);
  _exit (exit_status);
}

void
scope_resources_set_json (void)
{
  has_json = TRUE;
}

gboolean
scope_resources_limit_time (guint64 seconds, int status)
{
  struct sigaction action = { .sa_handler = on_time_used };
  struct rlimit    limit;

  g_snprintf (message, sizeof message,
              "error: the process was stopped after %" G_GUINT64_FORMAT
              " seconds of processor time, the limit. Raise it with --limit-cpu\n",
              seconds);
  if (has_json)
    g_snprintf (document, sizeof document,
                "{\"error\": {\"message\": \"the process was stopped after %" G_GUINT64_FORMAT
                " seconds of processor time, the limit\", \"place\": {}, \"hint\": \"Raise it with "
                "--limit-cpu\"}}\n",
                seconds);
  exit_status = status;
  sigemptyset (&action.sa_mask);
  if (sigaction (SIGXCPU, &action, NULL) != 0 || getrlimit (RLIMIT_CPU, &limit) != 0)
    return FALSE;
  /* Code that blocks the signal is killed shortly after. */
  limit.rlim_max = MIN (limit.rlim_max, (rlim_t) seconds + 2);
  limit.rlim_cur = MIN (limit.rlim_max, (rlim_t) seconds);
  return setrlimit (RLIMIT_CPU, &limit) == 0;
}

gboolean
scope_resources_drop_privileges (void)
{
  const guint32                   kept = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH;
  struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct   data[_LINUX_CAPABILITY_U32S_3];

  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall (__NR_capget, &header, data) != 0)
    return FALSE;
  for (guint i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
    {
      guint32 mask = i == 0 ? kept : 0;

      data[i].effective &= mask;
      data[i].permitted &= mask;
      data[i].inheritable = 0;
    }
  return syscall (__NR_capset, &header, data) == 0;
}
