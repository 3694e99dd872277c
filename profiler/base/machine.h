/* machine.h — the conditions of a measurement: facts about the machine, and warnings about them.
 *
 * Facts are a list of keys with texts or numbers ("cpu.model", "system.load").  Captures store
 * them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  const char *key;  /* owned by the facts */
  char       *text; /* NULL: the fact is a number */
  double      number;
} ProfFact;

typedef struct _ProfFacts ProfFacts;

/* An empty list.  (transfer full) */
ProfFacts *prof_facts_new (void);
/* Frees facts; NULL is allowed. */
void prof_facts_free (ProfFacts *facts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfFacts, prof_facts_free)
/* Adds a text, or replaces the value of an existing key.  Invalid UTF-8 is replaced.  text NULL:
 * no-op. */
void prof_facts_set (ProfFacts *facts, const char *key, const char *text);
/* Adds a number, or replaces the value of an existing key. */
void prof_facts_set_number (ProfFacts *facts, const char *key, double number);
/* The number of facts. */
guint prof_facts_n (const ProfFacts *facts);
/* A fact by index, in the order in which keys were added.  Valid until the next change. */
const ProfFact *prof_facts_get (const ProfFacts *facts, guint index);

/* The text of a file of /proc or /sys without blanks at its end; NULL if it cannot be read.  (transfer full) */
char *prof_machine_read_text (const char *path);
/* The processors' time that the limits of a control group allow, by the text of its file cpu.max or of its files
 * cpu.cfs_quota_us and cpu.cfs_period_us, one after the other; 0: all of it, or the text has no limit. */
double prof_machine_parse_quota (const char *text);
/* The processors' time that this process may use by all control groups that it is part of, such as 2.5; 0: all of it. */
double prof_machine_find_quota (void);

/* The text of the fact with this key, owned by facts; NULL if there is none. */
const char *prof_facts_get_text (const ProfFacts *facts, const char *key);

/* Adds processor, features, clock governor, cores, load, kernel, libraries, threads and the time.
 * */
void prof_machine_describe (ProfFacts *facts);

/* CPU time of all processors since boot, in clock ticks. */
typedef struct
{
  double stolen; /* used by other guests of the host */
  double total;
} ProfTicks;

/* The ticks up to now; 0 where the kernel does not report them. */
ProfTicks prof_machine_ticks (void);
/* The share of the time between two readings that was stolen, 0 to 1. */
double prof_machine_stolen (const ProfTicks *before, const ProfTicks *after);

/* The GPU that a run was measured on; missing for the processor. */
#define PROF_DEVICE_KEY "device"
/* The tracer of the GPU in traced runs; without one they waited for the GPU after every
 * operator. */
#define PROF_DEVICE_TRACE_KEY "device.trace"
/* Why nothing did, or which of its records are missing, as a sentence without its full stop. */
#define PROF_DEVICE_TRACE_PROBLEM_KEY "device.trace.problem"
/* The operators that it computed and the copies, as a sentence. */
#define PROF_DEVICE_WORK_KEY "device.work"
/* How products were computed there, precise or fast. */
#define PROF_DEVICE_MATH_KEY "device.math"
/* The operators that the self-test of the device left to the host, with the differences found; missing if there
 * are none. */
#define PROF_DEVICE_EXCLUDED_KEY "device.excluded"
/* The result of the passed self-test of the device, as a sentence; missing if none has. */
#define PROF_DEVICE_PROOF_KEY "device.proof"
/* How fast the machine was beside the clean runs: bytes per second, read and written, and dependent
 * operations per second. */
#define PROF_SPEED_COPY_KEY  "speed.copy"
#define PROF_SPEED_CLOCK_KEY "speed.clock"
/* The fact that says why the peak rates of this machine may be too low; missing if they are not. */
#define PROF_PEAKS_KEY "peak.disturbed"
/* One sentence for each condition that makes times unreliable.  NULL-terminated; free with
 * g_strfreev(). */
char **prof_machine_warnings (const ProfFacts *facts);
