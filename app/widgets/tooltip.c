/* tooltip.c — the text is stored with the widget and handed out when the tooltip is queried.
 *
 * Relies on the signal "query-tooltip", which is connected once per widget.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/tooltip.h"

#define TEXT   "scope-tooltip"
#define IS_CUT "scope-tooltip-is-cut"

typedef struct
{
  gboolean (*is_cut) (GtkWidget *widget);
} Condition;

static gboolean
on_query (GtkWidget       *widget,
          int x            G_GNUC_UNUSED,
          int y            G_GNUC_UNUSED,
          gboolean by_keys G_GNUC_UNUSED,
          GtkTooltip      *tooltip,
          gpointer unused  G_GNUC_UNUSED)
{
  const char      *text = g_object_get_data (G_OBJECT (widget), TEXT);
  const Condition *condition = g_object_get_data (G_OBJECT (widget), IS_CUT);

  gtk_tooltip_set_text (tooltip, text);
  return text != NULL && (!condition || condition->is_cut (widget));
}

void
scope_tooltip_set (GtkWidget *widget, const char *text)
{
  if (!gtk_widget_get_has_tooltip (widget))
    {
      g_signal_connect (widget, "query-tooltip", G_CALLBACK (on_query), NULL);
      gtk_widget_set_has_tooltip (widget, TRUE);
    }
  g_object_set_data_full (G_OBJECT (widget), TEXT, text && *text != '\0' ? g_strdup (text) : NULL,
                          g_free);
}

void
scope_tooltip_set_whole (GtkWidget  *widget,
                         const char *text,
                         gboolean (*is_cut) (GtkWidget *widget))
{
  Condition *condition = g_new (Condition, 1);

  condition->is_cut = is_cut;
  scope_tooltip_set (widget, text);
  g_object_set_data_full (G_OBJECT (widget), IS_CUT, condition, g_free);
}

const char *
scope_tooltip_get (GtkWidget *widget)
{
  return g_object_get_data (G_OBJECT (widget), TEXT);
}

void
scope_tooltip_yield (GtkMenuButton *button)
{
  g_object_bind_property (gtk_menu_button_get_popover (button), "visible", button, "has-tooltip",
                          G_BINDING_SYNC_CREATE | G_BINDING_INVERT_BOOLEAN);
}
