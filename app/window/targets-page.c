/* targets-page.c — shows, adds, checks and removes targets.
 *
 * Every change is written at once.  Start at show_targets(); the template is resources/ui/targets-page.ui.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/targets-page.h"

#include "app/process/child.h"
#include "app/process/json-fields.h"
#include "app/targets/target-list.h"

#include <glib/gi18n.h>

struct _ScopeTargetsPage
{
  AdwPreferencesPage parent_instance;

  /* Template */
  AdwPreferencesGroup *list;
  AdwEntryRow         *name, *launcher, *program, *folder;
  GtkLabel            *problem;

  GPtrArray    *rows;     /* of the list */
  GCancellable *checking; /* of the last check; NULL: there was none */
};

G_DEFINE_FINAL_TYPE (ScopeTargetsPage, scope_targets_page, ADW_TYPE_PREFERENCES_PAGE)

static void
show_problem (ScopeTargetsPage *self, const GError *problem)
{
  gtk_label_set_label (self->problem, problem ? problem->message : "");
  gtk_widget_set_visible (GTK_WIDGET (self->problem), problem != NULL);
}

/* --- The list --- */

static GtkWidget *
make_button (const char *label, const char *action, const char *target)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", target);
  return button;
}

static void
add_row (ScopeTargetsPage *self, const ScopeTarget *target)
{
  GtkWidget       *row = adw_action_row_new ();
  g_autofree char *subtitle = g_markup_escape_text (target->launcher, -1);

  gtk_widget_set_name (row, target->name);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), target->name);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row),
                             make_button (_ ("Check"), "targets.check", target->name));
  adw_action_row_add_suffix (ADW_ACTION_ROW (row),
                             make_button (_ ("Remove"), "targets.remove", target->name));
  adw_preferences_group_add (self->list, row);
  g_ptr_array_add (self->rows, row);
}

static void
show_targets (ScopeTargetsPage *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) targets = scope_targets_read (&error);

  for (guint i = 0; i < self->rows->len; i++)
    adw_preferences_group_remove (self->list, self->rows->pdata[i]);
  g_ptr_array_set_size (self->rows, 0);
  for (guint i = 0; targets && i < targets->len; i++)
    add_row (self, targets->pdata[i]);
  show_problem (self, error);
}

static AdwActionRow *
find_row (ScopeTargetsPage *self, const char *name)
{
  for (guint i = 0; i < self->rows->len; i++)
    if (g_str_equal (gtk_widget_get_name (self->rows->pdata[i]), name))
      return self->rows->pdata[i];
  return NULL;
}

/* --- Changing it --- */

static const char *
text_of (AdwEntryRow *row)
{
  return gtk_editable_get_text (GTK_EDITABLE (row));
}

static void
act_add (GtkWidget *widget, const char *action G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeTargetsPage *self = SCOPE_TARGETS_PAGE (widget);
  g_autoptr (GError) error = NULL;
  g_autoptr (ScopeTarget) target =
      scope_target_new (text_of (self->name), text_of (self->launcher), text_of (self->program),
                        text_of (self->folder), &error);

  if (!target || !scope_targets_store (target, NULL, &error))
    {
      show_problem (self, error);
      return;
    }
  for (guint i = 0; i < 4; i++)
    gtk_editable_set_text (GTK_EDITABLE (((AdwEntryRow *[]){ self->name, self->launcher,
                                                             self->program, self->folder })[i]),
                           "");
  show_targets (self);
}

static void
act_remove (GtkWidget *widget, const char *action G_GNUC_UNUSED, GVariant *parameter)
{
  ScopeTargetsPage *self = SCOPE_TARGETS_PAGE (widget);
  g_autoptr (GError) error = NULL;

  if (scope_targets_remove (g_variant_get_string (parameter, NULL), &error))
    show_targets (self);
  else
    show_problem (self, error);
}

/* --- Checking --- */

typedef struct
{
  ScopeTargetsPage *self;
  char             *name;
} Check;

static void
check_free (Check *check)
{
  g_object_unref (check->self);
  g_free (check->name);
  g_free (check);
}

/* The output of hscope about the target, as the second line of its row.  (transfer full) */
static char *
describe_answer (const char *text)
{
  cJSON *json = cJSON_Parse (text);
  /* Translators: a version and the name of a machine. */
  char *line =
      g_strdup_printf (_ ("hscope %s answers on %s"), scope_json_get_text (json, "version"),
                       scope_json_get_text (json, "host"));

  cJSON_Delete (json);
  return line;
}

static void
checked_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  Check *check = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *answer = scope_child_run_finish (result, &error);
  AdwActionRow    *row = find_row (check->self, check->name);
  g_autofree char *text = answer ? describe_answer (answer) : g_strdup (error->message);
  g_autofree char *subtitle = g_markup_escape_text (text, -1);

  if (row && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    adw_action_row_set_subtitle (row, subtitle);
  check_free (check);
}

static void
stop_checking (ScopeTargetsPage *self)
{
  if (self->checking)
    g_cancellable_cancel (self->checking);
  g_clear_object (&self->checking);
}

static void
act_check (GtkWidget *widget, const char *action G_GNUC_UNUSED, GVariant *parameter)
{
  ScopeTargetsPage *self = SCOPE_TARGETS_PAGE (widget);
  const char       *name = g_variant_get_string (parameter, NULL);
  AdwActionRow     *row = find_row (self, name);
  Check            *check;

  if (!row)
    return;
  stop_checking (self);
  self->checking = g_cancellable_new ();
  check = g_new (Check, 1);
  check->self = g_object_ref (self);
  check->name = g_strdup (name);
  adw_action_row_set_subtitle (row, _ ("Checking…"));
  scope_child_run_async ((const char *const[]){ "targets", "check", name, "--json", NULL },
                         self->checking, checked_cb, check);
}

/* --- Object --- */

static void
scope_targets_page_dispose (GObject *object)
{
  stop_checking (SCOPE_TARGETS_PAGE (object));
  G_OBJECT_CLASS (scope_targets_page_parent_class)->dispose (object);
}

static void
scope_targets_page_finalize (GObject *object)
{
  g_ptr_array_unref (SCOPE_TARGETS_PAGE (object)->rows);
  G_OBJECT_CLASS (scope_targets_page_parent_class)->finalize (object);
}

static void
scope_targets_page_class_init (ScopeTargetsPageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = scope_targets_page_dispose;
  G_OBJECT_CLASS (class)->finalize = scope_targets_page_finalize;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/hybridscope/Hybridscope/ui/targets-page.ui");
  gtk_widget_class_bind_template_child (widget_class, ScopeTargetsPage, list);
  gtk_widget_class_bind_template_child (widget_class, ScopeTargetsPage, name);
  gtk_widget_class_bind_template_child (widget_class, ScopeTargetsPage, launcher);
  gtk_widget_class_bind_template_child (widget_class, ScopeTargetsPage, program);
  gtk_widget_class_bind_template_child (widget_class, ScopeTargetsPage, folder);
  gtk_widget_class_bind_template_child (widget_class, ScopeTargetsPage, problem);
  gtk_widget_class_install_action (widget_class, "targets.add", NULL, act_add);
  gtk_widget_class_install_action (widget_class, "targets.remove", "s", act_remove);
  gtk_widget_class_install_action (widget_class, "targets.check", "s", act_check);
}

static void
scope_targets_page_init (ScopeTargetsPage *self)
{
  self->rows = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_widget_set_name (GTK_WIDGET (self), "targets-page");
  show_targets (self);
}
