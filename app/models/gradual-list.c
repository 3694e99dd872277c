/* gradual-list.c — the first items of a list; make_step() adds or removes a few.
 *
 * A step takes at most BUDGET_US, so that the main loop stays responsive.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/models/gradual-list.h"

/* Items that stay when the list changes, about as many as are visible. */
#define AT_ONCE 40
/* Rows that a GtkListView creates at most; items beyond cost nothing. */
#define MAX_VIEW_ROWS 220
#define STEP          4
#define BUDGET_US     6000
/* Typing a search changes the list with every letter; it grows when it has been unchanged for this long. */
#define SETTLE_MS 250

struct _ScopeGradualList
{
  GObject     parent_instance;
  GListModel *source;
  guint       n_shown;   /* the first of source */
  guint       source_id; /* adds or removes items */
  gboolean    is_visible;
};

static guint completed_signal;

static GType
scope_gradual_list_get_item_type (GListModel *model)
{
  return g_list_model_get_item_type (SCOPE_GRADUAL_LIST (model)->source);
}

static guint
scope_gradual_list_get_n_items (GListModel *model)
{
  return SCOPE_GRADUAL_LIST (model)->n_shown;
}

static gpointer
scope_gradual_list_get_item (GListModel *model, guint position)
{
  ScopeGradualList *self = SCOPE_GRADUAL_LIST (model);

  return position < self->n_shown ? g_list_model_get_item (self->source, position) : NULL;
}

static void
list_model_init (GListModelInterface *interface)
{
  interface->get_item_type = scope_gradual_list_get_item_type;
  interface->get_n_items = scope_gradual_list_get_n_items;
  interface->get_item = scope_gradual_list_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (ScopeGradualList,
                               scope_gradual_list,
                               G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

/* --- Growing --- */

static void
set_shown (ScopeGradualList *self, guint n)
{
  guint before = self->n_shown;

  self->n_shown = n;
  if (n > before)
    g_list_model_items_changed (G_LIST_MODEL (self), before, 0, n - before);
  else
    g_list_model_items_changed (G_LIST_MODEL (self), n, before - n, 0);
}

/* FALSE: the list is complete, or empty while unmapped. */
static gboolean
make_step (ScopeGradualList *self)
{
  guint n = g_list_model_get_n_items (self->source);

  if (self->n_shown == (self->is_visible ? n : 0))
    return FALSE;
  if (!self->is_visible)
    set_shown (self, MIN (self->n_shown, MAX_VIEW_ROWS) - MIN (self->n_shown, STEP));
  else
    set_shown (self, self->n_shown < MAX_VIEW_ROWS ? MIN (self->n_shown + STEP, n) : n);
  return TRUE;
}

static gboolean
on_idle (gpointer data)
{
  ScopeGradualList *self = data;
  gint64            begin = g_get_monotonic_time ();
  guint             id = self->source_id;

  while (g_get_monotonic_time () - begin < BUDGET_US)
    {
      gboolean is_done = !make_step (self);

      if (self->source_id != id) /* a handler has started again */
        return G_SOURCE_REMOVE;
      if (is_done)
        {
          self->source_id = 0;
          if (self->is_visible)
            g_signal_emit (self, completed_signal, 0);
          return G_SOURCE_REMOVE;
        }
    }
  return G_SOURCE_CONTINUE;
}

/* At idle priority, so that frames are drawn between two steps. */
static gboolean
start (gpointer data)
{
  ScopeGradualList *self = data;

  g_clear_handle_id (&self->source_id, g_source_remove);
  self->source_id = g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, on_idle, self, NULL);
  return G_SOURCE_REMOVE;
}

static void
start_soon (ScopeGradualList *self)
{
  g_clear_handle_id (&self->source_id, g_source_remove);
  self->source_id = g_timeout_add (SETTLE_MS, start, self);
}

static void
on_items_changed (GListModel *source, guint position, guint removed, guint added, gpointer data)
{
  ScopeGradualList *self = data;
  guint             before = self->n_shown;

  if (!self->is_visible && before == 0)
    return;
  if (before < AT_ONCE)
    start (self);
  else
    start_soon (self);
  if (position >= before)
    return;
  if (removed == added) /* sorted differently: rows stay */
    added = removed = MIN (removed, before - position);
  else
    {
      removed = before - position;
      added = MIN (g_list_model_get_n_items (source) - position, AT_ONCE);
      self->n_shown = position + added;
    }
  g_list_model_items_changed (G_LIST_MODEL (self), position, removed, added);
}

static void
on_map (ScopeGradualList *self)
{
  self->is_visible = TRUE;
  start (self);
}

static void
on_unmap (ScopeGradualList *self)
{
  self->is_visible = FALSE;
  start (self);
}

void
scope_gradual_list_follow (ScopeGradualList *self, GtkWidget *view)
{
  g_signal_connect_object (view, "map", G_CALLBACK (on_map), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (view, "unmap", G_CALLBACK (on_unmap), self, G_CONNECT_SWAPPED);
}

/* --- Object --- */

static void
scope_gradual_list_dispose (GObject *object)
{
  ScopeGradualList *self = SCOPE_GRADUAL_LIST (object);

  g_clear_handle_id (&self->source_id, g_source_remove);
  if (self->source)
    g_signal_handlers_disconnect_by_data (self->source, self);
  self->n_shown = 0;
  G_OBJECT_CLASS (scope_gradual_list_parent_class)->dispose (object);
}

static void
scope_gradual_list_finalize (GObject *object)
{
  g_clear_object (&SCOPE_GRADUAL_LIST (object)->source);
  G_OBJECT_CLASS (scope_gradual_list_parent_class)->finalize (object);
}

static void
scope_gradual_list_class_init (ScopeGradualListClass *class)
{
  G_OBJECT_CLASS (class)->dispose = scope_gradual_list_dispose;
  G_OBJECT_CLASS (class)->finalize = scope_gradual_list_finalize;
  completed_signal = g_signal_new ("completed", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
scope_gradual_list_init (ScopeGradualList *self G_GNUC_UNUSED)
{
}

ScopeGradualList *
scope_gradual_list_new (GListModel *source)
{
  ScopeGradualList *self = g_object_new (SCOPE_TYPE_GRADUAL_LIST, NULL);

  self->source = source;
  g_signal_connect (source, "items-changed", G_CALLBACK (on_items_changed), self);
  return self;
}

GListModel *
scope_gradual_list_get_source (ScopeGradualList *self)
{
  return self->source;
}
