# A private PostgreSQL for tests, to be sourced: cluster_start, cluster_stop, cluster_kill,
# cluster_restart, and $url.  It listens on a free loopback port only, keeps everything in a temporary
# folder, and runs as an unprivileged user even if the tests are run as root.  `cluster_missing` says
# what is not there.  `await` waits for things to happen: no test depends on how long they take.
cluster=
pgbin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
[ -n "$pgbin" ] || pgbin=$(dirname "$(command -v initdb 2>/dev/null)" 2>/dev/null)

cluster_missing() {
    [ -x "$pgbin/initdb" ] && [ -x "$pgbin/pg_ctl" ] || { echo "PostgreSQL is not installed"; return; }
    [ "$(id -u)" -ne 0 ] || cluster_user >/dev/null || echo "run as root, and there is no user to run PostgreSQL as"
}
cluster_user() { getent passwd postgres nobody | head -1 | cut -d: -f1 | grep .; }
as_user() {
    if [ "$(id -u)" -ne 0 ]; then "$@"; return; fi
    local user
    user=$(cluster_user)
    setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups env HOME="$cluster" "$@"
}
# A port that nobody listens on right now; cluster_start tries another one if that changes.
free_port() {
    local port
    while :; do
        port=$((20000 + RANDOM % 20000))
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
    done
}
cluster_run() {
    as_user "$pgbin/pg_ctl" -D "$cluster/data" -l "$cluster/log" -w -t 600 -o "-p $port" "$@" >/dev/null 2>&1
}
cluster_start() {
    local temporary=${TMPDIR:-/tmp}
    [ "$(id -u)" -ne 0 ] || temporary=/tmp # that the other user can enter, too
    cluster=$(mktemp -d "$temporary/visar-pg.XXXXXX") || return 1
    chmod 711 "$cluster"
    [ "$(id -u)" -ne 0 ] || chown "$(cluster_user)" "$cluster"
    (cd / && as_user "$pgbin/initdb" -D "$cluster/data" -U visar -A trust -E UTF8 --locale=C --no-sync) \
        >"$cluster/initdb.log" 2>&1 || { cat "$cluster/initdb.log"; return 1; }
    cat >>"$cluster/data/postgresql.conf" <<EOF
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
max_connections = 60
restart_after_crash = on
EOF
    local try
    for try in {1..20}; do
        port=$(free_port)
        url="postgresql://visar@127.0.0.1:$port/postgres"
        (cd / && cluster_run start) && return 0
    done
    tail -5 "$cluster/log"
    return 1
}
# Until a command succeeds; ten minutes are only for what never happens.
await() {
    local try
    for try in {1..6000}; do
        "$@" && return 0
        sleep 0.1
    done
    return 1
}
# Is the process gone?  One that nobody waits for is.
process_gone() {
    local state
    state=$(sed -n 's/^State:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
    case $state in '' | Z* | X*) return 0 ;; esac
    return 1
}
# kill -9 of the server, and none of its processes is left.
cluster_kill() {
    local server child children=
    server=$(head -1 "$cluster/data/postmaster.pid")
    for child in $(grep -l "^PPid:[[:space:]]*$server\$" /proc/[0-9]*/status 2>/dev/null); do
        children="$children $(basename "$(dirname "$child")")"
    done
    kill -KILL "$server"
    for child in $server $children; do await process_gone "$child"; done
}
cluster_restart() {
    restarted() { (cd / && cluster_run start); }
    await restarted
}
cluster_stop() {
    [ -n "$cluster" ] || return 0
    (cd / && cluster_run -m immediate stop)
    rm -rf "$cluster"
    cluster=
}
