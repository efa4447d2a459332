#!/bin/bash
# What `verify` and `weakest` say besides the verdict: what is known when the time is up, and how a
# violation is told.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
# says NAME TEXT ARGUMENTS…: the output, as one line with single blanks, contains the text.
says() {
    local name=$1 text=$2; shift 2
    "${VISAR:?}" "$@" >out 2>err
    tr -s '\n\302\240 ' ' ' <out | grep -qF -- "$text" && ok "$name" || bad "$name" "no '$text': $(head -20 out err)"
}

# ---- finished proofs are kept ----
# The proof of `fits` takes no time.  `small` is not inductive, so the rule tries again with facts
# about how fields change, and of those of `mix` none is settled soon.
cat >kept.c <<'C'
#include <visar.h>
typedef unsigned long long word;
DATABASE int used, level;
DATABASE struct { word a, b, c, d, e, f; } mix;
INITIAL void opening(void) { level = 1; }
TRANSACTION void take(void) { if (used < 10) used = used + 1; }
TRANSACTION void stir(word k)
{
    mix.a = mix.a * (k | 1) * mix.b ^ mix.c * mix.c;
    mix.b = mix.b * (k | 3) * mix.c ^ mix.d * mix.d;
    mix.c = mix.c * (k | 5) * mix.d ^ mix.e * mix.e;
    mix.d = mix.d * (k | 7) * mix.e ^ mix.f * mix.f;
    mix.e = mix.e * (k | 9) * mix.f ^ mix.a * mix.a;
    mix.f = mix.f * (k | 11) * mix.a ^ mix.b * mix.b;
}
TRANSACTION void rise(void) { if (level < 100) level = level + 1; }
INVARIANT bool fits(void) { return used <= 10; }
INVARIANT bool small(void) { return level != 50; }
C
says proofs_are_kept 'PROVED invariant fits' verify kept.c --model si --prove --timeout 3

exit $rc
