/* report-page.c — a report as a list of sections, printed as HTML, SVG or PDF.
 *
 * SVG and PDF stack the charts; HTML has every section in order.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report/report-page.h"
#include "app/command/frame/messages.h"

#include "engine/formats/file.h"
#include "viz/export/sheet.h"

#include <string.h>

#define MARGIN       16.0
#define TITLE_HEIGHT 34.0

typedef struct
{
  char        *title;  /* NULL: continues the section above */
  ScopeFigure *figure; /* NULL: the section is html */
  GString     *html;
} Section;

struct _ScopePage
{
  char      *title;
  GPtrArray *sections;
};

static void
section_free (gpointer data)
{
  Section *section = data;

  g_clear_pointer (&section->figure, scope_figure_unref);
  if (section->html)
    g_string_free (section->html, TRUE);
  g_free (section->title);
  g_free (section);
}

ScopeReportPage *
scope_report_page_new (const char *title)
{
  ScopeReportPage *page = g_new0 (ScopeReportPage, 1);

  page->title = g_strdup (title);
  page->sections = g_ptr_array_new_with_free_func (section_free);
  return page;
}

void
scope_report_page_free (ScopeReportPage *page)
{
  if (!page)
    return;
  g_ptr_array_unref (page->sections);
  g_free (page->title);
  g_free (page);
}

void
scope_report_page_add_figure (ScopeReportPage *page, const ScopeFigure *figure)
{
  Section *section = g_new0 (Section, 1);

  section->title = g_strdup (figure->title ? figure->title : "");
  section->figure = scope_figure_ref (figure);
  g_ptr_array_add (page->sections, section);
}

void
scope_report_page_add_html (ScopeReportPage *page, const char *title, GString *html)
{
  Section *section = g_new0 (Section, 1);

  section->title = g_strdup (title);
  section->html = html;
  g_ptr_array_add (page->sections, section);
}

void
scope_html_append (GString *to, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autofree char *escaped = g_markup_escape_text (valid, -1);

  g_string_append (to, escaped);
}

/* --- Drawing --- */

/* 0 for HTML. */
static double
height_of (const Section *section)
{
  return section->figure ? section->figure->drawing->height (section->figure) : 0;
}

void
scope_draw_text (VizPen *pen, VizPoint at, double align, VizColour colour, const char *text)
{
  VizTextAt row = { VIZ_TEXT_ROW, viz_text_size (VIZ_TEXT_ROW), at.x, at.y, align, colour };

  pen->text (pen, &row, text);
}

static void
begin_svg (GString *to, double width, double height)
{
  char numbers[2][G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (numbers[0], sizeof numbers[0], "%.1f", width);
  g_ascii_formatd (numbers[1], sizeof numbers[1], "%.1f", height);
  g_string_append_printf (to,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%s\" height=\"%s\" "
                          "viewBox=\"0 0 %s %s\">\n",
                          numbers[0], numbers[1], numbers[0], numbers[1]);
  viz_pen_svg_begin_style (to, NULL);
  g_string_append (to, "</style>\n");
}

static void
draw_section (VizPen         *pen,
              const Section  *section,
              const VizTheme *theme,
              double          top,
              gboolean        with_title)
{
  VizRect rect = { MARGIN, top, SCOPE_PAGE_WIDTH - 2 * MARGIN, height_of (section) };

  if (with_title)
    {
      VizTextAt at = { .style = VIZ_TEXT_TITLE,
                       .size = viz_text_size (VIZ_TEXT_TITLE),
                       .x = MARGIN,
                       .y = top + TITLE_HEIGHT - 12,
                       .colour = theme->text };

      pen->text (pen, &at, section->title);
      rect.y += TITLE_HEIGHT;
    }
  section->figure->drawing->draw (section->figure, pen, &rect, theme);
}

static double
total_height (const ScopeReportPage *page)
{
  double height = 2 * MARGIN;

  for (guint i = 0; i < page->sections->len; i++)
    {
      const Section *section = page->sections->pdata[i];

      height += section->figure ? height_of (section) + TITLE_HEIGHT + MARGIN : 0;
    }
  return height;
}

static void
draw_all (const ScopeReportPage *page, VizPen *pen, const VizTheme *theme)
{
  double top = MARGIN;

  for (guint i = 0; i < page->sections->len; i++)
    {
      const Section *section = page->sections->pdata[i];

      if (!section->figure)
        continue;
      draw_section (pen, section, theme, top, TRUE);
      top += height_of (section) + TITLE_HEIGHT + MARGIN;
    }
}

char *
scope_report_page_print_svg (const ScopeReportPage *page)
{
  const VizTheme *theme = viz_theme_find (NULL);
  GString        *svg = g_string_new ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  VizPen         *pen;
  VizRect         paper = { 0, 0, SCOPE_PAGE_WIDTH, total_height (page) };
  VizStyle        fill = { .fill = &theme->background };

  begin_svg (svg, paper.width, paper.height);
  pen = viz_pen_new_svg (svg, NULL, FALSE);
  pen->rect (pen, &paper, 0, &fill);
  draw_all (page, pen, theme);
  viz_pen_free (pen);
  g_string_append (svg, "</svg>\n");
  return g_string_free (svg, FALSE);
}

static const char style_sheet[] =
    "body{font:15px/1.5 'DejaVu Sans',system-ui,sans-serif;max-width:1120px;margin:2em "
    "auto;padding:0 "
    "1em;color:#222;background:#fff}h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}"
    "table{border-collapse:collapse;width:100%;font-size:13px}td,th{padding:2px "
    "8px;border-bottom:1px "
    "solid #ddd;text-align:right;font-variant-numeric:tabular-nums}td:first-child,th:first-child"
    "{text-align:left;overflow-wrap:anywhere}svg{max-width:100%;height:auto}.warn{color:#a33}"
    "td:first-child{min-width:11em}td+td:not(.words){white-space:nowrap}"
    "td.unsure{color:#999}td.words,th.words{text-align:left;color:#555}td.words{min-width:9em}";

char *
scope_report_page_print_html (const ScopeReportPage *page)
{
  const VizTheme *theme = viz_theme_find (NULL);
  GString *html = g_string_new ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                                "<title>");

  scope_html_append (html, page->title);
  g_string_append_printf (html, "</title><style>%s</style></head><body>\n<h1>", style_sheet);
  scope_html_append (html, page->title);
  g_string_append (html, "</h1>\n");
  for (guint i = 0; i < page->sections->len; i++)
    {
      const Section *section = page->sections->pdata[i];
      VizPen        *pen;

      if (section->title)
        {
          g_string_append (html, "<h2>");
          scope_html_append (html, section->title);
          g_string_append (html, "</h2>\n");
        }
      if (!section->figure)
        {
          g_string_append (html, section->html->str);
          continue;
        }
      begin_svg (html, SCOPE_PAGE_WIDTH, height_of (section));
      pen = viz_pen_new_svg (html, NULL, FALSE);
      draw_section (pen, section, theme, 0, FALSE);
      viz_pen_free (pen);
      g_string_append (html, "</svg>\n");
    }
  g_string_append (html, "</body></html>\n");
  return g_string_free (html, FALSE);
}

/* --- Writing --- */

static void
draw_sheet (VizPen *pen, gconstpointer data)
{
  draw_all (data, pen, viz_theme_find (NULL));
}

static gboolean
write_pdf (const ScopeReportPage *page, const char *path, GError **error)
{
  VizSheet sheet = {
    .area = { 0, 0, SCOPE_PAGE_WIDTH, total_height (page) },
    .scale = 1,
    .title = page->title,
    .draw = draw_sheet,
    .data = page,
  };
  g_autoptr (GBytes) bytes = viz_sheet_print_pdf (&sheet, error);

  return bytes && hyb_file_replace_contents (path, g_bytes_get_data (bytes, NULL),
                                             g_bytes_get_size (bytes), error);
}

gboolean
scope_report_page_write (const ScopeReportPage *page, const char *path, GError **error)
{
  g_autofree char *text = NULL;

  if (g_str_has_suffix (path, ".pdf"))
    return write_pdf (page, path, error);
  if (g_str_has_suffix (path, ".svg"))
    text = scope_report_page_print_svg (page);
  else if (g_str_has_suffix (path, ".html") || g_str_has_suffix (path, ".htm"))
    text = scope_report_page_print_html (page);
  else
    return scope_usage_error (error,
                              "%s: unknown report format; the name must end in .html, .svg or .pdf",
                              path);
  return hyb_file_replace_contents (path, text, strlen (text), error);
}
