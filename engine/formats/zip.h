/* zip.h — just enough of zip archives for npz files.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

typedef struct _HybZip       HybZip;
typedef struct _HybZipWriter HybZipWriter;

HybZip *hyb_zip_open (GBytes *bytes, const char *where, GError **error);
void    hyb_zip_free (HybZip *zip);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybZip, hyb_zip_free)

guint       hyb_zip_n_members (const HybZip *zip);
const char *hyb_zip_get_name (const HybZip *zip, guint index);
/* The contents, checked against their checksum; mapped if stored. (transfer full) */
GBytes *hyb_zip_read (const HybZip *zip, guint index, GError **error);

/* Members are stored, and start on multiples of 64 bytes. */
HybZipWriter *hyb_zip_writer_new (GOutputStream *out);
void          hyb_zip_writer_free (HybZipWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybZipWriter, hyb_zip_writer_free)
/* The member is head followed by data. */
gboolean hyb_zip_writer_add (HybZipWriter *writer,
                             const char   *name,
                             GBytes       *head,
                             GBytes       *data,
                             GError      **error);
gboolean hyb_zip_writer_finish (HybZipWriter *writer, GError **error);

/* The checksum of zip and gzip; starts with crc 0. */
guint32 hyb_crc32 (guint32 crc, gconstpointer data, gsize length);
