/* trace-events.h — Chrome tracing events from files that need not be valid JSON.
 *
 * MXNet escapes nothing in names and leaves the file open when a run does not end in
 * a dump; what can be read is read, what is cut off is counted.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  const char *name, *category; /* "" if absent */
  const char *node;            /* args.node, args.op_name: what others say of it; NULL */
  char        phase;           /* 'B', 'E', 'X' …; 0: not said */
  gboolean    has_time;
  gint64      begin_ns, duration_ns;
  guint64     pid, tid; /* up to 2^64 - 1: no double holds them */
} ProfTraceEvent;

typedef struct
{
  GArray       *events; /* of ProfTraceEvent */
  GStringChunk *texts;
  guint         n_broken; /* objects that could not be read */
  guint         n_mended; /* names with quotes or escapes that are not JSON's */
  gboolean      is_cut;   /* the end is missing */
} ProfTrace;

/* NULL and an error: no events at all. */
ProfTrace *prof_trace_read (const char *text, gsize length, const char *where, GError **error);
void       prof_trace_free (ProfTrace *trace);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfTrace, prof_trace_free)
