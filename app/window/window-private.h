/* window-private.h — the struct of the window, and the functions that its files share.
 *
 * Calls go one way: window.c (the class) → window-actions.c, -drop.c → -attributes.c, -numbers.c, -convert.c, -export.c,
 * -lists.c, -own-input.c, -parameters.c, -plugin.c, -print.c, -replace.c, -save.c, -values.c → window-mend.c →
 * window-compare.c, -sweep.c → window-dialog.c, window-inputs.c, window-pages.c → window-tabs.c.  Each part has a table of
 * its actions, from which window.c installs them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/window/window.h"

#include "app/page/run-panel.h"
#include "app/window/form-menu.h"
#include "app/window/start-page.h"

struct _ScopeWindow
{
  AdwApplicationWindow parent_instance;

  /* Template */
  AdwToastOverlay *toasts;
  GtkStack        *stack; /* "start", "tabs" */
  AdwTabView      *tabs;
  ScopeStartPage  *start;
  GtkButton       *start_button;
  AdwWindowTitle  *title;
  GtkStack        *title_stack; /* "title", "search" */
  GtkSearchEntry  *search;
  GtkWidget       *page_tools;
  ScopeRunPanel   *run_panel;
  GtkPopover      *run_popover;
  ScopeFormMenu   *form_menu;
  GtkWidget       *run_button;
  GtkWidget       *tab_bar;
  GtkMenuButton   *menu_button;
  GtkRevealer     *first_steps;

  GListStore           *workspaces; /* of all models that are open */
  GtkFileChooserNative *chooser;    /* the open file dialog, or NULL */
  char                 *refused;    /* the action that "win.fill" continues with; NULL: none */
  GVariant             *refused_parameter;
  gpointer              refused_page; /* never followed */
  guint                 autosave;     /* source */
  guint                 naming;       /* source that gives the buttons of new tabs a name */
  guint                 showing;      /* source that scrolls the tab bar to the selected tab */
  guint                 tab_room;     /* characters for which the titles of the tabs were made */
  gboolean              is_closing;
  gboolean              is_at_start; /* the start page is shown; tabs may be open */
};

/* One action of the window. */
typedef struct
{
  const char *name;      /* "win.…" */
  const char *parameter; /* type of the target; NULL: none */
  void (*activate) (ScopeWindow *self, GVariant *parameter);
  const char *forwarded; /* instead of activate: an action of the page, its graph or its canvas */
} ScopeWindowAction;

/* Tables that end with a NULL name. */
extern const ScopeWindowAction scope_window_actions[];           /* window-actions.c */
extern const ScopeWindowAction scope_window_forward_actions[];   /* window-forward.c */
extern const ScopeWindowAction scope_window_export_actions[];    /* window-export.c */
extern const ScopeWindowAction scope_window_mend_actions[];      /* window-mend.c */
extern const ScopeWindowAction scope_window_own_input_actions[]; /* window-own-input.c */
extern const ScopeWindowAction scope_window_attribute_actions[]; /* window-attributes.c */
extern const ScopeWindowAction scope_window_parameter_actions[]; /* window-parameters.c */
extern const ScopeWindowAction scope_window_replace_actions[];   /* window-replace.c */
extern const ScopeWindowAction scope_window_convert_actions[];   /* window-convert.c */
extern const ScopeWindowAction scope_window_compare_actions[];   /* window-compare.c */
extern const ScopeWindowAction scope_window_sweep_actions[];     /* window-sweep.c */
extern const ScopeWindowAction scope_window_list_actions[];      /* window-lists.c */
extern const ScopeWindowAction scope_window_save_actions[];      /* window-save.c */
extern const ScopeWindowAction scope_window_print_actions[];     /* window-print.c */
extern const ScopeWindowAction scope_window_plugin_actions[];    /* window-plugin.c */
extern const ScopeWindowAction scope_window_input_actions[];     /* window-inputs.c */
extern const ScopeWindowAction scope_window_numbers_actions[];   /* window-numbers.c */
extern const ScopeWindowAction scope_window_guide_actions[];     /* window-guide.c */
extern const ScopeWindowAction scope_window_values_actions[];    /* window-values.c */

/* --- window-pages.c --- */

/* Shows the start page, or the open tabs. */
void scope_window_show_start (ScopeWindow *self, gboolean is_at_start);
/* Says that a file was not written.  action: of the window, which chooses another place. */
void scope_window_show_unwritten (ScopeWindow  *self,
                                  const char   *path,
                                  const char   *action,
                                  const GError *error);
/* Shows a tab. */
void scope_window_select_tab (ScopeWindow *self, AdwTabPage *tab);
/* The tab with a page of this type that shows a saved comparison, a sweep or a list at path; NULL: there is none. */
AdwTabPage *scope_window_find_saved (ScopeWindow *self, GType type, const char *path);
/* Adapts title, tools and actions to the selected tab. */
void scope_window_update (ScopeWindow *self);
/* Opens a model with a file of parameters in a new tab. */
void scope_window_open_pair (ScopeWindow *self, GFile *graph, const char *params);
/* Saves the state of every page that has changed. */
void scope_window_autosave (ScopeWindow *self);

/* --- window-forward.c --- */

/* Activates an action of the selected page, of its graph or of its canvas. */
void scope_window_forward (ScopeWindow *self, const char *action, GVariant *parameter);

/* --- window-tabs.c --- */

/* The whole title of a tab, "" if it has none.  (transfer full) */
char *scope_window_dup_title (AdwTabPage *tab);
/* Sets the titles of all tabs, which depend on each other. */
void scope_window_update_tabs (ScopeWindow *self);
/* Keeps the selected tab visible when the window is resized. */
void scope_window_watch_tabs (ScopeWindow *self);

/* --- window-compare.c --- */

/* TRUE if a file begins like a comparison. */
gboolean scope_window_is_comparison (const char *path);
/* The parameter file for commands on the model; NULL: that beside it, or its own.  (transfer none) */
const char *scope_window_get_params (ScopeWorkspace *workspace);

/* --- window-sweep.c --- */

/* Shows the sweep in a folder. */
void scope_window_open_sweep (ScopeWindow *self, const char *folder);

/* --- window-dialog.c --- */

/* Called with each chosen file, and with the data given to scope_window_choose_file(). */
typedef void (*ScopeFileChosen) (ScopeWindow *self, GFile *file, const char *data);
/* Called with the path of each chosen file that is on this machine. */
typedef void (*ScopePathChosen) (ScopeWindow *self, const char *path);
/* Called once with all chosen files, of GFile. */
typedef void (*ScopeFilesChosen) (ScopeWindow *self, GListModel *files);

typedef struct
{
  const char          *title;
  GtkFileChooserAction action;
  gboolean             is_multiple;
  const char          *name;   /* (nullable) proposed name of a file to be saved */
  GFile               *folder; /* (nullable) folder that is shown first */
  ScopeFileChosen      chosen;
  const char          *data;        /* (nullable) copied, for chosen */
  ScopePathChosen      path_chosen; /* (nullable) called instead of chosen */
  ScopeFilesChosen     all_chosen;  /* (nullable) called instead of chosen */
} ScopeFileDialog;

/* Opens a file dialog; returns it for filters to be added.  (transfer none) */
GtkFileChooser *scope_window_choose_file (ScopeWindow *self, const ScopeFileDialog *dialog);

/* Opens a dialog in the folder of the open model; does nothing if none is open. */
void scope_window_choose_beside (ScopeWindow *self, ScopeFileDialog dialog);

/* --- window-inputs.c --- */

/* Whether the selected model can be run: its shapes are known, and it has values or may be filled.  FALSE:
 * the page says what is missing, with a button; filling then continues with the action, to be
 * called with the parameter. */
gboolean scope_window_check_inputs (ScopeWindow *self, const char *action, GVariant *parameter);

/* --- window-own-input.c --- */

/* Takes a file as the input of runs of the open model, or as the names of its classes.  FALSE: it is neither. */
gboolean scope_window_take_input (ScopeWindow *self, GFile *file);

/* --- window-numbers.c --- */

/* scope_window_open_numbers(), but a file that holds a graph is opened in a tab.  path: (nullable) */
void scope_window_guess_numbers (ScopeWindow *self, const char *path);

/* --- window-export.c --- */

/* The theme for light paper, with the same colours. */
const VizTheme *scope_window_get_light_theme (const VizTheme *theme);

/* --- window-values.c --- */

/* Keeps the list of workspaces, which are the peers of each. */
void scope_window_list_workspaces (ScopeWindow *self);

/* --- window-drop.c --- */

/* Accepts files that are dropped on the window. */
void scope_window_add_drop (ScopeWindow *self);

/* --- window-names.c --- */

/* Gives accessible names to buttons that the toolkit creates without one. */
void scope_window_set_accessible_names (ScopeWindow *self);
