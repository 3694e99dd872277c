/* open-any.c — any file: what kind it is, decompression, and the reader that its contents choose.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/touch.h"

#include "engine/formats/file.h"
#include "engine/formats/format.h"

static void
read_graph (const HybFormat *format, GBytes *bytes)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GError) error = NULL;

  if (format->read_graph (model, bytes, "fuzz", &error))
    fuzz_reached (FUZZ_READ);
  else
    g_assert_nonnull (error);
}

static void
read_weights (const HybFormat *format, GBytes *bytes)
{
  HybFinding *trouble = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensorList) list = format->read_weights (bytes, "fuzz", &trouble, &error);

  g_assert_true ((!list) == (error != NULL));
  g_clear_pointer (&trouble, hyb_finding_free);
  if (!list)
    return;
  fuzz_reached (FUZZ_READ);
  fuzz_touch_list (list);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) packed = fuzz_bytes (data, size);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  const HybFormat *format;
  const char      *hint;

  fuzz_begin ();
  g_assert_nonnull (hyb_sniff_describe (hyb_sniff (data, size), &hint));
  bytes = hyb_file_unpack (packed, 0, "fuzz", &error);
  g_assert_true ((!bytes) == (error != NULL));
  if (!bytes)
    return 0;

  format = hyb_format_of_bytes (bytes);
  if (format && format->read_weights)
    read_weights (format, bytes);
  /* What no format recognises is refused with a sentence by the reader of graphs. */
  read_graph (hyb_format_for_graph (format), bytes);
  return 0;
}
