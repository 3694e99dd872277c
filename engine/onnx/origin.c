/* origin.c — where a node comes from in the program that was exported, as PyTorch's exporter writes it into a node's
 * metadata.
 *
 * “namespace” is “: __main__.Net/encoder: Encoder/encoder.layers.0: Linear/linear: aten.linear.default”: a name and a class
 * for each module around the node, outermost first, and then the function that was called.  Names are paths from the
 * outermost module.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/onnx-op.h"
#include "engine/onnx/reader.h"

#include <string.h>

#define MAX_MODULES 64

/* --- Modules --- */

/* Appends the part of a path that the path of the module around it does not have. */
static void
append_module (GString *scope, const char *outer, const char *name)
{
  gsize n = strlen (outer);

  if (n > 0 && strncmp (name, outer, n) == 0 && name[n] == '.')
    name += n + 1;
  if (name[0] == '\0')
    return;
  if (scope->len > 0)
    g_string_append_c (scope, '/');
  g_string_append (scope, name);
}

static void
read_modules (HybArena *arena, const char *text, HybOrigin *origin)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", MAX_MODULES);
  g_autoptr (GString) scope = g_string_new (NULL);
  const char *outer = "", *module = NULL;

  for (guint i = 0; parts[i] && parts[i + 1]; i++)
    {
      char *colon = strstr (parts[i], ": ");

      if (!colon)
        return;
      *colon = '\0';
      module = colon + 2;
      append_module (scope, outer, parts[i]);
      outer = parts[i];
    }
  if (scope->len > 0)
    origin->scope = hyb_arena_intern (arena, scope->str);
  if (module)
    origin->module = hyb_arena_intern (arena, module);
}

/* --- Lines of source --- */

/* Matches a call of a traceback; made once, since all nodes have one. */
static GRegex *
calls_regex (void)
{
  static GRegex *regex;

  if (g_once_init_enter (&regex))
    g_once_init_leave (&regex,
                       g_regex_new ("File \"([^\"]+)\", line ([0-9]+), in (\\S+)", 0, 0, NULL));
  return regex;
}

/* “model.py:12, in forward” for the innermost call of a Python traceback that is not in an installed package. */
static void
read_traceback (HybArena *arena, const char *text, HybOrigin *origin)
{
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *source = NULL;

  for (g_regex_match (calls_regex (), text, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL))
    {
      g_autofree char *file = g_match_info_fetch (match, 1);
      g_autofree char *line = g_match_info_fetch (match, 2);
      g_autofree char *function = g_match_info_fetch (match, 3);
      g_autofree char *name = g_path_get_basename (file);

      if (source && strstr (file, "/site-packages/"))
        continue;
      g_free (source);
      source = g_strdup_printf ("%s:%s, in %s", name, line, function);
    }
  if (source)
    origin->source = hyb_arena_intern (arena, source);
}

void
hyb_onnx_read_origin (HybArena *arena, const HybOnnxNode *node, HybOrigin *origin)
{
  const char *modules = hyb_onnx_entry_find (node->metadata, node->n_metadata, "namespace");
  const char *traceback =
      hyb_onnx_entry_find (node->metadata, node->n_metadata, "pkg.torch.onnx.stack_trace");

  *origin = (HybOrigin){ 0 };
  if (modules)
    read_modules (arena, modules, origin);
  if (traceback)
    read_traceback (arena, traceback, origin);
}

void
hyb_onnx_origin (gconstpointer params, HybOrigin *origin)
{
  *origin = ((const HybOnnxUse *) params)->origin;
}
