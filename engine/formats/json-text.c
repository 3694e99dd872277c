/* json-text.c — escapes, surrogate pairs and numbers of JSON, independent of the locale.
 *
 * Start at hyb_json_unescape().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/json-text.h"

#include <math.h>
#include <string.h>

/* The value of four hexadecimal digits; -1 if they are not four. */
static int
read_hex (const char *text, gsize at, gsize length)
{
  int value = 0;

  if (length - at < 4)
    return -1;

  for (gsize i = at; i < at + 4; i++)
    {
      int digit = g_ascii_xdigit_value (text[i]);

      if (digit < 0)
        return -1;
      value = value * 16 + digit;
    }

  return value;
}

/* Reads the digits after "\u", and the second half of a surrogate pair.  Half a pair, and the
 * character 0, become U+FFFD. */
static gboolean
read_unicode (const char *text, gsize *at, gsize length, gunichar *c)
{
  int first = read_hex (text, *at, length);
  int second;

  if (first < 0)
    return FALSE;

  *at += 4;
  *c = (gunichar) first;
  if (first >= 0xd800 && first < 0xdc00 && length - *at >= 6 && text[*at] == '\\' &&
      text[*at + 1] == 'u' && (second = read_hex (text, *at + 2, length)) >= 0xdc00 &&
      second < 0xe000)
    {
      *at += 6;
      *c = 0x10000u + (((gunichar) first - 0xd800u) << 10) + ((gunichar) second - 0xdc00u);
    }
  else if ((first >= 0xd800 && first < 0xe000) || first == 0)
    *c = 0xfffd;

  return TRUE;
}

/* *at: after the backslash; *to: where the character is written. */
static gboolean
read_escape (char *text, gsize *at, gsize *to, gsize length, HybJsonUnescape *result)
{
  static const char from_letter[] = "\"\\ntr/bf", means[] = "\"\\\n\t\r/\b\f";
  const char       *found;
  gunichar          c;

  result->trouble = "an unknown escape";
  if (*at >= length || text[*at] == '\0')
    return FALSE;

  if (text[*at] == 'u')
    {
      gsize after = *at + 1;

      if (!read_unicode (text, &after, length, &c))
        return FALSE;
      *at = after;
      *to += (gsize) g_unichar_to_utf8 (c, text + *to);
      result->has_escapes = TRUE;
      return TRUE;
    }

  found = strchr (from_letter, text[*at]);
  if (!found)
    return FALSE;

  text[(*to)++] = means[found - from_letter];
  (*at)++;
  if (found - from_letter >= 5)
    result->has_escapes = TRUE;
  return TRUE;
}

/* Terminates the string and replaces bytes that are not UTF-8. */
static void
finish_text (char *text, gsize begin, gsize to, HybJsonUnescape *result)
{
  const char *bad;

  text[to] = '\0';
  result->end = to;
  while (!g_utf8_validate_len (text + begin, to - begin, &bad))
    {
      text[bad - text] = '?';
      result->has_bad_bytes = TRUE;
    }
}

gboolean
hyb_json_unescape (char *text, gsize at, gsize length, HybJsonUnescape *result)
{
  gsize    begin = at, to = at;
  gboolean is_ascii = TRUE;

  *result = (HybJsonUnescape){ .trouble = "no closing quote" };
  while (at < length)
    {
      guint8 c = (guint8) text[at];

      if (c == '"')
        {
          result->stop = at + 1;
          if (is_ascii && !result->has_escapes)
            {
              text[to] = '\0';
              result->end = to;
            }
          else
            finish_text (text, begin, to, result);
          return TRUE;
        }

      at++;
      if (c == '\\')
        {
          if (!read_escape (text, &at, &to, length, result))
            {
              result->stop = at;
              return FALSE;
            }
          continue;
        }

      if (c < 0x20)
        result->has_control = TRUE;
      if (c >= 0x80 || c == 0)
        is_ascii = FALSE;
      text[to++] = (char) c;
    }

  result->stop = at;
  return FALSE;
}

static gsize
skip_digits (const char *text, gsize at, gsize length)
{
  while (at < length && g_ascii_isdigit (text[at]))
    at++;
  return at;
}

gsize
hyb_json_number_end (const char *text, gsize at, gsize length)
{
  gsize begin = at, after;

  if (at < length && text[at] == '-')
    at++;
  after = skip_digits (text, at, length);
  if (after == at)
    return begin;

  at = after;
  if (at < length && text[at] == '.')
    {
      after = skip_digits (text, at + 1, length);
      if (after == at + 1)
        return begin;
      at = after;
    }
  if (at < length && (text[at] == 'e' || text[at] == 'E'))
    {
      gsize sign = at + 1 < length && (text[at + 1] == '+' || text[at + 1] == '-') ? 2 : 1;

      after = skip_digits (text, at + sign, length);
      if (after == at + sign)
        return begin;
      at = after;
    }

  return at;
}

void
hyb_json_append_string (GString *to, const char *text)
{
  g_autofree char *valid = g_utf8_validate (text, -1, NULL) ? NULL : g_utf8_make_valid (text, -1);

  g_string_append_c (to, '"');
  for (const char *c = valid ? valid : text; *c; c++)
    if (*c == '"' || *c == '\\')
      g_string_append_printf (to, "\\%c", *c);
    else if (*c == '\n')
      g_string_append (to, "\\n");
    else if (*c == '\t')
      g_string_append (to, "\\t");
    else if ((guint8) *c < 0x20 || *c == 0x7f)
      g_string_append_printf (to, "\\u%04x", (guint8) *c);
    else
      g_string_append_c (to, *c);
  g_string_append_c (to, '"');
}

void
hyb_json_append_double (GString *to, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (value))
    {
      g_string_append (to, "null");
      return;
    }

  for (int digits = 6; digits <= 17; digits += digits == 6 ? 3 : 1)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, value);
      if (g_ascii_strtod (text, NULL) == value)
        break;
    }
  g_string_append (to, text);
}
