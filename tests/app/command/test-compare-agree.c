/* test-compare-agree.c — whatever a comparison says is the same in all of its outputs.
 *
 * Nothing is run: samples are simulated, on a machine that changes its speed, with bursts of other load and
 * builds that are off.  Table, sentences, bars, waterfalls and ladder may not disagree in sign, nor by more
 * than rounding.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/said-comparison.h"
#include "app/command/compare/compare-explain.h"
#include "app/command/compare/compare-json.h"
#include "app/command/compare/compare-ladder.h"
#include "app/command/compare/compare-say.h"
#include "app/command/frame/said-text.h"
#include "app/command/report/report-said.h"

#include "engine/base/random.h"
#include "engine/op/op.h"
#include "profiler/base/format.h"
#include "profiler/base/machine.h"
#include "profiler/capture/capture-builder.h"
#include "profiler/summary/clean-samples.h"
#include "tests/program.h"

#include <cjson/cJSON.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define N_CANDIDATES 4
#define N_BUILDS     8
#define N_ROUNDS     (N_BUILDS * 6)
#define N_TRACED     9
#define FEW_TRACED   3 /* have no intervals */
#define N_RUNS       40
#define ROUNDED      0.006 /* relative: three digits */

/* Seconds; the last two differ by less than noise. */
static const double needs[N_CANDIDATES] = { 16.8e-3, 4.38e-3, 10.6e-3, 10.55e-3 };

typedef struct
{
  guint64  seed, draw;
  gboolean is_drifting, has_two_speeds, has_bursts, has_bias;
  guint    n_traced;
  double   seconds[N_CANDIDATES][N_ROUNDS];
} Simulation;

static double
uniform (Simulation *self)
{
  return hyb_random_uniform (self->seed, 4 * self->draw++);
}

static double
normal (Simulation *self)
{
  return hyb_random_normal (self->seed, 4 * self->draw++ + 2);
}

static void
simulate (Simulation *self, guint run)
{
  double level = 0, bias[N_CANDIDATES] = { 0 };

  *self = (Simulation){ .seed = hyb_random_mix (5, run),
                        .is_drifting = run & 1,
                        .has_two_speeds = run & 2,
                        .has_bursts = run & 4,
                        .has_bias = run & 8,
                        .n_traced = run % 5 == 4 ? FEW_TRACED : N_TRACED };
  for (guint r = 0; r < N_ROUNDS; r++)
    {
      double speed = self->has_two_speeds && uniform (self) < 0.5 ? log (2.4) : 0;

      level = 0.98 * level + 0.03 * normal (self);
      for (guint i = 0; i < N_CANDIDATES; i++)
        {
          double burst = uniform (self) < 0.15 ? log (1 + uniform (self)) : 0;

          if (r % (N_ROUNDS / N_BUILDS) == 0)
            bias[i] = self->has_bias ? 0.02 * normal (self) : 0;
          self->seconds[i][r] =
              needs[i] * exp (speed + 0.01 * normal (self) + bias[i] +
                              (self->is_drifting ? level : 0) + (self->has_bursts ? burst : 0));
        }
    }
}

/* A capture of these clean samples, whose traced runs are mostly products. */
static ProfCapture *
make_capture (const double *seconds, guint n_traced)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (ProfFacts) facts = prof_facts_new ();
  g_autoptr (GBytes) bytes = NULL;
  ProfNode     node = { .name = prof_builder_text (builder, "fc"),
                        .category = HYB_CATEGORY_LINEAR,
                        .flags = PROF_NODE_EXECUTED,
                        .flops = NAN };
  guint64      duration = (guint64) (1e9 * seconds[0]);
  ProfCapture *capture;

  prof_facts_set (facts, PROF_BUILDS_KEY, "6 6 6 6 6 6 6 6");
  prof_facts_set_number (facts, PROF_TURNS_KEY, 7);
  prof_builder_add_facts (builder, facts);
  prof_builder_add_graph (builder, "", PROF_NONE, PROF_NONE);
  prof_builder_add_node (builder, &node);
  for (guint r = 0; r < N_ROUNDS; r++)
    prof_builder_add_sample (builder, PROF_SAMPLE_CLEAN, r, seconds[r]);
  for (guint16 run = 0; run < n_traced; run++)
    {
      ProfEvent event = { .begin_ns = run * 2 * duration + 10,
                          .packed = prof_event_pack (duration * 4 / 5, PROF_EVENT_NODE, 1, 0, 0),
                          .run = run };

      prof_builder_add_event (builder, &event);
      event.begin_ns -= 10;
      event.packed = prof_event_pack (duration, PROF_EVENT_RUN, 0, 0, 0);
      prof_builder_add_event (builder, &event);
      prof_builder_add_sample (builder, PROF_SAMPLE_TRACED, run, (double) duration * 1e-9);
    }
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "made", NULL);
  g_assert_nonnull (capture);
  return capture;
}

static ScopeGroup *
make_group (Simulation *self)
{
  static const char *const names[N_CANDIDATES] = { "unrolled", "fused", "foreach", "while" };
  ScopeGroup              *group = scope_group_new (NULL, 0, 0, FALSE);

  for (guint i = 0; i < N_CANDIDATES; i++)
    {
      ScopeCandidate *candidate = scope_group_add (group, names[i], HYB_MODE_STATIC, NULL);

      candidate->plan = i;
      scope_candidate_take_capture (candidate, make_capture (self->seconds[i], self->n_traced));
    }
  scope_group_compare (group);
  return group;
}

static void
rung_free (gpointer data)
{
  prof_series_clear (&((ProfRung *) data)->series);
  g_free (data);
}

static ProfLadder *
make_ladder (Simulation *self)
{
  ProfLadder *ladder = g_new0 (ProfLadder, 1);

  ladder->rungs = g_ptr_array_new_with_free_func (rung_free);
  for (guint i = 0; i < N_CANDIDATES; i++)
    {
      ProfRung *rung = g_new0 (ProfRung, 1);

      rung->name = (char *) "rung";
      prof_series_init (&rung->series);
      g_array_append_vals (rung->series.clean, self->seconds[i], N_ROUNDS);
      for (guint r = 0; r < N_ROUNDS; r++)
        {
          guint build = r * N_BUILDS / N_ROUNDS;

          g_array_append_val (rung->series.build, build);
        }
      g_ptr_array_add (ladder->rungs, rung);
    }
  prof_ladder_compare (ladder);
  return ladder;
}

/* --- Reading what is said --- */

/* The seconds in "−7.34 ms …": signed by + and −. */
static double
parse_seconds (const char *text)
{
  static const struct
  {
    const char *unit;
    double      seconds;
  } units[] = { { " ns", 1e-9 }, { " µs", 1e-6 }, { " ms", 1e-3 }, { " s", 1 } };
  double sign = g_str_has_prefix (text, "−") ? -1 : 1, value;
  char  *end;

  text += g_str_has_prefix (text, "−") ? strlen ("−") : *text == '+' ? 1 : 0;
  value = g_ascii_strtod (text, &end);
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_str_has_prefix (end, units[i].unit))
      return sign * value * units[i].seconds;
  g_error ("%s is no time", text);
}

static void
assert_near (double a, double b, double room)
{
  g_assert_cmpfloat (fabs (a - b), <=, room);
}

/* What is said about a group and its extremes.  (transfer full) */
static ScopeSaid *
say (const ScopeGroup *group, const ProfExplanation *explanation)
{
  ScopeSaid      *said = scope_said_new ();
  ScopeCandidate *slow, *fast;

  g_assert_true (scope_group_extremes (group, &slow, &fast));
  scope_group_say (said, group);
  scope_said_explanation (said, (ScopeLevel){ "slow", slow->clean.median.median },
                          (ScopeLevel){ "fast", fast->clean.median.median }, explanation);
  return said;
}

/* The JSON of the group, as the command prints it.  (transfer full) */
static char *
dup_json (const ScopeGroup *group)
{
  g_autoptr (ScopeJson) json = scope_json_new ();
  g_autofree char *path = NULL;
  int              file = g_file_open_tmp (NULL, &path, NULL), kept;
  char            *text;

  scope_json_begin_list (json, "cells");
  scope_group_describe_cells (json, group);
  scope_json_end (json);
  scope_json_begin_list (json, "pairs");
  scope_group_describe_pairs (json, group);
  scope_json_end (json);
  fflush (stdout);
  kept = dup (STDOUT_FILENO);
  dup2 (file, STDOUT_FILENO);
  scope_json_print (json);
  fflush (stdout);
  dup2 (kept, STDOUT_FILENO);
  close (kept);
  close (file);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_unlink (path);
  return text;
}

/* --- Agreement --- */

/* A change is signed as the times are, and is within its own interval of them; noise has no sign. */
static void
assert_change (const char *text, double before, double after, ProfVerdict verdict)
{
  if (scope_is_noise (verdict))
    {
      g_assert_true (g_str_has_prefix (text, "± "));
      g_assert_cmpfloat (fabs (after - before), <=,
                         parse_seconds (text + strlen ("± ")) * (1 + ROUNDED));
      return;
    }
  assert_near (parse_seconds (text), after - before, ROUNDED * fabs (after - before));
  g_assert_cmpint (verdict == PROF_FASTER, ==, after < before);
}

static void
check_sentences (const ScopeGroup *group)
{
  for (guint a = 0; a < N_CANDIDATES; a++)
    for (guint b = 0; b < N_CANDIDATES; b++)
      {
        const ScopeCandidate *x = group->candidates->pdata[a], *y = group->candidates->pdata[b];
        g_autofree char      *sentence = NULL, *faster = NULL, *speed_up = NULL, *back = NULL;
        ProfPairing           pairing, inverse;

        if (a == b)
          continue;
        scope_group_pair (group, x, y, &pairing);
        scope_group_pair (group, y, x, &inverse);
        sentence = scope_say_pair ("X", "Y", &pairing);
        back = scope_say_pair ("Y", "X", &inverse);
        if (!scope_is_noise (pairing.verdict))
          {
            double times = fmax (x->clean.median.median, y->clean.median.median) /
                           fmin (x->clean.median.median, y->clean.median.median);

            /* The same sentence from both sides, with the quotient of the table's times. */
            faster =
                g_strdup_printf ("%s is %.2f × as fast as %s (",
                                 x->clean.median.median < y->clean.median.median ? "X" : "Y", times,
                                 x->clean.median.median < y->clean.median.median ? "Y" : "X");
            g_assert_true (g_str_has_prefix (sentence, faster));
            g_assert_cmpstr (sentence, ==, back);
          }
        speed_up = scope_say_speed_up (&pairing, 1);
        g_assert_cmpint (g_str_has_prefix (speed_up, "± "), ==, scope_is_noise (pairing.verdict));
        if (!scope_is_noise (pairing.verdict))
          assert_near (g_ascii_strtod (speed_up, NULL),
                       100 * (y->clean.median.median / x->clean.median.median - 1), 0.06);
      }
}

/* For ScopeSaidRenderer. */
static void
check_figure (gpointer n_waterfalls, const ScopeFigure *figure)
{
  double level = 0;

  if (figure->drawing != &scope_drawing_waterfall)
    return;
  ++*(guint *) n_waterfalls;
  for (guint i = 0; i < figure->bars->len; i++)
    {
      const VizBar *bar = &g_array_index (figure->bars, VizBar, i);

      /* It ends at the time of the table, not in mid-air. */
      if (bar->is_total && i > 0)
        g_assert_cmpfloat_with_epsilon (level, bar->value, 1e-9);
      level = bar->is_total ? bar->value : level + bar->value;
      if (bar->is_total || !bar->is_unclear)
        assert_near (parse_seconds (bar->text), bar->value, ROUNDED * fabs (bar->value) + 1e-9);
      else
        g_assert_true (!strstr (bar->text, "−") && !strchr (bar->text, '+'));
    }
}

static void
ignore_heading (gpointer data     G_GNUC_UNUSED,
                const char *title G_GNUC_UNUSED,
                const char *line  G_GNUC_UNUSED)
{
}

static void
ignore_sentence (gpointer data        G_GNUC_UNUSED,
                 const char *text     G_GNUC_UNUSED,
                 ScopeSaidStyle style G_GNUC_UNUSED)
{
}

static void
check_waterfall (const ScopeSaid *said)
{
  static const ScopeSaidRenderer renderer = { .heading = ignore_heading,
                                              .sentence = ignore_sentence,
                                              .figure = check_figure };
  guint                          n_waterfalls = 0;

  scope_said_walk (said, &renderer, &n_waterfalls);
  g_assert_cmpuint (n_waterfalls, ==, 1);
}

static void
check_table (const ScopeGroup *group, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint n = 0;

  for (guint k = 0; lines[k] && n < N_CANDIDATES; k++)
    {
      const ScopeCandidate *candidate = group->candidates->pdata[n];
      g_autofree char      *name = scope_candidate_dup_name (candidate);
      g_autofree char      *row = g_strstrip (g_strdup (lines[k]));
      double                time = candidate->clean.median.median;

      if (!g_str_has_prefix (row, name))
        continue;
      assert_near (parse_seconds (g_strchug (row + strlen (name))), time, ROUNDED * time);
      n++;
    }
  g_assert_cmpuint (n, ==, N_CANDIDATES);
}

static double
number (const cJSON *json, const char *key)
{
  return cJSON_GetObjectItem (json, key)->valuedouble;
}

/* The ratio of a pair is the quotient of its cells' times, what is saved their difference, and the parts of
 * the explanation add up to it. */
static void
check_json (const char *text)
{
  cJSON       *json = cJSON_Parse (text);
  const cJSON *cells = cJSON_GetObjectItem (json, "cells");
  const cJSON *pair = cJSON_GetObjectItem (json, "pairs")->child, *bucket;

  for (int a = 0; a < N_CANDIDATES; a++)
    for (int b = 0; b < a; b++, pair = pair->next)
      {
        double       x = number (cJSON_GetArrayItem (cells, a), "median");
        double       y = number (cJSON_GetArrayItem (cells, b), "median");
        const cJSON *explanation = cJSON_GetObjectItem (pair, "explanation");
        double       rest = number (explanation, "saved") - number (explanation, "unexplained");

        assert_near (x / y, number (pair, "ratio"), 1e-6 * x / y);
        assert_near (number (explanation, "saved"), fabs (x - y), 1e-9);
        cJSON_ArrayForEach (bucket, cJSON_GetObjectItem (explanation, "buckets"))
        {
          rest -= number (bucket, "seconds");
        }
        assert_near (rest, 0, 1e-9);
      }
  g_assert_null (pair);
  cJSON_Delete (json);
}

static void
test_group (void)
{
  for (guint run = 0; run < N_RUNS; run++)
    {
      g_autofree Simulation *self = g_new0 (Simulation, 1);
      ScopeGroup            *group;
      ScopeCandidate        *slow, *fast;
      ProfExplanation        explanation;
      g_autofree char       *text = NULL, *json = NULL, *html = NULL, *less = NULL, *takes = NULL;
      double                 fastest, slowest;
      g_autoptr (ScopeReportPage) page = scope_report_page_new ("test");
      g_autoptr (ScopeSaid) said = NULL;

      simulate (self, run);
      group = make_group (self);
      g_assert_true (scope_group_extremes (group, &slow, &fast));
      scope_group_explain (group, slow, fast, &explanation);
      assert_near (explanation.saved.median, slow->clean.median.median - fast->clean.median.median,
                   1e-12);
      said = say (group, &explanation);
      text = scope_said_dup_text (said);
      json = dup_json (group);
      check_json (json);
      scope_report_page_add_said (page, said);
      html = scope_report_page_print_html (page);
      check_table (group, text);
      check_sentences (group);
      check_waterfall (said);
      g_assert_true (prof_explanation_has_cause (&explanation));
      less = prof_format_seconds (slow->clean.median.median - fast->clean.median.median);
      takes = g_strdup_printf ("takes %s less than", less);
      g_assert_nonnull (strstr (text, takes));
      /* All outputs say that the speed changed, or none. */
      g_assert_cmpint (strstr (text, "changed its speed") != NULL, ==,
                       prof_comparison_get_speed (group->comparison, &fastest, &slowest));
      g_assert_cmpint (strstr (text, "changed its speed") != NULL, ==,
                       strstr (html, "changed its speed") != NULL);
      prof_explanation_clear (&explanation);
      scope_group_free (group);
    }
}

static void
test_ladder (void)
{
  for (guint run = 0; run < N_RUNS; run++)
    {
      g_autofree Simulation *self = g_new0 (Simulation, 1);
      g_autofree char       *sum = NULL;
      ProfLadder            *ladder;
      ProfRung *const       *rungs;
      double                 saved = 0;

      simulate (self, run);
      ladder = make_ladder (self);
      rungs = (gpointer) ladder->rungs->pdata;
      for (guint i = 1; i < N_CANDIDATES; i++)
        {
          g_autofree char *change = scope_say_change (&rungs[i]->saved, rungs[i]->verdict);

          assert_change (change, rungs[i - 1]->time.median, rungs[i]->time.median,
                         rungs[i]->verdict);
          saved += rungs[i]->saved.median;
        }
      /* The column adds up. */
      assert_near (rungs[0]->time.median - saved, rungs[N_CANDIDATES - 1]->time.median, 1e-12);
      sum = scope_say_rungs (ladder->rungs);
      assert_near (parse_seconds (sum), -saved, ROUNDED * fabs (saved));
      g_clear_pointer (&ladder->comparison, prof_comparison_free);
      g_ptr_array_unref (ladder->rungs);
      g_free (ladder);
    }
}

TEST_PROGRAM (test_compare_agree)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/compare-agree/table-sentences-bars-and-waterfall", test_group);
  g_test_add_func ("/app/compare-agree/ladder", test_ladder);
  return g_test_run ();
}
