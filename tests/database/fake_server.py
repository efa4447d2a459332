#!/usr/bin/env python3
"""A server that speaks enough of PostgreSQL's protocol (version 3) to be recorded and replayed on, and
that answers one kind of statement in a way that PostgreSQL never would.  The name of the database says
which and how: "null.SELECT" has a NULL in the answer to every SELECT, "plain" is well-behaved.

    fake_server.py FILE     listens on a free port of the loopback interface, writes it into FILE, and
                            runs until its standard input ends.  FILE.sent has the bytes that could be
                            sent of answers without an end."""
import os
import re
import socket
import struct
import sys
import threading

ESCAPES = "\x1b[2J\x1b]0;title\x07\x9b31m\r\x08 \u202egnp.exe"
INJECTION = '0]]}\n{"session":99,"ops":[["w",0,666]]}\n'
VALUES = {
    "null": None,
    "text": INJECTION.encode(),
    "escapes": ESCAPES.encode(),
    "huge": b"9" * 60,
    "range": b"99999999999999999999",
    "small": b"-99999999999999999999",
    "fraction": b"1.5",
    "empty": b"",
    "blank": b" 1",
    "plus": b"+1",
    "minus": b"-",
    "nul": b"1\0",
    "latin": b"\xff\xfe",
}
FOREVER = 1 << 62


def message(kind, body=b""):
    return kind + struct.pack("!i", len(body) + 4) + body


def text(s):
    return s.encode("utf-8", "surrogateescape") + b"\0"


def error(code, what):
    return message(b"E", b"SERROR\0" + b"VERROR\0" + b"C" + text(code) + b"M" + text(what) + b"\0")


def row_description(n):
    body = struct.pack("!h", n)
    for i in range(n):
        body += text("c%d" % i) + struct.pack("!ihihih", 0, 0, 20, 8, -1, 0)
    return message(b"T", body)


def data_row(values):
    body = struct.pack("!h", len(values))
    for v in values:
        body += struct.pack("!i", -1) if v is None else struct.pack("!i", len(v)) + v
    return message(b"D", body)


class Session:
    def __init__(self, connection, sent):
        self.s, self.sent = connection, sent
        self.state = b"I"
        self.sql = ""
        self.mode, self.word = "plain", ""

    def take(self, n):
        data = b""
        while len(data) < n:
            more = self.s.recv(n - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def send(self, data):
        self.s.sendall(data)

    def send_for_ever(self, piece):
        """Until the other side has had enough."""
        total = 0
        try:
            while total < FOREVER:
                data = piece(total)
                self.s.sendall(data)
                total += len(data)
        except OSError:
            pass
        with open(self.sent, "a") as f:
            print(self.mode, total, file=f)
        raise EOFError

    # ---- connecting ----

    def start(self):
        while True:
            n, code = struct.unpack("!ii", self.take(8))
            body = self.take(n - 8)
            if code in (80877103, 80877104):  # SSL, GSSAPI
                self.send(b"N")
                continue
            if code == 80877102:  # a request to cancel
                raise EOFError
            break
        words = body.split(b"\0")
        settings = dict(zip(words[0::2], words[1::2]))
        database = settings.get(b"database", b"plain").decode()
        self.mode, _, self.word = database.partition(".")
        self.greet()

    def greet(self):
        mode, version = self.mode, "15.4 (fake)"
        if self.word == "start":
            if mode == "close":
                raise EOFError
            if mode == "garbage":
                self.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                raise EOFError
            if mode == "error":
                self.send(error("28000", "no " + ESCAPES + "\nentry\nhere"))
                raise EOFError
            if mode == "version":
                version = "15." + ESCAPES
        self.send(message(b"R", struct.pack("!i", 0)))
        if self.word == "start" and mode == "endless":
            self.send_for_ever(lambda n: message(b"S", text("p%d" % n) + text("x" * 8000)))
        for name, value in (("server_version", version), ("client_encoding", "UTF8")):
            self.send(message(b"S", text(name) + text(value)))
        self.send(message(b"K", struct.pack("!ii", 1, 1)) + self.ready())

    # ---- answers ----

    def ready(self):
        return message(b"Z", self.state)

    def right_rows(self, sql):
        """What a well-behaved server answers; None: no rows."""
        if sql.startswith("UPDATE") and "RETURNING" in sql:
            columns = sql.split(" RETURNING ")[1].count(",") + 1
            if columns == 1:
                return [[b"1"]]
            return [[b"0"] * columns]
        if not sql.startswith("SELECT"):
            return None
        if "unnest(" in sql:
            return [[b"0"]]
        if " ORDER BY k" in sql:
            return [[b"%d" % k, b"100", b"0"] for k in range(10)]
        if sql.startswith("SELECT v, tag"):
            return [[b"100", b"0"]]
        if sql.startswith("SELECT *"):
            return [[b"%d" % k, b"60", b"0"] for k in range(2)]
        columns = sql[len("SELECT "):].split(" FROM ")[0].count(",") + 1
        return [[b"60"] * (columns - 1) + [b"0"]]

    def right_tag(self, sql, rows):
        words = sql.split()
        if words[0] in ("CREATE", "DROP"):
            return " ".join(words[:2])
        if words[0] == "INSERT":
            return "INSERT 0 1"
        if words[0] in ("SELECT", "UPDATE"):
            return "%s %d" % (words[0], len(rows or [0]))
        return words[0]

    def follow_state(self, sql):
        if sql.startswith("BEGIN"):
            self.state = b"T"
        elif sql.startswith(("COMMIT", "ROLLBACK")):
            self.state = b"I"

    def wrong(self):
        return self.word and self.sql.startswith(self.word)

    def answer(self):
        """The messages between the question and ReadyForQuery."""
        sql, mode = self.sql, self.mode
        rows, tag = self.right_rows(sql), None
        self.follow_state(sql)
        if not self.wrong():
            mode = "plain"
        if mode in VALUES and rows:
            rows = [[VALUES[mode]] * len(rows[0])] + rows[1:]
        elif mode == "few":
            return row_description(len(rows[0])) + message(b"C", text(self.right_tag(sql, rows)[:-1] + "0"))
        elif mode == "many":
            rows = (rows or [[b"1"]]) * 30
        elif mode == "columns":
            rows = [r + [b"1"] * 3 for r in rows or [[]]]
        elif mode == "nocolumns":
            rows = [[] for _ in rows or [1]]
        elif mode == "norows":
            rows = None
        elif mode == "tag":
            tag = "DELETE 1"
        elif mode == "hostiletag":
            tag = ESCAPES
        elif mode == "count":
            tag = self.right_tag(sql, rows) + "7"
        elif mode == "rolledback":
            tag = "ROLLBACK"
        elif mode == "open":
            self.state = b"T"
        elif mode == "idle":
            self.state = b"I"
        elif mode == "silent":
            return b""
        elif mode == "twice":
            return self.whole(rows, tag) + message(b"C", text(self.right_tag(sql, rows)))
        elif mode == "nodescription":
            return data_row([b"1"]) + message(b"C", text("SELECT 1"))
        elif mode == "copyout":
            return message(b"H", struct.pack("!bh", 0, 0))
        elif mode == "copyin":
            return message(b"G", struct.pack("!bh", 0, 0))
        elif mode == "error":
            self.state = b"E" if self.state == b"T" else b"I"
            return error("XX000", "stop " + ESCAPES + "\nand\nmore")
        elif mode == "badstate":
            self.state = b"E" if self.state == b"T" else b"I"
            return error("\x1b[31", "stop " + ESCAPES)
        elif mode == "notice":
            return message(b"N", b"SNOTICE\0C00000\0M" + text(ESCAPES) + b"\0") + self.whole(rows, tag)
        elif mode == "half":
            self.send(self.whole(rows, tag)[:-3])
            raise EOFError
        elif mode == "close":
            raise EOFError
        elif mode == "length":
            self.send(b"D" + struct.pack("!i", 2))
        elif mode == "unknown":
            self.send(message(b"?", b"what"))
        elif mode == "endless":
            n = len(rows[0]) if rows else 1
            self.send(row_description(n))
            piece = data_row([b"1"] * n) * 1000
            self.send_for_ever(lambda _: piece)
        elif mode == "endlessfield":
            self.send(row_description(1) + b"D" + struct.pack("!ihi", 2000000000, 1, 1999999990))
            self.send_for_ever(lambda _: b"1" * 65536)
        elif mode == "endlessnotices":
            piece = message(b"N", b"SNOTICE\0C00000\0M" + text("x" * 500) + b"\0") * 100
            self.send_for_ever(lambda _: piece)
        elif mode == "endlessnotifications":
            piece = message(b"A", struct.pack("!i", 1) + text("channel") + text("x" * 500)) * 100
            self.send_for_ever(lambda _: piece)
        return self.whole(rows, tag)

    def whole(self, rows, tag):
        body = b""
        if rows is not None:
            body += row_description(len(rows[0]) if rows else 1)
            body += b"".join(data_row(r) for r in rows)
        return body + message(b"C", text(tag or self.right_tag(self.sql, rows)))

    # ---- questions ----

    def run(self):
        self.start()
        while True:
            kind = self.take(1)
            body = self.take(struct.unpack("!i", self.take(4))[0] - 4)
            if kind == b"Q":
                self.sql = body.rstrip(b"\0").decode()
                self.send(self.answer() + self.ready())
            elif kind == b"P":
                self.sql = body.split(b"\0")[1].decode()
                self.send(message(b"1"))
            elif kind == b"B":
                self.send(message(b"2"))
            elif kind == b"E":
                answer = self.answer()
                if not re.match(rb"[TEHGD]", answer[:1]) and answer:
                    answer = message(b"n") + answer
                self.send(answer)
            elif kind == b"S":
                self.send(self.ready())
            elif kind == b"X":
                return


def serve(connection, sent):
    with connection:
        try:
            Session(connection, sent).run()
        except (EOFError, OSError, struct.error):
            pass


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    threading.Thread(target=accept, args=(listener, sys.argv[1] + ".sent"), daemon=True).start()
    with open(sys.argv[1] + ".new", "w") as f:
        f.write("%d\n" % listener.getsockname()[1])
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    sys.stdin.read()


def accept(listener, sent):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection, sent), daemon=True).start()


main()
