/* device-row.c — a list of the processor and of the GPUs that hscope devices finds.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page/device-row.h"

#include "app/process/child.h"
#include "app/process/json-fields.h"
#include "app/widgets/combo-label.h"

#include <glib/gi18n.h>
#include <string.h>

#define N_REMOTE_GPUS 4 /* offered for machines whose GPUs are not known */

/* The usual reason of the child process, which speaks English, for the catalogues. */
static const char *const usual_reason[] G_GNUC_UNUSED = {
  N_ ("no NVIDIA driver is installed (libcuda.so.1 was not found)"),
  N_ ("Install NVIDIA's driver, version 525 or newer"),
};

struct _ScopeDeviceRow
{
  AdwComboRow      parent_instance;
  GPtrArray       *names; /* of char *, in the order of the list */
  ScopeDeviceNote *note;  /* owned; NULL: there is none */
  cJSON           *json;  /* output of hscope devices; NULL: it has not answered */
  GCancellable    *cancellable;
  gboolean         is_asking; /* hscope devices runs */
  gboolean         is_remote; /* runs go through a launcher */
  char *absence; /* why this machine has no GPU, as a sentence; NULL: not known, or it has */
};

G_DEFINE_FINAL_TYPE (ScopeDeviceRow, scope_device_row, ADW_TYPE_COMBO_ROW)

/* --- The list --- */

/* Adds a device, or gives one that is there another title. */
static void
add_device (ScopeDeviceRow *self, const char *name, const char *title)
{
  GListModel *model = adw_combo_row_get_model (ADW_COMBO_ROW (self));
  guint       selected = adw_combo_row_get_selected (ADW_COMBO_ROW (self)), index;

  if (!g_ptr_array_find_with_equal_func (self->names, name, g_str_equal, &index))
    {
      index = self->names->len;
      g_ptr_array_add (self->names, g_strdup (name));
    }
  gtk_string_list_splice (GTK_STRING_LIST (model), index, index < g_list_model_get_n_items (model),
                          (const char *const[]){ title, NULL });
  if (selected != GTK_INVALID_LIST_POSITION)
    adw_combo_row_set_selected (ADW_COMBO_ROW (self), selected);
}

const char *
scope_device_row_get_device (ScopeDeviceRow *self)
{
  guint selected = adw_combo_row_get_selected (ADW_COMBO_ROW (self));

  return self->names->pdata[MIN (selected, self->names->len - 1)];
}

void
scope_device_row_set_device (ScopeDeviceRow *self, const char *device)
{
  guint index;

  if (g_str_equal (device, "gpu"))
    device = "gpu:0";
  if (!g_ptr_array_find_with_equal_func (self->names, device, g_str_equal, NULL))
    add_device (self, device, device);
  if (g_ptr_array_find_with_equal_func (self->names, device, g_str_equal, &index))
    adw_combo_row_set_selected (ADW_COMBO_ROW (self), index);
}

/* The output of hscope devices for the chosen device.  NULL: nothing, or it is the processor. */
static const cJSON *
find_device (ScopeDeviceRow *self)
{
  const char  *name = scope_device_row_get_device (self);
  const cJSON *device;

  if (!g_str_has_prefix (name, "gpu:"))
    return NULL;
  cJSON_ArrayForEach (device, cJSON_GetObjectItemCaseSensitive (self->json, "devices"))
  {
    if (g_str_equal (scope_json_get_text (device, "name"), name))
      return device;
  }
  return NULL;
}

static void
update_note (ScopeDeviceRow *self)
{
  if (!self->note)
    return;
  if (self->absence && !self->is_remote)
    scope_device_note_show_absence (self->note, self->absence);
  else
    scope_device_note_show (self->note, self->is_remote ? NULL : find_device (self));
}

void
scope_device_row_set_remote (ScopeDeviceRow *self, gboolean is_remote)
{
  self->is_remote = is_remote;
  for (guint i = 0; is_remote && i < N_REMOTE_GPUS; i++)
    {
      g_autofree char *name = g_strdup_printf ("gpu:%u", i);
      g_autofree char *title = g_strdup_printf (_ ("GPU %u"), i);

      add_device (self, name, title);
    }
  update_note (self);
}

/* --- The GPUs of this machine --- */

/* The number distinguishes several. */
static char *
make_title (const char *name, const char *model, guint n_gpus)
{
  if (!*model)
    return g_strdup (name);
  return n_gpus > 1 ? g_strdup_printf (_ ("GPU %s: %s"), name + strlen ("gpu:"), model)
                    : g_strdup (model);
}

static void
add_gpus (ScopeDeviceRow *self, const cJSON *devices)
{
  const cJSON *device;
  guint        n_gpus = 0;

  cJSON_ArrayForEach (device, devices) n_gpus +=
      g_str_has_prefix (scope_json_get_text (device, "name"), "gpu:");

  cJSON_ArrayForEach (device, devices)
  {
    const char      *name = scope_json_get_text (device, "name");
    const char      *model = scope_json_get_text (device, "model");
    g_autofree char *title = NULL;

    if (!g_str_has_prefix (name, "gpu:"))
      continue;
    title = make_title (name, model, n_gpus);
    add_device (self, name, title);
  }
}

/* Takes the output of hscope devices --json. */
static void
read_devices (ScopeDeviceRow *self, const char *text)
{
  const cJSON *error;
  const char  *message, *hint;

  cJSON_Delete (self->json);
  self->json = cJSON_Parse (text);
  error = cJSON_GetObjectItemCaseSensitive (self->json, "error");
  message = scope_json_get_text (error, "message");
  hint = scope_json_get_text (error, "hint");
  add_gpus (self, cJSON_GetObjectItemCaseSensitive (self->json, "devices"));
  g_clear_pointer (&self->absence, g_free);
  if (*message)
    self->absence = *hint
                        ? g_strdup_printf (_ ("No GPU: %s. %s."), gettext (message), gettext (hint))
                        : g_strdup_printf (_ ("No GPU: %s."), gettext (message));
  update_note (self);
}

static void
on_listed (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeDeviceRow) self = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = scope_child_run_finish (result, &error);

  self->is_asking = FALSE;
  if (text)
    read_devices (self, text);
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_info ("devices are not listed: %s", error->message);
}

static void
ask (ScopeDeviceRow *self)
{
  static const char *const arguments[] = { "devices", "--json", NULL };

  self->is_asking = TRUE;
  scope_child_run_async (arguments, self->cancellable, on_listed, g_object_ref (self));
}

/* Whether the next answer would be the same: a driver may have been installed meanwhile, and the first run makes a
 * self-test. */
static gboolean
is_known (ScopeDeviceRow *self)
{
  const cJSON *device = find_device (self);

  return self->json && !self->absence &&
         (!device || cJSON_IsObject (cJSON_GetObjectItemCaseSensitive (device, "selftest")));
}

static void
on_map (ScopeDeviceRow *self)
{
  if (!self->is_asking && !is_known (self))
    ask (self);
}

void
scope_device_row_set_note (ScopeDeviceRow *self, ScopeDeviceNote *note)
{
  g_return_if_fail (!self->note);

  self->note = g_object_ref (note);
  g_signal_connect_object (note, "tested", G_CALLBACK (ask), self, G_CONNECT_SWAPPED);
  update_note (self);
}

/* --- The object --- */

static void
scope_device_row_dispose (GObject *object)
{
  g_cancellable_cancel (SCOPE_DEVICE_ROW (object)->cancellable);
  G_OBJECT_CLASS (scope_device_row_parent_class)->dispose (object);
}

static void
scope_device_row_finalize (GObject *object)
{
  ScopeDeviceRow *self = SCOPE_DEVICE_ROW (object);

  g_ptr_array_unref (self->names);
  g_clear_object (&self->note);
  cJSON_Delete (self->json);
  g_object_unref (self->cancellable);
  g_free (self->absence);
  G_OBJECT_CLASS (scope_device_row_parent_class)->finalize (object);
}

static void
scope_device_row_class_init (ScopeDeviceRowClass *class)
{
  G_OBJECT_CLASS (class)->dispose = scope_device_row_dispose;
  G_OBJECT_CLASS (class)->finalize = scope_device_row_finalize;
}

static void
scope_device_row_init (ScopeDeviceRow *self)
{
  g_autoptr (GtkStringList) list = gtk_string_list_new (NULL);

  self->names = g_ptr_array_new_with_free_func (g_free);
  self->cancellable = g_cancellable_new ();
  adw_combo_row_set_model (ADW_COMBO_ROW (self), G_LIST_MODEL (list));
  scope_combo_row_show_whole (ADW_COMBO_ROW (self));
  add_device (self, "cpu", _ ("Processor"));
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
  g_signal_connect (self, "notify::selected", G_CALLBACK (update_note), NULL);
}
