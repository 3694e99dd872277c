/* finding.h — one finding: a problem that a reader or a rule of the export doctor reports. It has a stable code, a severity,
 * a message with a hint, and the place as far as it is known.  The commands `check` and `info` and the window show findings.
 * Threads: any number of threads may read a finding while none changes it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/base/remedy.h"

#include <glib.h>

G_BEGIN_DECLS
/* How serious a finding is: only errors keep a model from running. */
typedef enum
{
  HYB_SEVERITY_NOTE,
  HYB_SEVERITY_WARNING,
  HYB_SEVERITY_ERROR,
} HybSeverity;

/* A parameter or node that the finding is about. */
typedef struct
{
  char *name;
  char *expected; /* JSON text: a list for a shape, a quoted string …; may be NULL */
  char *got;      /* likewise */
} HybFindingItem;
/* One thing that is wrong with a model, or worth knowing. */
typedef struct
{
  const char *code; /* a static string, stable across versions */
  HybSeverity severity;
  char       *node;   /* NULL if it concerns no single node */
  char       *file;   /* the place, as far as it is known; NULL: unknown */
  guint       line;   /* in the file, from 1; 0: unknown */
  char       *path;   /* JSON path in the file; NULL: unknown */
  gint64      offset; /* in a binary file; -1: unknown */
  char       *message;
  char       *hint;
  HybRemedy   remedy;
  GArray     *items; /* of HybFindingItem; NULL if there are none */
} HybFinding;

/* Creates a finding with the message made from format; code must be a static string. */
HYB_API HybFinding *
hyb_finding_new (const char *code, HybSeverity severity, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* Appends an item; copies its three texts, of which expected and got may be NULL. */
HYB_API void
hyb_finding_add_item (HybFinding *finding, const char *name, const char *expected, const char *got);
/* Frees a finding.  Accepts NULL. */
HYB_API void hyb_finding_free (HybFinding *finding);
/* An empty array that owns its HybFindings. */
HYB_API GPtrArray *hyb_findings_new (void);
/* The severity in words: "note", "warning" or "error".  Static. */
HYB_API const char *hyb_severity_name (HybSeverity severity);

G_END_DECLS
