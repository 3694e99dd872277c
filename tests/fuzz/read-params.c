/* read-params.c — MXNet's parameter files, dense and sparse, of all versions; what was read is written again.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/touch.h"

#include "engine/formats/mxnet-params.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = fuzz_bytes (data, size);
  g_autoptr (GBytes) written = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GOutputStream) out = NULL;
  g_autoptr (HybTensorList) list = NULL;
  g_autoptr (HybTensorList) again = NULL;
  HybFinding *trouble = NULL;

  fuzz_begin ();
  list = hyb_ndarrays_read (bytes, "fuzz", &trouble, &error);
  g_assert_true ((!list) == (error != NULL));
  g_clear_pointer (&trouble, hyb_finding_free);
  if (!list)
    return 0;

  fuzz_reached (FUZZ_READ);
  fuzz_touch_list (list);
  out = g_memory_output_stream_new_resizable ();
  g_assert_true (hyb_ndarrays_write (list, out, NULL));
  g_assert_true (g_output_stream_close (out, NULL, NULL));
  written = g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (out));
  again = hyb_ndarrays_read (written, "written", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hyb_tensor_list_n (again), ==, hyb_tensor_list_n (list));
  return 0;
}
