/* row-lists.h — lists of the rows of a tile, for kernels in which every sum is a variable of its own: ROWS_3 (X, more) is
 * X (0, more) X (1, more) X (2, more).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#define ROWS_1(X, ...)  X (0, __VA_ARGS__)
#define ROWS_2(X, ...)  ROWS_1 (X, __VA_ARGS__) X (1, __VA_ARGS__)
#define ROWS_3(X, ...)  ROWS_2 (X, __VA_ARGS__) X (2, __VA_ARGS__)
#define ROWS_4(X, ...)  ROWS_3 (X, __VA_ARGS__) X (3, __VA_ARGS__)
#define ROWS_5(X, ...)  ROWS_4 (X, __VA_ARGS__) X (4, __VA_ARGS__)
#define ROWS_6(X, ...)  ROWS_5 (X, __VA_ARGS__) X (5, __VA_ARGS__)
#define ROWS_7(X, ...)  ROWS_6 (X, __VA_ARGS__) X (6, __VA_ARGS__)
#define ROWS_8(X, ...)  ROWS_7 (X, __VA_ARGS__) X (7, __VA_ARGS__)
#define ROWS_9(X, ...)  ROWS_8 (X, __VA_ARGS__) X (8, __VA_ARGS__)
#define ROWS_10(X, ...) ROWS_9 (X, __VA_ARGS__) X (9, __VA_ARGS__)
#define ROWS_11(X, ...) ROWS_10 (X, __VA_ARGS__) X (10, __VA_ARGS__)
#define ROWS_12(X, ...) ROWS_11 (X, __VA_ARGS__) X (11, __VA_ARGS__)
