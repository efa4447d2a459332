#!/bin/bash
# Generated histories and the engine agree: at every level the history satisfies the level and all
# weaker ones; with an anomaly put in, it violates exactly the levels that the anomaly rules out.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
rc=0
full=$([ -n "$VISAR_QUICK" ] || echo full) # with --quick one seed, and anomalies at ser only
models=(rc rcs ra cc pc psi si ser)
# What each model implies, itself included.
declare -A weaker=([rc]="rc" [rcs]="rc rcs" [ra]="rc ra" [cc]="rc ra cc" [pc]="rc rcs ra cc pc"
    [psi]="rc ra cc psi" [si]="rc rcs ra cc pc psi si" [ser]="rc rcs ra cc pc psi si ser")
all="rc rcs ra cc pc psi si ser"
atomic="ra cc pc psi si ser"
declare -A violates=([g1a]=$all [g1b]=$all [g1c]=$all [thin-air-read]=$all [internal]=$all
    [non-repeatable-read]=$atomic [g-single]=$atomic [stale-session]="rcs $atomic"
    [causality]="cc pc psi si ser" [lost-update]="psi si ser" [long-fork]="pc si ser" [write-skew]="ser"
    [g0]=$all)
has() { case " $1 " in *" $2 "*) return 0 ;; esac; return 1; }
check() { # name, file, level, exit code
    out=$("$VISAR" check "$2" --level "$3" --quiet 2>&1)
    code=$?
    if [ $code -ne "$4" ]; then
        echo "not ok $1: $3 gave exit code $code, not $4: $(echo "$out" | head -2 | tr '\n' ' ')"
        return 1
    fi
}

for level in "${models[@]}"; do
    for seed in 1 ${full:+2 3}; do
        name=plain_${level}_$seed
        bad=0
        "$VISAR" generate --level "$level" --seed $seed --transactions 300 --keys $((seed * 15)) \
            --operations 6 --distribution $([ $seed = 2 ] && echo zipf || echo uniform) \
            --rmw 0.$((seed * 2)) --output "$dir/h.jsonl" || bad=1
        for m in ${weaker[$level]}; do check "$name" "$dir/h.jsonl" "$m" 0 || bad=1; done
        [ $bad = 0 ] && echo "ok $name" || rc=1
    done
done

for level in si ser; do
    name=lists_$level
    bad=0
    "$VISAR" generate --level $level --kind append --transactions 500 --to edn --output "$dir/h.edn" || bad=1
    for m in ${weaker[$level]}; do check "$name" "$dir/h.edn" "$m" 0 || bad=1; done
    [ $bad = 0 ] && echo "ok $name" || rc=1
done

for anomaly in "${!violates[@]}"; do
    for level in "${models[@]}"; do
        has "${violates[$anomaly]}" "$level" || continue
        [ -n "$full" ] || [ $level = ser ] || continue
        for kind in rw append; do
            [ $kind = append ] && [ $level != si ] && [ $level != ser ] && continue
            [ $kind = rw ] && [ $anomaly = g0 ] && continue
            name=anomaly_${anomaly}_${level}_$kind
            bad=0
            "$VISAR" generate --level "$level" --kind $kind --anomaly "$anomaly" --transactions 200 \
                --keys 30 --operations 5 --seed 5 --output "$dir/h.jsonl" || bad=1
            for m in "${models[@]}"; do
                if has "${violates[$anomaly]}" "$m"; then check "$name" "$dir/h.jsonl" "$m" 10 || bad=1
                elif has "${weaker[$level]}" "$m"; then check "$name" "$dir/h.jsonl" "$m" 0 || bad=1
                fi
            done
            [ $bad = 0 ] && echo "ok $name" || rc=1
        done
    done
done

# The same seed gives the same bytes.
"$VISAR" generate --seed 9 --output "$dir/a" && "$VISAR" generate --seed 9 --output "$dir/b"
if cmp -s "$dir/a" "$dir/b"; then echo "ok same_seed"; else echo "not ok same_seed: differs"; rc=1; fi
# Usage errors.
for wrong in "--level xx" "--anomaly nonsense" "--level si --anomaly write-skew" "--sessions 0" \
    "--reads 2" "--to cobra" "--level cc --kind append"; do
    "$VISAR" generate $wrong >/dev/null 2>&1
    code=$?
    if [ $code -eq 1 ]; then echo "ok usage_${wrong// /_}"
    else echo "not ok usage_${wrong// /_}: exit code $code, not 1"; rc=1; fi
done
exit $rc
