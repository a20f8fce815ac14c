#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every message that a user can get is provoked by a test: check_messages.py HEADERS TESTS

Lists the calls that make messages in the headers, .line(…), .error(…), .warning(…), fail(…), and
the words that each has. A message counts as provoked if the tests have its longest run of words,
elsewhere than in the name of a test. Prints one line for each that no test has: header:line: words.
unprovoked_messages.txt, beside this file, has those that are known to be without a test; it may
only get shorter.
"""

import re
import sys
from pathlib import Path

CALL = re.compile(r"(?:\.line|\berror|\bwarning|\bfail|\bwrong|\bfailed|\breport|\bfailure|\brequire)\(")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
NAME = re.compile(r'(?:TEST_CASE|SUBCASE)\("(?:[^"\\]|\\.)*"')  # says what a test is about, proves nothing
WORDS = 2  # fewer words are found anywhere


def arguments(text, at):
    """The text between the bracket that opens before `at` and the one that closes it."""
    depth, i = 1, at
    while depth and i < len(text):
        if text[i] == '"':
            i = LITERAL.match(text, i).end()
            continue
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        i += 1
    return text[at:i - 1]


def joined(text):
    """Adjacent literals are one."""
    return re.sub(r'(?<!\\)"\s*\n?\s*"', "", text)


def messages(header):
    """(line, words) of each call: the longest literal in it."""
    text = header.read_text()
    text = re.sub(r"^\s*//[^\n]*", "", text, flags=re.MULTILINE)
    for call in CALL.finditer(text):
        found = LITERAL.findall(joined(arguments(text, call.end())))
        words = max((w.strip() for w in found), key=len, default="")
        if len(words.split()) >= WORDS:
            yield text.count("\n", 0, call.start()) + 1, words


def texts_of(folder):
    """What tests say, line ends within literals taken away."""
    parts = []
    for path in sorted(folder.rglob("*")):
        if (path.suffix in (".cpp", ".hpp", ".py", ".txt", ".inc") and "data" not in path.parts and
                path.name != "unprovoked_messages.txt"):
            text = path.read_text(errors="replace")
            text = re.sub(r"^\s*//(?! expect:)[^\n]*", "", text, flags=re.MULTILINE)
            parts.append(joined(NAME.sub("", text)))
    return "\n".join(parts)


def main():
    headers, tests = Path(sys.argv[1]), Path(sys.argv[2])
    known = texts_of(tests)
    exceptions = [line.rstrip("\n").split(": ", 1) for line in
                  (Path(__file__).parent / "unprovoked_messages.txt").open()]
    excused, unused = {tuple(e) for e in exceptions}, {tuple(e) for e in exceptions}
    count = silent = 0
    for header in sorted(headers.rglob("*.hpp")):
        for line, words in messages(header):
            count += 1
            if words in known:
                continue
            name = header.relative_to(headers).as_posix()
            unused.discard((name, words))
            if (name, words) not in excused:
                silent += 1
                print(f"{name}:{line}: no test provokes: {words}")
    for name, words in sorted(unused):
        print(f"unprovoked_messages.txt: {name} has no such message, or a test provokes it: {words}")
    print(f"{count} messages, {silent} that no test provokes, {len(excused)} known to have none")
    return silent + len(unused) > 0


sys.exit(main())
