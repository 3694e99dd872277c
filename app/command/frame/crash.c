/* crash.c — the signal handlers that report a crash inside a plug-in, and a file that became shorter.
 *
 * A signal handler may only call async-signal-safe functions, so messages are formatted
 * beforehand and the handlers only write them and exit.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/crash.h"

#include "app/adapt/child-message.h"
#include "app/command/frame/messages.h"
#include "app/command/frame/terminal.h"
#include "engine/formats/json-text.h"
#include "engine/formats/mapped-file.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The output of a handler: a document on stdout, which may be empty, and a message on stderr. */
typedef struct
{
  gsize document_length, message_length;
  char  text[]; /* both, in this order */
} Note;

static Note    *plugin_note; /* NULL: no plug-in was loaded */
static gboolean has_json;
static guint8   stack[64 << 10]; /* for the handlers: the thread's own stack may have overflowed */

static void
write_and_exit (const Note *note, ScopeExit status)
{
  if (write (STDOUT_FILENO, note->text, note->document_length) < 0 ||
      write (STDERR_FILENO, note->text + note->document_length, note->message_length) < 0)
    _exit (SCOPE_EXIT_FILE);
  _exit (status);
}

static void
on_crash (int number)
{
  write_and_exit (plugin_note, SCOPE_EXIT_MODEL);
}

/* Neither a file nor a plug-in: returning repeats the access, which then ends the process. */
static void
on_bus_error (int number, siginfo_t *info, void *context G_GNUC_UNUSED)
{
  const Note *note = hyb_mapped_file_get_note (info->si_addr);

  if (note)
    write_and_exit (note, SCOPE_EXIT_FILE);
  if (plugin_note)
    write_and_exit (plugin_note, SCOPE_EXIT_MODEL);
  signal (number, SIG_DFL);
}

/* The document as scope_describe_error() writes it. */
static void
append_document (GString *text, const char *file, const char *what, const char *hint)
{
  g_string_append (text, "{\"error\": {\"message\": ");
  hyb_json_append_string (text, what);
  g_string_append (text, ", \"place\": {\"file\": ");
  hyb_json_append_string (text, file);
  g_string_append (text, "}, \"hint\": ");
  hyb_json_append_string (text, hint);
  g_string_append (text, "}}\n");
}

/* The message as scope_print_error() writes it, without colour. */
static void
append_message (GString *text, const char *file, const char *what, const char *hint)
{
  g_autofree char *raw = g_strdup_printf ("%s: %s. %s", file, what, hint);
  g_autofree char *line = NULL;

  if (scope_messages_are_events ())
    line = scope_child_message_write (
        &(ScopeChildMessage){ .severity = HYB_SEVERITY_ERROR, .text = raw });
  else
    line = scope_terminal_escape (raw);
  g_string_append_printf (text, "%s%s\n", scope_messages_are_events () ? "" : "error: ", line);
}

/* (transfer full) */
static Note *
make_note (const char *file, const char *what, const char *hint)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gsize length;
  Note *note;

  if (has_json)
    append_document (text, file, what, hint);
  length = text->len;
  append_message (text, file, what, hint);
  note = g_malloc (sizeof *note + text->len);
  note->document_length = length;
  note->message_length = text->len - length;
  memcpy (note->text, text->str, text->len);
  return note;
}

static gpointer
make_file_note (const char *where)
{
  return make_note (where, HYB_MAPPED_FILE_CUT, HYB_MAPPED_FILE_HINT);
}

static void
handle_bus_errors (void)
{
  struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK };

  sigemptyset (&action.sa_mask);
  sigaction (SIGBUS, &action, NULL);
}

void
scope_crash_set_json (void)
{
  has_json = TRUE;
}

void
scope_crash_guard_files (void)
{
  hyb_mapped_file_set_note (make_file_note);
  handle_bus_errors ();
}

void
scope_crash_set_plugin (const char *plugin)
{
  static const int signals[] = { SIGSEGV, SIGFPE, SIGILL, SIGABRT };
  struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK | (int) SA_RESETHAND };
  stack_t          signal_stack = { .ss_sp = stack, .ss_size = sizeof stack };
  Note            *old = plugin_note;

  plugin_note =
      make_note (plugin, "the plug-in crashed", "Run it in a debugger: gdb --args hscope …");
  g_free (old);
  sigaltstack (&signal_stack, NULL);
  sigemptyset (&action.sa_mask);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    sigaction (signals[i], &action, NULL);
  handle_bus_errors ();
}
