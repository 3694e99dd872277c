/* log-item.h — one line of the log: level, time, text, and the box it is about.
 *
 * The workspace keeps them in a list, which the log view shows.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#define SCOPE_TYPE_LOG_ITEM (scope_log_item_get_type ())
G_DECLARE_FINAL_TYPE (ScopeLogItem, scope_log_item, SCOPE, LOG_ITEM, GObject)

/* level: a ScopeLogLevel.  box: or VIZ_ROOT. */
ScopeLogItem *scope_log_item_new (int level, guint32 box, const char *text);
/* The level of the message. */
int scope_log_item_get_level (ScopeLogItem *self);
/* The box that the message is about, or VIZ_ROOT. */
guint32 scope_log_item_get_box (ScopeLogItem *self);
/* The message, owned by the item. */
const char *scope_log_item_get_text (ScopeLogItem *self);
const char *scope_log_item_get_time (ScopeLogItem *self); /* "12:34:56" */
