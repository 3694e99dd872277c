/* proof.c — see proof.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/proof.h"

void
hyb_proof_add_gap (HybProof *proof, const char *format, ...)
{
  va_list arguments;

  if (!proof->gaps)
    proof->gaps = g_ptr_array_new_with_free_func (g_free);
  va_start (arguments, format);
  g_ptr_array_add (proof->gaps, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

void
hyb_proof_clear (HybProof *proof)
{
  g_clear_pointer (&proof->worst_output, g_free);
  g_clear_pointer (&proof->difference, g_free);
  g_clear_pointer (&proof->gaps, g_ptr_array_unref);
  for (guint i = 0; i < G_N_ELEMENTS (proof->device_work); i++)
    g_clear_pointer (&proof->device_work[i], g_free);
}
