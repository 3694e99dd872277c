/* finding.h — one thing that a reader or a rule of the export doctor has to say.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  HYB_SEVERITY_NOTE,
  HYB_SEVERITY_WARNING,
  HYB_SEVERITY_ERROR,
} HybSeverity;

/* What helps at once; how it is asked for is the business of who shows it. */
typedef enum
{
  HYB_REMEDY_NONE,
  HYB_REMEDY_REPAIR,     /* hyb_diagnose_repair() mends it */
  HYB_REMEDY_PARAMETERS, /* another file of parameters */
  HYB_REMEDY_SHAPES,     /* shapes of inputs */
} HybRemedy;

typedef struct
{
  char *name;
  char *expected; /* JSON text (a list for a shape, a quoted string …) or NULL */
  char *got;
} HybFindingItem;

typedef struct
{
  const char *code; /* static; contract.md 3 lists them */
  HybSeverity severity;
  char       *node;   /* NULL: none in particular */
  char       *file;   /* place: what of it is known */
  guint       line;   /* 0: unknown */
  char       *path;   /* JSON path, NULL: none */
  gint64      offset; /* in a binary file; -1: none */
  char       *message;
  char       *hint;
  HybRemedy   remedy;
  GArray     *items; /* of HybFindingItem; NULL: none */
} HybFinding;

HybFinding *hyb_finding_new (const char *code, HybSeverity severity, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
void
hyb_finding_add_item (HybFinding *finding, const char *name, const char *expected, const char *got);
void        hyb_finding_free (HybFinding *finding);
GPtrArray  *hyb_findings_new (void); /* of HybFinding, freeing */
const char *hyb_severity_name (HybSeverity severity);

G_END_DECLS
