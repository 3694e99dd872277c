/* error.c — the engine's error domains, and the function that words error messages.
 *
 * hyb_error_at() puts “where: message. hint” together.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"

#include "engine/base/remedy.h"

/* Errors of these domains can carry a remedy. */
#define DEFINE_DOMAIN(function, name)                                \
  GQuark function (void)                                             \
  {                                                                  \
    static gsize domain;                                             \
                                                                     \
    if (g_once_init_enter (&domain))                                 \
      g_once_init_leave (&domain, hyb_error_domain_register (name)); \
    return (GQuark) domain;                                          \
  }

DEFINE_DOMAIN (hyb_format_error_quark, "hyb-format-error-quark")
DEFINE_DOMAIN (hyb_graph_error_quark, "hyb-graph-error-quark")
DEFINE_DOMAIN (hyb_op_error_quark, "hyb-op-error-quark")
DEFINE_DOMAIN (hyb_device_error_quark, "hyb-device-error-quark")

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

  g_set_error (error, domain, code, "%s%s%s%s%s", where ? where : "", where ? ": " : "", what,
               hint ? ". " : "", hint ? hint : "");
  /* The place may be a node, which the window can show. */
  return hyb_error_add_remedy (error, HYB_REMEDY_NONE, where);
}
