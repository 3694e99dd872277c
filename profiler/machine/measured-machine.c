/* measured-machine.c — measures the machine in rounds until two halves of them agree; see measured-machine.h.
 *
 * On a busy machine facts of several attempts are put together.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/machine/measured-machine.h"

#include "profiler/machine/machine-facts.h"
#include "profiler/machine/machine-id.h"

#include <math.h>
#include <string.h>

#define SECONDS    0.5 /* at most */
#define MIN_ROUNDS 4
#define MAX_ATTEMPTS \
  3 /* at a machine that is busy; then the facts that were found must do for a day */
#define DAY (24 * 60 * 60)

/* The numbers of a group: the time, the attempts that are left, whether the last one was disturbed, and the facts. */
#define N_HEAD    3
#define N_NUMBERS (N_HEAD + PROF_N_MACHINE_FACTS)
static const ProfStoredNumber head[N_HEAD] = { { "time", 1.5e9, 1e11 },
                                               { "attempts_left", 0, MAX_ATTEMPTS - 1 },
                                               { "disturbed", 0, 1 } };

static void
list_numbers (ProfStoredNumber *numbers)
{
  memcpy (numbers, head, sizeof head);
  for (guint i = 0; i < PROF_N_MACHINE_FACTS; i++)
    numbers[N_HEAD + i] = prof_machine_facts[i].stored;
}

static gboolean
read_stored (const char *id, ProfMeasuredMachine *measured)
{
  ProfStoredNumber numbers[N_NUMBERS];
  double           values[N_NUMBERS];

  *measured = (ProfMeasuredMachine){ .attempts_left = MAX_ATTEMPTS };
  list_numbers (numbers);
  if (!prof_machine_store_read (id, numbers, N_NUMBERS, values))
    return FALSE;
  measured->time = (gint64) values[0];
  measured->attempts_left = (guint) values[1];
  measured->is_disturbed = values[2] > 0;
  for (guint i = 0; i < PROF_N_MACHINE_FACTS; i++)
    if (!isnan (values[N_HEAD + i]))
      prof_machine_fact_set (&prof_machine_facts[i], &measured->machine, values[N_HEAD + i]);
  return TRUE;
}

static void
write_stored (const char *id, const ProfMeasuredMachine *measured)
{
  ProfStoredNumber numbers[N_NUMBERS];
  double           values[N_NUMBERS];

  list_numbers (numbers);
  values[0] = (double) measured->time;
  values[1] = measured->attempts_left;
  values[2] = measured->is_disturbed;
  for (guint i = 0; i < PROF_N_MACHINE_FACTS; i++)
    values[N_HEAD + i] = prof_machine_fact_get (&prof_machine_facts[i], &measured->machine);
  prof_machine_store_write (id, numbers, N_NUMBERS, values);
}

/* Measures until both halves of the rounds agree, or time ends.  TRUE if they agree on all facts. */
static gboolean
find_facts (ProfMachineSamples *samples, HybMachine *machine)
{
  for (guint n = 1; prof_machine_samples_add_round (samples); n++)
    if (n >= MIN_ROUNDS && n % 2 == 0 && prof_machine_facts_find (samples, machine))
      return TRUE;
  return prof_machine_facts_find (samples, machine);
}

/* Adds what is found now to what is known; FALSE if nothing can be measured here. */
static gboolean
measure (ProfMeasuredMachine *measured)
{
  g_autoptr (ProfMachineSamples) samples = prof_machine_samples_new (SECONDS);
  HybMachine machine;
  gboolean   agrees;

  if (!samples)
    return FALSE;
  agrees = find_facts (samples, &machine);
  if (!prof_machine_facts_are_possible (&machine))
    {
      machine = (HybMachine){ 0 };
      agrees = FALSE;
    }
  for (guint i = 0; i < PROF_N_MACHINE_FACTS; i++)
    {
      double value = prof_machine_fact_get (&prof_machine_facts[i], &machine);

      if (value > 0)
        prof_machine_fact_set (&prof_machine_facts[i], &measured->machine, value);
    }
  measured->attempts_left = agrees ? 0 : measured->attempts_left - 1;
  measured->is_disturbed = !agrees;
  measured->time = g_get_real_time () / G_USEC_PER_SEC;
  return TRUE;
}

/* A machine that was busy may be quiet the day after. */
static void
expire (ProfMeasuredMachine *measured)
{
  gint64 age = g_get_real_time () / G_USEC_PER_SEC - measured->time;

  if (measured->is_disturbed && measured->attempts_left == 0 && (age > DAY || age < -DAY))
    measured->attempts_left = 1;
}

/* Facts that may change with the next attempt would make the times of two runs differ. */
static void
use (const ProfMeasuredMachine *measured)
{
  hyb_machine_use (measured->attempts_left == 0 ? &measured->machine : NULL);
}

void
prof_machine_use_stored (void)
{
  g_autofree char    *id = prof_machine_id_dup ();
  ProfMeasuredMachine measured;

  if (read_stored (id, &measured))
    use (&measured);
}

void
prof_machine_use_measured (ProfMeasuredMachine *measured)
{
  g_autofree char    *id = prof_machine_id_dup ();
  ProfMeasuredMachine known;
  guint               n_left;

  read_stored (id, &known);
  n_left = known.attempts_left;
  expire (&known);
  if (known.attempts_left > 0 && measure (&known))
    write_stored (id, &known);
  else
    known.attempts_left = n_left; /* stored facts serve on */
  use (&known);
  if (measured)
    *measured = known;
}

/* --- For people --- */

/* (transfer full) */
static char *
describe_value (ProfUnit unit, double value)
{
  switch (unit)
    {
    case PROF_UNIT_BYTES:
      return g_strdup_printf ("%.0f KiB", value / 1024);
    case PROF_UNIT_BYTE_RATE:
      return g_strdup_printf ("%.3g GB/s", value * 1e-9);
    case PROF_UNIT_PER_CYCLE:
      return g_strdup_printf ("%.2g a cycle", value);
    case PROF_UNIT_RATE:
    default:
      return g_strdup_printf ("%.3g × 10⁹/s", value * 1e-9);
    }
}

static void
append_fact (GString *text, const ProfMachineFact *fact, const HybMachine *machine)
{
  double           value = prof_machine_fact_get (fact, machine);
  double           reported = fact->reported ? fact->reported () : 0;
  g_autofree char *shown = value > 0 ? describe_value (fact->unit, value) : g_strdup ("not found");
  g_autofree char *beside = reported > 0 ? describe_value (fact->unit, reported) : NULL;

  if (value == 0 && reported == 0)
    return;
  g_string_append_printf (text, "  %s: %s", fact->words, shown);
  if (beside)
    g_string_append_printf (text, " (reported: %s)", beside);
  g_string_append_c (text, '\n');
}

char *
prof_machine_describe_measured (const ProfMeasuredMachine *measured)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_utc (measured->time);
  g_autofree char *when = time ? g_date_time_format (time, "%Y-%m-%d %H:%M UTC") : NULL;

  if (measured->time == 0 || !when)
    return g_string_free (g_string_append (text, "machine: not measured\n"), FALSE);
  g_string_append_printf (text, "machine: measured %s\n", when);
  for (guint i = 0; i < PROF_N_MACHINE_FACTS; i++)
    append_fact (text, &prof_machine_facts[i], &measured->machine);
  if (measured->attempts_left > 0)
    g_string_append_printf (text,
                            "  The measurement was disturbed by other processes: kernels use the "
                            "reported facts. It is repeated up to %u times by the next commands "
                            "that measure.\n",
                            measured->attempts_left);
  else if (measured->is_disturbed)
    g_string_append (text, "  The measurement was disturbed by other processes: missing facts are "
                           "measured again after a day.\n");
  return g_string_free (text, FALSE);
}
