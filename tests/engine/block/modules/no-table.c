/* no-table.c — a module without a table of models, which is not a plug-in.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

extern int something;
int        something = 1;
