/* messages.c — messages on stderr, the error domain of commands and their exit codes.
 *
 * Colour is used only if stderr is a terminal and NO_COLOR is unset or empty.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/messages.h"

#include "app/command/terminal.h"
#include "engine/formats/format.h"
#include "profiler/capture/capture.h"

#include <gio/gio.h>
#include <stdio.h>
#include <unistd.h>

/* clang-format off */
G_DEFINE_QUARK (scope-error-quark, scope_error)
/* clang-format on */

ScopeExit
scope_exit_of_error (const GError *error)
{
  if (error->domain == G_OPTION_ERROR || g_error_matches (error, SCOPE_ERROR, SCOPE_ERROR_USAGE))
    return SCOPE_EXIT_USAGE;
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

  return isatty (STDERR_FILENO) && (!no_colour || !*no_colour);
}

void
scope_print_message (HybSeverity severity, const char *format, ...)
{
  static const char *const colours[] = {
    [HYB_SEVERITY_NOTE] = "\033[36m",
    [HYB_SEVERITY_WARNING] = "\033[33m",
    [HYB_SEVERITY_ERROR] = "\033[31m",
  };
  g_autofree char *raw = NULL;
  g_autofree char *text = NULL;
  va_list          list;

  va_start (list, format);
  raw = g_strdup_vprintf (format, list);
  va_end (list);
  text = scope_terminal_escape (raw);
  if (use_colour ())
    fprintf (stderr, "%s%s:\033[0m %s\n", colours[severity], hyb_severity_name (severity), text);
  else
    fprintf (stderr, "%s: %s\n", hyb_severity_name (severity), text);
}

char *
scope_finding_dup_hint (const HybFinding *finding)
{
  static const char *const options[] = {
    [HYB_REMEDY_REPAIR] = "hscope check --repair PREFIX writes a repaired pair",
    [HYB_REMEDY_PARAMETERS] = "use --params FILE",
    [HYB_REMEDY_SHAPES] = "use --shape NAME=1,2,3",
  };

  if (finding->remedy == HYB_REMEDY_NONE)
    return g_strdup (finding->hint);
  if (!finding->hint)
    return g_strdup (options[finding->remedy]);
  return g_strdup_printf ("%s; %s", finding->hint, options[finding->remedy]);
}

void
scope_print_findings (HybModel *model, HybSeverity min_severity)
{
  GPtrArray *findings = hyb_model_get_findings (model);

  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];
      g_autofree char  *line = NULL, *hint = scope_finding_dup_hint (finding);

      if (finding->severity < min_severity)
        continue;
      line = finding->line > 0 ? g_strdup_printf (":%u", finding->line) : g_strdup ("");
      scope_print_message (finding->severity,
                           "%s%s%s%s%s%s",
                           finding->file ? finding->file : "",
                           line,
                           finding->file ? ": " : "",
                           finding->message,
                           hint ? ". " : "",
                           hint ? hint : "");
    }
}
