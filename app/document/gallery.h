/* gallery.h — the example models, as the child process knows them.
 *
 * They are traced in the child: no user's code runs inside the window.  What was
 * traced is kept in the user's cache.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

typedef struct
{
  char *name;
  char *summary;
} ScopeExample;

void scope_gallery_list_async (GCancellable       *cancellable,
                               GAsyncReadyCallback callback,
                               gpointer            user_data);
/* Of ScopeExample; (transfer full). */
GPtrArray *scope_gallery_list_finish (GAsyncResult *result, GError **error);

/* Writes the model as a pair into the cache, unless it is there; the symbol file. */
void   scope_gallery_trace_async (const char         *name,
                                  GCancellable       *cancellable,
                                  GAsyncReadyCallback callback,
                                  gpointer            user_data);
GFile *scope_gallery_trace_finish (GAsyncResult *result, GError **error);
/* Shapes of its inputs as "NAME=1,3", for files do not say them: of the child as well. */
void   scope_gallery_shapes_async (const char         *name,
                                   GCancellable       *cancellable,
                                   GAsyncReadyCallback callback,
                                   gpointer            user_data);
char **scope_gallery_shapes_finish (GAsyncResult *result, GError **error);

/* Draws the model small, when it has been traced. */
void
scope_gallery_load_thumbnail (const char *name, GtkPicture *picture, GCancellable *cancellable);
