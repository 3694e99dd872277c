/* recording-pen.c — implements the pen that remembers texts; shapes are ignored.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/viz/recording-pen.h"

#include <string.h>

typedef struct
{
  VizPen      pen;
  GArray     *texts;
  VizMeasure *measure;
  char       *kind, *id;
} Recorder;

static void
record_begin (VizPen *pen, const char *kind, const char *id, const char *title G_GNUC_UNUSED)
{
  Recorder *self = (Recorder *) pen;

  g_free (self->kind);
  g_free (self->id);
  self->kind = g_strdup (kind);
  self->id = g_strdup (id);
}

static void
record_end (VizPen *pen)
{
  Recorder *self = (Recorder *) pen;

  g_clear_pointer (&self->kind, g_free);
  g_clear_pointer (&self->id, g_free);
}

static void
ignore_rect (VizPen *pen           G_GNUC_UNUSED,
             const VizRect *rect   G_GNUC_UNUSED,
             double radius         G_GNUC_UNUSED,
             const VizStyle *style G_GNUC_UNUSED)
{
}

static void
ignore_rects (VizPen *pen           G_GNUC_UNUSED,
              const VizRect *rects  G_GNUC_UNUSED,
              guint n_rects         G_GNUC_UNUSED,
              const VizColour *fill G_GNUC_UNUSED)
{
}

static void
ignore_points (VizPen *pen            G_GNUC_UNUSED,
               const VizPoint *points G_GNUC_UNUSED,
               guint n_points         G_GNUC_UNUSED,
               const VizStyle *style  G_GNUC_UNUSED)
{
}

/* Whether an ellipsis replaces letters; between two numbers it means a range. */
static gboolean
is_cut (const char *text)
{
  const char *found = strstr (text, "…");

  return found && !(found > text && found[-1] == ' ' && found[strlen ("…")] == ' ');
}

static void
record_text (VizPen *pen, const VizTextAt *at, const char *text)
{
  Recorder *self = (Recorder *) pen;
  double    width =
      viz_measure_width (self->measure, at->style, text) * at->size / viz_text_size (at->style);
  RecordedText recorded = {
    .text = g_strdup (text),
    .kind = g_strdup (self->kind),
    .id = g_strdup (self->id),
    .rect = { at->x - at->align * width, at->y - at->size * 0.75, width, at->size * 0.95 },
    .is_cut = is_cut (text),
  };

  g_array_append_val (self->texts, recorded);
}

static void
recorder_free (VizPen *pen)
{
  record_end (pen);
  g_free (pen);
}

VizPen *
recording_pen_new (GArray *texts, const char *font)
{
  Recorder *self = g_new0 (Recorder, 1);

  self->pen = (VizPen){ .begin = record_begin,
                        .end = record_end,
                        .rect = ignore_rect,
                        .rects = ignore_rects,
                        .curve = ignore_points,
                        .polygon = ignore_points,
                        .text = record_text,
                        .free = recorder_free };
  self->texts = texts;
  self->measure = viz_measure_get (font);
  return &self->pen;
}

static void
clear_text (gpointer data)
{
  RecordedText *recorded = data;

  g_free (recorded->text);
  g_free (recorded->kind);
  g_free (recorded->id);
}

GArray *
recording_pen_texts (void)
{
  GArray *texts = g_array_new (FALSE, FALSE, sizeof (RecordedText));

  g_array_set_clear_func (texts, clear_text);
  return texts;
}
