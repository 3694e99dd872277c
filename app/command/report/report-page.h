/* report-page.h — a report of charts, tables and sentences, as HTML, SVG or PDF.
 *
 * One file that needs nothing from outside: charts are SVG inside the HTML.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/paint/pen.h"

#include <gio/gio.h>

#define SCOPE_PAGE_WIDTH 900.0

typedef struct _ScopePage ScopePage;

/* Draws into rect, which is as wide as the page and as high as was said. */
typedef void (*ScopeDraw) (VizPen *pen, const VizRect *rect, const VizTheme *theme, gpointer data);

ScopePage *scope_page_new (const char *title);
void       scope_page_free (ScopePage *page);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopePage, scope_page_free)

void scope_page_add_chart (ScopePage     *page,
                           const char    *title,
                           double         height,
                           ScopeDraw      draw,
                           gpointer       data, /* (transfer full) */
                           GDestroyNotify destroy);
/* Text in paragraphs and tables; HTML shows it, drawings leave it out.  title: NULL: it
 * belongs to what stands above it. */
void scope_page_add_html (ScopePage *page, const char *title, GString *html /* (transfer full) */);
/* Appends text with &, <, > and quotes made harmless. */
void scope_html_append (GString *to, const char *text);

/* (transfer full) */
char *scope_page_print_html (const ScopePage *page);
char *scope_page_print_svg (const ScopePage *page);
/* By the ending: .html, .svg, .pdf. */
gboolean scope_page_write (const ScopePage *page, const char *path, GError **error);
