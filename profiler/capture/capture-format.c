/* capture-format.c — the size of one entry of every section of a capture file.
 *
 * The reader refuses a section whose entries have another size.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/capture/capture-format.h"

#include "profiler/base/event.h"

const guint32 prof_entry_sizes[PROF_N_SECTIONS] = {
  [PROF_SECTION_STRINGS] = 1,
  [PROF_SECTION_TEXTS] = sizeof (ProfTextFact),
  [PROF_SECTION_NUMBERS] = sizeof (ProfNumberFact),
  [PROF_SECTION_GRAPHS] = sizeof (ProfGraph),
  [PROF_SECTION_NODES] = sizeof (ProfNode),
  [PROF_SECTION_EDGES] = sizeof (guint32),
  [PROF_SECTION_SAMPLES] = sizeof (ProfSample),
  [PROF_SECTION_EVENTS] = sizeof (ProfEvent),
  [PROF_SECTION_MEMORY] = sizeof (ProfMemoryPoint),
  [PROF_SECTION_SYMBOL] = 1,
  [PROF_SECTION_FACTS] = sizeof (ProfFactsEntry),
  [PROF_SECTION_DETAILS] = sizeof (ProfNodeDetail),
  [PROF_SECTION_ORIGINS] = sizeof (ProfOrigin),
  [PROF_SECTION_KERNELS] = sizeof (ProfNodeKernel),
};
