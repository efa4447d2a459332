#!/usr/bin/env python3
"""A strict reader of isolationtester's specifications (src/test/isolation/README and specparse.y of
PostgreSQL): setup blocks, teardown, sessions of steps, permutations.  Says what is wrong and exits
with 1; names must be quoted, so that PostgreSQL 9.6 to 17 all read the file."""
import re
import sys

TOKEN = re.compile(
    r'\s+|#[^\n]*|(?P<block>\{[^}]*\})|(?P<name>"[^"\n]*")|(?P<word>[a-z]+)|(?P<other>.)', re.S)


def tokens(text):
    for m in TOKEN.finditer(text):
        if m.lastgroup:
            yield m.lastgroup, m.group(), text.count("\n", 0, m.start()) + 1
    yield "end", "", text.count("\n") + 1


class Spec:
    def __init__(self, text):
        self.rest = list(tokens(text))
        self.sessions, self.steps = {}, {}

    def fail(self, what):
        kind, text, line = self.rest[0]
        raise SystemExit(f"line {line}: {what}, not {text[:40]!r}")

    def take(self, kind, what):
        if self.rest[0][0] != kind:
            self.fail(f"expected {what}")
        return self.rest.pop(0)[1]

    def word(self, word):
        if self.rest[0][:2] != ("word", word):
            return False
        self.rest.pop(0)
        return True

    def block(self):
        sql = self.take("block", "{ SQL }")[1:-1]
        # Quotes are balanced, so that a name cannot end in the middle of a statement.
        bare = re.sub(r'U&"(?:[^"]|"")*"|"(?:[^"]|"")*"|\'(?:[^\']|\'\')*\'', "", sql)
        if "'" in bare or '"' in bare or "{" in bare:
            self.fail("unbalanced quotes in the block before this")
        if not sql.strip():
            self.fail("empty block before this")

    def name(self, what):
        name = self.take("name", f"the quoted name of a {what}")[1:-1]
        if not name or len(name.encode()) > 63:
            self.fail(f"bad name of a {what} before this")
        return name

    def session(self):
        session = self.name("session")
        if session in self.sessions:
            self.fail(f"second session {session!r} before this")
        self.sessions[session] = []
        if self.word("setup"):
            self.block()
        while self.word("step"):
            step = self.name("step")
            if step in self.steps:
                self.fail(f"second step {step!r} before this")
            self.steps[step] = session
            self.sessions[session].append(step)
            self.block()
        if not self.sessions[session]:
            self.fail("expected a step")
        if self.word("teardown"):
            self.block()

    def permutation(self):
        order = []
        while self.rest[0][0] == "name":
            order.append(self.name("step"))
        if not order:
            self.fail("expected steps")
        for step in order:
            if step not in self.steps:
                self.fail(f"unknown step {step!r} before this")
        for session, steps in self.sessions.items():
            if [s for s in order if self.steps[s] == session] != steps:
                self.fail(f"the permutation has the steps of {session!r} in another order, or not all")

    def read(self):
        while self.word("setup"):
            self.block()
        if self.word("teardown"):
            self.block()
        while self.word("session"):
            self.session()
        if not self.sessions:
            self.fail("expected a session")
        permutations = 0
        while self.word("permutation"):
            self.permutation()
            permutations += 1
        if permutations != 1:
            self.fail("expected one permutation")
        self.take("end", "the end")


if len(sys.argv) != 2:
    sys.exit("usage: isolation_spec.py FILE")
with open(sys.argv[1], encoding="utf-8") as f:
    Spec(f.read()).read()
