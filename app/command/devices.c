/* devices.c — hscope devices: lists the devices of this machine, and the missing parts of a GPU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/describe/describe.h"
#include "app/command/frame/command.h"
#include "app/command/frame/terminal.h"
#include "app/command/selftest/verdict.h"

#include "engine/device/gpu.h"
#include "profiler/base/format.h"
#include "profiler/base/machine.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Applies until a self-test has passed here. */
#define UNPROVEN                                                                              \
  "Hybridscope's code for GPUs has never run on a GPU, only on a program that imitates one. " \
  "Before you rely on its results, let “hscope selftest” compare them with the processor's."

static double
host_memory (void)
{
  return (double) sysconf (_SC_PHYS_PAGES) * (double) sysconf (_SC_PAGESIZE);
}

#define INDENT 9 /* of lines about a device */

/* The text of a fact, or NULL. */
static const char *
find_text (const ProfFacts *facts, const char *key)
{
  for (guint i = 0; i < prof_facts_n (facts); i++)
    if (strcmp (prof_facts_get (facts, i)->key, key) == 0)
      return prof_facts_get (facts, i)->text;
  return NULL;
}

/* --- Text --- */

static void
print_processor (const ProfFacts *facts)
{
  const char *model = find_text (facts, "cpu.model"), *features = find_text (facts, "cpu.features");
  g_autofree char *memory = prof_format_bytes (host_memory ());
  g_autofree char *facts_line =
      g_strdup_printf ("         %ld processors, %s of memory%s%s", sysconf (_SC_NPROCESSORS_ONLN),
                       memory, features && *features ? ", " : "", features ? features : "");

  printf ("cpu      %s\n", model ? model : "a processor of an unknown model");
  scope_terminal_print (facts_line, INDENT);
}

/* The results of the last self-test of this GPU, as sentences.  (transfer full) */
static char *
describe_proof (const ScopeVerdict *verdict)
{
  return verdict ? scope_verdict_describe (verdict) : g_strdup (UNPROVEN);
}

static void
print_gpu (guint index, HybGpu *gpu)
{
  g_autofree char *path = scope_verdict_dup_path (gpu);
  g_autoptr (ScopeVerdict) verdict = scope_verdict_read (path);
  g_autofree char *proof = describe_proof (verdict);
  g_autofree char *paragraph = g_strconcat ("         ", proof, NULL);
  g_autoptr (HybGpuFacts) facts = hyb_gpu_dup_facts (gpu);
  g_autofree char *memory = prof_format_bytes ((double) facts->memory);
  g_autofree char *unused = prof_format_bytes ((double) facts->unused);

  printf ("gpu:%-4u %s, %s\n", index, facts->model, facts->kind);
  printf ("         %s of memory, %s free\n", memory, unused);
  printf ("         %s\n", facts->versions);
  for (guint i = 0; facts->libraries[i]; i++)
    printf ("         %s\n", facts->libraries[i]);
  scope_terminal_print (paragraph, INDENT);
}

/* --- JSON --- */

static void
describe_processor (ScopeJson *json, const ProfFacts *facts)
{
  scope_json_begin_object (json, NULL);
  scope_json_string (json, "name", "cpu");
  scope_json_string (json, "model", find_text (facts, "cpu.model"));
  scope_json_string (json, "features", find_text (facts, "cpu.features"));
  scope_json_int (json, "processors", sysconf (_SC_NPROCESSORS_ONLN));
  scope_json_double (json, "memory", host_memory ());
  scope_json_end (json);
}

/* The numbers of comparisons; null if there were none. */
static void
describe_numbers (ScopeJson *json, const ScopeVerdict *verdict)
{
  if (!verdict)
    {
      scope_json_string (json, "selftest", NULL);
      return;
    }
  scope_json_begin_object (json, "selftest");
  scope_json_boolean (json, "quick", !verdict->is_full);
  scope_json_int (json, "operators", verdict->n_operators);
  scope_json_int (json, "samples_without_time", verdict->n_left);
  scope_json_int (json, "model_runs", verdict->n_models);
  scope_json_int (json, "model_runs_failed", verdict->n_failed);
  scope_json_end (json);
}

/* verdict: (nullable) */
static void
describe_verdict (ScopeJson *json, const ScopeVerdict *verdict)
{
  g_autofree char *proof = describe_proof (verdict);

  scope_json_boolean (json, "proven", verdict && scope_verdict_has_passed (verdict));
  scope_json_string (json, "proof", proof);
  describe_numbers (json, verdict);
  scope_json_begin_list (json, "wrong_operators");
  for (guint i = 0; verdict && i < verdict->wrong->len; i++)
    {
      const ScopeWrongOperator *wrong = verdict->wrong->pdata[i];

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", wrong->op);
      scope_json_string (json, "type", hyb_dtype_name (wrong->dtype));
      scope_json_double (json, "error", wrong->error);
      scope_json_string (json, "why", wrong->why);
      scope_json_end (json);
    }
  scope_json_end (json);
}

static void
describe_gpu (ScopeJson *json, const char *name, HybGpu *gpu)
{
  g_autofree char *path = scope_verdict_dup_path (gpu);
  g_autoptr (ScopeVerdict) verdict = scope_verdict_read (path);
  g_autoptr (HybGpuFacts) facts = hyb_gpu_dup_facts (gpu);

  scope_json_begin_object (json, NULL);
  scope_json_string (json, "name", name);
  scope_json_string (json, "model", facts->model);
  scope_json_string (json, "kind", facts->kind);
  scope_json_int (json, "memory", (gint64) facts->memory);
  scope_json_int (json, "unused", (gint64) facts->unused);
  scope_json_string (json, "versions", facts->versions);
  scope_json_begin_list (json, "libraries");
  for (guint i = 0; facts->libraries[i]; i++)
    scope_json_string (json, NULL, facts->libraries[i]);
  scope_json_end (json);
  describe_verdict (json, verdict);
  scope_json_end (json);
}

/* --- Both --- */

/* Messages of errors may end with a full stop. */
static void
print_sentence (const char *text)
{
  g_autofree char *sentence = g_strconcat (text, g_str_has_suffix (text, ".") ? "" : ".", NULL);

  scope_terminal_print (sentence, INDENT);
}

static void
show_gpu (ScopeJson *json, guint index)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_strdup_printf ("gpu:%u", index);
  g_autoptr (HybGpu) gpu = hyb_gpu_open (name, &error);

  if (json && gpu)
    describe_gpu (json, name, gpu);
  else if (json)
    {
      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", name);
      scope_describe_error (json, error->message);
      scope_json_end (json);
    }
  else if (gpu)
    print_gpu (index, gpu);
  else
    {
      g_autofree char *line = g_strdup_printf ("%-8s cannot be opened: %s", name, error->message);

      print_sentence (line);
    }
}

static void
show_absence (ScopeJson *json, const GError *error)
{
  if (json)
    scope_describe_error (json, error->message);
  else
    {
      g_autofree char *line = g_strconcat ("gpu      none: ", error->message, NULL);

      print_sentence (line);
    }
}

static int
run_devices (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  g_autoptr (ScopeJson) json = common->json ? scope_json_new () : NULL;
  g_autoptr (ProfFacts) facts = prof_facts_new ();
  g_autoptr (GError) absence = NULL;
  guint n_gpus;

  prof_machine_describe (facts);
  if (json)
    {
      scope_json_begin_list (json, "devices");
      describe_processor (json, facts);
    }
  else
    print_processor (facts);

  n_gpus = hyb_gpu_count (&absence);
  for (guint i = 0; i < n_gpus; i++)
    show_gpu (json, i);
  if (json)
    scope_json_end (json);
  if (n_gpus == 0)
    show_absence (json, absence);
  if (json)
    scope_json_print (json);
  return SCOPE_EXIT_DONE;
}

static const char *const examples[] = {
  "hscope devices",
  "hscope devices --json",
  NULL,
};

const ScopeCommand scope_command_devices = {
  .name = "devices",
  .arguments = "",
  .summary = "Show the processor and the GPUs of this machine, and what is missing to use a GPU",
  .n_files = { 0, 0 },
  .examples = examples,
  .opens_gpus = TRUE,
  .run = run_devices,
};
