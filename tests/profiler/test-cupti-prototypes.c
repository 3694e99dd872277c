/* test-cupti-prototypes.c — what profiler/record/cupti-api.h declares is what the vendor's headers say.
 *
 * Compiled where the headers are; the comparison is made by the compiler.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <cuda.h>
#include <cupti.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>

#define PROF_CUPTI_VENDOR_TYPES
#include "profiler/record/cupti-api.h"

#include <glib.h>

#define SAME(result, name, parameters)                                                \
  _Static_assert(__builtin_types_compatible_p (__typeof__ (name), result parameters), \
                 #name " has another prototype");
PROF_CUPTI_FUNCTIONS (SAME)
PROF_CUPTI_OPTIONAL_FUNCTIONS (SAME)

#define EQUAL(ours, vendor, value) \
  _Static_assert((int) (vendor) == (value), #vendor " has another value");
PROF_CUPTI_VALUES (EQUAL)

#define PLACED(ours, record, field, at) \
  _Static_assert(offsetof (record, field) == (at), #record "." #field " lies elsewhere");
PROF_CUPTI_FIELDS (PLACED)

#define DRIVER(first_name, first, last_name, last)                  \
  _Static_assert(CUPTI_DRIVER_TRACE_CBID_##first_name == (first) && \
                     CUPTI_DRIVER_TRACE_CBID_##last_name == (last), \
                 #first_name " or " #last_name " has another number");
PROF_CUPTI_DRIVER_CALLS (DRIVER)

#define RUNTIME(first_name, first, last_name, last)                  \
  _Static_assert(CUPTI_RUNTIME_TRACE_CBID_##first_name == (first) && \
                     CUPTI_RUNTIME_TRACE_CBID_##last_name == (last), \
                 #first_name " or " #last_name " has another number");
PROF_CUPTI_RUNTIME_CALLS (RUNTIME)

/* The structs of callbacks that are declared by ourselves elsewhere. */
_Static_assert(offsetof (CUpti_ResourceData, resourceDescriptor) == 2 * sizeof (void *),
               "resourceDescriptor lies elsewhere");
_Static_assert(offsetof (CUpti_GraphData, node) == 2 * sizeof (void *), "node lies elsewhere");
_Static_assert(offsetof (CUpti_GraphData, originalNode) == 3 * sizeof (void *),
               "originalNode lies elsewhere");
_Static_assert(sizeof (CUpti_Profiler_Initialize_Params) == 2 * sizeof (void *),
               "CUpti_Profiler_Initialize_Params has another size");
_Static_assert(sizeof (CUpti_RangeProfiler_Enable_Params) == 4 * sizeof (void *) &&
                   offsetof (CUpti_RangeProfiler_Enable_Params, ctx) == 2 * sizeof (void *),
               "CUpti_RangeProfiler_Enable_Params has other members");
_Static_assert(sizeof (CUpti_RangeProfiler_Disable_Params) == 3 * sizeof (void *),
               "CUpti_RangeProfiler_Disable_Params has another size");

static void
test_prototypes (void)
{
  g_assert_cmpuint (sizeof (ProfCuptiFunctions) / sizeof (void *), >, 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/cupti-prototypes/are-the-vendor's", test_prototypes);
  return g_test_run ();
}
