/* capture-format.h — the layout of a capture file.
 *
 * A header, a table of sections, then the sections, each an array of entries of fixed size that
 * begins at a multiple of 8.  Numbers are little-endian.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/disturbance.h"
#include "profiler/capture/entries.h"

#define PROF_MAGIC      "hscope\x1a\n"
#define PROF_VERSION    1
#define PROF_BYTE_ORDER 0x01020304u

typedef enum
{
  PROF_SECTION_STRINGS, /* bytes; each text ends with a 0 */
  PROF_SECTION_TEXTS,   /* ProfTextFact */
  PROF_SECTION_NUMBERS, /* ProfNumberFact */
  PROF_SECTION_GRAPHS,
  PROF_SECTION_NODES,
  PROF_SECTION_EDGES, /* guint32: rows */
  PROF_SECTION_SAMPLES,
  PROF_SECTION_EVENTS,
  PROF_SECTION_MEMORY,
  PROF_SECTION_SYMBOL,  /* bytes: the graph as MXNet's JSON, compressed with zlib */
  PROF_SECTION_FACTS,   /* ProfFactsEntry; not in older captures */
  PROF_SECTION_DETAILS, /* ProfNodeDetail by ascending row; not in older captures */
  PROF_SECTION_ORIGINS, /* ProfOrigin by ascending row, then `of`; not in older captures */
  PROF_SECTION_KERNELS, /* ProfNodeKernel by ascending row; not in older captures */
  PROF_N_SECTIONS,
} ProfSectionKind;

typedef struct
{
  char    magic[8];
  guint32 version;
  guint32 byte_order;
  guint64 size; /* of the file in bytes */
  guint32 n_sections;
  guint32 reserved;
} ProfHeader;

/* An entry of the table of sections. */
typedef struct
{
  guint32 kind;
  guint32 entry;  /* bytes of one entry */
  guint64 offset; /* in the file */
  guint64 count;  /* entries */
} ProfSection;

typedef struct
{
  ProfText key, value;
} ProfTextFact;

typedef struct
{
  ProfText key;
  guint32  reserved;
  double   value;
} ProfNumberFact;

/* The facts about a sample. */
typedef struct
{
  guint32         kind, run; /* of the sample */
  ProfSampleFacts facts;
} ProfFactsEntry;

G_STATIC_ASSERT (sizeof (ProfHeader) == 32);
G_STATIC_ASSERT (sizeof (ProfSection) == 24);
G_STATIC_ASSERT (sizeof (ProfNode) == 72);
G_STATIC_ASSERT (sizeof (ProfGraph) == 12);
G_STATIC_ASSERT (sizeof (ProfSample) == 16);
G_STATIC_ASSERT (sizeof (ProfFactsEntry) == 48);
G_STATIC_ASSERT (sizeof (ProfNodeDetail) == 16);
G_STATIC_ASSERT (sizeof (ProfOrigin) == 16);
G_STATIC_ASSERT (sizeof (ProfNodeKernel) == 8);
G_STATIC_ASSERT (sizeof (ProfMemoryPoint) == 16);

/* Bytes of one entry of each section. */
extern const guint32 prof_entry_sizes[PROF_N_SECTIONS];
