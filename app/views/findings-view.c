/* findings-view.c — the findings of the export doctor: message, hint, place, and a button for a remedy.
 *
 * The tab's title counts errors and warnings and is kept up to date even while the list is not
 * mapped.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/findings-view.h"

#include "app/document/finding-place.h"
#include "app/views/remedies.h"

#include <glib/gi18n.h>

#define MAX_ITEMS 50

struct _ScopeFindingsView
{
  ScopeView   parent_instance;
  GtkStack   *stack; /* borrowed: children */
  GtkListBox *list;
};

G_DEFINE_FINAL_TYPE (ScopeFindingsView, scope_findings_view, SCOPE_TYPE_VIEW)

static void
add_icon (AdwExpanderRow *row, HybSeverity severity)
{
  static const char *const icons[] = {
    [HYB_SEVERITY_NOTE] = "dialog-information-symbolic",
    [HYB_SEVERITY_WARNING] = "dialog-warning-symbolic",
    [HYB_SEVERITY_ERROR] = "dialog-error-symbolic",
  };
  static const char *const classes[] = {
    [HYB_SEVERITY_NOTE] = "dim-label",
    [HYB_SEVERITY_WARNING] = "warning",
    [HYB_SEVERITY_ERROR] = "error",
  };
  GtkWidget *icon = gtk_image_new_from_icon_name (icons[severity]);

  gtk_widget_add_css_class (icon, classes[severity]);
  gtk_accessible_update_property (GTK_ACCESSIBLE (icon), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  hyb_severity_name (severity), -1);
  adw_expander_row_add_prefix (row, icon);
}

static void
add_detail (AdwExpanderRow *row, const char *title, const char *text)
{
  GtkWidget *detail = adw_action_row_new ();

  if (!text || *text == '\0')
    {
      g_object_ref_sink (detail);
      g_object_unref (detail);
      return;
    }
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (detail), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (detail), title);
  {
    GtkWidget *label = gtk_label_new (text);

    gtk_label_set_wrap (GTK_LABEL (label), TRUE);
    gtk_label_set_xalign (GTK_LABEL (label), 0);
    gtk_label_set_selectable (GTK_LABEL (label), TRUE);
    gtk_widget_set_hexpand (label, TRUE);
    gtk_widget_add_css_class (label, "dim-label");
    adw_action_row_add_suffix (ADW_ACTION_ROW (detail), label);
  }
  adw_expander_row_add_row (row, detail);
}

static void
add_items (AdwExpanderRow *row, const GArray *items)
{
  for (guint i = 0; items && i < MIN (items->len, MAX_ITEMS); i++)
    {
      const HybFindingItem *item = &g_array_index (items, HybFindingItem, i);
      g_autofree char      *text =
          item->expected || item->got
                   ? g_strdup_printf (_ ("expected %s, got %s"), item->expected ? item->expected : "–",
                                 item->got ? item->got : "–")
                   : g_strdup (" ");

      add_detail (row, item->name, text);
    }
  if (items && items->len > MAX_ITEMS)
    {
      g_autofree char *more = g_strdup_printf (_ ("and %u more"), items->len - MAX_ITEMS);

      add_detail (row, "…", more);
    }
}

static void
on_show (GtkButton *button, gpointer data)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (data);

  if (workspace)
    scope_workspace_show (workspace,
                          GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "box")));
}

static void
add_finding (ScopeFindingsView *self, ScopeDocument *document, const HybFinding *finding)
{
  AdwExpanderRow  *row = ADW_EXPANDER_ROW (adw_expander_row_new ());
  g_autofree char *place = scope_finding_dup_place (finding);
  guint32          box = scope_document_find_name (document, finding->node);
  GtkWidget       *remedy;

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), finding->message);
  adw_expander_row_set_subtitle (row, finding->hint ? finding->hint : "");
  add_icon (row, finding->severity);
  if (box != VIZ_ROOT)
    {
      GtkWidget *button = gtk_button_new_with_label (_ ("Show"));

      gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
      gtk_widget_add_css_class (button, "flat");
      g_object_set_data (G_OBJECT (button), "box", GUINT_TO_POINTER (box));
      g_signal_connect (button, "clicked", G_CALLBACK (on_show), self);
      adw_expander_row_add_action (row, button);
    }
  remedy =
      scope_remedy_button_new (finding, hyb_model_get_graph (scope_document_get_model (document)));
  if (remedy)
    {
      gtk_widget_set_valign (remedy, GTK_ALIGN_CENTER);
      adw_expander_row_add_action (row, remedy);
    }
  add_detail (row, _ ("Kind"), finding->code);
  add_detail (row, _ ("Node"), finding->node);
  add_detail (row, _ ("Place"), place);
  add_items (row, finding->items);
  gtk_list_box_append (self->list, GTK_WIDGET (row));
}

static void
scope_findings_view_document_changed (ScopeView *view)
{
  ScopeFindingsView *self = SCOPE_FINDINGS_VIEW (view);
  ScopeDocument     *document = scope_view_get_document (view);
  GPtrArray         *findings;
  GtkWidget         *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->list))) != NULL)
    gtk_list_box_remove (self->list, child);
  if (!document)
    return;
  findings = scope_document_get_findings (document);
  gtk_stack_set_visible_child_name (self->stack, findings->len > 0 ? "list" : "none");
  for (int severity = HYB_SEVERITY_ERROR; severity >= HYB_SEVERITY_NOTE; severity--)
    for (guint i = 0; i < findings->len; i++)
      {
        const HybFinding *finding = findings->pdata[i];

        if ((int) finding->severity == severity)
          add_finding (self, document, finding);
      }
}

/* The number of errors and warnings, in the title of the tab. */
static void
update_title (ScopeView *view)
{
  ScopeDocument   *document = scope_view_get_document (view);
  GPtrArray       *findings = document ? scope_document_get_findings (document) : NULL;
  guint            n = 0;
  g_autofree char *title = NULL;

  for (guint i = 0; findings && i < findings->len; i++)
    n += ((const HybFinding *) findings->pdata[i])->severity > HYB_SEVERITY_NOTE;
  title = n > 0 ? g_strdup_printf (_ ("Findings %u"), n) : g_strdup (_ ("Findings"));
  scope_view_set_title (view, title);
}

static void
scope_findings_view_workspace_changed (ScopeView *view, ScopeWorkspace *before G_GNUC_UNUSED)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (view);

  if (workspace)
    g_signal_connect_swapped (workspace, "document-changed", G_CALLBACK (update_title), view);
}

static void
scope_findings_view_class_init (ScopeFindingsViewClass *class)
{
  SCOPE_VIEW_CLASS (class)->defers_until_mapped = TRUE;
  SCOPE_VIEW_CLASS (class)->workspace_changed = scope_findings_view_workspace_changed;
  SCOPE_VIEW_CLASS (class)->document_changed = scope_findings_view_document_changed;
}

static void
scope_findings_view_init (ScopeFindingsView *self)
{
  GtkWidget *stack = gtk_stack_new (), *scroller = gtk_scrolled_window_new ();
  GtkWidget *list = gtk_list_box_new (), *none = adw_status_page_new ();

  self->stack = GTK_STACK (stack);
  self->list = GTK_LIST_BOX (list);
  gtk_widget_set_name (list, "findings-list");
  gtk_list_box_set_selection_mode (self->list, GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "boxed-list");
  gtk_widget_add_css_class (list, "panel-list");
  gtk_widget_set_valign (list, GTK_ALIGN_START);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), list);
  adw_status_page_set_title (ADW_STATUS_PAGE (none), _ ("No Findings"));
  adw_status_page_set_description (ADW_STATUS_PAGE (none),
                                   _ ("The graph and its parameters are consistent."));
  gtk_widget_add_css_class (none, "compact");
  gtk_stack_add_named (self->stack, none, "none");
  gtk_stack_add_named (self->stack, scroller, "list");
  adw_bin_set_child (ADW_BIN (self), stack);
}
