/* device-note.c — the row about the chosen GPU; see device-note.h.
 *
 * Start at scope_device_note_show().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page/device-note.h"

#include "app/process/child.h"
#include "app/process/json-fields.h"

#include <glib/gi18n.h>
#include <math.h>

#define MAX_NAMES 3 /* of wrong operators; the tooltip has all */

struct _ScopeDeviceNote
{
  AdwActionRow parent_instance;

  GtkWidget    *button; /* makes a self-test, or cancels it */
  GtkWidget    *guide;
  char         *device;  /* "gpu:0"; NULL: the row is hidden */
  GCancellable *testing; /* NULL: no self-test is in progress */
};

G_DEFINE_FINAL_TYPE (ScopeDeviceNote, scope_device_note, ADW_TYPE_ACTION_ROW)

enum
{
  TESTED,
  N_SIGNALS
};
static guint signals[N_SIGNALS];

/* title and subtitle: plain text. */
static void
say (ScopeDeviceNote *self, const char *title, const char *subtitle, const char *button)
{
  g_autofree char *escaped = g_markup_escape_text (subtitle, -1);

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self), escaped);
  gtk_button_set_label (GTK_BUTTON (self->button), button);
  gtk_widget_set_visible (GTK_WIDGET (self->guide), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->button), TRUE);
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
}

/* --- Results of a self-test --- */

static guint
number_of (const cJSON *json, const char *key)
{
  double number = scope_json_get_number (json, key);

  return isfinite (number) && number >= 0 ? (guint) MIN (number, G_MAXINT) : 0;
}

static void
show_agreement (ScopeDeviceNote *self, const cJSON *selftest)
{
  guint            n = number_of (selftest, "operators");
  guint            n_left = number_of (selftest, "samples_without_time");
  g_autofree char *agreement =
      g_strdup_printf (g_dngettext (NULL, "%u operator agrees with the processor.",
                                    "%u operators agree with the processor.", n),
                       n);
  g_autofree char *left =
      n_left > 0 ? g_strdup_printf (g_dngettext (NULL, "%u more was left out to save time.",
                                                 "%u more were left out to save time.", n_left),
                                    n_left)
                 : NULL;
  g_autofree char *text = g_strjoin (" ", agreement, left, NULL);

  say (self, _ ("Self-Test Passed"), text, _ ("Test Again"));
}

static void
show_wrong (ScopeDeviceNote *self, const cJSON *wrong)
{
  guint n = (guint) cJSON_GetArraySize (wrong);
  g_autoptr (GString) names = g_string_new (NULL);
  g_autofree char *title =
      g_strdup_printf (g_dngettext (NULL, "%u Operator Is Wrong", "%u Operators Are Wrong", n), n);
  g_autofree char *text = NULL;

  for (guint i = 0; i < MIN (n, MAX_NAMES); i++)
    {
      const cJSON *item = cJSON_GetArrayItem (wrong, (int) i);
      const char  *type = scope_json_get_text (item, "type");

      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", scope_json_get_text (item, "name"));
      if (*type)
        g_string_append_printf (names, " (%s)", type);
    }
  if (n > MAX_NAMES)
    g_string_append (names, ", …");
  text = g_strdup_printf (_ ("The processor computes them instead: %s"), names->str);
  say (self, title, text, _ ("Test Again"));
}

static void
show_models (ScopeDeviceNote *self, guint n)
{
  g_autofree char *text = g_strdup_printf (
      g_dngettext (NULL, "%u run of a model differs from the processor’s. Do not rely on this GPU.",
                   "%u runs of models differ from the processor’s. Do not rely on this GPU.", n),
      n);

  say (self, _ ("Models Differ"), text, _ ("Test Again"));
}

static void
show_untested (ScopeDeviceNote *self)
{
  say (self, _ ("Not Tested on This Computer"),
       _ ("The code for GPUs has never run on one. The first run compares it with the processor, "
          "for up to 20 seconds."),
       _ ("Test Now"));
}

static void
show_verdict (ScopeDeviceNote *self, const cJSON *device)
{
  const cJSON *selftest = cJSON_GetObjectItemCaseSensitive (device, "selftest");
  const cJSON *wrong = cJSON_GetObjectItemCaseSensitive (device, "wrong_operators");
  const cJSON *error = cJSON_GetObjectItemCaseSensitive (device, "error");
  guint        n_models = number_of (selftest, "model_runs_failed");

  if (error)
    say (self, _ ("Cannot Be Used"), scope_json_get_text (error, "message"), _ ("Try Again"));
  else if (!cJSON_IsObject (selftest))
    show_untested (self);
  else if (n_models > 0)
    show_models (self, n_models);
  else if (cJSON_GetArraySize (wrong) > 0)
    show_wrong (self, wrong);
  else
    show_agreement (self, selftest);
}

/* Forgets the device, whose self-test is cancelled. */
static void
clear (ScopeDeviceNote *self)
{
  if (self->testing)
    g_cancellable_cancel (self->testing);
  g_clear_pointer (&self->device, g_free);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), NULL);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

void
scope_device_note_show_absence (ScopeDeviceNote *self, const char *sentence)
{
  clear (self);
  say (self, "", sentence, "");
  gtk_widget_set_visible (self->button, FALSE);
  gtk_widget_set_visible (self->guide, TRUE);
}

void
scope_device_note_show (ScopeDeviceNote *self, const cJSON *device)
{
  const char *name = scope_json_get_text (device, "name");
  const char *proof = scope_json_get_text (device, "proof");

  if (self->testing && g_strcmp0 (name, self->device) == 0)
    return;
  clear (self);
  if (!device)
    return;
  self->device = g_strdup (name);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), *proof ? proof : NULL);
  show_verdict (self, device);
}

/* --- A self-test --- */

static void
on_tested (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeDeviceNote) self = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = scope_child_run_finish (result, &error);

  /* A GPU that differs ends it with an error, too: results are kept in any case. */
  if (error && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_info ("the self-test: %s", error->message);
  g_clear_object (&self->testing);
  g_signal_emit (self, signals[TESTED], 0);
}

static void
on_clicked (ScopeDeviceNote *self)
{
  if (self->testing)
    {
      g_cancellable_cancel (self->testing);
      return;
    }
  self->testing = g_cancellable_new ();
  say (self, _ ("Testing…"), _ ("Operators and small models are computed on both."), _ ("Cancel"));
  scope_child_run_async ((const char *const[]){ "selftest", "--quick", "--device", self->device,
                                                "--json", NULL },
                         self->testing, on_tested, g_object_ref (self));
}

/* --- The object --- */

static void
scope_device_note_dispose (GObject *object)
{
  ScopeDeviceNote *self = SCOPE_DEVICE_NOTE (object);

  if (self->testing)
    g_cancellable_cancel (self->testing);
  G_OBJECT_CLASS (scope_device_note_parent_class)->dispose (object);
}

static void
scope_device_note_finalize (GObject *object)
{
  g_free (SCOPE_DEVICE_NOTE (object)->device);
  G_OBJECT_CLASS (scope_device_note_parent_class)->finalize (object);
}

static void
scope_device_note_class_init (ScopeDeviceNoteClass *class)
{
  G_OBJECT_CLASS (class)->dispose = scope_device_note_dispose;
  G_OBJECT_CLASS (class)->finalize = scope_device_note_finalize;
  signals[TESTED] = g_signal_new ("tested", SCOPE_TYPE_DEVICE_NOTE, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 0);
}

static void
scope_device_note_init (ScopeDeviceNote *self)
{
  self->button = gtk_button_new ();
  gtk_widget_set_name (self->button, "device-test");
  gtk_widget_set_valign (self->button, GTK_ALIGN_CENTER);
  g_signal_connect_swapped (self->button, "clicked", G_CALLBACK (on_clicked), self);
  adw_action_row_add_suffix (ADW_ACTION_ROW (self), self->button);
  self->guide = gtk_button_new_with_label (_ ("Guide"));
  gtk_widget_set_name (self->guide, "device-guide");
  gtk_widget_set_valign (self->guide, GTK_ALIGN_CENTER);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->guide), "win.guide");
  adw_action_row_add_suffix (ADW_ACTION_ROW (self), self->guide);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
