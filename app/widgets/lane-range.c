/* lane-range.c — the visible and the measured range of the timeline, hits of a search, and moving to a span.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/lane-chart-private.h"

#include <string.h>

/* Share of the visible range around a span that is moved to. */
#define SHARE_AROUND 0.1

gboolean
scope_lane_chart_is_marked (const ScopeLaneChart *self, const ScopeSpan *span)
{
  return span->user != 0 && g_hash_table_contains (self->marked, GUINT_TO_POINTER (span->user));
}

void
scope_lane_chart_set_range (ScopeLaneChart *self, double begin, double end)
{
  double length = CLAMP (end - begin, (self->last_time - self->first_time) * 1e-6,
                         self->last_time - self->first_time);

  self->begin = CLAMP (begin, self->first_time, MAX (self->last_time - length, self->first_time));
  self->end = self->begin + length;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* --- The measured range --- */

void
scope_lane_chart_set_measured (ScopeLaneChart *self, double begin, double end)
{
  gboolean is_empty = !self->spans || !(end > begin);

  self->measured_begin =
      is_empty ? 0 : CLAMP (begin, self->first_time, MAX (self->last_time, self->first_time));
  self->measured_end =
      is_empty ? 0 : CLAMP (end, self->first_time, MAX (self->last_time, self->first_time));
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit_by_name (self, "measured");
}

gboolean
scope_lane_chart_get_measured (ScopeLaneChart *self, double *begin, double *end)
{
  *begin = self->measured_begin;
  *end = self->measured_end;
  return self->measured_end > self->measured_begin;
}

void
scope_lane_chart_measure_marked (ScopeLaneChart *self)
{
  double begin = G_MAXDOUBLE, end = -G_MAXDOUBLE;

  for (guint i = 0; self->spans && i < self->spans->len; i++)
    {
      const ScopeSpan *span = &g_array_index (self->spans, ScopeSpan, i);

      if (!scope_lane_chart_is_marked (self, span))
        continue;
      begin = MIN (begin, span->begin);
      end = MAX (end, span->end);
    }
  if (end > begin)
    scope_lane_chart_set_measured (self, begin, end);
  else
    scope_lane_chart_set_measured (self, self->begin, self->end);
}

/* --- The search --- */

guint
scope_lane_chart_find (ScopeLaneChart *self, const char *text)
{
  g_autofree char *wanted = text ? g_utf8_casefold (text, -1) : NULL;
  guint            n = 0;

  g_clear_pointer (&self->hits, g_array_unref);
  self->hit = -1;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (!wanted || *wanted == '\0')
    return 0;
  self->hits = g_array_new (FALSE, FALSE, sizeof (guint8));
  for (guint i = 0; self->spans && i < self->spans->len; i++)
    {
      const ScopeSpan *span = &g_array_index (self->spans, ScopeSpan, i);
      g_autofree char *label = g_utf8_casefold (span->label ? span->label : "", -1);
      g_autofree char *group = g_utf8_casefold (span->group ? span->group : "", -1);
      guint8           is_hit = strstr (label, wanted) != NULL || strstr (group, wanted) != NULL;

      n += is_hit;
      g_array_append_val (self->hits, is_hit);
    }
  return n;
}

gboolean
scope_lane_chart_is_hit (ScopeLaneChart *self, guint span)
{
  return !self->hits || (span < self->hits->len && g_array_index (self->hits, guint8, span));
}

guint32
scope_lane_chart_step_hit (ScopeLaneChart *self, int direction)
{
  int n = self->hits ? (int) self->hits->len : 0;

  for (int i = 1; i <= n; i++)
    {
      int              at = ((self->hit + direction * i) % n + n) % n;
      const ScopeSpan *span = &g_array_index (self->spans, ScopeSpan, at);

      if (self->hit < 0 && direction < 0)
        at = n - i;
      span = &g_array_index (self->spans, ScopeSpan, at);
      if (!g_array_index (self->hits, guint8, at))
        continue;
      self->hit = at;
      scope_lane_chart_show_time (self, span->begin, span->end);
      return span->user;
    }
  return 0;
}

/* --- Moving --- */

void
scope_lane_chart_show_time (ScopeLaneChart *self, double begin, double end)
{
  double length = self->end - self->begin;

  if (begin >= self->begin && end <= self->end)
    return;
  if (end - begin > length * (1 - 2 * SHARE_AROUND))
    length = (end - begin) / (1 - 2 * SHARE_AROUND);
  begin = (begin + end - length) / 2;
  scope_lane_chart_set_range (self, begin, begin + length);
}

void
scope_lane_chart_show_marked (ScopeLaneChart *self)
{
  const ScopeSpan *first = NULL;

  for (guint i = 0; self->spans && i < self->spans->len; i++)
    {
      const ScopeSpan *span = &g_array_index (self->spans, ScopeSpan, i);

      if (!scope_lane_chart_is_marked (self, span))
        continue;
      if (span->begin >= self->begin && span->end <= self->end)
        return; /* one can be seen */
      if (!first)
        first = span;
    }
  if (first)
    scope_lane_chart_show_time (self, first->begin, first->end);
}
