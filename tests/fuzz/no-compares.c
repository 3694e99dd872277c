/* no-compares.c — leaves out what libFuzzer notes at each comparison of numbers.
 *
 * It tries these numbers in later changes of bytes.  Graphs have a mutator of their own, which never asks for them, and
 * in traces they are mostly single characters; noting them takes a fifth to a third of the time.  The linker puts these
 * functions in the place of libFuzzer's (--wrap).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib.h>

/* They are called at every comparison, so they have no counters of their own. */
#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)

#define COMPARE(bits, bytes)                                                         \
  void __wrap___sanitizer_cov_trace_cmp##bytes (guint##bits a, guint##bits b);       \
  void __wrap___sanitizer_cov_trace_const_cmp##bytes (guint##bits a, guint##bits b); \
  void __wrap___sanitizer_cov_trace_cmp##bytes (guint##bits a, guint##bits b)        \
  {                                                                                  \
  }                                                                                  \
  void __wrap___sanitizer_cov_trace_const_cmp##bytes (guint##bits a, guint##bits b)  \
  {                                                                                  \
  }

COMPARE (8, 1)
COMPARE (16, 2)
COMPARE (32, 4)
COMPARE (64, 8)

void __wrap___sanitizer_cov_trace_switch (guint64 value, guint64 *cases);

void
__wrap___sanitizer_cov_trace_switch (guint64 value, guint64 *cases)
{
}

#pragma clang attribute pop
