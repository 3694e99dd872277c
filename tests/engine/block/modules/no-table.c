/* no-table.c — a module that is no plug-in.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

extern int something;
int        something = 1;
