/* mxnet-symbol.c — a symbol file from bytes to a graph, in order.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/mxnet-symbol.h"

#include "engine/base/error.h"
#include "engine/formats/file.h"
#include "engine/formats/mxnet-symbol-private.h"

#include <string.h>

#define MAX_SUBGRAPH_DEPTH 32
#define MAX_FINDINGS       500 /* nobody reads more; a hostile file could cause millions */

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

/* “conv1” (Convolution): , before what is said of a node. */
static char *
name_place (const SymbolPlace *place, const char *what)
{
  const SymbolNode *node;

  if (place->node == HYB_NO_ID)
    return g_strdup (what);

  node = hyb_symbol_node (place->graph, place->node);
  return g_strdup_printf ("node “%s” (%s): %s",
                          node->name,
                          hyb_symbol_is_variable (node) ? "a variable" : node->type,
                          what);
}

static HybFinding *
say (SymbolReader      *reader,
     HybSeverity        severity,
     const char        *code,
     const SymbolPlace *place,
     const char        *hint,
     const char        *what)
{
  g_autofree char *message = name_place (place, what);
  HybFinding      *finding = hyb_finding_new (code, severity, "%s", message);

  fill_place (reader, finding, place);
  finding->hint = g_strdup (hint);
  hyb_model_add_finding (reader->model, finding);
  reader->n_said++;
  return finding;
}

HybFinding *
hyb_symbol_say (SymbolReader      *reader,
                HybSeverity        severity,
                const char        *code,
                const SymbolPlace *place,
                const char        *hint,
                const char        *format,
                ...)
{
  g_autofree char *what = NULL;
  va_list          list;

  if (reader->n_said >= MAX_FINDINGS)
    return NULL;

  va_start (list, format);
  what = g_strdup_vprintf (format, list);
  va_end (list);
  return say (reader, severity, code, place, hint, what);
}

gboolean
hyb_symbol_refuse (SymbolReader      *reader,
                   const char        *code,
                   const SymbolPlace *place,
                   const char        *hint,
                   const char        *format,
                   ...)
{
  g_autofree char  *what = NULL;
  g_autofree char  *where = NULL;
  const HybFinding *finding;
  va_list           list;

  va_start (list, format);
  what = g_strdup_vprintf (format, list);
  va_end (list);

  finding = say (reader, HYB_SEVERITY_ERROR, code, place, hint, what);
  where = g_strdup_printf ("%s:%u", reader->where, finding->line);
  return hyb_error_at (reader->error,
                       HYB_FORMAT_ERROR,
                       HYB_FORMAT_ERROR_MALFORMED,
                       where,
                       hint,
                       "%s",
                       finding->message);
}

HybGraph *
hyb_symbol_read_graph (SymbolReader *reader, HybJsonRef ref, const char *path)
{
  g_autoptr (SymbolGraph) graph = hyb_symbol_graph_new (ref, path);
  HybGraph *built = NULL;

  if (reader->depth == MAX_SUBGRAPH_DEPTH)
    {
      hyb_symbol_refuse (reader,
                         "bad-node",
                         SYMBOL_AT_REF (graph, ref),
                         NULL,
                         "more than %u subgraphs in each other",
                         MAX_SUBGRAPH_DEPTH);
      return NULL;
    }

  reader->depth++;
  if (hyb_symbol_read_nodes (reader, graph))
    {
      if (reader->depth == 1)
        hyb_symbol_upgrade (reader, graph);
      if (hyb_symbol_sort (reader, graph))
        built = hyb_symbol_build (reader, graph);
    }
  reader->depth--;

  return built;
}

/* "attrs": {"mxnet_version": ["int", 10901], "is_np_shape": ["int", 1]} */
static gboolean
find_graph_int (SymbolReader *reader, const char *key, gint64 *value)
{
  HybJsonRef  attrs = hyb_json_find (reader->json, 0, "attrs");
  HybJsonRef  pair, item;
  HybJsonIter iter;
  gboolean    is_found = FALSE;

  if (attrs == HYB_JSON_NONE)
    return FALSE;
  pair = hyb_json_find (reader->json, attrs, key);
  if (pair == HYB_JSON_NONE)
    return FALSE;

  iter = hyb_json_iter (reader->json, pair);
  while (hyb_json_iter_next (&iter, NULL, &item))
    if (hyb_json_get_int (reader->json, item, value))
      is_found = TRUE;

  if (!is_found)
    hyb_symbol_say (reader,
                    HYB_SEVERITY_WARNING,
                    "bad-attribute",
                    SYMBOL_AT_REF (NULL, pair),
                    NULL,
                    "the graph’s attribute “%s” should be [\"int\", number]: ignored",
                    key);
  return is_found;
}

static void
read_version (SymbolReader *reader)
{
  g_autofree char *version = NULL;
  gint64           np_shape = 0;

  reader->version = HYB_SYMBOL_VERSION_UNKNOWN;
  if (find_graph_int (reader, "mxnet_version", &reader->version))
    {
      gint64 v = CLAMP (reader->version, 0, 99999999);

      version = g_strdup_printf ("%" G_GINT64_FORMAT ".%" G_GINT64_FORMAT ".%" G_GINT64_FORMAT,
                                 v / 10000,
                                 v / 100 % 100,
                                 v % 100);
    }
  find_graph_int (reader, "is_np_shape", &np_shape);
  reader->legacy_shapes = np_shape == 0;

  hyb_model_set_format (reader->model, "mxnet-symbol");
  hyb_model_set_version (reader->model, version);
  if (reader->version > 29999)
    hyb_symbol_say (reader,
                    HYB_SEVERITY_WARNING,
                    "newer-version",
                    SYMBOL_AT_REF (NULL, 0),
                    NULL,
                    "the file was written by MXNet %s, which is newer than all we know",
                    version);
}

static void
report_quirks (SymbolReader *reader)
{
  static const struct
  {
    const char *code, *text;
  } quirks[HYB_JSON_N_QUIRKS] = {
    [HYB_JSON_QUIRK_ESCAPE] = { "json-escape",
                                "a text has escapes (\\u, \\/, \\b or \\f) that MXNet’s reader "
                                "does not understand" },
    [HYB_JSON_QUIRK_CONTROL] = { "json-control", "a text holds raw tabs or control characters" },
    [HYB_JSON_QUIRK_ENCODING] = { "json-encoding",
                                  "a text holds bytes that are no UTF-8, read as “?”" },
    [HYB_JSON_QUIRK_DUPLICATE_KEY] = { "json-duplicate-key",
                                       "a key comes twice in one object: the last one counts" },
  };

  for (guint i = 0; i < HYB_JSON_N_QUIRKS; i++)
    {
      HybJsonRef ref = hyb_json_get_quirk (reader->json, (HybJsonQuirk) i);

      if (ref != HYB_JSON_NONE)
        hyb_symbol_say (reader,
                        HYB_SEVERITY_WARNING,
                        quirks[i].code,
                        SYMBOL_AT_REF (NULL, ref),
                        "Save the file again with raw UTF-8 to load it in MXNet",
                        "%s",
                        quirks[i].text);
    }
}

static HybJson *
parse_json (HybModel *model, GBytes *bytes, const char *where, GError **error)
{
  HybJsonTrouble trouble;
  g_autoptr (GError) own = NULL;
  HybJson    *json = hyb_json_parse (bytes, NULL, where, &trouble, &own);
  HybFinding *finding;
  const char *message;

  if (json)
    return json;

  /* The finding has its place in fields of its own. */
  message = own->message;
  if (g_str_has_prefix (message, where))
    {
      message += strlen (where);
      message += strspn (message, ":0123456789 ");
    }
  finding = hyb_finding_new (trouble.code, HYB_SEVERITY_ERROR, "%s", message);
  finding->file = g_strdup (where);
  finding->line = trouble.line;
  finding->offset = trouble.offset;
  hyb_model_add_finding (model, finding);
  g_propagate_error (error, g_steal_pointer (&own));
  return NULL;
}

gboolean
hyb_symbol_read (HybModel *model, GBytes *bytes, const char *where, GError **error)
{
  SymbolReader reader = { .model = model, .where = where, .error = error };
  g_autoptr (HybGraph) graph = NULL;

  reader.json = parse_json (model, bytes, where, error);
  if (!reader.json)
    return FALSE;

  reader.strings = g_string_chunk_new (1024);
  reader.unknown = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  report_quirks (&reader);
  read_version (&reader);
  graph = hyb_symbol_read_graph (&reader, 0, "$");
  if (graph)
    hyb_model_set_graph (model, graph);

  hyb_json_free (reader.json);
  g_string_chunk_free (reader.strings);
  g_hash_table_unref (reader.unknown);
  return graph != NULL;
}

gboolean
hyb_symbol_write_file (HybGraph *graph, const char *path, GError **error)
{
  gsize            length;
  g_autofree char *text = hyb_symbol_print (graph, &length);

  return hyb_file_replace_contents (path, text, length, error);
}
