/* fuzz.h — what the harnesses of this folder share: limits, and counts of how far inputs got.
 *
 * A harness is one C file that defines LLVMFuzzerTestOneInput().  Built with -Dfuzz=true it is linked with
 * clang's libFuzzer, which generates inputs; otherwise with replay.c, which runs the files that it is given.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* --- What libFuzzer calls --- */

/* Runs one input.  Returns 0. */
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);
/* Changes an input in place, which may grow to max_size bytes; returns its new size. */
gsize LLVMFuzzerCustomMutator (guint8 *data, gsize size, gsize max_size, unsigned seed);
/* libFuzzer's own changes of bytes, or those of replay.c. */
gsize LLVMFuzzerMutate (guint8 *data, gsize size, gsize max_size);

/* How often the mutator of graphs makes another change if the last one has no types: a harness that runs graphs
 * asks for more than 1, which costs as much as reading a graph. */
extern const guint fuzz_graph_attempts;

/* --- What harnesses call --- */

/* How far an input got. */
typedef enum
{
  FUZZ_TRIED,
  FUZZ_READ,    /* the reader accepted it */
  FUZZ_PLANNED, /* a graph could be planned */
  FUZZ_RAN,     /* and ran to its end */
  FUZZ_N_STAGES,
} FuzzStage;

/* Begins an input: sets the limits of the engine, makes critical messages fatal, and counts. */
void fuzz_begin (void);
/* Counts an input that got this far.  The counts are printed when the process ends, see fuzz_report(). */
void fuzz_reached (FuzzStage stage);
/* Writes the counts to stderr: “reached: 10 tried, 5 read, 0 planned, 0 ran”. */
void fuzz_report (void);

/* The bytes as memory of their own of exactly that size, so that a sanitizer notices reads beyond the end. */
GBytes *fuzz_bytes (const guint8 *data, gsize size);

/* --- Random choices of mutators --- */

/* The state of a generator; starts as the seed. */
typedef guint64 FuzzRandom;
/* A number below n; n is at least 1. */
guint fuzz_below (FuzzRandom *random, guint n);
/* TRUE once in n calls. */
gboolean fuzz_once_in (FuzzRandom *random, guint n);
/* A number that finds mistakes in the handling of sizes: a small one, one near a power of two, or any. */
guint64 fuzz_number (FuzzRandom *random);
