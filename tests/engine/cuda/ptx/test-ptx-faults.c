/* test-ptx-faults.c — every fault that is planted in faults.cu or in a launch is found, with a
 * message that names the place; and with that one check switched off it is not, so it is this
 * check that finds it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/cuda/ptx/device.h"
#include "tests/engine/cuda/ptx/kernels/arguments.h"
#include "tests/engine/cuda/ptx/make-ptx.h"
#include "tests/program.h"

typedef struct
{
  const char *path, *kernel;
  PtxError    check;
  const char *says;
  gboolean    mends; /* -DRIGHT mends the kernel */
  gint        columns;
  guint       input;  /* floats that are there; 0: 256 */
  guint       filled; /* floats of the input that were written; 0: all */
  gboolean    freed;
} Fault;

static const Fault faults[] = {
  { "missing-barrier", "missing_barrier", PTX_ERROR_RACE, "and no barrier is between", TRUE },
  { "missing-warp-barrier", "missing_warp_barrier", PTX_ERROR_RACE, "and no barrier is between",
    TRUE },
  { "shared-memory-overwritten-too-early", "overwritten_too_early", PTX_ERROR_RACE,
    "and no barrier is between", TRUE },
  { "read-past-the-end", "past_the_end", PTX_ERROR_BOUNDS,
    "reads 4 bytes at byte 400, past the end of allocation", .columns = 100, .input = 100 },
  { "unwritten-input", "past_the_end", PTX_ERROR_UNWRITTEN, "which was never written",
    .columns = 99, .input = 100, .filled = 50 },
  { "freed-memory", "past_the_end", PTX_ERROR_FREED, "of freed memory (allocation", .columns = 99,
    .input = 100, .freed = TRUE },
  { "misaligned-vector", "misaligned_vector", PTX_ERROR_ALIGNMENT, "which is no multiple of 16",
    .columns = 1 },
  { "barrier-in-a-branch", "barrier_in_a_branch", PTX_ERROR_BARRIER,
    "waits at a barrier that thread" },
  { "missing-lane-at-a-shuffle", "missing_lane", PTX_ERROR_LANES,
    "waits for lane 16, which has ended" },
};

static char *texts[2];

static const char *
text (gboolean right)
{
  if (!texts[right])
    texts[right] = make_ptx ("faults", right ? "RIGHT" : NULL);
  return texts[right];
}

/* One run of the kernel of FAULT. */
static gboolean
try (const Fault *fault, gboolean right, guint unchecked, PtxOrder order, GError **error)
{
  g_autoptr (PtxMemory) memory = ptx_memory_new (1 << 20);
  g_autoptr (PtxModule) module = ptx_module_new (text (right), memory, error);
  float                 zeros[256] = { 0 };
  guint                 count = fault->input ? fault->input : 256;
  guint64               x = ptx_memory_take (memory, 4 * count);
  PtxAccess             access = { .address = x,
                                   .bytes = 4 * (fault->filled ? fault->filled : count),
                                   .write = TRUE };
  struct IndexArguments a = {
    .x = device_pointer (x),
    .y = device_pointer (device_put (memory, NULL, sizeof zeros)),
    .columns = fault->columns,
  };
  PtxLaunch launch = {
    .grid = { 1, 1, 1 },
    .block = { 128, 1, 1 },
    .arguments = &a,
    .argument_bytes = sizeof a,
    .order = order,
    .seed = 3,
    .unchecked = unchecked,
  };

  g_assert_nonnull (module);
  memcpy (ptx_memory_reach (memory, &access, NULL), zeros, access.bytes);
  if (fault->freed)
    ptx_memory_give (memory, x);
  return ptx_launch (ptx_module_find (module, fault->kernel), &launch, error);
}

static void
test_fault (gconstpointer data)
{
  const Fault *fault = data;

  if (!text (FALSE))
    return;
  for (PtxOrder order = PTX_FORWARD; order <= PTX_MIXED; order++)
    {
      g_autoptr (GError) error = NULL, off = NULL, mended = NULL;

      g_assert_false (try (fault, FALSE, 0, order, &error));
      g_assert_error (error, PTX_ERROR, (gint) fault->check);
      g_assert_nonnull (strstr (error->message, fault->says));
      g_assert_true (g_str_has_prefix (error->message, fault->kernel));
      g_assert_nonnull (strstr (error->message, ", block (0,0,0), thread ("));
      g_assert_nonnull (strstr (error->message, " of the PTX"));
      if (make_ptx_has_lines (text (FALSE)))
        g_assert_nonnull (strstr (error->message, "(faults.cu:"));

      try (fault, FALSE, PTX_CHECK (fault->check), order, &off);
      g_assert_no_error (off);
      if (fault->mends)
        try (fault, TRUE, 0, order, &mended);
      g_assert_no_error (mended);
    }
}

static void
test_the_line_of_the_source_is_named (void)
{
  const Fault end = { .kernel = "past_the_end", .columns = 100, .input = 100 };
  g_autoptr (GError) error = NULL;
  g_autofree char *file = NULL, *place = NULL;
  const char      *line;
  guint            number = 1;

  if (!text (FALSE))
    return;
  if (!make_ptx_has_lines (text (FALSE)))
    {
      g_test_skip ("only NVRTC writes lines into the PTX");
      return;
    }
  g_assert_true (g_file_get_contents (SOURCE_ROOT "/tests/engine/cuda/ptx/kernels/faults.cu", &file,
                                      NULL, NULL));
  line = strstr (file, "a.y[i] = a.x[i] > 0;");
  for (const char *c = file; c < line; c++)
    number += *c == '\n';
  place = g_strdup_printf ("(faults.cu:%u)", number);
  g_assert_false (try (&end, FALSE, 0, PTX_FORWARD, &error));
  g_assert_nonnull (strstr (error->message, place));
}

static void
test_arguments_of_another_size_are_refused (void)
{
  g_autoptr (PtxMemory) memory = ptx_memory_new (1 << 20);
  g_autoptr (PtxModule) module = NULL;
  g_autoptr (GError) error = NULL;
  guint64   a[4] = { 0 };
  PtxLaunch launch = {
    .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .arguments = a, .argument_bytes = 16
  };

  if (!text (FALSE))
    return;
  module = ptx_module_new (text (FALSE), memory, &error);
  g_assert_no_error (error);
  g_assert_false (ptx_launch (ptx_module_find (module, "past_the_end"), &launch, &error));
  g_assert_error (error, PTX_ERROR, PTX_ERROR_LAUNCH);
  g_assert_cmpstr (error->message, ==,
                   "past_the_end: arguments of 16 bytes were given, and the kernel takes 24");
}

static void
test_a_kernel_without_end_is_stopped (void)
{
  g_autoptr (PtxMemory) memory = ptx_memory_new (1 << 20);
  g_autoptr (PtxModule) module = NULL;
  g_autoptr (GError) error = NULL;
  int                   zero = 0;
  struct IndexArguments a = { .y = device_pointer (device_put (memory, &zero, 4)) };
  PtxLaunch             launch = {
                .grid = { 1, 1, 1 },
                .block = { 1, 1, 1 },
                .arguments = &a,
                .argument_bytes = sizeof a,
                .order = PTX_MIXED,
                .most_steps = 10000,
  };

  if (!text (FALSE))
    return;
  module = ptx_module_new (text (FALSE), memory, &error);
  g_assert_no_error (error);
  g_assert_false (ptx_launch (ptx_module_find (module, "endless"), &launch, &error));
  g_assert_error (error, PTX_ERROR, PTX_ERROR_FOREVER);
}

/* Large allocations are mapped from one file of 0xff, a chunk at a time. */
static void
test_large_allocations_are_alike_and_apart (void)
{
  g_autoptr (PtxMemory) memory = ptx_memory_new (64 << 20);
  const gsize bytes = (9 << 20) + 3;
  guint64     first = ptx_memory_take (memory, bytes), second;

  for (guint take = 0; take < 2; take++)
    {
      PtxAccess access = { first, bytes, .unchecked = PTX_CHECK (PTX_ERROR_UNWRITTEN) };
      guint8   *data = ptx_memory_reach (memory, &access, NULL);

      for (gsize i = 0; i < bytes; i++)
        if (data[i] != 0xff)
          g_error ("byte %" G_GSIZE_FORMAT " of allocation %u is %u", i, take, data[i]);
      access.write = TRUE;
      memset (ptx_memory_reach (memory, &access, NULL), 7, bytes);
      second = ptx_memory_take (memory, bytes);
      g_assert_true (ptx_memory_give (memory, first));
      first = second;
    }
  g_assert_null (ptx_memory_reach (memory, &(PtxAccess){ first, 1 }, NULL));
  g_assert_null (ptx_memory_reach (memory, &(PtxAccess){ first, bytes + 1, TRUE }, NULL));
  g_assert_cmpuint (ptx_memory_used (memory), ==, bytes);
}

TEST_PROGRAM (test_ptx_faults)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autofree char *path = g_strdup_printf ("/cuda/ptx/faults/%s", faults[i].path);

      g_test_add_data_func (path, &faults[i], test_fault);
    }
  g_test_add_func ("/cuda/ptx/faults/the-line-of-the-source-is-named",
                   test_the_line_of_the_source_is_named);
  g_test_add_func ("/cuda/ptx/faults/arguments-of-another-size-are-refused",
                   test_arguments_of_another_size_are_refused);
  g_test_add_func ("/cuda/ptx/faults/large-allocations-are-alike-and-apart",
                   test_large_allocations_are_alike_and_apart);
  g_test_add_func ("/cuda/ptx/faults/a-kernel-without-end-is-stopped",
                   test_a_kernel_without_end_is_stopped);
  result = g_test_run ();
  g_free (texts[0]);
  g_free (texts[1]);
  return result;
}
