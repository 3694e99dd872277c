/* trace-events.h — reads Chrome trace events from files that may be invalid JSON.
 *
 * MXNet does not escape names, and leaves the file open when a run does not end in a dump.  Events
 * that can be read are read; the others are counted.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#define PROF_NO_NUMBER G_MAXUINT32

typedef struct
{
  const char *name, *category; /* "" if absent */
  const char *node;            /* args.node; NULL if absent */
  const char
      *type; /* args.op_name, the operator where the name is that of a node; NULL if absent */
  const char *origin; /* args.origin, the node that a node of ours was made from; NULL if absent */
  const char *labels, *tracer; /* of args, the name of a GPU and its tracer; NULL if absent */
  char        phase;           /* 'B', 'E', 'X' and so on; 0 if absent */
  gboolean    has_time;
  gint64      begin_ns, duration_ns;
  guint64     pid, tid;        /* up to 2^64 - 1, more than a double can hold */
  guint32     run, step, body; /* of args, in traces of ours; PROF_NO_NUMBER if absent */
  guint32     device, stream, correlation, first; /* the same, of a GPU and its work */
} ProfTraceEvent;

typedef struct
{
  GArray       *events;   /* of ProfTraceEvent */
  GStringChunk *texts;    /* owns their texts */
  guint         n_broken; /* objects that could not be read */
  guint         n_mended; /* texts with characters that JSON would have escaped */
  gboolean      is_cut;   /* the end of the list is missing */
  gboolean      is_own;   /* written by prof_print_chrome() */
  gboolean      is_flat;  /* parts of operators were left out by the reader */
} ProfTrace;

/* Reads text.  NULL with an error that names where, if there is no event in it.  (transfer full) */
ProfTrace *prof_trace_read (const char *text, gsize length, const char *where, GError **error);
/* Frees trace; NULL is allowed. */
void prof_trace_free (ProfTrace *trace);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfTrace, prof_trace_free)
