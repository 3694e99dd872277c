/* mxnet-symbol-findings.c — reports problems that the reader of symbol files finds.
 *
 * Every report becomes a finding of the model with its place in the file; hyb_symbol_refuse() also
 * makes the reading fail.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/formats/mxnet-symbol-private.h"

#define MAX_FINDINGS 500 /* a hostile file could cause millions */

static void
fill_place (SymbolReader *reader, HybFinding *finding, const SymbolPlace *place)
{
  const SymbolNode *node;

  finding->file = g_strdup (reader->where);
  if (place->node == HYB_NO_ID)
    {
      finding->line = hyb_json_get_line (reader->json, place->ref);
      finding->path = hyb_json_dup_path (reader->json, place->ref);
      return;
    }

  node = hyb_symbol_node (place->graph, place->node);
  finding->node = g_strdup (node->name);
  finding->line = node->line;
  finding->path = g_strdup_printf ("%s.nodes[%u]", place->graph->path, place->node);
}

/* The message, after the name and type of the node if the place is a node.  (transfer full) */
static char *
add_place (const SymbolPlace *place, const char *message)
{
  const SymbolNode *node;

  if (place->node == HYB_NO_ID)
    return g_strdup (message);

  node = hyb_symbol_node (place->graph, place->node);
  return g_strdup_printf ("node “%s” (%s): %s", node->name,
                          hyb_symbol_is_variable (node) ? "a variable" : node->type, message);
}

static HybFinding *
add_finding (SymbolReader *reader, const SymbolIssue *issue, HybSeverity severity, const char *text)
{
  g_autofree char *message = add_place (issue->place, text);
  HybFinding      *finding = hyb_finding_new (issue->code, severity, "%s", message);

  fill_place (reader, finding, issue->place);
  finding->hint = g_strdup (issue->hint);
  hyb_model_add_finding (reader->model, finding);
  reader->n_findings++;
  return finding;
}

HybFinding *
hyb_symbol_report (SymbolReader *reader, const SymbolIssue *issue, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list          list;

  if (reader->n_findings >= MAX_FINDINGS)
    return NULL;

  va_start (list, format);
  text = g_strdup_vprintf (format, list);
  va_end (list);
  return add_finding (reader, issue, issue->severity, text);
}

gboolean
hyb_symbol_refuse (SymbolReader *reader, const SymbolIssue *issue, const char *format, ...)
{
  g_autofree char  *text = NULL;
  g_autofree char  *where = NULL;
  const HybFinding *finding;
  va_list           list;

  va_start (list, format);
  text = g_strdup_vprintf (format, list);
  va_end (list);

  finding = add_finding (reader, issue, HYB_SEVERITY_ERROR, text);
  where = g_strdup_printf ("%s:%u", reader->where, finding->line);
  return hyb_error_at (reader->error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, where,
                       issue->hint, "%s", finding->message);
}
