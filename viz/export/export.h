/* export.h — writes pictures as SVG, PNG, PDF or DOT.
 *
 * The bytes depend only on picture and options: files contain no dates and no random ids.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/error.h"
#include "viz/diagram/palette.h"
#include "viz/fold/overlay.h"
#include "viz/scene/picture.h"

#include <gio/gio.h>

/* Limits of a PNG; the scale is reduced to stay within them. */
#define VIZ_MAX_SIDE   32000              /* pixels; Cairo's limit is 32767 */
#define VIZ_MAX_PIXELS (64 * 1000 * 1000) /* by default */

typedef struct
{
  const VizTheme   *theme;       /* NULL: light */
  const VizOverlay *overlay;     /* (nullable) with a legend below the picture */
  const VizRect    *area;        /* NULL: the whole picture */
  double            scale;       /* pixels per point; 0: 1 */
  guint64           max_pixels;  /* of a PNG; 0: VIZ_MAX_PIXELS */
  gboolean          outlined;    /* SVG: letters as shapes, for viewers without the font */
  gboolean          transparent; /* without background */
} VizExportOptions;

typedef struct
{
  guint32 width, height; /* in pixels (PNG) or points */
  double  scale;         /* the scale used, which limits may have reduced */
} VizExportResult;

/* One file format; viz_exports() lists them. */
typedef struct
{
  const char *extension; /* "svg" */
  const char *label;     /* for the window */

  /* Returns the content of the file, or NULL with an error; fills result.  (transfer full) */
  GBytes *(*write) (const VizPicture       *picture,
                    const VizExportOptions *options,
                    VizExportResult        *result,
                    GError                **error);
} VizExport;

/* All formats, NULL-terminated.  (transfer none) */
const VizExport *const *viz_exports (void);
/* The format of a file name or extension, or NULL; case does not matter. */
const VizExport *viz_export_find (const char *path_or_extension);

/* The contents of a picture file in the format of the extension of path, or NULL with an error.  Nothing is
 * written.  options, result: (nullable).  (transfer full) */
GBytes *viz_export_bytes (const VizPicture       *picture,
                          const char             *path,
                          const VizExportOptions *options,
                          VizExportResult        *result,
                          GError                **error);
