/* window-case.h — the one window that all tests of test-window.c share, and its parts.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/app/gui-test.h"

extern ScopeWindow *window;
extern ScopePage   *page;

ScopeCanvas    *canvas (void);
ScopeWorkspace *workspace (void);
guint           n_items (void);
/* With HYBRIDSCOPE_PICTURES=FOLDER, of a window, there. */
void take_picture (gpointer of, const char *name);

/* One file of tests each. */
void add_run_tests (void);
void add_agreement_tests (void);
void add_fault_tests (void); /* after a run */
void add_view_tests (void);
void add_value_tests (void);
void add_mending_tests (void);
void add_behaviour_tests (void);
