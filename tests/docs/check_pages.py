#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages say what is in the tree: check_pages.py [--update] SOURCE_ROOT [NAME=PROGRAM]...

Checked in README.md, CONTRIBUTING.md, CHANGELOG.md and the pages of docs/:

- A block of C++ is an excerpt of a source file that is compiled by the tests. A comment before it
  names the file, and the section if it is not the whole file. A section stands between two lines
  "// [name]" of the file (without their indentation, "#" instead of "//" where that is a comment).

      <!-- excerpt examples/02_backend.cpp [backend] -->

- What stands between these two comments is what the program of that name prints:

      <!-- output of backends_table -->
      <!-- end of output -->

- Blocks of JSON parse, commands in blocks of sh and console exist, with their options.
- The lines of a compile error, rejected<line{"..."}, ...>, are among those that tests/fail expects.
- Links lead to files and headings that are there, files named in `code` are there.

--update writes excerpts and outputs anew.
"""

import json
import re
import subprocess
import sys
import textwrap
import unicodedata
from pathlib import Path

LONGEST_README = 130
COMPILED = ("examples/", "tests/", "include/", "tools/", "bench/")
FOREIGN_COMMANDS = {"meson", "ninja", "pkg-config", "cmake", "g++", "apt-get"}
HISTORY = "CHANGELOG.md"  # names what is no longer there

EXCERPT = re.compile(r"<!-- excerpt (\S+)(?: \[([\w ]+)\])? -->\n+```(\w+)\n(.*?)^```$", re.S | re.M)
OUTPUT = re.compile(r"<!-- output of (\w+) -->\n(.*?)<!-- end of output -->", re.S)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
FILE_NAME = re.compile(r"[\w.*{},/-]+/[\w.*{},-]*(?:\.(?:hpp|cpp|py|json|md|inc|svg|build|ini))|"
                       r"(?:include|docs|tests|examples|tools|bench|meson)/[\w./-]*")


class Pages:
    def __init__(self, root, programs, update):
        self.root, self.programs, self.update = root, programs, update
        self.problems = []
        self.count = {"pages": 0, "excerpts": 0, "outputs": 0, "links": 0, "commands": 0}
        self.anchors = {}

    def problem(self, page, text, what):
        """text: what of the page is wrong, to find its line."""
        whole = page.read_text()
        line = whole[:max(whole.find(text), 0)].count("\n") + 1
        self.problems.append(f"{page.relative_to(self.root)}:{line}: {what}")

    def check(self, page):
        self.count["pages"] += 1
        text = page.read_text()
        new = EXCERPT.sub(lambda m: self.excerpt(page, m), text)
        new = OUTPUT.sub(lambda m: self.output(page, m), new)
        if new != text:
            page.write_text(new)
            text = new
        marked = {m[4] for m in EXCERPT.finditer(text)}
        for language, block in BLOCK.findall(text):
            if language == "cpp" and block not in marked:
                self.problem(page, block, "an excerpt of which file? " + block.split("\n")[0])
            if language == "json" and block not in marked:
                self.check_json(page, block)
            if not language and "rejected<" in block:
                self.check_message(page, block)
            if language in ("sh", "console"):
                self.check_commands(page, language, block)
        prose = BLOCK.sub("", text)
        for target in LINK.findall(prose):
            self.check_link(page, target)
        if page.name != HISTORY:
            for code in CODE.findall(prose):
                self.check_name(page, code)

    # --- What is copied from elsewhere ---------------------------------------------------------

    def excerpt(self, page, match):
        self.count["excerpts"] += 1
        file, section, language, block = match.groups()
        source = self.root / file
        if not file.startswith(COMPILED) or not source.is_file():
            self.problem(page, match[0], f"{file} is no source that is compiled")
            return match[0]
        text = source.read_text()
        if section:
            parts = re.split(rf"^ *(?://|#) \[{re.escape(section)}\]\n", text, flags=re.M)
            if len(parts) < 3 or len(parts) % 2 == 0:
                self.problem(page, match[0], f"{file} has no section [{section}]")
                return match[0]
            text = "\n".join(textwrap.dedent(p) for p in parts[1::2])
        if block == text:
            return match[0]
        if self.update:
            start, end = (at - match.start() for at in match.span(4))
            return match[0][:start] + text + match[0][end:]
        self.problem(page, match[0], f"is not what stands in {file} (--update copies it)")
        return match[0]

    def output(self, page, match):
        self.count["outputs"] += 1
        name, block = match.groups()
        if name not in self.programs:
            self.problem(page, match[0], f"no program {name}")
            return match[0]
        text = subprocess.run([self.programs[name]], capture_output=True, text=True,
                              check=True).stdout
        if block.strip("\n") == text.strip("\n"):
            return match[0]
        if self.update:
            return f"<!-- output of {name} -->\n\n{text}\n<!-- end of output -->"
        self.problem(page, match[0], f"is not what {name} prints (--update copies it):\n{text}")
        return match[0]

    # --- What must be there --------------------------------------------------------------------

    def check_json(self, page, block):
        try:
            json.loads(block)
        except json.JSONDecodeError as e:
            self.problem(page, block, f"no JSON: {e}")

    def check_message(self, page, block):
        for line in re.findall(r'line\{"(.*?)"\}', block):
            if not any(f'{{"{line}"}}' in source.read_text()
                       for source in self.root.glob("tests/fail/**/*.cpp")):
                self.problem(page, block, f"no compile error says {line}")

    def check_commands(self, page, language, block):
        block = block.replace("\\\n", " ")
        for line in block.splitlines():
            if language == "console":
                if not line.startswith("$ "):
                    continue
                line = line[2:]
            line = line.split(" #")[0].strip()
            words = [w for w in line.split() if not re.match(r"[A-Z_]+=", w)]
            if words:
                self.count["commands"] += 1
                self.check_command(page, block, words)

    def check_command(self, page, block, words):
        program, *rest = words
        options = {w.split("=")[0] for w in rest if w.startswith("--")}
        if program in ("./dev", "ctq"):
            source = self.root / {"./dev": "dev", "ctq": "tools/ctq/main.cpp"}[program]
            known = source.read_text()
            pattern = r"^  {}\)" if program == "./dev" else r'add_subcommand\(\s*"{}"'
            if rest and not re.search(pattern.format(re.escape(rest[0])), known, re.M):
                self.problem(page, block, f"{program} has no command {rest[0]}")
        elif program in FOREIGN_COMMANDS:
            known = (self.root / "meson_options.txt").read_text()
            for option in re.findall(r"-D(\w+)=", " ".join(rest)):
                if f"option('{option}'" not in known:
                    self.problem(page, block, f"there is no build option {option}")
            return
        elif (self.root / program).is_file():
            known = (self.root / program).read_text()
        else:
            self.problem(page, block, f"unknown command {program}")
            return
        if program == "./dev" and rest[:1] == ["bench"]:  # it takes those of the program, too
            known += (self.root / "bench/main.cpp").read_text()
        for option in sorted(options):
            if option not in known:
                self.problem(page, block, f"{program} has no option {option}")

    def check_link(self, page, target):
        self.count["links"] += 1
        if re.match(r"[a-z]+:", target):
            return
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page.resolve()
        if not file.exists():
            self.problem(page, f"({target})", f"link to {target}: no such file")
        elif anchor and anchor not in self.anchors_of(file):
            self.problem(page, f"({target})", f"link to {target}: no such heading")

    def anchors_of(self, file):
        """As GitHub makes them: lower case, letters, digits, - and _, spaces become -."""
        if file not in self.anchors:
            prose = BLOCK.sub("", file.read_text())
            self.anchors[file] = {
                "".join(c for c in heading.strip().lower().replace(" ", "-")
                        if c in "-_" or unicodedata.category(c)[0] in "LN")
                for heading in re.findall(r"^#+ (.*)$", prose, re.M)}
        return self.anchors[file]

    def check_name(self, page, code):
        """A file may be named from the root, as it is included, or from include/ctq."""
        if not FILE_NAME.fullmatch(code) or code.startswith("build/"):
            return
        bases = [self.root, self.root / "include", self.root / "include/ctq"]
        for name in expanded(code):
            if not any(list(base.glob(name)) for base in bases):
                moved = [str(p.relative_to(self.root)) for folder in COMPILED
                         for p in (self.root / folder).glob("**/" + Path(name).name)]
                self.problem(page, f"`{code}`", f"{name} is not there" +
                             (", but " + " ".join(moved) if moved else ""))


def expanded(name):
    """a/{b,c}.hpp: a/b.hpp, a/c.hpp."""
    match = re.search(r"\{([^}]*)\}", name)
    if not match:
        return [name.rstrip("/")]
    return [e for part in match[1].split(",")
            for e in expanded(name[:match.start()] + part + name[match.end():])]


def main(arguments):
    update = arguments[:1] == ["--update"]
    root, *programs = arguments[update:]
    root = Path(root).resolve()
    pages = Pages(root, dict(p.split("=", 1) for p in programs), update)
    readme = root / "README.md"
    for page in [readme, root / "CONTRIBUTING.md", root / HISTORY, *sorted(root.glob("docs/**/*.md"))]:
        pages.check(page)
    lines = len(readme.read_text().splitlines())
    if lines > LONGEST_README:
        pages.problems.append(f"README.md: {lines} lines, {LONGEST_README} are allowed")
    print(*pages.problems, pages.count, f"{len(pages.problems)} problems", sep="\n")
    return 1 if pages.problems or 0 in pages.count.values() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
