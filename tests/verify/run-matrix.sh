#!/bin/bash
# Every example and every case under every model, against the `expect:` line in its header.
root=${ROOT:-$(cd "$(dirname "$0")/../.." && pwd)}
exec "${BUILD:?}/tests/verify/verify_matrix" "$root/frontend/include" \
    "$root"/examples/*.c "$root"/examples/*/*.c "$root"/tests/verify/cases/*.c
