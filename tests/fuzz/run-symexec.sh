#!/bin/sh
# Compiled, interpreted and summarised: thousands of random programs on random states.
# FUZZ_FILES (programs of 100 transactions each) and FUZZ_SEED may be set for longer campaigns.
fuzzer=${BUILD:-build}/tests/fuzz/fuzz_symexec
files=${FUZZ_FILES:-24} seed=${FUZZ_SEED:-1} failed=0
if [ ! -x "$fuzzer" ]; then
    echo "skip symexec-fuzz: $fuzzer is not built"
    exit 0
fi
keep=$(mktemp -d)
campaign() { # compiler files
    if ! command -v "$1" >/dev/null 2>&1; then
        echo "skip symexec-fuzz-$1: no such compiler"
        return
    fi
    if "$fuzzer" --compiler "$1" --seed "$seed" --files "$2" --keep "$keep"; then
        echo "ok symexec-fuzz-$1"
    else
        echo "not ok symexec-fuzz-$1: see $keep"
        failed=1
    fi
}
campaign gcc "$files"
seed=$((seed + files))
campaign "$(command -v clang-19 >/dev/null 2>&1 && echo clang-19 || echo clang)" $((files / 4))
[ "$failed" = 1 ] || rm -rf "$keep"
exit "$failed"
