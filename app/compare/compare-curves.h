/* compare-curves.h — times of forms over the batch, or over the length where that is what grows.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <cjson/cJSON.h>
#include <gtk/gtk.h>

/* An area that is drawn anew when the colours change; data: as draw gets it, lives longer. */
GtkWidget *scope_compare_chart_new (const char            *name,
                                    const char            *text,
                                    GtkDrawingAreaDrawFunc draw,
                                    gpointer               data);
/* cells: of hscope compare --json, live longer.  NULL: there are no two sizes. */
GtkWidget *scope_compare_curves_new (const cJSON *cells);
