/* test-findings.c — tests of what the doctor says about ONNX files: places are those of the file, and sentences do not
 * speak of files and commands of MXNet.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnose.h"
#include "tests/engine/onnx/nodes.h"
#include "tests/program.h"

#include <string.h>

static const HybFinding *
find_code (HybModel *model, const char *code)
{
  GPtrArray *findings = hyb_model_get_findings (model);

  for (guint i = 0; i < findings->len; i++)
    if (strcmp (((const HybFinding *) findings->pdata[i])->code, code) == 0)
      return findings->pdata[i];
  return NULL;
}

static HybModel *
diagnose (const char *lines, gint64 opset)
{
  HybModel           *model = nodes_model (lines, opset);
  g_autofree HybType *types = hyb_diagnose_new_types (hyb_model_get_graph (model));

  hyb_diagnose (model, types);
  return model;
}

/* A file for each finding. */
static const struct
{
  const char *code, *lines;
  gint64      opset;
} faults[] = {
  { "bad-edge", "x: float[1]\ny = Relu nowhere\n-> y", 13 },
  { "bad-head", "x: float[1]\ny = Relu x\n-> z", 13 },
  { "bad-node", "x: float[1]\ny = Add x\n-> y", 13 },
  { "bad-attribute", "x: float[1]\ny = Elu x | alpha=2\n-> y", 13 },
  { "custom-domain", "x: float[1]\ny = mine::Op x\n-> y", 13 },
  { "custom-domain", "x: float[1]\ny = com.microsoft::Op x\n-> y", 13 },
  { "custom-domain", "x: float[1]\ny = ai.onnx.contrib::Op x\n-> y", 13 },
  { "cycle", "x: float[1]\ny = Add h, x\nh = Neg y\n-> y", 13 },
  { "dead-node", "x: float[1]\nz = Neg x\ny = Relu x\n-> y", 13 },
  { "duplicate-value", "x: float[1]\ny = Relu x\ny = Neg x\n-> y", 13 },
  { "frozen-dimension", "x: float[n,3]\nw = float[1,3] 1 1 1\ny = Concat x, w | axis=1\n-> y", 13 },
  { "function-missing", "x: float[1]\ny = pkg.mine::Op x\n-> y", 13 },
  { "not-computed", "x: float[1]\ny = ImageDecoder x\n-> y", 20 },
  { "not-finite", "w = float[1] nan\ny = Relu w\n-> y", 13 },
  { "not-topological", "x: float[1]\ny = Add h, x\nh = Neg x\n-> y", 13 },
  { "opset-stamp", "x: float[1]\ny = Gelu x\n-> y", 13 },
  { "opset-stamp", "x: float[2,2]\nw = float[2] 1 1\ny = LayerNormalization x, w\n-> y", 12 },
  { "shape-conflict", "x: float[2]\nw = float[3] 1 1 1\ny = Add x, w\n-> y", 13 },
  { "unknown-attribute", "x: float[1]\ny = Relu x | alpha=2.0\n-> y", 13 },
  { "unknown-operator", "x: float[1]\ny = Rellu x\n-> y", 13 },
  { "unknown-opset", "x: float[1]\ny = Relu x\n-> y", 29 },
  { "wrong-dtype", "x: int64[1]\ny = Sigmoid x\n-> y", 13 },
};

static void
assert_speaks_of_onnx (const char *text)
{
  static const char *const foreign[] = { "MXNet", "mx.", "Gluon", ".params", "symbol", "pair" };

  for (guint i = 0; text && i < G_N_ELEMENTS (foreign); i++)
    if (strstr (text, foreign[i]))
      g_error ("“%s” speaks of %s", text, foreign[i]);
}

static void
test_no_finding_speaks_of_other_formats (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autoptr (HybModel) model = diagnose (faults[i].lines, faults[i].opset);
      GPtrArray *findings = hyb_model_get_findings (model);

      g_test_message ("%s: %s", faults[i].code, faults[i].lines);
      g_assert_nonnull (find_code (model, faults[i].code));
      for (guint f = 0; f < findings->len; f++)
        {
          const HybFinding *finding = findings->pdata[f];

          assert_speaks_of_onnx (finding->message);
          assert_speaks_of_onnx (finding->hint);
          g_assert_cmpint (finding->remedy, !=, HYB_REMEDY_REPAIR);
          g_assert_true (!finding->path || g_str_has_prefix (finding->path, "graph") ||
                         g_str_has_prefix (finding->path, "opset"));
        }
    }
}

/* The complement of an error function is no misspelt error function. */
static void
test_names_that_are_near_are_not_taken_for_the_same (void)
{
  g_autoptr (HybModel) model = diagnose ("x: float[1]\ny = Erfc x\n-> y", 13);
  const HybFinding *finding = find_code (model, "unknown-operator");

  g_assert_nonnull (strstr (finding->hint, "“Erf”, which need not compute the same"));
  g_assert_null (strstr (finding->hint, "Did you mean"));
}

/* ONNX Runtime's optimiser writes LayerNormalization into files of any version; operator set 18 of GroupNormalization was
 * withdrawn. */
static void
test_what_the_runtime_has_in_more_versions_is_no_error (void)
{
  static const char layer[] = "x: float[2,2]\nw = float[2] 1 1\ny = LayerNormalization x, w\n-> y";
  static const char group[] = "x: float[1,4,2]\nw = float[2] 1 1\n"
                              "y = GroupNormalization x, w, w | num_groups=2\n-> y";
  g_autoptr (HybModel) first = diagnose (layer, 12);
  g_autoptr (HybModel) second = diagnose (group, 18);

  g_assert_cmpint (find_code (first, "opset-stamp")->severity, ==, HYB_SEVERITY_WARNING);
  g_assert_nonnull (strstr (find_code (first, "opset-stamp")->message, "version 17 has"));
  g_assert_cmpint (find_code (second, "opset-stamp")->severity, ==, HYB_SEVERITY_WARNING);
  g_assert_nonnull (strstr (find_code (second, "opset-stamp")->message, "version 21 has"));
}

/* The name of a missing value says which operator the exporter did not know. */
static void
test_what_an_exporter_left_out_is_named (void)
{
  g_autoptr (HybModel) named = diagnose ("x: float[1]\ny = Relu p2o.pd_op.rnn.0.2_0\n-> y", 13);
  g_autoptr (HybModel) cut = diagnose ("x: float[1]\ny = Relu p2o.pd_op.\n-> y", 13);

  g_assert_nonnull (strstr (find_code (named, "bad-edge")->hint, "operator “rnn”"));
  g_assert_null (strstr (find_code (cut, "bad-edge")->hint, "Paddle"));
}

/* Names of dimensions that differ only beyond what is shown of them. */
static void
test_long_names_of_dimensions_stay_apart (void)
{
  g_autofree char *name = g_strnfill (70, 'n');
  g_autofree char *lines =
      g_strdup_printf ("x: float[2,%sa]\nw: float[2,%sb]\ny = Sub x, w\n-> y", name, name);
  g_autoptr (HybModel) model = diagnose (lines, 13);
  HybGraph   *graph = hyb_model_get_graph (model);
  const char *shapes[2];

  for (guint i = 0; i < 2; i++)
    {
      const HybNode *node =
          hyb_graph_get_node (graph, hyb_graph_find_variable (graph, i == 0 ? "x" : "w"));

      shapes[i] = hyb_attributes_get (node->attributes, "__shape__");
    }
  g_assert_cmpstr (shapes[0], !=, shapes[1]);
}

/* A buffer of earlier keys and values is not the same as earlier ones that new ones follow. */
static void
test_attention_into_a_buffer_is_refused (void)
{
  g_autoptr (HybModel) model =
      diagnose ("q: float[1,1,4]\np: float[1,2,3,2]\nn: int32[1]\n"
                "y, k, v = com.microsoft::MultiHeadAttention q, q, q, _, _, _, p, p, n "
                "| num_heads=2\n-> y",
                20);

  g_assert_nonnull (strstr (find_code (model, "not-computed")->message, "buffer"));
}

TEST_PROGRAM (test_findings)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/onnx/findings/names-that-are-near-are-not-taken-for-the-same",
                   test_names_that_are_near_are_not_taken_for_the_same);
  g_test_add_func ("/engine/onnx/findings/no-finding-speaks-of-other-formats",
                   test_no_finding_speaks_of_other_formats);
  g_test_add_func ("/engine/onnx/findings/what-the-runtime-has-in-more-versions-is-no-error",
                   test_what_the_runtime_has_in_more_versions_is_no_error);
  g_test_add_func ("/engine/onnx/findings/what-an-exporter-left-out-is-named",
                   test_what_an_exporter_left_out_is_named);
  g_test_add_func ("/engine/onnx/findings/long-names-of-dimensions-stay-apart",
                   test_long_names_of_dimensions_stay_apart);
  g_test_add_func ("/engine/onnx/findings/attention-into-a-buffer-is-refused",
                   test_attention_into_a_buffer_is_refused);
  return g_test_run ();
}
