/* error.h — the engine's error domains and the one helper that words a failure.
 *
 * A message says where, what (with both values) and a way out, one sentence
 * each.  Lower layers say what; upper layers add where with g_prefix_error().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define HYB_FORMAT_ERROR (hyb_format_error_quark ())
#define HYB_GRAPH_ERROR  (hyb_graph_error_quark ())
#define HYB_OP_ERROR     (hyb_op_error_quark ())
#define HYB_DEVICE_ERROR (hyb_device_error_quark ())

typedef enum
{
  HYB_FORMAT_ERROR_UNKNOWN,   /* no format recognises the bytes */
  HYB_FORMAT_ERROR_MALFORMED, /* the file breaks its own format */
  HYB_FORMAT_ERROR_VERSION,   /* newer than we can read */
  HYB_FORMAT_ERROR_MISMATCH,  /* weights that do not fit the graph */
} HybFormatError;

typedef enum
{
  HYB_GRAPH_ERROR_STRUCTURE, /* an edge, a head or a cycle that cannot be */
  HYB_GRAPH_ERROR_TYPES,     /* shapes or dtypes that contradict each other */
  HYB_GRAPH_ERROR_UNKNOWN,   /* a shape or dtype that nothing determines */
  HYB_GRAPH_ERROR_MISSING,   /* an input or parameter nobody gave */
  HYB_GRAPH_ERROR_MEMORY,    /* more memory than the machine or the limit allows */
} HybGraphError;

typedef enum
{
  HYB_OP_ERROR_ATTRIBUTE,   /* an attribute that does not parse or is out of range */
  HYB_OP_ERROR_UNKNOWN,     /* an operator we do not have */
  HYB_OP_ERROR_UNSUPPORTED, /* known, but not computable like this */
  HYB_OP_ERROR_GRADIENT,    /* no gradient is defined */
} HybOpError;

typedef enum
{
  HYB_DEVICE_ERROR_ABSENT,
  HYB_DEVICE_ERROR_FAILED,
} HybDeviceError;

GQuark hyb_format_error_quark (void);
GQuark hyb_graph_error_quark (void);
GQuark hyb_op_error_quark (void);
GQuark hyb_device_error_quark (void);

/* Sets error to “where: what[. hint]” and returns FALSE, so that a caller can
 * return it.  where and hint may be NULL. */
gboolean hyb_error_at (GError    **error,
                       GQuark      domain,
                       int         code,
                       const char *where,
                       const char *hint,
                       const char *format,
                       ...) G_GNUC_PRINTF (6, 7);

G_END_DECLS
