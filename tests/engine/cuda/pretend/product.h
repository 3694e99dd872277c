/* product.h — one call of a matrix product, as the calls of cuBLAS describe it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* A matrix lies column by column: element (i, j) at i + j × lead. */
typedef struct
{
  guint64  at;
  int      type, lead;
  gboolean transposed;
  gint64   stride; /* elements from one product of a batch to the next */
} ProductMatrix;

typedef struct
{
  ProductMatrix a, b, c;
  int           m, n, k, batch;
  int           compute;
  double        alpha, beta;
  guint64       alpha_at, beta_at; /* device addresses, or 0: the values above */
  guint64       workspace;
  gsize         workspace_bytes;
  gboolean      coarse; /* inputs are rounded to TF32 */
  guint64  bias; /* device address of one element of the type of C for each of its rows; 0: none */
  gboolean rectifies;
} Product;

/* The value of an element of the type of alpha and beta. */
double product_scalar (int compute, gconstpointer data);
gsize  product_scalar_bytes (int compute);
/* Whether cuBLAS has a product of these types. */
gboolean product_is_known (const Product *product);
/* Computes it in device memory: the work of a stream. */
gboolean product_run (gpointer data, GError **error);
