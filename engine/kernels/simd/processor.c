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
#define FIRST_CACHE  (32 << 10)
#define SECOND_CACHE (512 << 10)
#define LAST_CACHE   (8 << 20)

#ifdef __x86_64__
/* The leaves of cpuid that describe one cache each: of Intel, and the same of AMD. */
#define CACHE_LEAF     4
#define AMD_CACHE_LEAF 0x8000001d
#define MAX_CACHES     8
#define CODE_CACHE     2 /* the type of a cache for instructions */
/* The leaves that hold the name, 16 bytes each. */
#define NAME_LEAF   0x80000002
#define NAME_LEAVES 3

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

      if (level == 1 && (a & 31) != CODE_CACHE)
        processor->first_cache = bytes;
      if (level == 2)
        processor->second_cache = bytes;
      if (level >= 2)
        processor->last_cache = MAX (processor->last_cache, bytes);
    }
}

/* (transfer full) */
static char *
dup_kind (void)
{
  char     name[16 * NAME_LEAVES + 1] = "";
  unsigned which = family_and_model (), a = 0, b, c, d;

  for (unsigned leaf = 0; leaf < NAME_LEAVES; leaf++)
    if (__get_cpuid (NAME_LEAF + leaf, &a, &b, &c, &d))
      memcpy (name + 16 * leaf, (unsigned[]){ a, b, c, d }, 16);
  a = 0;
  __get_cpuid (1, &a, &b, &c, &d);
  return g_strdup_printf ("%s, family %u model %u stepping %u", g_strstrip (name), which >> 8,
                          which & 255, a & 15);
}
#else
static char *
dup_kind (void)
{
  return g_strdup ("another processor");
}

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
  processor->first_cache = sysconf (_SC_LEVEL1_DCACHE_SIZE);
  processor->second_cache = sysconf (_SC_LEVEL2_CACHE_SIZE);
  processor->last_cache = sysconf (_SC_LEVEL3_CACHE_SIZE);
#endif
}
#endif

static void
detect (HybProcessor *processor)
{
  find_caches (processor);
  if (processor->first_cache <= 0)
    processor->first_cache = FIRST_CACHE;
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
  return &found;
}

char *
hyb_processor_dup_name (void)
{
  const HybProcessor *processor = hyb_processor ();
  g_autofree char    *kind = dup_kind ();

  return g_strdup_printf ("%s, caches of %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                          " and %" G_GINT64_FORMAT " KiB",
                          kind, processor->first_cache >> 10, processor->second_cache >> 10,
                          processor->last_cache >> 10);
}

char *
hyb_processor_describe (void)
{
  const HybProcessor *processor = hyb_processor ();

  return g_strdup_printf ("first-level %" G_GINT64_FORMAT " KiB, second-level %" G_GINT64_FORMAT
                          " KiB, last-level %" G_GINT64_FORMAT " KiB",
                          processor->first_cache >> 10, processor->second_cache >> 10,
                          processor->last_cache >> 10);
}
