/* processor.c — the caches of this processor and how it reads memory; see processor.h.
 *
 * Facts come from the instruction cpuid, elsewhere from the C library.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/simd/processor.h"

#include "engine/kernels/simd/simd.h"

#include <string.h>
#include <unistd.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

/* Assumed sizes where neither cpuid nor the C library reports one. */
#define SECOND_CACHE (512 << 10)
#define LAST_CACHE   (8 << 20)

static const HybProcessor *pretended; /* NULL: none */

#ifdef __x86_64__
/* The leaves of cpuid that describe one cache each: of Intel, and the same of AMD. */
#define CACHE_LEAF     4
#define AMD_CACHE_LEAF 0x8000001d
#define MAX_CACHES     8

static gboolean
is_amd (void)
{
  unsigned a, b = 0, c = 0, d = 0;
  char     vendor[13] = "";

  __get_cpuid (0, &a, &b, &c, &d);
  memcpy (vendor, &b, 4);
  memcpy (vendor + 4, &d, 4);
  memcpy (vendor + 8, &c, 4);
  return strcmp (vendor, "AuthenticAMD") == 0 || strcmp (vendor, "HygonGenuine") == 0;
}

/* The family and, as its lowest byte, the model. */
static unsigned
family_and_model (void)
{
  unsigned a = 0, b, c, d;

  __get_cpuid (1, &a, &b, &c, &d);
  return (((a >> 8 & 15) + (a >> 20 & 255)) << 8) | (a >> 12 & 0xf0) | (a >> 4 & 15);
}

/* AVX2 in halves: families 15h, 17h before Zen 2 (model 30h) and 18h.  AVX-512 in halves: family 19h, Zen 4. */
static gboolean
halves_vectors (void)
{
  unsigned which = family_and_model (), family = which >> 8;

  if (!is_amd ())
    return FALSE;
  if (hyb_simd_level () == HYB_SIMD_AVX512)
    return family == 0x19;
  return hyb_simd_level () == HYB_SIMD_AVX2 &&
         (family == 0x15 || family == 0x18 || (family == 0x17 && which < 0x1730));
}

/* The C library adds up the last-level caches of all cores on AMD; cpuid says what one core reaches. */
static void
find_caches (HybProcessor *processor)
{
  unsigned a, b, c, d, leaf = is_amd () ? AMD_CACHE_LEAF : CACHE_LEAF;

  for (unsigned index = 0; index < MAX_CACHES; index++)
    {
      if (!__get_cpuid_count (leaf, index, &a, &b, &c, &d) || (a & 31) == 0)
        return;

      gint64 bytes =
          (gint64) ((b >> 22) + 1) * ((b >> 12 & 1023) + 1) * ((b & 4095) + 1) * ((gint64) c + 1);
      int level = (int) (a >> 5 & 7);

      if (level == 2)
        processor->second_cache = bytes;
      if (level >= 2)
        processor->last_cache = MAX (processor->last_cache, bytes);
    }
}
#else
static gboolean
is_amd (void)
{
  return FALSE;
}

static gboolean
halves_vectors (void)
{
  return FALSE;
}

static void
find_caches (HybProcessor *processor)
{
#ifdef _SC_LEVEL2_CACHE_SIZE
  processor->second_cache = sysconf (_SC_LEVEL2_CACHE_SIZE);
  processor->last_cache = sysconf (_SC_LEVEL3_CACHE_SIZE);
#endif
}
#endif

static void
detect (HybProcessor *processor)
{
  find_caches (processor);
  if (processor->second_cache <= 0)
    processor->second_cache = SECOND_CACHE;
  if (processor->last_cache <= processor->second_cache)
    processor->last_cache = MAX (LAST_CACHE, processor->second_cache);
  processor->halves_vectors = halves_vectors ();
  processor->prefetches_well = is_amd ();
}

const HybProcessor *
hyb_processor (void)
{
  static HybProcessor found;
  static gsize        is_found;

  if (g_once_init_enter (&is_found))
    {
      detect (&found);
      g_once_init_leave (&is_found, 1);
    }
  return pretended ? pretended : &found;
}

void
hyb_processor_pretend (const HybProcessor *processor)
{
  pretended = processor;
}

char *
hyb_processor_describe (void)
{
  const HybProcessor *processor = hyb_processor ();

  return g_strdup_printf ("second-level %" G_GINT64_FORMAT " KiB, last-level %" G_GINT64_FORMAT
                          " KiB%s; weights beyond the %s one are prefetched",
                          processor->second_cache >> 10, processor->last_cache >> 10,
                          processor->halves_vectors ? "; vectors are loaded in halves" : "",
                          processor->prefetches_well ? "last-level" : "second-level");
}
