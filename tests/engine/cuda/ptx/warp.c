/* warp.c — what the lanes of a warp do together: shuffles, votes, reductions, __syncwarp.
 *
 * A lane that comes to such an instruction waits until every lane of its mask has come.  Lanes
 * that do not exist, because the block is no multiple of 32, are left out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

typedef struct
{
  PtxThread            *lane; /* of lane 0 */
  guint32               mask; /* lanes that meet */
  const PtxInstruction *in;
  PtxValue              given[PTX_WARP]; /* operand a of each lane */
} Meeting;

typedef enum
{
  WAIT_ONLY,
  SHUFFLE_IDX,
  SHUFFLE_UP,
  SHUFFLE_DOWN,
  SHUFFLE_BFLY,
  VOTE_ALL,
  VOTE_ANY,
  VOTE_UNI,
  VOTE_BALLOT,
  REDUCE_ADD,
  REDUCE_MIN_U,
  REDUCE_MIN_S,
  REDUCE_MAX_U,
  REDUCE_MAX_S,
  REDUCE_AND,
  REDUCE_OR,
  REDUCE_XOR,
  MATCH_ANY,
} Deed;

static void
meet (PtxThread *t, const PtxInstruction *in)
{
  t->in = in;
  t->state = PTX_AT_MEETING;
}

/* Which lanes run together is up to the hardware; a lane may rely on itself alone. */
static void
activemask (PtxThread *t, const PtxInstruction *in)
{
  t->r[in->d].u64 = 1u << t->index % PTX_WARP;
}

static guint32
existing (const PtxRun *run, guint first)
{
  return run->count - first >= PTX_WARP ? G_MAXUINT32 : (1u << (run->count - first)) - 1;
}

/* --- What is done --- */

/* Which lane a shuffle reads from; FALSE: the lane keeps its own value. */
static gboolean
source_lane (const PtxInstruction *in, const PtxThread *t, guint lane, guint *source)
{
  guint    b = t->r[in->b].u32 & 31, c = t->r[in->c].u32;
  guint    segment = c >> 8 & 31, clamp = c & 31;
  gint     most = (gint) ((lane & segment) | (clamp & ~segment & 31)), j;
  gboolean inside;

  if (in->extra == SHUFFLE_UP)
    j = (gint) lane - (gint) b;
  else if (in->extra == SHUFFLE_DOWN)
    j = (gint) (lane + b);
  else if (in->extra == SHUFFLE_BFLY)
    j = (gint) (lane ^ b);
  else
    j = (gint) ((lane & segment) | (b & ~segment & 31));
  inside = in->extra == SHUFFLE_UP ? j >= most : j <= most;
  *source = inside ? (guint) j : lane;
  return inside;
}

static void
shuffle (const Meeting *meeting, guint lane)
{
  PtxThread            *t = &meeting->lane[lane];
  const PtxInstruction *in = meeting->in;
  guint                 source;
  gboolean              inside = source_lane (in, t, lane, &source);

  if (!(meeting->mask >> source & 1))
    {
      if (ptx_checks (t, PTX_ERROR_LANES))
        ptx_fail (t, in, PTX_ERROR_LANES, "reads lane %u, which takes no part in the shuffle",
                  source);
      source = lane;
    }
  t->r[in->d].u64 = meeting->given[source].u32;
  t->r[in->p].u64 = (guint64) inside;
}

static guint32
combine (Deed deed, PtxValue x, PtxValue y)
{
  switch ((guint) deed)
    {
    case REDUCE_ADD:
      return x.u32 + y.u32;
    case REDUCE_MIN_U:
      return MIN (x.u32, y.u32);
    case REDUCE_MAX_U:
      return MAX (x.u32, y.u32);
    case REDUCE_MIN_S:
      return (guint32) MIN (x.s32, y.s32);
    case REDUCE_MAX_S:
      return (guint32) MAX (x.s32, y.s32);
    case REDUCE_AND:
      return x.u32 & y.u32;
    case REDUCE_OR:
      return x.u32 | y.u32;
    default:
      return x.u32 ^ y.u32;
    }
}

static guint32
reduce (const Meeting *meeting)
{
  PtxValue sum = { 0 };
  gboolean first = TRUE;

  for (guint lane = 0; lane < PTX_WARP; lane++)
    if (meeting->mask >> lane & 1)
      {
        sum.u32 = first ? meeting->given[lane].u32
                        : combine (meeting->in->extra, sum, meeting->given[lane]);
        first = FALSE;
      }
  return sum.u32;
}

static guint32
lanes_that_say (const Meeting *meeting,
                gboolean (*say) (const PtxValue *, const PtxValue *),
                const PtxValue *than)
{
  guint32 lanes = 0;

  for (guint lane = 0; lane < PTX_WARP; lane++)
    if (meeting->mask >> lane & 1 && say (&meeting->given[lane], than))
      lanes |= 1u << lane;
  return lanes;
}

static gboolean
is_true (const PtxValue *value, const PtxValue *than)
{
  return value->u32 != 0;
}

static gboolean
is_same (const PtxValue *value, const PtxValue *than)
{
  return value->u32 == than->u32;
}

static void
act (const Meeting *meeting, guint lane)
{
  PtxThread *t = &meeting->lane[lane];
  Deed       deed = meeting->in->extra;
  guint32    yes;

  if (deed == WAIT_ONLY)
    return;
  if (deed <= SHUFFLE_BFLY)
    {
      shuffle (meeting, lane);
      return;
    }
  yes = lanes_that_say (meeting, deed == MATCH_ANY ? is_same : is_true, &meeting->given[lane]);
  t->r[meeting->in->d].u64 = deed == VOTE_ALL      ? yes == meeting->mask
                             : deed == VOTE_ANY    ? yes != 0
                             : deed == VOTE_UNI    ? !yes || yes == meeting->mask
                             : deed == VOTE_BALLOT ? yes
                             : deed == MATCH_ANY   ? yes
                                                   : reduce (meeting);
}

/* --- Who meets --- */

/* The mask that a waiting lane names: its last operand. */
static guint32
mask_of (const PtxThread *t)
{
  return t->r[t->in->extra == WAIT_ONLY ? t->in->a : t->in->e].u32;
}

static gboolean
waits_with (const PtxThread *t, const PtxThread *other)
{
  gboolean same =
      t->in == other->in || (t->in->extra == WAIT_ONLY && other->in->extra == WAIT_ONLY);

  return other->state == PTX_AT_MEETING && same && mask_of (t) == mask_of (other);
}

static void
hold (PtxRun *run, Meeting *meeting)
{
  for (guint lane = 0; lane < PTX_WARP; lane++)
    if (meeting->mask >> lane & 1)
      meeting->given[lane] = meeting->lane[lane].r[meeting->lane[lane].in->a];
  for (guint lane = 0; lane < PTX_WARP; lane++)
    if (meeting->mask >> lane & 1)
      act (meeting, lane);
  for (guint lane = 0; lane < PTX_WARP; lane++)
    if (meeting->mask >> lane & 1)
      {
        PtxThread *t = &meeting->lane[lane];

        t->in++;
        t->state = PTX_RUNNING;
      }
  ptx_shared_meet (run->shared, meeting->lane->index, meeting->mask);
}

/* The lanes that lane LANE waits for and that have not come. */
static guint32
missing (const PtxRun *run, guint first, guint lane)
{
  const PtxThread *t = &run->threads[first + lane];
  guint32          wanted = mask_of (t) & existing (run, first), absent = 0;

  for (guint i = 0; i < PTX_WARP; i++)
    if (wanted >> i & 1 && !waits_with (t, &run->threads[first + i]) &&
        /* __syncwarp does not wait for lanes that have ended. */
        !(t->in->extra == WAIT_ONLY && run->threads[first + i].state == PTX_ENDED))
      absent |= 1u << i;
  return absent;
}

static void
meet_with (PtxRun *run, guint first, guint lane)
{
  const PtxThread *t = &run->threads[first + lane];
  guint32          wanted = mask_of (t) & existing (run, first);
  Meeting          meeting = { .lane = &run->threads[first], .in = t->in };

  for (guint i = 0; i < PTX_WARP; i++)
    if (wanted >> i & 1 && waits_with (t, &run->threads[first + i]))
      meeting.mask |= 1u << i;
  hold (run, &meeting);
}

gboolean
ptx_warps_meet (PtxRun *run)
{
  gboolean any = FALSE;

  for (guint first = 0; first < run->count; first += PTX_WARP)
    for (guint lane = 0; lane < PTX_WARP && first + lane < run->count; lane++)
      if (run->threads[first + lane].state == PTX_AT_MEETING && !missing (run, first, lane))
        {
          meet_with (run, first, lane);
          any = TRUE;
        }
  return any;
}

void
ptx_warps_stuck (PtxRun *run)
{
  for (guint first = 0; first < run->count; first += PTX_WARP)
    for (guint lane = 0; lane < PTX_WARP && first + lane < run->count; lane++)
      {
        PtxThread *t = &run->threads[first + lane];
        guint32    absent = t->state == PTX_AT_MEETING ? missing (run, first, lane) : 0;
        guint      who = absent ? (guint) __builtin_ctz (absent) : 0;
        PtxState   state = run->threads[first + who].state;

        if (!absent)
          continue;
        if (!ptx_checks (t, PTX_ERROR_LANES))
          {
            meet_with (run, first, lane);
            continue;
          }
        ptx_fail (t, t->in, PTX_ERROR_LANES, "waits for lane %u, which %s", who,
                  state == PTX_ENDED        ? "has ended"
                  : state == PTX_AT_BARRIER ? "waits at a barrier of the block"
                                            : "waits elsewhere or with another mask");
        return;
      }
}

#define SHUFFLE(name, deed)                              \
  {                                                      \
    "shfl.sync." name ".b32", "", "Dabce", meet, 0, deed \
  }
#define REDUCE(name, deed)                       \
  {                                              \
    "redux.sync." name, "", "dae", meet, 0, deed \
  }

const PtxOpcode ptx_opcodes_warp[] = {
  { "bar.warp.sync", "", "a", meet, 0, WAIT_ONLY },
  SHUFFLE ("idx", SHUFFLE_IDX),
  SHUFFLE ("up", SHUFFLE_UP),
  SHUFFLE ("down", SHUFFLE_DOWN),
  SHUFFLE ("bfly", SHUFFLE_BFLY),
  { "vote.sync.all.pred", "", "dae", meet, 0, VOTE_ALL },
  { "vote.sync.any.pred", "", "dae", meet, 0, VOTE_ANY },
  { "vote.sync.uni.pred", "", "dae", meet, 0, VOTE_UNI },
  { "vote.sync.ballot.b32", "", "dae", meet, 0, VOTE_BALLOT },
  REDUCE ("add.u32", REDUCE_ADD),
  REDUCE ("add.s32", REDUCE_ADD),
  REDUCE ("min.u32", REDUCE_MIN_U),
  REDUCE ("min.s32", REDUCE_MIN_S),
  REDUCE ("max.u32", REDUCE_MAX_U),
  REDUCE ("max.s32", REDUCE_MAX_S),
  REDUCE ("and.b32", REDUCE_AND),
  REDUCE ("or.b32", REDUCE_OR),
  REDUCE ("xor.b32", REDUCE_XOR),
  { "match.any.sync.b32", "", "dae", meet, 0, MATCH_ANY },
  { "activemask.b32", "", "d", activemask },
  { 0 },
};
