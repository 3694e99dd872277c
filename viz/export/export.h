/* export.h — pictures as files: SVG, PNG, PDF; and DOT text.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/error.h"
#include "viz/diagram/palette.h"
#include "viz/fold/overlay.h"
#include "viz/scene/picture.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* No side of a PNG is longer: Cairo's own limit is 32767. */
#define VIZ_MAX_SIDE   32000
#define VIZ_MAX_PIXELS (64 * 1000 * 1000)

typedef struct
{
  const VizTheme   *theme;      /* NULL: light */
  const VizOverlay *overlay;    /* NULL: none; else a legend is added below */
  const VizRect    *area;       /* NULL: the whole picture */
  double            scale;      /* pixels a point; 0: 1 */
  guint64           max_pixels; /* of a PNG; 0: VIZ_MAX_PIXELS */
  gboolean          outlined;   /* SVG: letters as shapes, for viewers without the font */
  gboolean          transparent;
} VizExportOptions;

typedef struct
{
  guint32 width, height; /* pixels, or points */
  double  scale;         /* what was really used: smaller than asked where a limit bites */
} VizExportResult;

/* One file format; viz_exports() lists them. */
typedef struct
{
  const char *extension; /* "svg" */
  const char *label;
  GBytes *(*write) (const VizPicture       *picture,
                    const VizExportOptions *options,
                    VizExportResult        *result,
                    GError                **error);
} VizExport;

const VizExport *const *viz_exports (void); /* NULL-terminated */
const VizExport        *viz_export_find (const char *path_or_extension);

/* Writes to a temporary name beside path, then renames.  options, result: (nullable). */
gboolean viz_export_file (const VizPicture       *picture,
                          const char             *path,
                          const VizExportOptions *options,
                          VizExportResult        *result,
                          GError                **error);

G_END_DECLS
