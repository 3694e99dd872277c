/* test-unchanging.c — recordings say what is computed again in every run though parameters do not change.
 *
 * The model is a product whose weights are the tanh of the exp of a parameter.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/unchanging.h"

#include "engine/graph/builder.h"
#include "profiler/explain/advise.h"
#include "tests/profiler/profile-run.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define UNITS 256

static HybValueId
call (HybBuilder *builder, const char *op, const HybNodeSpec *spec)
{
  g_autoptr (GError) error = NULL;
  HybValueId value = hyb_builder_call (builder, op, spec, &error);

  g_assert_no_error (error);
  return value;
}

/* weight: the name of the variable; one with another ending is no parameter.  (transfer full) */
static HybGraph *
make_graph (const char *weight)
{
  static const char *const attributes[] = { "num_hidden", "256", "no_bias", "True", NULL };
  HybBuilder              *builder = hyb_builder_new ();
  HybValueId               inputs[2];

  inputs[0] = hyb_builder_add_variable (builder, "data", NULL);
  inputs[1] = hyb_builder_add_variable (builder, weight, NULL);
  inputs[1] =
      call (builder, "exp", &(HybNodeSpec){ .name = "first", .n_inputs = 1, .inputs = &inputs[1] });
  inputs[1] = call (builder, "tanh",
                    &(HybNodeSpec){ .name = "second", .n_inputs = 1, .inputs = &inputs[1] });
  hyb_builder_add_head (builder, call (builder, "FullyConnected",
                                       &(HybNodeSpec){ .name = "product",
                                                       .attributes = attributes,
                                                       .n_inputs = 2,
                                                       .inputs = inputs }));
  return hyb_builder_freeze (builder);
}

static HybTensor *
make_tensor (gint64 rows)
{
  HybType    type = { hyb_shape_2d (rows, UNITS), HYB_F32 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);
  float     *values = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    values[i] = sinf ((float) i);
  return tensor;
}

static ProfSubject *
make_subject (const char *weight, const ProfSubjectOptions *options)
{
  g_autoptr (HybGraph) graph = make_graph (weight);
  g_autoptr (HybTensor) data = make_tensor (1), weights = make_tensor (UNITS);
  g_autoptr (GError) error = NULL;
  ProfSubject *subject =
      prof_subject_new (graph, (HybTensor *const[]){ data, weights }, options, &error);

  g_assert_no_error (error);
  return subject;
}

/* Nodes that ran, did the same as before, and are marked. */
static guint
count_marked (const ProfCapture *capture)
{
  guint n = 0;

  for (guint32 i = 0; i < prof_capture_n_nodes (capture); i++)
    {
      guint flags = prof_capture_get_node (capture, i)->flags;

      n += (flags & PROF_NODE_UNCHANGING) != 0 && (flags & PROF_NODE_EXECUTED) != 0;
    }
  return n;
}

static void
assert_no_advice (const ProfCapture *capture)
{
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);
  g_autoptr (GPtrArray) list = prof_advise (capture, summary);

  for (guint i = 0; i < list->len; i++)
    g_assert_cmpstr (((const ProfAdvice *) list->pdata[i])->rule, !=, "same-every-run");
}

static void
check_advice (const ProfCapture *capture)
{
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);
  g_autoptr (GPtrArray) list = prof_advise (capture, summary);
  const ProfAdvice *advice = NULL;

  for (guint i = 0; i < list->len; i++)
    if (strcmp (((const ProfAdvice *) list->pdata[i])->rule, "same-every-run") == 0)
      advice = list->pdata[i];
  g_assert_nonnull (advice);
  g_test_message ("%s. %s", advice->trigger, advice->text);
  g_assert_nonnull (strstr (advice->trigger, "depend on parameters alone"));
  g_assert_nonnull (strstr (advice->text, "--fold-parameters"));
  g_assert_nonnull (strstr (advice->text, "up to 256 KiB"));
  g_assert_cmpfloat (advice->gain, >, 0.03 * summary->traced);
  g_assert_cmpfloat (advice->low, <=, advice->gain);
  g_assert_cmpfloat (advice->high, >=, advice->gain);
}

static void
test_what_each_run_repeats_is_said (void)
{
  static const char *const one_by_one[] = { "fuse-elementwise", NULL };

  for (guint i = 0; i < 2; i++)
    {
      ProfSubjectOptions options = { .mode = HYB_MODE_STATIC,
                                     .without = i > 0 ? one_by_one : NULL };
      g_autoptr (ProfSubject) subject = make_subject ("net_weight", &options);
      g_autoptr (ProfCapture) capture = test_subject_capture (subject, 8);

      g_assert_cmpuint (count_marked (capture), >, 0);
      g_assert_cmpfloat (prof_capture_get_number (capture, PROF_FOLDABLE_BYTES_KEY), ==,
                         sizeof (float) * UNITS * UNITS);
      g_assert_null (prof_capture_get_text (capture, PROF_FOLDED_KEY));
      check_advice (capture);
    }
}

static void
test_folded_plans_say_so (void)
{
  ProfSubjectOptions options = { .mode = HYB_MODE_STATIC, .fold_parameters = TRUE };
  ProfSubjectOptions as_usual = { .mode = HYB_MODE_STATIC };
  g_autoptr (ProfSubject) subject = make_subject ("net_weight", &options);
  g_autoptr (ProfSubject) usual = make_subject ("net_weight", &as_usual);
  g_autoptr (ProfCapture) capture = test_subject_capture (subject, 8);

  g_assert_true (prof_subject_run (subject, NULL, NULL) && prof_subject_run (usual, NULL, NULL));
  g_assert_cmpmem (hyb_tensor_get_data (prof_subject_get_output (subject, 0)),
                   sizeof (float) * UNITS, hyb_tensor_get_data (prof_subject_get_output (usual, 0)),
                   sizeof (float) * UNITS);

  g_assert_cmpuint (count_marked (capture), ==, 0);
  g_assert_cmpstr (prof_capture_get_text (capture, PROF_FOLDED_KEY), ==, PROF_FOLDED_VALUE);
  g_assert_cmpfloat (prof_capture_get_number (capture, PROF_FOLDED_BYTES_KEY), ==,
                     sizeof (float) * UNITS * UNITS);
  g_assert_true (isnan (prof_capture_get_number (capture, PROF_FOLDABLE_BYTES_KEY)));
  assert_no_advice (capture);
}

static void
test_nothing_is_said_where_nothing_can_be_folded (void)
{
  static const char *const no_fold[] = { "keep-panels", NULL };
  static const struct
  {
    const char        *weight;
    ProfSubjectOptions options;
  } cases[] = {
    { "net_data", { .mode = HYB_MODE_STATIC } }, /* an input */
    { "net_weight", { .mode = HYB_MODE_IMPERATIVE } },
    { "net_weight", { .mode = HYB_MODE_IMPERATIVE, .fold_parameters = TRUE } },
    { "net_weight", { .mode = HYB_MODE_STATIC, .training = TRUE } },
    { "net_weight", { .mode = HYB_MODE_STATIC, .training = TRUE, .backward = TRUE } },
    { "net_weight", { .mode = HYB_MODE_STATIC, .without = no_fold } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ProfSubject) subject = make_subject (cases[i].weight, &cases[i].options);
      g_autoptr (ProfCapture) capture = test_subject_capture (subject, 8);

      g_assert_cmpint (prof_subject_may_fold (subject), ==, i == 0);
      g_assert_cmpuint (count_marked (capture), ==, 0);
      g_assert_null (prof_capture_get_text (capture, PROF_FOLDED_KEY));
      assert_no_advice (capture);
    }
}

TEST_PROGRAM (test_unchanging)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/profiler/unchanging/what-each-run-repeats-is-said",
                   test_what_each_run_repeats_is_said);
  g_test_add_func ("/profiler/unchanging/folded-plans-say-so", test_folded_plans_say_so);
  g_test_add_func ("/profiler/unchanging/nothing-is-said-where-nothing-can-be-folded",
                   test_nothing_is_said_where_nothing_can_be_folded);
  return g_test_run ();
}
