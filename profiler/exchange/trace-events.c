/* trace-events.c — a tolerant reader of Chrome trace events.
 *
 * Objects of the list are read one by one.  A string ends at the first quote after which its object
 * continues plausibly, so that unescaped quotes inside do no harm.  Start reading at
 * prof_trace_read() and find_end().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/trace-events.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "profiler/capture/capture.h"

#include <string.h>

#define MAX_DEPTH    32
#define MAX_HEAD     4096 /* bytes before the list in which traces of ours are recognised */
#define MAX_STRING   (1 << 16)
#define SHORT_STRING 512
#define MAX_KEY      256 /* bytes of a key and its quote */
#define MAX_EVENTS   (50 * 1000 * 1000)

/* The memory for an event and a text: an array that grows, and the tables of an import. */
#define EVENT_BYTES (3 * sizeof (ProfTraceEvent))
#define TEXT_BYTES  64

typedef struct
{
  const char *text;
  gsize       length, at;
  gsize
      wasted; /* bytes that were read in vain: strings without an end, objects that were dropped */
  guint64     memory; /* bytes that the text and all that was read take */
  guint64     limit;  /* of memory: nothing more is read beyond it */
  GHashTable *texts;  /* the kept ones */
  ProfTrace  *trace;
} Reader;

static gsize
skip_blanks (const Reader *reader, gsize at)
{
  while (at < reader->length && g_ascii_isspace (reader->text[at]))
    at++;
  return at;
}

static char
char_at (const Reader *reader, gsize at)
{
  return at < reader->length ? reader->text[at] : 0;
}

/* --- Strings --- */

/* Whether “"key":” is at this position. */
static gboolean
is_key_at (const Reader *reader, gsize at)
{
  const char *key, *end;

  if (char_at (reader, at) != '"')
    return FALSE;
  key = reader->text + at + 1;
  end = memchr (key, '"', MIN (reader->length - at - 1, MAX_KEY));
  return end && !memchr (key, '\n', (gsize) (end - key)) &&
         char_at (reader, skip_blanks (reader, (gsize) (end - reader->text) + 1)) == ':';
}

/* Whether the object continues after a value that ended here. */
static gboolean
continues (const Reader *reader, gsize at)
{
  at = skip_blanks (reader, at);
  switch (char_at (reader, at))
    {
    case '}':
    case ']':
      return TRUE;
    case ',':
      at = skip_blanks (reader, at + 1);
      return is_key_at (reader, at) || strchr ("{[-0123456789tfn", char_at (reader, at)) != NULL;
    default:
      return FALSE;
    }
}

static gsize
count_backslashes (const Reader *reader, gsize from, gsize before)
{
  gsize n = 0;

  while (before > from && reader->text[before - 1] == '\\')
    {
      before--;
      n++;
    }
  return n;
}

/* Whether so much was read in vain that only short strings and the objects behind a broken one are tried: the time must
 * stay proportional to the size of the file. */
static gboolean
is_too_broken (const Reader *reader)
{
  return reader->wasted > MAX_STRING + 8 * reader->length;
}

/* The position of the closing quote of a string whose first byte is at from; 0 if there is none. */
static gsize
find_end (Reader *reader, gsize from, gboolean is_key)
{
  gsize longest = is_too_broken (reader) ? SHORT_STRING : MAX_STRING;
  gsize limit = MIN (reader->length, from + longest);

  for (gsize at = from; at < limit; at++)
    {
      const char *quote = memchr (reader->text + at, '"', limit - at);
      gboolean    is_escaped;

      if (!quote)
        break;
      at = (gsize) (quote - reader->text);
      is_escaped = count_backslashes (reader, from, at) % 2 == 1;
      if (is_key && char_at (reader, skip_blanks (reader, at + 1)) == ':' && !is_escaped)
        return at;
      if (is_key || !continues (reader, at + 1))
        continue;
      /* An escaped quote ends the string only before a comma or the end of the line: then the name
       * ends in a backslash. */
      if (!is_escaped || strchr (",\n", char_at (reader, at + 1)))
        return at;
    }
  reader->wasted += limit - from;
  return 0;
}

/* The text in the trace, which keeps equal ones once. */
static const char *
keep (Reader *reader, const char *text, gsize length)
{
  const char *kept = g_hash_table_lookup (reader->texts, text);

  if (kept)
    return kept;
  kept = g_string_chunk_insert_len (reader->trace->texts, text, (gssize) length);
  g_hash_table_add (reader->texts, (gpointer) kept);
  reader->memory += length + TEXT_BYTES;
  return kept;
}

static gboolean
has_controls (const char *text, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if ((guchar) text[i] < ' ')
      return TRUE;
  return FALSE;
}

/* The text of a string.  JSON's escapes of quote, backslash and slash are resolved; other
 * backslashes are kept. */
static const char *
keep_text (Reader *reader, gsize from, gsize end)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean is_mended = FALSE;

  for (gsize at = from; at < end; at++)
    {
      const char *piece = reader->text + at, *stop = memchr (piece, '\\', end - at);
      gsize       n = stop ? (gsize) (stop - piece) : end - at;

      is_mended |= memchr (piece, '"', n) || has_controls (piece, n);
      g_string_append_len (text, piece, (gssize) n);
      at += n;
      if (at + 1 < end && strchr ("\"\\/", reader->text[at + 1]))
        g_string_append_c (text, reader->text[++at]);
      else if (at < end)
        {
          is_mended = TRUE;
          g_string_append_c (text, '\\');
        }
    }
  reader->trace->n_mended += is_mended;
  if (!g_utf8_validate (text->str, (gssize) text->len, NULL))
    {
      g_autofree char *valid = g_utf8_make_valid (text->str, (gssize) text->len);

      return keep (reader, valid, strlen (valid));
    }
  return keep (reader, text->str, strlen (text->str));
}

static gboolean
read_string (Reader *reader, gboolean is_key, const char **text)
{
  gsize from = reader->at + 1;
  gsize end = find_end (reader, from, is_key);

  if (end == 0)
    return FALSE;
  if (text)
    *text = keep_text (reader, from, end);
  reader->at = end + 1;
  return TRUE;
}

/* --- Numbers --- */

/* Parses microseconds with decimals as nanoseconds.  A double would round times since the epoch. */
static gint64
parse_micros (const char *text)
{
  gboolean    is_negative = *text == '-';
  const char *at = text + is_negative;
  gint64      ns = 0;
  int         decimals = -1;

  for (; g_ascii_isdigit (*at) || (*at == '.' && decimals < 0); at++)
    if (*at == '.')
      decimals = 0;
    else if (decimals < 3 && ns < G_MAXINT64 / 10000)
      {
        ns = ns * 10 + (*at - '0');
        decimals += decimals >= 0;
      }
  if (*at == 'e' || *at == 'E')
    return (gint64) CLAMP (g_ascii_strtod (text, NULL) * 1000, -9e18, 9e18);
  for (decimals = MAX (decimals, 0); decimals < 3; decimals++)
    ns *= 10;
  return is_negative ? -ns : ns;
}

static guint64
parse_id (const char *text)
{
  return *text == '-' ? (guint64) g_ascii_strtoll (text, NULL, 10)
                      : g_ascii_strtoull (text, NULL, 10);
}

/* --- Values --- */

static gboolean read_object (Reader *reader, guint depth, ProfTraceEvent *event, gboolean is_args);

/* Stores a text of an event or of its args. */
static void
store_string (ProfTraceEvent *event, gboolean is_args, const char *key, const char *text)
{
  if (is_args)
    {
      if (strcmp (key, "node") == 0)
        event->node = text;
      else if (strcmp (key, "op_name") == 0)
        event->type = text;
      else if (strcmp (key, "origin") == 0)
        event->origin = text;
      else if (strcmp (key, "labels") == 0)
        event->labels = text;
      else if (strcmp (key, "tracer") == 0)
        event->tracer = text;
    }
  else if (strcmp (key, "name") == 0)
    event->name = text;
  else if (strcmp (key, "cat") == 0)
    event->category = text;
  else if (strcmp (key, "ph") == 0)
    event->phase = *text;
  else if (strcmp (key, "tid") == 0)
    event->tid = g_str_hash (text);
  else if (strcmp (key, "pid") == 0)
    event->pid = g_str_hash (text);
}

/* Stores a number of the args of an event. */
static void
store_number_of_args (ProfTraceEvent *event, const char *key, const char *text)
{
  const struct
  {
    const char *key;
    guint32    *to;
  } numbers[] = {
    { "run", &event->run },       { "step", &event->step },
    { "body", &event->body },     { "device", &event->device },
    { "stream", &event->stream }, { "correlation", &event->correlation },
    { "first", &event->first },
  };
  guint64 number = g_ascii_strtoull (text, NULL, 10);

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (strcmp (key, numbers[i].key) == 0 && *text != '-' && number < PROF_NO_NUMBER)
      *numbers[i].to = (guint32) number;
}

/* Stores a number of an event. */
static void
store_number (ProfTraceEvent *event, gboolean is_args, const char *key, const char *text)
{
  if (is_args)
    store_number_of_args (event, key, text);
  else if (strcmp (key, "ts") == 0)
    {
      event->begin_ns = parse_micros (text);
      event->has_time = TRUE;
    }
  else if (strcmp (key, "dur") == 0)
    event->duration_ns = parse_micros (text);
  else if (strcmp (key, "pid") == 0)
    event->pid = parse_id (text);
  else if (strcmp (key, "tid") == 0)
    event->tid = parse_id (text);
}

static gboolean
read_scalar (Reader *reader, ProfTraceEvent *event, gboolean is_args, const char *key)
{
  gsize from = reader->at;
  char  number[40];
  gsize n;

  while (reader->at < reader->length &&
         (g_ascii_isalnum (reader->text[reader->at]) || strchr ("+-.", reader->text[reader->at])) &&
         reader->text[reader->at] != 0)
    reader->at++;
  n = reader->at - from;
  if (n == 0)
    return FALSE;
  n = MIN (n, sizeof number - 1);
  memcpy (number, reader->text + from, n);
  number[n] = 0;
  if (g_ascii_isdigit (number[0]) || number[0] == '-')
    store_number (event, is_args, key, number);
  return TRUE;
}

static gboolean
read_list (Reader *reader, guint depth, ProfTraceEvent *ignored)
{
  reader->at++;
  for (;;)
    {
      char c;

      reader->at = skip_blanks (reader, reader->at);
      c = char_at (reader, reader->at);
      if (c == ']')
        {
          reader->at++;
          return TRUE;
        }
      if (c == ',')
        reader->at++;
      else if (c == '"'   ? !read_string (reader, FALSE, NULL)
               : c == '{' ? !read_object (reader, depth + 1, ignored, TRUE)
               : c == '[' ? depth >= MAX_DEPTH || !read_list (reader, depth + 1, ignored)
                          : !read_scalar (reader, ignored, TRUE, ""))
        return FALSE;
    }
}

static gboolean
read_value (Reader *reader, guint depth, ProfTraceEvent *event, gboolean is_args, const char *key)
{
  ProfTraceEvent ignored = { 0 };
  const char    *text;

  reader->at = skip_blanks (reader, reader->at);
  switch (char_at (reader, reader->at))
    {
    case '"':
      if (!read_string (reader, FALSE, &text))
        return FALSE;
      store_string (event, is_args, key, text);
      return TRUE;
    case '{':
      return read_object (reader, depth + 1,
                          !is_args && strcmp (key, "args") == 0 ? event : &ignored, TRUE);
    case '[':
      return read_list (reader, depth + 1, &ignored);
    default:
      return read_scalar (reader, event, is_args, key);
    }
}

static gboolean
read_object (Reader *reader, guint depth, ProfTraceEvent *event, gboolean is_args)
{
  if (depth > MAX_DEPTH)
    return FALSE;

  reader->at++;
  for (;;)
    {
      const char *key;

      reader->at = skip_blanks (reader, reader->at);
      if (char_at (reader, reader->at) == '}')
        {
          reader->at++;
          return TRUE;
        }
      if (char_at (reader, reader->at) == ',')
        {
          reader->at++;
          continue;
        }
      if (char_at (reader, reader->at) != '"' || !read_string (reader, TRUE, &key))
        return FALSE;
      reader->at = skip_blanks (reader, reader->at);
      if (char_at (reader, reader->at) != ':')
        return FALSE;
      reader->at++;
      if (!read_value (reader, depth, event, is_args, key))
        return FALSE;
    }
}

/* --- The list --- */

/* The position behind “[” of the list of events. */
static gsize
find_list (const Reader *reader)
{
  const char *named = g_strstr_len (reader->text, (gssize) reader->length, "\"traceEvents\"");
  gsize       from = named ? (gsize) (named - reader->text) : 0;
  const char *list = memchr (reader->text + from, '[', reader->length - from);

  return list ? (gsize) (list - reader->text) + 1 : reader->length;
}

/* Goes to the next “{” after something that could not be read. */
static void
find_next (Reader *reader, gsize from)
{
  const char *at = memchr (reader->text + from, '{', reader->length - from);

  reader->at = at ? (gsize) (at - reader->text) : reader->length;
}

static void
read_events (Reader *reader)
{
  ProfTrace *trace = reader->trace;

  while (reader->at < reader->length && trace->events->len < MAX_EVENTS &&
         reader->memory <= reader->limit)
    {
      ProfTraceEvent event = { .name = "",
                               .category = "",
                               .run = PROF_NO_NUMBER,
                               .step = PROF_NO_NUMBER,
                               .body = PROF_NO_NUMBER,
                               .device = PROF_NO_NUMBER,
                               .stream = PROF_NO_NUMBER,
                               .correlation = PROF_NO_NUMBER,
                               .first = PROF_NO_NUMBER };
      gsize          from;

      reader->at = skip_blanks (reader, reader->at);
      if (char_at (reader, reader->at) == ']')
        {
          trace->is_cut = FALSE;
          return;
        }
      if (char_at (reader, reader->at) != '{')
        {
          reader->at++;
          continue;
        }
      from = reader->at;
      if (read_object (reader, 0, &event, FALSE))
        {
          g_array_append_val (trace->events, event);
          reader->memory += EVENT_BYTES;
        }
      else
        {
          trace->n_broken++;
          reader->wasted += reader->at - from;
          find_next (reader, is_too_broken (reader) ? MAX (reader->at, from + 1) : from + 1);
        }
    }
}

/* The memory for the whole file, extrapolated from the part that was read. */
static guint64
estimate_memory (const Reader *reader)
{
  if (reader->memory <= reader->limit || reader->at == 0)
    return reader->memory;
  return (guint64) ((double) reader->memory *
                    MAX (1, (double) reader->length / (double) reader->at));
}

ProfTrace *
prof_trace_read (const char *text, gsize length, const char *where, GError **error)
{
  ProfTrace *trace = g_new0 (ProfTrace, 1);
  Reader     reader = { .text = text,
                        .length = length,
                        .memory = length,
                        .limit = hyb_limits_get_memory (length),
                        .texts = g_hash_table_new (g_str_hash, g_str_equal),
                        .trace = trace };
  gboolean   fits;

  trace->events = g_array_new (FALSE, FALSE, sizeof (ProfTraceEvent));
  trace->texts = g_string_chunk_new (1 << 12);
  trace->is_cut = TRUE;
  reader.at = find_list (&reader);
  trace->is_own =
      g_strstr_len (text, (gssize) MIN (reader.at, MAX_HEAD), "\"hybridscope\":{") != NULL;
  read_events (&reader);
  g_hash_table_unref (reader.texts);
  fits = hyb_limits_check_memory (estimate_memory (&reader), length, where, error);
  if (fits && trace->events->len > 0)
    return trace;

  if (fits)
    hyb_error_at (error, PROF_ERROR, PROF_ERROR_TRACE, where,
                  "Give a profile.json of MXNet or another Chrome trace",
                  "there is no event in it");
  prof_trace_free (trace);
  return NULL;
}

void
prof_trace_free (ProfTrace *trace)
{
  if (!trace)
    return;
  g_array_unref (trace->events);
  g_string_chunk_free (trace->texts);
  g_free (trace);
}
