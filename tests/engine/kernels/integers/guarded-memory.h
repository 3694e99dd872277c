/* guarded-memory.h — memory and margins in which a test sees that something was written outside of its place.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* What surrounds results and must stay as it is. */
#define MARGIN   64
#define SENTINEL 0x5a

/* Memory with a byte behind it that must stay as it is. */
static inline gpointer
allocate_guarded (gsize bytes)
{
  guint8 *memory = g_aligned_alloc (1, bytes + 1, 64);

  memory[bytes] = SENTINEL;
  return memory;
}

static inline void
free_guarded (gpointer memory, gsize bytes)
{
  g_assert_cmpint (((guint8 *) memory)[bytes], ==, SENTINEL);
  g_aligned_free (memory);
}
