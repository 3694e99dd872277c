/* picture-build.h — how layout.c fills a picture; nobody else includes this.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/scene/picture.h"

G_BEGIN_DECLS

typedef struct
{
  VizDiagram     *diagram; /* (transfer none) */
  const char     *font;
  const char     *layout; /* its name in the table */
  gboolean        bare;
  double          width, height;
  GArray         *items;   /* VizItem (transfer full) */
  GArray         *wires;   /* VizWire (transfer full) */
  GArray         *points;  /* VizPoint (transfer full) */
  GArray         *plugs;   /* VizPlug (transfer full) */
  guint32        *item_of; /* per box (transfer full) */
  VizPictureStats stats;
} VizPictureParts;

VizPicture *viz_picture_new (const VizPictureParts *parts);

G_END_DECLS
