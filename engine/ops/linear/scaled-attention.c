/* scaled-attention.c — _scaled_attention: softmax (scale q kᵀ + bias, where mask) v, a block of rows at a time.
 *
 * The scores of a block stay in the cache, and columns that the mask hides from all of its rows are left out if they are
 * minus infinite, so that values which are not finite there do not make a result NaN.  passes/fuse-attention.c writes it
 * for attention in pieces.  Start at attention_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/parallel.h"
#include "engine/base/translate.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/kernels/matrix/panels.h"
#include "engine/kernels/simd/simd.h"
#include "engine/kernels/softmax.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>
#include <string.h>

#include "engine/kernels/vectorise.h"

#define BLOCK_SCORES  (64 << 10) /* elements of a block: a quarter of a MiB */
#define MIN_ROWS      16         /* of a block: fewer make the products slow */
#define SERIAL_SCORES (16 << 10) /* so few are not worth a second thread */

typedef struct
{
  double   scale;
  gboolean has_bias, has_mask, is_inverted;
} AttentionParams;

static const HybParam attention_params[] = {
  { HYB_FIELD (AttentionParams, scale), HYB_PARAM_FLOAT, "1.0", .doc = "factor of the scores" },
  { HYB_FIELD (AttentionParams, has_bias), HYB_PARAM_BOOL, "False",
    .doc = "an input is added to the scores" },
  { HYB_FIELD (AttentionParams, has_mask), HYB_PARAM_BOOL, "False",
    .doc = "two inputs select the scores that count, and the replacement for the others" },
  { HYB_FIELD (AttentionParams, is_inverted), HYB_PARAM_BOOL, "False",
    .doc = "the mask marks scores that are replaced" },
  { 0 },
};

/* Inputs: q […, m, d], kᵀ […, d, n], v […, n, e], then bias and mask, which are broadcast to the scores […, m, n], and one number
 * for where the mask hides. */
enum
{
  QUERY,
  KEY,
  VALUE,
  FIRST_OPTIONAL,
};

static void
attention_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const AttentionParams *params = values;

  *n_inputs = FIRST_OPTIONAL + (params->has_bias ? 1 : 0) + (params->has_mask ? 2 : 0);
  *n_outputs = 1;
}

/* The index of the mask among the inputs. */
static guint
mask_input (const AttentionParams *params)
{
  return FIRST_OPTIONAL + (params->has_bias ? 1 : 0);
}

static gboolean
attention_infer_dtype (HybCall *call, GError **error)
{
  const AttentionParams *params = call->params;
  guint                  mask = params->has_mask ? mask_input (params) : G_MAXUINT;

  for (guint i = 0; i < call->n_inputs; i++)
    if (!hyb_dtype_assign (&call->input[i].dtype, i == mask ? HYB_BOOL : HYB_F32, error))
      return FALSE;
  return hyb_dtype_assign (&call->output[0].dtype, HYB_F32, error);
}

/* The shape of the scores: q with the columns of kᵀ, over the larger of both batches. */
static HybShape
scores_shape (const HybCall *call)
{
  HybShape        shape = call->input[QUERY].shape;
  const HybShape *key = &call->input[KEY].shape;

  for (int i = 0; i < shape.rank - 2; i++)
    shape.dim[i] = MAX (shape.dim[i], key->dim[i]);
  shape.dim[shape.rank - 1] = key->dim[key->rank - 1];
  return shape;
}

static gboolean
attention_infer_shape (HybCall *call, GError **error)
{
  const HybShape *query = &call->input[QUERY].shape, *key = &call->input[KEY].shape;
  const HybShape *value = &call->input[VALUE].shape;
  HybShape        want;

  for (guint i = 0; i < call->n_inputs; i++)
    if (!hyb_shape_is_known (&call->input[i].shape))
      return TRUE;
  if (query->rank < 2 || query->rank != key->rank || query->rank != value->rank ||
      query->dim[query->rank - 1] != key->dim[key->rank - 2] ||
      key->dim[key->rank - 1] != value->dim[value->rank - 2])
    return hyb_refuse_types (error, "Use matrices that can be multiplied",
                             "its query, key and value do not fit each other");
  want = scores_shape (call);
  want.dim[want.rank - 1] = value->dim[value->rank - 1];
  return hyb_shape_assign (&call->output[0].shape, &want, error);
}

/* --- Layout --- */

/* An operand that is broadcast to […, rows, columns]: elements from one to the next, 0 where it is repeated. */
typedef struct
{
  gconstpointer data;
  gint64        batch[HYB_MAX_RANK], row, column;
} Operand;

typedef struct
{
  int      n_batch; /* axes */
  gint64   dim[HYB_MAX_RANK];
  gint64   m, n, d, e;
  gint64   rows, n_blocks; /* of a block, and blocks in a matrix */
  gint64   n_tasks, n_slices;
  double   scale;
  gboolean is_inverted, skips; /* skips: what the mask hides has no weight */
  gboolean packs;              /* multiplies with panels of the keys and of the values */
  Operand  query, key, value, bias, mask;
  float    hidden; /* replaces what the mask hides */
  float   *scores; /* of all slices */
  float   *to;
} Attention;

static Operand
operand_of (const HybShape *shape, const HybShape *scores, gconstpointer data)
{
  Operand operand = { .data = data };
  gint64  step = 1;

  for (int i = 1; i <= shape->rank; i++)
    {
      gint64 dim = shape->dim[shape->rank - i], stride = dim == 1 ? 0 : step;

      if (i == 1)
        operand.column = stride;
      else if (i == 2)
        operand.row = stride;
      else
        operand.batch[scores->rank - i] = stride;
      step *= dim;
    }
  return operand;
}

/* How the work is divided; it depends on shapes and the number of threads alone. */
static void
divide (const HybCall *call, Attention *self)
{
  HybShape scores = scores_shape (call);

  *self = (Attention){ .n_batch = scores.rank - 2 };
  self->m = scores.dim[scores.rank - 2];
  self->n = scores.dim[scores.rank - 1];
  self->d = call->input[QUERY].shape.dim[scores.rank - 1];
  self->e = call->output[0].shape.dim[scores.rank - 1];
  self->rows = MIN (MAX (1, self->m), MAX (MIN_ROWS, BLOCK_SCORES / MAX (1, self->n)));
  self->n_blocks = (self->m + self->rows - 1) / self->rows;
  self->packs = hyb_simd_level () != HYB_SIMD_PLAIN && self->m >= MIN_ROWS;
  self->n_tasks = self->n_blocks;
  for (int i = 0; i < self->n_batch; i++)
    {
      self->dim[i] = scores.dim[i];
      self->n_tasks *= scores.dim[i];
    }
}

static gboolean
attention_prepare (HybCall *call, GError **error)
{
  Attention *self = g_new (Attention, 1);
  gint64     n_serial;

  divide (call, self);
  n_serial = self->n_tasks * self->rows * self->n / SERIAL_SCORES;
  self->n_slices = CLAMP (MIN (self->n_tasks, n_serial), 1, (gint64) hyb_parallel_get_threads ());
  call->prepared = self;
  return TRUE;
}

static void
attention_release (HybCall *call)
{
  g_free (call->prepared);
}

/* Floats of the scores of a slice, which begin at a multiple of a cache line. */
static gint64
slice_scores (const Attention *self)
{
  return (self->rows * self->n + 15) / 16 * 16;
}

/* The memory of a slice: its scores, then the panels of the keys and of the values. */
static gint64
slice_floats (const Attention *self)
{
  gsize keys = hyb_panels_size (self->n, self->d), values = hyb_panels_size (self->e, self->n);

  return slice_scores (self) + (self->packs ? (gint64) (keys + values) : 0);
}

static gsize
attention_workspace (const HybCall *call)
{
  const Attention *self = call->prepared;

  return (gsize) (self->n_slices * slice_floats (self)) * sizeof (float);
}

/* --- Computing --- */

/* The first element of an operand for one matrix of the batch. */
static gint64
offset_of (const Attention *self, const Operand *operand, gint64 matrix)
{
  gint64 offset = 0;

  for (int i = self->n_batch - 1; i >= 0; i--)
    {
      offset += matrix % self->dim[i] * operand->batch[i];
      matrix /= self->dim[i];
    }
  return offset;
}

static gboolean
is_shown (const Attention *self, const guint8 *mask, gint64 column)
{
  return !mask[column * self->mask.column] != !self->is_inverted;
}

/* The end of the last column from `begin` on that a row shows; begin if there is none. */
static gint64
last_shown (const Attention *self, const guint8 *row, gint64 begin)
{
  guint64 hidden = self->is_inverted ? G_GUINT64_CONSTANT (0x0101010101010101) : 0, word;
  gint64  end = self->n;

  while (end - begin >= (gint64) sizeof word)
    {
      memcpy (&word, row + end - sizeof word, sizeof word);
      if (word != hidden)
        break;
      end -= (gint64) sizeof word;
    }
  while (end > begin && !is_shown (self, row, end - 1))
    end--;
  return end;
}

/* The number of leading columns beyond which the mask hides everything from these rows; all of them if a row has none that it
 * shows, since the softmax of such a row is over all columns. */
static gint64
count_columns (const Attention *self, const guint8 *mask, gint64 n_rows)
{
  gint64 n = 0;

  if (!self->skips || self->mask.column == 0)
    return self->n;
  for (gint64 i = 0; i < n_rows; i++)
    {
      const guint8 *row = mask + i * self->mask.row;
      gint64        first = 0;

      n = last_shown (self, row, n);
      while (first < n && !is_shown (self, row, first))
        first++;
      if (first == n)
        return self->n;
    }
  return n;
}

static void
add_bias (const Attention *self, const float *bias, gint64 n, float *to)
{
  if (self->bias.column == 0)
    for (gint64 c = 0; c < n; c++)
      to[c] += bias[0];
  else
    for (gint64 c = 0; c < n; c++)
      to[c] += bias[c];
}

static void
hide (const Attention *self, const guint8 *mask, gint64 n, float *to)
{
  float hidden = self->hidden;

  if (self->mask.column == 0)
    {
      if (!is_shown (self, mask, 0))
        for (gint64 c = 0; c < n; c++)
          to[c] = hidden;
      return;
    }
  if (self->is_inverted)
    for (gint64 c = 0; c < n; c++)
      to[c] = mask[c] ? hidden : to[c];
  else
    for (gint64 c = 0; c < n; c++)
      to[c] = mask[c] ? to[c] : hidden;
}

/* Scores of n_rows rows with the first n columns. */
static HybGemm
scores_product (const Attention *self, gint64 n_rows, gint64 n)
{
  return (HybGemm){ .m = n_rows,
                    .n = n,
                    .k = self->d,
                    .lda = self->d,
                    .ldb = self->n,
                    .ldc = n,
                    .alpha = self->scale };
}

/* Values weighted by these scores. */
static HybGemm
values_product (const Attention *self, gint64 n_rows, gint64 n)
{
  return (HybGemm){
    .m = n_rows, .n = self->e, .k = n, .lda = n, .ldb = self->e, .ldc = self->e, .alpha = 1
  };
}

/* A slice of the work: its memory, and the matrix of the batch whose keys and values the panels hold; -1: none. */
typedef struct
{
  float *scores, *keys, *values;
  gint64 matrix;
} Slice;

/* Packs the keys, multiplied by the scale, and the values of a matrix.  Each is then read by all of its rows. */
static void
pack (const Attention *self, Slice *slice, gint64 matrix, const float *key, const float *value)
{
  gsize n_keys = hyb_panels_size (self->n, self->d);
  float scale = (float) self->scale;

  if (slice->matrix == matrix)
    return;
  slice->matrix = matrix;
  hyb_panels_pack (self->n, self->d, key, FALSE, slice->keys);
  hyb_panels_pack (self->e, self->n, value, FALSE, slice->values);
  for (gsize i = 0; i < n_keys; i++)
    slice->keys[i] *= scale;
}

/* The rows of one task, and the columns that the mask leaves of them. */
typedef struct
{
  gint64       n_rows, n;
  const float *query, *key, *value;
  float       *to;
} Rows;

static void
multiply_panels (const HybGemm *gemm, const float *x, const float *panels, float *y)
{
  hyb_panels_multiply (&(HybPanelProduct){ .m = gemm->m,
                                           .n = gemm->n,
                                           .k = gemm->k,
                                           .ldx = gemm->lda,
                                           .ldy = gemm->ldc },
                       x, panels, y);
}

static void
multiply_keys (const Attention *self, const Slice *slice, const Rows *rows)
{
  HybGemm gemm = scores_product (self, rows->n_rows, rows->n);

  if (self->packs)
    multiply_panels (&gemm, rows->query, slice->keys, slice->scores);
  else
    hyb_gemm_f32 (&gemm, rows->query, rows->key, slice->scores);
}

/* Panels hold all values, so they serve if no column is left out. */
static void
multiply_values (const Attention *self, const Slice *slice, const Rows *rows)
{
  HybGemm gemm = values_product (self, rows->n_rows, rows->n);

  if (self->packs && rows->n == self->n)
    multiply_panels (&gemm, slice->scores, slice->values, rows->to);
  else
    hyb_gemm_f32 (&gemm, slice->scores, rows->value, rows->to);
}

/* Adds the bias to the scores of a block, and hides what the mask says. */
static void
finish_scores (const Attention *self,
               const Rows      *rows,
               const float     *bias,
               const guint8    *mask,
               float           *scores)
{
  for (gint64 i = 0; i < rows->n_rows; i++)
    {
      if (bias)
        add_bias (self, bias + i * self->bias.row, rows->n, scores + i * rows->n);
      if (mask)
        hide (self, mask + i * self->mask.row, rows->n, scores + i * rows->n);
    }
}

/* Computes block number task. */
static void
attend (const Attention *self, gint64 task, Slice *slice)
{
  gint64 matrix = task / self->n_blocks, begin = task % self->n_blocks * self->rows;
  Rows   rows = {
      .n_rows = MIN (self->rows, self->m - begin),
      .n = self->n,
      .query =
          (const float *) self->query.data + offset_of (self, &self->query, matrix) + begin * self->d,
      .key = (const float *) self->key.data + offset_of (self, &self->key, matrix),
      .value = (const float *) self->value.data + offset_of (self, &self->value, matrix),
      .to = self->to + (matrix * self->m + begin) * self->e,
  };
  const float  *bias = self->bias.data;
  const guint8 *mask = self->mask.data;

  if (mask)
    {
      mask += offset_of (self, &self->mask, matrix) + begin * self->mask.row;
      rows.n = count_columns (self, mask, rows.n_rows);
    }
  if (bias)
    bias += offset_of (self, &self->bias, matrix) + begin * self->bias.row;
  if (self->packs)
    pack (self, slice, matrix, rows.key, rows.value);
  multiply_keys (self, slice, &rows);
  finish_scores (self, &rows, bias, mask, slice->scores);
  hyb_softmax_forward (&(HybSoftmaxView){ .outer = rows.n_rows,
                                          .length = rows.n,
                                          .inner = 1,
                                          .scale = 1 },
                       HYB_F32, slice->scores, slice->scores);
  multiply_values (self, slice, &rows);
}

static void
attend_slices (gint64 begin, gint64 end, gpointer data)
{
  const Attention *self = data;

  for (gint64 i = begin; i < end; i++)
    {
      Slice slice = { .scores = self->scores + i * slice_floats (self), .matrix = -1 };

      if (self->packs)
        {
          slice.keys = slice.scores + slice_scores (self);
          slice.values = slice.keys + hyb_panels_size (self->n, self->d);
        }
      for (gint64 task = i * self->n_tasks / self->n_slices;
           task < (i + 1) * self->n_tasks / self->n_slices; task++)
        attend (self, task, &slice);
    }
}

static void
attention_forward (const HybCall *call, const HybRun *run)
{
  const AttentionParams *params = call->params;
  Attention              self = *(const Attention *) call->prepared;
  HybShape               scores = scores_shape (call);
  guint                  mask = mask_input (params);

  if (hyb_shape_size (&call->output[0].shape) == 0)
    return;
  self.scale = params->scale;
  self.is_inverted = params->is_inverted;
  self.scores = run->workspace;
  self.to = run->output[0];
  self.query = operand_of (&call->input[QUERY].shape, &scores, run->input[QUERY]);
  self.key = operand_of (&call->input[KEY].shape, &scores, run->input[KEY]);
  self.value = operand_of (&call->input[VALUE].shape, &scores, run->input[VALUE]);
  if (params->has_bias)
    self.bias =
        operand_of (&call->input[FIRST_OPTIONAL].shape, &scores, run->input[FIRST_OPTIONAL]);
  if (params->has_mask)
    {
      self.mask = operand_of (&call->input[mask].shape, &scores, run->input[mask]);
      self.hidden = *(const float *) run->input[mask + 1];
      self.skips = isinf (self.hidden) && self.hidden < 0;
    }
  hyb_parallel_for (self.n_slices, 1, attend_slices, &self);
}

/* The kernel of the scores in a whole block, which take as long as the values. */
static const char *
attention_note (const HybCall *call)
{
  const Attention *self = call->prepared;
  HybGemm          gemm = scores_product (self, self->rows, self->n);

  if (self->packs)
    return N_ ("panels of 32 columns, packed once for all rows");
  gemm.alpha = ((const AttentionParams *) call->params)->scale;
  return hyb_gemm_note (&gemm, HYB_F32);
}

static void
attention_cost (const HybCall *call, HybCost *cost)
{
  HybShape scores = scores_shape (call);
  double   n = (double) hyb_shape_size (&scores);
  gint64   d = call->input[QUERY].shape.dim[scores.rank - 1];
  gint64   e = call->output[0].shape.dim[scores.rank - 1];

  /* As softmax: the largest element, exp, sum, quotient. */
  cost->flops = n * (2 * (double) (d + e) + 5);
  hyb_rule_cost_bytes (call, cost);
}

const HybOp hyb_ops_scaled_attention[] = {
  { .name = "_scaled_attention",
    .doc = "Weights rows of v by the softmax of scaled products of q and k, in blocks.",
    .category = HYB_CATEGORY_LINEAR,
    .flags = HYB_OP_INTERNAL,
    .inputs = (const char *const[]){ "query", "key", "value", "bias", "mask", "hidden", NULL },
    HYB_PARAMS (attention_params, AttentionParams),
    .arity = attention_arity,
    .infer_shape = attention_infer_shape,
    .infer_dtype = attention_infer_dtype,
    .dtypes = HYB_DTYPE_BIT (HYB_F32) | HYB_DTYPE_BIT (HYB_BOOL),
    .prepare = attention_prepare,
    .release = attention_release,
    .workspace = attention_workspace,
    .forward = attention_forward,
    .note = attention_note,
    .cost = attention_cost },
  { 0 },
};
