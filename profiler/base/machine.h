/* machine.h — under what conditions something was measured.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Facts in words and in numbers, in the order they were added. */
typedef struct
{
  const char *key;  /* interned */
  char       *text; /* NULL: a number */
  double      number;
} ProfFact;

typedef struct _ProfFacts ProfFacts;

ProfFacts *prof_facts_new (void);
void       prof_facts_free (ProfFacts *facts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfFacts, prof_facts_free)
/* A key that is there already gets the new value.  text NULL: nothing is added. */
void            prof_facts_set (ProfFacts *facts, const char *key, const char *text);
void            prof_facts_set_number (ProfFacts *facts, const char *key, double number);
guint           prof_facts_n (const ProfFacts *facts);
const ProfFact *prof_facts_get (const ProfFacts *facts, guint index);
const ProfFact *prof_facts_find (const ProfFacts *facts, const char *key);

/* Processor, its features and clock governor, cores, load, kernel, libraries. */
void prof_machine_describe (ProfFacts *facts);

/* What was stolen by other guests of the host, as a share of all time between. */
typedef struct
{
  double stolen, total;
} ProfTicks;

ProfTicks prof_machine_ticks (void);
double    prof_machine_stolen (const ProfTicks *before, const ProfTicks *after);

/* One sentence for each thing that makes times doubtful; NULL-terminated, (transfer full). */
char **prof_machine_warnings (const ProfFacts *facts);
