/* form-menu.h — the form of the model that is shown, and those it can be written in.
 *
 * What is possible is found out when the list is opened, in a worker: every form is tried.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/page/page.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_FORM_MENU (scope_form_menu_get_type ())
G_DECLARE_FINAL_TYPE (ScopeFormMenu, scope_form_menu, SCOPE, FORM_MENU, AdwBin)

/* page: (nullable) */
void scope_form_menu_set_page (ScopeFormMenu *self, ScopePage *page);
/* While one is written. */
void scope_form_menu_set_busy (ScopeFormMenu *self, gboolean is_busy);
/* All rows say what is possible. */
gboolean scope_form_menu_is_filled (ScopeFormMenu *self);

G_END_DECLS
