/* recording-pen.h — a pen that remembers the texts that are drawn, for tests and measures.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/paint/pen.h"

/* A text as it was drawn. */
typedef struct
{
  char    *text;
  char    *kind, *id; /* of the thing around it, as given to begin; NULL: none */
  VizRect  rect;      /* that its letters cover, in points of the picture */
  gboolean is_cut;    /* it holds an ellipsis that stands for letters */
} RecordedText;

/* A pen that appends RecordedText to an array, which must outlive it. */
VizPen *recording_pen_new (GArray *texts, const char *font);
/* An empty array for a recording pen; frees its texts with it.  (transfer full) */
GArray *recording_pen_texts (void);
