/* render-overlay.c — makes the colours of hscope render from captures or numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/render/render-overlay.h"

#include "app/adapt/capture-to-heat.h"
#include "app/adapt/file-kind.h"
#include "app/adapt/node-data.h"
#include "app/command/frame/command.h"
#include "app/command/frame/open-model.h"

#include "engine/formats/file.h"

/* Fails if no node of the file is in the model, warns if some are missing. */
static gboolean
check_matches (const ScopeRenderOverlay *options, const ScopeHeatCount *count, GError **error)
{
  if (count->n_executed > 0 && count->n_found == 0)
    return scope_usage_error (error,
                              "%s: none of its %u nodes is in this model. Use a file that was made "
                              "for this model",
                              options->file, count->n_executed);
  if (count->n_found < count->n_executed)
    scope_print_message (HYB_SEVERITY_WARNING, "%s: only %u of its %u nodes are in this model",
                         options->file, count->n_found, count->n_executed);
  return TRUE;
}

static gboolean
check_heat (const ScopeRenderOverlay *options, GError **error)
{
  const char *problem = NULL;

  if (options->heat && scope_heat_find (options->heat) == SCOPE_N_HEATS)
    problem = "unknown measure; there are self, inclusive, share, flops, bytes and roofline";
  else if ((options->heat || options->against) &&
           (!options->file || !scope_is_capture (options->file)))
    problem = "this option needs --overlay with a capture";
  if (!problem)
    return TRUE;
  return scope_usage_error (error, "%s %s: %s", options->heat ? "--heat" : "--against",
                            options->heat ? options->heat : options->against, problem);
}

static gboolean
paint_capture (const ScopeRenderOverlay *options,
               const ScopeRenderDrawing *drawing,
               VizOverlay              **overlay,
               GError                  **error)
{
  HybGraph *graph = hyb_model_get_graph (drawing->model);
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (ProfCapture) against = NULL;
  g_autoptr (ProfSummary) summary = NULL;
  g_autofree guint32 *boxes = NULL;
  ScopeHeatSource     source;
  ScopeHeatCount      count = { 0 };
  ScopeHeat           heat = options->heat ? scope_heat_find (options->heat) : SCOPE_HEAT_SELF;

  if (!(capture = scope_open_capture (options->file, error)) ||
      (options->against && !(against = scope_open_capture (options->against, error))))
    return FALSE;
  summary = prof_summary_new (capture);
  boxes = scope_capture_find_boxes (capture, graph, drawing->places);
  scope_capture_count_boxes (summary, boxes, &count);
  source = (ScopeHeatSource){ capture, summary, drawing->diagram, boxes, drawing->folds };
  *overlay = against
                 ? scope_capture_paint_difference (&source, against)
                 : scope_capture_paint (&source, heat,
                                        heat == SCOPE_HEAT_ROOF ? VIZ_SCALE_LINEAR : VIZ_SCALE_LOG);
  return check_matches (options, &count, error);
}

/* Colours by numbers of the user. */
static gboolean
paint_numbers (const ScopeRenderOverlay *options,
               const ScopeRenderDrawing *drawing,
               VizOverlay              **overlay,
               GError                  **error)
{
  g_autoptr (GBytes) bytes = hyb_file_read (options->file, HYB_FILE_TEXT_LIMIT, error);
  g_autoptr (ScopeNodeData) data =
      bytes ? scope_node_data_read (bytes, options->file, error) : NULL;
  ScopeHeatCount count;

  if (!data)
    return FALSE;
  if (scope_node_data_n_skipped (data) > 0)
    scope_print_message (HYB_SEVERITY_WARNING,
                         "%s: %u of its members were left out because they are not finite numbers",
                         options->file, scope_node_data_n_skipped (data));
  *overlay =
      scope_node_data_paint (data,
                             &(ScopeNodeDataPaint){ drawing->diagram, drawing->places,
                                                    drawing->folds, VIZ_SCALE_LINEAR, FALSE },
                             &count);
  return check_matches (options, &count, error);
}

/* Whether the file is text that may hold numbers, instead of a capture. */
static gboolean
is_text (const char *file)
{
  char head[64];

  return scope_node_data_is (head, scope_read_head (file, head, sizeof head));
}

gboolean
scope_render_overlay_make (const ScopeRenderOverlay *options,
                           const ScopeRenderDrawing *drawing,
                           VizOverlay              **overlay,
                           GError                  **error)
{
  if (!check_heat (options, error))
    return FALSE;
  if (!options->file)
    return TRUE;
  return is_text (options->file) ? paint_numbers (options, drawing, overlay, error)
                                 : paint_capture (options, drawing, overlay, error);
}
