/* workspace.c — what all views of a model share.
 *
 * Opening: workspace-open.c.  Running: workspace-run.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/workspace-private.h"

#include "app/document/log-item.h"

G_DEFINE_FINAL_TYPE (ScopeWorkspace, scope_workspace, G_TYPE_OBJECT)

enum
{
  PROP_SELECTED = 1,
  PROP_HOVERED,
  PROP_STATE,
  PROP_TITLE,
  PROP_RUNNING,
  PROP_PROGRESS,
  N_PROPS,
};

static GParamSpec *props[N_PROPS];
static guint       signals[SCOPE_N_WORKSPACE_SIGNALS];

static void
scope_workspace_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ScopeWorkspace *self = SCOPE_WORKSPACE (object);

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
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
scope_workspace_dispose (GObject *object)
{
  ScopeWorkspace *self = SCOPE_WORKSPACE (object);

  scope_workspace_cancel (self);
  if (self->starting)
    g_cancellable_cancel (self->starting);
  g_clear_object (&self->starting);
  if (self->child)
    g_subprocess_force_exit (self->child);
  g_clear_object (&self->child);
  g_clear_object (&self->lines);
  g_clear_handle_id (&self->waiting, g_source_remove);
  scope_workspace_watch (self, NULL);
  scope_workspace_clear_values (self);
  g_clear_pointer (&self->measurement, scope_measurement_unref);
  g_clear_object (&self->file);
  g_clear_object (&self->log);
  g_clear_pointer (&self->document, scope_document_unref);
  G_OBJECT_CLASS (scope_workspace_parent_class)->dispose (object);
}

static void
scope_workspace_finalize (GObject *object)
{
  ScopeWorkspace *self = SCOPE_WORKSPACE (object);

  g_free (self->title);
  g_free (self->error);
  g_free (self->stamp);
  g_free (self->params);
  g_free (self->source);
  g_strfreev (self->shapes);
  g_strfreev (self->values_command);
  g_free (self->phase);
  g_free (self->last_words);
  g_free (self->next_capture);
  g_clear_pointer (&self->options, scope_run_options_free);
  g_free (self->capture_path);
  G_OBJECT_CLASS (scope_workspace_parent_class)->finalize (object);
}

static guint
new_signal (const char *name, GType argument)
{
  return g_signal_new (name,
                       SCOPE_TYPE_WORKSPACE,
                       G_SIGNAL_RUN_LAST,
                       0,
                       NULL,
                       NULL,
                       NULL,
                       G_TYPE_NONE,
                       argument != G_TYPE_NONE ? 1 : 0,
                       argument);
}

static void
scope_workspace_class_init (ScopeWorkspaceClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS (class);
  GParamFlags   flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->get_property = scope_workspace_get_property;
  object_class->dispose = scope_workspace_dispose;
  object_class->finalize = scope_workspace_finalize;

  props[PROP_SELECTED] = g_param_spec_uint ("selected", NULL, NULL, 0, G_MAXUINT, 0, flags);
  props[PROP_HOVERED] = g_param_spec_uint ("hovered", NULL, NULL, 0, G_MAXUINT, 0, flags);
  props[PROP_STATE] = g_param_spec_int ("state", NULL, NULL, 0, SCOPE_STATE_FAILED, 0, flags);
  props[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  props[PROP_RUNNING] = g_param_spec_boolean ("running", NULL, NULL, FALSE, flags);
  props[PROP_PROGRESS] = g_param_spec_double ("progress", NULL, NULL, 0, 1, 0, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);

  signals[SCOPE_SIGNAL_DOCUMENT] = new_signal ("document-changed", G_TYPE_NONE);
  signals[SCOPE_SIGNAL_CAPTURE] = new_signal ("capture-changed", G_TYPE_NONE);
  signals[SCOPE_SIGNAL_VALUES] = new_signal ("values-changed", G_TYPE_NONE);
  signals[SCOPE_SIGNAL_STEP] = new_signal ("step-changed", G_TYPE_NONE);
  signals[SCOPE_SIGNAL_LOGGED] = new_signal ("logged", G_TYPE_NONE);
  signals[SCOPE_SIGNAL_REVEAL] = new_signal ("reveal", G_TYPE_UINT);
  signals[SCOPE_SIGNAL_PROBLEM] = new_signal ("complaint", G_TYPE_STRING);
}

static void
scope_workspace_init (ScopeWorkspace *self)
{
  self->log = g_list_store_new (SCOPE_TYPE_LOG_ITEM);
}

ScopeWorkspace *
scope_workspace_new (void)
{
  return g_object_new (SCOPE_TYPE_WORKSPACE, NULL);
}

ScopeState
scope_workspace_get_state (ScopeWorkspace *self)
{
  return self->state;
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
  if (self->selected == box)
    return;
  self->selected = box;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SELECTED]);
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
scope_workspace_report_problem (ScopeWorkspace *self, const char *text)
{
  g_signal_emit (self, signals[SCOPE_SIGNAL_PROBLEM], 0, text);
}

void
scope_workspace_set_source (ScopeWorkspace *self, const char *source, const char *const *shapes)
{
  g_free (self->source);
  self->source = g_strdup (source);
  scope_workspace_set_shapes (self, shapes);
}

void
scope_workspace_set_shapes (ScopeWorkspace *self, const char *const *shapes)
{
  g_strfreev (self->shapes);
  self->shapes = g_strdupv ((char **) shapes);
}

const char *
scope_workspace_get_model_name (ScopeWorkspace *self)
{
  if (self->source || !self->document)
    return self->source;
  return scope_document_get_path (self->document);
}

const char *const *
scope_workspace_get_shapes (ScopeWorkspace *self)
{
  return (const char *const *) self->shapes;
}

void
scope_workspace_emit (ScopeWorkspace *self, ScopeWorkspaceSignal which)
{
  g_signal_emit (self, signals[which], 0);
}
