/* messages.c — messages on stderr, the error domain of commands and their exit codes.
 *
 * Colour is used only if stderr is a terminal and NO_COLOR is unset or empty.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/messages.h"

#include "app/adapt/child-message.h"
#include "app/command/frame/terminal.h"
#include "engine/base/remedy.h"
#include "engine/formats/format.h"
#include "profiler/capture/capture.h"

#include <gio/gio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Its errors can carry a remedy. */
GQuark
scope_error_quark (void)
{
  static gsize domain;

  if (g_once_init_enter (&domain))
    g_once_init_leave (&domain, hyb_error_domain_register ("scope-error-quark"));
  return (GQuark) domain;
}

gboolean
scope_usage_error (GError **error, const char *format, ...)
{
  va_list list;

  va_start (list, format);
  g_propagate_error (error, g_error_new_valist (SCOPE_ERROR, SCOPE_ERROR_USAGE, format, list));
  va_end (list);
  return FALSE;
}

ScopeExit
scope_exit_of_error (const GError *error)
{
  if (error->domain == G_OPTION_ERROR || g_error_matches (error, SCOPE_ERROR, SCOPE_ERROR_USAGE))
    return SCOPE_EXIT_USAGE;
  if (g_error_matches (error, SCOPE_ERROR, SCOPE_ERROR_DIFFERS) ||
      g_error_matches (error, PROF_ERROR, PROF_ERROR_UNEQUAL))
    return SCOPE_EXIT_CHECK_FAILED;
  if (g_error_matches (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_LIMIT))
    return SCOPE_EXIT_MODEL;
  if (error->domain == G_FILE_ERROR || error->domain == G_IO_ERROR ||
      error->domain == HYB_FORMAT_ERROR || error->domain == PROF_ERROR)
    return SCOPE_EXIT_FILE;

  return SCOPE_EXIT_MODEL;
}

static gboolean
use_colour (void)
{
  const char *no_colour = g_getenv ("NO_COLOR");

  return scope_terminal_is_capable (STDERR_FILENO) && (!no_colour || !*no_colour);
}

static gboolean is_quiet;

void
scope_messages_set_quiet (void)
{
  is_quiet = TRUE;
}

void
scope_print_written (const char *path)
{
  if (!is_quiet)
    printf ("wrote %s\n", path);
}

void
scope_print_all_written (const GPtrArray *paths)
{
  for (guint i = 0; i < paths->len; i++)
    scope_print_written (paths->pdata[i]);
}

gboolean
scope_messages_are_events (void)
{
  return g_strcmp0 (g_getenv (SCOPE_MESSAGES_VARIABLE), "json") == 0;
}

/* One line of JSON, for the window. */
static void
print_event (const ScopeChildMessage *message)
{
  g_autofree char *line = scope_child_message_write (message);

  fprintf (stderr, "%s\n", line);
}

static void
print_text (HybSeverity severity, const char *raw)
{
  static const char *const colours[] = {
    [HYB_SEVERITY_NOTE] = "\033[36m",
    [HYB_SEVERITY_WARNING] = "\033[33m",
    [HYB_SEVERITY_ERROR] = "\033[31m",
  };
  g_autofree char *text = scope_terminal_escape (raw);

  if (is_quiet && severity == HYB_SEVERITY_NOTE)
    return;
  scope_terminal_set_status (NULL);
  if (scope_messages_are_events ())
    print_event (&(ScopeChildMessage){ .severity = severity, .text = (char *) raw });
  else if (use_colour ())
    fprintf (stderr, "%s%s:\033[0m %s\n", colours[severity], hyb_severity_name (severity), text);
  else
    fprintf (stderr, "%s: %s\n", hyb_severity_name (severity), text);
}

void
scope_print_message (HybSeverity severity, const char *format, ...)
{
  g_autofree char *raw = NULL;
  va_list          list;

  va_start (list, format);
  raw = g_strdup_vprintf (format, list);
  va_end (list);
  print_text (severity, raw);
}

/* How options resolve an error or a finding; the window has buttons for the same. */
static const char *const options[HYB_N_REMEDIES] = {
  [HYB_REMEDY_REPAIR] = "hscope check --repair PREFIX writes a repaired pair",
  [HYB_REMEDY_PARAMETERS] = "use --params FILE",
  [HYB_REMEDY_SHAPES] = "use --shape NAME=1,2,3",
  [HYB_REMEDY_VALUES] = "give arrays with --input, a file with --params, or fill them with --init "
                        "zeros|uniform|xavier",
  [HYB_REMEDY_OPERATOR] = "--plugin FILE loads operators of a plug-in",
  [HYB_REMEDY_ATTRIBUTES] = "correct it in the file, or edit it in the window",
  [HYB_REMEDY_UNROLL] = "write it out with --to unrolled",
  [HYB_REMEDY_LENGTH] = "give it with --length, --shape or --input",
  [HYB_REMEDY_FLOAT] = "hscope convert --to float writes the float model",
  [HYB_REMEDY_UNPROVED] = "--force writes it without a proof",
  [HYB_REMEDY_SMALLER] = "use smaller inputs; a --limit-memory that was given may be raised",
  [HYB_REMEDY_MEMORY] = "if you trust the file, raise the limit with --limit-memory",
  [HYB_REMEDY_WORK] = "if you trust the file, raise the limit with --limit-work",
  [HYB_REMEDY_TIME] = "raise it with --time-limit",
  [HYB_REMEDY_DEVICE] = "use --device cpu",
};

const char *
scope_finding_message (const HybFinding *finding)
{
  gsize n = finding->file ? strlen (finding->file) : 0;

  return n > 0 && strncmp (finding->message, finding->file, n) == 0 &&
                 strncmp (finding->message + n, ": ", 2) == 0
             ? finding->message + n + 2
             : finding->message;
}

char *
scope_finding_dup_hint (const HybFinding *finding)
{
  if (finding->remedy == HYB_REMEDY_NONE)
    return g_strdup (finding->hint);
  if (!finding->hint)
    return g_strdup (options[finding->remedy]);
  return g_strdup_printf ("%s; %s", finding->hint, options[finding->remedy]);
}

/* The option for the remedy of an error; an unknown shape is the subject's. (transfer full) */
static char *
describe_remedy (const GError *error)
{
  HybRemedy   remedy = hyb_error_get_remedy (error);
  const char *subject = hyb_error_get_subject (error);

  if (remedy == HYB_REMEDY_SHAPES && subject &&
      g_error_matches (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN))
    return g_strdup_printf ("give it with --shape %s=…", subject);
  return g_strdup (options[remedy]);
}

void
scope_print_error (const GError *error)
{
  g_autofree char *text = scope_error_dup_text (error);

  if (scope_messages_are_events ())
    print_event (&(ScopeChildMessage){ .severity = HYB_SEVERITY_ERROR,
                                       .remedy = hyb_error_get_remedy (error),
                                       .text = error->message,
                                       .subject = (char *) hyb_error_get_subject (error) });
  else
    print_text (HYB_SEVERITY_ERROR, text);
}

char *
scope_error_dup_text (const GError *error)
{
  g_autofree char *option = describe_remedy (error);

  if (!option)
    return g_strdup (error->message);
  /* Some messages end with a full stop, some do not. */
  return g_strdup_printf ("%s%s %c%s", error->message,
                          g_str_has_suffix (error->message, ".") ? "" : ".",
                          g_ascii_toupper (*option), option + 1);
}

void
scope_print_findings (HybModel *model, HybSeverity min_severity)
{
  static GHashTable *printed; /* notes: a command may open a model several times */
  GPtrArray         *findings = hyb_model_get_findings (model);

  if (!printed)
    printed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];
      g_autofree char  *line = NULL, *hint = scope_finding_dup_hint (finding);

      if (finding->severity < min_severity ||
          (finding->severity == HYB_SEVERITY_NOTE &&
           !g_hash_table_add (printed, g_strconcat (finding->file ? finding->file : "", "\n",
                                                    finding->message, NULL))))
        continue;
      line = finding->line > 0 ? g_strdup_printf (":%u", finding->line) : g_strdup ("");
      scope_print_message (finding->severity, "%s%s%s%s%s%s", finding->file ? finding->file : "",
                           line, finding->file ? ": " : "", scope_finding_message (finding),
                           hint ? ". " : "", hint ? hint : "");
    }
}

char *
scope_dup_count (guint64 n, const char *noun)
{
  return g_strdup_printf ("%" G_GUINT64_FORMAT " %s%s", n, noun, n == 1 ? "" : "s");
}

static void
add_count (GString *text, guint n, HybSeverity severity)
{
  g_autofree char *count = scope_dup_count (n, hyb_severity_name (severity));

  if (n > 0)
    g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", count);
}

char *
scope_findings_dup_verdict (const GPtrArray *findings)
{
  GString *text = g_string_new (NULL);
  guint    n[3] = { 0 };

  for (guint i = 0; i < findings->len; i++)
    n[((const HybFinding *) findings->pdata[i])->severity]++;
  add_count (text, n[HYB_SEVERITY_ERROR], HYB_SEVERITY_ERROR);
  add_count (text, n[HYB_SEVERITY_WARNING], HYB_SEVERITY_WARNING);
  if (text->len == 0)
    g_string_append (text, "no problems found");
  add_count (text, n[HYB_SEVERITY_NOTE], HYB_SEVERITY_NOTE);
  return g_string_free (text, FALSE);
}
