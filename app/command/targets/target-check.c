/* target-check.c — prints the description of a target.
 *
 * Processor and GPUs are what “hscope devices” prints there.  Start at scope_target_check().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/target-check.h"

#include "app/command/frame/json-writer.h"
#include "app/command/frame/messages.h"
#include "app/command/frame/terminal.h"
#include "app/command/targets/near-side.h"
#include "app/command/targets/request.h"
#include "engine/formats/json-reader.h"

#include <math.h>
#include <stdio.h>

#define MAX_ANSWER  ((gsize) 1 << 20) /* bytes */
#define MAX_SECONDS 1.0               /* that clocks may differ without a warning */

typedef struct
{
  const ScopeTarget *target;
  ScopeRemoteAnswer  facts;
  GString           *devices; /* output of hscope devices */
  GError            *problem; /* why the target cannot be used */
} Answer;

static void
add_devices (gpointer data, const char *piece, gsize n)
{
  GString *text = data;

  if (text->len + n <= MAX_ANSWER)
    g_string_append_len (text, piece, (gssize) n);
}

static void
print_message (gpointer data G_GNUC_UNUSED, const char *piece, gsize n)
{
  scope_terminal_pass_on (piece, n);
}

static gboolean
ask (gboolean is_json, Answer *answer)
{
  const char *const words[] = { "devices", is_json ? "--json" : NULL, NULL };
  g_autoptr (ScopeRemoteNames) names = scope_remote_names_new ();
  ScopeRemoteCall call = { .target = answer->target,
                           .words = words,
                           .names = names,
                           .max_seconds = scope_get_silence (),
                           .out = add_devices,
                           .err = print_message,
                           .data = answer->devices };

  if (!scope_near_side_run (&call, &answer->facts, &answer->problem))
    return FALSE;
  if (answer->facts.status == 0 && answer->facts.signal == 0)
    return TRUE;
  g_set_error (&answer->problem, SCOPE_ERROR, SCOPE_ERROR_FAILED,
               "%s: hscope devices ends there with status %d, signal %d", answer->target->name,
               answer->facts.status, answer->facts.signal);
  return FALSE;
}

/* --- Printing --- */

static void
print_json (const Answer *answer)
{
  g_autoptr (ScopeJson) json = scope_json_new ();
  gboolean         is_usable = !answer->problem;
  g_autofree char *install =
      is_usable ? NULL : g_strdup_printf ("hscope targets install %s", answer->target->name);
  g_autoptr (GBytes) bytes = g_bytes_new (answer->devices->str, answer->devices->len);
  g_autoptr (HybJson) devices =
      is_usable ? hyb_json_parse (bytes, NULL, "devices", NULL, NULL) : NULL;

  scope_json_string (json, "target", answer->target->name);
  scope_json_string (json, "launcher", answer->target->launcher);
  scope_json_string (json, "program", answer->target->program);
  scope_json_boolean (json, "usable", is_usable);
  scope_json_string (json, "reason", is_usable ? NULL : answer->problem->message);
  scope_json_string (json, "install", install);
  scope_json_string (json, "version", answer->facts.version);
  scope_json_string (json, "host", answer->facts.host);
  scope_json_string (json, "products", answer->facts.products);
  scope_json_string (json, "vectors", answer->facts.vectors);
  scope_json_double (json, "clock_ahead", is_usable ? answer->facts.ahead : NAN);
  scope_json_double (json, "clock_uncertain", is_usable ? answer->facts.uncertain : NAN);
  if (devices)
    scope_json_raw (json, "machine", answer->devices->str);
  else
    scope_json_null (json, "machine");
  scope_json_print (json);
}

static const char *
or_unknown (const char *fact)
{
  return fact ? fact : "unknown";
}

static void
print_text (const Answer *answer)
{
  printf ("target   %s: %s %s\n", answer->target->name, answer->target->launcher,
          answer->target->program);
  if (answer->problem)
    {
      printf ("         cannot be used: %s\n"
              "install  hscope targets install %s\n",
              answer->problem->message, answer->target->name);
      return;
    }
  printf ("answers  hscope %s on %s\n", or_unknown (answer->facts.version),
          or_unknown (answer->facts.host));
  printf ("clock    %.3f s %s, to within %.3f s\n", fabs (answer->facts.ahead),
          answer->facts.ahead < 0 ? "behind" : "ahead", answer->facts.uncertain);
  printf ("products %s\n", or_unknown (answer->facts.products));
  printf ("vectors  %s\n", or_unknown (answer->facts.vectors));
  fwrite (answer->devices->str, 1, answer->devices->len, stdout);
}

static void
print_warnings (const Answer *answer)
{
  if (g_strcmp0 (answer->facts.version, SCOPE_VERSION) != 0)
    scope_print_message (HYB_SEVERITY_WARNING,
                         "the version here is " SCOPE_VERSION
                         ". hscope targets install %s copies it there",
                         answer->target->name);
  if (fabs (answer->facts.ahead) > MAX_SECONDS)
    scope_print_message (HYB_SEVERITY_WARNING,
                         "the clocks differ by %.1f s, and so do the dates of recordings",
                         fabs (answer->facts.ahead));
}

int
scope_target_check (const ScopeCommonOptions *common, const ScopeTarget *target)
{
  g_autoptr (GString) devices = g_string_new (NULL);
  Answer   answer = { .target = target, .devices = devices };
  gboolean is_usable = ask (common->json, &answer);

  if (common->json)
    print_json (&answer);
  else
    print_text (&answer);
  if (is_usable)
    print_warnings (&answer);
  else if (scope_messages_are_events ())
    scope_print_error (answer.problem); /* the window reads no document of a command that fails */
  scope_remote_answer_clear (&answer.facts);
  g_clear_error (&answer.problem);
  return is_usable ? SCOPE_EXIT_DONE : SCOPE_EXIT_CHECK_FAILED;
}
