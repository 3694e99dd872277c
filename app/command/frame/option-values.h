/* option-values.h — numbers on the command line: the allowed values of options, and the parser that checks
 * them.
 *
 * Every number of every option goes through one parser.  An option without a ScopeRange takes a whole number
 * from 1 or, if it is a G_OPTION_ARG_DOUBLE, a finite number above 0.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The values of an option that does not take every positive number.  Tables end with an empty
 * one. */
typedef struct
{
  const char *option;
  double      minimum, maximum; /* both included; infinite: any number */
  double      initial;          /* value if the option is not given */
} ScopeRange;

/* The words that an option takes.  Tables end with an empty one. */
typedef struct
{
  const char *option;
  const char *values; /* separated by spaces */
} ScopeChoices;

/* A number of the command line and where its value goes. */
typedef struct
{
  const char *option;
  GOptionArg  type; /* G_OPTION_ARG_INT, G_OPTION_ARG_INT64 or G_OPTION_ARG_DOUBLE */
  gpointer    value;
  ScopeRange  range;
} ScopeNumber;

/* The number of an entry whose arg_data is the address of its value, which is set to the initial one.
 * ranges: (nullable) where the option may be found.  FALSE: the entry takes no number. */
gboolean
scope_number_init (ScopeNumber *number, const GOptionEntry *entry, const ScopeRange *ranges);

/* Parses text as the number's value.  FALSE: a usage error that names option, text and range. */
gboolean scope_number_parse (const ScopeNumber *number, const char *text, GError **error);
