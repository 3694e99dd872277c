/* filter.c — the filter of system calls, made and installed for all threads by libseccomp.
 *
 * A list of allowed calls, because a list of forbidden ones would miss calls of later kernels. Refused calls
 * fail with EPERM and do not end the process: libraries try calls that they can do without, and a message is
 * of more use than a signal.  Start at scope_filter_install().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sandbox/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif
#define NEW_NAMESPACES                                                                          \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | \
   CLONE_NEWNET)

static const int allowed[] = {
#define CALL(name) SCMP_SYS (name),
#include "app/sandbox/system-calls.h"
#undef CALL
};

/* More calls for programs that are started. */
static const int allowed_for_programs[] = {
  SCMP_SYS (execve), SCMP_SYS (kill),  SCMP_SYS (pidfd_open), SCMP_SYS (pidfd_send_signal),
  SCMP_SYS (tgkill), SCMP_SYS (chdir), SCMP_SYS (setsid),     SCMP_SYS (setpgid),
  SCMP_SYS (fork),   SCMP_SYS (vfork),
};

/* Values of one argument with which a call is allowed. */
typedef struct
{
  int     call;
  guint   argument;
  guint   n_values;
  guint32 values[20];
} Choice;

static const Choice choices[] = {
  { SCMP_SYS (ioctl), 1, 6, { TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX } },
  { SCMP_SYS (prctl),
    0,
    10,
    { PR_SET_NAME, PR_GET_NAME, PR_SET_PDEATHSIG, PR_GET_PDEATHSIG, PR_GET_DUMPABLE,
      PR_SET_DUMPABLE, PR_GET_NO_NEW_PRIVS, PR_GET_SECCOMP, PR_SET_TIMERSLACK, PR_SET_VMA } },
  /* Others would send signals to other processes. */
  { SCMP_SYS (fcntl),
    1,
    15,
    { F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW,
      F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_ADD_SEALS, F_GET_SEALS, F_GETPIPE_SZ } },
  { SCMP_SYS (prlimit64), 0, 1, { 0 } },
};

/* Each function below returns 0, or the first error of libseccomp as a negative number. */

static int
allow (scmp_filter_ctx filter, const int *calls, gsize n)
{
  int result = 0;

  for (gsize i = 0; i < n && result == 0; i++)
    result = seccomp_rule_add (filter, SCMP_ACT_ALLOW, calls[i], 0);
  return result;
}

/* Allows a call if the lower half of an argument is value under the mask: the checked numbers have 32
 * bits. */
static int
allow_if (scmp_filter_ctx filter, int call, guint argument, guint32 mask, guint32 value)
{
  struct scmp_arg_cmp comparison = SCMP_CMP32 (argument, SCMP_CMP_MASKED_EQ, mask, value);

  return seccomp_rule_add_array (filter, SCMP_ACT_ALLOW, call, 1, &comparison);
}

static int
allow_choice (scmp_filter_ctx filter, const Choice *choice)
{
  int result = 0;

  for (guint i = 0; i < choice->n_values && result == 0; i++)
    result = allow_if (filter, choice->call, choice->argument, G_MAXUINT32, choice->values[i]);
  return result;
}

/* New threads, and new processes only if programs are started; never with new namespaces. */
static int
allow_clone (scmp_filter_ctx filter, gboolean starts_programs)
{
  guint32 required = starts_programs ? 0 : CLONE_THREAD;
  int     result = allow_if (filter, SCMP_SYS (clone), 0, NEW_NAMESPACES | required, required);

  /* Its flags are in memory, which a filter cannot read: the C library uses clone() instead. */
  return result < 0 ? result
                    : seccomp_rule_add (filter, SCMP_ACT_ERRNO (ENOSYS), SCMP_SYS (clone3), 0);
}

/* Signals to this process only; number 0 only checks whether a process exists. */
static int
allow_signals (scmp_filter_ctx filter)
{
  guint32 self = (guint32) getpid ();
  int     result = allow_if (filter, SCMP_SYS (kill), 0, G_MAXUINT32, self);

  if (result == 0)
    result = allow_if (filter, SCMP_SYS (kill), 1, G_MAXUINT32, 0);
  return result < 0 ? result : allow_if (filter, SCMP_SYS (tgkill), 0, G_MAXUINT32, self);
}

static int
allow_all (scmp_filter_ctx filter, gboolean starts_programs, gboolean controls_devices)
{
  int result = allow (filter, allowed, G_N_ELEMENTS (allowed));

  if (result == 0 && starts_programs)
    result = allow (filter, allowed_for_programs, G_N_ELEMENTS (allowed_for_programs));
  else if (result == 0)
    result = allow_signals (filter);
  if (result == 0 && controls_devices)
    result = allow (filter, &(const int){ SCMP_SYS (ioctl) }, 1);
  for (guint i = 0; i < G_N_ELEMENTS (choices) && result == 0; i++)
    result = allow_choice (filter, &choices[i]);
  return result < 0 ? result : allow_clone (filter, starts_programs);
}

/* The process has given up new privileges already; other interfaces of the kernel, such as x32, end it. */
static int
install (scmp_filter_ctx filter, gboolean starts_programs, gboolean controls_devices)
{
  const struct
  {
    enum scmp_filter_attr name;
    guint32               value;
  } attributes[] = {
    { SCMP_FLTATR_CTL_NNP, 0 },
    { SCMP_FLTATR_CTL_TSYNC, 1 },
    { SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS },
    { SCMP_FLTATR_CTL_OPTIMIZE, 2 }, /* a tree, not a list */
  };
  int result = 0;

  for (guint i = 0; i < G_N_ELEMENTS (attributes) && result == 0; i++)
    result = seccomp_attr_set (filter, attributes[i].name, attributes[i].value);
  if (result == 0)
    result = allow_all (filter, starts_programs, controls_devices);
  return result < 0 ? result : seccomp_load (filter);
}

gboolean
scope_filter_install (gboolean starts_programs, gboolean controls_devices, char **reason)
{
  scmp_filter_ctx filter = seccomp_init (SCMP_ACT_ERRNO (EPERM));
  int             result = filter ? install (filter, starts_programs, controls_devices) : -ENOMEM;

  if (filter)
    seccomp_release (filter);
  if (result == 0)
    return TRUE;
  *reason = g_strdup (g_strerror (-result));
  return FALSE;
}
