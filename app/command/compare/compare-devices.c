/* compare-devices.c — the devices on which hscope compare measures every candidate.
 *
 * A device that is missing, or has too little memory for a candidate, does not end the comparison of the
 * others.  Start at scope_compare_open_devices().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-devices.h"

#include "app/command/frame/command.h"
#include "app/command/frame/messages.h"
#include "app/command/open-device.h"

#include "engine/base/one-line.h"

#include <stdio.h>
#include <string.h>

void
scope_compared_on_free (gpointer data)
{
  ScopeComparedOn *device = data;

  g_clear_pointer (&device->gpu, hyb_gpu_unref);
  g_free (device->name);
  g_free (device);
}

static gboolean
has_device (const ScopeComparison *self, const char *name)
{
  for (guint i = 0; i < self->devices->len; i++)
    if (g_strcmp0 (((ScopeComparedOn *) self->devices->pdata[i])->name, name) == 0)
      return TRUE;
  return FALSE;
}

/* Opens the device of this name.  is_named: results name it. */
static gboolean
add_device (ScopeComparison *self, const char *name, gboolean is_named, GError **error)
{
  ScopeCommonOptions common = *self->common;
  HybGpu            *gpu = NULL;
  ScopeComparedOn   *device;

  common.device = (char *) name;
  if (!scope_open_traced_device (&common, &gpu, error))
    return FALSE;
  device = g_new0 (ScopeComparedOn, 1);
  device->name = is_named ? g_strdup (name) : NULL;
  device->gpu = gpu;
  g_ptr_array_add (self->devices, device);
  return TRUE;
}

static gboolean
check_name (const char *list, const char *name, GError **error)
{
  if (strcmp (name, "cpu") == 0 || strcmp (name, "gpu") == 0 || g_str_has_prefix (name, "gpu:"))
    return TRUE;
  return scope_usage_error (error, "--devices %s: “%s” must be cpu or gpu[:N]", list, name);
}

/* A device of the list; one that cannot be opened is left out. */
static gboolean
add_listed (ScopeComparison *self, const char *name, GError **first, GError **error)
{
  g_autoptr (GError) problem = NULL;

  if (!check_name (self->options->devices, name, error))
    return FALSE;
  if (has_device (self, name) || add_device (self, name, TRUE, &problem))
    return TRUE;
  scope_print_message (HYB_SEVERITY_WARNING, "nothing is measured on “%s”: %s", name,
                       problem->message);
  g_ptr_array_add (self->left_out, g_strdup_printf ("%s: %s", name, problem->message));
  if (!*first)
    *first = g_steal_pointer (&problem);
  return TRUE;
}

gboolean
scope_compare_open_devices (ScopeComparison *self, GError **error)
{
  const char *single = self->common->device;
  g_autoptr (GError) first = NULL;
  g_auto (GStrv) names = NULL;

  if (!self->options->devices)
    return add_device (self, single ? single : "cpu", single && strcmp (single, "cpu") != 0, error);
  names = g_strsplit (self->options->devices, ",", -1);
  for (guint i = 0; names[i]; i++)
    if (!add_listed (self, g_strstrip (names[i]), &first, error))
      return FALSE;
  if (self->devices->len == 0)
    g_propagate_error (error, g_steal_pointer (&first));
  return self->devices->len > 0;
}

/* --- Output --- */

/* "Pretend GPU, driver for CUDA 13.0, precise: …".  (transfer full) */
static char *
describe (const ScopeComparedOn *device)
{
  g_autofree char *name = NULL;

  if (!device->gpu)
    return g_strdup ("the processor");
  name = hyb_gpu_describe (device->gpu);
  return g_strdup_printf ("%s; %s", name, hyb_gpu_describe_math (device->gpu));
}

/* TRUE if results name their devices. */
static gboolean
is_named (const ScopeComparison *self)
{
  return self->left_out->len > 0 ||
         (self->devices->len > 0 && ((ScopeComparedOn *) self->devices->pdata[0])->name);
}

/* All sentences about parts that were left out.  (transfer full) */
static GPtrArray *
list_left_out (const ScopeComparison *self)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < self->left_out->len; i++)
    g_ptr_array_add (list, g_strdup (self->left_out->pdata[i]));
  for (guint g = 0; g < self->groups->len; g++)
    {
      const ScopeGroup *group = self->groups->pdata[g];
      g_autofree char  *title = scope_group_dup_title (group);

      for (guint i = 0; i < group->left_out->len; i++)
        g_ptr_array_add (list,
                         g_strdup_printf ("%s, %s", title, (char *) group->left_out->pdata[i]));
    }
  return list;
}

void
scope_compare_say_devices (ScopeSaid *said, const ScopeComparison *self)
{
  g_autoptr (GPtrArray) left_out = list_left_out (self);

  if (!is_named (self))
    return;
  scope_said_heading (said, "Devices", "");
  for (guint i = 0; i < self->devices->len; i++)
    {
      const ScopeComparedOn *device = self->devices->pdata[i];
      g_autofree char       *text = describe (device);

      scope_said_fact (said, device->name, text);
    }
  for (guint i = 0; i < left_out->len; i++)
    scope_said_sentence (said, SCOPE_SAID_PLAIN,
                         g_strdup_printf ("not measured: %s", (char *) left_out->pdata[i]));
}

void
scope_compare_describe_devices (ScopeJson *json, const ScopeComparison *self)
{
  g_autoptr (GPtrArray) left_out = list_left_out (self);

  scope_json_begin_list (json, "devices");
  for (guint i = 0; i < self->devices->len; i++)
    {
      const ScopeComparedOn *device = self->devices->pdata[i];
      g_autofree char       *text = describe (device);

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", device->name ? device->name : "cpu");
      scope_json_string (json, "description", text);
      scope_json_end (json);
    }
  scope_json_end (json);
  scope_json_begin_list (json, "left_out");
  for (guint i = 0; i < left_out->len; i++)
    scope_json_string (json, NULL, left_out->pdata[i]);
  scope_json_end (json);
}
