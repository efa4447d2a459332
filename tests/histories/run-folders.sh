#!/bin/bash
# A folder stands for a history only if it has exactly one file that could be one, or the logs of
# one history's sessions; the verdict names the file that was read.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
accept=$ROOT/tests/histories/formats/accept
rc=0

expect() { # NAME CODE PATTERN ARGUMENTS...
    local name=$1 code=$2 pattern=$3 out got
    shift 3
    out=$("$VISAR" check "$@" --quiet 2>&1)
    got=$?
    if [ $got -eq "$code" ] && grep -q -e "$pattern" <<<"$out"; then echo "ok $name"
    else echo "not ok $name: exit $got, not $code with '$pattern': $(head -c 300 <<<"$out")" && rc=1
    fi
}

several() { # FOLDER FILE FILE
    expect "$1" 2 "$1: there are several histories in this folder, among them .*/$1/$2 and .*/$1/$3: .*visar check .*/$1/\*" \
        "$dir/$1" --level ser
}

# One history that is serializable and one that is not, in every format that can be written.
cat >"$dir/fine" <<'END'
{"visar-history":1,"default":0}
{"session":0,"ops":[["r",1,0],["w",1,1]]}
{"session":1,"ops":[["r",1,1],["w",1,2]]}
END
cat >"$dir/lost" <<'END'
{"visar-history":1,"default":0}
{"session":0,"ops":[["r",1,0],["w",1,1]]}
{"session":1,"ops":[["r",1,0],["w",1,2]]}
END
for format in edn dbcop plume blocks; do
    "$VISAR" convert "$dir/lost" --to $format --out "$dir/lost.$format" --quiet 2>/dev/null
done
sed 's/\[\["r",1,0\]/[["r",1,null]/; s/,"default":0//' "$dir/lost" >"$dir/null"
"$VISAR" convert "$dir/null" --to edn --out "$dir/lost.edn" --quiet 2>/dev/null
cat >"$dir/lost.elle" <<'END'
[{"type":"invoke","f":"txn","process":0,"value":[["r",1,null],["w",1,1]],"index":0},
 {"type":"ok","f":"txn","process":0,"value":[["r",1,null],["w",1,1]],"index":1}]
END
cp "$dir/fine" "$dir/lost.jsonl" && gzip -c "$dir/lost" >"$dir/lost.gz"

# Whatever the other file is called and whatever it is in, it is not passed over.
for format in edn dbcop plume blocks elle jsonl gz; do
    for name in a history.edn notes.txt z.bincode; do
        folder=with-$format-$name && mkdir "$dir/$folder"
        cp "$dir/fine" "$dir/$folder/h.jsonl" && cp "$dir/lost.$format" "$dir/$folder/$name"
        if [[ $name < h.jsonl ]]; then several "$folder" "$name" h.jsonl
        else several "$folder" h.jsonl "$name"
        fi
    done
    folder=only-$format && mkdir "$dir/$folder" && cp "$dir/lost.$format" "$dir/$folder/the-run"
    expect "$folder" "$(case $format in elle | jsonl) echo 0 ;; *) echo 10 ;; esac)" "$folder/the-run " "$dir/$folder" --level ser
done

mkdir "$dir/two" && cp "$dir/fine" "$dir/two/history.jsonl" && cp "$dir/lost" "$dir/two/b.jsonl"
several two b.jsonl history.jsonl
cd "$dir/two" && expect dot 2 "^visar: .: .* several histories .*visar check ./\*" . --level ser
cd "$ROOT" || exit 1
rm "$dir/two/b.jsonl"
expect names_the_file 0 "^OK: .*/two/history.jsonl satisfies SER" "$dir/two/" --level ser
"$VISAR" check "$dir/two" --json | grep -q '"file": ".*two/history.jsonl"' && echo "ok json_names_the_file" ||
    { echo "not ok json_names_the_file" && rc=1; }

# What belongs to a history and is none does no harm; neither do notes, folders and empty files.
"$VISAR" check "$dir/fine" --level ser --certificate "$dir/two/proof.jsonl" --quiet >/dev/null
echo '{"visar-version-order":1}' >"$dir/two/order.jsonl"
printf '{:perf {:type :x}\n :stats {:ok 3},\n :valid? true}\n' >"$dir/two/results.edn"
echo 'Started as a test, and so on' >"$dir/two/run.log"
echo 'r is the name of a variable' >"$dir/two/.hidden"
echo '# Readme' >"$dir/two/README.md"
: >"$dir/two/empty.jsonl" && mkdir "$dir/two/sub.jsonl"
expect companions 0 "^OK: .*/two/history.jsonl satisfies SER" "$dir/two" --level ser
expect results 2 "results of a Jepsen test" "$dir/two/results.edn"

# A file named as histories are that no format knows may be a broken history.
for name in x.jsonl x.edn x.bincode; do
    folder=broken-$name && mkdir "$dir/$folder"
    cp "$dir/fine" "$dir/$folder/h.jsonl" && echo 'session' >"$dir/$folder/$name"
    several "$folder" h.jsonl "$name"
done

# Logs of sessions: all of them, and nothing else.
for kind in ids.cobra strings.viper; do
    cp -r "$accept/$kind" "$dir/$kind" && log=$(cd "$dir/$kind" && ls | grep -v README | head -n 1)
    : >"$dir/$kind/zz.log" && echo 'About this run' >"$dir/$kind/README"
    expect "$kind" 0 "^OK: .*/$kind satisfies RC" "$dir/$kind" --level rc
    cp -r "$dir/$kind" "$dir/text-$kind" && echo 'Started at noon' >"$dir/text-$kind/notes.log"
    expect "text-$kind" 2 "notes.log is none" "$dir/text-$kind" --level rc
    cp -r "$dir/$kind" "$dir/more-$kind" && cp "$dir/lost.edn" "$dir/more-$kind/x.edn"
    several "more-$kind" "$log" x.edn
    cp -r "$dir/$kind" "$dir/copy-$kind" && cp "$dir/$kind/$log" "$dir/copy-$kind/$log.old"
    several "copy-$kind" "$log" "$log.old"
done
cp -r "$dir/ids.cobra" "$dir/both" && rm "$dir/both/zz.log"
for log in "$dir/strings.viper"/*; do cp "$log" "$dir/both/zz-$(basename "$log")"; done
expect both 2 "both: there are several histories" "$dir/both" --level rc

# Converting looks at the folder in the same way.
"$VISAR" convert "$dir/with-edn-a" --to jsonl >"$dir/out" 2>&1
[ $? -eq 2 ] && grep -q "several histories" "$dir/out" && echo "ok convert" || { echo "not ok convert: $(cat "$dir/out")" && rc=1; }
exit $rc
