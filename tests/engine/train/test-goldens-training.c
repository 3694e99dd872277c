/* test-goldens-training.c — repeats training runs of MXNet: the loss of every step and the final
 * parameters.  HYB_TEST_DEVICE=gpu trains on a GPU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/open/open.h"
#include "engine/train/trainer.h"
#include "tests/engine/goldens/golden.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

typedef struct
{
  char  *folder;
  cJSON *description;
} Case;

static const char *
text_of (const Case *c, const char *key)
{
  const cJSON *item = cJSON_GetObjectItem (c->description, key);

  return cJSON_IsString (item) ? item->valuestring : NULL;
}

static double
number_of (const Case *c, const char *key, double fallback)
{
  const cJSON *item = cJSON_GetObjectItem (c->description, key);

  return cJSON_IsNumber (item) ? item->valuedouble : fallback;
}

static char *
file_of (const Case *c, const char *name)
{
  g_autofree char *full =
      g_str_has_prefix (name, "-") ? g_strconcat (c->folder, name, NULL) : g_strdup (name);

  return golden_path ("training", c->folder, full, NULL);
}

/* "learning_rate", "0.1", … in the order of the file. */
static char **
settings_of (const Case *c)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  const cJSON *rescale = cJSON_GetObjectItem (c->description, "rescale_grad");
  const cJSON *option;

  cJSON_ArrayForEach (option, cJSON_GetObjectItem (c->description, "options"))
  {
    g_autofree char *text = cJSON_IsBool (option) ? g_strdup (cJSON_IsTrue (option) ? "1" : "0")
                            : cJSON_IsString (option)
                                ? g_strdup (option->valuestring)
                                : g_strdup_printf ("%.17g", option->valuedouble);

    g_strv_builder_add (builder, option->string);
    g_strv_builder_add (builder, text);
  }
  if (cJSON_IsNumber (rescale))
    {
      g_autofree char *text = g_strdup_printf ("%.17g", rescale->valuedouble);

      g_strv_builder_add (builder, "rescale_grad");
      g_strv_builder_add (builder, text);
    }
  return g_strv_builder_end (builder);
}

static GArray *
carry_of (const Case *c)
{
  GArray      *carry = g_array_new (FALSE, FALSE, sizeof (HybCarry));
  const cJSON *state;

  cJSON_ArrayForEach (state, cJSON_GetObjectItem (c->description, "carried_states"))
  {
    HybCarry one = { state->string, (guint) cJSON_GetObjectItem (state, "from_output")->valueint };

    g_array_append_val (carry, one);
  }
  return carry;
}

static const char *
loss_of (const Case *c)
{
  if (text_of (c, "api"))
    return "none";
  return g_str_has_prefix (text_of (c, "loss"), "l2") ? "l2" : "softmax-cross-entropy";
}

static HybTrainer *
make_trainer (const Case *c, HybModel *model)
{
  g_auto (GStrv) settings = settings_of (c);
  g_autoptr (GArray) carry = carry_of (c);
  g_autoptr (GPtrArray) data = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  const cJSON *name;
  HybTrainer  *trainer;

  cJSON_ArrayForEach (name, cJSON_GetObjectItem (c->description, "inputs"))
      g_ptr_array_add (data, name->valuestring);
  g_ptr_array_add (data, NULL);
  trainer = hyb_trainer_new (model,
                             &(HybTrainerOptions){
                                 .loss = loss_of (c),
                                 .optimizer = text_of (c, "optimizer"),
                                 .settings = (const char *const *) settings,
                                 .clip_global_norm = number_of (c, "clip_global_norm", 0),
                                 .n_carry = carry->len,
                                 .carry = (const HybCarry *) (gconstpointer) carry->data,
                                 .data = (const char *const *) data->pdata,
                                 .gpu = golden_get_device (),
                             },
                             &error);
  g_assert_no_error (error);
  cJSON_ArrayForEach (name, cJSON_GetObjectItem (c->description, "wd_exempt"))
      hyb_trainer_set_multipliers (trainer, name->valuestring, 1, 0);
  return trainer;
}

/* The batch of a step: that row of every array. */
static GHashTable *
batch_at (GHashTable *batches, gint64 step)
{
  GHashTable    *batch = golden_tensors_new ();
  GHashTableIter iter;
  gpointer       name, tensor;

  g_hash_table_iter_init (&iter, batches);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    {
      HybType type = *hyb_tensor_get_type (tensor);

      type.shape.rank--;
      memmove (type.shape.dim, type.shape.dim + 1, sizeof (gint64) * (gsize) type.shape.rank);
      g_hash_table_insert (batch, g_strdup (name),
                           hyb_tensor_new_view (tensor, &type,
                                                (gsize) step * hyb_type_bytes (&type)));
    }
  return batch;
}

static void
check_losses (const Case *c, HybTrainer *trainer)
{
  g_autofree char *batches_path = file_of (c, "batches.npz");
  g_autofree char *losses_path = file_of (c, "losses.npz");
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) batches = golden_read_npz (batches_path, &error);
  g_autoptr (GHashTable) losses = golden_read_npz (losses_path, &error);
  double rtol = number_of (c, "rtol", 0), atol = number_of (c, "atol", 0);

  g_assert_no_error (error);
  for (gint64 step = 0; step < (gint64) number_of (c, "steps", 0); step++)
    {
      g_autoptr (GHashTable) batch = batch_at (batches, step);
      double       want = hyb_tensor_get_value (g_hash_table_lookup (losses, "loss"), step);
      HybTrainStep result;

      hyb_trainer_step (trainer, batch, &result, NULL, &error);
      g_assert_no_error (error);
      if (!(fabs (result.loss - want) <= atol + rtol * fabs (want)))
        {
          g_test_message ("step %d: loss %g for %g", (int) step, result.loss, want);
          g_test_fail ();
          return;
        }
    }
}

static void
check_parameters (const Case *c, HybModel *model)
{
  g_autofree char *symbol = file_of (c, "-symbol.json");
  g_autofree char *path = file_of (c, "final.params");
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) final = hyb_model_open (symbol, path, HYB_EPOCH_HIGHEST, &error);
  GoldenTolerance tolerance = { .rtol = number_of (c, "rtol", 0),
                                .atol = number_of (c, "atol", 0) };

  g_assert_no_error (error);
  g_assert_cmpuint (hyb_model_n_parameters (final), >, 0);
  for (guint i = 0; i < hyb_model_n_parameters (final); i++)
    {
      const char      *name = hyb_model_get_parameter_name (final, i);
      HybTensor       *got = hyb_model_get_parameter (model, name);
      g_autofree char *wrong = NULL;

      g_assert_nonnull (got);
      wrong = golden_compare (got, hyb_model_get_parameter (final, name), &tolerance);
      if (wrong)
        {
          g_test_message ("%s: %s", name, wrong);
          g_test_fail ();
        }
    }
}

static void
run_case (gconstpointer data)
{
  const Case      *c = data;
  g_autofree char *symbol = file_of (c, "-symbol.json");
  g_autofree char *params = file_of (c, "-0000.params");
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = hyb_model_open (symbol, params, HYB_EPOCH_HIGHEST, &error);
  g_autoptr (HybTrainer) trainer = NULL;

  g_assert_no_error (error);
  trainer = make_trainer (c, model);
  check_losses (c, trainer);
  hyb_trainer_read_back (trainer, &error);
  g_assert_no_error (error);
  check_parameters (c, model);
}

static void
case_free (gpointer data)
{
  Case *c = data;

  cJSON_Delete (c->description);
  g_free (c->folder);
  g_free (c);
}

static void
no_goldens (void)
{
  g_test_skip ("there are no training goldens here");
}

TEST_PROGRAM (test_goldens_training)
{
  g_auto (GStrv) folders = golden_list ("training", NULL);
  g_autoptr (GPtrArray) cases = g_ptr_array_new_with_free_func (case_free);

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; folders && folders[i]; i++)
    {
      Case            *c = g_new0 (Case, 1);
      g_autofree char *path = g_strconcat ("/engine/train/goldens/", folders[i], NULL);
      g_autofree char *json = golden_path ("training", folders[i], "case.json", NULL);

      c->folder = g_strdup (folders[i]);
      c->description = golden_read_json (json, NULL);
      g_ptr_array_add (cases, c);
      if (c->description)
        g_test_add_data_func (path, c, run_case);
    }
  if (!folders || !folders[0])
    g_test_add_func ("/engine/train/goldens/none", no_goldens);
  return g_test_run ();
}
