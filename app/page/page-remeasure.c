/* page-remeasure.c — measures a converted form of a model with the options of the form before.
 *
 * Costs are never carried over between forms.  The bar compares the medians of both.
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
  g_clear_pointer (&self->remeasured_path, g_free);
  g_clear_pointer (&self->remeasured_form, g_free);
}

/* The median time of untraced runs in seconds; NAN: not measured. */
static double
median_of (ScopePage *page)
{
  ScopeMeasurement  *measurement = scope_workspace_get_measurement (page->workspace);
  guint              n = 0;
  g_autofree double *samples =
      measurement
          ? prof_capture_dup_undisturbed (scope_measurement_get_capture (measurement), &n, NULL)
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
  /* Only the user may start runs on another host. */
  if (scope_run_options_are_remote (options))
    return;
  if (!scope_page_run (self, options))
    return;
  scope_page_clear_remeasured (self);
  self->remeasured_path = g_strdup (scope_workspace_get_run_path (self->workspace));
  self->remeasured_form = g_strdup (scope_conversion_title (scope_page_get_form (from)));
  self->remeasured_base = median_of (from);
  g_object_notify (G_OBJECT (self->workspace), "progress"); /* the label names the reason */
  scope_workspace_log (self->workspace, SCOPE_LOG_NOTE, VIZ_ROOT,
                       _ ("Measuring with the options used for %s"), self->remeasured_form);
  scope_page_update_remeasured (self);
}

gboolean
scope_page_is_remeasuring (ScopePage *self)
{
  return self->remeasured_path &&
         g_strcmp0 (self->remeasured_path, scope_workspace_get_run_path (self->workspace)) == 0;
}

/* (transfer full) NULL: the shown costs do not belong to the remeasured run. */
static char *
describe_result (ScopePage *self)
{
  double           seconds = median_of (self);
  g_autofree char *now = NULL;
  g_autofree char *before = NULL;

  if (!self->remeasured_path || isnan (seconds) ||
      g_strcmp0 (self->remeasured_path, scope_workspace_get_capture_path (self->workspace)) != 0)
    return NULL;
  now = prof_format_seconds (seconds);
  if (isnan (self->remeasured_base))
    return g_strdup_printf (_ ("Measured in this form: %s per run"), now);
  before = prof_format_seconds (self->remeasured_base);
  return g_strdup_printf (_ ("Measured in this form: %s per run; as %s: %s"), now,
                          self->remeasured_form, before);
}

void
scope_page_update_remeasured (ScopePage *self)
{
  g_autofree char *text = describe_result (self);

  if (text)
    gtk_label_set_text (self->remeasured_label, text);
  gtk_revealer_set_reveal_child (self->remeasured, text != NULL);
}
