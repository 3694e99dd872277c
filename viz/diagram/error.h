/* error.h — the errors that this module reports.
 *
 * Messages are English sentences or clauses meant for the user; codes are for the caller.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#define VIZ_ERROR (viz_error_quark ())
/* The error domain of the codes below. */
GQuark viz_error_quark (void);

typedef enum
{
  VIZ_ERROR_LIMIT,   /* the input is larger than the function can handle */
  VIZ_ERROR_LAYOUT,  /* this layout cannot place the body, or is unknown; another may work */
  VIZ_ERROR_FORMAT,  /* the file format is unknown or the content is not in that format */
  VIZ_ERROR_LIBRARY, /* a library that draws cannot be loaded */
} VizError;
