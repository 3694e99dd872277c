/* vectors.c — SVMClassifier and SVMRegressor of ai.onnx.ml: numbers from the similarity of rows to support vectors.
 *
 * K [rows, vectors] is how similar each row is to each vector.  A classifier has one number for each pair of classes, K times
 * the columns of pair_weights(); the pair votes for one of its classes.  Without vectors the numbers are linear functions.
 * All is computed in doubles, as ONNX Runtime sums in doubles.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ml/scores.h"
#include "engine/onnx/ops/pieces.h"

#include <string.h>

/* Elements of the matrix of pairs' weights. */
#define MAX_WEIGHTS 16777216

typedef struct
{
  guint         n_classes; /* 1: a regressor */
  gint64        n_vectors; /* 0: linear functions */
  gint64        n_pairs;
  const gint64 *per_class; /* n_classes numbers of vectors */
  guint         n_coefficients, n_rho, n_a, n_b;
  const double *coefficients; /* [n_classes − 1, n_vectors], or [n_classes, features] */
  const double *rho, *a, *b;
} Machine;

/* --- Constants --- */

/* A constant [rows, columns] of doubles, of zeros. */
static HybTensor *
new_matrix (gint64 rows, gint64 columns)
{
  HybType    type = { hyb_shape_2d (rows, columns), HYB_F64 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  if (tensor)
    memset (hyb_tensor_get_data (tensor), 0, hyb_tensor_get_bytes (tensor));
  return tensor;
}

static HybValueId
matrix (HybLowering *lowering, gint64 rows, gint64 columns, const double *values)
{
  HybTensor *tensor = new_matrix (rows, columns);

  if (tensor && values)
    memcpy (hyb_tensor_get_data (tensor), values, hyb_tensor_get_bytes (tensor));
  return hyb_lowering_constant (lowering, tensor);
}

static HybValueId
turned (HybLowering *lowering, HybValueId x)
{
  return hyb_onnx_transpose (lowering, x, 2, (gint64[]){ 1, 0 });
}

/* --- Similarity --- */

/* |x|² of each row, [rows, 1]. */
static HybValueId
squares (HybLowering *lowering, HybValueId x)
{
  return onnx_reduce (lowering, "_np_sum", hyb_onnx_unary (lowering, "square", x), 1, TRUE);
}

static HybValueId
linear (HybLowering *lowering, HybValueId x, HybValueId vectors, const double *params)
{
  return onnx_matmul (lowering, x, turned (lowering, vectors));
}

/* gamma x·v + coef0 */
static HybValueId
affine (HybLowering *lowering, HybValueId x, HybValueId vectors, const double *params)
{
  return onnx_shift (lowering,
                     onnx_scale (lowering, linear (lowering, x, vectors, params), params[0]),
                     params[1]);
}

static HybValueId
polynomial (HybLowering *lowering, HybValueId x, HybValueId vectors, const double *params)
{
  return hyb_onnx_with_scalar (lowering, "_power_scalar", affine (lowering, x, vectors, params),
                               params[2]);
}

static HybValueId
sigmoid (HybLowering *lowering, HybValueId x, HybValueId vectors, const double *params)
{
  return hyb_onnx_unary (lowering, "tanh", affine (lowering, x, vectors, params));
}

/* exp (−gamma |x − v|²), where the square is |x|² + |v|² − 2 x·v. */
static HybValueId
radial (HybLowering *lowering, HybValueId x, HybValueId vectors, const double *params)
{
  HybValueId sum =
      onnx_add (lowering, squares (lowering, x), turned (lowering, squares (lowering, vectors)));
  HybValueId products = onnx_scale (lowering, linear (lowering, x, vectors, params), 2);

  return hyb_onnx_unary (lowering, "exp",
                         onnx_scale (lowering, onnx_subtract (lowering, sum, products),
                                     -params[0]));
}

static const struct
{
  const char *name;
  HybValueId (*write) (HybLowering  *lowering,
                       HybValueId    x,
                       HybValueId    vectors,
                       const double *params);
} kernels[] = {
  { "LINEAR", linear },
  { "POLY", polynomial },
  { "RBF", radial },
  { "SIGMOID", sigmoid },
};

/* K, [rows, vectors]. */
static HybValueId
find_similarity (HybLowering *lowering, HybValueId x, gint64 n_vectors)
{
  static const double none[] = { 0, 0, 0 };
  const char         *name = hyb_onnx_string (lowering, "kernel_type", "LINEAR");
  guint               n, n_params;
  const double       *values, *params;
  gint64              n_features = onnx_size (lowering, x, 1);

  hyb_onnx_floats (lowering, "support_vectors", &n, &values);
  hyb_onnx_floats (lowering, "kernel_params", &n_params, &params);
  if (n / n_vectors != n_features || n % n_vectors != 0)
    {
      hyb_lowering_fail (lowering, NULL, "its support vectors do not fit its input");
      return HYB_NO_ID;
    }
  for (guint i = 0; i < G_N_ELEMENTS (kernels); i++)
    if (strcmp (kernels[i].name, name) == 0)
      return kernels[i].write (lowering, x, matrix (lowering, n_vectors, n_features, values),
                               n_params >= 3 ? params : none);
  hyb_lowering_fail (lowering, NULL, "its kernel_type “%s” is not known", name);
  return HYB_NO_ID;
}

/* Linear functions, [rows, n_classes]. */
static HybValueId
find_linear (HybLowering *lowering, const Machine *machine, HybValueId x)
{
  gint64 n_features = onnx_size (lowering, x, 1);

  if (machine->n_coefficients / machine->n_classes != n_features || machine->n_rho < 1)
    {
      hyb_lowering_fail (lowering, NULL, "its coefficients do not fit its input");
      return HYB_NO_ID;
    }
  x = linear (lowering, x, matrix (lowering, machine->n_classes, n_features, machine->coefficients),
              NULL);
  return onnx_shift (lowering, x, machine->rho[0]);
}

/* --- Pairs of classes --- */

/* Weights of the vectors by pair, [vectors, pairs]: of a pair (i, j), vectors of class i have row j − 1 of the
 * coefficients, vectors of class j row i. */
static HybValueId
pair_weights (HybLowering *lowering, const Machine *machine)
{
  gint64             n = machine->n_vectors, pair = 0;
  HybTensor         *tensor = new_matrix (n, machine->n_pairs);
  double            *to = tensor ? hyb_tensor_get_data (tensor) : NULL;
  g_autofree gint64 *start = g_new0 (gint64, machine->n_classes + 1);

  for (guint i = 0; i < machine->n_classes; i++)
    start[i + 1] = start[i] + machine->per_class[i];
  for (guint i = 0; to && i < machine->n_classes; i++)
    for (guint j = i + 1; j < machine->n_classes; j++, pair++)
      {
        for (gint64 m = start[i]; m < start[i + 1]; m++)
          to[m * machine->n_pairs + pair] = machine->coefficients[(j - 1) * n + m];
        for (gint64 m = start[j]; m < start[j + 1]; m++)
          to[m * machine->n_pairs + pair] = machine->coefficients[i * n + m];
      }
  return hyb_lowering_constant (lowering, tensor);
}

/* The class for which most pairs vote, [rows]: class i of a pair (i, j) whose number is positive, else class j. */
static HybValueId
count_votes (HybLowering *lowering, const Machine *machine, HybValueId scores)
{
  guint      n = machine->n_classes;
  HybTensor *change = new_matrix (machine->n_pairs, n), *base = new_matrix (1, n);
  double    *added = change ? hyb_tensor_get_data (change) : NULL;
  double    *first = base ? hyb_tensor_get_data (base) : NULL;
  HybValueId is_first, votes;

  for (guint i = 0; added && first && i < n; i++)
    for (guint j = i + 1; j < n; j++, added += n)
      {
        added[i] = 1;
        added[j] = -1;
        first[j]++;
      }
  is_first =
      hyb_onnx_cast (lowering, hyb_onnx_with_scalar (lowering, "_npi_greater_scalar", scores, 0),
                     HYB_F64);
  votes = onnx_matmul (lowering, is_first, hyb_lowering_constant (lowering, change));
  votes = onnx_add (lowering, votes, hyb_lowering_constant (lowering, base));
  return hyb_onnx_cast (lowering, onnx_reduce (lowering, "_npi_argmax", votes, 1, FALSE), HYB_I64);
}

/* Probabilities of the classes, from the probabilities of pairs, [rows, classes]. */
static HybValueId
find_probabilities (HybLowering *lowering, const Machine *machine, HybValueId scores)
{
  HybValueId p =
      onnx_multiply (lowering, scores, matrix (lowering, 1, machine->n_pairs, machine->a));

  p = onnx_add (lowering, p, matrix (lowering, 1, machine->n_pairs, machine->b));
  p = hyb_onnx_unary (lowering, "sigmoid", hyb_onnx_unary (lowering, "negative", p));
  p = onnx_clamp (lowering, hyb_onnx_cast (lowering, p, HYB_F32), 1e-7, 1 - 1e-7);
  return hyb_lowering_emit (lowering, "_pairwise_coupling", 1, &p, "num_classes",
                            hyb_lowering_text (lowering, "%u", machine->n_classes), NULL);
}

/* FALSE after a failure. */
static gboolean
read_machine (HybLowering *lowering, Machine *machine)
{
  guint  n;
  gint64 sum = 0, classes;

  *machine = (Machine){ .n_classes = onnx_ml_n_classes (lowering, "classlabels_ints") };
  classes = machine->n_classes;
  hyb_onnx_ints (lowering, "vectors_per_class", &n, &machine->per_class);
  hyb_onnx_floats (lowering, "coefficients", &machine->n_coefficients, &machine->coefficients);
  hyb_onnx_floats (lowering, "rho", &machine->n_rho, &machine->rho);
  hyb_onnx_floats (lowering, "prob_a", &machine->n_a, &machine->a);
  hyb_onnx_floats (lowering, "prob_b", &machine->n_b, &machine->b);
  for (guint i = 0; i < n && sum >= 0; i++)
    sum = machine->per_class[i] < 0 || machine->per_class[i] > G_MAXINT32
              ? -1
              : sum + machine->per_class[i];
  machine->n_vectors = sum;
  machine->n_pairs = classes * (classes - 1) / 2;
  if (classes >= 1 && sum == 0 && machine->n_coefficients % classes == 0)
    return TRUE;
  if (classes >= 1 && n == classes && sum > 0 && machine->n_coefficients / sum >= classes - 1 &&
      machine->n_rho >= machine->n_pairs && machine->n_a == machine->n_b &&
      (machine->n_a == 0 || machine->n_a >= machine->n_pairs) &&
      machine->n_pairs * classes <= MAX_WEIGHTS && machine->n_pairs <= MAX_WEIGHTS / sum)
    return TRUE;
  hyb_lowering_fail (lowering, NULL, "its attributes do not fit each other");
  return FALSE;
}

/* --- Results --- */

static gboolean
is_never_negative (const Machine *machine)
{
  for (guint i = 0; i < machine->n_coefficients; i++)
    if (!(machine->coefficients[i] >= 0))
      return FALSE;
  return TRUE;
}

/* Linear functions choose the class of the largest score; of two classes, as in ONNX Runtime, the second if the largest score
 * is positive. */
static HybValueId
choose_linear (HybLowering *lowering, const Machine *machine, HybValueId scores)
{
  HybValueId largest,
      chosen = hyb_onnx_cast (lowering, onnx_reduce (lowering, "_npi_argmax", scores, 1, FALSE),
                              HYB_I64);
  gboolean is_positive = is_never_negative (machine);

  if (machine->n_classes != 2 || machine->n_a > 0)
    return chosen;
  largest = onnx_reduce (lowering, "_np_max", scores, 1, FALSE);
  return onnx_where (lowering,
                     hyb_onnx_with_scalar (lowering,
                                           is_positive ? "_npi_greater_equal_scalar"
                                                       : "_npi_greater_scalar",
                                           largest, is_positive ? 0.5 : 0),
                     hyb_onnx_scalar (lowering, 1, HYB_I64), chosen);
}

/* The number of the only pair for both classes. */
static HybValueId
two_scores (HybLowering *lowering, HybValueId s)
{
  const char *transform = hyb_onnx_string (lowering, "post_transform", "NONE");
  gboolean    is_plain = strcmp (transform, "NONE") == 0;
  HybValueId  pair[2];

  if (strcmp (transform, "PROBIT") == 0)
    hyb_lowering_fail (lowering, NULL,
                       "the number of two classes is not a probability, which its "
                       "post_transform PROBIT needs");
  pair[1] = strcmp (transform, "LOGISTIC") == 0 ? hyb_onnx_unary (lowering, "sigmoid", s) : s;
  pair[0] = hyb_onnx_with_scalar (lowering, "_rminus_scalar", pair[1], is_plain ? 0 : 1);
  return hyb_onnx_concat (lowering, 2, pair, 1);
}

static HybValueId
read_rows (HybLowering *lowering)
{
  return hyb_onnx_cast (lowering, onnx_ml_rows (lowering, 0), HYB_F64);
}

static void
lower_classifier (HybLowering *lowering)
{
  HybType    labels = { hyb_shape_1d (HYB_UNKNOWN), HYB_I64 };
  Machine    machine;
  HybValueId x, scores, chosen;

  hyb_lowering_set_type (lowering, 0, &labels);
  if (!onnx_ml_are_rows_known (lowering, 1) || !read_machine (lowering, &machine))
    return;
  x = read_rows (lowering);
  if (machine.n_vectors == 0)
    {
      scores = find_linear (lowering, &machine, x);
      chosen = choose_linear (lowering, &machine, scores);
    }
  else
    {
      scores = onnx_matmul (lowering, find_similarity (lowering, x, machine.n_vectors),
                            pair_weights (lowering, &machine));
      scores = onnx_add (lowering, scores, matrix (lowering, 1, machine.n_pairs, machine.rho));
      chosen = count_votes (lowering, &machine, scores);
      if (machine.n_a > 0)
        scores = find_probabilities (lowering, &machine, scores);
    }
  scores = hyb_onnx_cast (lowering, scores, HYB_F32);
  onnx_ml_set_labels (lowering, "classlabels_ints", chosen);
  hyb_lowering_set_output (lowering, 1,
                           machine.n_vectors > 0 && machine.n_a == 0 && machine.n_classes == 2
                               ? two_scores (lowering, scores)
                               : onnx_ml_transform (lowering, scores));
}

static void
lower_regressor (HybLowering *lowering)
{
  Machine    machine = { .n_classes = 1,
                         .n_vectors =
                             CLAMP (hyb_onnx_int (lowering, "n_supports", 0), 0, G_MAXINT32) };
  HybValueId x, y;

  if (!onnx_ml_are_rows_known (lowering, 0))
    return;
  hyb_onnx_floats (lowering, "coefficients", &machine.n_coefficients, &machine.coefficients);
  hyb_onnx_floats (lowering, "rho", &machine.n_rho, &machine.rho);
  if (machine.n_rho < 1 || (machine.n_vectors > 0 && machine.n_coefficients != machine.n_vectors))
    {
      hyb_lowering_fail (lowering, NULL, "its attributes do not fit each other");
      return;
    }
  x = read_rows (lowering);
  if (machine.n_vectors == 0)
    y = find_linear (lowering, &machine, x);
  else
    y = onnx_shift (lowering,
                    onnx_matmul (lowering, find_similarity (lowering, x, machine.n_vectors),
                                 matrix (lowering, machine.n_vectors, 1, machine.coefficients)),
                    machine.rho[0]);
  if (hyb_onnx_int (lowering, "one_class", 0))
    y = onnx_where (lowering, hyb_onnx_with_scalar (lowering, "_npi_greater_scalar", y, 0),
                    hyb_onnx_scalar (lowering, 1, HYB_F64),
                    hyb_onnx_scalar (lowering, -1, HYB_F64));
  hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, y, HYB_F32));
}

static const char *const inputs[] = { "X", NULL };
static const char *const outputs[] = { "Y", "Z", NULL };

const HybOnnxOp hyb_onnx_ops_ml_vectors[] = {
  { .op = { HYB_ONNX_ROW, .name = "SVMRegressor",
            .doc = "A number from the similarity of each row to support vectors.",
            .category = HYB_CATEGORY_LINEAR, .inputs = inputs, .outputs = outputs,
            .lower = lower_regressor },
    .domain = "ai.onnx.ml",
    .since = 1 },
  { .op = { HYB_ONNX_ROW, .name = "SVMClassifier",
            .doc = "The class whose support vectors each row resembles most.",
            .category = HYB_CATEGORY_LINEAR, .inputs = inputs, .outputs = outputs,
            .lower = lower_classifier },
    .domain = "ai.onnx.ml",
    .since = 1 },
  { .since = 0 },
};
