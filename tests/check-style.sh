#!/bin/sh
# check-style.sh — what CONTRIBUTING.md asks of every C file and a script can check.
# usage: check-style.sh [FILE…]    default: every C file of the tree
#
# 1. The first line is "/* NAME — …", NAME being the file's own, and the licence ends the head.
# 2. Pointers are tested as "x" and "!x"; "!= NULL" only makes a gboolean.
# 3. Section comments have one form: /* --- Title --- */
# 4. A function takes at most five parameters; functions with a format and GTK's own
#    signatures (measuring, tooltips) are exempt.
# 5. Every function declared in a header has a comment: above it, or behind it.
# 6. Names of error domains have no spaces.
# 7. Phrases that CONTRIBUTING.md ("Plain English") warns of do not occur; comments of the product have no negated nouns
#    ("it is no number") and no values that know or ask.
# 8. Hints of errors end without a full stop.
# 9. Lines of comments have at most 130 characters; clang-format does not wrap them.
# Prints each place that breaks a rule and exits with 1.
# SPDX-License-Identifier: LGPL-2.1-or-later
export LC_ALL=C # characters are counted by their first bytes
cd "$(dirname "$0")/.." || exit 2
if [ $# -eq 0 ]; then
  # shellcheck disable=SC2046
  set -- $(find app engine profiler viz resources tests tools -name '*.[ch]' | sort)
fi

awk '
function complain(what) { print FILENAME ":" FNR ": " what; bad = 1 }

# The number of parameters in "name (…)": commas outside of inner parentheses, plus one.
function count_parameters(text,   i, c, depth, n) {
  sub (/^[^(]*\(/, "", text)
  if (text ~ /^void\)/) return 0
  depth = 0; n = 1
  for (i = 1; i <= length (text); i++) {
    c = substr (text, i, 1)
    if (c == "(") depth++
    if (c == ")" && depth-- == 0) break
    if (c == "," && depth == 0) n++
  }
  return n
}

FNR == 1 {
  name = FILENAME; sub (/.*\//, "", name)
  is_header = FILENAME ~ /\.h$/
  is_public = is_header && FILENAME !~ /^(tests|resources)\// && FILENAME !~ /-kernel\.h$/
  in_head = 1; in_comment = 0; licence = 0; signature = ""; commented = 0; depth = 0
  if (index ($0, "/* " name " — ") != 1) complain("the head must begin with \"/* " name " — \"")
}

in_head && /SPDX-License-Identifier/ { licence = FNR }
in_head && /\*\// { if (licence != FNR) complain("the licence must be the last line of the head"); in_head = 0; commented = 0; next }

/^\/\* --/ && !/^\/\* --- [^ -].* ---( \*\/)?$/ && !/^\/\* --[a-z]/ { complain("section comments have the form /* --- Title --- */") }

{
  code = $0
  gsub (/"([^"\\]|\\.)*"/, "\"\"", code)
  sub (/\/\*.*/, "", code)
  if (code ~ /== NULL/) complain("write !x for x == NULL")
  if (code ~ /((if|while) \(|&& |\|\| )[A-Za-z0-9_>.\[\]-]+ != NULL/) complain("write x for x != NULL in a condition")
}

# Signatures of definitions: from a name in the first column to the line before "{".
!is_header && /^[a-z_][a-z0-9_]* \(/ { signature = $0; at = FNR; if ($0 !~ /;/) { next_line = 1; next } }
!is_header && signature != "" && /^\{/ {
  if (signature !~ /\.\.\.|GtkOrientation|GtkTooltip|SqliteText/ && count_parameters(signature) > 5) { print FILENAME ":" at ": " count_parameters(signature) " parameters: pass a struct"; bad = 1 }
  signature = ""
}
!is_header && signature != "" { if (/;/ || /^$/) signature = ""; else signature = signature $0 }

# Declarations in headers.
is_public && /^(HYB_API )?[A-Za-z_][A-Za-z0-9_ \*]*(hyb|prof|viz|scope)_[a-z0-9_]+ \(/ && !/^(static|typedef|#)/ { declared = FNR; had = commented; text = "" }
is_public && declared {
  text = text $0
  if (/;/) {
    if (!had && text !~ /\/\*/) { print FILENAME ":" declared ": a public function without a comment"; bad = 1 }
    declared = 0
    commented = 0; next
  }
}
is_public && !declared { if (/\*\/$/) commented = 1; else if (!/^ \*|^\/\*|^HYB_API$/ ) commented = (/^[A-Za-z].*[^;]$/ && commented) }

/^G_DEFINE_QUARK \(.* - / { complain("the formatter put spaces into the name: /* clang-format off */ around it") }

tolower ($0) ~ /the way back|so many|nobody|whoever|none of its own|is wanted for none/ && /\/\*|^ \*|"/ { complain("plain English: rewrite this phrase") }

# Comments of the product: the part of the line that is one.
FILENAME ~ /^(app|engine|profiler|viz)\// && /\/\*|^ *\* / {
  words = tolower ($0); sub (/.*\/\*/, "", words)
  if (words ~ /(^|[^a-z])(it|that|which|they|this|one|name|text|line|node) (is|are) no [a-z]/ &&
      words !~ / no (longer|more|less|larger|fewer|better|such|reason|excuse|use|block)[^a-z]/)
    complain("plain English: write \"is not a …\"")
  if (words ~ /(planning|inference|a pass|the graph) (knows|wants)|(is|was|were|are) asked for/)
    complain("plain English: values do not know, want or ask")
}

length ($0) > 130 && (in_comment || /^ *\/\*/) {
  words = $0; gsub (/[\200-\277]/, "", words)
  if (length (words) > 130) complain("a comment of " length (words) " characters: 130 is the limit")
}
/\/\*/ { in_comment = 1 }
/\*\// { in_comment = 0 }

# Calls that report an error, up to their end.
/(^|[^a-z_])hyb_(refuse_types|refuse_attribute|error_at) \(/ && FILENAME ~ /^(app|engine|profiler|viz)\// { call = ""; in_call = 1; call_at = FNR }
in_call {
  call = call " " $0
  if (/;/) {
    in_call = 0
    gsub (/" +"/, "", call)
    if (call ~ /hyb_refuse_[a-z]+ \([^,"]*, *"[^"]*[^."]\." *,/ || call ~ /hyb_error_at \([^,"]*,[^,"]*,[^,"]*,[^,"]*, *"[^"]*[^."]\." *,/) {
      print FILENAME ":" call_at ": a hint ends without a full stop"; bad = 1
    }
  }
}

END { exit bad }' "$@"
