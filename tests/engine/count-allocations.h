/* count-allocations.h — counting what is allocated, by standing before the C library.
 *
 * To be included by one file of a program: it defines malloc() and its relatives.
 * Counts n_allocations while is_counting.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 1

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *memory, size_t size);
extern void *__libc_memalign (size_t alignment, size_t size);

static gint     n_allocations;
static gboolean is_counting;

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
#else
#define COUNTS_ALLOCATIONS 0
static gint     n_allocations;
static gboolean is_counting;
#endif
