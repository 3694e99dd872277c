/* compare-curves.h — charts of the compare page.
 *
 * The table of times is in compare-matrix.c, the waterfall in compare-explanation.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <cjson/cJSON.h>
#include <gtk/gtk.h>

/* A drawing area with a widget name and an accessible label, redrawn when the colour scheme changes.
 * draw finds its data in the area's object data.  (transfer floating) */
GtkWidget *
scope_compare_chart_new (const char *name, const char *text, GtkDrawingAreaDrawFunc draw);
/* Appends a chart of run times for each size in which cells differ: "compare-curves-batch", "-length",
 * "-hidden".  cells: of hscope compare --json; must outlive the charts. */
void scope_compare_curves_append (GtkBox *box, const cJSON *cells);
