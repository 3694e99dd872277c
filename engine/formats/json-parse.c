/* json-parse.c — parses JSON into tokens, in one pass and without recursion.
 *
 * Strings are unescaped and terminated in place in a private copy of the text; unescaping never
 * makes a string longer.  Start at hyb_json_parse() and parse_document().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/json-private.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/remedy.h"
#include "engine/formats/json-text.h"
#include "engine/formats/sniff.h"

#include <string.h>

#define SMALL_OBJECT 24 /* keys */

static const HybJsonLimits default_limits = {
  .size = (gsize) 1 << 30,
  .depth = 256,
  .count = 1u << 27,
};

typedef struct
{
  HybJson             *json;
  const HybJsonLimits *limits;
  const char          *where;
  HybJsonTrouble      *trouble;
  GError             **error;
  gsize                at, length;
  guint                max_tokens;
  HybJsonRef          *stack; /* open containers */
  guint                depth; /* of the stack */
} Parser;

static gboolean
fail (Parser *parser, const char *hint, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
fail (Parser *parser, const char *hint, const char *format, ...)
{
  gboolean         is_cut = parser->at >= parser->length;
  guint            line = hyb_json_line_of_offset (parser->json, MIN (parser->at, parser->length));
  g_autofree char *place = g_strdup_printf ("%s:%u", parser->where, line);
  g_autofree char *what = NULL;
  va_list          list;

  va_start (list, format);
  what = g_strdup_vprintf (format, list);
  va_end (list);

  *parser->trouble = (HybJsonTrouble){
    .code = is_cut ? "truncated" : "bad-json",
    .line = line,
    .offset = (gint64) parser->at,
  };
  return hyb_error_at (parser->error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, place,
                       is_cut ? "The file was cut off; export or download it again" : hint, "%s",
                       is_cut ? "the text ends too early" : what);
}

static HybJsonRef
push_token (Parser *parser, HybJsonKind kind, gsize begin)
{
  HybJson *json = parser->json;

  if (json->n_tokens == json->room)
    {
      json->room = MAX (json->room * 2, 1024);
      json->tokens = g_renew (HybJsonToken, json->tokens, json->room);
    }

  json->tokens[json->n_tokens] = (HybJsonToken){
    .begin = (guint32) begin,
    .end = (guint32) begin,
    .next = json->n_tokens + 1,
    .kind = kind,
  };
  return json->n_tokens++;
}

/* Keeps the first occurrence. */
static void
note_quirk (Parser *parser, HybJsonQuirk quirk, HybJsonRef ref)
{
  if (parser->json->quirks[quirk] == HYB_JSON_NONE)
    parser->json->quirks[quirk] = ref;
}

/* Skips white space; returns the next character, or 0 at the end. */
static char
peek (Parser *parser)
{
  const char *text = parser->json->text;

  while (parser->at < parser->length && (text[parser->at] == ' ' || text[parser->at] == '\n' ||
                                         text[parser->at] == '\t' || text[parser->at] == '\r'))
    parser->at++;

  return parser->at < parser->length ? text[parser->at] : '\0';
}

/* parser->at is at the opening quote. */
static gboolean
parse_string (Parser *parser)
{
  HybJson        *json = parser->json;
  HybJsonRef      ref = push_token (parser, HYB_JSON_STRING, parser->at + 1);
  HybJsonUnescape result;

  if (!hyb_json_unescape (json->text, parser->at + 1, parser->length, &result))
    {
      parser->at = result.stop;
      return fail (parser, "Write it as \\uXXXX or plain UTF-8", "%s in a string", result.trouble);
    }

  if (result.has_escapes)
    note_quirk (parser, HYB_JSON_QUIRK_ESCAPE, ref);
  if (result.has_control)
    note_quirk (parser, HYB_JSON_QUIRK_CONTROL, ref);
  if (result.has_bad_bytes)
    note_quirk (parser, HYB_JSON_QUIRK_ENCODING, ref);

  json->tokens[ref].end = (guint32) result.end;
  parser->at = result.stop;
  return TRUE;
}

static gboolean
parse_number (Parser *parser)
{
  HybJson   *json = parser->json;
  gsize      end = hyb_json_number_end (json->text, parser->at, parser->length);
  HybJsonRef ref;

  if (end == parser->at)
    return fail (parser, "JSON has only decimal numbers", "this is not a JSON number");

  ref = push_token (parser, HYB_JSON_NUMBER, parser->at);
  json->tokens[ref].end = (guint32) end;
  parser->at = end;
  return TRUE;
}

static gboolean
parse_word (Parser *parser)
{
  static const struct
  {
    const char *word;
    HybJsonKind kind;
  } words[] = {
    { "null", HYB_JSON_NULL },
    { "true", HYB_JSON_TRUE },
    { "false", HYB_JSON_FALSE },
  };
  static const char *const refused[] = { "NaN", "nan", "Infinity", "-Infinity", "inf", "-inf" };
  const char              *text = parser->json->text + parser->at;
  gsize                    left = parser->length - parser->at;

  /* Most values are numbers. */
  if (g_ascii_isdigit (*text))
    return parse_number (parser);

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (left >= strlen (words[i].word) && g_str_has_prefix (text, words[i].word))
      {
        push_token (parser, words[i].kind, parser->at);
        parser->at += strlen (words[i].word);
        return TRUE;
      }

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    if (g_str_has_prefix (text, refused[i]))
      return fail (parser, "Write it as a string, in double quotes", "JSON has no number “%s”",
                   refused[i]);

  if (*text == '-')
    return parse_number (parser);
  if (g_ascii_isprint (*text))
    return fail (parser, NULL, "a value is expected here, not “%c”", *text);

  return fail (parser, NULL, "a value is expected here, not byte 0x%02x", (guint8) *text);
}

static gboolean
parse_key (Parser *parser)
{
  if (peek (parser) != '"')
    return fail (parser, "Put keys in double quotes", "a key is expected here");
  if (!parse_string (parser))
    return FALSE;
  if (peek (parser) != ':')
    return fail (parser, NULL, "a colon is expected after the key");

  parser->at++;
  return TRUE;
}

/* Parses one value; of a container only the opening bracket. */
static gboolean
refuse_size (Parser *parser)
{
  fail (parser, NULL, "more than %u values", parser->max_tokens);
  if (parser->error && *parser->error)
    (*parser->error)->code = HYB_FORMAT_ERROR_LIMIT;
  return hyb_error_add_remedy (parser->error, HYB_REMEDY_MEMORY, NULL);
}

static gboolean
parse_value (Parser *parser)
{
  char       c = peek (parser);
  HybJsonRef ref;

  if (parser->json->n_tokens >= parser->max_tokens)
    return refuse_size (parser);
  if (parser->at >= parser->length)
    return fail (parser, NULL, "a value is missing");
  if (c == '"')
    return parse_string (parser);
  if (c != '{' && c != '[')
    return parse_word (parser);

  if (parser->depth == parser->limits->depth)
    return fail (parser, NULL, "more than %u lists and objects nested in each other",
                 parser->limits->depth);

  ref = push_token (parser, c == '{' ? HYB_JSON_OBJECT : HYB_JSON_ARRAY, parser->at);
  parser->stack[parser->depth++] = ref;
  parser->at++;
  return TRUE;
}

static gboolean
keys_equal (const HybJson *json, HybJsonRef a, HybJsonRef b)
{
  const HybJsonToken *x = &json->tokens[a], *y = &json->tokens[b];

  return x->end - x->begin == y->end - y->begin &&
         memcmp (json->text + x->begin, json->text + y->begin, x->end - x->begin) == 0;
}

/* Notes duplicate keys.  Small objects are compared pair by pair, which needs no allocation. */
static void
check_keys (Parser *parser, HybJsonRef object)
{
  const HybJson *json = parser->json;
  HybJsonRef     end = json->tokens[object].next;
  guint          n = 0;

  for (HybJsonRef i = object + 1; i < end && n <= SMALL_OBJECT; i = json->tokens[i + 1].next, n++)
    for (HybJsonRef j = object + 1; j < i; j = json->tokens[j + 1].next)
      if (keys_equal (json, i, j))
        note_quirk (parser, HYB_JSON_QUIRK_DUPLICATE_KEY, i);

  if (n > SMALL_OBJECT)
    {
      g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

      for (HybJsonRef i = object + 1; i < end; i = json->tokens[i + 1].next)
        if (!g_hash_table_add (seen, json->text + json->tokens[i].begin))
          note_quirk (parser, HYB_JSON_QUIRK_DUPLICATE_KEY, i);
    }
}

static void
close_container (Parser *parser)
{
  HybJson   *json = parser->json;
  HybJsonRef ref = parser->stack[--parser->depth];

  parser->at++;
  json->tokens[ref].end = (guint32) parser->at;
  json->tokens[ref].next = json->n_tokens;
  if (json->tokens[ref].kind == HYB_JSON_OBJECT)
    check_keys (parser, ref);
}

/* After a value: closes the containers that end here, up to a comma or the end of the document. */
static gboolean
parse_separator (Parser *parser)
{
  while (parser->depth > 0)
    {
      HybJsonKind kind = parser->json->tokens[parser->stack[parser->depth - 1]].kind;
      char        closing = kind == HYB_JSON_OBJECT ? '}' : ']';
      char        c = peek (parser);

      if (c == ',')
        {
          parser->at++;
          return TRUE;
        }
      if (c != closing)
        return fail (parser, NULL, "a comma or “%c” is expected here", closing);

      close_container (parser);
    }

  return TRUE;
}

static gboolean
parse_document (Parser *parser)
{
  do
    {
      guint depth = parser->depth;

      if (depth > 0 && parser->json->tokens[parser->stack[depth - 1]].kind == HYB_JSON_OBJECT &&
          !parse_key (parser))
        return FALSE;
      if (!parse_value (parser))
        return FALSE;

      if (parser->depth > depth)
        {
          char c = peek (parser);

          if (c != '}' && c != ']')
            continue;
        }
      if (!parse_separator (parser))
        return FALSE;
    }
  while (parser->depth > 0);

  peek (parser);
  if (parser->at < parser->length)
    return fail (parser, "Remove the text after the last bracket",
                 "text follows the end of the JSON value");

  return TRUE;
}

/* TRUE if a JSON value, or a frequent mistake for one, begins with this character; also for
 * blanks. */
static gboolean
begins_like_json (const char *text, gsize length)
{
  gsize at = length >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

  while (at < length && g_ascii_isspace (text[at]))
    at++;
  return at == length || g_ascii_isdigit (text[at]) ||
         (text[at] != '\0' && strchr ("{[\"-tfnTFNIu", text[at]));
}

/* Fails if the file is not JSON, naming its actual kind, or is too large. */
static gboolean
check_looks (Parser *parser)
{
  HybSniff    kind = hyb_sniff (parser->json->text, parser->length);
  const char *hint = NULL;
  const char *description = hyb_sniff_describe (kind, &hint);

  *parser->trouble = (HybJsonTrouble){ .code = "not-a-model", .line = 0, .offset = 0 };
  if (kind != HYB_SNIFF_JSON && kind != HYB_SNIFF_UNKNOWN)
    return hyb_error_at (parser->error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_UNKNOWN, parser->where,
                         hint ? hint : "Give the symbol file as the model, other files after it",
                         "this is %s", description);
  if (!begins_like_json (parser->json->text, parser->length))
    return hyb_error_at (parser->error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_UNKNOWN, parser->where,
                         "Models are files such as net-symbol.json, net.onnx and net.pt2",
                         "this is %s", description);
  if (parser->length > parser->limits->size)
    return hyb_error_at (parser->error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, parser->where,
                         NULL,
                         "the text has %" G_GSIZE_FORMAT " bytes; at most %" G_GSIZE_FORMAT
                         " are read",
                         parser->length, parser->limits->size);

  return TRUE;
}

/* Tokens may take half of the memory that reading the text may take; while their array grows, there are
 * two of them. */
static guint
max_tokens (const Parser *parser)
{
  guint64 limit = hyb_limits_get_memory (parser->length) / (4 * sizeof (HybJsonToken));

  return (guint) MIN (limit, parser->limits->count);
}

HybJson *
hyb_json_parse (GBytes              *bytes,
                const HybJsonLimits *limits,
                const char          *where,
                HybJsonTrouble      *trouble,
                GError             **error)
{
  g_autoptr (HybJson) json = g_new0 (HybJson, 1);
  g_autofree HybJsonRef *stack = NULL;
  HybJsonTrouble         ignored;
  Parser                 parser = {
                    .json = json,
                    .limits = limits ? limits : &default_limits,
                    .where = where,
                    .trouble = trouble ? trouble : &ignored,
                    .error = error,
  };
  const char *original = g_bytes_get_data (bytes, &parser.length);

  json->bytes = g_bytes_ref (bytes);
  json->line = 1;
  for (guint i = 0; i < HYB_JSON_N_QUIRKS; i++)
    json->quirks[i] = HYB_JSON_NONE;

  json->text = (char *) original;
  if (!check_looks (&parser))
    {
      json->text = NULL;
      return NULL;
    }

  json->text = g_malloc (parser.length + 1);
  if (parser.length > 0)
    memcpy (json->text, original, parser.length);
  json->text[parser.length] = '\0';
  parser.max_tokens = max_tokens (&parser);
  parser.stack = stack = g_new (HybJsonRef, parser.limits->depth);
  if (g_str_has_prefix (json->text, "\xef\xbb\xbf"))
    parser.at = 3;

  if (!parse_document (&parser))
    return NULL;

  return g_steal_pointer (&json);
}
