/* recordings-report.c — recordings compared with a baseline as Markdown and as a JUnit report.
 *
 * Names come from files: Markdown's special characters and characters not allowed in XML are
 * escaped.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/recordings/recordings.h"

#include "engine/formats/file.h"
#include "profiler/base/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_NODES 10 /* that are listed */

/* --- Markdown --- */

/* Appends text as it is, on one line, whatever characters it has. */
static void
append_plain (GString *to, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  for (const char *at = valid; *at; at++)
    {
      if (g_ascii_iscntrl (*at))
        {
          g_string_append_c (to, ' ');
          continue;
        }
      if (strchr ("\\`*_{}[]<>()#|~!&", *at))
        g_string_append_c (to, '\\');
      g_string_append_c (to, *at);
    }
}

static void
append_nodes (GString *to, const ScopeRecordings *recordings, const ScopeRecording *recording)
{
  guint n_same;
  g_autoptr (GArray) changed =
      scope_recordings_changed_nodes (recordings, recording, MAX_NODES, &n_same);

  if (changed->len > 0)
    g_string_append (to, "\n| node | baseline | now | |\n|---|---|---|---|\n");
  for (guint i = 0; i < changed->len; i++)
    {
      const ProfDifference *difference = &g_array_index (changed, ProfDifference, i);
      g_autofree char      *a = prof_format_seconds (difference->a);
      g_autofree char      *b = prof_format_seconds (difference->b);

      g_string_append (to, "| ");
      append_plain (to, difference->name);
      g_string_append_printf (to, " | %s | %s | %s |\n", a, b,
                              scope_recordings_describe_node (difference));
    }
  g_string_append_printf (to, "\n" SCOPE_NODES_ALIKE ".\n", n_same);
}

static void
append_comparison (GString *to, const ScopeRecordings *recordings, const ScopeRecording *recording)
{
  const ProfSessions *sessions = &recording->sessions;
  g_autofree char    *change = scope_recording_dup_change (recording);
  g_autofree char    *verdict = scope_recording_dup_verdict (recording);
  g_autofree char    *a = prof_format_seconds (sessions->a.median.median);
  g_autofree char    *b = prof_format_seconds (sessions->b.median.median);

  g_string_append (to, "### ");
  append_plain (to, recording->file);
  g_string_append_printf (to, ": %s\n\n", verdict);
  if (!isnan (recordings->threshold))
    {
      g_autofree char *reason = prof_sessions_dup_reason (sessions, recordings->threshold);

      g_string_append_printf (to, "**%s**: %s\n\n", prof_gate_name (recording->gate), reason);
    }
  g_string_append_printf (to,
                          "| | baseline | now | change |\n|---|---|---|---|\n"
                          "| median | %s | %s | %s |\n| clean samples | %u | %u | |\n",
                          a, b, change, sessions->a.n, sessions->b.n);
  append_nodes (to, recordings, recording);
  g_string_append (to, "\n<details><summary>Before you rely on it</summary>\n\n");
  for (guint i = 0; i < sessions->cautions->len; i++)
    {
      const ProfCaution *caution = sessions->cautions->pdata[i];

      g_string_append_printf (to, "* %s: ", prof_caution_name (caution->kind));
      append_plain (to, caution->text);
      g_string_append_c (to, '\n');
    }
  g_string_append (to, "\n</details>\n");
}

/* A Markdown document.  (transfer full) */
static char *
print_markdown (const ScopeRecordings *recordings)
{
  GString *text = g_string_new ("## Times compared with the baseline\n\n");

  for (guint i = 0; i < recordings->results->len; i++)
    append_comparison (text, recordings, recordings->results->pdata[i]);
  return g_string_free (text, FALSE);
}

/* --- JUnit --- */

/* Appends text escaped for XML 1.0, which allows no control characters but tab and line breaks, not even
 * as references. */
static void
append_xml (GString *to, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autoptr (GString) allowed = g_string_new (NULL);
  g_autofree char *escaped = NULL;

  for (const char *at = valid; *at; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);

      if ((c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7f && c <= 0x9f) || c == 0xfffe ||
          c == 0xffff)
        c = 0xfffd;
      g_string_append_unichar (allowed, c);
    }
  escaped = g_markup_escape_text (allowed->str, (gssize) allowed->len);
  g_string_append (to, escaped);
}

static void
append_property (GString *to, const char *name, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (isfinite (value))
    g_string_append_printf (to, "        <property name=\"%s\" value=\"%s\"/>\n", name,
                            g_ascii_formatd (buffer, sizeof buffer, "%.9g", value));
}

static void
append_outcome (GString *to, const ScopeRecordings *recordings, const ScopeRecording *recording)
{
  static const char *const elements[] = {
    [PROF_GATE_UNDECIDED] = "skipped", [PROF_GATE_FAILED] = "failure"
  };
  g_autofree char *reason = NULL;

  if (isnan (recordings->threshold) || recording->gate == PROF_GATE_PASSED)
    return;
  reason = prof_sessions_dup_reason (&recording->sessions, recordings->threshold);
  g_string_append_printf (to, "      <%s message=\"", elements[recording->gate]);
  append_xml (to, prof_gate_name (recording->gate));
  g_string_append (to, ": ");
  append_xml (to, reason);
  g_string_append (to, "\"/>\n");
}

static void
append_case (GString *to, const ScopeRecordings *recordings, const ScopeRecording *recording)
{
  const ProfSessions *sessions = &recording->sessions;
  g_autofree char    *verdict = scope_recording_dup_verdict (recording);
  g_autofree char    *change = scope_recording_dup_change (recording);
  char                buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (to, "    <testcase classname=\"hscope.time\" name=\"");
  append_xml (to, recording->file);
  g_string_append_printf (to, "\" time=\"%s\">\n      <properties>\n",
                          g_ascii_formatd (buffer, sizeof buffer, "%.9f",
                                           sessions->b.median.median));
  append_property (to, "baseline_seconds", sessions->a.median.median);
  append_property (to, "seconds", sessions->b.median.median);
  append_property (to, "ratio", sessions->ratio.median);
  append_property (to, "ratio_low", sessions->ratio.low);
  append_property (to, "ratio_high", sessions->ratio.high);
  g_string_append (to, "      </properties>\n");
  append_outcome (to, recordings, recording);
  g_string_append (to, "      <system-out>");
  append_xml (to, verdict);
  g_string_append (to, ": ");
  append_xml (to, change);
  for (guint i = 0; i < sessions->cautions->len; i++)
    {
      g_string_append_c (to, '\n');
      append_xml (to, ((const ProfCaution *) sessions->cautions->pdata[i])->text);
    }
  g_string_append (to, "</system-out>\n    </testcase>\n");
}

/* A JUnit report with one test case for each recording.  (transfer full) */
static char *
print_junit (const ScopeRecordings *recordings)
{
  GString *text = g_string_new ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  guint    count[] = { 0, 0, 0 };

  for (guint i = 0; i < recordings->results->len && !isnan (recordings->threshold); i++)
    count[((const ScopeRecording *) recordings->results->pdata[i])->gate]++;
  g_string_append_printf (text,
                          "<testsuites>\n  <testsuite name=\"hscope\" tests=\"%u\" failures=\"%u\" "
                          "errors=\"0\" skipped=\"%u\">\n",
                          recordings->results->len, count[PROF_GATE_FAILED],
                          count[PROF_GATE_UNDECIDED]);
  for (guint i = 0; i < recordings->results->len; i++)
    append_case (text, recordings, recordings->results->pdata[i]);
  g_string_append (text, "  </testsuite>\n</testsuites>\n");
  return g_string_free (text, FALSE);
}

/* --- Files --- */

static gboolean
write_text (const char *path, const char *text, GError **error)
{
  return hyb_file_replace_contents (path, text, strlen (text), error);
}

gboolean
scope_recordings_write (const ScopeRecordings      *recordings,
                        const ScopeBaselineOptions *options,
                        GError                    **error)
{
  g_autofree char *markdown = options->markdown ? print_markdown (recordings) : NULL;
  g_autofree char *junit = options->junit ? print_junit (recordings) : NULL;

  return (!markdown || write_text (options->markdown, markdown, error)) &&
         (!junit || write_text (options->junit, junit, error));
}
