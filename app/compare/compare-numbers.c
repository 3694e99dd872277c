/* compare-numbers.c — reads numbers of a comparison from the JSON of hscope compare.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-numbers.h"

#include "app/process/json-fields.h"

#include <math.h>

static ProfInterval
read_interval (const cJSON *json, const char *middle, const char *low, const char *high)
{
  return (ProfInterval){ scope_json_get_number (json, middle), scope_json_get_number (json, low),
                         scope_json_get_number (json, high) };
}

static gboolean
is_true (const cJSON *json, const char *key)
{
  return cJSON_IsTrue (cJSON_GetObjectItemCaseSensitive (json, key));
}

static ProfVerdict
read_verdict (const cJSON *json)
{
  ProfVerdict verdict = PROF_FASTER;

  while (verdict < PROF_UNDECIDED &&
         !g_str_equal (scope_json_get_text (json, "verdict"), prof_verdict_name (verdict)))
    verdict++;
  return verdict;
}

void
scope_pairing_read (const cJSON *json, ProfPairing *pairing)
{
  *pairing = (ProfPairing){
    .ratio = read_interval (json, "ratio", "low", "high"),
    .strict = read_interval (json, "ratio", "certain_low", "certain_high"),
    .spread = NAN,
    .verdict = read_verdict (json),
  };
  /* Of recordings, one interval is shown and decides. */
  if (!prof_interval_is_known (&pairing->strict))
    pairing->strict = pairing->ratio;
}

gboolean
scope_explanation_read (const cJSON *json, ProfExplanation *explanation)
{
  const cJSON *bucket = cJSON_GetObjectItemCaseSensitive (json, "buckets");

  *explanation = (ProfExplanation){
    .saved = read_interval (json, "saved", "low", "high"),
    .unexplained = scope_json_get_number (json, "unexplained"),
    .run = scope_json_get_number (json, "run"),
    .is_certain = is_true (json, "certain"),
    .is_same_plan = is_true (json, "same_plan"),
    .is_other_device = is_true (json, "other_device"),
    .same_flops = !cJSON_IsFalse (cJSON_GetObjectItemCaseSensitive (json, "same_flops")),
    .flops_a = scope_json_get_number (json, "flops_a"),
    .flops_b = scope_json_get_number (json, "flops_b"),
    .repeated_a = scope_json_get_number (json, "repeated_flops_a"),
    .repeated_b = scope_json_get_number (json, "repeated_flops_b"),
  };
  bucket = bucket ? bucket->child : NULL;
  for (guint i = 0; i < PROF_N_BUCKETS; i++, bucket = bucket ? bucket->next : NULL)
    {
      const char *rung = scope_json_get_text (bucket, "rung");

      explanation->bucket[i] = (ProfBucket){
        .name = prof_bucket_name (i),
        .seconds = scope_json_get_number (bucket, "seconds"),
        .low = scope_json_get_number (bucket, "low"),
        .high = scope_json_get_number (bucket, "high"),
        .rung = *rung != '\0' ? g_strdup (rung) : NULL,
        .proved = scope_json_get_number (bucket, "rung_seconds"),
        .residual = scope_json_get_number (bucket, "residual"),
      };
    }
  return cJSON_GetObjectItemCaseSensitive (json, "has_cause") != NULL;
}

GPtrArray *
scope_rungs_read (const cJSON *json)
{
  GPtrArray   *rungs = g_ptr_array_new_with_free_func (g_free);
  const cJSON *item;

  cJSON_ArrayForEach (item, json)
  {
    ProfRung *rung = g_new0 (ProfRung, 1);

    rung->name = (char *) scope_json_get_text (item, "name");
    rung->doc = scope_json_get_text (item, "doc");
    rung->time = read_interval (item, "seconds", "seconds", "seconds");
    rung->saved = read_interval (item, "saved", "low", "high");
    rung->verdict = read_verdict (item);
    g_ptr_array_add (rungs, rung);
  }
  return rungs;
}
