/* render.c — hscope render: draws a graph as a picture.
 *
 * Graph → diagram (app/adapt) → folds → layout → file; an overlay colours the boxes by a capture.
 * Start at render_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/graph-to-diagram.h"
#include "app/command/frame/command.h"
#include "app/command/frame/complete-model.h"
#include "app/command/frame/json-writer.h"
#include "app/command/frame/open-model.h"
#include "app/command/render/render-overlay.h"

#include "engine/analysis/infer-types.h"
#include "engine/formats/file.h"
#include "viz/viz.h"

#include <string.h>

#define MAX_DEPTH 1000

typedef struct
{
  char              *output;
  char              *layout;
  char              *fit, *detail, *direction;
  char             **expand, **collapse;
  char              *fold;
  char              *depth;
  ScopeRenderOverlay overlay;
  char              *theme;
  gint64             max_pixels;
  double             scale;
  gboolean           outlined;
  gboolean           transparent;
} RenderOptions;

static const GOptionEntry render_entries[] = {
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, SCOPE_OPTION_FIELD (RenderOptions, output),
    "Picture to write: *.svg, *.png, *.pdf or *.dot", "FILE" },
  { SCOPE_OPTION (RenderOptions, STRING, "layout", layout),
    "How to place boxes: auto, layers, grid or dot", "NAME" },
  { SCOPE_OPTION (RenderOptions, STRING, "fit", fit),
    "Shape the picture for a page of WIDTH × HEIGHT pixels (default: 960x640), or none",
    "WIDTHxHEIGHT" },
  { SCOPE_OPTION (RenderOptions, STRING, "direction", direction),
    "Where data flows: down, right or auto (default: down, or right if that is larger on the page)",
    "NAME" },
  { SCOPE_OPTION (RenderOptions, STRING, "detail", detail),
    "What boxes show: full (default), brief (title and name), or auto (what the page can show)",
    "NAME" },
  { SCOPE_OPTION (RenderOptions, STRING_ARRAY, "expand", expand),
    "Open groups whose name matches (repeatable)", "GLOB" },
  { SCOPE_OPTION (RenderOptions, STRING_ARRAY, "collapse", collapse),
    "Close groups whose name matches (repeatable)", "GLOB" },
  { SCOPE_OPTION (RenderOptions, STRING, "fold", fold),
    "What to fold: weights,scopes,repeats (default: all), or none", "LIST" },
  { SCOPE_OPTION (RenderOptions, STRING, "depth", depth),
    "Open groups down to this depth and close the others; 0 closes all", "N" },
  { SCOPE_OPTION (RenderOptions, FILENAME, "overlay", overlay.file),
    "Colour boxes by the times of a capture, or by numbers by node name (JSON)", "FILE" },
  { SCOPE_OPTION (RenderOptions, STRING, "heat", overlay.heat),
    "Measure for the colours: self (default), inclusive, share, flops, bytes or roofline", "NAME" },
  { SCOPE_OPTION (RenderOptions, FILENAME, "against", overlay.against),
    "Colour by the difference between --overlay and this capture (grey: within the noise)",
    "CAPTURE" },
  { SCOPE_OPTION (RenderOptions, STRING, "theme", theme),
    "Colour theme: light, dark, safe, mxnet, contrast or contrast-dark", "NAME" },
  { SCOPE_OPTION (RenderOptions, INT64, "max-pixels", max_pixels),
    "Maximum size of a PNG, in pixels", "N" },
  { SCOPE_OPTION (RenderOptions, DOUBLE, "scale", scale), "Pixels per point", "X" },
  { SCOPE_OPTION (RenderOptions, NONE, "outlined", outlined),
    "SVG: draw text as outlines, for viewers without the font", NULL },
  { SCOPE_OPTION (RenderOptions, NONE, "transparent", transparent),
    "Leave the background transparent", NULL },
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
      return scope_usage_error (
          error, "--fold: “%s” is unknown; there are weights, scopes, repeats and none", words[i]);
  return TRUE;
}

/* Infers types for the labels, guesses included; warns if that fails, and leaves the rest unknown.
 * (transfer full) */
static HybType *
infer_types (const ScopeCommonOptions *common,
             HybModel                 *model,
             ScopeCompletion          *completion,
             GError                  **error)
{
  HybGraph              *graph = hyb_model_get_graph (model);
  g_autofree HybType    *types = g_new (HybType, MAX (hyb_graph_n_values (graph), 1));
  ScopeCompletionOptions complete = { .fills = FALSE };
  g_autoptr (GError) type_error = NULL;

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  if (!scope_complete_model (completion, common, model, &complete, error) ||
      !scope_fill_types (&completion->common, model, types, error))
    return NULL;
  if (!hyb_infer_types (graph, types, NULL, common->train, &type_error))
    scope_print_message (HYB_SEVERITY_WARNING, "%s", type_error->message);
  return g_steal_pointer (&types);
}

static VizFolds *
make_folds (const RenderOptions *options, VizDiagram *diagram)
{
  VizFolds *folds = viz_folds_new (diagram);

  if (options->depth)
    viz_folds_open_depth (folds, (guint) g_ascii_strtoull (options->depth, NULL, 10));
  for (guint i = 0; options->expand && options->expand[i]; i++)
    if (viz_folds_open_matching (folds, options->expand[i]) == 0)
      scope_print_message (HYB_SEVERITY_WARNING, "--expand: no group matches “%s”",
                           options->expand[i]);
  for (guint i = 0; options->collapse && options->collapse[i]; i++)
    if (viz_folds_close_matching (folds, options->collapse[i]) == 0)
      scope_print_message (HYB_SEVERITY_WARNING, "--collapse: no group matches “%s”",
                           options->collapse[i]);
  return folds;
}

static guint
count_nodes (VizDiagram *diagram)
{
  guint n = 0;

  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    n += viz_diagram_box (diagram, i)->user != VIZ_NO_USER;
  return n;
}

/* Reports deviations of the picture from the options. */
static void
print_changes (const RenderOptions *options, VizPicture *picture, const VizExportResult *result)
{
  const VizPictureStats *stats = viz_picture_stats (picture);
  double                 scale = options->scale > 0 ? options->scale : 1;

  if (stats->n_fallbacks > 0 && options->layout && strcmp (options->layout, "auto") != 0)
    scope_print_message (HYB_SEVERITY_WARNING,
                         "--layout %s: %u of %u open groups were placed by “layers” instead: %s",
                         options->layout, stats->n_fallbacks, stats->n_bodies, stats->refusal);
  if (result->scale > 0 && result->scale < scale * 0.999)
    scope_print_message (HYB_SEVERITY_WARNING,
                         "%s: the scale is %.3g instead of %.3g, the largest at which the picture "
                         "has at most %d pixels a side and %" G_GUINT64_FORMAT
                         " in all. Write an SVG or a part of the graph for more detail",
                         options->output, result->scale, scale, VIZ_MAX_SIDE,
                         options->max_pixels > 0 ? (guint64) options->max_pixels
                                                 : (guint64) VIZ_MAX_PIXELS);
}

/* The model, with the guessed shapes. */
typedef struct
{
  HybModel              *model;
  const ScopeCompletion *completion;
} Rendered;

static void
print_result (const RenderOptions   *options,
              const Rendered        *rendered,
              VizPicture            *picture,
              const VizExportResult *result,
              double                 seconds)
{
  guint n_nodes = count_nodes (viz_picture_diagram (picture));
  guint n_drawn = viz_picture_n_items (picture) - 1;

  if (rendered->completion->common.json)
    {
      g_autoptr (ScopeJson) json = scope_json_new ();

      scope_json_int (json, "nodes", n_nodes);
      scope_json_int (json, "drawn", n_drawn);
      scope_json_int (json, "width", result->width);
      scope_json_int (json, "height", result->height);
      scope_json_double (json, "seconds", seconds);
      scope_describe_completion (json, rendered->model, rendered->completion);
      scope_json_print (json);
      return;
    }
  g_print ("%s: %u × %u, %u nodes, %u boxes drawn, %.2f s\n", options->output, result->width,
           result->height, n_nodes, n_drawn, seconds);
}

/* Reads --fit WIDTHxHEIGHT; the size is 0 for “none”. */
static gboolean
parse_fit (const char *text, VizPoint *page, GError **error)
{
  g_auto (GStrv) sides = g_strsplit (text ? text : "", "x", -1);
  guint64 width, height;

  *page = (VizPoint){ VIZ_PAGE_WIDTH, VIZ_PAGE_HEIGHT };
  if (!text)
    return TRUE;
  if (strcmp (text, "none") == 0)
    {
      *page = (VizPoint){ 0, 0 };
      return TRUE;
    }
  if (g_strv_length (sides) == 2 &&
      g_ascii_string_to_unsigned (sides[0], 10, 1, VIZ_MAX_SIDE, &width, NULL) &&
      g_ascii_string_to_unsigned (sides[1], 10, 1, VIZ_MAX_SIDE, &height, NULL))
    {
      *page = (VizPoint){ (double) width, (double) height };
      return TRUE;
    }
  return scope_usage_error (error,
                            "--fit %s: give the width and height of a page in pixels, such as "
                            "1200x800, or none",
                            text);
}

static gboolean
parse_detail (const char *text, VizDetail *detail, GError **error)
{
  static const struct
  {
    const char *name;
    VizDetail   detail;
  } names[] = {
    { "full", VIZ_DETAIL_FULL },
    { "brief", VIZ_DETAIL_BRIEF },
    { "auto", VIZ_DETAIL_AUTO },
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (!text || strcmp (text, names[i].name) == 0)
      {
        *detail = names[i].detail;
        return TRUE;
      }
  return scope_usage_error (error, "--detail %s: unknown; there are full, brief and auto", text);
}

/* Checks the options that need no model. */
static gboolean
check_options (const RenderOptions *options, GError **error)
{
  VizDirection direction;

  if (!options->output)
    scope_usage_error (error, "hscope render needs --output FILE.svg, .png, .pdf or .dot");
  else if (!viz_export_find (options->output))
    scope_usage_error (error,
                       "--output %s: pictures can be written as .svg, .png, .pdf and .dot only",
                       options->output);
  else if (options->depth &&
           !g_ascii_string_to_unsigned (options->depth, 10, 0, MAX_DEPTH, NULL, NULL))
    scope_usage_error (error, "--depth %s: give a number of levels from 0 to %d", options->depth,
                       MAX_DEPTH);
  else if (options->direction && !viz_direction_find (options->direction, &direction))
    scope_usage_error (error, "--direction %s: unknown; there are down, right and auto",
                       options->direction);
  else if (!viz_theme_find (options->theme))
    scope_usage_error (error,
                       "--theme %s: unknown theme; there are light, dark, safe, mxnet, contrast "
                       "and contrast-dark",
                       options->theme);
  else if (options->layout && !viz_layout_find (options->layout))
    scope_usage_error (error, "--layout %s: unknown layout; there are auto, layers, grid and dot",
                       options->layout);
  else
    return TRUE;
  return FALSE;
}

static int
render_run (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const RenderOptions *options = data;
  gint64               start = g_get_monotonic_time ();
  ScopeDiagramOptions  diagram_options = { 0 };
  VizLayoutOptions     layout = { .layout = options->layout, .direction = VIZ_DIRECTION_AUTO };
  VizExportOptions export = { .theme = viz_theme_find (options->theme),
                              .scale = options->scale,
                              .max_pixels = (guint64) MAX (options->max_pixels, (gint64) 0),
                              .outlined = options->outlined,
                              .transparent = options->transparent };
  VizExportResult result = { 0 };
  g_autoptr (HybModel) model = NULL;
  g_auto (ScopeCompletion) completion = { 0 };
  g_autofree HybType *types = NULL;
  g_autoptr (VizDiagram) diagram = NULL;
  g_autoptr (VizFolds) folds = NULL;
  g_autoptr (VizPicture) picture = NULL;
  g_autoptr (VizOverlay) overlay = NULL;
  g_autoptr (GArray) places = NULL;
  g_autoptr (GBytes) contents = NULL;

  if (!check_options (options, error) || !parse_fit (options->fit, &layout.page, error) ||
      !parse_detail (options->detail, &layout.detail, error) ||
      !parse_folds (options, &diagram_options, error))
    return SCOPE_EXIT_FAILED;
  model = scope_open_model (common, files, error);
  if (!model)
    return SCOPE_EXIT_FAILED;
  types = infer_types (common, model, &completion, error);
  if (!types)
    return SCOPE_EXIT_FAILED;

  diagram_options.model = model;
  diagram_options.types = types;
  diagram = scope_graph_to_diagram (&diagram_options, &places);
  folds = make_folds (options, diagram);
  if (!scope_render_overlay_make (&options->overlay,
                                  &(ScopeRenderDrawing){ model, diagram, places, folds }, &overlay,
                                  error))
    return SCOPE_EXIT_FAILED;
  export.overlay = overlay;
  if (options->direction)
    viz_direction_find (options->direction, &layout.direction);
  picture = viz_layout_diagram (diagram, folds, &layout, NULL, error);
  if (!picture)
    return SCOPE_EXIT_FAILED;
  contents = viz_export_bytes (picture, options->output, &export, &result, error);
  if (!contents || !hyb_file_replace_contents (options->output, g_bytes_get_data (contents, NULL),
                                               g_bytes_get_size (contents), error))
    return SCOPE_EXIT_FAILED;
  print_changes (options, picture, &result);
  print_result (options, &(Rendered){ model, &completion }, picture, &result,
                (double) (g_get_monotonic_time () - start) / 1e6);
  return SCOPE_EXIT_DONE;
}

static const char *const examples[] = {
  "hscope render gallery:lstm-hybrid --output net.svg",
  "hscope render gallery:lenet --theme dark --output - > net.svg",
  NULL,
};

static const ScopeRange ranges[] = {
  { "depth", 0, 1e6, 0 },
  { "scale", 0.01, 100, 0 },
  { 0 },
};

static const ScopeOutput outputs[] = {
  { "output", ".svg", ".svg .png .pdf .dot" },
  { 0 },
};

/* The program that the chosen layout runs. */
static char *
dup_layout_program (gconstpointer data)
{
  const RenderOptions *options = data;
  const VizLayout     *layout = options->layout ? viz_layout_find (options->layout) : NULL;

  return layout && layout->dup_program ? layout->dup_program () : NULL;
}

static const ScopeChoices render_choices[] = {
  { "layout", "auto layers grid dot" },
  { "heat", "self inclusive share flops bytes roofline" },
  { "theme", "light dark safe mxnet contrast contrast-dark" },
  { 0 },
};

const ScopeCommand scope_command_render = {
  .name = "render",
  .arguments = "MODEL [PARAMS]",
  .summary = "Draw the graph as a picture",
  .n_files = { 1, 2 },
  .option_groups = SCOPE_OPTIONS_MODEL | SCOPE_OPTIONS_TYPES,
  .examples = examples,
  .outputs = outputs,
  .options = render_entries,
  .choices = render_choices,
  .options_size = sizeof (RenderOptions),
  .ranges = ranges,
  .dup_program = dup_layout_program,
  .run = render_run,
};
