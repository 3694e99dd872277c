/* said-comparison.c — see said-comparison.h.
 *
 * hscope does not bind translations, so that it prints the English texts.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/said-comparison.h"

#include "engine/base/one-line.h"
#include "profiler/base/format.h"
#include "profiler/exchange/beside.h"

#include <glib/gi18n.h>
#include <math.h>

#define MAX_ROWS  20   /* on a terminal */
#define MAX_NAMES 6    /* of nodes in a line */
#define REPEATED  0.01 /* of all FLOP, from which repeated ones are worth a note */

/* --- The explanation --- */

static void
add_level (ScopeFigure *figure, ScopeLevel level)
{
  scope_figure_add_bar (figure,
                        &(VizBar){ .label = level.name,
                                   .value = level.seconds,
                                   .category = VIZ_CATEGORY_LINEAR,
                                   .is_total = TRUE },
                        prof_format_seconds (level.seconds));
}

/* Adds the bar of a bucket, unless the bucket changes nothing. */
static void
add_change (ScopeFigure *figure, const ProfBucket *bucket)
{
  if (isfinite (bucket->seconds) && bucket->seconds != 0)
    scope_figure_add_bar (figure,
                          &(VizBar){ .label = gettext (bucket->name),
                                     .value = -bucket->seconds,
                                     .low = -bucket->high,
                                     .high = -bucket->low,
                                     .category = VIZ_CATEGORY_LINEAR,
                                     .is_unclear = scope_bucket_is_noise (bucket) },
                          scope_say_bucket_shortly (bucket));
}

/* A row of the table of buckets.  change: (transfer full) */
static void
add_row (ScopeTable *table, const char *name, char *change, const ProfBucket *bucket)
{
  scope_table_add (table, g_strdup (name), FALSE);
  scope_table_add (table, change, bucket && scope_bucket_is_noise (bucket));
  scope_table_add (table, bucket ? prof_format_seconds (bucket->proved) : NULL, FALSE);
  scope_table_add (table, bucket ? prof_format_seconds (bucket->residual) : NULL, FALSE);
  scope_table_add (table, bucket ? g_strdup (bucket->rung ? bucket->rung : _ ("no rung")) : NULL,
                   FALSE);
}

static void
add_rows (ScopeTable *table, const ProfExplanation *explanation)
{
  double           share = explanation->unexplained / explanation->saved.median;
  g_autofree char *rest = prof_format_seconds (fabs (explanation->unexplained));

  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    {
      const ProfBucket *bucket = &explanation->bucket[i];

      if (bucket->seconds != 0 || bucket->rung)
        add_row (table, gettext (bucket->name), scope_say_bucket (bucket), bucket);
    }
  add_row (table, _ ("unexplained"), g_strdup_printf ("%s (%.0f %%)", rest, 100 * fabs (share)),
           NULL);
  add_row (table, _ ("in all"), scope_say_change (&explanation->saved, PROF_FASTER), NULL);
}

/* Says how many FLOP of the forward pass a form repeats in its backward pass. */
static void
say_repeated (ScopeSaid *said, const char *name, double repeated, double flops)
{
  if (repeated > REPEATED * flops)
    scope_said_sentence (said, SCOPE_SAID_PLAIN,
                         g_strdup_printf (_ ("“%s” computes %.4g FLOP of the forward pass again in "
                                             "the backward pass"),
                                          name, repeated));
}

static void
say_work (ScopeSaid *said, const char *slow, const char *fast, const ProfExplanation *explanation)
{
  if (!explanation->same_flops)
    scope_said_sentence (said, SCOPE_SAID_PLAIN,
                         g_strdup_printf (_ ("their products differ; in all they compute %.4g and "
                                             "%.4g FLOP"),
                                          explanation->flops_a, explanation->flops_b));
  say_repeated (said, slow, explanation->repeated_a, explanation->flops_a);
  say_repeated (said, fast, explanation->repeated_b, explanation->flops_b);
}

void
scope_said_explanation (ScopeSaid             *said,
                        ScopeLevel             slow,
                        ScopeLevel             fast,
                        const ProfExplanation *explanation)
{
  const ScopeTableColumn columns[] = {
    { _ ("kind of work"), NULL, FALSE, 17 },
    { _ ("changes"), NULL, FALSE, 32 },
    { _ ("its own rung saves"), "rung saves", TRUE, 12 },
    { _ ("residual"), NULL, TRUE, 12 },
    { _ ("rung"), NULL, FALSE, 0 },
  };
  g_autofree char *reason = scope_say_reason (explanation), *why = NULL, *line = NULL;
  g_autofree char *saved = prof_format_seconds (explanation->saved.median);
  ScopeFigure     *figure;

  if (!prof_explanation_has_cause (explanation))
    {
      scope_said_sentence (said, SCOPE_SAID_PLAIN,
                           g_strdup_printf (_ ("“%s” and “%s”: %s"), fast.name, slow.name, reason));
      return;
    }
  why = g_strdup_printf (_ ("Why “%s” takes %s less than “%s”: %s"), fast.name, saved, slow.name,
                         reason);
  line = g_strconcat ("  ", why, NULL);
  figure = scope_said_figure (said, &(ScopeFigure){ .drawing = &scope_drawing_waterfall,
                                                    .name = "compare-waterfall",
                                                    .title = why,
                                                    .line = line,
                                                    .details = _ ("How each bar was measured") });
  add_level (figure, slow);
  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    add_change (figure, &explanation->bucket[i]);
  add_change (figure, &(ProfBucket){ .name = N_ ("unexplained"),
                                     .seconds = explanation->unexplained,
                                     .low = NAN,
                                     .high = NAN });
  add_level (figure, fast);
  scope_figure_add_table (figure, columns, G_N_ELEMENTS (columns))->indent = 4;
  add_rows (figure->table, explanation);
  scope_said_sentence (said, SCOPE_SAID_ON_PAGES,
                       g_strdup (_ ("Blue saves time, orange costs time, grey is within the "
                                    "noise.")));
  say_work (said, slow.name, fast.name, explanation);
}

/* --- The ladder --- */

static void
add_rung (ScopeFigure *figure, const ProfRung *rung, gboolean is_first)
{
  gboolean         is_unclear = !is_first && scope_is_noise (rung->verdict);
  g_autofree char *time = prof_format_seconds (rung->time.median);
  g_autofree char *change = scope_say_change (&rung->saved, rung->verdict);

  scope_figure_add_bar (figure,
                        &(VizBar){ .label = rung->name,
                                   .value = rung->time.median,
                                   .low = rung->time.low,
                                   .high = rung->time.high,
                                   .category = viz_chart_hue (0),
                                   .is_unclear = is_unclear },
                        is_first ? g_strdup (time) : g_strdup_printf ("%s · %s", time, change));
  scope_table_add (figure->table, g_strdup (rung->name), FALSE);
  scope_table_add (figure->table, g_steal_pointer (&time), FALSE);
  scope_table_add (figure->table,
                   is_first ? NULL : g_strconcat (change, rung->doc ? ": " : NULL, rung->doc, NULL),
                   is_unclear);
}

void
scope_said_ladder (ScopeSaid *said, const GPtrArray *rungs)
{
  static const ScopeTableColumn columns[] = {
    { NULL, NULL, FALSE, 24 },
    { NULL, NULL, TRUE, 12 },
    { NULL, NULL, FALSE, 0 },
  };
  const char  *title = _ ("Optimisations, switched on one after the other");
  ScopeFigure *figure = scope_said_figure (said, &(ScopeFigure){ .drawing = &scope_drawing_bars,
                                                                 .name = "compare-ladder",
                                                                 .title = title,
                                                                 .details = title,
                                                                 .is_folded = TRUE });

  scope_figure_add_table (figure, columns, G_N_ELEMENTS (columns))->indent = 2;
  for (guint i = 0; i < rungs->len; i++)
    add_rung (figure, rungs->pdata[i], i == 0);
  if (rungs->len > 0)
    scope_said_sentence (said, SCOPE_SAID_PLAIN, scope_say_rungs (rungs));
}

void
scope_said_longer (ScopeSaid *said)
{
  scope_said_hint (said, &(ScopeHint){ .text = _ ("Measure again in twice the time"),
                                       .option = "--time-limit",
                                       .label = _ ("Measure Longer"),
                                       .action = "compare.allow-time",
                                       .name = "measure-longer" });
}

/* --- Beside another program --- */

/* "conv3 + bn3 + relu3", and below it what computes them, if it adds information.  (transfer full) */
static char *
dup_nodes (const ProfBesideRow *row)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < MIN (row->nodes->len, MAX_NAMES); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " + " : "", hyb_one_line (row->nodes->pdata[i]));
  if (row->nodes->len > MAX_NAMES)
    {
      g_string_append_c (text, ' ');
      g_string_append_printf (text, _ ("and %u more"), row->nodes->len - MAX_NAMES);
    }
  if (row->nodes->len > 1 && *row->ours != '\0')
    g_string_append_printf (text, "\n%s: %s", _ ("ours"), hyb_one_line (row->ours));
  if (*row->theirs != '\0' && (row->nodes->len != 1 || !g_str_equal (row->theirs, text->str)))
    g_string_append_printf (text, "\n%s: %s", _ ("theirs"), hyb_one_line (row->theirs));
  return g_string_free (text, FALSE);
}

/* Seconds that are in no row. */
static void
say_rest (ScopeSaid *said, const char *what, double seconds)
{
  g_autofree char *text = prof_format_seconds (seconds);

  if (seconds > 0)
    scope_said_sentence (said, SCOPE_SAID_PLAIN, g_strdup_printf ("%s: %s", what, text));
}

static void
say_totals (ScopeSaid *said, const ScopeBeside *beside)
{
  g_autofree char *file = g_path_get_basename (beside->file);
  g_autofree char *ours = prof_format_seconds (beside->ours);
  g_autofree char *theirs = prof_format_seconds (beside->theirs);
  g_autofree char *title = g_strdup_printf (_ ("Beside %s"), file);
  const char      *name = hyb_one_line (beside->file);
  g_autofree char *totals =
      beside->n_iterations > 0
          ? g_strdup_printf (_ ("%s: a traced run takes %s here and %s there (%u iterations)"),
                             name, ours, theirs, beside->n_iterations)
          : g_strdup_printf (_ ("%s: a traced run takes %s here and %s there"), name, ours, theirs);
  g_autofree char *line = g_strconcat ("  beside ", totals, NULL);

  scope_said_heading (said, title, line);
  scope_said_sentence (said, SCOPE_SAID_ON_PAGES, g_steal_pointer (&totals));
}

void
scope_said_beside (ScopeSaid *said, const ScopeBeside *beside)
{
  const ScopeTableColumn columns[] = {
    { _ ("nodes that one of the two programs computes together"), NULL, FALSE, 0 },
    { _ ("ours"), NULL, TRUE, 11 },
    { _ ("theirs"), NULL, TRUE, 11 },
    { _ ("ratio"), NULL, TRUE, 8 },
  };
  ScopeTable *table;

  say_totals (said, beside);
  table = scope_said_table (said, columns, G_N_ELEMENTS (columns));
  table->n_lines = MAX_ROWS;
  for (guint i = 0; i < beside->rows->len; i++)
    {
      const ProfBesideRow *row = &g_array_index (beside->rows, ProfBesideRow, i);
      double               ours = row->ours_seconds, theirs = row->theirs_seconds;

      scope_table_add (table, dup_nodes (row), FALSE);
      scope_table_add (table, scope_say_time (ours), FALSE);
      scope_table_add (table, scope_say_time (theirs), FALSE);
      scope_table_add (table,
                       ours > 0 && theirs > 0 ? g_strdup_printf ("%.2f", ours / theirs)
                                              : g_strdup ("–"),
                       FALSE);
    }
  say_rest (said, _ ("ours without a node of the model"), beside->ours_unplaced);
  say_rest (said, _ ("theirs that belong to no node of the model"), beside->theirs_unplaced);
}
