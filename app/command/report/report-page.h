/* report-page.h — a report of charts, tables and paragraphs, as HTML, SVG or PDF.
 *
 * A page is a list of sections.  HTML is one self-contained file with charts as inline SVG; SVG
 * and PDF contain the charts only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said.h"

#include <gio/gio.h>

#define SCOPE_PAGE_WIDTH 900.0 /* points */

typedef struct _ScopePage ScopeReportPage;

/* A page without sections.  title: copied.  (transfer full) */
ScopeReportPage *scope_report_page_new (const char *title);
/* Frees the page with its figures; NULL is ignored. */
void scope_report_page_free (ScopeReportPage *page);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeReportPage, scope_report_page_free)

/* Adds a figure as a section. */
void scope_report_page_add_figure (ScopeReportPage *page, const ScopeFigure *figure);
/* Adds paragraphs or a table, which only HTML shows.  title: NULL continues the section above. */
void scope_report_page_add_html (ScopeReportPage *page,
                                 const char      *title,
                                 GString         *html /* (transfer full) */);

/* Appends text with &, <, > and quotes escaped, and invalid UTF-8 replaced. */
void scope_html_append (GString *to, const char *text);
/* Draws one line of text in a chart.  align: 0 if at is its left end, 0.5 its middle, 1 its
 * right end. */
void scope_draw_text (VizPen *pen, VizPoint at, double align, VizColour colour, const char *text);

/* The page as an HTML document.  (transfer full) */
char *scope_report_page_print_html (const ScopeReportPage *page);
/* The page's charts as an SVG document.  (transfer full) */
char *scope_report_page_print_svg (const ScopeReportPage *page);
/* Writes the page to a file in the format of its ending: .html, .svg or .pdf. */
gboolean scope_report_page_write (const ScopeReportPage *page, const char *path, GError **error);
