/* capture.h — what was measured, in one file that can be read where it lies.
 *
 * A capture holds one variant of one model: under what conditions, its graph once,
 * clean samples, and the events of the traced runs.  Files come from strangers: every
 * index is checked before it is used, and a capture that opens can be read to the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/event.h"
#include "profiler/base/machine.h"
#include "profiler/capture/entries.h"

#include <gio/gio.h>

#define PROF_ERROR (prof_error_quark ())
GQuark prof_error_quark (void);
typedef enum
{
  PROF_ERROR_NOT_A_CAPTURE,
  PROF_ERROR_VERSION,
  PROF_ERROR_DAMAGED,
  PROF_ERROR_TRACE,   /* a profile.json in which nothing can be found */
  PROF_ERROR_UNEQUAL, /* things to compare that compute different numbers */
} ProfError;

typedef struct _ProfCapture ProfCapture;

ProfCapture *prof_capture_open (const char *path, GError **error);
ProfCapture *prof_capture_new (GBytes *bytes, const char *where, GError **error);
void         prof_capture_unref (ProfCapture *capture);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfCapture, prof_capture_unref)
gboolean prof_capture_sniff (const guint8 *head, gsize length);

const char *prof_capture_get_file (const ProfCapture *capture);
GBytes     *prof_capture_get_bytes (const ProfCapture *capture);

const char *prof_capture_get_string (const ProfCapture *capture, ProfText text); /* never NULL */
/* Facts by key: conditions, and how it was measured. */
const char        *
prof_capture_get_text (const ProfCapture *capture, const char *key);   /* NULL: not said */
double prof_capture_get_number (const ProfCapture *capture, const char *key); /* NaN: not said */
ProfFacts *prof_capture_dup_facts (const ProfCapture *capture);

guint            prof_capture_n_graphs (const ProfCapture *capture);
const ProfGraph *prof_capture_get_graph (const ProfCapture *capture, guint index);
guint            prof_capture_n_nodes (const ProfCapture *capture);
const ProfNode  *prof_capture_get_node (const ProfCapture *capture, guint32 row);
/* Rows of what a node reads; PROF_NONE among them is possible. */
const guint32 *prof_capture_get_edges (const ProfCapture *capture, guint32 row, guint *n);

guint             prof_capture_n_samples (const ProfCapture *capture);
const ProfSample *prof_capture_get_samples (const ProfCapture *capture);
/* Of one kind, in order; (transfer full) */
double *prof_capture_dup_samples (const ProfCapture *capture, ProfSampleKind kind, guint *n);

/* Events with node as a row of the nodes (of NODE events; may be PROF_NONE) and graph as
 * an index of the graphs. */
guint                  prof_capture_n_events (const ProfCapture *capture);
const ProfEvent       *prof_capture_get_events (const ProfCapture *capture);
guint                  prof_capture_n_memory (const ProfCapture *capture);
const ProfMemoryPoint *prof_capture_get_memory (const ProfCapture *capture);

/* The model's graph as MXNet's JSON; NULL and an error: not kept, or damaged. */
GBytes *prof_capture_dup_symbol (const ProfCapture *capture, GError **error);
