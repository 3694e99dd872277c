/* describe-capture.h — a capture's numbers as members of an open JSON object.
 *
 * Shared by hscope profile, import and report.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/json-writer.h"
#include "profiler/summary/summary.h"

/* Appends "clean", "traced_over_clean", "operators", "nodes", "steps", "peak_bytes" and more. */
void
scope_describe_capture (ScopeJson *json, const ProfCapture *capture, const ProfSummary *summary);
