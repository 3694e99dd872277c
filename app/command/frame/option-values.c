/* option-values.c — parses a number of the command line and compares it with its range.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/option-values.h"

#include "app/command/frame/messages.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Beyond it a sum of seconds or a product of counts may overflow. */
#define MAX_NUMBER 1e9

static gboolean
is_whole (const ScopeNumber *number)
{
  return number->type != G_OPTION_ARG_DOUBLE;
}

gboolean
scope_number_init (ScopeNumber *number, const GOptionEntry *entry, const ScopeRange *ranges)
{
  if (entry->arg != G_OPTION_ARG_INT && entry->arg != G_OPTION_ARG_INT64 &&
      entry->arg != G_OPTION_ARG_DOUBLE)
    return FALSE;

  *number = (ScopeNumber){ entry->long_name, entry->arg, entry->arg_data, { NULL } };
  number->range = (ScopeRange){ entry->long_name, is_whole (number) ? 1 : DBL_MIN, MAX_NUMBER, 0 };
  for (; ranges && ranges->option; ranges++)
    if (strcmp (ranges->option, entry->long_name) == 0)
      number->range = *ranges;
  if (number->type == G_OPTION_ARG_DOUBLE)
    *(double *) number->value = number->range.initial;
  else if (number->type == G_OPTION_ARG_INT)
    *(int *) number->value = (int) number->range.initial;
  else
    *(gint64 *) number->value = (gint64) number->range.initial;
  return TRUE;
}

/* "a whole number from 1 to 4096", "a number above 0".  (transfer full) */
static char *
describe (const ScopeNumber *number)
{
  const ScopeRange *range = &number->range;
  GString          *text = g_string_new (is_whole (number) ? "a whole number" : "a number");

  if (range->minimum == DBL_MIN)
    g_string_append (text, " above 0");
  else if (isfinite (range->minimum))
    g_string_append_printf (text, " from %.15g", range->minimum);
  if (isfinite (range->maximum))
    g_string_append_printf (text, range->minimum == DBL_MIN ? " and at most %.15g" : " to %.15g",
                            range->maximum);
  return g_string_free (text, FALSE);
}

static gboolean
parse_whole (const ScopeNumber *number, const char *text)
{
  gint64 value;

  if (!g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &value, NULL) ||
      !((double) value >= number->range.minimum && (double) value <= number->range.maximum) ||
      (number->type == G_OPTION_ARG_INT && (value < G_MININT || value > G_MAXINT)))
    return FALSE;
  if (number->type == G_OPTION_ARG_INT)
    *(int *) number->value = (int) value;
  else
    *(gint64 *) number->value = value;
  return TRUE;
}

static gboolean
parse_real (const ScopeNumber *number, const char *text)
{
  char  *end;
  double value;

  value = g_ascii_strtod (text, &end);
  if (end == text || *end || !isfinite (value) || value < number->range.minimum ||
      value > number->range.maximum)
    return FALSE;
  *(double *) number->value = value;
  return TRUE;
}

gboolean
scope_number_parse (const ScopeNumber *number, const char *text, GError **error)
{
  g_autofree char *range = NULL;

  if (is_whole (number) ? parse_whole (number, text) : parse_real (number, text))
    return TRUE;
  range = describe (number);
  return scope_usage_error (error, "--%s %s: the value must be %s", number->option, text, range);
}
