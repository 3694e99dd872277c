/* report-bars.c — charts of viz that own what they draw.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report-bars.h"

#include "profiler/report.h"

#include <math.h>

#define WATERFALL_HEIGHT 220.0

struct _ScopeBars
{
  GArray       *bars; /* of VizBar */
  GStringChunk *texts;
};

ScopeBars *
scope_bars_new (void)
{
  ScopeBars *bars = g_new0 (ScopeBars, 1);

  bars->bars = g_array_new (FALSE, FALSE, sizeof (VizBar));
  bars->texts = g_string_chunk_new (1024);
  return bars;
}

static void
bars_free (gpointer data)
{
  ScopeBars *bars = data;

  g_array_unref (bars->bars);
  g_string_chunk_free (bars->texts);
  g_free (bars);
}

VizCategory
scope_bars_category (guint category)
{
  return (VizCategory) ((category + 1) % VIZ_N_CATEGORIES);
}

void
scope_bars_add (ScopeBars  *bars,
                const char *label,
                const char *text,
                double      value,
                double      low,
                double      high,
                VizCategory category)
{
  VizBar bar = {
    .label = g_string_chunk_insert (bars->texts, label),
    .text = g_string_chunk_insert (bars->texts, text),
    .value = isfinite (value) ? MAX (value, 0) : 0,
    .low = low,
    .high = high,
    .category = category,
  };

  g_array_append_val (bars->bars, bar);
}

static void
draw_bars (VizPen *pen, const VizRect *rect, const VizTheme *theme, gpointer data)
{
  const ScopeBars *bars = data;

  viz_chart_bars (pen, rect, theme, (const VizBar *) (gpointer) bars->bars->data, bars->bars->len);
}

void
scope_page_add_bars (ScopePage *page, const char *title, ScopeBars *bars)
{
  if (bars->bars->len == 0)
    {
      bars_free (bars);
      return;
    }
  scope_page_add_chart (page,
                        title,
                        viz_chart_bars_height (bars->bars->len),
                        draw_bars,
                        bars,
                        bars_free);
}

static void
draw_waterfall (VizPen *pen, const VizRect *rect, const VizTheme *theme, gpointer data)
{
  const ScopeBars *bars = data;

  viz_chart_waterfall (pen,
                       rect,
                       theme,
                       (const VizBar *) (gpointer) bars->bars->data,
                       bars->bars->len);
}

/* From the slow one's time, less bucket after bucket, to the fast one's. */
static void
add_change (ScopeBars  *bars,
            const char *label,
            double      value,
            double      low,
            double      high,
            gboolean    is_total)
{
  g_autofree char *text = prof_format_seconds (value + 0.0);
  VizBar           bar = {
              .label = g_string_chunk_insert (bars->texts, label),
              .text = g_string_chunk_insert (bars->texts, text),
              .value = value,
              .low = low,
              .high = high,
              .is_total = is_total,
              .is_unclear = !is_total && low < 0 && high > 0,
  };

  g_array_append_val (bars->bars, bar);
}

void
scope_page_add_waterfall (ScopePage             *page,
                          const char            *title,
                          const ScopeGroup      *group,
                          const ProfExplanation *explanation)
{
  ScopeBars       *bars = scope_bars_new ();
  ScopeCandidate  *slow, *fast;
  double           most;
  g_autofree char *name = NULL, *reason = NULL, *whole = NULL, *other = NULL;

  if (!scope_group_extremes (group, &slow, &fast))
    {
      bars_free (bars);
      return;
    }
  /* What is less sure than the whole is long would only flatten the picture. */
  most = slow->clean.median.median;
  name = scope_candidate_dup_name (slow);
  add_change (bars, name, slow->clean.median.median, 0, 0, TRUE);
  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    {
      const ProfBucket *bucket = &explanation->bucket[i];

      if (bucket->seconds != 0)
        add_change (bars,
                    bucket->name,
                    -bucket->seconds,
                    CLAMP (-bucket->high, -most, most),
                    CLAMP (-bucket->low, -most, most),
                    FALSE);
    }
  add_change (bars, "residual", -explanation->residual, 0, 0, FALSE);
  other = scope_candidate_dup_name (fast);
  add_change (bars, other, fast->clean.median.median, 0, 0, TRUE);
  reason = scope_explanation_dup_reason (explanation);
  whole = g_strdup_printf ("%s: why “%s” beats “%s”: %s", title, other, name, reason);
  scope_page_add_chart (page, whole, WATERFALL_HEIGHT, draw_waterfall, bars, bars_free);
}
