/* speed.c — instructions a second of the PTX machine, in processor time; no test, for the README.
 * usage: ptx-speed
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/cuda/ptx/device.h"
#include "tests/engine/cuda/ptx/kernels/arguments.h"
#include "tests/engine/cuda/ptx/make-ptx.h"

#include <time.h>

enum
{
  ROWS = 64,
  COLUMNS = 1000
};

static void
measure (PtxModule *module, const char *name, PtxLaunch *launch)
{
  for (PtxOrder order = PTX_FORWARD; order <= PTX_MIXED; order++)
    {
      g_autoptr (GError) error = NULL;
      clock_t start = clock ();
      double  seconds;

      launch->order = order;
      ptx_launch (ptx_module_find (module, name), launch, &error);
      g_assert_no_error (error);
      seconds = (double) (clock () - start) / CLOCKS_PER_SEC;
      g_print ("%-16s order %d: %10" G_GUINT64_FORMAT " instructions, %6.1f million a second\n",
               name, order, launch->steps, (double) launch->steps / seconds / 1e6);
    }
}

int
main (int argc, char **argv)
{
  g_autofree char *text = make_ptx ("samples", NULL);
  g_autoptr (PtxMemory) memory = ptx_memory_new (64 << 20);
  g_autoptr (PtxModule) module = text ? ptx_module_new (text, memory, NULL) : NULL;
  g_autofree float    *x = g_new0 (float, ROWS *COLUMNS);
  struct RowsArguments a = { .columns = COLUMNS, .epsilon = 1e-5f };
  struct EachArguments e = { .n = ROWS * COLUMNS };
  PtxLaunch            rows = {
               .grid = { ROWS, 1, 1 }, .block = { 256, 1, 1 }, .arguments = &a, .argument_bytes = sizeof a
  };
  PtxLaunch each = {
    .grid = { ROWS, 1, 1 }, .block = { 128, 1, 1 }, .arguments = &e, .argument_bytes = sizeof e
  };

  if (!module)
    return 77;
  a.x = device_pointer (device_put (memory, x, 4 * ROWS * COLUMNS));
  a.gain = a.shift = a.x;
  a.y = device_pointer (device_put (memory, NULL, 4 * ROWS * COLUMNS));
  e.x = e.w = a.x;
  e.y = a.y;
  measure (module, "softmax_rows", &rows);
  measure (module, "layer_norm_rows", &rows);
  measure (module, "chain_f32", &each);
  measure (module, "tanh_f32", &each);
  return 0;
}
