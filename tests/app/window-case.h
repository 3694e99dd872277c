/* window-case.h — what the tests of the window share: the window, its page, and the lists of tests.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/app/gui-test.h"

extern ScopeWindow *window;
extern ScopePage   *page;

ScopeCanvas    *canvas (void);
ScopeWorkspace *workspace (void);
guint           n_items (void);
/* Saves a picture of a window in the folder HYBRIDSCOPE_PICTURES, if that is set. */
void take_picture (gpointer of, const char *name);

/* One file of tests each. */
void add_run_tests (void);
void add_agreement_tests (void);
void add_fault_tests (void); /* after a run */
void add_view_tests (void);
void add_value_tests (void);
void add_mending_tests (void);
void add_behaviour_tests (void);
