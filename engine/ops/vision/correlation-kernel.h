/* correlation-kernel.h — the loops of correlation.c, for float and double: for sample, shift,
 * output row and column, then rows, columns and channels of a pair of patches.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sum of products or absolute differences over one pair of patches, all channels. */
static REAL
NAME (compare_patches) (const CorrelationView *view,
                        const REAL            *a,
                        const REAL            *b,
                        const PatchPair       *at)
{
  gint64 plane = view->height * view->width;
  REAL   sum = 0;

  for (gint64 h = 0; h < view->params->kernel_size; h++)
    for (gint64 w = 0; w < view->params->kernel_size; w++)
      {
        gint64 first = cell_index (view, at->y + h, at->x + w);
        gint64 second = cell_index (view, at->y + at->dy + h, at->x + at->dx + w);

        for (gint64 c = 0; c < view->channels; c++)
          {
            REAL u = first < 0 ? 0 : a[c * plane + first];
            REAL v = second < 0 ? 0 : b[c * plane + second];

            sum += view->params->is_multiply ? u * v : u > v ? u - v : v - u;
          }
      }

  return sum;
}

static void
NAME (correlate) (const CorrelationView *view, const REAL *a, const REAL *b, REAL *out)
{
  gint64 sample = view->channels * view->height * view->width;

  for (gint64 n = 0; n < view->batch; n++, a += sample, b += sample)
    for (gint64 shift = 0; shift < view->shifts * view->shifts; shift++)
      for (gint64 i = 0; i < view->out_height; i++)
        for (gint64 j = 0; j < view->out_width; j++, out++)
          {
            PatchPair at = find_patch_pair (view, shift, i, j);

            *out = NAME (compare_patches) (view, a, b, &at) / (REAL) view->size;
          }
}

/* Both images of one sample, and their gradients. */
typedef struct
{
  const REAL *a, *b;
  REAL       *da, *db;
} NAME (Images);

/* Adds the gradient of one output cell, dy, to the cells of both patches. */
static void
NAME (spread_patches) (const CorrelationView *view,
                       const NAME (Images) * images,
                       const PatchPair *at,
                       REAL             dy)
{
  gint64 plane = view->height * view->width;

  for (gint64 h = 0; h < view->params->kernel_size; h++)
    for (gint64 w = 0; w < view->params->kernel_size; w++)
      {
        gint64 first = cell_index (view, at->y + h, at->x + w);
        gint64 second = cell_index (view, at->y + at->dy + h, at->x + at->dx + w);

        for (gint64 c = 0; c < view->channels; c++)
          {
            REAL u = first < 0 ? 0 : images->a[c * plane + first];
            REAL v = second < 0 ? 0 : images->b[c * plane + second];
            REAL sign = u >= v ? 1 : -1;

            if (first >= 0)
              images->da[c * plane + first] += dy * (view->params->is_multiply ? v : sign);
            if (second >= 0)
              images->db[c * plane + second] += dy * (view->params->is_multiply ? u : -sign);
          }
      }
}

static void
NAME (spread) (const CorrelationView *view, const HybRun *run)
{
  gint64      sample = view->channels * view->height * view->width;
  const REAL *dy = run->input[0];

  for (gint64 n = 0; n < view->batch; n++)
    {
      NAME (Images)
      images = { (const REAL *) run->input[1] + n * sample,
                 (const REAL *) run->input[2] + n * sample, (REAL *) run->output[0] + n * sample,
                 (REAL *) run->output[1] + n * sample };

      for (gint64 shift = 0; shift < view->shifts * view->shifts; shift++)
        for (gint64 i = 0; i < view->out_height; i++)
          for (gint64 j = 0; j < view->out_width; j++, dy++)
            {
              PatchPair at = find_patch_pair (view, shift, i, j);

              NAME (spread_patches) (view, &images, &at, *dy / (REAL) view->size);
            }
    }
}
