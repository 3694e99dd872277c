/* compare-page.c — the compare page: class, actions, opening and closing.
 *
 * compare-page-frame.c has its children; compare-page-panes.c converts the model and links the panes;
 * compare-page-measure.c measures and colours them.  Start reading with scope_compare_page_open().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-page-private.h"

#include "app/session/settings.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>

G_DEFINE_FINAL_TYPE (ScopeComparePage, scope_compare_page, ADW_TYPE_BIN)

enum
{
  PROP_LINKED = 1,
  PROP_COLOURS,
  PROP_TITLE,
  PROP_BUSY,
  N_PROPS,
};

static guint remedy_signal;

static GParamSpec *props[N_PROPS];

/* --- Actions --- */

static void
act_measure (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeComparePage *self = SCOPE_COMPARE_PAGE (widget);

  gtk_popover_popdown (self->options);
  scope_settings_set_int ("compare-seconds", gtk_spin_button_get_value_as_int (self->seconds));
  scope_compare_page_measure (self);
}

static void
act_allow_time (GtkWidget          *widget,
                const char *name    G_GNUC_UNUSED,
                GVariant *parameter G_GNUC_UNUSED)
{
  ScopeComparePage *self = SCOPE_COMPARE_PAGE (widget);

  gtk_spin_button_set_value (self->seconds, 2 * gtk_spin_button_get_value (self->seconds));
  scope_compare_page_measure (self);
}

static void
act_remedy (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter)
{
  ScopeComparePage *self = SCOPE_COMPARE_PAGE (widget);

  if (self->model)
    g_signal_emit (self, remedy_signal, 0, self->model, g_variant_get_string (parameter, NULL));
}

static void
act_stop (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_compare_page_stop (SCOPE_COMPARE_PAGE (widget));
}

/* The first form that no pane shows. */
static void
act_add (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeComparePage  *self = SCOPE_COMPARE_PAGE (widget);
  const char *const *forms = scope_compare_page_get_forms (self);
  const char        *form = NULL;

  for (guint i = 0; !form && forms[i]; i++)
    {
      form = forms[i];
      for (guint k = 0; k < SCOPE_MAX_PANES; k++)
        if (self->panes[k] && g_str_equal (scope_compare_pane_get_form (self->panes[k]), forms[i]))
          form = NULL;
    }
  scope_compare_page_add_pane (self, form ? form : forms[0]);
}

static void
act_fit (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeComparePage *self = SCOPE_COMPARE_PAGE (widget);

  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    if (self->panes[i])
      scope_compare_pane_show_all (self->panes[i]);
}

static void
act_dismiss (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  gtk_revealer_set_reveal_child (SCOPE_COMPARE_PAGE (widget)->message_revealer, FALSE);
}

/* --- Object --- */

/* Models side by side have no word before them.  (transfer full) */
static char *
dup_tab_title (ScopeComparePage *self)
{
  g_autofree char *title = self->title && self->fills
                               ? g_strdup_printf (_ ("%s, random values"), self->title)
                               : g_strdup (self->title);

  if (!title || (self->files && !self->is_recordings))
    return g_steal_pointer (&title);
  return g_strdup_printf (_ ("Compare: %s"), title);
}

static void
scope_compare_page_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ScopeComparePage *self = SCOPE_COMPARE_PAGE (object);

  if (id == PROP_LINKED)
    g_value_set_boolean (value, self->is_linked);
  else if (id == PROP_COLOURS)
    g_value_set_string (value, self->colours);
  else if (id == PROP_TITLE)
    g_value_take_string (value, dup_tab_title (self));
  else if (id == PROP_BUSY)
    g_value_set_boolean (value, self->measuring || !scope_compare_page_is_settled (self));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
scope_compare_page_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  ScopeComparePage *self = SCOPE_COMPARE_PAGE (object);

  if (id == PROP_LINKED)
    self->is_linked = g_value_get_boolean (value);
  else if (id == PROP_COLOURS)
    {
      g_free (self->colours);
      self->colours = g_value_dup_string (value);
      scope_compare_page_update_colours (self);
    }
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

/* A tab that is moved to another window has a new root by now. */
static gboolean
on_unrooted (gpointer data)
{
  ScopeComparePage *self = data;

  if (gtk_widget_get_root (GTK_WIDGET (self)))
    return G_SOURCE_REMOVE;
  g_cancellable_cancel (self->cancellable);
  scope_compare_page_stop (self);
  return G_SOURCE_REMOVE;
}

/* Tasks keep a closed page alive until they have ended. */
static void
scope_compare_page_unroot (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (scope_compare_page_parent_class)->unroot (widget);
  g_idle_add_full (G_PRIORITY_DEFAULT, on_unrooted, g_object_ref (widget), g_object_unref);
}

static void
scope_compare_page_dispose (GObject *object)
{
  ScopeComparePage *self = SCOPE_COMPARE_PAGE (object);

  g_clear_handle_id (&self->progress_tick, g_source_remove);
  g_clear_handle_id (&self->adding, g_source_remove);
  for (guint i = 0; i < SCOPE_MAX_PANES; i++)
    {
      self->panes[i] = NULL;
      g_clear_pointer (&self->maps[i], scope_node_map_unref);
      g_clear_pointer (&self->conversions[i], scope_conversion_free);
    }
  G_OBJECT_CLASS (scope_compare_page_parent_class)->dispose (object);
}

static void
scope_compare_page_finalize (GObject *object)
{
  ScopeComparePage *self = SCOPE_COMPARE_PAGE (object);

  scope_saved_comparison_remove_folder (self->folder);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->measuring);
  g_clear_pointer (&self->unrolled, scope_conversion_free);
  g_clear_pointer (&self->names, g_hash_table_unref);
  g_clear_pointer (&self->results, g_ptr_array_unref);
  g_free (self->measured);
  g_strfreev (self->shapes);
  g_strfreev (self->files);
  g_strfreev (self->forms);
  g_free (self->path);
  g_free (self->params);
  g_free (self->refusal);
  g_free (self->colours);
  g_free (self->folder);
  g_free (self->title);
  g_free (self->model);
  G_OBJECT_CLASS (scope_compare_page_parent_class)->finalize (object);
}

static void
scope_compare_page_class_init (ScopeComparePageClass *class)
{
  GObjectClass   *object_class = G_OBJECT_CLASS (class);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  object_class->get_property = scope_compare_page_get_property;
  object_class->set_property = scope_compare_page_set_property;
  object_class->dispose = scope_compare_page_dispose;
  object_class->finalize = scope_compare_page_finalize;
  widget_class->unroot = scope_compare_page_unroot;
  props[PROP_LINKED] =
      g_param_spec_boolean ("linked", NULL, NULL, TRUE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  props[PROP_COLOURS] = g_param_spec_string ("colours", NULL, NULL, "self",
                                             G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  props[PROP_TITLE] =
      g_param_spec_string ("title", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  props[PROP_BUSY] =
      g_param_spec_boolean ("busy", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
  remedy_signal = g_signal_new ("remedy", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
  gtk_widget_class_install_property_action (widget_class, "compare.linked", "linked");
  gtk_widget_class_install_property_action (widget_class, "compare.colours", "colours");
  gtk_widget_class_install_action (widget_class, "compare.measure", NULL, act_measure);
  gtk_widget_class_install_action (widget_class, "compare.allow-time", NULL, act_allow_time);
  gtk_widget_class_install_action (widget_class, "compare.remedy", "s", act_remedy);
  gtk_widget_class_install_action (widget_class, "compare.stop", NULL, act_stop);
  gtk_widget_class_install_action (widget_class, "compare.add", NULL, act_add);
  gtk_widget_class_install_action (widget_class, "compare.fit", NULL, act_fit);
  gtk_widget_class_install_action (widget_class, "compare.dismiss", NULL, act_dismiss);
}

static void
compared_result_free (gpointer data)
{
  ScopeComparedResult *result = data;

  cJSON_Delete (result->json);
  g_free (result->title);
  g_free (result);
}

static void
scope_compare_page_init (ScopeComparePage *self)
{
  self->is_linked = TRUE;
  self->colours = g_strdup ("self");
  self->cancellable = g_cancellable_new ();
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->results = g_ptr_array_new_with_free_func (compared_result_free);
  scope_compare_page_build (self);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (scope_compare_page_update_colours), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
}

GtkWidget *
scope_compare_page_new (void)
{
  return g_object_new (SCOPE_TYPE_COMPARE_PAGE, NULL);
}

/* --- Opening --- */

/* "lstm" for "…/lstm-symbol.json" and "gallery:lstm?length=3".  (transfer full) */
static char *
dup_title (const char *model)
{
  g_autofree char *base = g_path_get_basename (model);
  char            *begin = strchr (base, ':') ? strchr (base, ':') + 1 : base;

  for (const char *const *ending =
           (const char *const[]){ "?", ".json", ".comparison", ".hscope", "-symbol", NULL };
       *ending != NULL; ending++)
    {
      char *at = strstr (begin, *ending);

      if (at && at != begin)
        *at = '\0';
    }
  return g_strdup (begin);
}

/* "monday | tuesday".  (transfer full) */
static char *
join_titles (const char *const *files)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; files[i]; i++)
    {
      g_autofree char *title = dup_title (files[i]);

      g_string_append_printf (text, "%s%s", i > 0 ? " | " : "", title);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
set_source (ScopeComparePage *self, const ScopeCompareSource *source)
{
  self->model = g_strdup (source->model);
  self->params = g_strdup (source->params);
  self->fills = source->fills;
  self->shapes = g_strdupv ((char **) source->shapes);
  self->files = g_strdupv ((char **) source->files);
  self->is_recordings = self->files != NULL;
  for (guint i = 0; self->files && self->files[i]; i++)
    self->is_recordings = self->is_recordings && g_str_has_suffix (self->files[i], ".hscope");
  gtk_widget_set_visible (self->measure, !self->is_recordings);
  g_free (self->title);
  self->title = self->files   ? join_titles ((const char *const *) self->files)
                : self->model ? dup_title (self->model)
                              : NULL;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_TITLE]);
}

/* Panes are added one by one from the main loop, so that the page appears at once. */
static gboolean
add_next_pane (gpointer data)
{
  static const char *const usual[] = { "unrolled", "foreach", "while", "fused", NULL };
  ScopeComparePage        *self = data;
  const char *const       *forms = self->files   ? (const char *const *) self->files
                                   : self->forms ? (const char *const *) self->forms
                                                 : usual;
  guint                    n = scope_compare_page_n_panes (self);

  if (n < SCOPE_MAX_PANES && forms[n])
    scope_compare_page_add_pane (self, forms[n]);
  n = scope_compare_page_n_panes (self);
  if (n < SCOPE_MAX_PANES && forms[n])
    return G_SOURCE_CONTINUE;
  self->adding = 0;
  return G_SOURCE_REMOVE;
}

static void
start (ScopeComparePage *self)
{
  self->adding = g_idle_add_full (G_PRIORITY_HIGH_IDLE, add_next_pane, self, NULL);
  scope_compare_page_start (self);
}

void
scope_compare_page_open (ScopeComparePage *self, const ScopeCompareSource *source)
{
  set_source (self, source);
  start (self);
}

static gboolean
is_same (char **a, const char *const *b)
{
  static const char *const none[] = { NULL };

  return g_strv_equal (a ? (const char *const *) a : none, b ? b : none);
}

gboolean
scope_compare_page_has_source (ScopeComparePage *self, const ScopeCompareSource *source)
{
  return g_strcmp0 (self->model, source->model) == 0 &&
         g_strcmp0 (self->params, source->params) == 0 && is_same (self->shapes, source->shapes) &&
         is_same (self->files, source->files);
}

/* --- Files --- */

char *
scope_compare_page_dup_name (ScopeComparePage *self)
{
  char *name = g_strdup (self->title ? self->title : "");

  return g_strdelimit (name, "/|: ", '-');
}

const char *
scope_compare_page_get_path (ScopeComparePage *self)
{
  return self->path;
}

void
scope_compare_page_set_path (ScopeComparePage *self, const char *path)
{
  g_free (self->path);
  self->path = g_strdup (path);
}

void
scope_compare_page_show (ScopeComparePage *self, ScopeSavedComparison *comparison)
{
  const ScopeCompareSource source = { .model = comparison->model,
                                      .params = comparison->params,
                                      .shapes = (const char *const *) comparison->shapes,
                                      .files = (const char *const *) comparison->files };

  set_source (self, &source);
  scope_compare_page_set_path (self, comparison->path);
  if (!self->title)
    self->title = dup_title (self->path);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_TITLE]);
  for (guint i = 0; i < comparison->results->len; i++)
    scope_compare_page_add_result (self, cJSON_Duplicate (comparison->results->pdata[i], TRUE),
                                   g_strdup (comparison->titles->pdata[i]));
  self->was_measured = comparison->results->len > 0;
  self->forms = g_steal_pointer (&comparison->forms);
  self->folder = g_steal_pointer (&comparison->folder);
  if (comparison->colours)
    g_object_set (self, "colours", comparison->colours, NULL);
  scope_saved_comparison_free (comparison);
  if (self->model || self->files)
    {
      start (self);
      return;
    }
  /* Only results: there is no graph to show. */
  scope_compare_page_hide_panes (self);
  gtk_widget_set_visible (GTK_WIDGET (self->tools), FALSE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "compare.measure", FALSE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "compare.allow-time", FALSE);
}

/* The forms of the panes from left to right.  (transfer full) NULL: there are no panes */
static char **
dup_shown_forms (ScopeComparePage *self)
{
  g_autoptr (GStrvBuilder) forms = g_strv_builder_new ();
  guint n = scope_compare_page_n_panes (self);

  for (guint i = 0; i < n; i++)
    g_strv_builder_add (forms, scope_compare_pane_get_form (self->panes[i]));
  return n > 0 ? g_strv_builder_end (forms) : NULL;
}

ScopeSavedComparison *
scope_compare_page_dup_comparison (ScopeComparePage *self, const char *path)
{
  ScopeSavedComparison *comparison;

  if (self->results->len == 0)
    return NULL;
  comparison = scope_saved_comparison_new (path);
  comparison->model = g_strdup (self->model);
  comparison->params = g_strdup (self->params);
  comparison->shapes = g_strdupv (self->shapes);
  comparison->files = g_strdupv (self->files);
  comparison->colours = g_strdup (self->colours);
  if (!self->files)
    comparison->forms = dup_shown_forms (self);
  for (guint i = 0; i < self->results->len; i++)
    {
      const ScopeComparedResult *result = self->results->pdata[i];

      g_ptr_array_add (comparison->results, cJSON_Duplicate (result->json, TRUE));
      g_ptr_array_add (comparison->titles, g_strdup (result->title));
    }
  return comparison;
}
