/* render.c — a graph as a picture: hscope render.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/command.h"

#include "app/adapt/capture-to-heat.h"
#include "app/adapt/graph-to-diagram.h"
#include "app/command/json-writer.h"
#include "app/command/open-model.h"
#include "engine/analysis/infer-types.h"
#include "viz/viz.h"

#include <string.h>

typedef struct
{
  char    *output;
  char    *layout;
  char   **expand;
  char    *fold;
  gint64   depth;
  char    *overlay, *heat, *against;
  char    *theme;
  gint64   max_pixels;
  double   scale;
  gboolean outlined;
  gboolean transparent;
} RenderOptions;

static const GOptionEntry render_entries[] = {
  { "output",
    'o',
    0,
    G_OPTION_ARG_FILENAME,
    SCOPE_OPTION_FIELD (RenderOptions, output),
    "Picture to write: *.svg, *.png, *.pdf or *.dot",
    "FILE" },
  { "layout",
    0,
    0,
    G_OPTION_ARG_STRING,
    SCOPE_OPTION_FIELD (RenderOptions, layout),
    "How to place boxes: auto, layers, grid or dot",
    "NAME" },
  { "expand",
    0,
    0,
    G_OPTION_ARG_STRING_ARRAY,
    SCOPE_OPTION_FIELD (RenderOptions, expand),
    "Open groups whose name matches (repeatable)",
    "GLOB" },
  { "fold",
    0,
    0,
    G_OPTION_ARG_STRING,
    SCOPE_OPTION_FIELD (RenderOptions, fold),
    "What to fold: weights,scopes,repeats (all), or none",
    "LIST" },
  { "depth",
    0,
    0,
    G_OPTION_ARG_INT64,
    SCOPE_OPTION_FIELD (RenderOptions, depth),
    "Open groups down to this depth",
    "N" },
  { "overlay",
    0,
    0,
    G_OPTION_ARG_FILENAME,
    SCOPE_OPTION_FIELD (RenderOptions, overlay),
    "Colour boxes by what this capture measured",
    "CAPTURE" },
  { "heat",
    0,
    0,
    G_OPTION_ARG_STRING,
    SCOPE_OPTION_FIELD (RenderOptions, heat),
    "Which measure: self (default), inclusive, share, flops, bytes or roofline",
    "NAME" },
  { "against",
    0,
    0,
    G_OPTION_ARG_FILENAME,
    SCOPE_OPTION_FIELD (RenderOptions, against),
    "Colour by what the overlay changes against this capture; grey within the noise",
    "CAPTURE" },
  { "theme",
    0,
    0,
    G_OPTION_ARG_STRING,
    SCOPE_OPTION_FIELD (RenderOptions, theme),
    "Colours: light, dark, safe, mxnet, contrast or contrast-dark",
    "NAME" },
  { "max-pixels",
    0,
    0,
    G_OPTION_ARG_INT64,
    SCOPE_OPTION_FIELD (RenderOptions, max_pixels),
    "Largest PNG, in pixels",
    "N" },
  { "scale", 0, 0, G_OPTION_ARG_DOUBLE, SCOPE_OPTION_FIELD (RenderOptions, scale), "Pixels a point", "X" },
  { "outlined",
    0,
    0,
    G_OPTION_ARG_NONE,
    SCOPE_OPTION_FIELD (RenderOptions, outlined),
    "SVG: letters as shapes, for viewers without the font",
    NULL },
  { "transparent",
    0,
    0,
    G_OPTION_ARG_NONE,
    SCOPE_OPTION_FIELD (RenderOptions, transparent),
    "No background",
    NULL },
  { NULL },
};

static gboolean
parse_folds (const RenderOptions *options, ScopeDiagramOptions *diagram, GError **error)
{
  g_auto (GStrv) words = g_strsplit (options->fold ? options->fold : "", ",", -1);

  if (!options->fold)
    return TRUE;
  diagram->keep_weights = diagram->keep_scopes = diagram->keep_repeats = TRUE;
  for (guint i = 0; words[i] != NULL; i++)
    if (strcmp (words[i], "weights") == 0)
      diagram->keep_weights = FALSE;
    else if (strcmp (words[i], "scopes") == 0)
      diagram->keep_scopes = FALSE;
    else if (strcmp (words[i], "repeats") == 0)
      diagram->keep_repeats = FALSE;
    else if (strcmp (words[i], "none") != 0)
      {
        g_set_error (error,
                     SCOPE_ERROR,
                     SCOPE_ERROR_USAGE,
                     "--fold knows weights, scopes, repeats and none, not “%s”",
                     words[i]);
        return FALSE;
      }
  return TRUE;
}

/* Types for the picture: what cannot be inferred is left out, with a warning. */
static HybType *
picture_types (const ScopeCommonOptions *common, HybModel *model, GError **error)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = g_new (HybType, MAX (hyb_graph_n_values (graph), 1));
  g_autoptr (GError) contradiction = NULL;

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  if (!scope_fill_types (common, model, types, error))
    return NULL;
  if (!hyb_infer_types (graph, types, NULL, common->train, &contradiction))
    scope_print_message (HYB_SEVERITY_WARNING, "%s", contradiction->message);
  return g_steal_pointer (&types);
}

static VizFolds *
folds_of (const RenderOptions *options, VizDiagram *diagram)
{
  VizFolds *folds = viz_folds_new (diagram);

  if (options->depth > 0)
    viz_folds_open_depth (folds, (guint) MIN (options->depth, 1000));
  for (guint i = 0; options->expand && options->expand[i]; i++)
    if (viz_folds_open_matching (folds, options->expand[i]) == 0)
      scope_print_message (HYB_SEVERITY_WARNING, "no group is called “%s”", options->expand[i]);
  return folds;
}

static gboolean
check_found (const RenderOptions *options, const ScopeHeatCount *count, GError **error)
{
  if (count->n_executed > 0 && count->n_found == 0)
    {
      g_set_error (error,
                   SCOPE_ERROR,
                   SCOPE_ERROR_USAGE,
                   "%s: none of the %u nodes it has times of is in this model: measure it with "
                   "hscope profile",
                   options->overlay,
                   count->n_executed);
      return FALSE;
    }
  if (count->n_found < count->n_executed)
    scope_print_message (HYB_SEVERITY_WARNING,
               "%s: %u of %u nodes with times are in this model",
               options->overlay,
               count->n_found,
               count->n_executed);
  return TRUE;
}

static gboolean
check_heat (const RenderOptions *options, ScopeHeat *heat, GError **error)
{
  const char *problem = NULL;

  *heat = options->heat ? scope_heat_find (options->heat) : SCOPE_HEAT_SELF;
  if (*heat == SCOPE_N_HEATS)
    problem = "is none of self, inclusive, share, flops, bytes, roofline";
  else if (!options->overlay && (options->heat || options->against))
    problem = "is about an overlay: say --overlay CAPTURE, too";
  if (!problem)
    return TRUE;
  g_set_error (error,
               SCOPE_ERROR,
               SCOPE_ERROR_USAGE,
               "%s %s: it %s",
               options->heat ? "--heat" : "--against",
               options->heat ? options->heat : options->against,
               problem);
  return FALSE;
}

/* FALSE: the capture cannot be read, or is of another model. */
static gboolean
add_overlay (const RenderOptions *options,
             HybModel            *model,
             VizDiagram          *diagram,
             const GArray        *places,
             const VizFolds      *folds,
             VizOverlay         **overlay,
             GError             **error)
{
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (ProfCapture) against = NULL;
  g_autoptr (ProfSummary) summary = NULL;
  g_autofree guint32 *boxes = NULL;
  ScopeHeatCount      count;
  ScopeHeat           heat;

  if (!check_heat (options, &heat, error))
    return FALSE;
  if (!options->overlay)
    return TRUE;
  if (!(capture = prof_capture_open (options->overlay, error)) ||
      (options->against && !(against = prof_capture_open (options->against, error))))
    return FALSE;
  summary = prof_summary_new (capture);
  *overlay = scope_capture_to_heat (capture,
                                    summary,
                                    hyb_model_get_graph (model),
                                    diagram,
                                    places,
                                    folds,
                                    heat,
                                    &count);
  if (against)
    {
      boxes = scope_capture_find_boxes (capture, hyb_model_get_graph (model), places);
      viz_overlay_unref (*overlay);
      *overlay = scope_capture_paint_difference (against, capture, diagram, boxes, folds);
    }
  return check_found (options, &count, error);
}

static guint
count_nodes (VizDiagram *diagram)
{
  guint n = 0;

  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    n += viz_diagram_box (diagram, i)->user != VIZ_NO_USER;
  return n;
}

static void
say_result (const ScopeCommonOptions     *common,
            const RenderOptions   *options,
            VizDiagram            *diagram,
            VizPicture            *picture,
            const VizExportResult *result,
            double                 seconds)
{
  if (common->json)
    {
      g_autoptr (ScopeJson) json = scope_json_new ();

      scope_json_int (json, "nodes", count_nodes (diagram));
      scope_json_int (json, "drawn", viz_picture_n_items (picture) - 1);
      scope_json_int (json, "width", result->width);
      scope_json_int (json, "height", result->height);
      scope_json_double (json, "seconds", seconds);
      scope_json_print (json);
      return;
    }
  g_print ("%s: %u × %u, %u nodes, %u boxes drawn, %.2f s\n",
           options->output,
           result->width,
           result->height,
           count_nodes (diagram),
           viz_picture_n_items (picture) - 1,
           seconds);
}

static int
render_run (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const RenderOptions *options = data;
  gint64               start = g_get_monotonic_time ();
  ScopeDiagramOptions  how = { 0 };
  VizLayoutOptions     layout = { .layout = options->layout };
  VizExportOptions export = { .scale = options->scale,
                              .max_pixels = (guint64) MAX (options->max_pixels, (gint64) 0),
                              .outlined = options->outlined,
                              .transparent = options->transparent };
  VizExportResult result = { 0 };
  g_autoptr (HybModel) model = NULL;
  g_autofree HybType *types = NULL;
  g_autoptr (VizDiagram) diagram = NULL;
  g_autoptr (VizFolds) folds = NULL;
  g_autoptr (VizPicture) picture = NULL;
  g_autoptr (VizOverlay) overlay = NULL;
  g_autoptr (GArray) places = NULL;

  if (!options->output || !viz_export_find (options->output))
    {
      g_set_error (error,
                   SCOPE_ERROR,
                   SCOPE_ERROR_USAGE,
                   "say where to draw with --output FILE.svg, .png, .pdf or .dot");
      return SCOPE_EXIT_USAGE;
    }
  export.theme = viz_theme_find (options->theme);
  if (!export.theme)
    {
      g_set_error (error,
                   SCOPE_ERROR,
                   SCOPE_ERROR_USAGE,
                   "there is no theme “%s”: choose light, dark, safe, mxnet, contrast or "
                   "contrast-dark",
                   options->theme);
      return SCOPE_EXIT_USAGE;
    }
  if (options->layout && !viz_layout_find (options->layout))
    {
      g_set_error (error,
                   SCOPE_ERROR,
                   SCOPE_ERROR_USAGE,
                   "there is no layout “%s”: choose auto, layers, grid or dot",
                   options->layout);
      return SCOPE_EXIT_USAGE;
    }
  if (!parse_folds (options, &how, error))
    return SCOPE_EXIT_USAGE;
  model = scope_open_model (common, files, error);
  if (!model)
    return SCOPE_EXIT_FILE;
  types = picture_types (common, model, error);
  if (!types)
    return SCOPE_EXIT_USAGE;

  how.model = model;
  how.types = types;
  diagram = scope_graph_to_diagram (&how, &places);
  folds = folds_of (options, diagram);
  if (!add_overlay (options, model, diagram, places, folds, &overlay, error))
    return SCOPE_EXIT_FILE;
  export.overlay = overlay;
  picture = viz_layout_diagram (diagram, folds, &layout, NULL, error);
  if (!picture)
    return SCOPE_EXIT_MODEL;
  if (!viz_export_file (picture, options->output, &export, &result, error))
    return SCOPE_EXIT_FILE;
  say_result (common,
              options,
              diagram,
              picture,
              &result,
              (double) (g_get_monotonic_time () - start) / 1e6);
  return SCOPE_EXIT_DONE;
}

const ScopeCommand scope_command_render = {
  .name = "render",
  .arguments = "MODEL [PARAMS]",
  .summary = "Draw the graph as a picture",
  .n_files = { 1, 2 },
  .option_groups = SCOPE_OPTIONS_MODEL | SCOPE_OPTIONS_TYPES,
  .options = render_entries,
  .options_size = sizeof (RenderOptions),
  .run = render_run,
};
