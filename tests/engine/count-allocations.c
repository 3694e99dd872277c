/* count-allocations.c — stands before malloc() and its relatives of the C library, and counts their calls.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/count-allocations.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

gint     n_allocations;
gboolean is_counting;

#if COUNTS_ALLOCATIONS

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *memory, size_t size);
extern void *__libc_memalign (size_t alignment, size_t size);

/* Products of some small sizes take room inside OpenBLAS, which is not ours to mend. */
static void
count_allocation (gconstpointer caller)
{
  Dl_info from;

  if (is_counting && !(dladdr (caller, &from) && strstr (from.dli_fname, "openblas")))
    g_atomic_int_inc (&n_allocations);
}

void *
malloc (size_t size)
{
  count_allocation (__builtin_return_address (0));
  return __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  count_allocation (__builtin_return_address (0));
  return __libc_calloc (n, size);
}

void *
realloc (void *memory, size_t size)
{
  count_allocation (__builtin_return_address (0));
  return __libc_realloc (memory, size);
}

int
posix_memalign (void **memory, size_t alignment, size_t size)
{
  count_allocation (__builtin_return_address (0));
  *memory = __libc_memalign (alignment, size);
  return *memory ? 0 : ENOMEM;
}
#endif
