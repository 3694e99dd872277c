/* test-breakages.c — breaks ten models in every way that applies; the doctor must name each cause, in few
 * findings, and repair what the files allow, proved equal to the model before.
 *
 * The pairs are in tests/data/goldens/models.  README.md states the figures.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/doctor/breakages.h"

#include "engine/doctor/change.h"
#include "engine/doctor/diagnose.h"
#include "engine/formats/format.h"
#include "engine/formats/npz.h"
#include "engine/open/open.h"
#include "engine/variants/proof/prove.h"
#include "tests/engine/goldens/golden.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>

static const char *const names[] = {
  "mlp-dropout",     "mlp-softmax-output", "lenet-static",          "layers-mixed",
  "conv1d-text",     "bn-residual-train",  "inception-block",       "fused-lstm-l2-unfused",
  "bucket-fused-t5", "fused-gru-l2-bi",    "cell-lstm-t6-ntc-none", "fused-lstm-l1",
};

/* What must hold over all breakages. */
#define MIN_BREAKAGES 100
#define MAX_FINDINGS  3

/* How many models are broken in each way: all that it applies to, or in the build with sanitizers of ./test, which is not
 * optimised and takes five times as long, a few. */
#ifdef __OPTIMIZE__
#define MAX_MODELS_OF_KIND G_MAXUINT
#else
#define MAX_MODELS_OF_KIND 3
#endif

typedef struct
{
  const char    *name;
  char          *symbol, *params; /* paths of the good pair */
  HybTensorList *input;
  GHashTable    *codes; /* of findings about the good pair */
} Model;

typedef struct
{
  guint n, n_named, n_few, n_mendable, n_mended;
} Figures;

static char *folder;

static char *
in_folder (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
diagnose (HybModel *model, const Breakage *breakage)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = graph ? hyb_diagnose_new_types (graph) : NULL;
  HybNodeId           id;

  if (!graph)
    return;
  id = breakage && breakage->given ? hyb_graph_find_variable (graph, breakage->given) : HYB_NO_ID;
  if (id != HYB_NO_ID)
    types[hyb_graph_get_node (graph, id)->first_output].shape = breakage->given_shape;
  hyb_diagnose (model, types);
}

static void
load (Model *model, const char *name)
{
  g_autofree char *whole =
      g_strdup_printf (SOURCE_ROOT "/tests/data/goldens/models/%s/%s", name, name);
  g_autofree char *input =
      g_strdup_printf (SOURCE_ROOT "/tests/data/goldens/models/%s/input.npz", name);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) good = NULL;

  *model = (Model){ .name = name,
                    .symbol = g_strconcat (whole, "-symbol.json", NULL),
                    .params = g_strconcat (whole, "-0000.params", NULL),
                    .input = hyb_npz_read_file (input, &error),
                    .codes = g_hash_table_new (g_str_hash, g_str_equal) };
  g_assert_no_error (error);
  good = hyb_model_open (model->symbol, model->params, HYB_EPOCH_HIGHEST, &error);
  g_assert_no_error (error);
  diagnose (good, NULL);
  for (guint i = 0; i < hyb_model_get_findings (good)->len; i++)
    {
      const HybFinding *finding = hyb_model_get_findings (good)->pdata[i];

      g_assert_cmpint (finding->severity, !=, HYB_SEVERITY_ERROR);
      g_hash_table_add (model->codes, (gpointer) finding->code);
    }
}

static void
unload (Model *model)
{
  g_free (model->symbol);
  g_free (model->params);
  hyb_tensor_list_unref (model->input);
  g_hash_table_unref (model->codes);
}

/* Files that exist are synchronised to the disk when they are replaced, which takes long. */
static void
empty_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)))
    {
      g_autofree char *path = in_folder (name);

      g_unlink (path);
    }
}

static void
write_pair (const Breakage *breakage, HybTensorList *good)
{
  g_autofree char *symbol = in_folder ("net-symbol.json"), *before = in_folder ("net-0000.params");
  g_autofree char *params = in_folder (breakage->is_newer ? "net-0001.params" : "net-0000.params");
  char            *text = cJSON_Print (breakage->symbol);
  gsize            n;

  empty_folder ();
  g_assert_true (
      g_file_set_contents (symbol, breakage->symbol_text ? breakage->symbol_text : text, -1, NULL));
  cJSON_free (text);
  if (breakage->is_newer)
    g_assert_true (hyb_weights_write_file (good, before, NULL));
  if (breakage->weights_file)
    {
      const char *bytes = g_bytes_get_data (breakage->weights_file, &n);

      g_assert_true (g_file_set_contents (params, bytes, (gssize) n, NULL));
    }
  else
    g_assert_true (hyb_weights_write_file (breakage->weights, params, NULL));
}

static gboolean
mentions (const HybFinding *finding, const char *culprit)
{
  if (!culprit || g_strcmp0 (finding->node, culprit) == 0 || strstr (finding->message, culprit) ||
      (finding->hint && strstr (finding->hint, culprit)))
    return TRUE;
  for (guint i = 0; finding->items && i < finding->items->len; i++)
    {
      const HybFindingItem *item = &g_array_index (finding->items, HybFindingItem, i);

      if (strstr (item->name, culprit) || (item->got && strstr (item->got, culprit)))
        return TRUE;
    }
  return FALSE;
}

/* TRUE if a finding names the cause.  *n: findings that the good pair does not have. */
static gboolean
is_named (const Model        *model,
          HybModel           *broken,
          const BreakageKind *kind,
          const char         *culprit,
          guint              *n)
{
  GPtrArray *findings = hyb_model_get_findings (broken);
  gboolean   is_found = FALSE;
  g_auto (GStrv) codes = g_strsplit (kind->code, "|", -1);

  *n = 0;
  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];

      is_found |= g_strv_contains ((const char *const *) codes, finding->code) &&
                  mentions (finding, culprit);
      *n += !g_hash_table_contains (model->codes, finding->code) &&
            strcmp (finding->code, "paired-file") != 0;
    }
  return is_found;
}

/* NULL if the repaired pair opens, has no errors and equals the good one. */
static char *
check_repair (const Model *model, HybModel *broken)
{
  g_autofree char *prefix = in_folder ("mended"), *symbol = in_folder ("mended-symbol.json");
  g_autoptr (GPtrArray) changes = hyb_changes_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) good = NULL;
  g_autoptr (HybModel) mended = NULL;
  g_auto (HybProof) proof = { 0 };
  HybProveOptions options = { .input = model->input };

  if (!hyb_model_get_graph (broken))
    return g_strdup ("there is no graph");
  hyb_diagnose_repair (broken, changes);
  if (!hyb_model_save (broken, prefix, 0, NULL, &error))
    return g_strdup (error->message);
  mended = hyb_model_open (symbol, NULL, HYB_EPOCH_HIGHEST, &error);
  if (!mended)
    return g_strdup (error->message);
  diagnose (mended, NULL);
  for (guint i = 0; i < hyb_model_get_findings (mended)->len; i++)
    {
      const HybFinding *finding = hyb_model_get_findings (mended)->pdata[i];

      if (!g_hash_table_contains (model->codes, finding->code) &&
          strcmp (finding->code, "paired-file") != 0)
        return g_strdup_printf ("%s remains: %s", finding->code, finding->message);
    }
  good = hyb_model_open (model->symbol, model->params, HYB_EPOCH_HIGHEST, NULL);
  if (!hyb_prove (good, mended, &options, &proof, &error))
    return g_strdup (error->message);
  if (!proof.ok)
    return g_strdup_printf ("%s differs by %g", proof.worst_output, proof.max_abs);
  return changes->len > 0 ? NULL : g_strdup ("no change is named");
}

static void
print_findings (HybModel *model)
{
  for (guint i = 0; i < hyb_model_get_findings (model)->len; i++)
    {
      const HybFinding *finding = hyb_model_get_findings (model)->pdata[i];

      g_test_message ("  %s: %s (%s)", finding->code, finding->message, finding->hint);
    }
}

static void
run_breakage (const Model *model, const BreakageKind *kind, Breakage *breakage, Figures *figures)
{
  g_autofree char *symbol = in_folder ("net-symbol.json"), *wrong = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) broken = hyb_model_open_tolerant (symbol, NULL, HYB_EPOCH_HIGHEST, &error);
  guint    n;
  gboolean named;

  g_assert_no_error (error);
  diagnose (broken, breakage);
  named = is_named (model, broken, kind, breakage->culprit, &n);
  figures->n++;
  figures->n_named += named;
  figures->n_few += n <= MAX_FINDINGS;
  if (!named || n > MAX_FINDINGS)
    {
      g_test_message ("%s of %s: %s, %u findings (%s, %s)", kind->name, model->name,
                      named ? "named" : "not named", n, kind->code, breakage->culprit);
      print_findings (broken);
    }
  if (!kind->is_mended)
    return;

  wrong = check_repair (model, broken);
  figures->n_mendable++;
  figures->n_mended += !wrong;
  if (wrong)
    {
      g_test_message ("%s of %s is not mended: %s", kind->name, model->name, wrong);
      print_findings (broken);
    }
}

static void
breakage_clear (Breakage *breakage)
{
  cJSON_Delete (breakage->symbol);
  hyb_tensor_list_unref (breakage->weights);
  hyb_tensor_list_unref (breakage->input);
  hyb_tensor_list_unref (breakage->other);
  g_free (breakage->symbol_text);
  g_clear_pointer (&breakage->weights_file, g_bytes_unref);
  g_free (breakage->given);
  g_free (breakage->culprit);
}

/* Returns whether this way applies to the model. */
static gboolean
break_model (const Model *model, const Model *other, const BreakageKind *kind, Figures *figures)
{
  g_autoptr (HybTensorList) good = hyb_weights_read_file (model->params, NULL, NULL);
  Breakage breakage = { .symbol = golden_read_json (model->symbol, NULL),
                        .weights = hyb_tensor_list_ref (good),
                        .input = hyb_tensor_list_ref (model->input),
                        .other = hyb_weights_read_file (other->params, NULL, NULL) };
  gboolean applies = kind->apply (&breakage);

  if (applies)
    {
      write_pair (&breakage, good);
      run_breakage (model, kind, &breakage, figures);
    }
  breakage_clear (&breakage);
  return applies;
}

/* Begins with model number `first`, so that few breakages are of different models. */
static void
try_kind (const Model *models, const BreakageKind *kind, guint first, Figures *figures)
{
  guint n = 0;

  for (guint k = 0; k < G_N_ELEMENTS (names) && n < MAX_MODELS_OF_KIND; k++)
    {
      guint i = (first + k) % G_N_ELEMENTS (names);

      n += (guint) break_model (&models[i], &models[(i + 4) % G_N_ELEMENTS (names)], kind, figures);
    }
}

static void
test_breakages (void)
{
  const BreakageKind *tables[] = { breakages_of_weights, breakages_of_files, breakages_of_graphs };
  Model               models[G_N_ELEMENTS (names)];
  Figures             figures = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    load (&models[i], names[i]);
  for (guint t = 0; t < G_N_ELEMENTS (tables); t++)
    for (const BreakageKind *kind = tables[t]; kind->name; kind++)
      try_kind (models, kind, (guint) (kind - tables[t]), &figures);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    unload (&models[i]);

  g_test_message ("%u breakages: %u named, %u in at most %u findings, %u of %u mended and equal",
                  figures.n, figures.n_named, figures.n_few, MAX_FINDINGS, figures.n_mended,
                  figures.n_mendable);
  g_assert_cmpuint (figures.n, >=, MIN_BREAKAGES);
  g_assert_cmpuint (figures.n_named, ==, figures.n);
  g_assert_cmpuint (figures.n_few * 100, >=, figures.n * 95);
  g_assert_cmpuint (figures.n_mended, ==, figures.n_mendable);
}

TEST_PROGRAM (test_breakages)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("breakages-XXXXXX", NULL);
  g_test_add_func ("/engine/doctor/breakages/causes-are-named-and-repaired", test_breakages);
  status = g_test_run ();
  empty_folder ();
  g_rmdir (folder);
  g_free (folder);
  return status;
}
