/* machine-facts.h — the model of the machine: what is measured, stored and shown, one row each.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/simd/machine-model.h"
#include "profiler/machine/machine-samples.h"
#include "profiler/machine/machine-store.h"

typedef enum
{
  PROF_UNIT_BYTES,
  PROF_UNIT_BYTE_RATE, /* bytes per second */
  PROF_UNIT_PER_CYCLE,
  PROF_UNIT_RATE, /* per second */
} ProfUnit;

/* One fact, a double of HybMachine. */
typedef struct
{
  ProfStoredNumber stored;
  const char      *words; /* for people */
  ProfUnit         unit;
  gsize            offset;    /* in HybMachine */
  double           agreement; /* the two halves of the rounds differ by this factor at most */
  /* Returns the fact, from rates and the facts of earlier rows; 0 if it was not found. */
  double (*get) (const ProfMachineView *view, const HybMachine *machine);
  double (*reported) (void); /* what the processor reports; NULL: nothing */
} ProfMachineFact;

#define PROF_N_MACHINE_FACTS 24
/* In the order in which they are found and shown. */
extern const ProfMachineFact prof_machine_facts[PROF_N_MACHINE_FACTS];

/* Fills the machine with the facts that both halves of the rounds agree on, as the best of both has them; 0 for the others.
 * TRUE if they agree on all. */
gboolean prof_machine_facts_find (const ProfMachineSamples *samples, HybMachine *machine);
/* The value of a fact. */
double prof_machine_fact_get (const ProfMachineFact *fact, const HybMachine *machine);
/* Sets it. */
void prof_machine_fact_set (const ProfMachineFact *fact, HybMachine *machine, double value);
/* FALSE: no machine has such values, so that the measurement was disturbed from beginning to end. */
gboolean prof_machine_facts_are_possible (const HybMachine *machine);
