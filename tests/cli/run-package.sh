#!/bin/bash
# cmake --install and the .deb: everything in place, dependencies right, and the installed program
# runs from a scratch root.
cd "$ROOT" || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
cmake --install "$BUILD" --prefix "$dir/inst" >"$dir/log" 2>&1 || bad install "$(tail -3 "$dir/log")"
for file in bin/visar bin/visar-certify include/visar.h share/man/man1/visar.1 share/man/man1/visar-certify.1 share/doc/visar/README.md share/doc/visar/docs/language.md \
    share/doc/visar/examples/bank.c share/bash-completion/completions/visar share/zsh/vendor-completions/_visar; do
    [ -s "$dir/inst/$file" ] && ok "installs_$file" || bad "installs_$file" "not there"
done
command -v dpkg-deb >/dev/null || { echo "skip deb: dpkg is not installed"; exit $rc; }
if (cd "$dir" && cpack -G DEB --config "$BUILD/CPackConfig.cmake" >log 2>&1); then ok cpack; else bad cpack "$(tail -5 "$dir/log")"; exit 1; fi
deb=$(ls "$dir"/visar_*.deb)
depends=$(dpkg-deb -f "$deb" Depends)
for library in libc6 libz3-4 libclang1 libjansson4 libzstd1 zlib1g libpq5 libclang-common; do
    grep -q "$library" <<<"$depends" && ok "deb_depends_on_$library" || bad "deb_depends_on_$library" "$depends"
done
mkdir "$dir/root" && dpkg-deb -x "$deb" "$dir/root"
for file in bin/visar-certify share/doc/visar/README.md share/doc/visar/docs/language.md share/doc/visar/examples/bank.c share/bash-completion/completions/visar share/zsh/vendor-completions/_visar; do
    [ -s "$dir/root/usr/$file" ] && ok "deb_has_$file" || bad "deb_has_$file" "not there"
done
# What README names is there, where README says.
grep -o '](\(docs\|examples\)/[a-z_.-]*' README.md | sed 's/](//' | sort -u | while read -r link; do
    [ -e "$dir/root/usr/share/doc/visar/$link" ] || echo "$link"
done >"$dir/broken"
[ -s "$dir/broken" ] && bad deb_links "$(cat "$dir/broken")" || ok deb_links
bash -c "source $dir/root/usr/share/bash-completion/completions/visar && complete -p visar" >/dev/null 2>&1 && ok deb_completes || bad deb_completes "bash does not complete visar"
"$dir/root/usr/bin/visar" --version | grep -q '^visar [0-9]' && ok deb_runs || bad deb_runs "no version"
cp examples/bank.c "$dir/bank.c"
(cd "$dir" && ./root/usr/bin/visar summary bank.c 2>&1 | grep -q withdraw) && ok deb_finds_its_header || bad deb_finds_its_header "summary of bank.c"
exit $rc
