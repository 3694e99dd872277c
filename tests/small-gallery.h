/* small-gallery.h — the gallery models with options that make them small enough to run often.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <string.h>

/* The address of a gallery model with options that make it small.  (transfer full) */
static inline char *
small_gallery_model (const char *name)
{
  static const struct
  {
    const char *name, *options;
  } smaller[] = {
    { "bucket-lm", "?hidden=16&length=6&shorter=4&batch=3" },
    { "ctc-reader", "?width=32&letters=2&hidden=8&batch=2" },
    { "lenet", "?channels=4&batch=2" },
    { "lstm-foreach", "?hidden=16&length=5&batch=3" },
    { "lstm-hybrid", "?hidden=16&length=5&batch=3" },
    { "lstm-lm", "?hidden=16&layers=2&length=5&batch=3" },
    { "lstm-unrolled", "?hidden=16&length=5&batch=3" },
    { "resnet18", "?channels=4&classes=5&size=32&batch=2" },
  };
  const char *options = "";

  for (guint i = 0; i < G_N_ELEMENTS (smaller); i++)
    if (strcmp (smaller[i].name, name) == 0)
      options = smaller[i].options;
  return g_strconcat ("gallery:", name, options, NULL);
}
