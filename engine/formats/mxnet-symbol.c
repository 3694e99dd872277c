/* mxnet-symbol.c — reads a symbol file: runs the steps from bytes to a graph.
 *
 * mxnet-symbol-private.h lists the steps.  Start at hyb_symbol_read().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/mxnet-symbol.h"

#include "engine/base/translate.h"
#include "engine/formats/file.h"
#include "engine/formats/mxnet-symbol-private.h"

#include <string.h>

#define MAX_SUBGRAPH_DEPTH 32

/* Reads a graph, and its subgraphs through reader->read_body.  (transfer full) */
static HybGraph *
read_graph (SymbolReader *reader, HybJsonRef ref, const char *path)
{
  g_autoptr (SymbolGraph) graph = hyb_symbol_graph_new (ref, path);
  HybGraph *built = NULL;

  if (reader->depth == MAX_SUBGRAPH_DEPTH)
    {
      hyb_symbol_refuse (reader, &(SymbolIssue){ "bad-node", SYMBOL_AT_REF (graph, ref), NULL },
                         "more than %u subgraphs nested in each other", MAX_SUBGRAPH_DEPTH);
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

/* A number among the graph's attributes:
 * "attrs": {"mxnet_version": ["int", 10901], "is_np_shape": ["int", 1]}. */
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
    hyb_symbol_report (reader,
                       &(SymbolIssue){ "bad-attribute", SYMBOL_AT_REF (NULL, pair), NULL,
                                       HYB_SEVERITY_WARNING },
                       "the graph’s attribute “%s” should be [\"int\", number]: ignored", key);
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
                                 v / 10000, v / 100 % 100, v % 100);
    }
  find_graph_int (reader, "is_np_shape", &np_shape);
  reader->legacy_shapes = np_shape == 0;

  hyb_model_set_format (reader->model, "mxnet-symbol");
  hyb_model_set_version (reader->model, version);
  if (reader->version > 29999)
    hyb_symbol_report (
        reader,
        &(SymbolIssue){ "newer-version", SYMBOL_AT_REF (NULL, 0), NULL, HYB_SEVERITY_WARNING },
        _ ("the file was written by MXNet %s, which is newer than all versions that are supported"),
        version);
}

/* Reports JSON that MXNet's own reader refuses, or that is probably a mistake. */
static void
report_quirks (SymbolReader *reader)
{
  static const struct
  {
    const char *code, *text, *hint;
  } quirks[HYB_JSON_N_QUIRKS] = {
    [HYB_JSON_QUIRK_ESCAPE] = { "json-escape",
                                N_ ("a string has escapes (\\u, \\/, \\b or \\f) that MXNet’s "
                                    "reader does not understand"),
                                N_ ("Save the file again with raw UTF-8 to load it in MXNet") },
    [HYB_JSON_QUIRK_CONTROL] = { "json-control",
                                 N_ ("a string has unescaped tabs or other control characters"),
                                 N_ ("MXNet loads such a file unless the character ends a line; "
                                     "save it again with escapes") },
    [HYB_JSON_QUIRK_ENCODING] = { "json-encoding",
                                  N_ ("a string has bytes that are not UTF-8; they are read as "
                                      "“?”"),
                                  N_ ("MXNet loads the file, but Python cannot read the names; "
                                      "save it again in UTF-8") },
    [HYB_JSON_QUIRK_DUPLICATE_KEY] = { "json-duplicate-key",
                                       N_ ("a key occurs twice in one object: the last value is "
                                           "used"),
                                       N_ ("MXNet uses the last value, too; remove the others") },
  };

  for (guint i = 0; i < HYB_JSON_N_QUIRKS; i++)
    {
      HybJsonRef ref = hyb_json_get_quirk (reader->json, (HybJsonQuirk) i);

      if (ref != HYB_JSON_NONE)
        hyb_symbol_report (reader,
                           &(SymbolIssue){ quirks[i].code, SYMBOL_AT_REF (NULL, ref),
                                           _ (quirks[i].hint), HYB_SEVERITY_WARNING },
                           "%s", _ (quirks[i].text));
    }
}

/* A failure becomes a finding as well. */
static HybJson *
parse_json (HybModel *model, GBytes *bytes, const char *where, GError **error)
{
  HybJsonTrouble trouble;
  g_autoptr (GError) failure = NULL;
  HybJson    *json = hyb_json_parse (bytes, NULL, where, &trouble, &failure);
  HybFinding *finding;
  const char *message;

  if (json)
    return json;

  /* The finding has fields for the place, so it is removed from the message. */
  message = failure->message;
  if (g_str_has_prefix (message, where))
    {
      message += strlen (where);
      message += strspn (message, ":0123456789 ");
    }
  finding = hyb_finding_new (trouble.code, HYB_SEVERITY_ERROR, "%s", message);
  finding->file = g_strdup (where);
  finding->line = trouble.line;
  finding->offset = trouble.offset;
  finding->remedy = hyb_error_get_remedy (failure);
  hyb_model_add_finding (model, finding);
  g_propagate_error (error, g_steal_pointer (&failure));
  return NULL;
}

gboolean
hyb_symbol_read (HybModel *model, GBytes *bytes, const char *where, GError **error)
{
  SymbolReader reader = { .model = model, .where = where, .error = error, .read_body = read_graph };
  g_autoptr (HybGraph) graph = NULL;

  reader.json = parse_json (model, bytes, where, error);
  if (!reader.json)
    return FALSE;

  reader.strings = g_string_chunk_new (1024);
  reader.unknown = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  report_quirks (&reader);
  read_version (&reader);
  graph = read_graph (&reader, 0, "$");
  if (graph)
    hyb_model_set_graph (model, graph);

  hyb_json_free (reader.json);
  g_string_chunk_free (reader.strings);
  g_hash_table_unref (reader.unknown);
  return graph != NULL;
}
