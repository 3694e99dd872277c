/* crash.h — ends the process with a message when a plug-in crashes or a file becomes shorter while it is mapped.
 *
 * Plug-ins are foreign code in our process, and files belong to others.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* From now on, when a mapped file has become shorter where it is read, the process says so and exits with
 * SCOPE_EXIT_FILE.  Call it before the first file is opened. */
void scope_crash_guard_files (void);
/* Installs handlers for SIGSEGV and similar signals that print which plug-in was loaded and
 * exit with SCOPE_EXIT_MODEL.  Call it before the first call into a plug-in; a later call replaces the name. */
void scope_crash_set_plugin (const char *plugin);
/* From now on both are also reported as a JSON document on stdout.  Call it before the others. */
void scope_crash_set_json (void);
