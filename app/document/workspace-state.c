/* workspace-state.c — accessors, properties, signals and the log of a workspace.
 *
 * The lowest of the workspace's files: it changes members and notifies followers, and calls none of
 * the others.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/workspace-private.h"

#include "app/document/log-item.h"

enum
{
  PROP_SELECTED = 1,
  PROP_HOVERED,
  PROP_STATE,
  PROP_TITLE,
  PROP_RUNNING,
  PROP_PROGRESS,
  PROP_FILLS,
  N_PROPS,
};

static GParamSpec *props[N_PROPS];
static guint       signals[SCOPE_N_WORKSPACE_SIGNALS];

/* --- Properties and signals --- */

void
scope_workspace_get_value (ScopeWorkspace *self, guint id, GValue *value, GParamSpec *pspec)
{
  switch (id)
    {
    case PROP_SELECTED:
      g_value_set_uint (value, self->selected);
      break;
    case PROP_HOVERED:
      g_value_set_uint (value, self->hovered);
      break;
    case PROP_STATE:
      g_value_set_int (value, (int) self->state);
      break;
    case PROP_TITLE:
      g_value_set_string (value, self->title);
      break;
    case PROP_RUNNING:
      g_value_set_boolean (value, scope_workspace_is_running (self));
      break;
    case PROP_PROGRESS:
      g_value_set_double (value, self->progress);
      break;
    case PROP_FILLS:
      g_value_set_boolean (value, self->fills);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (self, id, pspec);
    }
}

static guint
new_signal (const char *name, GType type, GType argument)
{
  return g_signal_new (name, type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                       argument != G_TYPE_NONE ? 1 : 0, argument);
}

void
scope_workspace_class_install (GObjectClass *class)
{
  GType       type = G_OBJECT_CLASS_TYPE (class);
  GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  props[PROP_SELECTED] = g_param_spec_uint ("selected", NULL, NULL, 0, G_MAXUINT, 0, flags);
  props[PROP_HOVERED] = g_param_spec_uint ("hovered", NULL, NULL, 0, G_MAXUINT, 0, flags);
  props[PROP_STATE] = g_param_spec_int ("state", NULL, NULL, 0, SCOPE_STATE_FAILED, 0, flags);
  props[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  props[PROP_RUNNING] = g_param_spec_boolean ("running", NULL, NULL, FALSE, flags);
  props[PROP_PROGRESS] = g_param_spec_double ("progress", NULL, NULL, 0, 1, 0, flags);
  props[PROP_FILLS] = g_param_spec_boolean ("fills", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (class, N_PROPS, props);

  signals[SCOPE_SIGNAL_DOCUMENT] = new_signal ("document-changed", type, G_TYPE_NONE);
  signals[SCOPE_SIGNAL_CAPTURE] = new_signal ("capture-changed", type, G_TYPE_NONE);
  signals[SCOPE_SIGNAL_FOCUS] = new_signal ("focus-changed", type, G_TYPE_NONE);
  signals[SCOPE_SIGNAL_VALUES] = new_signal ("values-changed", type, G_TYPE_NONE);
  signals[SCOPE_SIGNAL_STEP] = new_signal ("step-changed", type, G_TYPE_NONE);
  signals[SCOPE_SIGNAL_NUMBERS] = new_signal ("numbers-changed", type, G_TYPE_NONE);
  signals[SCOPE_SIGNAL_BOOKMARKS] = new_signal ("bookmarks-changed", type, G_TYPE_NONE);
  signals[SCOPE_SIGNAL_LOGGED] = new_signal ("logged", type, G_TYPE_NONE);
  signals[SCOPE_SIGNAL_REVEAL] = new_signal ("reveal", type, G_TYPE_UINT);
  signals[SCOPE_SIGNAL_PROBLEM] = new_signal ("problem", type, G_TYPE_ERROR);
}

/* --- Accessors --- */

ScopeState
scope_workspace_get_state (ScopeWorkspace *self)
{
  return self->state;
}

HybRemedy
scope_workspace_get_error_remedy (ScopeWorkspace *self)
{
  return self->error ? self->error_remedy : HYB_REMEDY_NONE;
}

const char *
scope_workspace_get_error (ScopeWorkspace *self)
{
  return self->error;
}

GFile *
scope_workspace_get_file (ScopeWorkspace *self)
{
  return self->file;
}

ScopeDocument *
scope_workspace_get_document (ScopeWorkspace *self)
{
  return self->document;
}

const char *
scope_workspace_get_title (ScopeWorkspace *self)
{
  return self->title ? self->title : "";
}

void
scope_workspace_set_title (ScopeWorkspace *self, const char *title)
{
  g_free (self->title);
  self->title = g_strdup (title);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_TITLE]);
}

guint32
scope_workspace_get_selected (ScopeWorkspace *self)
{
  return self->selected;
}

void
scope_workspace_select (ScopeWorkspace *self, guint32 box)
{
  gboolean is_new = self->selected != box;

  self->selected = box;
  if (is_new || self->is_focus_chosen)
    scope_workspace_reset_focus (self);
  if (is_new)
    g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SELECTED]);
}

/* --- Rows that are looked at --- */

void
scope_workspace_reset_focus (ScopeWorkspace *self)
{
  const ProfOrigin *rows = NULL;
  guint             n = 0;

  g_array_set_size (self->focus, 0);
  self->is_focus_chosen = FALSE;
  if (self->measurement && self->selected != VIZ_ROOT)
    rows = scope_measurement_find_rows (self->measurement, self->selected, &n);
  if (n > 0)
    g_array_append_val (self->focus, rows[0].row);
  scope_workspace_emit (self, SCOPE_SIGNAL_FOCUS);
}

void
scope_workspace_focus (ScopeWorkspace *self, const guint32 *rows, guint n, gboolean reveal)
{
  guint32 box = n == 1 && self->measurement ? scope_measurement_get_box (self->measurement, rows[0])
                                            : VIZ_ROOT;

  /* The rows come first: views that follow the selection see both. */
  g_array_set_size (self->focus, 0);
  g_array_append_vals (self->focus, rows, n);
  self->is_focus_chosen = n > 0;
  if (self->selected != box)
    {
      self->selected = box;
      g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SELECTED]);
    }
  scope_workspace_emit (self, SCOPE_SIGNAL_FOCUS);
  if (reveal && box != VIZ_ROOT)
    g_signal_emit (self, signals[SCOPE_SIGNAL_REVEAL], 0, box);
}

const GArray *
scope_workspace_get_focus (ScopeWorkspace *self)
{
  return self->focus;
}

gboolean
scope_workspace_is_focus_chosen (ScopeWorkspace *self)
{
  return self->is_focus_chosen;
}

void
scope_workspace_show (ScopeWorkspace *self, guint32 box)
{
  scope_workspace_select (self, box);
  if (box != VIZ_ROOT)
    g_signal_emit (self, signals[SCOPE_SIGNAL_REVEAL], 0, box);
}

guint32
scope_workspace_get_hovered (ScopeWorkspace *self)
{
  return self->hovered;
}

void
scope_workspace_hover (ScopeWorkspace *self, guint32 box)
{
  if (self->hovered == box)
    return;
  self->hovered = box;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_HOVERED]);
}

void
scope_workspace_log (ScopeWorkspace *self,
                     ScopeLogLevel   level,
                     guint32         box,
                     const char     *format,
                     ...)
{
  g_autofree char *text = NULL;
  g_autoptr (ScopeLogItem) item = NULL;
  va_list list;

  va_start (list, format);
  text = g_strdup_vprintf (format, list);
  va_end (list);
  item = scope_log_item_new ((int) level, box, text);
  g_list_store_append (self->log, item);
  g_signal_emit (self, signals[SCOPE_SIGNAL_LOGGED], 0);
}

GListModel *
scope_workspace_get_log (ScopeWorkspace *self)
{
  return G_LIST_MODEL (self->log);
}

void
scope_workspace_set_state (ScopeWorkspace *self, ScopeState state)
{
  self->state = state;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_STATE]);
}

void
scope_workspace_set_progress (ScopeWorkspace *self, double progress)
{
  self->progress = CLAMP (progress, 0, 1);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_PROGRESS]);
}

void
scope_workspace_notify_running (ScopeWorkspace *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_RUNNING]);
}

void
scope_workspace_notify_fills (ScopeWorkspace *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_FILLS]);
}

void
scope_workspace_report_error (ScopeWorkspace *self, const GError *error)
{
  g_signal_emit (self, signals[SCOPE_SIGNAL_PROBLEM], 0, error);
}

void
scope_workspace_report_problem (ScopeWorkspace *self, const char *text)
{
  g_autoptr (GError) error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, text);

  scope_workspace_report_error (self, error);
}

void
scope_workspace_set_source (ScopeWorkspace *self, const char *source, const char *const *shapes)
{
  g_free (self->source);
  self->source = g_strdup (source);
  g_strfreev (self->source_shapes);
  self->source_shapes = g_strdupv ((char **) shapes);
}

const char *
scope_workspace_get_model_name (ScopeWorkspace *self)
{
  if (self->source || !self->document)
    return self->source;
  return scope_document_get_path (self->document);
}

char **
scope_workspace_join_shapes (ScopeWorkspace *self)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (self->source_shapes)
    g_strv_builder_addv (builder, (const char **) self->source_shapes);
  /* The last shape of an input counts. */
  if (self->given_shapes)
    g_strv_builder_addv (builder, (const char **) self->given_shapes);
  return g_strv_builder_end (builder);
}

void
scope_workspace_update_shapes (ScopeWorkspace *self)
{
  const GArray *inputs = self->document ? scope_document_get_inputs (self->document) : NULL;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  g_clear_pointer (&self->shapes, g_strfreev);
  if (!inputs)
    return;
  for (guint i = 0; i < inputs->len; i++)
    {
      g_autofree char *shape = scope_input_to_option (&g_array_index (inputs, ScopeInput, i));

      if (shape)
        g_strv_builder_add (builder, shape);
    }
  self->shapes = g_strv_builder_end (builder);
}

const char *const *
scope_workspace_get_shapes (ScopeWorkspace *self)
{
  return (const char *const *) self->shapes;
}

const char *const *
scope_workspace_get_given_shapes (ScopeWorkspace *self)
{
  return (const char *const *) self->given_shapes;
}

void
scope_workspace_emit (ScopeWorkspace *self, ScopeWorkspaceSignal which)
{
  g_signal_emit (self, signals[which], 0);
}

ScopeMeasurement *
scope_workspace_get_measurement (ScopeWorkspace *self)
{
  return self->measurement;
}

const ScopeNodeData *
scope_workspace_get_numbers (ScopeWorkspace *self)
{
  return self->numbers;
}

const char *
scope_workspace_get_numbers_path (ScopeWorkspace *self)
{
  return self->numbers_path;
}

const char *
scope_workspace_get_capture_path (ScopeWorkspace *self)
{
  return self->capture_path;
}

const ScopeRunOptions *
scope_workspace_get_run_options (ScopeWorkspace *self)
{
  return self->options;
}

const char *
scope_workspace_get_run_path (ScopeWorkspace *self)
{
  return self->next_capture;
}

gboolean
scope_workspace_is_running (ScopeWorkspace *self)
{
  return self->starting || self->child;
}

const char *
scope_workspace_get_phase (ScopeWorkspace *self)
{
  return self->phase ? self->phase : "";
}

double
scope_workspace_get_progress (ScopeWorkspace *self)
{
  return self->progress;
}

const ScopeValues *
scope_workspace_get_values (ScopeWorkspace *self)
{
  return self->values;
}

const ScopeStepPath *
scope_workspace_get_step (ScopeWorkspace *self)
{
  return &self->step;
}

void
scope_workspace_set_step (ScopeWorkspace *self, const ScopeStepPath *step)
{
  ScopeStepPath shown = step ? *step : (ScopeStepPath){ 0 };

  if (shown.n == self->step.n && scope_step_path_compare (&shown, &self->step) == 0)
    return;
  self->step = shown;
  scope_workspace_emit (self, SCOPE_SIGNAL_STEP);
}
