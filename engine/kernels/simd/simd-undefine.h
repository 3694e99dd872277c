/* simd-undefine.h — undefines the macros of one instruction set.
 *
 * each-simd.h includes it after each instruction set, so that the next one can define SIMD,
 * LANES and the functions of simd-functions.h anew.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#undef SIMD
#undef TARGET
#undef LANES
#undef SIMD_MULTIPLY_ADD
#undef SIMD_SUBTRACT_PRODUCT
#undef SIMD_MIN
#undef SIMD_MAX
#undef Floats
#undef Ints
#undef Words
#undef simd_fill
#undef simd_load
#undef simd_load_register
#undef simd_load_part
#undef simd_store
#undef simd_store_part
#undef simd_choose
#undef simd_multiply_add
#undef simd_subtract_product
#undef simd_min
#undef simd_max
#undef SIMD_SCALE
#undef simd_scale
#undef SIMD_ANY
#undef simd_any
#undef simd_even_lanes
#undef SIMD_MASK
#undef SIMD_LOAD_PART
#undef SIMD_STORE_PART
#undef SIMD_KEEP_PART
#undef simd_keep_part
#undef Doubles
#undef simd_load_doubles
#undef SIMD_LOAD_DOUBLES
#undef simd_load_f16
#undef simd_load_bf16
#undef simd_load_bytes
#undef SIMD_LOAD_F16
#undef SIMD_LOAD_BF16
#undef SIMD_LOAD_BYTES
#undef SIMD_SUM_DOUBLES
#undef SIMD_LANE_MAX
#undef simd_sum_doubles
#undef simd_lane_max
#undef SIMD_SUM
#undef simd_sum
