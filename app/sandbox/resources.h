/* resources.h — limits of memory and processor time for the whole process, and its capabilities.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Limits the private memory that the process can fill to memory bytes beyond the needs of the program and its
 * threads. Allocating more fails.  FALSE: the limit cannot be set. */
gboolean scope_resources_limit_memory (guint64 memory);

/* From now on the message of scope_resources_limit_time() is also a JSON document on stdout. */
void scope_resources_set_json (void);
/* After this time on processors, in seconds and of all threads together, the process ends with status and a
 * message.  Must be called again after the process has executed another program.  FALSE: the limit cannot
 * be set. */
gboolean scope_resources_limit_time (guint64 seconds, int status);

/* Gives up all capabilities except those to read and write files, which file rules limit, and the
 * possibility to get any by executing a program.  FALSE: the kernel refuses it. */
gboolean scope_resources_drop_privileges (void);
