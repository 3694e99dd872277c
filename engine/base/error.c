/* error.c — the engine's error domains, and the function that words error messages.
 *
 * hyb_error_at() puts “where: message. hint” together.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"

/* clang-format off */
G_DEFINE_QUARK (hyb-format-error-quark, hyb_format_error)
G_DEFINE_QUARK (hyb-graph-error-quark, hyb_graph_error)
G_DEFINE_QUARK (hyb-op-error-quark, hyb_op_error)
G_DEFINE_QUARK (hyb-device-error-quark, hyb_device_error)
/* clang-format on */

gboolean
hyb_error_at (GError    **error,
              GQuark      domain,
              int         code,
              const char *where,
              const char *hint,
              const char *format,
              ...)
{
  g_autofree char *what = NULL;
  va_list          arguments;

  if (!error)
    return FALSE;

  va_start (arguments, format);
  what = g_strdup_vprintf (format, arguments);
  va_end (arguments);

  g_set_error (error,
               domain,
               code,
               "%s%s%s%s%s",
               where ? where : "",
               where ? ": " : "",
               what,
               hint ? ". " : "",
               hint ? hint : "");
  return FALSE;
}
