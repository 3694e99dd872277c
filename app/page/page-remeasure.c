/* page-remeasure.c — a model in another form is measured as it was measured in the form before.
 *
 * Costs cannot be carried over: what they are in another form is what one wants to know.  The form
 * before is a page of its own and keeps its costs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page/page-private.h"

#include "app/process/conversion.h"
#include "app/session/settings.h"
#include "profiler/base/format.h"
#include "profiler/base/statistics.h"

#include <glib/gi18n.h>
#include <math.h>

void
scope_page_clear_remeasured (ScopePage *self)
{
  g_clear_pointer (&self->again_path, g_free);
  g_clear_pointer (&self->again_form, g_free);
}

/* A run that nobody watches; NAN: there was none. */
static double
median_of (ScopePage *page)
{
  ScopeMeasurement  *measurement = scope_workspace_get_measurement (page->workspace);
  guint              n = 0;
  g_autofree double *samples =
      measurement ? prof_capture_dup_samples (scope_measurement_get_capture (measurement),
                                              PROF_SAMPLE_CLEAN,
                                              &n)
                  : NULL;

  return n > 0 ? prof_median (samples, n) : NAN;
}

void
scope_page_remeasure (ScopePage *self, ScopePage *from)
{
  const ScopeRunOptions *last = scope_workspace_get_run_options (from->workspace);
  g_autoptr (ScopeRunOptions) options =
      last ? scope_run_options_copy (last) : scope_run_options_load ();

  if (!scope_workspace_get_measurement (from->workspace) ||
      scope_workspace_get_measurement (self->workspace) ||
      !scope_settings_get_flag ("measure-forms", TRUE))
    return;
  /* What another machine is to do is asked for by name. */
  if (options->launcher && *options->launcher != '\0')
    return;
  if (!scope_page_run (self, options))
    return;
  scope_page_clear_remeasured (self);
  self->again_path = g_strdup (scope_workspace_get_run_path (self->workspace));
  self->again_form = g_strdup (scope_conversion_title (scope_page_get_form (from)));
  self->again_seconds = median_of (from);
  g_object_notify (G_OBJECT (self->workspace), "progress"); /* what is told of it says why */
  scope_workspace_log (self->workspace,
                       SCOPE_LOG_NOTE,
                       VIZ_ROOT,
                       _ ("Measured in this form as before as %s"),
                       self->again_form);
  scope_page_update_heat_hint (self);
}

/* Whether the last run of this page is the one that was begun so. */
gboolean
scope_page_is_remeasuring (ScopePage *self)
{
  return self->again_path &&
         g_strcmp0 (self->again_path, scope_workspace_get_run_path (self->workspace)) == 0;
}

/* Of the costs that are shown; NULL: they came about in another way.  (transfer full) */
static char *
describe (ScopePage *self)
{
  double           seconds = median_of (self);
  g_autofree char *now = NULL;
  g_autofree char *before = NULL;

  if (!self->again_path || isnan (seconds) ||
      g_strcmp0 (self->again_path, scope_workspace_get_capture_path (self->workspace)) != 0)
    return NULL;
  now = prof_format_seconds (seconds);
  if (isnan (self->again_seconds))
    return g_strdup_printf (_ ("New measurement in this form: %s a run"), now);
  before = prof_format_seconds (self->again_seconds);
  return g_strdup_printf (_ ("New measurement in this form: %s a run; as %s it was %s"),
                          now,
                          self->again_form,
                          before);
}

void
scope_page_update_remeasured (ScopePage *self)
{
  g_autofree char *text = describe (self);

  if (text)
    gtk_label_set_text (self->again_label, text);
  gtk_revealer_set_reveal_child (self->again, text != NULL);
}

static void
act_forget (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  scope_page_clear_remeasured (SCOPE_PAGE (widget));
  scope_page_update_remeasured (SCOPE_PAGE (widget));
}

void
scope_page_class_add_again_actions (GtkWidgetClass *class)
{
  gtk_widget_class_install_action (class, "page.dismiss-measured", NULL, act_forget);
}
