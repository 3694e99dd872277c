/* imported.h — a trace of another tool that was mapped to the graph of a model, for tests.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/open/open.h"
#include "profiler/exchange/import.h"
#include "profiler/summary/summary.h"

/* All members are owned. */
typedef struct
{
  ProfTrace   *trace;
  HybModel    *model; /* nullable */
  ProfImport   import;
  ProfCapture *capture;
  ProfSummary *summary;
} Imported;

/* Maps a trace to a graph (nullable) and sums it up.  trace: (transfer full).  Ends the test if it
 * cannot be mapped. */
void imported_map (Imported *imported, ProfTrace *trace, HybGraph *graph);
/* Reads a trace from text and maps it as imported_map() does. */
void imported_read (Imported *imported, const char *text, gsize length, HybGraph *graph);
/* A model whose file must be readable.  (transfer full) */
HybModel *imported_open (const char *path);
/* Frees what is in it. */
void imported_clear (Imported *imported);
