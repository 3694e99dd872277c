/* test-public-exports.c — twenty public exports without any option: profile, compare and convert guess what is open.
 *
 * The files are those of $HYB_SHARED or ../shared; docs/exports.md explains each guess.  Options only shorten the
 * measurements.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hscope-fixture.h"

#include <string.h>

#define SHORT "--repeat 1 --time-limit 1 --json"
#define NONE  "no recurrent cell, loop or fused operator was found"

typedef struct
{
  const char *file;
  const char *guess;    /* "data 1,3,224,224; label 1"; "": nothing is open */
  const char *to;       /* the form that it is converted to */
  const char *refusal;  /* why it cannot be converted; NULL: it is */
  const char *not_run;  /* why it cannot be run; NULL: it is */
  gboolean    is_heavy; /* takes minutes: only with -m slow */
} Export;

static const Export exports[] = {
  { "apache-mxnet/save_000800.json", "data 1,784", "fused", NONE, NULL, FALSE },
  { "apache-mxnet/test-symbol.json.ref", "data 1,784", "fused", NONE, NULL, FALSE },
  { "apache-mxnet/test_mkldnn_test_mkldnn_model_model1.json",
    "data 1,3,224,224",
    "fused",
    NONE,
    NULL,
    TRUE },
  { "apache-mxnet/test_dnnl_test_dnnl_model_model1.json",
    "data 1,3,224,224",
    "fused",
    NONE,
    NULL,
    TRUE },
  { "crfasrnn/net-symbol.json",
    "data0 1,256; data1 1,800; data2 1,16",
    "fused",
    NONE,
    NULL,
    FALSE },
  { "crfasrnn/ad39c2-net-symbol.json", "", "fused", NONE, "no value for “data0”", FALSE },
  { "djl/inceptionv3_ucf101-symbol.json", "data 1,3,299,299", "fused", NONE, NULL, TRUE },
  { "djl/mask_rcnn_resnet18_v1b_coco-symbol.json", "data 1,3,224,224", "fused", NONE, NULL, TRUE },
  { "djl/mlp-symbol.json", "data 1,784", "fused", NONE, NULL, FALSE },
  { "djl/resnet18_v1-symbol.json", "data 1,3,224,224", "fused", NONE, NULL, FALSE },
  { "djl/resnet50_v1-symbol.json", "data 1,3,32,32", "fused", NONE, NULL, FALSE },
  { "djl/simple_pose_resnet18_v1b-symbol.json", "data 1,3,224,224", "fused", NONE, NULL, FALSE },
  { "djl/squeezenet1.0-symbol.json", "data 1,3,224,224", "fused", NONE, NULL, FALSE },
  { "djl/ssd_512_resnet50_v1-symbol.json", "data 1,3,512,512", "fused", NONE, NULL, TRUE },
  { "djl/vgg16_ucf101-symbol.json", "data 1,3,224,224", "fused", NONE, NULL, TRUE },
  { "gluon-cv/mobilenet1.0_int8-symbol.json", "data 1,3,224,224", "float", NULL, NULL, FALSE },
  { "gluon-cv/resnet50_v1_int8-symbol.json", "data 1,3,224,224", "float", NULL, NULL, TRUE },
  { "gluon-cv/ssd_300_vgg16_atrous_voc_int8-symbol.json",
    "data 1,3,300,300",
    "float",
    NULL,
    NULL,
    TRUE },
  { "improved-parabank/symbol.json", "", "fused", NONE, "there is no operator Custom", FALSE },
  { "multi-model-server/lstm_ptb-symbol.json",
    "data 35,1; softmax_label 1,35",
    "unrolled",
    NULL,
    NULL,
    FALSE },
};

/* (transfer full) */
static char *
path_of (const Export *export)
{
  const char *shared = g_getenv ("HYB_SHARED");

  return shared ? g_build_filename (shared, "models", export->file, NULL)
                : g_build_filename (SOURCE_ROOT, "..", "shared", "models", export->file, NULL);
}

/* "data 1,3,224,224; label 1" of the document.  (transfer full) */
static char *
print_guesses (const cJSON *json)
{
  GString     *text = g_string_new (NULL);
  const cJSON *guess, *dim;

  cJSON_ArrayForEach (guess, cJSON_GetObjectItem (json, "guessed"))
  {
    const char *separator = " ";

    g_string_append_printf (text,
                            "%s%s",
                            text->len > 0 ? "; " : "",
                            cJSON_GetObjectItem (guess, "name")->valuestring);
    g_assert_true (cJSON_IsString (cJSON_GetObjectItem (guess, "reason")));
    cJSON_ArrayForEach (dim, cJSON_GetObjectItem (guess, "shape"))
    {
      g_string_append_printf (text, "%s%d", separator, dim->valueint);
      separator = ",";
    }
  }
  return g_string_free (text, FALSE);
}

static void
run (Fixture *fixture, const char *command, const char *file, const char *options)
{
  g_autofree char *line = g_strdup_printf ("hscope %s '%s' %s", command, file, options);

  fixture_run_line (fixture, line);
}

static void
check_run (Fixture *fixture, const Export *export, const char *file)
{
  static const char *const lines[][2] = {
    { "profile", "--warmup 0 --traced 1 " SHORT },
    { "compare", "--no-ladder " SHORT },
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr (cJSON) json = NULL;
      g_autofree char *guessed = NULL;

      run (fixture, lines[i][0], file, lines[i][1]);
      g_assert_cmpint (fixture->code, ==, export->not_run ? 4 : 0);
      json = parse_output (fixture);
      if (export->not_run)
        {
          g_assert_nonnull (strstr (fixture->out, export->not_run));
          continue;
        }
      guessed = print_guesses (json);
      if (i == 0)
        g_assert_cmpstr (guessed, ==, export->guess);
      else
        g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (json, "cells")), ==, 1);
    }
}

static void
test_export (Fixture *fixture, gconstpointer data)
{
  const Export *export = data;
  g_autofree char *file = path_of (export);
  g_autofree char *options = g_strdup_printf ("--to %s --output converted", export->to);

  if (!g_file_test (file, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("there is no folder of models (HYB_SHARED)");
      return;
    }
  run (fixture, "convert", file, options);
  g_assert_cmpint (fixture->code, ==, export->refusal ? 4 : 0);
  if (export->refusal)
    g_assert_nonnull (strstr (fixture->err, export->refusal));
  else
    g_assert_nonnull (strstr (fixture->out, "wrote converted-symbol.json"));
  if (export->is_heavy && !g_test_slow ())
    return;
  check_run (fixture, export, file);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (exports); i++)
    {
      g_autofree char *path = g_strconcat ("/public-exports/", exports[i].file, NULL);

      g_test_add (path, Fixture, &exports[i], fixture_set_up, test_export, fixture_tear_down);
    }
  return g_test_run ();
}
