/* capture.h — the measurement of one variant of one model, in one file that is read in place.
 *
 * A capture holds the conditions, the graph, the samples, and the events of the traced runs.  Files
 * are not trusted: a capture that opens can be read to the end, because every index is checked
 * before it is used.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/disturbance.h"
#include "profiler/base/event.h"
#include "profiler/base/machine.h"
#include "profiler/capture/entries.h"

#include <gio/gio.h>

#define PROF_ERROR (prof_error_quark ())
/* The error domain of the profiler. */
GQuark prof_error_quark (void);
typedef enum
{
  PROF_ERROR_NOT_A_CAPTURE,
  PROF_ERROR_VERSION,
  PROF_ERROR_DAMAGED,
  PROF_ERROR_TRACE,   /* a trace of another profiler without any event */
  PROF_ERROR_UNEQUAL, /* variants to compare that compute different numbers */
} ProfError;

typedef struct _ProfCapture ProfCapture;

/* Maps the file at path.  NULL with an error if it is not a capture, damaged, or of another
 * version.  Of a file that was cut, the whole entries are kept (prof_capture_get_missing()), as long as
 * its table of sections and one name are there.  (transfer full) */
ProfCapture *prof_capture_open (const char *path, GError **error);
/* Reads bytes, which it refs; where is named in errors.  (transfer full) */
ProfCapture *prof_capture_new (GBytes *bytes, const char *where, GError **error);
/* Releases a reference; NULL is allowed. */
void prof_capture_unref (ProfCapture *capture);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfCapture, prof_capture_unref)
/* TRUE if the first bytes of a file belong to a capture.  8 bytes are enough. */
gboolean prof_capture_sniff (const guint8 *head, gsize length);

/* The path, or where prof_capture_new() said that it comes from. */
const char *prof_capture_get_file (const ProfCapture *capture);
/* The missing part, as a sentence without a full stop, if the file was cut; NULL if it is whole. */
const char *prof_capture_get_missing (const ProfCapture *capture);
/* The bytes of the file, owned by capture. */
GBytes *prof_capture_get_bytes (const ProfCapture *capture);

/* A text of an entry; "" if it is damaged.  Never NULL. */
const char *prof_capture_get_string (const ProfCapture *capture, ProfText text);
/* A fact that is a text; NULL if the capture has no such fact. */
const char *prof_capture_get_text (const ProfCapture *capture, const char *key);
/* A fact that is a number; NaN if the capture has no such fact. */
double prof_capture_get_number (const ProfCapture *capture, const char *key);
/* All facts.  (transfer full) */
ProfFacts *prof_capture_dup_facts (const ProfCapture *capture);

/* The number of graphs: the main graph and bodies. */
guint prof_capture_n_graphs (const ProfCapture *capture);
/* A graph; the main graph is the first. */
const ProfGraph *prof_capture_get_graph (const ProfCapture *capture, guint index);
/* The number of nodes of all graphs. */
guint prof_capture_n_nodes (const ProfCapture *capture);
/* A node. */
const ProfNode *prof_capture_get_node (const ProfCapture *capture, guint32 row);
/* The n rows that a node reads, which may be any numbers in a damaged capture; NULL if there are
 * none. */
const guint32 *prof_capture_get_edges (const ProfCapture *capture, guint32 row, guint *n);
/* More about a node that ran; NULL if the capture has nothing about it. */
const ProfNodeDetail *prof_capture_find_detail (const ProfCapture *capture, guint32 row);
/* How a node that ran was computed, in a few words; "" if the capture has nothing about it. */
const char *prof_capture_find_kernel (const ProfCapture *capture, guint32 row);

/* All n origins, by ascending row; their rows may be any numbers in a damaged capture.  n = 0 in older
 * captures. */
const ProfOrigin *prof_capture_get_origins (const ProfCapture *capture, guint *n);

/* The number of samples of all kinds. */
guint prof_capture_n_samples (const ProfCapture *capture);
/* All samples. */
const ProfSample *prof_capture_get_samples (const ProfCapture *capture);
/* Seconds of the n samples of one kind, in order.  Free with g_free(). */
double *prof_capture_dup_samples (const ProfCapture *capture, ProfSampleKind kind, guint *n);
/* Facts about the samples of prof_capture_dup_samples (), in the same order; NULL if the capture has
 * none.  Samples without facts have NaN and 0.  Free with g_free(). */
ProfSampleFacts *prof_capture_dup_sample_facts (const ProfCapture *capture, ProfSampleKind kind);
/* Seconds of the n clean samples that make the estimate, in order; see
 * prof_select_undisturbed(). disturbance: (nullable) says which they are.  Free with g_free(). */
double *
prof_capture_dup_undisturbed (const ProfCapture *capture, guint *n, ProfDisturbance *disturbance);

/* The number of events. */
guint prof_capture_n_events (const ProfCapture *capture);
/* All events, in the order in which they ended.  node is a row (for NODE events, perhaps PROF_NONE)
 * and graph the index of a graph. */
const ProfEvent *prof_capture_get_events (const ProfCapture *capture);
/* The number of memory points. */
guint prof_capture_n_memory (const ProfCapture *capture);
/* Memory in use while nodes ran, in the order of the plan. */
const ProfMemoryPoint *prof_capture_get_memory (const ProfCapture *capture);

/* The model's graph as MXNet's JSON.  NULL with an error if it is not stored or damaged.  (transfer
 * full) */
GBytes *prof_capture_dup_symbol (const ProfCapture *capture, GError **error);

/* Writes capture to path, replacing the file at once.  FALSE with an error if that fails. */
gboolean prof_capture_write (const ProfCapture *capture, const char *path, GError **error);
