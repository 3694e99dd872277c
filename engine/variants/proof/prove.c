/* prove.c — runs two models on the same inputs and compares outputs, states and gradients.
 *
 * Results in the models' types may differ by rounding, which grows with the number of products that are
 * summed in one element, since the forms of a model sum in different orders.  Results in float64 may not, so they are
 * compared element by element, for numbers of several scales.  Start reading at try_all().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/prove.h"

#include "engine/base/error.h"
#include "engine/variants/parameter-copies.h"
#include "engine/variants/proof/compare.h"
#include "engine/variants/proof/gaps.h"
#include "engine/variants/proof/nudged.h"
#include "engine/variants/proof/other-parameters.h"
#include "engine/variants/proof/side.h"
#include "engine/variants/proof/sizes.h"
#include "engine/variants/proof/trial-graph.h"
#include "engine/variants/proof/trial.h"

#include <math.h>
#include <string.h>

#define MAX_RESIZED 4
#define MAX_SWEEPS  100
#define EPSILON     1.1920929e-7 /* of float32 */
/* A large batch, and the elements that an input may have for it. */
#define MANY     67
#define MAX_MANY 20000
/* The tolerance for rounding in float64: of an element, and of the largest of its array.  Gradients are sums of
 * more terms; outputs may also differ by a part of the rounding of the models' types (compare.c). */
#define DOUBLE_RELATIVE   1e-8
#define DOUBLE_ABSOLUTE   1e-14
#define GRADIENT_ABSOLUTE 1e-12
/* How much of the rounding of a run in float32 the same run in float64 may show. */
#define ROUNDING_IN_DOUBLE 1e-3
/* The tolerated multiple of the change that a last bit of the inputs causes. */
#define ROUNDING_OF_INPUTS 4
/* Scales from which numbers of float32 may become infinite. */
#define LARGE 30

typedef struct
{
  const HybProveOptions *options;
  HybProof              *proof;
  HybProofSide           a, b;
  char                 **names;       /* of the outputs of a */
  gint64                *n_compared;  /* by output */
  double                 accumulated; /* products that are summed in one element */
  HybTensorList         *given;
  gboolean               is_double; /* both models can be computed in float64 */
} Prover;

/* --- Comparing --- */

static gboolean
is_differentiable (HybTensor *tensor)
{
  return hyb_dtype_is_float (hyb_tensor_get_dtype (tensor));
}

static gboolean
is_different (const Prover *prover)
{
  return prover->proof->verdict == HYB_PROOF_DIFFERENT;
}

/* how: the tolerance.  own_a, own_b: the same outputs with other rounding, of which how->rounding is allowed; NULL: not known. */
static void
compare_outputs (Prover *prover, const HybArrayComparison *how, GPtrArray *own_a, GPtrArray *own_b)
{
  for (guint i = 0; i < prover->a.n_heads; i++)
    {
      HybArrayComparison comparison = *how;

      comparison.prefix = "";
      comparison.name = prover->names[i];
      comparison.a = prover->a.outputs->pdata[i];
      comparison.b = prover->b.outputs->pdata[i];
      comparison.own[0] = own_a ? own_a->pdata[i] : NULL;
      comparison.own[1] = own_b ? own_b->pdata[i] : NULL;
      prover->n_compared[i] += hyb_comparison_record (&comparison, prover->proof);
    }
}

/* Compares arrays of equal names. */
static void
compare_tables (Prover                   *prover,
                const char               *prefix,
                GHashTable               *a,
                GHashTable               *b,
                const HybArrayComparison *how)
{
  GHashTableIter iter;
  gpointer       name, tensor;

  g_hash_table_iter_init (&iter, a);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    {
      HybArrayComparison comparison = *how;

      comparison.prefix = prefix;
      comparison.name = name;
      comparison.a = tensor;
      comparison.b = g_hash_table_lookup (b, name);
      comparison.any_type = TRUE;
      if (comparison.b && is_differentiable (tensor))
        hyb_comparison_record (&comparison, prover->proof);
    }
}

/* States that training writes, such as running means; only runs with gradients write them. */
static void
compare_states (Prover *prover, const HybArrayComparison *how)
{
  if (prover->proof->training)
    compare_tables (prover, "state ", prover->a.states, prover->b.states, how);
}

static gboolean
compare_gradients (Prover *prover, const HybArrayComparison *how, GError **error)
{
  const HybVariant *variant = prover->options->variant;

  for (guint s = variant ? variant->stages->len : 0; s-- > 0;)
    if (!hyb_parameter_copies_scatter_gradients (variant->stages->pdata[s], prover->b.gradients,
                                                 variant->stage_from->pdata[s], error))
      return FALSE;
  compare_tables (prover, "gradient of ", prover->a.gradients, prover->b.gradients, how);
  compare_states (prover, how);
  prover->proof->gradients = TRUE;
  return TRUE;
}

/* --- In the models' types --- */

static gboolean
run_both (Prover        *prover,
          HybPrecision   precision,
          HybTensorList *values,
          GPtrArray     *heads,
          GError       **error)
{
  return hyb_proof_side_run (&prover->a, precision, values, heads, error) &&
         hyb_proof_side_run (&prover->b, precision, values, heads, error);
}

/* Runs both models once more, in their own types, and keeps their earlier outputs.  outputs:
 * stays NULL if one of the runs fails. */
static void
run_own (Prover *prover, HybTensorList *values, GPtrArray *outputs[2])
{
  GPtrArray *a = g_ptr_array_ref (prover->a.outputs);
  GPtrArray *b = g_ptr_array_ref (prover->b.outputs);

  if (run_both (prover, HYB_PRECISION_OWN, values, NULL, NULL))
    {
      outputs[0] = g_ptr_array_ref (prover->a.outputs);
      outputs[1] = g_ptr_array_ref (prover->b.outputs);
    }
  g_ptr_array_unref (prover->a.outputs);
  g_ptr_array_unref (prover->b.outputs);
  prover->a.outputs = a;
  prover->b.outputs = b;
}

/* Compares outputs of runs in the models' types, then gradients. */
static gboolean
judge_own (Prover *prover, HybTensorList *values, guint64 seed, GError **error)
{
  HybArrayComparison how = { .absolute = prover->proof->tolerance, .offset = 1 };
  g_autoptr (GPtrArray) heads = NULL;

  compare_outputs (prover, &how, NULL, NULL);
  prover->proof->n_inputs++;
  if (!prover->a.backward[HYB_PRECISION_OWN] || !prover->b.backward[HYB_PRECISION_OWN] ||
      is_different (prover) || prover->options->tolerance > 0)
    return TRUE;

  heads = hyb_proof_side_new_heads (&prover->a, seed);
  if (!run_both (prover, HYB_PRECISION_OWN, values, heads, error))
    return FALSE;
  how.absolute *=
      sqrt ((double) hyb_proof_find_batch (values)); /* gradients are summed over these, too */
  return compare_gradients (prover, &how, error);
}

/* --- Other scales --- */

/* A trial of numbers of one kind. */
typedef struct
{
  HybTrialKind kind;
  gboolean     has_gradients;
} Trial;

static const Trial trials[] = {
  { { .scale = 0 }, FALSE },
  { { .scale = 1e-3 }, FALSE },
  { { .scale = 1, .sign = 1 }, FALSE },
  { { .scale = 1, .sign = -1 }, FALSE },
  { { .scale = 1 }, TRUE },
  { { .scale = 4, .is_half = TRUE }, FALSE },
  { { .scale = LARGE }, TRUE },
  { { .scale = LARGE, .sign = 1 }, FALSE },
  { { .scale = 1e4 }, FALSE },
  { { .scale = 1, .is_mixed = TRUE }, FALSE },
};

/* Whether all outputs are near enough without a look at rounding. */
static gboolean
outputs_fit (const Prover *prover, const HybArrayComparison *how)
{
  for (guint i = 0; i < prover->a.n_heads; i++)
    {
      HybArrayComparison comparison = *how;

      comparison.a = prover->a.outputs->pdata[i];
      comparison.b = prover->b.outputs->pdata[i];
      if (!hyb_comparison_fits (&comparison))
        return FALSE;
    }
  return TRUE;
}

/* Results of float32 that are infinite or NaN in one model only differ, whatever float64 says. */
static void
compare_finite (Prover *prover, GPtrArray *own_a, GPtrArray *own_b)
{
  for (guint i = 0; i < prover->a.n_heads; i++)
    {
      HybArrayComparison comparison = { .prefix = "",
                                        .name = prover->names[i],
                                        .a = own_a->pdata[i],
                                        .b = own_b->pdata[i],
                                        .absolute = INFINITY };

      if (!hyb_comparison_same_finite (&comparison))
        hyb_comparison_record (&(HybArrayComparison){ .prefix = "",
                                                      .name = prover->names[i],
                                                      .a = own_a->pdata[i],
                                                      .b = own_b->pdata[i],
                                                      .absolute = 1e-3,
                                                      .offset = 1 },
                               prover->proof);
    }
}

static gboolean
try_double_gradients (Prover *prover, HybTensorList *values, guint64 seed, GError **error)
{
  HybArrayComparison how = { .relative = DOUBLE_RELATIVE, .absolute = GRADIENT_ABSOLUTE };
  g_autoptr (GPtrArray) heads = hyb_proof_side_new_heads (&prover->a, seed);

  if (!prover->a.backward[HYB_PRECISION_DOUBLE] || !prover->b.backward[HYB_PRECISION_DOUBLE])
    return TRUE;
  return run_both (prover, HYB_PRECISION_DOUBLE, values, heads, error) &&
         compare_gradients (prover, &how, error);
}

/* Outputs of the covered runs, in float64. */
static gboolean
judge_double (Prover        *prover,
              HybTensorList *values,
              const Trial   *trial,
              guint64        seed,
              GError       **error)
{
  HybArrayComparison how = { .relative = DOUBLE_RELATIVE,
                             .absolute = DOUBLE_ABSOLUTE,
                             .rounding = ROUNDING_IN_DOUBLE };
  gboolean           is_large = trial->kind.scale >= LARGE || trial->kind.is_mixed;
  gboolean           fits = outputs_fit (prover, &how);
  GPtrArray         *own[2] = { NULL, NULL };
  gboolean           is_done = TRUE;

  if (is_large || !fits)
    run_own (prover, values, own);
  compare_outputs (prover, &how, fits ? NULL : own[0], fits ? NULL : own[1]);
  if (own[0] && !is_different (prover))
    compare_finite (prover, own[0], own[1]);
  prover->proof->n_double++;
  if (trial->has_gradients && !is_different (prover))
    is_done = try_double_gradients (prover, values, seed, error);
  g_clear_pointer (&own[0], g_ptr_array_unref);
  g_clear_pointer (&own[1], g_ptr_array_unref);
  return is_done;
}

/* Outputs of the covered runs, in the models' types.  Changes caused by a last bit of the inputs are tolerated:
 * normalisations of nearly equal numbers amplify them. */
static void
judge_single (Prover *prover, HybTensorList *values)
{
  HybArrayComparison how = { .relative = prover->proof->tolerance,
                             .absolute = prover->proof->tolerance,
                             .by_rows = TRUE,
                             .rounding = ROUNDING_OF_INPUTS };
  GPtrArray         *own[2] = { NULL, NULL };

  if (!outputs_fit (prover, &how))
    {
      g_autoptr (HybTensorList) nudged = hyb_tensors_nudged (values);

      run_own (prover, nudged, own);
    }
  compare_outputs (prover, &how, own[0], own[1]);
  g_clear_pointer (&own[0], g_ptr_array_unref);
  g_clear_pointer (&own[1], g_ptr_array_unref);
}

/* Runs both operator by operator.  FALSE if one of them cannot, which is a gap unless neither can. */
static gboolean
run_covered (Prover *prover, HybTensorList *values, const HybTrialKind *kind)
{
  g_autoptr (GError) a_error = NULL;
  g_autoptr (GError) b_error = NULL;
  gboolean a_runs = hyb_proof_side_run_covered (&prover->a, values, &a_error);
  gboolean b_runs = hyb_proof_side_run_covered (&prover->b, values, &b_error);

  if (a_runs != b_runs)
    hyb_proof_add_gap (prover->proof,
                       "the %s model cannot be computed with numbers of scale %g: %s",
                       a_runs ? "second" : "first", kind->scale,
                       (a_runs ? b_error : a_error)->message);
  return a_runs && b_runs;
}

static gboolean
try_kind (Prover *prover, const Trial *trial, guint64 seed, GError **error)
{
  HybTrialKind kind = trial->kind;
  g_autoptr (HybTensorList) values = NULL;

  kind.other = prover->b.model;
  values = hyb_trial_random (prover->a.model, prover->given, prover->options->input, &kind, seed);
  if (!values || !run_covered (prover, values, &trial->kind))
    return TRUE;
  prover->proof->n_inputs++;
  if (trial->kind.scale > 0 && (prover->proof->low == 0 || trial->kind.scale < prover->proof->low))
    prover->proof->low = trial->kind.scale;
  prover->proof->high = MAX (prover->proof->high, trial->kind.scale);
  if (prover->is_double)
    return judge_double (prover, values, trial, seed, error);
  judge_single (prover, values);
  return TRUE;
}

/* Every index of every variable, where that does not take too long. */
static void
try_indices (Prover *prover, guint64 seed)
{
  gint64 n = hyb_trial_n_sweeps (prover->a.model, prover->b.model, prover->given);

  for (gint64 i = 0; n <= MAX_SWEEPS && i < n && !is_different (prover); i++)
    {
      HybTrialKind kind = { .scale = 1, .is_sweep = TRUE, .part = i, .other = prover->b.model };
      HybArrayComparison how = { .absolute = prover->proof->tolerance, .offset = 1 };
      g_autoptr (HybTensorList) values =
          hyb_trial_random (prover->a.model, prover->given, prover->options->input, &kind, seed);

      if (!values || !run_both (prover, HYB_PRECISION_OWN, values, NULL, NULL))
        return;
      compare_outputs (prover, &how, NULL, NULL);
      hyb_coverage_add_inputs (prover->a.coverage, values);
      hyb_coverage_add_inputs (prover->b.coverage, values);
      prover->proof->n_inputs++;
    }
}

/* Numbers of all scales, and others around and beyond the bounds of all clips. */
static gboolean
try_kinds (Prover *prover, guint64 seed, GError **error)
{
  double bound = fmax (hyb_coverage_largest_bound (prover->a.coverage),
                       hyb_coverage_largest_bound (prover->b.coverage));
  Trial  around[] = {
     { { .scale = 0.3 * bound, .sign = 1 }, FALSE },
     { { .scale = bound }, FALSE },
     { { .scale = 4 * bound }, FALSE },
     { { .scale = 4 * bound, .sign = 1 }, FALSE },
     { { .scale = 4 * bound, .sign = -1 }, FALSE },
     { { .scale = 4e-4 * bound, .is_mixed = TRUE }, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (trials) && !is_different (prover); i++)
    if (!try_kind (prover, &trials[i], seed + i, error))
      return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (around) && bound >= LARGE && !is_different (prover); i++)
    if (!try_kind (prover, &around[i], seed + G_N_ELEMENTS (trials) + i, error))
      return FALSE;
  return TRUE;
}

/* Outputs of which every element was NaN in both models. */
static void
list_not_numbers (Prover *prover)
{
  for (guint i = 0; i < prover->a.n_heads; i++)
    if (prover->n_compared[i] == 0 && hyb_tensor_get_size (prover->a.outputs->pdata[i]) > 0)
      hyb_proof_add_gap (prover->proof, "“%s” was NaN in both models for all inputs",
                         prover->names[i]);
}

/* --- Tolerance, and sizes that must not change --- */

/* Runs both on other values or sizes, if both accept them when they run. */
static gboolean
try_size (Prover *prover, HybTensorList *values, guint64 seed)
{
  return run_both (prover, HYB_PRECISION_OWN, values, NULL, NULL) &&
         judge_own (prover, values, seed, NULL);
}

/* Tries one size.  Returns whether both models accept it.  A size with which outputs get different shapes is a
 * difference. */
static gboolean
try_resized (Prover *prover, HybTrialResize *resize, guint64 seed)
{
  g_autoptr (HybTensorList) resized =
      hyb_trial_resized (prover->a.model, prover->b.model, prover->given, resize, seed);

  if (resize->difference)
    {
      prover->proof->verdict = HYB_PROOF_DIFFERENT;
      prover->proof->max_abs = prover->proof->max_rel = INFINITY;
      prover->proof->worst_index = -1;
      prover->proof->difference = resize->difference;
    }
  if (resized)
    try_size (prover, resized, seed);
  return resized != NULL;
}

/* Other sizes: one more along the first two axes of all inputs; a single row; and many where inputs are small. */
static void
try_sizes (Prover *prover, const GArray *fixed, guint64 seed)
{
  HybTensorList *input = prover->options->input;
  guint          n_resized = 0;

  for (guint v = 0; v < hyb_tensor_list_n (prover->given); v++)
    {
      HybTensor      *tensor = hyb_tensor_list_get (prover->given, v)->tensor;
      const HybShape *shape = hyb_tensor_get_shape (tensor);

      for (int axis = 0;
           axis < MIN (shape->rank, 2) && n_resized < MAX_RESIZED && !is_different (prover); axis++)
        n_resized +=
            try_resized (prover,
                         &(HybTrialResize){ v, axis, shape->dim[axis] + 1, fixed, input, NULL },
                         seed + n_resized);
      if (v > 0 || shape->rank == 0)
        continue;
      if (!is_different (prover))
        try_resized (prover, &(HybTrialResize){ v, 0, 1, fixed, input, NULL }, seed + 20);
      if (!is_different (prover) && hyb_tensor_get_size (tensor) * MANY < MAX_MANY)
        try_resized (prover, &(HybTrialResize){ v, 0, MANY, fixed, input, NULL }, seed + 21);
    }
}

/* Runs both models on the given input; on the random one if the given one was made for its shapes, and a loop does not end. */
static gboolean
run_given (Prover *prover, HybTensorList *random, GError **error)
{
  gboolean is_made = !prover->options->input || prover->options->is_made;

  prover->a.is_limited = prover->b.is_limited = is_made;
  if (run_both (prover, HYB_PRECISION_OWN, prover->given, NULL, is_made && random ? NULL : error))
    return TRUE;
  if (!is_made || !random)
    return FALSE;
  hyb_tensor_list_unref (prover->given);
  prover->given = hyb_tensor_list_ref (random);
  return run_both (prover, HYB_PRECISION_OWN, prover->given, NULL, error);
}

static gboolean
try_all (Prover *prover, GError **error)
{
  g_autoptr (GArray) fixed = g_array_new (FALSE, FALSE, sizeof (gint64));
  HybModel    *a = prover->a.model, *b = prover->b.model;
  guint64      seed = prover->options->seed + 1;
  HybTrialKind unit = { .scale = 1, .other = b };
  g_autoptr (HybTensorList) random = NULL;

  prover->given = hyb_trial_complete (a, b, prover->options->input, seed, error);
  if (!prover->given)
    return FALSE;
  random = hyb_trial_random (a, prover->given, prover->options->input, &unit, seed + 1);
  hyb_proof_collect_sizes (a, fixed, &prover->accumulated);
  hyb_proof_collect_sizes (b, fixed, &prover->accumulated);
  /* 1. The tolerance: rounding errors of a sum of n products grow like √n, not like n. */
  prover->proof->tolerance =
      prover->options->tolerance > 0
          ? prover->options->tolerance
          : 16 * EPSILON * sqrt (prover->accumulated) * log2 (2 + prover->accumulated);

  /* 2. The given input, in the models' own types and then, limited in steps, other sizes. */
  if (!run_given (prover, random, error) || !judge_own (prover, prover->given, seed, error))
    return FALSE;
  prover->a.is_limited = prover->b.is_limited = TRUE;
  if (random && !is_different (prover))
    try_size (prover, random, seed);
  try_sizes (prover, fixed, seed);
  if (prover->options->tolerance > 0 || is_different (prover))
    return TRUE;
  /* 3. Random inputs of several kinds, in double where both models can: there rounding hides
   * nothing. */
  prover->is_double = hyb_proof_side_can_be_double (&prover->b) &&
                      hyb_proof_side_make_double (&prover->a, prover->given) &&
                      hyb_proof_side_make_double (&prover->b, prover->given);
  if (!try_kinds (prover, seed + 100, error))
    return FALSE;
  /* 4. Indices, then other parameters; each stage only while no difference is known. */
  if (!is_different (prover))
    try_indices (prover, seed + 200);
  if (!is_different (prover))
    {
      prover->proof->n_inputs +=
          hyb_proof_try_parameters (&prover->a, &prover->b, random ? random : prover->given,
                                    prover->proof->tolerance);
      if (prover->proof->high == 0)
        hyb_proof_add_gap (prover->proof, "neither model can be computed with other numbers");
      list_not_numbers (prover);
      hyb_proof_list_gaps (prover->proof, &prover->a, &prover->b, prover->given);
    }
  return TRUE;
}

/* --- The whole --- */

/* FALSE and an error if both models draw random numbers in training, but not the same. */
static gboolean
check_draws (const Prover *prover, HybDraws draws, const char *difference, GError **error)
{
  if (draws != HYB_DRAWS_OTHERWISE || !prover->proof->training)
    return TRUE;
  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL, NULL,
                       "the models cannot be compared in training, where both must drop the same "
                       "elements: %s",
                       difference);
}

static gboolean
check_heads (const Prover *prover, GError **error)
{
  if (prover->a.n_heads == 0 && prover->b.n_heads == 0)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL,
                         "Give models with outputs",
                         "the models have no outputs, so there is nothing to compare");
  if (prover->a.n_heads == prover->b.n_heads)
    return TRUE;
  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL, NULL,
                       "one model has %u outputs and the other %u", prover->a.n_heads,
                       prover->b.n_heads);
}

gboolean
hyb_prove (HybModel              *a,
           HybModel              *b,
           const HybProveOptions *options,
           HybProof              *proof,
           GError               **error)
{
  Prover             prover = { .options = options, .proof = proof, .accumulated = 1 };
  HybExecutorOptions run =
      options->run ? *options->run : (HybExecutorOptions){ .mode = HYB_MODE_HYBRID };
  g_autofree char *difference = NULL;
  HybDraws         draws =
      hyb_draws_compare (hyb_model_get_graph (a), hyb_model_get_graph (b), &difference);
  gboolean is_done;

  *proof = (HybProof){ .training = run.training };
  run.gpu = options->gpu;
  hyb_proof_side_init (&prover.a, a, &run, draws);
  hyb_proof_side_init (&prover.b, b, &run, draws);
  prover.names = hyb_graph_dup_output_names (hyb_model_get_graph (a));
  prover.n_compared = g_new0 (gint64, prover.a.n_heads);
  is_done = check_draws (&prover, draws, difference, error) && check_heads (&prover, error) &&
            try_all (&prover, error);
  /* Equal on all trials, but something was never tried: not a proof. */
  if (!is_different (&prover) && proof->gaps)
    proof->verdict = HYB_PROOF_OPEN;
  proof->ok = proof->verdict == HYB_PROOF_EQUAL;
  proof->device_work[0] = g_steal_pointer (&prover.a.work);
  proof->device_work[1] = g_steal_pointer (&prover.b.work);
  g_clear_pointer (&prover.given, hyb_tensor_list_unref);
  g_strfreev (prover.names);
  g_free (prover.n_compared);
  hyb_proof_side_clear (&prover.a);
  hyb_proof_side_clear (&prover.b);
  return is_done;
}
