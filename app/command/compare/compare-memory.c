/* compare-memory.c — hscope compare --memory: the memory of each candidate, in a process of its own.
 *
 * Each candidate is measured by this program, started again with the same options for that candidate alone, so that
 * nothing that another one has left behind counts.  Start at scope_compare_memory().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-memory.h"

#include "app/command/children/children.h"
#include "app/command/children/find-json.h"
#include "app/command/compare/compare-lists.h"
#include "app/command/frame/json-writer.h"
#include "app/command/frame/said-text.h"
#include "profiler/base/format.h"

#include <math.h>
#include <string.h>

/* One candidate. */
typedef struct
{
  char    *variant;
  HybMode  mode;
  gint64   batch, length, hidden; /* 0: as the model has them */
  gboolean backward;
  double   weights, plan, resident; /* bytes; NAN: not measured */
  char    *trouble;                 /* why it was not measured; NULL: it was */
} Row;

typedef struct
{
  GPtrArray *rows;      /* of Row */
  char     **arguments; /* of this process, without what a row decides */
  guint      next;
} Measurement;

static void
row_free (gpointer data)
{
  Row *row = data;

  g_free (row->variant);
  g_free (row->trouble);
  g_free (row);
}

/* --- Starting --- */

/* The command line of this process without the options that the children get themselves.  (transfer full) */
static char **
read_arguments (void)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autofree char *text = NULL;
  gsize            length;

  if (!g_file_get_contents ("/proc/self/cmdline", &text, &length, NULL))
    return g_strv_builder_end (builder);
  for (gsize at = 0; at < length; at += strlen (text + at) + 1)
    if (!g_str_equal (text + at, "--memory") && !g_str_equal (text + at, "--backward"))
      g_strv_builder_add (builder, at == 0 ? "/proc/self/exe" : text + at);
  return g_strv_builder_end (builder);
}

static void
add_size (GStrvBuilder *builder, const char *option, gint64 size)
{
  g_autofree char *text = g_strdup_printf ("--%s=%" G_GINT64_FORMAT, option, size);

  if (size > 0)
    g_strv_builder_add (builder, text);
}

/* Adds the options that choose the row; the last of several values counts. */
static void
add_row (GStrvBuilder *builder, const Row *row)
{
  g_autofree char *variants = g_strdup_printf ("--variants=%s", row->variant);
  g_autofree char *modes = g_strdup_printf ("--modes=%s", scope_mode_name (row->mode));

  g_strv_builder_add_many (builder, variants, modes, "--repeat=1", "--no-ladder", "--json", NULL);
  add_size (builder, "batch", row->batch);
  add_size (builder, "length", row->length);
  add_size (builder, "hidden", row->hidden);
  if (row->backward)
    g_strv_builder_add (builder, "--backward");
}

static char **
next_row (gpointer data, guint *id)
{
  Measurement *measurement = data;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  gboolean is_added = FALSE;

  if (measurement->next == measurement->rows->len)
    return NULL;
  *id = measurement->next++;
  for (char **argument = measurement->arguments; *argument; argument++)
    {
      /* After this one there are only files. */
      if (g_str_equal (*argument, "--") && !is_added)
        {
          add_row (builder, measurement->rows->pdata[*id]);
          is_added = TRUE;
        }
      g_strv_builder_add (builder, *argument);
    }
  if (!is_added)
    add_row (builder, measurement->rows->pdata[*id]);
  return g_strv_builder_end (builder);
}

/* --- Results --- */

static double
find_bytes (const HybJson *json, HybJsonRef cell, const char *key)
{
  double value;

  return scope_find_double (json, cell, key, &value) ? value : NAN;
}

/* Why a child has no result, from its document or from how it ended.  (transfer full) */
static char *
describe_trouble (const HybJson *json, const ScopeChildEnd *end)
{
  HybJsonRef  error = json ? hyb_json_find (json, 0, "error") : HYB_JSON_NONE;
  const char *message = error == HYB_JSON_NONE ? NULL : scope_find_string (json, error, "message");
  char       *trouble = scope_child_describe (end);

  if (trouble)
    return trouble;
  return message ? g_strdup (message) : g_strdup_printf ("the process ended with %d", end->status);
}

static void
row_ended (gpointer data, const ScopeChildEnd *end)
{
  Measurement *measurement = data;
  Row         *row = measurement->rows->pdata[end->id];
  g_autoptr (GBytes) bytes = g_bytes_new_static (end->out->str, end->out->len);
  g_autoptr (HybJson) json = hyb_json_parse (bytes, NULL, "result", NULL, NULL);
  HybJsonRef cell;

  if (end->status == 0 && json && scope_find_first (json, 0, "cells", &cell))
    {
      row->weights = find_bytes (json, cell, "weight_bytes");
      row->plan = find_bytes (json, cell, "peak_bytes");
      row->resident = find_bytes (json, cell, "resident_bytes");
      return;
    }
  row->trouble = describe_trouble (json, end);
}

static char *
dup_name (const Row *row)
{
  GString *name = g_string_new (row->variant);

  g_string_append_printf (name, ", %s", scope_mode_name (row->mode));
  if (row->batch > 0)
    g_string_append_printf (name, ", batch %" G_GINT64_FORMAT, row->batch);
  if (row->length > 0)
    g_string_append_printf (name, ", length %" G_GINT64_FORMAT, row->length);
  if (row->hidden > 0)
    g_string_append_printf (name, ", hidden %" G_GINT64_FORMAT, row->hidden);
  g_string_append (name, row->backward ? ", training" : ", inference");
  return g_string_free (name, FALSE);
}

static void
print_text (const GPtrArray *rows)
{
  static const ScopeTableColumn columns[] = {
    { "variant, mode, pass", NULL, FALSE, 48 },
    { "weights", NULL, TRUE, 12 },
    { "plan", NULL, TRUE, 12 },
    { "resident", NULL, TRUE, 12 },
  };
  g_autoptr (ScopeSaid) said = scope_said_new ();
  ScopeTable *table = scope_said_table (said, columns, G_N_ELEMENTS (columns));

  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = rows->pdata[i];

      scope_table_add (table, dup_name (row), FALSE);
      scope_table_add (table,
                       row->trouble ? g_strdup (row->trouble) : prof_format_bytes (row->weights),
                       FALSE);
      scope_table_add (table, row->trouble ? NULL : prof_format_bytes (row->plan), FALSE);
      scope_table_add (table, row->trouble ? NULL : prof_format_bytes (row->resident), FALSE);
    }
  scope_said_print (said);
}

static void
describe_size (ScopeJson *json, const char *key, gint64 size)
{
  if (size > 0)
    scope_json_int (json, key, size);
  else
    scope_json_null (json, key);
}

static void
print_json (const GPtrArray *rows)
{
  g_autoptr (ScopeJson) json = scope_json_new ();

  scope_json_begin_list (json, "cells");
  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = rows->pdata[i];

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "variant", row->variant);
      scope_json_string (json, "mode", scope_mode_name (row->mode));
      describe_size (json, "batch", row->batch);
      describe_size (json, "length", row->length);
      describe_size (json, "hidden", row->hidden);
      scope_json_boolean (json, "train", row->backward);
      scope_json_double (json, "weight_bytes", row->weights);
      scope_json_double (json, "peak_bytes", row->plan);
      scope_json_double (json, "resident_bytes", row->resident);
      scope_json_string (json, "trouble", row->trouble);
      scope_json_end (json);
    }
  scope_json_end (json);
  scope_json_print (json);
}

/* --- The command --- */

/* The lists of the command line. */
typedef struct
{
  GArray *modes;                     /* of HybMode */
  GArray *batches, *lengths, *sizes; /* of gint64 */
} Lists;

/* Adds a row for every combination: sizes, then the pass, then forms and modes. */
static void
add_rows (GPtrArray *rows, const ScopeCompareOptions *options, const Lists *lists)
{
  g_auto (GStrv) variants = g_strsplit (options->variants ? options->variants : "as-is", ",", -1);
  guint n_variants = g_strv_length (variants), n_passes = options->backward ? 2 : 1;
  guint n = lists->batches->len * lists->lengths->len * lists->sizes->len * n_passes * n_variants *
            lists->modes->len;

  for (guint i = 0; i < n; i++)
    {
      Row  *row = g_new0 (Row, 1);
      guint rest = i;

      row->mode = g_array_index (lists->modes, HybMode, rest % lists->modes->len);
      rest /= lists->modes->len;
      row->variant = g_strdup (g_strstrip (variants[rest % n_variants]));
      rest /= n_variants;
      row->backward = rest % n_passes == 1;
      rest /= n_passes;
      row->hidden = g_array_index (lists->sizes, gint64, rest % lists->sizes->len);
      rest /= lists->sizes->len;
      row->length = g_array_index (lists->lengths, gint64, rest % lists->lengths->len);
      rest /= lists->lengths->len;
      row->batch = g_array_index (lists->batches, gint64, rest);
      row->weights = row->plan = row->resident = NAN;
      g_ptr_array_add (rows, row);
    }
}

/* The first option that has no meaning here; NULL if there is none. */
static const char *
find_refused (const ScopeCompareOptions *options)
{
  return options->preset     ? "--preset"
         : options->devices  ? "--devices"
         : options->report   ? "--report"
         : options->captures ? "--captures"
         : options->with     ? "--with"
                             : NULL;
}

static gboolean
check_arguments (const ScopeCompareOptions *options, char **files, GError **error)
{
  const char *refused = find_refused (options);

  if (!refused && !files[1] && strcmp (files[0], "-") != 0)
    return TRUE;
  if (refused)
    scope_usage_error (error,
                       "--memory and %s: memory is measured without it; leave one of them out",
                       refused);
  else
    scope_usage_error (error,
                       "--memory takes one model, and not from stdin: each process opens it");
  return FALSE;
}

int
scope_compare_memory (const ScopeCommonOptions  *common,
                      const ScopeCompareOptions *options,
                      char                     **files,
                      GError                   **error)
{
  g_autoptr (GArray) modes = g_array_new (FALSE, FALSE, sizeof (HybMode));
  g_autoptr (GArray) batches = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) lengths = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (row_free);
  g_auto (GStrv) arguments = read_arguments ();
  Measurement   measurement = { .rows = rows, .arguments = arguments };
  ScopeChildren children = { .n_jobs = 1,
                             .next = next_row,
                             .ended = row_ended,
                             .data = &measurement,
                             .cancellable = scope_cancel_on_signal () };
  guint         n_measured = 0;

  if (!check_arguments (options, files, error) ||
      !scope_compare_parse_numbers ("batch", options->batch, batches, error) ||
      !scope_compare_parse_numbers ("length", options->length, lengths, error) ||
      !scope_compare_parse_numbers ("hidden", options->hidden, sizes, error) ||
      !scope_compare_parse_modes (common, options->modes, modes, error))
    return SCOPE_EXIT_FAILED;
  add_rows (rows, options, &(Lists){ modes, batches, lengths, sizes });
  scope_children_run (&children);
  if (common->json)
    print_json (rows);
  else
    print_text (rows);
  for (guint i = 0; i < rows->len; i++)
    n_measured += isfinite (((Row *) rows->pdata[i])->resident) != 0;
  return n_measured > 0 ? SCOPE_EXIT_DONE : SCOPE_EXIT_MODEL;
}
