/* test-ptx-text.c — PTX written by hand: what single instructions give, what is refused.  Needs no
 * compiler.  Expected numbers follow from the PTX manual and were worked out by hand.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/cuda/ptx/device.h"
#include "tests/program.h"

#define HEAD                                                                     \
  ".version 7.0\n.target sm_80\n.address_size 64\n"                              \
  ".func (.param .b64 result) twice (.param .b64 x)\n"                           \
  "{ .reg .b64 %rd<3>; ld.param.u64 %rd1, [x]; add.s64 %rd2, %rd1, %rd1; "       \
  "st.param.b64 [result], %rd2; ret; }\n"                                        \
  ".global .align 4 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 255};\n"                \
  ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n" \
  ".reg .b16 %h<9>;\n.reg .f32 %f<9>;\n.reg .f64 %d<9>;\n.reg .pred %p<9>;\n"    \
  ".local .align 8 .b8 place[16];\n"                                             \
  "ld.param.u64 %rd8, [out];\n"
#define TAIL "\nst.global.u64 [%rd8], %rd0;\nret;\n}\n"

/* BODY leaves its result in %rd0. */
static gboolean
run (const char *body, guint64 *result, GError **error)
{
  g_autoptr (PtxMemory) memory = ptx_memory_new (1 << 20);
  g_autofree char *text = g_strconcat (HEAD, body, TAIL, NULL);
  g_autoptr (PtxModule) module = ptx_module_new (text, memory, error);
  guint64   out = ptx_memory_take (memory, 8);
  PtxLaunch launch = {
    .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .arguments = &out, .argument_bytes = sizeof out
  };

  if (!module || !ptx_launch (ptx_module_find (module, "k"), &launch, error))
    return FALSE;
  memcpy (result, device_get (memory, out, 8), 8);
  return TRUE;
}

static const struct
{
  const char *body;
  guint64     result;
} rows[] = {
  /* whole numbers */
  { "mov.u32 %r0, 7; mov.u32 %r1, -2; div.s32 %r2, %r0, %r1; cvt.s64.s32 %rd0, %r2;",
    (guint64) -3 },
  { "mov.u32 %r0, -7; rem.s32 %r2, %r0, 4; cvt.s64.s32 %rd0, %r2;", (guint64) -3 },
  { "mov.u32 %r0, 0x80000000; div.s32 %r2, %r0, -1; cvt.u64.u32 %rd0, %r2;", 0x80000000 },
  { "mov.u32 %r0, 0xffffffff; mul.wide.u32 %rd0, %r0, %r0;", 0xfffffffe00000001 },
  { "mov.u32 %r0, -1; mul.wide.s32 %rd0, %r0, %r0;", 1 },
  { "mov.u64 %rd1, -1; mul.hi.u64 %rd0, %rd1, %rd1;", 0xfffffffffffffffe },
  { "mov.u64 %rd1, -1; mul.hi.s64 %rd0, %rd1, %rd1;", 0 },
  { "mov.u32 %r0, -1; add.cc.u32 %r1, %r0, 1; addc.u32 %r2, 5, 0; cvt.u64.u32 %rd0, %r2;", 6 },
  { "sub.cc.u32 %r1, 3, 4; subc.u32 %r2, 5, 0; cvt.u64.u32 %rd0, %r2;", 4 },
  { "mov.u32 %r0, 3; mad.lo.s32 %r1, %r0, %r0, -10; cvt.s64.s32 %rd0, %r1;", (guint64) -1 },
  { "mov.u16 %h0, 0xffff; mov.u16 %h1, 2; add.s16 %h2, %h0, %h1; cvt.u64.u16 %rd0, %h2;", 1 },
  { "sad.s32 %r1, -3, 4, 10; cvt.u64.u32 %rd0, %r1;", 17 },
  { "dp4a.s32.s32 %r1, 0xff010203, 0x02020202, 100; cvt.u64.u32 %rd0, %r1;", 110 },
  { "dp4a.u32.u32 %r1, 0xff010203, 0x02020202, 100; cvt.u64.u32 %rd0, %r1;", 622 },
  /* bits */
  { "mov.u32 %r0, 0x12345678; prmt.b32 %r1, %r0, 0x9abcdef0, 0x0b41; cvt.u64.u32 %rd0, %r1;",
    0x7800f056 },
  { "mov.u32 %r0, 0x0000f0f0; bfe.u32 %r1, %r0, 4, 8; cvt.u64.u32 %rd0, %r1;", 0x0f },
  { "mov.u32 %r0, 0x0000f0f0; bfe.s32 %r1, %r0, 12, 4; cvt.s64.s32 %rd0, %r1;", (guint64) -1 },
  { "mov.u32 %r0, 0xf; bfi.b32 %r1, %r0, 0x12345678, 8, 4; cvt.u64.u32 %rd0, %r1;", 0x12345f78 },
  { "shf.l.wrap.b32 %r1, 0x80000000, 1, 33; cvt.u64.u32 %rd0, %r1;", 3 },
  { "shf.r.clamp.b32 %r1, 5, 6, 40; cvt.u64.u32 %rd0, %r1;", 6 },
  { "shl.b32 %r1, 1, 32; cvt.u64.u32 %rd0, %r1;", 0 },
  { "shr.s32 %r1, 0x80000000, 99; cvt.u64.u32 %rd0, %r1;", 0xffffffff },
  { "clz.b32 %r1, 1; cvt.u64.u32 %rd0, %r1;", 31 },
  { "bfind.u32 %r1, 0x1000; cvt.u64.u32 %rd0, %r1;", 12 },
  { "bfind.shiftamt.u32 %r1, 0x1000; cvt.u64.u32 %rd0, %r1;", 19 },
  { "lop3.b32 %r1, 0xff00, 0xf0f0, 0xcccc, 0x96; cvt.u64.u32 %rd0, %r1;",
    0xff00 ^ 0xf0f0 ^ 0xcccc },
  { "brev.b32 %r1, 1; cvt.u64.u32 %rd0, %r1;", 0x80000000 },
  { "mov.b64 %rd1, 0x1122334455667788; mov.b64 {%r0, %r1}, %rd1; mov.b64 %rd0, {%r1, %r0};",
    0x5566778811223344 },
  /* floats: 1 + 2^-24 is between two floats, and so is 1 + 3 2^-24 */
  { "fma.rn.f32 %f0, 0f3F800000, 0f3F800000, 0f33800000; mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;",
    0x3f800000 },
  { "fma.rp.f32 %f0, 0f3F800000, 0f3F800000, 0f33800000; mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;",
    0x3f800001 },
  { "add.rm.f32 %f0, 0f3F800001, 0f33800000; mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;",
    0x3f800001 },
  { "add.rn.f32 %f0, 0f3F800001, 0f33800000; mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;",
    0x3f800002 },
  { "add.ftz.f32 %f0, 0f00000001, 0f00000000; mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;", 0 },
  { "add.f32 %f0, 0f00000001, 0f00000001; mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;", 2 },
  { "add.sat.f32 %f0, 0f3F800000, 0f3F800000; mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;",
    0x3f800000 },
  { "min.f32 %f0, 0f7FC00000, 0f3F800000; mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;", 0x3f800000 },
  { "max.f32 %f0, 0f80000000, 0f00000000; mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;", 0 },
  { "setp.lt.f32 %p0, 0f7FC00000, 0f3F800000; selp.u64 %rd0, 1, 2, %p0;", 2 },
  { "setp.ltu.f32 %p0, 0f7FC00000, 0f3F800000; selp.u64 %rd0, 1, 2, %p0;", 1 },
  { "setp.neu.f32 %p0, 0f7FC00000, 0f7FC00000; selp.u64 %rd0, 1, 2, %p0;", 1 },
  { "setp.eq.s32 %p1, 1, 1; setp.lt.and.s32 %p0|%p2, 1, 2, %p1; selp.u64 %rd0, 1, 2, %p2;", 2 },
  /* conversions */
  { "cvt.rni.s32.f32 %r0, 0f40200000; cvt.s64.s32 %rd0, %r0;", 2 },
  { "cvt.rzi.s32.f32 %r0, 0fC0200000; cvt.s64.s32 %rd0, %r0;", (guint64) -2 },
  { "cvt.rmi.s32.f32 %r0, 0fC0200000; cvt.s64.s32 %rd0, %r0;", (guint64) -3 },
  { "cvt.rzi.s32.f32 %r0, 0f7F800000; cvt.s64.s32 %rd0, %r0;", G_MAXINT32 },
  { "cvt.rzi.u32.f32 %r0, 0fBF800000; cvt.u64.u32 %rd0, %r0;", 0 },
  { "cvt.rzi.s32.f32 %r0, 0f7FC00000; cvt.u64.u32 %rd0, %r0;", 0 },
  { "cvt.rn.f16.f32 %h0, 0f477FEFFF; cvt.u64.u16 %rd0, %h0;", 0x7bff },
  { "cvt.rn.f16.f32 %h0, 0f477FF000; cvt.u64.u16 %rd0, %h0;", 0x7c00 },
  { "cvt.rn.f16.f32 %h0, 0f33800000; cvt.u64.u16 %rd0, %h0;", 1 },
  { "cvt.rn.f16.f32 %h0, 0f33000000; cvt.u64.u16 %rd0, %h0;", 0 },
  { "cvt.rz.f16.f32 %h0, 0f477FF000; cvt.u64.u16 %rd0, %h0;", 0x7bff },
  { "mov.b16 %h0, 0x0001; cvt.f32.f16 %f0, %h0; mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;",
    0x33800000 },
  { "cvt.rn.bf16.f32 %h0, 0f3F808000; cvt.u64.u16 %rd0, %h0;", 0x3f80 },
  { "cvt.rn.bf16.f32 %h0, 0f3F818000; cvt.u64.u16 %rd0, %h0;", 0x3f82 },
  { "mov.u32 %r0, 0x1ff; cvt.s8.s32 %h0, %r0; cvt.s64.s16 %rd0, %h0;", (guint64) -1 },
  { "cvt.rn.f32.u64 %f0, 0x1000001; mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;", 0x4b800000 },
  { "cvt.rp.f32.u64 %f0, 0x1000001; mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;", 0x4b800001 },
  /* memory, calls, jumps */
  { "mov.u64 %rd1, table; ld.global.s8 %rd0, [%rd1+7];", (guint64) -1 },
  { "ld.global.u8 %rd0, [table+7];", 255 },
  { "mov.u64 %rd1, table; ld.global.v2.u32 {%r0, %r1}, [%rd1]; cvt.u64.u32 %rd0, %r1;",
    0xff070605 },
  { "mov.u64 %rd1, place; cvta.local.u64 %rd2, %rd1; st.u64 [%rd2+8], 42; ld.local.u64 %rd0, "
    "[%rd1+8];",
    42 },
  { "atom.global.add.u32 %r0, [table], 1; ld.global.u32 %r1, [table]; sub.u32 %r2, %r1, %r0; "
    "cvt.u64.u32 %rd0, %r2;",
    1 },
  { "atom.global.cas.b32 %r0, [table+4], 0xff070605, 9; ld.global.u32 %r1, [table+4]; cvt.u64.u32 "
    "%rd0, %r1;",
    9 },
  { "atom.global.max.s32 %r0, [table+4], 3; ld.global.u32 %r1, [table+4]; cvt.u64.u32 %rd0, %r1;",
    3 },
  { "{ .param .b64 p; st.param.b64 [p], 21; .param .b64 q; call.uni (q), twice, (p); ld.param.b64 "
    "%rd0, [q]; }",
    42 },
  { "mov.u32 %r0, 1; brx.idx %r0, targets; targets: .branchtargets one, two; one: mov.u64 %rd0, 1; "
    "bra end; "
    "two: mov.u64 %rd0, 2; end:",
    2 },
  { "mov.u64 %rd0, 0; again: add.u64 %rd0, %rd0, 1; setp.lt.u64 %p0, %rd0, 5; @%p0 bra again;", 5 },
  { "setp.eq.s32 %p0, 1, 2; mov.u64 %rd0, 1; @!%p0 mov.u64 %rd0, 3; @%p0 mov.u64 %rd0, 4;", 3 },
};

static void
test_instructions (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      guint64 result = 0;

      g_test_message ("%s", rows[i].body);
      run (rows[i].body, &result, &error);
      g_assert_no_error (error);
      g_assert_cmphex (result, ==, rows[i].result);
    }
}

static const struct
{
  const char *body, *says;
} refusals[] = {
  { "frobnicate.s32 %r0, %r1;", "the instruction frobnicate.s32 is not known" },
  { "add.s128 %r0, %r1, %r2;", "the instruction add.s128 is not known" },
  { "add.sat.s32 %r0, %r1, %r2;", "the instruction add.sat.s32 is not known" },
  { "ld.global.tex.f32 %f0, [%rd1];", "the instruction ld.global.tex.f32 is not known" },
  { "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd1, {%f4,%f5}];", "is not known" },
  { "add.s32 %r0, %r1;", "an operand was expected" },
  { "add.s32 %r0, %r1, %r99;", "the register %r99 is not known" },
  { "bra nowhere;", "there is no label nowhere" },
  { "ld.global.v4.f32 {%f0, %f1}, [%rd1];", "the vector has another number of elements" },
  { "{ .param .b64 p; call foreign, (p); }", "the function foreign is not known" },
  { ".tex .u64 t;", "is not known in a function" },
};

static void
test_what_is_not_known_is_an_error (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autoptr (GError) error = NULL;
      guint64 result;

      g_test_message ("%s", refusals[i].body);
      g_assert_false (run (refusals[i].body, &result, &error));
      g_assert_error (error, PTX_ERROR, PTX_ERROR_TEXT);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, refusals[i].says));
      g_assert_true (g_str_has_prefix (error->message, "line 17 of the PTX: ") ||
                     strstr (error->message, "no label") || strstr (error->message, "foreign") ||
                     strstr (error->message, "operand was expected"));
    }
}

static void
test_text_that_ends_early_is_an_error (void)
{
  g_autofree char *text = g_strconcat (HEAD, rows[0].body, TAIL, NULL);

  for (gsize length = 60; length < strlen (text) - 3; length += 7)
    {
      g_autoptr (PtxMemory) memory = ptx_memory_new (1 << 20);
      g_autofree char *part = g_strndup (text, length);
      g_autoptr (GError) error = NULL;
      g_autoptr (PtxModule) module = ptx_module_new (part, memory, &error);

      if (module) /* the text may end behind a function */
        g_assert_null (ptx_module_find (module, "k"));
      else
        g_assert_error (error, PTX_ERROR, PTX_ERROR_TEXT);
    }
}

static void
test_blocks_and_grids_have_limits (void)
{
  static const guint sizes[][6] = { { 0, 1, 1, 1, 1, 1 },     { 1, 1, 1, 0, 1, 1 },
                                    { 1, 1, 1, 1025, 1, 1 },  { 1, 1, 1, 32, 33, 1 },
                                    { 1, 65536, 1, 1, 1, 1 }, { 1, 1, 1, 1, 1, 65 } };
  g_autoptr (PtxMemory) memory = ptx_memory_new (1 << 20);
  g_autofree char *text = g_strconcat (HEAD, "mov.u64 %rd0, 0;", TAIL, NULL);
  g_autoptr (PtxModule) module = ptx_module_new (text, memory, NULL);
  guint64 out = ptx_memory_take (memory, 8);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (GError) error = NULL;
      PtxLaunch launch = { .arguments = &out, .argument_bytes = sizeof out };

      memcpy (launch.grid, sizes[i], sizeof launch.grid);
      memcpy (launch.block, sizes[i] + 3, sizeof launch.block);
      g_assert_false (ptx_launch (ptx_module_find (module, "k"), &launch, &error));
      g_assert_error (error, PTX_ERROR, PTX_ERROR_LAUNCH);
    }
}

TEST_PROGRAM (test_ptx_text)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/ptx/text/instructions-give-what-the-manual-says", test_instructions);
  g_test_add_func ("/cuda/ptx/text/what-is-not-known-is-an-error",
                   test_what_is_not_known_is_an_error);
  g_test_add_func ("/cuda/ptx/text/text-that-ends-early-is-an-error",
                   test_text_that_ends_early_is_an_error);
  g_test_add_func ("/cuda/ptx/text/blocks-and-grids-have-limits",
                   test_blocks_and_grids_have_limits);
  return g_test_run ();
}
