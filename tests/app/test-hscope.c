/* test-hscope.c — hscope from outside: output, exit codes and files of the commands.
 *
 * Each test runs the program in a temporary folder with a small model.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/npz.h"

#include "hscope-fixture.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

static const char symbol[] =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"fc_weight\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"fc_bias\", \"inputs\": []},"
    "{\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"num_hidden\": \"2\"}, "
    "\"inputs\": [[0,0,0],[1,0,0],[2,0,0]]}], \"arg_nodes\": [0,1,2], \"heads\": [[3,0,0]], "
    "\"attrs\": {\"mxnet_version\": [\"int\", 10901]}}";

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (HybTensor) data =
      hyb_tensor_new_float (2, (gint64[]){ 2, 3 }, (float[]){ 1, 2, 3, 4, 5, 6 });
  g_autoptr (HybTensor) weight =
      hyb_tensor_new_float (2, (gint64[]){ 2, 3 }, (float[]){ 1, 0, 0, 0, 1, 1 });
  g_autoptr (HybTensor) bias = hyb_tensor_new_float (1, (gint64[]){ 2 }, (float[]){ 10, 20 });

  fixture_set_up (fixture, unused);
  fixture->symbol = in_folder (fixture, "net-symbol.json");
  fixture->input = in_folder (fixture, "in.npz");
  g_file_set_contents (fixture->symbol, symbol, -1, NULL);
  hyb_tensor_list_set (list, "data", data);
  hyb_tensor_list_set (list, "fc_weight", weight);
  hyb_tensor_list_set (list, "fc_bias", bias);
  g_assert_true (hyb_npz_write_file (list, fixture->input, NULL));
}

static void
hscope (Fixture *fixture, const char *first, ...)
{
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  va_list list;

  g_ptr_array_add (arguments, (gpointer) HSCOPE);
  va_start (list, first);
  for (const char *argument = first; argument; argument = va_arg (list, const char *))
    g_ptr_array_add (arguments, (gpointer) argument);
  va_end (list);
  g_ptr_array_add (arguments, NULL);

  fixture_run (fixture, (char **) arguments->pdata);
}

static void
test_help_and_usage (Fixture *fixture, gconstpointer unused)
{
  hscope (fixture, "--help", NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "weights"));
  hscope (fixture, "--version", NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  hscope (fixture, "run", "--help", NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "--backward"));
  hscope (fixture, "fly", NULL);
  g_assert_cmpint (fixture->code, ==, 2);
  hscope (fixture, NULL);
  g_assert_cmpint (fixture->code, ==, 2);
  hscope (fixture, "run", NULL);
  g_assert_cmpint (fixture->code, ==, 2);
  hscope (fixture, "run", fixture->symbol, "--mode", "quick", NULL);
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "hybrid"));
}

static void
test_files_that_cannot_be_read (Fixture *fixture, gconstpointer unused)
{
  hscope (fixture, "info", "/nowhere/net-symbol.json", NULL);
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_nonnull (strstr (fixture->err, "/nowhere"));
  hscope (fixture, "info", fixture->folder, NULL);
  g_assert_cmpint (fixture->code, ==, 3);
  g_file_set_contents (fixture->symbol, "{", -1, NULL);
  hscope (fixture, "info", fixture->symbol, NULL);
  g_assert_cmpint (fixture->code, ==, 3);
  hscope (fixture, "check", fixture->symbol, NULL);
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "truncated"));
}

static void
test_info_knows_shapes (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) json = NULL;
  const cJSON *weight, *output;

  hscope (fixture, "info", fixture->symbol, "--json", "--shape", "data=5,3", NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  weight = cJSON_GetArrayItem (cJSON_GetObjectItem (json, "arguments"), 1);
  g_assert_cmpstr (cJSON_GetObjectItem (weight, "role")->valuestring, ==, "parameter");
  g_assert_cmpint (cJSON_GetArrayItem (cJSON_GetObjectItem (weight, "shape"), 1)->valueint, ==, 3);
  output = cJSON_GetArrayItem (cJSON_GetObjectItem (json, "outputs"), 0);
  g_assert_cmpstr (cJSON_GetObjectItem (output, "name")->valuestring, ==, "fc_output");
  g_assert_cmpint (cJSON_GetArrayItem (cJSON_GetObjectItem (output, "shape"), 0)->valueint, ==, 5);
  g_assert_true (cJSON_IsNumber (cJSON_GetObjectItem (json, "flops")));
}

static void
test_unknown_dimensions_are_null (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) json = NULL;
  const cJSON *shape;

  hscope (fixture, "info", fixture->symbol, "--json", NULL);
  json = parse_output (fixture);
  shape =
      cJSON_GetObjectItem (cJSON_GetArrayItem (cJSON_GetObjectItem (json, "outputs"), 0), "shape");
  g_assert_true (cJSON_IsNull (cJSON_GetArrayItem (shape, 0)));
  g_assert_cmpint (cJSON_GetArrayItem (shape, 1)->valueint, ==, 2);
}

static void
assert_array (Fixture *fixture, const char *file, const char *name, const float *values, guint n)
{
  g_autofree char *path = in_folder (fixture, file);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensorList) list = hyb_npz_read_file (path, &error);
  HybTensor *tensor;

  g_assert_no_error (error);
  tensor = hyb_tensor_list_find (list, name);
  g_assert_nonnull (tensor);
  g_assert_cmpint (hyb_tensor_get_size (tensor), ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat (hyb_tensor_get_value (tensor, i), ==, values[i]);
}

static void
test_run_computes (Fixture *fixture, gconstpointer unused)
{
  static const char *const modes[] = { "imperative", "hybrid", "static" };
  g_autofree char         *output = in_folder (fixture, "out.npz");
  g_autofree char         *gradients = in_folder (fixture, "grad.npz");

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      g_autoptr (cJSON) json = NULL;

      hscope (fixture, "run", fixture->symbol, "--input", fixture->input, "--output", output,
              "--backward", "--gradients", gradients, "--mode", modes[i], "--json", NULL);
      g_assert_cmpint (fixture->code, ==, 0);
      json = parse_output (fixture);
      g_assert_true (cJSON_IsNumber (cJSON_GetObjectItem (json, "seconds")));
      assert_array (fixture, "out.npz", "fc_output", (float[]){ 11, 25, 14, 31 }, 4);
      assert_array (fixture, "grad.npz", "fc_bias", (float[]){ 2, 2 }, 2);
      assert_array (fixture, "grad.npz", "data", (float[]){ 1, 1, 1, 1, 1, 1 }, 6);
    }
}

/* float64 is NumPy's default. */
static void
test_float64_is_cast_where_the_model_needs_float32 (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *params = in_folder (fixture, "net-0000.params");
  g_autofree char *input = in_folder (fixture, "double.npz");
  g_autofree char *output = in_folder (fixture, "out.npz");
  g_autoptr (HybTensorList) all = hyb_npz_read_file (fixture->input, NULL);
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (HybTensor) data = hyb_tensor_convert (hyb_tensor_list_find (all, "data"), HYB_F64);

  hyb_tensor_list_set (list, "data", data);
  g_assert_true (hyb_npz_write_file (list, input, NULL));
  hscope (fixture, "weights", fixture->input, "--to", params, NULL);
  hscope (fixture, "run", fixture->symbol, "--input", input, "--output", output, NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->err, "cast to float32"));
  assert_array (fixture, "out.npz", "fc_output", (float[]){ 11, 25, 14, 31 }, 4);
}

/* The bits of 1, −2 and 0.5; twice of each is one more in the exponent. */
static void
test_bfloat16_is_stored_as_uint16 (Fixture *fixture, gconstpointer unused)
{
  static const guint16 bits[] = { 0x3f80, 0xc000, 0x3f00 };
  HybType              type = { hyb_shape_1d (3), HYB_U16 };
  g_autofree char     *model = g_build_filename (SOURCE_ROOT, "tests/data/onnx/brain.onnx", NULL);
  g_autofree char     *input = in_folder (fixture, "brain.npz");
  g_autofree char     *output = in_folder (fixture, "out.npz");
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (HybTensorList) back = NULL;
  g_autoptr (HybTensor) data = hyb_tensor_new (&type, NULL);
  HybTensor *y;

  memcpy (hyb_tensor_get_data (data), bits, sizeof bits);
  hyb_tensor_list_set (list, "x", data);
  g_assert_true (hyb_npz_write_file (list, input, NULL));
  hscope (fixture, "run", model, "--input", input, "--output", output, NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->err, "stored as uint16"));
  back = hyb_npz_read_file (output, NULL);
  y = hyb_tensor_list_find (back, "y");
  g_assert_cmpint (hyb_tensor_get_dtype (y), ==, HYB_U16);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (((const guint16 *) hyb_tensor_get_data (y))[i], ==, bits[i] + 0x80);
}

static void
test_all_that_is_missing_is_named (Fixture *fixture, gconstpointer unused)
{
  hscope (fixture, "run", fixture->symbol, NULL);
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, "“data”"));
  g_assert_nonnull (strstr (fixture->err, "“fc_weight”"));
  g_assert_nonnull (strstr (fixture->err, "“fc_bias”"));
  hscope (fixture, "run", fixture->symbol, "--init", "xavier", "--no-guess", NULL);
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, "--shape"));
  hscope (fixture, "run", fixture->symbol, "--init", "xavier", NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->err, "guessed"));
  hscope (fixture, "run", fixture->symbol, "--init", "xavier", "--shape", "data=1,3", NULL);
  g_assert_cmpint (fixture->code, ==, 0);
}

/* The array has the shape (2, 3). */
static void
test_a_shape_that_contradicts_the_array_is_refused (Fixture *fixture, gconstpointer unused)
{
  hscope (fixture, "run", fixture->symbol, "--input", fixture->input, "--shape", "data=2,4", NULL);
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "--shape data=2,4"));
  g_assert_nonnull (strstr (fixture->err, "“data”"));
  hscope (fixture, "run", fixture->symbol, "--input", fixture->input, "--shape", "data=6", NULL);
  g_assert_cmpint (fixture->code, ==, 2);
  hscope (fixture, "run", fixture->symbol, "--input", fixture->input, "--shape", "data=?,3", NULL);
  g_assert_cmpint (fixture->code, ==, 0);
}

static void
test_unknown_operators_stop_only_runs (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *other = in_folder (fixture, "other-symbol.json");

  g_file_set_contents (other,
                       "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}, "
                       "{\"op\": \"NoSuch\", \"name\": \"n\", \"inputs\": [[0,0,0]]}], "
                       "\"arg_nodes\": [0], \"heads\": [[1,0,0]]}",
                       -1, NULL);
  hscope (fixture, "info", other, NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  hscope (fixture, "check", other, NULL);
  g_assert_cmpint (fixture->code, ==, 1);
  hscope (fixture, "run", other, "--input", fixture->input, NULL);
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, "NoSuch"));
}

/* swish (x) = x / (1 + exp (−x)) */
static void
test_a_plugin_gives_an_operator (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *custom = in_folder (fixture, "custom-symbol.json");
  g_autofree char *output = in_folder (fixture, "out.npz");
  float            want[6];

  g_file_set_contents (custom,
                       "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}, "
                       "{\"op\": \"Custom\", \"name\": \"y\", \"attrs\": {\"op_type\": \"swish\"}, "
                       "\"inputs\": [[0, 0, 0]]}], \"arg_nodes\": [0], \"heads\": [[1, 0, 0]]}",
                       -1, NULL);
  hscope (fixture, "run", custom, "--input", fixture->input, "--output", output, NULL);
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, "node “y” (Custom)"));
  hscope (fixture, "run", custom, "--plugin", HYB_OPERATOR_MODULES "/swish.so", "--input",
          fixture->input, "--output", output, NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  for (int i = 0; i < 6; i++)
    want[i] = (float) ((i + 1) / (1 + exp (-(i + 1))));
  assert_array (fixture, "out.npz", "y_output", want, 6);
  hscope (fixture, "run", custom, "--plugin", custom, "--input", fixture->input, NULL);
  g_assert_cmpint (fixture->code, ==, 3);
}

/* What follows an operator without code is inferred from the shape that the user gives. */
static void
test_the_output_of_an_unknown_operator_takes_a_shape (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *custom = in_folder (fixture, "custom-symbol.json");

  g_file_set_contents (custom,
                       "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}, "
                       "{\"op\": \"Custom\", \"name\": \"y\", \"attrs\": {\"op_type\": \"mine\"}, "
                       "\"inputs\": [[0, 0, 0]]}, {\"op\": \"transpose\", \"name\": \"z\", "
                       "\"inputs\": [[1, 0, 0]]}], \"arg_nodes\": [0], \"heads\": [[2, 0, 0]]}",
                       -1, NULL);
  hscope (fixture, "info", custom, "--shape", "y_output=2,3", "--json", NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "[3, 2]"));
  hscope (fixture, "info", custom, "--shape", "z_output=2,3", NULL);
  g_assert_cmpint (fixture->code, ==, 2);
}

static void
test_operators_are_listed (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) document = NULL;
  const cJSON *entry;
  gboolean     found = FALSE;

  hscope (fixture, "info", "--operators", "--json", NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  document = parse_output (fixture);
  cJSON_ArrayForEach (entry, cJSON_GetObjectItem (document, "operators"))
  {
    const char *name = cJSON_GetObjectItem (entry, "name")->valuestring;

    g_assert_false (g_str_has_prefix (name, "_backward_"));
    if (g_str_equal (name, "cumsum"))
      {
        found = TRUE;
        g_assert_cmpstr (cJSON_GetArrayItem (cJSON_GetObjectItem (entry, "aliases"), 0)
                             ->valuestring,
                         ==, "_np_cumsum");
      }
  }
  g_assert_true (found);
  g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (document, "missing")), >, 5);
}

static void
test_an_operator_is_described (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) document = NULL;
  const cJSON *axis;

  hscope (fixture, "info", "--operator", "concat", "--json", NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  document = parse_output (fixture);
  g_assert_cmpstr (cJSON_GetObjectItem (document, "name")->valuestring, ==, "Concat");
  axis = cJSON_GetArrayItem (cJSON_GetObjectItem (document, "attributes"), 1);
  g_assert_cmpstr (cJSON_GetObjectItem (axis, "name")->valuestring, ==, "dim");
  g_assert_cmpstr (cJSON_GetObjectItem (axis, "default")->valuestring, ==, "1");
  hscope (fixture, "info", "--operator", "Dropout", NULL);
  g_assert_nonnull (strstr (fixture->out, "p: number, 0 to 1; default 0.5"));
  g_assert_null (strstr (fixture->out, "mask"));
  hscope (fixture, "info", "--operator", "Convolutoin", NULL);
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "did you mean “Convolution”?"));
  hscope (fixture, "info", "--operator", "_npi_unique", NULL);
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "does not exist here"));
}

static void
test_the_subgraphs_of_an_operator_are_named (Fixture *fixture, gconstpointer unused)
{
  static const struct
  {
    const char *name, *line, *list;
  } cases[] = {
    { "_foreach", "subgraphs   body\n", "[\"body\"]" },
    { "_while_loop", "subgraphs   condition, body\n", "[\"condition\",\"body\"]" },
    { "_cond", "subgraphs   predicate, then, else\n", "[\"predicate\",\"then\",\"else\"]" },
    { "Concat", NULL, "[]" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (cJSON) document = NULL;
      g_autofree char *list = NULL;

      hscope (fixture, "info", "--operator", cases[i].name, NULL);
      g_assert_nonnull (strstr (fixture->out, cases[i].line ? cases[i].line : "inputs"));
      g_assert_true (cases[i].line || !strstr (fixture->out, "subgraphs"));
      hscope (fixture, "info", "--operator", cases[i].name, "--json", NULL);
      document = parse_output (fixture);
      list = cJSON_PrintUnformatted (cJSON_GetObjectItem (document, "subgraphs"));
      g_assert_cmpstr (list, ==, cases[i].list);
    }
}

static void
test_weights_convert_both_ways (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *params = in_folder (fixture, "w.params");
  g_autofree char *back = in_folder (fixture, "back.npz");

  hscope (fixture, "weights", fixture->input, "--to", params, NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  hscope (fixture, "weights", params, "--to", back, NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  assert_array (fixture, "back.npz", "fc_bias", (float[]){ 10, 20 }, 2);
  hscope (fixture, "weights", params, fixture->input, NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  hscope (fixture, "weights", fixture->input, "--to", "/nowhere/x.npz", NULL);
  g_assert_cmpint (fixture->code, ==, 3);
}

static void
test_repair_writes_a_pair (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *prefix = in_folder (fixture, "mended");
  g_autofree char *mended = in_folder (fixture, "mended-symbol.json");
  g_autofree char *params = in_folder (fixture, "net-0000.params");
  g_autoptr (HybTensorList) list = hyb_npz_read_file (fixture->input, NULL);

  hscope (fixture, "weights", fixture->input, "--to", params, NULL);
  hscope (fixture, "check", fixture->symbol, "--repair", prefix, NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  hscope (fixture, "check", mended, "--json", NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_null (strstr (fixture->out, "unused-parameter"));
}

static void
test_numbers_ignore_the_locale (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) json = NULL;

  g_setenv ("LC_ALL", "de_DE.UTF-8", TRUE);
  hscope (fixture, "weights", fixture->input, "--json", NULL);
  g_unsetenv ("LC_ALL");
  json = parse_output (fixture);
  g_assert_nonnull (strstr (fixture->out, "3.5"));
}

#define ADD(path, function) \
  g_test_add ("/app/hscope/" path, Fixture, NULL, set_up, function, fixture_tear_down)

/* A loop that takes the square root of 2.5 - state, where state is the sum of the rows so far: with
 * rows of 1 the root is NaN from step 2 on. */
static const char loop_symbol[] =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"sum\", \"inputs\": []},"
    "{\"op\": \"_foreach\", \"name\": \"loop\", \"attrs\": {\"in_data_locs\": \"[0]\", "
    "\"in_state_locs\": \"[1]\", \"remain_locs\": \"[]\", \"num_args\": \"3\", "
    "\"num_out_data\": \"1\", \"num_outputs\": \"2\"}, \"inputs\": [[0,0,0],[1,0,0]], "
    "\"subgraphs\": [{\"nodes\": [{\"op\": \"null\", \"name\": \"row\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"state\", \"inputs\": []},"
    "{\"op\": \"elemwise_add\", \"name\": \"add\", \"inputs\": [[0,0,0],[1,0,0]]},"
    "{\"op\": \"_rminus_scalar\", \"name\": \"left\", \"attrs\": {\"scalar\": \"2.5\"}, "
    "\"inputs\": [[2,0,0]]},"
    "{\"op\": \"sqrt\", \"name\": \"root\", \"inputs\": [[3,0,0]]}], "
    "\"arg_nodes\": [0,1], \"heads\": [[4,0,0],[2,0,0]]}]}], "
    "\"arg_nodes\": [0,1], \"heads\": [[2,0,0],[2,1,0]], "
    "\"attrs\": {\"mxnet_version\": [\"int\", 10901]}}";

static const cJSON *
find_value (const cJSON *json, const char *node)
{
  const cJSON *value;

  cJSON_ArrayForEach (value, cJSON_GetObjectItem (json, "values"))
  {
    if (strcmp (cJSON_GetObjectItem (value, "node")->valuestring, node) == 0)
      return value;
  }
  return NULL;
}

/* One step of a value of one element. */
static void
assert_step (const cJSON *value, int step, double expected)
{
  const cJSON *entry = cJSON_GetArrayItem (cJSON_GetObjectItem (value, "steps"), step);

  g_assert_cmpint (cJSON_GetArrayItem (cJSON_GetObjectItem (entry, "step"), 0)->valueint, ==, step);
  g_assert_cmpfloat_with_epsilon (cJSON_GetObjectItem (entry, "mean")->valuedouble, expected, 1e-6);
}

static void
test_values_inside_a_loop (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (HybTensor) data =
      hyb_tensor_new_float (2, (gint64[]){ 4, 1 }, (float[]){ 1, 1, 1, 1 });
  g_autoptr (HybTensor) sum = hyb_tensor_new_float (1, (gint64[]){ 1 }, (float[]){ 0 });
  g_autoptr (cJSON) json = NULL;
  const cJSON *value, *last;

  hyb_tensor_list_set (list, "data", data);
  hyb_tensor_list_set (list, "sum", sum);
  g_assert_true (hyb_npz_write_file (list, fixture->input, NULL));
  g_file_set_contents (fixture->symbol, loop_symbol, -1, NULL);
  hscope (fixture, "run", fixture->symbol, "--input", fixture->input, "--values", "--json", NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->err, "node “root” of body “loop”, step 2: the first value"));
  json = parse_output (fixture);
  g_assert_cmpstr (cJSON_GetObjectItem (json, "first_nan")->valuestring, ==, "root");
  g_assert_cmpstr (cJSON_GetObjectItem (json, "first_nan_body")->valuestring, ==, "loop");
  value = find_value (json, "add");
  g_assert_cmpstr (cJSON_GetObjectItem (value, "body")->valuestring, ==, "loop");
  g_assert_cmpint (cJSON_GetObjectItem (value, "runs")->valueint, ==, 4);
  g_assert_cmpfloat (cJSON_GetObjectItem (value, "mean")->valuedouble, ==, 4); /* the last */
  for (int step = 0; step < 4; step++)
    assert_step (value, step, step + 1);
  value = find_value (json, "root");
  last = cJSON_GetArrayItem (cJSON_GetObjectItem (value, "steps"), 3);
  g_assert_cmpint (cJSON_GetObjectItem (last, "nan")->valueint, ==, 1);
  g_assert_null (cJSON_GetObjectItem (find_value (json, "loop"), "steps"));

  hscope (fixture, "run", fixture->symbol, "--input", fixture->input, "--values", NULL);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "loop/root"));
  g_assert_nonnull (strstr (fixture->out, "4 times, 2 NaN"));
}

TEST_PROGRAM (test_hscope)
{
  g_test_init (&argc, &argv, NULL);

  ADD ("help-and-usage", test_help_and_usage);
  ADD ("files-that-cannot-be-read", test_files_that_cannot_be_read);
  ADD ("info-knows-shapes", test_info_knows_shapes);
  ADD ("a-shape-that-contradicts-the-array-is-refused",
       test_a_shape_that_contradicts_the_array_is_refused);
  ADD ("unknown-dimensions-are-null", test_unknown_dimensions_are_null);
  ADD ("run-computes", test_run_computes);
  ADD ("float64-is-cast-where-the-model-needs-float32",
       test_float64_is_cast_where_the_model_needs_float32);
  ADD ("bfloat16-is-stored-as-uint16", test_bfloat16_is_stored_as_uint16);
  ADD ("all-that-is-missing-is-named", test_all_that_is_missing_is_named);
  ADD ("unknown-operators-stop-only-runs", test_unknown_operators_stop_only_runs);
  ADD ("a-plugin-gives-an-operator", test_a_plugin_gives_an_operator);
  ADD ("the-output-of-an-unknown-operator-takes-a-shape",
       test_the_output_of_an_unknown_operator_takes_a_shape);
  ADD ("operators-are-listed", test_operators_are_listed);
  ADD ("an-operator-is-described", test_an_operator_is_described);
  ADD ("the-subgraphs-of-an-operator-are-named", test_the_subgraphs_of_an_operator_are_named);
  ADD ("weights-convert-both-ways", test_weights_convert_both_ways);
  ADD ("repair-writes-a-pair", test_repair_writes_a_pair);
  ADD ("values-inside-a-loop", test_values_inside_a_loop);
  ADD ("numbers-ignore-the-locale", test_numbers_ignore_the_locale);

  return g_test_run ();
}
