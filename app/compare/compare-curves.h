/* compare-curves.h — charts of the compare window.
 *
 * The window itself is in compare-window.c, the table of times in compare-result.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <cjson/cJSON.h>
#include <gtk/gtk.h>

/* A drawing area with a widget name and an accessible label, redrawn when the colour scheme changes.
 * data is passed to draw and must outlive the area.  (transfer floating) */
GtkWidget *scope_compare_chart_new (const char            *name,
                                    const char            *text,
                                    GtkDrawingAreaDrawFunc draw,
                                    gpointer               data);
/* The chart of run times over batch size or length.  cells: of hscope compare --json; must outlive the
 * chart.  (transfer floating) NULL: all cells have the same size. */
GtkWidget *scope_compare_curves_new (const cJSON *cells);
