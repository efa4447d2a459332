# A private MariaDB for tests, to be sourced: mariadb_start, mariadb_stop, and $mariadb_url.  It listens on
# a socket in a temporary folder only, has no accounts, and runs as an unprivileged user even if the tests are
# run as root.  `mariadb_missing` says what is not there.
mariadb=
mariadb_server=
mariadbd=$(command -v mariadbd || ls /usr/sbin/mariadbd 2>/dev/null)

mariadb_missing() {
    [ -x "$mariadbd" ] || { echo "MariaDB is not installed"; return; }
    [ "$(id -u)" -ne 0 ] || mariadb_user >/dev/null || echo "run as root, and there is no user to run MariaDB as"
}
mariadb_user() { getent passwd mysql nobody | head -1 | cut -d: -f1 | grep .; }
mariadb_start() {
    local temporary=${TMPDIR:-/tmp} user as=()
    [ "$(id -u)" -ne 0 ] || temporary=/tmp # that the other user can enter, too
    mariadb=$(mktemp -d "$temporary/visar-my.XXXXXX") || return 1
    chmod 711 "$mariadb"
    mkdir "$mariadb/data"
    if [ "$(id -u)" -eq 0 ]; then
        user=$(mariadb_user)
        chown "$user" "$mariadb" "$mariadb/data"
        as=(setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups)
    fi
    # Without accounts it needs no system tables: an empty folder will do.
    (cd / && exec "${as[@]}" "$mariadbd" --no-defaults --datadir="$mariadb/data" --socket="$mariadb/socket" \
        --pid-file="$mariadb/pid" --skip-networking --skip-grant-tables --skip-log-bin \
        --innodb-log-file-size=4M --innodb-buffer-pool-size=16M --innodb-flush-log-at-trx-commit=0) \
        >"$mariadb/log" 2>&1 &
    mariadb_server=$!
    mariadb_url="mariadb://root@localhost/visar?socket=$mariadb/socket"
    # The process id is written when the server accepts connections.
    while ! [ -s "$mariadb/pid" ]; do
        kill -0 "$mariadb_server" 2>/dev/null || { tail -5 "$mariadb/log"; return 1; }
        sleep 0.1
    done
}
mariadb_stop() {
    [ -n "$mariadb" ] || return 0
    kill -KILL "$mariadb_server" 2>/dev/null
    wait "$mariadb_server" 2>/dev/null
    rm -rf "$mariadb"
    mariadb=
}
