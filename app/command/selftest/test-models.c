/* test-models.c — compares models on a GPU with the processor; see test-models.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/selftest/test-models.h"

#include "app/command/frame/inputs.h"
#include "app/command/frame/open-model.h"
#include "engine/base/compare-names.h"

#include "engine/formats/model-files.h"
#include "engine/formats/npz.h"
#include "profiler/record/subject.h"

#include <math.h>
#include <string.h>

#define TOLERANCE  1e-4 /* of the largest number of an array */
#define NEGLIGIBLE 1e-3 /* of the largest number of all arrays */
#define RUNS       5    /* whose bytes must be the same */
#define MANY_RUNS  100  /* in static mode, unless it must be quick */

static const struct
{
  HybMode     mode;
  const char *name;
} modes[SCOPE_MODEL_MODES] = {
  { HYB_MODE_STATIC, "static" },
  { HYB_MODE_HYBRID, "hybrid" },
  { HYB_MODE_IMPERATIVE, "imperative" },
};

static void
row_clear (ScopeModelResult *row)
{
  g_free (row->work);
  g_free (row->failure);
  g_free (row->note);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ScopeModelResult, row_clear)

/* --- Comparing --- */

/* 0 if nothing is a finite number. */
static double
largest_number (const HybTensor *tensor)
{
  double most = 0;

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    {
      double x = fabs (hyb_tensor_get_value (tensor, i));

      most = isfinite (x) ? MAX (most, x) : most;
    }
  return most;
}

/* The largest difference as a part of the largest number, or of least if that is larger; infinite if one is not a
 * number where the other is. */
static double
relative_error (const HybTensor *a, const HybTensor *b, double least)
{
  double difference = 0;

  for (gint64 i = 0; i < hyb_tensor_get_size (a); i++)
    {
      double x = hyb_tensor_get_value (a, i), y = hyb_tensor_get_value (b, i);

      if (x == y || (isnan (x) && isnan (y)))
        continue;
      if (!isfinite (x) || !isfinite (y))
        return INFINITY;
      difference = MAX (difference, fabs (x - y));
    }
  return difference > 0 ? difference / MAX (largest_number (a), least) : 0;
}

/* Numbers below this are rounding errors of the others: the gradient of a bias before a normalisation, which is 0,
 * is made of such numbers alone. */
static double
find_least (ProfSubject *subject)
{
  double most = 0;

  for (guint i = 0; i < prof_subject_n_outputs (subject); i++)
    most = MAX (most, largest_number (prof_subject_get_output (subject, i)));
  return MAX (most * NEGLIGIBLE, 1e-6);
}

static char *
describe_output (const ProfSubject *subject, guint index)
{
  const char *gradient = prof_subject_get_gradient_name (subject, index);

  return gradient ? g_strdup_printf ("the gradient of “%s”", gradient)
                  : g_strdup_printf ("output %u", index);
}

static void
compare_arrays (ProfSubject *wanted, ProfSubject *got, ScopeModelResult *row)
{
  double least = find_least (wanted);

  row->n_arrays = prof_subject_n_outputs (wanted);
  for (guint i = 0; i < row->n_arrays; i++)
    {
      double error = relative_error (prof_subject_get_output (wanted, i),
                                     prof_subject_get_output (got, i), least);

      row->error = MAX (row->error, error);
      if (error > TOLERANCE && !row->failure)
        {
          g_autofree char *name = describe_output (wanted, i);

          row->failure = g_strdup_printf ("%s differs by %.3g of its largest number", name, error);
        }
    }
}

/* Copies of all outputs, for runs that must repeat each other.  (transfer full) */
static GPtrArray *
copy_outputs (ProfSubject *subject)
{
  GPtrArray *copies = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  for (guint i = 0; i < prof_subject_n_outputs (subject); i++)
    g_ptr_array_add (copies, hyb_tensor_copy (prof_subject_get_output (subject, i)));
  return copies;
}

static gboolean
have_same_bytes (const HybTensor *a, const HybTensor *b)
{
  return memcmp (hyb_tensor_get_data ((HybTensor *) a), hyb_tensor_get_data ((HybTensor *) b),
                 hyb_tensor_get_bytes (a)) == 0;
}

/* Compares run number `number` with the first, whose outputs are given.  Other bytes are worth a note; a difference above
 * the tolerance is a failure. */
static void
compare_with_first (ProfSubject *subject, GPtrArray *first, guint number, ScopeModelResult *row)
{
  double least = find_least (subject);

  for (guint i = 0; i < first->len && !row->failure; i++)
    {
      HybTensor *output = prof_subject_get_output (subject, i);
      double     error;

      if (have_same_bytes (output, first->pdata[i]))
        continue;
      error = relative_error (first->pdata[i], output, least);
      if (error > TOLERANCE)
        {
          g_autofree char *name = describe_output (subject, i);

          row->failure = g_strdup_printf ("%s of run %u differs from the first run by %.3g of its "
                                          "largest number",
                                          name, number, error);
        }
      else if (!row->note)
        row->note = g_strdup_printf ("run %u gave other bytes than the first, which differ by %.3g "
                                     "and are tolerated",
                                     number, error);
    }
}

/* --- Running --- */

static ProfSubject *
run_subject (const ScopeModelTest *self,
             const ScopeInputs    *inputs,
             HybGpu               *gpu,
             HybMode               mode,
             GError              **error)
{
  ProfSubjectOptions options = { .mode = mode,
                                 .training = TRUE,
                                 .backward = TRUE,
                                 .seed = (guint64) self->common->seed,
                                 .gpu = gpu };
  g_autoptr (ProfSubject) subject =
      prof_subject_new (inputs->graph, inputs->values, &options, error);

  return subject && prof_subject_run (subject, NULL, error) ? g_steal_pointer (&subject) : NULL;
}

/* Runs again with the same seed: the numbers must be the same, and no memory may be lost.  Memory that other
 * programs allocate on the GPU meanwhile is ignored. */
static void
repeat (const ScopeModelTest *self, ProfSubject *subject, guint n, ScopeModelResult *row)
{
  g_autoptr (GPtrArray) first = copy_outputs (subject);
  guint64 taken = 0;

  for (guint i = 0; i < n && !row->failure; i++)
    {
      g_autoptr (GError) error = NULL;
      guint64 now;

      hyb_executor_set_seed (prof_subject_get_executor (subject), (guint64) self->common->seed);
      if (!prof_subject_run (subject, NULL, &error))
        {
          row->failure = g_strdup (error->message);
          return;
        }
      compare_with_first (subject, first, i + 2, row);
      now = hyb_gpu_get_taken (self->gpu);
      if (i > 0 && now > taken && !row->failure)
        row->failure = g_strdup ("every run takes more memory of the GPU");
      taken = now;
    }
}

static void
test_mode (const ScopeModelTest *self, const ScopeInputs *inputs, guint mode, ScopeModelResult *row)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ProfSubject) wanted = run_subject (self, inputs, NULL, modes[mode].mode, &error);
  g_autoptr (ProfSubject) got = NULL;

  if (wanted)
    got = run_subject (self, inputs, self->gpu, modes[mode].mode, &error);
  if (!got)
    {
      row->failure = g_strdup (error->message);
      return;
    }
  row->work = hyb_executor_dup_device_work (prof_subject_get_executor (got));
  compare_arrays (wanted, got, row);
  repeat (self, got, self->quick || mode > 0 ? RUNS : MANY_RUNS, row);
}

/* --- Models --- */

static gboolean
is_path (const char *name)
{
  return strchr (name, G_DIR_SEPARATOR) != NULL;
}

/* The arrays stored beside a model; NULL and an error if they cannot be read.  (transfer full) */
static HybTensorList *
read_inputs (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *file = g_build_filename (folder, "input.npz", NULL);

  return hyb_npz_read_file (file, error);
}

static void
test_modes (const ScopeModelTest *self, const ScopeInputs *inputs, const char *name)
{
  for (guint i = 0; i < (self->only_static ? 1 : G_N_ELEMENTS (modes)); i++)
    {
      g_auto (ScopeModelResult) row = { .model = name, .mode = modes[i].name };

      test_mode (self, inputs, i, &row);
      self->show (&row, self->data);
    }
}

gboolean
scope_test_model (const ScopeModelTest *self, const char *name, GError **error)
{
  g_autofree char   *path = is_path (name) ? g_strdup (name) : g_strconcat ("gallery:", name, NULL);
  g_autofree char   *folder = g_path_get_dirname (name);
  g_autofree char   *title = is_path (name) ? g_path_get_basename (folder) : g_strdup (name);
  char              *files[] = { path, NULL };
  ScopeCommonOptions common = *self->common;
  g_autoptr (GError) unread = NULL;
  g_autoptr (HybTensorList) given = is_path (name) ? read_inputs (path, &unread) : NULL;
  ScopeInputs inputs = { .needs_labels = TRUE, .given = given };
  g_autoptr (HybModel) model = NULL;
  gboolean filled;

  if (unread)
    {
      g_propagate_error (error, g_steal_pointer (&unread));
      return FALSE;
    }
  common.epoch = HYB_EPOCH_HIGHEST;
  model = scope_open_model (&common, files, error);
  if (!model)
    return FALSE;
  scope_common_options_set_default_init (&common, model);
  inputs.model = model;
  filled = scope_inputs_fill (&inputs, &common, error);
  if (filled)
    test_modes (self, &inputs, title);
  scope_inputs_clear (&inputs);
  return filled;
}

char **
scope_test_models_find (const char *folder, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, error);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *file = g_strconcat (name, "-symbol.json", NULL);
      g_autofree char *path = g_build_filename (folder, name, file, NULL);
      g_autofree char *input = g_build_filename (folder, name, "input.npz", NULL);

      if (g_file_test (path, G_FILE_TEST_IS_REGULAR) && g_file_test (input, G_FILE_TEST_IS_REGULAR))
        g_ptr_array_add (paths, g_canonicalize_filename (path, NULL));
    }
  if (!dir)
    return NULL;
  if (paths->len == 0)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                   "%s: there is no model NAME/NAME-symbol.json with NAME/input.npz in it", folder);
      return NULL;
    }
  g_ptr_array_sort (paths, hyb_compare_names);
  g_ptr_array_add (paths, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&paths), FALSE);
}
