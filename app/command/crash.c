/* crash.c — the signal handler that reports a crash inside a plug-in.
 *
 * A signal handler may only call async-signal-safe functions, so the message is formatted
 * beforehand and the handler only writes it and exits.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/crash.h"

#include "app/command/messages.h"
#include "engine/formats/json-text.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static char     message[1024], document[2048];
static gsize    message_length, document_length; /* 0: no document */
static gboolean has_json;
static guint8   stack[64 << 10]; /* for the handler: the thread's own stack may have overflowed */

static void
on_crash (int number)
{
  if (write (STDOUT_FILENO, document, document_length) < 0 ||
      write (STDERR_FILENO, message, message_length) < 0)
    _exit (SCOPE_EXIT_FILE);
  _exit (SCOPE_EXIT_MODEL);
}

void
scope_crash_set_json (void)
{
  has_json = TRUE;
}

/* The document as scope_describe_error() writes it. */
static void
prepare_document (const char *plugin)
{
  g_autoptr (GString) text = g_string_new ("{\"error\": {\"message\": \"the plug-in crashed\", "
                                           "\"place\": {\"file\": ");

  hyb_json_append_string (text, plugin);
  g_string_append (text, "}, \"hint\": \"Run it in a debugger: gdb --args hscope …\"}}\n");
  document_length = text->len <= sizeof document ? text->len : 0;
  memcpy (document, text->str, document_length);
}

void
scope_crash_set_plugin (const char *plugin)
{
  static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
  struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK | (int) SA_RESETHAND };
  stack_t          signal_stack = { .ss_sp = stack, .ss_size = sizeof stack };

  message_length =
      MIN ((gsize) g_snprintf (message,
                               sizeof message,
                               "error: %s: the plug-in crashed. Run it in a debugger: gdb "
                               "--args hscope …\n",
                               plugin),
           sizeof message - 1);
  if (has_json)
    prepare_document (plugin);
  sigaltstack (&signal_stack, NULL);
  sigemptyset (&action.sa_mask);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    sigaction (signals[i], &action, NULL);
}
