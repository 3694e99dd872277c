/* request.c — writes and reads requests to a target.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/request.h"

#include "app/adapt/child-message.h"
#include "app/command/children/find-json.h"
#include "app/command/targets/original-name.h"

#include "engine/base/error.h"
#include "engine/block/plugin.h"
#include "engine/formats/json-text.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/kernels/simd/simd.h"

#define SILENCE 120 /* seconds */

/* Variables of the environment that the other end may set. */
static const char *const variables_taken[] = {
  HYB_PLUGINS_VARIABLE, SCOPE_MESSAGES_VARIABLE, SCOPE_FILES_VARIABLE, SCOPE_TARGET_VARIABLE, NULL,
};

guint
scope_get_silence (void)
{
  const char *text = g_getenv ("HYBRIDSCOPE_TARGET_SILENCE");
  guint64     seconds;

  return text && g_ascii_string_to_unsigned (text, 10, 1, 86400, &seconds, NULL) ? (guint) seconds
                                                                                 : SILENCE;
}

void
scope_line_add_text (GString *line, const char *key, const char *text)
{
  g_string_append_printf (line, ", \"%s\": ", key);
  if (text)
    hyb_json_append_string (line, text);
  else
    g_string_append (line, "null");
}

/* --- Requests --- */

static void
add_texts (GString *line, const char *key, char *const *texts)
{
  g_string_append_printf (line, ", \"%s\": [", key);
  for (guint i = 0; texts[i]; i++)
    {
      g_string_append (line, i > 0 ? ", " : "");
      hyb_json_append_string (line, texts[i]);
    }
  g_string_append_c (line, ']');
}

GString *
scope_request_write (const ScopeRequest *request)
{
  GString *line = g_string_new ("{\"hscope\": \"" SCOPE_VERSION "\"");

  scope_line_add_text (line, "token", request->token);
  scope_line_add_text (line, "folder", request->folder);
  add_texts (line, "command", request->words);
  add_texts (line, "environment", request->variables);
  scope_remote_files_append (line, "files", request->files);
  scope_remote_files_append (line, "outputs", request->outputs);
  g_string_append (line, "}\n");
  return line;
}

/* (transfer full) NULL: it is not a list of texts. */
static char **
read_texts (const HybJson *json, const char *key)
{
  HybJsonRef list = hyb_json_find (json, 0, key), member;
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  HybJsonIter iter;

  if (list == HYB_JSON_NONE || hyb_json_get_kind (json, list) != HYB_JSON_ARRAY)
    return NULL;
  iter = hyb_json_iter (json, list);
  while (hyb_json_iter_next (&iter, NULL, &member))
    {
      const char *text = hyb_json_get_string (json, member);

      if (!text)
        return NULL;
      g_ptr_array_add (texts, g_strdup (text));
    }
  g_ptr_array_add (texts, NULL);
  return (char **) g_ptr_array_steal (texts, NULL);
}

/* Only some variables are taken, with their values. */
static gboolean
are_known (char *const *variables)
{
  for (; variables[0]; variables += 2)
    if (!variables[1] || !g_strv_contains (variables_taken, variables[0]))
      return FALSE;
  return TRUE;
}

char **
scope_request_dup_environment (const ScopeRequest *request)
{
  char **environment = g_get_environ ();

  for (char **at = request->variables; at[0]; at += 2)
    environment = g_environ_setenv (environment, at[0], at[1], TRUE);
  return environment;
}

ScopeRequest *
scope_request_parse (const char *text, gsize n, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, n);
  g_autoptr (HybJson) json = hyb_json_parse (bytes, NULL, "the request", NULL, error);
  ScopeRequest *request = json ? g_new0 (ScopeRequest, 1) : NULL;

  if (!request)
    return NULL;
  request->token = g_strdup (scope_find_string (json, 0, "token"));
  request->folder = g_strdup (scope_find_string (json, 0, "folder"));
  request->words = read_texts (json, "command");
  request->variables = read_texts (json, "environment");
  request->files = scope_remote_files_parse (json, "files", error);
  request->outputs = request->files ? scope_remote_files_parse (json, "outputs", error) : NULL;
  if (request->outputs && request->token && request->words && request->variables &&
      are_known (request->variables))
    return request;
  if (request->outputs)
    g_set_error_literal (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED,
                         "this version of hscope does not support the request");
  scope_request_free (request);
  return NULL;
}

void
scope_request_free (ScopeRequest *request)
{
  g_free (request->token);
  g_free (request->folder);
  g_strfreev (request->words);
  g_strfreev (request->variables);
  g_clear_pointer (&request->files, g_ptr_array_unref);
  g_clear_pointer (&request->outputs, g_ptr_array_unref);
  g_free (request);
}

/* --- Answers --- */

GString *
scope_answer_begin (const ScopeRequest *request)
{
  GString *line = g_string_new (request->token);

  g_string_append (line, " {\"hscope\": \"" SCOPE_VERSION "\"");
  return line;
}

void
scope_answer_add_facts (GString *line)
{
  g_autofree char *vectors = hyb_simd_describe ();
  g_autofree char *products = hyb_gemm_describe ();

  scope_line_add_text (line, "host", g_get_host_name ());
  scope_line_add_text (line, "vectors", vectors);
  scope_line_add_text (line, "products", products);
  g_string_append_printf (line, ", \"time\": %" G_GINT64_FORMAT, g_get_real_time ());
}
