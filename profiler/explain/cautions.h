/* cautions.h — in what conditions two recordings differ, as sentences.
 *
 * Recordings hold facts about the machine, the libraries and the options (profiler/base/machine.h);
 * a fact that only one of them has is not a difference.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

/* How the machines of two recordings are related. */
typedef enum
{
  PROF_SAME_MACHINE,  /* host name, processor, cores and memory agree */
  PROF_LIKE_MACHINE,  /* all but the host name agree, or it is not known */
  PROF_OTHER_MACHINE, /* processor, instructions, cores or memory differ */
} ProfMachineRelation;

/* The relation of the machines of a and b. */
ProfMachineRelation prof_machine_relation (const ProfCapture *a, const ProfCapture *b);

/* How fast the machine was for b, compared with a; bits. */
typedef enum
{
  PROF_SPEED_AGREES = 0,
  PROF_SPEED_LOWER = 1 << 0,  /* its copy rate or its clock, which may be why b is slower */
  PROF_SPEED_HIGHER = 1 << 1, /* likewise, why b is faster */
  PROF_SPEED_UNKNOWN = PROF_SPEED_LOWER | PROF_SPEED_HIGHER,
} ProfSpeedChange;

/* Compares the copy rates and the clocks of a and b. */
ProfSpeedChange prof_machine_speed_change (const ProfCapture *a, const ProfCapture *b);
/* Why the machine was not as fast for b as for a, as a sentence.  NULL if copy rate and clock agree.
 * (transfer full) */
char *prof_machine_dup_speed_problem (const ProfCapture *a, const ProfCapture *b);
/* By how much the machine computed faster or slower for b than for a: |log (ratio)|; 0 if a recording does not hold it. */
double prof_machine_clock_difference (const ProfCapture *a, const ProfCapture *b);

typedef enum
{
  PROF_CAUTION_MACHINE,  /* they ran on other machines */
  PROF_CAUTION_WORK,     /* they did not do the same work, or not in the same way */
  PROF_CAUTION_MODEL,    /* the models differ, perhaps on purpose */
  PROF_CAUTION_SOFTWARE, /* other versions of libraries, kernel or program */
  PROF_CAUTION_NOISE,    /* load, stolen time, noise */
  PROF_CAUTION_UNKNOWN,  /* facts that recordings do not hold */
} ProfCautionKind;

/* "machine", "work", "model", "software", "noise", "unknown". */
const char *prof_caution_name (ProfCautionKind kind);

typedef struct
{
  ProfCautionKind kind;
  char           *text; /* a sentence */
} ProfCaution;

/* Caveats about comparing the times of a and b, gravest first.  Array of ProfCaution.
 * (transfer full) */
GPtrArray *prof_cautions (const ProfCapture *a, const ProfCapture *b);
/* Appends a sentence to such an array. */
void prof_cautions_add (GPtrArray *cautions, ProfCautionKind kind, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* Whether the array has a sentence of this kind. */
gboolean prof_cautions_have (const GPtrArray *cautions, ProfCautionKind kind);
