/* find.c — the search for nodes: parser of queries and matching.
 *
 * A query becomes a list of terms.  A field of the grammar is a row of fields.  Start at
 * scope_find_new() and scope_find_matches().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/find.h"

#include "engine/op/suggest.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#define MAX_TERMS 64

typedef struct _Term Term;

/* A field of the grammar: "name:" or, for numbers, "time>". */
typedef struct
{
  const char *name;
  gboolean    is_number;
  double (*number) (const ScopeFindNode *node); /* NaN: unknown; NULL: a text field */
  gboolean (*text) (const Term *term, const ScopeFindNode *node);
} Field;

typedef enum
{
  LESS,
  LESS_OR_EQUAL,
  GREATER,
  GREATER_OR_EQUAL,
} Comparison;

struct _Term
{
  const Field  *field;
  gboolean      is_negative;
  char         *word;    /* as the user wrote it, without quotes */
  char         *value;   /* case-folded */
  GPatternSpec *pattern; /* of value, if it contains * or ? */
  GRegex       *regex;   /* of value, if it stood between slashes */
  Comparison    comparison;
  double        number;
};

struct _ScopeFind
{
  GPtrArray *terms;
};

/* --- Matching --- */

static const HybNode *
graph_node_of (const ScopeFindNode *node)
{
  return hyb_graph_get_node (node->graph, node->node);
}

/* A pattern must match the whole text, a plain value or a regular expression any part of it. */
static gboolean
text_matches (const Term *term, const char *text)
{
  g_autofree char *folded = NULL;

  if (term->regex)
    return g_regex_match (term->regex, text, 0, NULL);
  folded = g_utf8_casefold (text, -1);
  if (term->pattern)
    return g_pattern_spec_match_string (term->pattern, folded);
  return strstr (folded, term->value) != NULL;
}

static gboolean
match_name (const Term *term, const ScopeFindNode *node)
{
  return text_matches (term, graph_node_of (node)->name);
}

static gboolean
match_op (const Term *term, const ScopeFindNode *node)
{
  return text_matches (term, graph_node_of (node)->type) ||
         text_matches (term, graph_node_of (node)->op->name);
}

static gboolean
match_word (const Term *term, const ScopeFindNode *node)
{
  return match_name (term, node) || match_op (term, node) ||
         (node->title && text_matches (term, node->title));
}

static gboolean
match_shape (const Term *term, const ScopeFindNode *node)
{
  const HybNode *graph_node = graph_node_of (node);

  for (guint i = 0; node->types && i < graph_node->n_outputs; i++)
    {
      const HybShape *shape = &node->types[graph_node->first_output + i].shape;
      g_autoptr (GString) text = g_string_new (NULL);

      if (shape->rank < 0)
        continue;
      for (int d = 0; d < shape->rank; d++)
        {
          if (d > 0)
            g_string_append_c (text, 'x');
          if (shape->dim[d] < 0)
            g_string_append_c (text, '?');
          else
            g_string_append_printf (text, "%" G_GINT64_FORMAT, shape->dim[d]);
        }
      /* A plain value must be the whole shape here: 512 must not match 1512. */
      if (term->regex || term->pattern ? text_matches (term, text->str)
                                       : strcmp (term->value, text->str) == 0)
        return TRUE;
    }
  return FALSE;
}

static gboolean
match_dtype (const Term *term, const ScopeFindNode *node)
{
  const HybNode *graph_node = graph_node_of (node);

  for (guint i = 0; node->types && i < graph_node->n_outputs; i++)
    if (text_matches (term, hyb_dtype_name (node->types[graph_node->first_output + i].dtype)))
      return TRUE;
  return FALSE;
}

static gboolean
match_in (const Term *term, const ScopeFindNode *node)
{
  const char      *path = node->path ? node->path : graph_node_of (node)->name;
  const char      *last = strrchr (path, '/');
  g_autofree char *outside = last ? g_strndup (path, (gsize) (last - path)) : NULL;

  return outside && text_matches (term, outside);
}

static gboolean
compare_attribute (const Term *term, const char *key, const char *value)
{
  const char      *equals = strchr (term->value, '=');
  g_autofree char *folded_key = g_utf8_casefold (key, -1);
  g_autofree char *folded_value = g_utf8_casefold (value, -1);

  if (!equals)
    return g_pattern_match_simple (term->value, folded_key);
  return strlen (folded_key) == (gsize) (equals - term->value) &&
         strncmp (folded_key, term->value, (gsize) (equals - term->value)) == 0 &&
         g_pattern_match_simple (equals + 1, folded_value);
}

/* Matches attributes as the file spells them and as the operator parsed them, including defaults. */
static gboolean
match_attribute (const Term *term, const ScopeFindNode *node)
{
  const HybNode *graph_node = graph_node_of (node);

  for (guint i = 0;
       graph_node->attributes && graph_node->attributes[i] && graph_node->attributes[i + 1]; i += 2)
    if (compare_attribute (term, graph_node->attributes[i], graph_node->attributes[i + 1]))
      return TRUE;
  for (const HybParam *param = graph_node->params ? graph_node->op->params : NULL;
       param && param->name; param++)
    {
      g_autofree char *value = hyb_param_to_string (param, graph_node->params);

      if (compare_attribute (term, param->name, value))
        return TRUE;
    }
  return FALSE;
}

static double
number_seconds (const ScopeFindNode *node)
{
  return node->seconds;
}

static double
number_bytes (const ScopeFindNode *node)
{
  const HybNode *graph_node = graph_node_of (node);
  double         bytes = 0;

  for (guint i = 0; i < graph_node->n_outputs; i++)
    {
      const HybType *type = node->types ? &node->types[graph_node->first_output + i] : NULL;

      if (!type || !hyb_type_is_known (type))
        return NAN;
      bytes += (double) hyb_type_bytes (type);
    }
  return bytes;
}

static const Field fields[] = {
  { "name", FALSE, NULL, match_name },      { "op", FALSE, NULL, match_op },
  { "shape", FALSE, NULL, match_shape },    { "dtype", FALSE, NULL, match_dtype },
  { "attr", FALSE, NULL, match_attribute }, { "in", FALSE, NULL, match_in },
  { "time", TRUE, number_seconds, NULL },   { "bytes", TRUE, number_bytes, NULL },
};
static const Field word_field = { "word", FALSE, NULL, match_word };

/* --- Parsing --- */

static void
term_free (gpointer data)
{
  Term *term = data;

  g_clear_pointer (&term->pattern, g_pattern_spec_free);
  g_clear_pointer (&term->regex, g_regex_unref);
  g_free (term->word);
  g_free (term->value);
  g_free (term);
}

/* Splits at blanks.  Quotes protect blanks and are removed.  Array of char *; (transfer full). */
static GPtrArray *
split_words (const char *query)
{
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) word = g_string_new (NULL);
  gboolean in_quotes = FALSE, has_word = FALSE;

  for (const char *c = query;; c++)
    {
      if (*c == '"')
        {
          in_quotes = !in_quotes;
          has_word = TRUE;
        }
      else if (*c == '\0' || (!in_quotes && g_ascii_isspace (*c)))
        {
          if (has_word && word->len > 0)
            g_ptr_array_add (words, g_strdup (word->str));
          g_string_truncate (word, 0);
          has_word = FALSE;
          if (*c == '\0')
            return words;
        }
      else
        {
          g_string_append_c (word, *c);
          has_word = TRUE;
        }
    }
}

/* Parses "1ms", "2.5k" or "1MiB" into seconds or bytes. */
static gboolean
parse_number (const char *text, gboolean is_time, double *number)
{
  static const struct
  {
    const char *unit;
    double      factor;
  } times[] = { { "ns", 1e-9 }, { "us", 1e-6 }, { "µs", 1e-6 },
                { "ms", 1e-3 }, { "s", 1 },     { "", 1 } },
    sizes[] = { { "", 1 },       { "b", 1 },         { "k", 1e3 },         { "m", 1e6 },
                { "g", 1e9 },    { "kb", 1e3 },      { "mb", 1e6 },        { "gb", 1e9 },
                { "kib", 1024 }, { "mib", 1048576 }, { "gib", 1073741824 } };
  char *end;
  guint n = is_time ? G_N_ELEMENTS (times) : G_N_ELEMENTS (sizes);

  *number = g_ascii_strtod (text, &end);
  if (end == text || !isfinite (*number))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (g_ascii_strcasecmp (end, is_time ? times[i].unit : sizes[i].unit) == 0)
      {
        *number *= is_time ? times[i].factor : sizes[i].factor;
        return TRUE;
      }
  return FALSE;
}

static gboolean
refuse (GError **error, const char *word, const char *hint)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "“%s”: %s", word, hint);
  return FALSE;
}

static gboolean
read_comparison (Term *term, const char *word, const char *rest, GError **error)
{
  term->comparison = *rest == '<' ? LESS : GREATER;
  rest++;
  if (*rest == '=')
    {
      term->comparison = term->comparison == LESS ? LESS_OR_EQUAL : GREATER_OR_EQUAL;
      rest++;
    }
  if (!parse_number (rest, term->field->number == number_seconds, &term->number))
    return refuse (error, word, "a number is needed here, such as time>1ms or bytes>1M");
  return TRUE;
}

/* Dimensions as pictures show them: "35x32", "35×*". */
static gboolean
is_shape (const char *value)
{
  return g_regex_match_simple ("^[0-9*?]+([x×][0-9*?]+)+$", value, 0, 0);
}

/* "num_hidden=512" */
static gboolean
is_attribute (const char *value)
{
  return g_regex_match_simple ("^[a-z_][a-z0-9_]*=.+$", value, G_REGEX_CASELESS, 0);
}

static const Field *
find_field (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    if (strcmp (fields[i].name, name) == 0)
      return &fields[i];
  return NULL;
}

/* Sets the text to compare with.  A word without a field may be a shape or an attribute. */
static gboolean
read_value (Term *term, const char *word, const char *value, GError **error)
{
  gsize length = strlen (value);
  g_autoptr (GError) regex_error = NULL;

  if (length > 2 && value[0] == '/' && value[length - 1] == '/')
    {
      term->value = g_strndup (value + 1, length - 2);
      term->regex = g_regex_new (term->value, G_REGEX_CASELESS, 0, &regex_error);
      return term->regex || refuse (error, word, regex_error->message);
    }
  if (term->field == &word_field && is_shape (value))
    term->field = find_field ("shape");
  else if (term->field == &word_field && is_attribute (value))
    term->field = find_field ("attr");
  term->value = g_utf8_casefold (value, -1);
  if (term->field->text == match_shape)
    {
      g_auto (GStrv) dimensions = g_strsplit (term->value, "×", -1);

      g_free (term->value);
      term->value = g_strjoinv ("x", dimensions);
    }
  if (strpbrk (term->value, "*?"))
    term->pattern = g_pattern_spec_new (term->value);
  return TRUE;
}

static gboolean
read_term (Term *term, const char *word, GError **error)
{
  const char *text = word;
  const char *value;

  if (*text == '-' && text[1] != '\0')
    {
      term->is_negative = TRUE;
      text++;
    }
  term->field = &word_field;
  value = text;
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      gsize length = strlen (fields[i].name);

      if (g_ascii_strncasecmp (text, fields[i].name, length) != 0)
        continue;
      if (fields[i].is_number && (text[length] == '<' || text[length] == '>'))
        {
          term->field = &fields[i];
          return read_comparison (term, word, text + length, error);
        }
      if (!fields[i].is_number && text[length] == ':')
        {
          term->field = &fields[i];
          value = text + length + 1;
          break;
        }
    }
  if (*value == '\0')
    return refuse (error, word, "a value must follow the colon");
  return read_value (term, word, value, error);
}

ScopeFind *
scope_find_new (const char *query, GError **error)
{
  g_autoptr (ScopeFind) find = g_new0 (ScopeFind, 1);
  g_autoptr (GPtrArray) words = NULL;

  find->terms = g_ptr_array_new_with_free_func (term_free);
  if (!g_utf8_validate (query, -1, NULL))
    {
      refuse (error, "…", "the query is not valid UTF-8");
      return NULL;
    }
  words = split_words (query);
  for (guint i = 0; i < MIN (words->len, MAX_TERMS); i++)
    {
      Term *term = g_new0 (Term, 1);

      term->word = g_strdup (words->pdata[i]);
      g_ptr_array_add (find->terms, term);
      if (!read_term (term, words->pdata[i], error))
        return NULL;
    }
  return g_steal_pointer (&find);
}

void
scope_find_free (ScopeFind *find)
{
  g_ptr_array_unref (find->terms);
  g_free (find);
}

gboolean
scope_find_is_empty (const ScopeFind *find)
{
  return find->terms->len == 0;
}

/* FALSE if the number is unknown (NaN). */
static gboolean
number_matches (const Term *term, const ScopeFindNode *node)
{
  double number = term->field->number (node);

  switch (term->comparison)
    {
    case LESS:
      return number < term->number;
    case LESS_OR_EQUAL:
      return number <= term->number;
    case GREATER:
      return number > term->number;
    case GREATER_OR_EQUAL:
      return number >= term->number;
    }
  return FALSE;
}

gboolean
scope_find_matches (const ScopeFind *find, const ScopeFindNode *node)
{
  for (guint i = 0; i < find->terms->len; i++)
    {
      const Term *term = find->terms->pdata[i];
      gboolean    holds =
          term->field->is_number ? number_matches (term, node) : term->field->text (term, node);

      if (holds == term->is_negative)
        return FALSE;
    }
  return TRUE;
}

gboolean
scope_find_matches_title (const ScopeFind *find, const char *title)
{
  for (guint i = 0; i < find->terms->len; i++)
    {
      const Term *term = find->terms->pdata[i];

      if (term->field != &word_field || text_matches (term, title) == term->is_negative)
        return FALSE;
    }
  return TRUE;
}

/* --- Suggestions --- */

/* words: case-folded → as it is written */
static void
add_word (GHashTable *words, const char *text)
{
  g_hash_table_insert (words, g_utf8_casefold (text, -1), g_strdup (text));
}

static void
add_text (GHashTable *words, const char *text)
{
  g_auto (GStrv) parts = g_strsplit_set (text, "_/.:", -1);

  add_word (words, text);
  for (guint i = 0; parts[i]; i++)
    if (*parts[i] != '\0')
      add_word (words, parts[i]);
}

/* Names and operators of a graph and its bodies, and their parts. */
static void
add_words (GHashTable *words, HybGraph *graph)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      add_text (words, node->name);
      add_text (words, node->type);
      for (guint b = 0; b < node->n_bodies; b++)
        add_words (words, hyb_graph_get_bodies (graph, id)[b]);
    }
}

/* The nearest word.  NULL if the term matches a part of a word, or if no word is near. */
static const char *
suggest_word (const Term *term, const char *const *words, guint n)
{
  if (term->is_negative || term->pattern || term->regex || term->field->is_number ||
      (term->field != &word_field && term->field->text != match_name &&
       term->field->text != match_op))
    return NULL;
  for (guint i = 0; i < n; i++)
    if (text_matches (term, words[i]))
      return NULL;
  return hyb_suggest_name (words, n, term->value);
}

static void
append_word (GString *query, const Term *term, const char *word)
{
  g_string_append (query, query->len > 0 ? " " : "");
  if (term->field != &word_field)
    g_string_append_printf (query, "%s:", term->field->name);
  g_string_append_printf (query, strpbrk (word, " \t") ? "\"%s\"" : "%s", word);
}

char *
scope_find_suggest (const ScopeFind *find, HybGraph *graph)
{
  g_autoptr (GHashTable) words = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autofree const char **list = NULL;
  g_autoptr (GString) query = g_string_new (NULL);
  gboolean is_changed = FALSE;
  guint    n;

  add_words (words, graph);
  list = (const char **) g_hash_table_get_keys_as_array (words, &n);
  for (guint i = 0; i < find->terms->len; i++)
    {
      const Term *term = find->terms->pdata[i];
      const char *meant = suggest_word (term, list, n);

      if (meant)
        append_word (query, term, g_hash_table_lookup (words, meant));
      else
        g_string_append_printf (query, "%s%s", query->len > 0 ? " " : "", term->word);
      is_changed = is_changed || meant;
    }
  return is_changed ? g_strdup (query->str) : NULL;
}
