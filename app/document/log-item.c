/* log-item.c — one line of the log, with the time when it was added.
 *
 * Immutable after scope_log_item_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/log-item.h"

struct _ScopeLogItem
{
  GObject parent_instance;
  int     level;
  guint32 box;
  char   *text;
  char   *time;
};

G_DEFINE_FINAL_TYPE (ScopeLogItem, scope_log_item, G_TYPE_OBJECT)

static void
scope_log_item_finalize (GObject *object)
{
  ScopeLogItem *self = SCOPE_LOG_ITEM (object);

  g_free (self->text);
  g_free (self->time);
  G_OBJECT_CLASS (scope_log_item_parent_class)->finalize (object);
}

static void
scope_log_item_class_init (ScopeLogItemClass *class)
{
  G_OBJECT_CLASS (class)->finalize = scope_log_item_finalize;
}

static void
scope_log_item_init (ScopeLogItem *self G_GNUC_UNUSED)
{
}

ScopeLogItem *
scope_log_item_new (int level, guint32 box, const char *text)
{
  ScopeLogItem *self = g_object_new (SCOPE_TYPE_LOG_ITEM, NULL);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();

  self->level = level;
  self->box = box;
  self->text = g_strdup (text);
  self->time = g_date_time_format (now, "%H:%M:%S");
  return self;
}

int
scope_log_item_get_level (ScopeLogItem *self)
{
  return self->level;
}

guint32
scope_log_item_get_box (ScopeLogItem *self)
{
  return self->box;
}

const char *
scope_log_item_get_text (ScopeLogItem *self)
{
  return self->text;
}

const char *
scope_log_item_get_time (ScopeLogItem *self)
{
  return self->time;
}
