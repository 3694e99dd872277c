/* error.h — the engine's error domains, and the function that words error messages.
 * A message is “where: what, with both values. hint”, one sentence each.  Lower layers say what failed; upper layers add
 * where, with hyb_error_at() or g_prefix_error().
 * Threads: any thread; a GError belongs to its caller.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"

#include <glib.h>

G_BEGIN_DECLS

#define HYB_FORMAT_ERROR (hyb_format_error_quark ()) /* errors of files */
#define HYB_GRAPH_ERROR  (hyb_graph_error_quark ())  /* errors of graphs */
#define HYB_OP_ERROR     (hyb_op_error_quark ())     /* errors of operators */
#define HYB_DEVICE_ERROR (hyb_device_error_quark ()) /* errors of devices */
/* Codes of HYB_FORMAT_ERROR: faults of a file. */
typedef enum
{
  HYB_FORMAT_ERROR_UNKNOWN,   /* no format recognises the bytes */
  HYB_FORMAT_ERROR_MALFORMED, /* the file breaks its own format */
  HYB_FORMAT_ERROR_VERSION,   /* the version is newer than the reader */
  HYB_FORMAT_ERROR_MISMATCH,  /* weights do not fit the graph */
  HYB_FORMAT_ERROR_LIMIT,     /* more memory than the limit for this file (limits.h) */
} HybFormatError;
/* Codes of HYB_GRAPH_ERROR: faults of a graph. */
typedef enum
{
  HYB_GRAPH_ERROR_STRUCTURE, /* an invalid edge or head, or a cycle */
  HYB_GRAPH_ERROR_TYPES,     /* shapes or dtypes contradict each other */
  HYB_GRAPH_ERROR_UNKNOWN,   /* a shape or dtype cannot be inferred */
  HYB_GRAPH_ERROR_MISSING,   /* an input or parameter was not given */
  HYB_GRAPH_ERROR_MEMORY,    /* more memory than the machine or the limit allows */
} HybGraphError;
/* Codes of HYB_OP_ERROR: faults in the use of an operator. */
typedef enum
{
  HYB_OP_ERROR_ATTRIBUTE,   /* an attribute does not parse or is out of range */
  HYB_OP_ERROR_UNKNOWN,     /* no such operator */
  HYB_OP_ERROR_UNSUPPORTED, /* the operator cannot be computed with these types or attributes */
  HYB_OP_ERROR_GRADIENT,    /* the operator has no gradient */
  HYB_OP_ERROR_DTYPE,       /* the operator does not take an input's element type */
} HybOpError;
/* Codes of HYB_DEVICE_ERROR: why a device cannot compute. */
typedef enum
{
  HYB_DEVICE_ERROR_ABSENT, /* this machine has no such device */
  HYB_DEVICE_ERROR_FAILED, /* the device or its driver failed */
} HybDeviceError;

/* The quark behind HYB_FORMAT_ERROR. */
HYB_API GQuark hyb_format_error_quark (void);
/* The quark behind HYB_GRAPH_ERROR. */
HYB_API GQuark hyb_graph_error_quark (void);
/* The quark behind HYB_OP_ERROR. */
HYB_API GQuark hyb_op_error_quark (void);
/* The quark behind HYB_DEVICE_ERROR. */
HYB_API GQuark hyb_device_error_quark (void);

/* Sets *error to “where: message[. hint]”, where the message is made from format, and returns
 * FALSE, so that a caller can return the result.  error, where and hint may be NULL. */
HYB_API gboolean hyb_error_at (GError    **error,
                               GQuark      domain,
                               int         code,
                               const char *where,
                               const char *hint,
                               const char *format,
                               ...) G_GNUC_PRINTF (6, 7);

G_END_DECLS
