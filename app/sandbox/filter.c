/* filter.c — builds the filter of system calls and installs it for all threads.
 *
 * A list of what is allowed, because a list of what is forbidden would miss the calls of later kernels.
 * Refused calls fail with EPERM and do not end the process: libraries try calls that they can do without, and
 * a message is of more use than a signal.  Start at scope_filter_install().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sandbox/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif
#define OTHER_INTERFACE 0x40000000u /* numbers from here on are calls of the x32 interface */
#define NEW_NAMESPACES                                                                          \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | \
   CLONE_NEWNET)

static const guint32 allowed[] = {
#define CALL(name) __NR_##name,
#include "app/sandbox/system-calls.h"
#undef CALL
};

/* More calls for programs that are started. */
static const guint32 allowed_for_programs[] = { __NR_execve,
                                                __NR_kill,
                                                __NR_pidfd_open,
                                                __NR_pidfd_send_signal,
                                                __NR_tgkill,
                                                __NR_chdir,
                                                __NR_setsid,
                                                __NR_setpgid
#ifdef __x86_64__
                                                ,
                                                __NR_fork,
                                                __NR_vfork
#endif
};

/* Values of one argument with which a call is allowed. */
typedef struct
{
  guint32 call;
  guint   argument;
  guint   n_values;
  guint32 values[20];
} Choice;

static const Choice choices[] = {
  { __NR_ioctl, 1, 6, { TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX } },
  { __NR_prctl,
    0,
    10,
    { PR_SET_NAME,
      PR_GET_NAME,
      PR_SET_PDEATHSIG,
      PR_GET_PDEATHSIG,
      PR_GET_DUMPABLE,
      PR_SET_DUMPABLE,
      PR_GET_NO_NEW_PRIVS,
      PR_GET_SECCOMP,
      PR_SET_TIMERSLACK,
      PR_SET_VMA } },
  /* Others would send signals to other processes. */
  { __NR_fcntl,
    1,
    15,
    { F_DUPFD,
      F_DUPFD_CLOEXEC,
      F_GETFD,
      F_SETFD,
      F_GETFL,
      F_SETFL,
      F_GETLK,
      F_SETLK,
      F_SETLKW,
      F_OFD_GETLK,
      F_OFD_SETLK,
      F_OFD_SETLKW,
      F_ADD_SEALS,
      F_GET_SEALS,
      F_GETPIPE_SZ } },
  { __NR_prlimit64, 0, 1, { 0 } },
};

/* --- Instructions --- */

typedef GArray Program; /* of struct sock_filter */

static void
add (Program *program, guint16 code, guint32 value, guint8 if_true, guint8 if_false)
{
  struct sock_filter instruction = { code, if_true, if_false, value };

  g_array_append_val (program, instruction);
}

static void
load (Program *program, gsize offset)
{
  add (program, BPF_LD | BPF_W | BPF_ABS, (guint32) offset, 0, 0);
}

static void
load_call (Program *program)
{
  load (program, offsetof (struct seccomp_data, nr));
}

/* The lower half of an argument: what is checked are numbers of 32 bits. */
static void
load_argument (Program *program, guint index)
{
  load (program, offsetof (struct seccomp_data, args) + index * sizeof (guint64));
}

static void
answer (Program *program, guint32 action)
{
  add (program, BPF_RET | BPF_K, action, 0, 0);
}

/* If the accumulator is value, the filter ends with action. */
static void
answer_if (Program *program, guint32 value, guint32 action)
{
  add (program, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  answer (program, action);
}

/* --- The filter --- */

static const guint32 refused = SECCOMP_RET_ERRNO | EPERM;

/* What follows is skipped unless call is made; ends with end_call(). */
static guint
begin_call (Program *program, guint32 call)
{
  load_call (program);
  add (program, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 0);
  return program->len - 1;
}

static void
end_call (Program *program, guint begin, guint32 action)
{
  answer (program, action);
  g_array_index (program, struct sock_filter, begin).jf = (guint8) (program->len - begin - 1);
}

static void
add_choices (Program *program)
{
  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    {
      const Choice *choice = &choices[i];
      guint         begin = begin_call (program, choice->call);

      load_argument (program, choice->argument);
      for (guint k = 0; k < choice->n_values; k++)
        answer_if (program, choice->values[k], SECCOMP_RET_ALLOW);
      end_call (program, begin, refused);
    }
}

/* New threads, and new processes only if programs are started; never with new namespaces. */
static void
add_clone (Program *program, gboolean starts_programs)
{
  guint begin = begin_call (program, __NR_clone);

  load_argument (program, 0);
  add (program, BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 0, 1);
  answer (program, refused);
  if (!starts_programs)
    {
      add (program, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0);
      answer (program, refused);
    }
  end_call (program, begin, SECCOMP_RET_ALLOW);
  /* Its flags are in memory, which a filter cannot read: the C library uses clone() instead. */
  load_call (program);
  answer_if (program, __NR_clone3, SECCOMP_RET_ERRNO | ENOSYS);
}

/* Signals to this process only; number 0 asks whether a process exists. */
static void
add_signals (Program *program)
{
  guint32 self = (guint32) getpid ();
  guint   begin = begin_call (program, __NR_kill);

  load_argument (program, 0);
  answer_if (program, self, SECCOMP_RET_ALLOW);
  load_argument (program, 1);
  answer_if (program, 0, SECCOMP_RET_ALLOW);
  end_call (program, begin, refused);
  begin = begin_call (program, __NR_tgkill);
  load_argument (program, 0);
  answer_if (program, self, SECCOMP_RET_ALLOW);
  end_call (program, begin, refused);
}

static Program *
make_filter (gboolean starts_programs, gboolean controls_devices)
{
  Program *program = g_array_new (FALSE, FALSE, sizeof (struct sock_filter));

  load (program, offsetof (struct seccomp_data, arch));
  add (program, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  answer (program, SECCOMP_RET_KILL_PROCESS);
  load_call (program);
  add (program, BPF_JMP | BPF_JGE | BPF_K, OTHER_INTERFACE, 0, 1);
  answer (program, refused);
  for (guint i = 0; i < G_N_ELEMENTS (allowed); i++)
    answer_if (program, allowed[i], SECCOMP_RET_ALLOW);
  for (guint i = 0; starts_programs && i < G_N_ELEMENTS (allowed_for_programs); i++)
    answer_if (program, allowed_for_programs[i], SECCOMP_RET_ALLOW);
  if (controls_devices)
    answer_if (program, __NR_ioctl, SECCOMP_RET_ALLOW);
  add_choices (program);
  add_clone (program, starts_programs);
  if (!starts_programs)
    add_signals (program);
  answer (program, refused);
  return program;
}

gboolean
scope_filter_install (gboolean starts_programs, gboolean controls_devices, char **reason)
{
  g_autoptr (GArray) program = make_filter (starts_programs, controls_devices);
  struct sock_fprog filter = { (unsigned short) program->len,
                               (struct sock_filter *) (gpointer) program->data };
  long result = syscall (__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);

  if (result == 0)
    return TRUE;
  *reason = result > 0 ? g_strdup_printf ("thread %ld has another filter", result)
                       : g_strdup (g_strerror (errno));
  return FALSE;
}

#else

gboolean
scope_filter_install (gboolean starts_programs  G_GNUC_UNUSED,
                      gboolean controls_devices G_GNUC_UNUSED,
                      char                    **reason)
{
  *reason = g_strdup ("there is no filter for this processor");
  return FALSE;
}

#endif
