/* form-menu.h — the menu of forms in the header bar: the current form, and the forms that it can be
 * converted to.
 *
 * The possible forms are determined in a worker when the menu is opened.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/page/page.h"

#define SCOPE_TYPE_FORM_MENU (scope_form_menu_get_type ())
G_DECLARE_FINAL_TYPE (ScopeFormMenu, scope_form_menu, SCOPE, FORM_MENU, AdwBin)

/* Shows the form of a page, which must outlive the menu or be replaced; NULL hides the menu. */
void scope_form_menu_set_page (ScopeFormMenu *self, ScopePage *page);
/* While busy, the menu cannot be opened and says that a conversion is in progress. */
void scope_form_menu_set_busy (ScopeFormMenu *self, gboolean is_busy);
/* TRUE when the possible forms are listed. */
gboolean scope_form_menu_is_filled (ScopeFormMenu *self);
