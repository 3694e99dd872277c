/* zip.h — reads and writes zip archives, as far as npz files need it.
 *
 * The reader supports stored and deflated members and zip64; the writer stores members
 * uncompressed, each starting at a multiple of 64 bytes, so that they can be mapped.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

typedef struct _HybZip       HybZip;
typedef struct _HybZipWriter HybZipWriter;

/* Reads the directory of an archive.  where: name of the file in messages.  (transfer full) */
HybZip *hyb_zip_open (GBytes *bytes, const char *where, GError **error);
/* Contents that were read stay valid. */
void hyb_zip_free (HybZip *zip);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybZip, hyb_zip_free)

/* The number of members. */
guint hyb_zip_n_members (const HybZip *zip);
/* The name of a member, owned by the archive. */
const char *hyb_zip_get_name (const HybZip *zip, guint index);
/* The contents of a member; fails if they do not match their checksum.  Stored members share the
 * memory of the archive.  (transfer full) */
GBytes *hyb_zip_read (const HybZip *zip, guint index, GError **error);

/* Starts an archive.  (transfer full) */
HybZipWriter *hyb_zip_writer_new (GOutputStream *out);
/* Does not close the stream. */
void hyb_zip_writer_free (HybZipWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybZipWriter, hyb_zip_writer_free)
/* Adds a member whose contents are head followed by data. */
gboolean hyb_zip_writer_add (HybZipWriter *writer,
                             const char   *name,
                             GBytes       *head,
                             GBytes       *data,
                             GError      **error);
/* Writes the directory. */
gboolean hyb_zip_writer_finish (HybZipWriter *writer, GError **error);

/* The checksum of zip and gzip. crc: the checksum of the data before, 0 at the start. */
guint32 hyb_crc32 (guint32 crc, gconstpointer data, gsize length);
