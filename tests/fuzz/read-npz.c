/* read-npz.c — NumPy's files: archives (npz) and single arrays (npy).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/touch.h"

#include "engine/formats/npy.h"
#include "engine/formats/npz.h"

#include <string.h>

static void
read_npy (GBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensor) tensor = hyb_npy_read (bytes, "fuzz", &error);

  g_assert_true ((!tensor) == (error != NULL));
  if (!tensor)
    return;
  fuzz_reached (FUZZ_READ);
  fuzz_touch_tensor (tensor);
}

static void
read_npz (GBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensorList) list = hyb_npz_read (bytes, "fuzz", &error);

  g_assert_true ((!list) == (error != NULL));
  if (!list)
    return;
  fuzz_reached (FUZZ_READ);
  fuzz_touch_list (list);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = fuzz_bytes (data, size);

  fuzz_begin ();
  if (size >= 6 && memcmp (data, "\x93NUMPY", 6) == 0)
    read_npy (bytes);
  else
    read_npz (bytes);
  return 0;
}
