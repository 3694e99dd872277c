/* crash.h — reports a crash inside a plug-in and names the plug-in.
 *
 * Plug-ins are foreign code in our process.  Call this before the first call into one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Installs handlers for SIGSEGV and similar signals that print which plug-in was loaded and
 * exit with SCOPE_EXIT_MODEL.  A later call replaces the name. */
void scope_crash_set_plugin (const char *plugin);
/* From now on a crash is also reported as a JSON document on stdout. */
void scope_crash_set_json (void);
