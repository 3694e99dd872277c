/* test-sweep.c — hscope sweep: plans, interrupted sweeps, several workers, launchers that fail or repeat themselves.
 *
 * Launchers are scripts; most of them print a document instead of running hscope, so that nothing is measured.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define MODEL "'gallery:lstm-lm?hidden=4&embedding=4&vocabulary=8&length=3'"
#define CLEAN "; status=$?; rm -rf s; exit $status"

/* The command of a cell: $1 is hscope, and the capture's prefix follows --captures. */
#define PRETEND_TOOLS                                                           \
  "cat >pretend <<'END'\n"                                                      \
  "for word; do [ \"$last\" = --captures ] && prefix=$word; last=$word; done\n" \
  "echo capture >\"$prefix-0-as-is-static.hscope\"\n"                           \
  "printf '{\\n  \"cells\": [{\"median\": 0.5, \"samples\": 3}]\\n}\\n'\n"      \
  "END\n"

static guint
count (const char *text, const char *part)
{
  guint n = 0;

  for (; (text = strstr (text, part)); text += strlen (part))
    n++;
  return n;
}

static void
test_every_cell_is_measured_and_recorded (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    "hscope sweep --models " MODEL " --variants unrolled,fused --batch 1,2 "
                    "--samples 6 --output s --json && cat s/cells.jsonl && "
                    "hscope report s/captures/000003.hscope >/dev/null" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "\"done\": 4"));
  g_assert_cmpuint (count (fixture->out, "\"status\": \"done\""), ==, 4);
  g_assert_cmpuint (count (fixture->out, "\"batch\": 2, "), ==, 2);
  g_assert_cmpuint (count (fixture->out, "\"variant\": \"fused\""), ==, 2);
  g_assert_cmpuint (count (fixture->out, "\"samples\": 6"), ==, 4);
}

static void
test_proofs_need_no_captures (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    "hscope sweep --models " MODEL ",gallery:mlp --variants fused --task prove "
                    "--output s; code=$?; cat s/cells.jsonl; ls s/captures; "
                    "(exit $code)" CLEAN);
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_cmpuint (count (fixture->out, "\"ok\": true, \"status\": \"done\""), ==, 1);
  g_assert_nonnull (strstr (fixture->out, "\"reason\": \"no recurrent cell"));
  g_assert_null (strstr (fixture->out, "draft"));
}

static void
test_a_plan_file_says_the_same_as_options (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    PRETEND_TOOLS "printf '[sweep]\\nmodels = a.json, b.json\\nbatch=1,2,3\\n"
                                  "repeat=2\\ntime-limit=5\\n' >plan.ini && "
                                  "hscope sweep plan.ini --output s --launcher 'sh pretend' && "
                                  "grep -c '\"done\"' s/cells.jsonl && cat s/plan.json" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "\n12\n"));
  g_assert_nonnull (strstr (fixture->out, "\"time_limit\": 5"));
  g_assert_nonnull (strstr (fixture->out, "/a.json\"")); /* absolute */
}

static void
test_wrong_plans_are_refused (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const struct
  {
    const char *line;
    int         code;
    const char *message;
  } rows[] = {
    { "hscope sweep --models a", 2, "needs --output" },
    { "hscope sweep --output s", 2, "needs models" },
    { "hscope sweep --models a --batch 1,x --output s", 2, "--batch: “x” is not a number" },
    { "hscope sweep --models a --variants other --output s", 2, "there are as-is unrolled" },
    { "hscope sweep --models a --task fly --output s", 2, "there are measure and prove" },
    { "hscope sweep --models a,, --output s", 2, "is empty" },
    { "hscope sweep --models --each=a --output s", 2, "begins as an option" },
    { "mkdir s && echo '{\"version\": 1, \"task\": \"measure\", \"samples\": 0, "
      "\"time_limit\": 0, \"repeat\": [\"1\"], \"models\": [\"--each=a\"], \"batch\": [\"\"], "
      "\"length\": [\"\"], \"passes\": [\"\"], \"devices\": [\"\"], \"threads\": [\"\"], "
      "\"modes\": [\"\"], \"variants\": [\"\"]}' >s/plan.json && hscope sweep --output s --resume",
      3, "not a plan" },
    { "hscope sweep --models a --task prove --batch 1,2 --output s", 2, "--batch: the result of" },
    { "hscope sweep --models a --task prove --repeat 2 --output s", 2, "--repeat: the result of" },
    { "echo >x.so && hscope sweep --models x.so:net --output s", 2, "“x.so:net” is a plug-in" },
    { "mkdir s && echo >x.so && echo '{\"version\": 1, \"task\": \"measure\", \"samples\": 0, "
      "\"time_limit\": 0, \"repeat\": [\"1\"], \"models\": [\"x.so:net\"], \"batch\": [\"\"], "
      "\"length\": [\"\"], \"passes\": [\"\"], \"devices\": [\"\"], \"threads\": [\"\"], "
      "\"modes\": [\"\"], \"variants\": [\"\"]}' >s/plan.json && hscope sweep --output s --resume",
      3, "not a plan" },
    { "hscope sweep --models a --output s --repeat 10000 --batch $(seq -s, 1 200)", 2,
      "more than 1000000 cells" },
    { "hscope sweep --output s --resume", 3, "plan.json" },
    { "hscope sweep --output s --retry-failed --models a", 2, "belongs to --resume" },
    { "hscope sweep --models a --output s --launcher \"'\"", 2, "quotes" },
    { "printf '[sweep]\\nmodels=a\\nbatches=1\\n' >p.ini && hscope sweep p.ini --output s", 2,
      "no key “batches”" },
    { "echo nonsense >p.ini && hscope sweep p.ini --output s", 3, "not a plan" },
    { "hscope sweep p.ini --models a --output s", 2, "not both" },
    { "mkdir s && echo '{}' >s/plan.json && hscope sweep --output s --resume", 3, "not a plan" },
    { "mkdir s && echo '{\"version\": 1, \"task\": \"measure\", \"samples\": 0, \"time_limit\": "
      "0, \"models\": [\"a\"], \"repeat\": [3], \"batch\": []}' >s/plan.json && "
      "hscope sweep --output s --resume",
      3, "not a plan" },
    { "hscope sweep --models a --output /nowhere/s", 3, "folder" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *line = g_strconcat (rows[i].line, CLEAN, NULL);

      fixture_run_line (fixture, line);
      if (fixture->code != rows[i].code || !strstr (fixture->err, rows[i].message))
        g_error ("%s: %d %s", rows[i].line, fixture->code, fixture->err);
    }
}

static void
test_a_failed_cell_is_retried_as_asked (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  /* Each cell fails at its first two attempts: a file counts them by the prefix. */
  fixture_run_line (fixture, PRETEND_TOOLS
                    "cat >fail <<'END'\n"
                    "for word; do [ \"$last\" = --captures ] && prefix=$word; last=$word; done\n"
                    "name=$(basename \"$prefix\" | cut -c1-12); echo x >>count-$name\n"
                    "[ $(wc -l <count-$name) -gt 2 ] || { echo no luck >&2; exit 9; }\n"
                    "exec sh pretend \"$@\"\n"
                    "END\n"
                    "hscope sweep --models a --batch 1,2 --output s --launcher 'sh fail'; echo $?; "
                    "cat s/cells.jsonl; "
                    "hscope sweep --output s --resume --launcher 'sh fail'; echo $?; "
                    "hscope sweep --output s --resume --retry-failed --retries 1 --launcher 'sh "
                    "fail'; "
                    "echo $?; cat s/cells.jsonl" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_cmpuint (count (fixture->out, "\"reason\": \"status 9: no luck\""), ==, 2);
  g_assert_nonnull (strstr (fixture->out, "0 of 2 cells done, 2 failed, 0 left\n1\n"));
  g_assert_nonnull (strstr (fixture->out, "2 of 2 cells done, 0 failed, 0 left\n0\n"));
  g_assert_cmpuint (count (fixture->out, "\"attempts\": 2, "), ==, 2);
}

static void
test_a_launcher_that_repeats_itself_doubles_nothing (Fixture             *fixture,
                                                     gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, PRETEND_TOOLS
                    "echo 'echo welcome; sh pretend \"$@\"; sh pretend \"$@\"' >twice && "
                    "hscope sweep --models a --batch 1,2,3 --output s "
                    "--launcher 'sh twice' && cat s/cells.jsonl" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_cmpuint (count (fixture->out, "\"status\": \"done\""), ==, 3);
}

static void
test_a_killed_sweep_continues (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  /* The fourth cell kills the sweep, which is its parent. */
  fixture_run_line (fixture, PRETEND_TOOLS
                    "cat >kill <<'END'\n"
                    "echo x >>ran; [ $(wc -l <ran) -ne 4 ] || { kill -9 $PPID; exec sleep 1000; }\n"
                    "exec sh pretend \"$@\"\n"
                    "END\n"
                    "hscope sweep --models a --batch 1,2,3,4,5,6 --output s --launcher 'sh kill'; "
                    "ls s/cells; hscope sweep --output s --resume --launcher 'sh kill' && "
                    "! ls s/cells | grep part && wc -l <ran && cat s/cells.jsonl" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_true (strstr (fixture->out, "000003.part"));
  g_assert_nonnull (strstr (fixture->out, "6 of 6 cells done, 0 failed, 0 left"));
  g_assert_nonnull (strstr (fixture->out, "\n7\n")); /* five once, one twice */
  for (guint cell = 0; cell < 6; cell++)
    {
      g_autofree char *begin = g_strdup_printf ("{\"cell\": %u, ", cell);

      g_assert_cmpuint (count (fixture->out, begin), ==, 1);
    }
}

/* What is being done is given back, and the launcher ends. */
static void
test_ctrl_c_gives_cells_back (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, PRETEND_TOOLS
                    "echo 'echo x >started; exec sleep 1000' >slow && "
                    "{ " HSCOPE " sweep --models a --batch 1,2 --output s "
                    "--launcher 'sh slow' & } && pid=$! && "
                    "while [ ! -e started ]; do sleep 0.01; done; "
                    "kill -TERM $pid; wait $pid; echo $?; ls s/cells; echo nothing" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "143\n"));
  g_assert_nonnull (strstr (fixture->out, "143\nnothing\n"));
  g_assert_null (strstr (fixture->out, "000000."));
}

/* A scheduler ends a worker and its command at once, and the command is the first to go. */
static void
test_a_cell_that_is_ended_with_its_worker_has_not_failed (Fixture             *fixture,
                                                          gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, PRETEND_TOOLS
                    "echo 'echo x >started; kill -TERM $$' >ended && "
                    "{ " HSCOPE " sweep --models a --batch 1,2 --output s "
                    "--launcher 'sh ended' & } && pid=$! && "
                    "while [ ! -e started ]; do sleep 0.01; done; sleep 0.1; "
                    "kill -TERM $pid; wait $pid; echo $?; ls s/cells; echo nothing" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "143\n"));
  g_assert_nonnull (strstr (fixture->out, "143\nnothing\n"));
  g_assert_null (strstr (fixture->out, "000000."));
}

static void
test_a_cell_that_is_ended_alone_has_failed (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, PRETEND_TOOLS
                    "echo 'kill -TERM $$' >ended && hscope sweep --models a --batch 1 --output s "
                    "--launcher 'sh ended'; cat s/cells.jsonl" CLEAN);
  g_assert_nonnull (strstr (fixture->out, "the process was ended by signal 15"));
}

static void
test_parts_of_a_sweep_are_done_at_once (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    PRETEND_TOOLS "echo 'echo x >>ran; exec sh pretend \"$@\"' >note && "
                                  "hscope sweep --models a --batch $(seq -s, 1 30) --output s "
                                  "--launcher 'sh note' >log & wait; rm s/cells/*; rm ran; "
                                  "for part in 0-9 5-19 10-24 20-29 29; do "
                                  "hscope sweep --output s --cells $part --launcher 'sh note' & "
                                  "done; wait; "
                                  "hscope sweep --output s --resume --launcher false >log && "
                                  "wc -l <ran && wc -l <s/cells.jsonl; "
                                  "hscope sweep --output s --cells 20-30" CLEAN);
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "the sweep has the cells 0-29"));
  g_assert_true (g_str_has_suffix (fixture->out, "30\n30\n"));
}

/* Programs that do what Slurm's do: the tasks of the array run here, and squeue lists them until they have ended. */
#define SLURM                                                                                      \
  "mkdir bin && export PATH=$PWD/bin:$PATH && "                                                    \
  "printf '%s\\n' '#!/bin/sh' 'echo \"$@\" >>sbatch.log' 'for word; do script=$word; done' "       \
  "'for i in 0 1 2; do SLURM_ARRAY_TASK_ID=$i sh -c \"${script#--wrap=}\" >/dev/null 2>&1 & echo " \
  "$! >>tasks; done' 'echo 17' "                                                                   \
  ">bin/sbatch && printf '%s\\n' '#!/bin/sh' 'for pid in $(cat tasks); do kill -0 $pid "           \
  "2>/dev/null && echo 17_0 RUNNING; done; exit 0' >bin/squeue && "                                \
  "printf '%s\\n' '#!/bin/sh' 'echo \"$@\" >>scancel.log; kill $(cat tasks)' >bin/scancel && "     \
  "chmod +x bin/* && "

static void
test_slurm_does_the_cells (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, PRETEND_TOOLS SLURM
                    "hscope sweep --models a --batch $(seq -s, 1 12) --output s "
                    "--launcher \"sh $PWD/pretend\" --target slurm --jobs 3 "
                    "--slurm-options '-p \"a b\"' && cat sbatch.log && "
                    "wc -l <s/cells.jsonl" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "--array=0-2"));
  g_assert_nonnull (strstr (fixture->out, "--exclusive -p a b "));
  g_assert_nonnull (strstr (fixture->out, "12 of 12 cells done"));
  g_assert_true (g_str_has_suffix (fixture->out, "\n12\n"));
  g_assert_nonnull (strstr (fixture->err, "submitted as job 17 of Slurm with 3 tasks"));
}

/* Nothing is submitted while the first job is at work, and Ctrl-C cancels it. */
static void
test_a_job_of_slurm_is_found_again_and_cancelled (Fixture             *fixture,
                                                  gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, PRETEND_TOOLS SLURM
                    "echo 'echo x >started; exec sleep 1000' >slow && "
                    "{ " HSCOPE " sweep --models a --batch 1,2 --output s --launcher "
                    "\"sh $PWD/slow\" --target slurm & } && pid=$! && "
                    "while [ ! -e started ] || [ ! -e s/slurm-job ]; do sleep 0.01; done; "
                    "kill -9 $pid; "
                    "{ " HSCOPE " sweep --output s --resume --target slurm 2>err & } && pid=$! && "
                    "while ! grep -q 'still at work' err; do sleep 0.01; done; "
                    "kill -TERM $pid; wait $pid; echo $?; cat scancel.log; wc -l <sbatch.log; "
                    "ls s/cells" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "143\n17\n1\n"));
}

/* A job that reaches its time limit, or that a restarted controller does not know any more. */
static void
test_a_job_of_slurm_that_ends_early_leaves_cells (Fixture             *fixture,
                                                  gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, PRETEND_TOOLS SLURM
                    "printf '%s\\n' '#!/bin/sh' 'echo 17' >bin/sbatch && : >tasks && "
                    "hscope sweep --models a --batch 1,2 --output s --launcher "
                    "\"sh $PWD/pretend\" --target slurm; echo $?; "
                    "hscope sweep --output s --resume --launcher \"sh $PWD/pretend\"" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "0 of 2 cells done, 0 failed, 2 left\n1\n"));
  g_assert_nonnull (strstr (fixture->out, "2 of 2 cells done, 0 failed, 0 left\n"));
  g_assert_nonnull (strstr (fixture->err, "warning: 2 cells not done yet. --resume continues"));
}

static void
test_a_missing_slurm_is_a_sentence (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, "export PATH=/bin:/nowhere; mkdir empty; rm=$(command -v rm); "
                             "PATH=$PWD/empty hscope sweep --models a --output s --target slurm; "
                             "code=$?; $rm -r s; exit $code");
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_nonnull (strstr (fixture->err, "sbatch cannot be started: "));
}

/* Times by batch and form: the fused form is certain to be faster at batch 2, and was measured elsewhere at batch 4. */
#define RESULTS                                                                                    \
  "mkdir -p s/cells s/captures && printf '%s' '{\"version\": 1, \"task\": \"measure\", "           \
  "\"samples\": 0, \"time_limit\": 0, \"repeat\": [\"1\"], \"models\": [\"<a>.json\"], "           \
  "\"batch\": [\"1\", \"2\", \"4\"], \"length\": [\"\"], \"passes\": [\"\"], "                     \
  "\"devices\": [\"\"], \"threads\": [\"\"], \"modes\": [\"\"], "                                  \
  "\"variants\": [\"unrolled\", \"fused\"]}' >s/plan.json && "                                     \
  "line () { printf '{\"cell\": %s, \"status\": \"done\", \"median\": %s, \"low\": %s, \"high\": " \
  "%s, \"worker\": \"%s.1.1\"}' "                                                                  \
  "\"$1\" \"$2\" \"$3\" \"$4\" \"$5\" >s/cells/00000$1.json; } && "                                \
  "line 0 0.5 0.4 0.6 here && line 1 0.45 0.3 0.7 here && line 2 1 0.9 1.1 here && "               \
  "line 3 0.25 0.2 0.3 here && line 5 0.1 0.1 0.1 there && line 4 2 1 3 here && "

static void
test_a_report_has_tables_and_pairs (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, RESULTS "hscope report s" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "6 of 6 cells done, 0 failed\n"));
  g_assert_nonnull (strstr (fixture->out, "\nbatch     unrolled        fused\n"));
  g_assert_nonnull (strstr (fixture->out, "\n2           1.00 s       250 ms\n"));
  g_assert_nonnull (strstr (fixture->out,
                            "fused against unrolled: faster in 1 of 2 pairs, slower in 0, not "
                            "certain in 1; 1 of different machines"));
  g_assert_null (strstr (fixture->out, "measured while another one ran"));
  fixture_run_line (fixture, RESULTS "hscope report s --json" CLEAN);
  g_assert_nonnull (strstr (fixture->out, "\"other_machines\": 1"));
  fixture_run_line (fixture, RESULTS "hscope report s --rows variants --columns batch" CLEAN);
  g_assert_nonnull (strstr (fixture->out, "\nfused          450 ms       250 ms       100 ms\n"));
}

/* Intervals that do not overlap, but times that differ by less than two processes of one form do; and two cells whose machines
 * are not known. */
static void
test_noise_between_processes_is_not_faster (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    RESULTS "line 0 0.5 0.499 0.501 here && line 1 0.49 0.489 0.491 here && "
                            "line 4 2 1.9 2.1 here && line 5 1 0.9 1.1 here && "
                            "sed -i 's/, \"worker.*/}/' s/cells/000004.json s/cells/000005.json && "
                            "hscope report s" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out,
                            "fused against unrolled: faster in 1 of 2 pairs, slower in 0, not "
                            "certain in 1; 1 of different machines"));
}

/* Below a table whose rows are numbers there is a curve for each column; with other rows, or with one point only, there is
 * none. */
static void
test_a_report_has_curves_over_numbers (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const struct
  {
    const char *line;
    guint       n_charts;
  } rows[] = {
    { "hscope report s --output r.html", 1 },
    { "hscope report s --rows variants --columns batch --output r.html", 0 },
    { "rm s/cells/00000[1-5].json && hscope report s --output r.html", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *line = g_strconcat (RESULTS, rows[i].line, " && cat r.html" CLEAN, NULL);

      fixture_run_line (fixture, line);
      g_assert_cmpint (fixture->code, ==, 0);
      g_assert_cmpuint (count (fixture->out, "<svg"), ==, rows[i].n_charts);
      if (rows[i].n_charts == 0)
        continue;
      /* Both columns are named at their curves, and the axis of rows below them. */
      g_assert_nonnull (strstr (strstr (fixture->out, "<svg"), ">unrolled</text>"));
      g_assert_nonnull (strstr (strstr (fixture->out, "<svg"), ">fused</text>"));
      g_assert_nonnull (strstr (strstr (fixture->out, "<svg"), ">batch</text>"));
    }
}

/* Content of a stranger's choice does not reach the table. */
static void
test_lines_are_read_before_they_are_copied (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    RESULTS "echo 'touch owned' >s/cells/000000.json; "
                            "echo '{\"cell\": 2, \"status\": \"done\"}' >s/cells/000001.json; "
                            "hscope sweep --output s --resume --launcher false; "
                            "cat s/cells.jsonl" CLEAN);
  g_assert_null (strstr (fixture->out, "touch owned"));
  g_assert_nonnull (strstr (fixture->err, "2 of the files in its folder “cells” are not"));
  g_assert_cmpuint (count (fixture->out, "{\"cell\": "), ==, 4);
}

/* A cell that is not done, one that failed, and one whose file is damaged. */
static void
test_a_table_has_a_line_for_every_cell (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    RESULTS "rm s/cells/000000.json s/cells/000003.json && "
                            "printf '{\"cell\": 3, \"status\": \"failed\", \"reason\": \"=no "
                            "\\\"luck\\\"\"}' >s/cells/000003.json && "
                            "echo nonsense >s/cells/000005.json && "
                            "hscope report s --output r.csv && cat r.csv && "
                            "hscope report s --output r.html && cat r.html" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "\n0,1,"));
  g_assert_nonnull (strstr (fixture->out, ",left,,,,,\n1,"));
  g_assert_nonnull (strstr (fixture->out, ",failed,,,,,\"'=no \"\"luck\"\"\"\n"));
  g_assert_cmpuint (count (fixture->out, ",left,"), ==, 2);
  g_assert_nonnull (strstr (fixture->out, "3 of 6 cells done, 1 failed"));
  g_assert_null (strstr (fixture->out, "<h2><a>"));
  g_assert_nonnull (strstr (fixture->out, "&lt;a&gt;.json"));
}

/* Two workers of one machine whose cells overlap in time; a third cell begins after both have ended. */
static void
test_cells_that_disturb_each_other_are_told (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, RESULTS
                    "timed () { printf '{\"cell\": %s, \"status\": \"done\", \"median\": 1, "
                    "\"low\": 1, \"high\": 1, \"worker\": "
                    "\"%s\", "
                    "\"seconds\": 10, \"ended\": %s}' \"$1\" \"$2\" \"$3\" >s/cells/00000$1.json; "
                    "} && "
                    "timed 0 here.1.1 110 && timed 1 here.2.1 119.5 && timed 2 here.1.1 130 && "
                    "timed 3 here.1.1 140 && timed 4 there.1.1 110 && timed 5 there.1.1 110 && "
                    "hscope report s && hscope report s --json" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "\n2 cells were measured while another one ran on"));
  g_assert_nonnull (strstr (fixture->out, "not certain in 2; 0 of different machines; 1 measured"));
  g_assert_nonnull (strstr (fixture->out, "\"crowded\": 2,\n"));
  g_assert_cmpuint (count (fixture->out, "\"here\", true, "), ==, 2);
}

/* A folder of somebody else: files that no cell has, and one that a process which was killed has left. */
static void
test_files_of_no_cell_are_left_out (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (
      fixture, RESULTS
      "rm s/cells/000005.json && "
      "for name in 0 0000000 000000.json~ 000006 999999 -00001 +00005 18446744073709551621; do "
      "cp s/cells/000000.json s/cells/$name; cp s/cells/000000.json s/cells/$name.json; done && "
      "cp s/cells/000000.json s/cells/000004.part && hscope report s" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "5 of 6 cells done, 0 failed"));
}

/* The table of cells as a database, read by Python's own SQLite. */
static void
test_a_database_has_a_row_for_every_cell (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, RESULTS
                    "rm s/cells/000000.json && hscope report s --output r.sqlite && "
                    "python3 -c \"import sqlite3; print(sqlite3.connect('r.sqlite')."
                    "execute('select cell, batch, variant, status, value, host, repeat from "
                    "cells').fetchall())\"; rm r.sqlite" CLEAN);
  if (strstr (fixture->err, "built without SQLite"))
    {
      g_test_skip ("the build leaves parts of the packages out");
      return;
    }
  g_assert_nonnull (strstr (fixture->out, "[(0, 1, 'unrolled', 'left', None, None, 1), (1, 1, "
                                          "'fused', 'done', 0.45, 'here', 1), "));
  g_assert_nonnull (strstr (fixture->out, "(5, 4, 'fused', 'done', 0.1, 'there', 1)]"));
}

/* As other outputs: a link stays one, permissions are kept, and no other file is touched or stays. */
static void
test_a_database_replaces_its_file_alone (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (
      fixture,
      RESULTS "mkdir d && cd d && echo mine >r.sqlite.draft && touch real && chmod 604 real && "
              "ln -s real r.sqlite && hscope report ../s --output r.sqlite; cat r.sqlite.draft; "
              "head -c 13 real; stat -c ' %a' real; ls -A; cd .. && rm -r d" CLEAN);
  if (strstr (fixture->err, "built without SQLite"))
    {
      g_test_skip ("the build leaves parts of the packages out");
      return;
    }
  g_assert_nonnull (
      strstr (fixture->out, "mine\nSQLite format 604\nr.sqlite\nr.sqlite.draft\nreal\n"));
}

/* 4 MB of plan would become 400 MB of table. */
static void
test_a_table_of_long_names_is_refused (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const ends[] = { "csv", "sqlite" };

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      g_autofree char *line =
          g_strconcat (RESULTS
                       "rm -r s/cells && python3 -c \"text = open('s/plan.json').read(); "
                       "open('s/plan.json', 'w').write(text.replace('<a>', 'a' * 4000000).replace("
                       "'\\\"batch\\\": [', '\\\"batch\\\": [' + ''.join('\\\"%d\\\", ' % i "
                       "for i in range(5, 52))))\" && hscope report s --output r.",
                       ends[i], "; status=$?; ls r.*; (exit $status)" CLEAN, NULL);

      fixture_run_line (fixture, line);
      g_assert_cmpint (fixture->code, ==, 4);
      g_assert_nonnull (strstr (fixture->err, "of names; the limit is 128"));
      g_assert_cmpstr (fixture->out, ==, "");
    }
}

static void
test_reports_that_make_no_sense_are_refused (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const lines[][2] = {
    { "hscope report s --output r.svg", "tables only" },
    { "hscope report s --rows depth", "no axis" },
    { "hscope report s --rows batch --columns batch", "the same axis" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autofree char *line = g_strconcat (RESULTS, lines[i][0], CLEAN, NULL);

      fixture_run_line (fixture, line);
      g_assert_cmpint (fixture->code, ==, 2);
      g_assert_nonnull (strstr (fixture->err, lines[i][1]));
    }
}

TEST_PROGRAM (test_sweep)
{
  static const struct
  {
    const char *name;
    void (*run) (Fixture *fixture, gconstpointer unused);
  } tests[] = {
    { "every-cell-is-measured-and-recorded", test_every_cell_is_measured_and_recorded },
    { "proofs-need-no-captures", test_proofs_need_no_captures },
    { "a-plan-file-says-the-same-as-options", test_a_plan_file_says_the_same_as_options },
    { "wrong-plans-are-refused", test_wrong_plans_are_refused },
    { "a-failed-cell-is-retried-as-asked", test_a_failed_cell_is_retried_as_asked },
    { "a-launcher-that-repeats-itself-doubles-nothing",
      test_a_launcher_that_repeats_itself_doubles_nothing },
    { "a-killed-sweep-continues", test_a_killed_sweep_continues },
    { "ctrl-c-gives-cells-back", test_ctrl_c_gives_cells_back },
    { "a-cell-that-is-ended-with-its-worker-has-not-failed",
      test_a_cell_that_is_ended_with_its_worker_has_not_failed },
    { "a-cell-that-is-ended-alone-has-failed", test_a_cell_that_is_ended_alone_has_failed },
    { "parts-of-a-sweep-are-done-at-once", test_parts_of_a_sweep_are_done_at_once },
    { "lines-are-read-before-they-are-copied", test_lines_are_read_before_they_are_copied },
    { "a-report-has-tables-and-pairs", test_a_report_has_tables_and_pairs },
    { "noise-between-processes-is-not-faster", test_noise_between_processes_is_not_faster },
    { "a-report-has-curves-over-numbers", test_a_report_has_curves_over_numbers },
    { "a-table-has-a-line-for-every-cell", test_a_table_has_a_line_for_every_cell },
    { "cells-that-disturb-each-other-are-told", test_cells_that_disturb_each_other_are_told },
    { "files-of-no-cell-are-left-out", test_files_of_no_cell_are_left_out },
    { "a-database-has-a-row-for-every-cell", test_a_database_has_a_row_for_every_cell },
    { "a-database-replaces-its-file-alone", test_a_database_replaces_its_file_alone },
    { "a-table-of-long-names-is-refused", test_a_table_of_long_names_is_refused },
    { "reports-that-make-no-sense-are-refused", test_reports_that_make_no_sense_are_refused },
    { "slurm-does-the-cells", test_slurm_does_the_cells },
    { "a-job-of-slurm-is-found-again-and-cancelled",
      test_a_job_of_slurm_is_found_again_and_cancelled },
    { "a-job-of-slurm-that-ends-early-leaves-cells",
      test_a_job_of_slurm_that_ends_early_leaves_cells },
    { "a-missing-slurm-is-a-sentence", test_a_missing_slurm_is_a_sentence },
  };

  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, TRUE);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strconcat ("/sweep/", tests[i].name, NULL);

      g_test_add (path, Fixture, NULL, fixture_set_up, tests[i].run, fixture_tear_down);
    }
  return g_test_run ();
}
