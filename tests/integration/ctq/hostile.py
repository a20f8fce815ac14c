#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What files, file names, disks and signals cannot do to ctq: hostile.py CTQ INCLUDE COMPILER...

Names stay names in the headers of ctq import; numbers are checked; output files are whole or not
there; messages leave the terminal alone; the time that a model takes grows with its size.
"""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CTQ, INCLUDE, *COMPILERS = sys.argv[1:]
FINE, FINDINGS, UNREADABLE = 0, 1, 2
NOT_WRITTEN = 1

# As names of nodes and scopes, targets, texts and file names.
NAMES = [
    'r"_n = nn::relu("x"_n), "o"_n = nn::output("r"_n)); inline int pwn = 1; //',
    "x\n#include </etc/passwd>\n", "\\", "ends with \\", '"', '\\"', "*/", "/*", "//", "??/", "???/",
    "??/\n#error", "\r", "\t", "\0", "\0001", "a\0b", "\x7f", "\x1b[2J", "é", "漢字", "\u202e", "😀",
    "\\x41", "\\u0041", "\\N{DIGIT ONE}", "%s%n", "{}", "{0}", ")\"", 'R"(', "int", "a.b", ".", " ",
    "#define x y", "\\\n", "x" * 3000, "1", "-1", "_n", "'", "?", "\\?", "\x80", "$", "@", "`",
]


def run(*arguments, **options):
    done = subprocess.run([CTQ, *map(os.fspath, arguments)], capture_output=True, check=False,
                          **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def expect(got, wanted, what):
    assert got == wanted, f"{what}:\n  wanted {wanted!r}\n  got    {got!r}"


def ref(name):
    return {"n": name}


def placeholder(shape, name="x"):
    return {"name": name, "op": "placeholder", "target": name, "args": [], "shape": shape}


def output(name):
    return {"name": "output", "op": "output", "target": "output", "args": [ref(name)]}


def relu(name, reads, **members):
    return {"name": name, "op": "call_function", "target": "F.relu", "args": [ref(reads)],
            **members}


def literal(text):
    """A string literal in ASCII, written by another program than the one that is tested."""
    return '"' + "".join(f"\\{b:03o}" for b in text.encode()) + '"'


def compiles(folder, source, dialect="-std=c++20"):
    (folder / "test.cpp").write_text(source)
    for compiler in COMPILERS:
        done = subprocess.run([*compiler.split(), dialect, "-trigraphs", "-Wall", "-Wextra",
                               "-Werror", "-Wno-trigraphs", "-fsyntax-only", "-I", INCLUDE,
                               "-I", folder, folder / "test.cpp"], capture_output=True,
                              text=True, check=False)
        assert done.returncode == 0, f"{compiler} {dialect}:\n{done.stderr[:3000]}"


def names(folder):
    """The reader of a header sees the names of the model, whatever they are."""
    rows, wanted, before = [placeholder([1, 4], NAMES[0])], [NAMES[0]], NAMES[0]
    for i, name in enumerate(NAMES[1:]):
        if i % 2 == 0:
            rows.append(relu(name, before, scope=NAMES[i]))
            wanted.append(f"{NAMES[i]}.{name}")
        else:
            rows.append({"name": name, "op": "call_module", "target": f"m{name}",
                         "args": [ref(before)], "module": {"type": "nn.ReLU", "p": name}})
            wanted.append(f"m{name}")
        before = name
    rows.append(output(before))
    wanted.append("output")
    model = folder / "in\n#error\\"
    model.write_text(json.dumps(rows))
    header = folder / "net.hpp"
    expect(run("import", "--fx", model, "--name", "net", "-o", header), (FINE, "", ""), "names")
    assert header.read_text().isascii()
    listed = ",\n".join(f"    {{{literal(n)}, {len(n.encode())}}}" for n in wanted)
    compiles(folder, f"""#include "net.hpp"
constexpr std::string_view wanted[] = {{
{listed}}};
constexpr bool same() {{
  const auto g = models::net.view();
  if (models::net.problem.any() || g.size() != {len(wanted)}) return false;
  for (int i = 0; i < g.size(); ++i)
    if (g[i].name != wanted[i]) return false;
  return true;
}}
static_assert(same());
""")


def identifiers(folder):
    """--name and --namespace are identifiers, or refused; file names become some."""
    model = folder / "net.json"
    model.write_text(json.dumps([placeholder([1, 4]), relu("r", "x"), output("r")]))
    for bad in ("", "int", "and", "co_await", "x; int y", "a b", "1a", "é", "a\nb", "a-b", "__a",
                "a__b", "_A", "ctq", "std", "nn", "fn", "NULL", "EOF", "errno", "linux", "unix",
                "assert", "a//", 'a"', "INT_MAX", "EDOM", "BOOST_HANA_CONFIG_HPP", "a\\", "inline"):
        for option in ("--name", "--namespace"):
            code, out, err = run("import", "--fx", model, option, bad)
            expect((code, out), (UNREADABLE, ""), f"{option} {bad!r}")
            assert err.startswith(f"ctq: {option} "), err
    code, _, err = run("import", "--fx", model, "--namespace", "::a")
    expect(err, 'ctq: --namespace "::a" has an empty part, beside a ::\n', code)
    for bad in ("::a", "a::", "a::::b", "a:b", "a::int", "_a", "a::ctq", "a::b {} namespace c"):
        expect(run("import", "--fx", model, "--namespace", bad)[:2], (UNREADABLE, ""), bad)
    includes, checks = [], []
    for i, name in enumerate(("int", "__", "a__b", "_A", "9", "é", "NULL", "net-v1.0", "linux",
                              "std", "ctq", "model", "EDOM", "_", "x y", "template")):
        (folder / f"{name}.json").write_bytes(model.read_bytes())
        expect(run("import", "--fx", folder / f"{name}.json", "-o", folder / f"{i}.hpp",
                   "--namespace", f"n{i}::_in")[0], FINE, name)
        includes.append(f'#include "{i}.hpp"\n')
    checks.append("static_assert(n0::_in::int_model.view().size() == 3);\n")
    # Where linux and unix are macros.
    compiles(folder, "".join(includes + checks), "-std=gnu++20")


def libraries(folder):
    """What ctq import --library writes: names stay names, and only its own files are replaced."""
    model, library = folder / "in\n#error\\]]", folder / "net"
    checks = []
    for i, name in enumerate(NAMES):
        model.write_text(json.dumps([placeholder([1, 4], name), relu("r", name),
                                     {**output("r"), "name": f"{name}_out"}]))
        library = folder / f"library{i}"
        expect(run("import", "--fx", model, "--library", library, "--name", f"net{i}", "--backend",
                   "x86"), (FINE, "", ""), f"a library with {name!r}")
        for file in library.iterdir():
            assert file.read_text().isascii(), file
            lines = file.read_text().splitlines()
            expect(any(line.startswith("#error") for line in lines), False, file)
        checks.append(f"""#include "library{i}/net{i}.hpp"
static_assert(sizeof models::net{i}::input::name == {len(name.encode()) + 1});
static_assert(__builtin_memcmp(models::net{i}::input::name, {literal(name)}, {len(name.encode())}) == 0);
static_assert(sizeof models::net{i}::output::name == {len(name.encode()) + 5});
""")
    # Names without letters, and some that would be those of types, too.
    model.write_text(json.dumps([
        placeholder([1, 4], "α"), placeholder([1, 4], "β"), relu("r", "α"), relu("s", "β"),
        {**output("r"), "args": [{"d": {"é": ref("r"), "_": ref("s"), "hidden": ref("r"),
                                        "hidden_output": ref("s"), "a_output": ref("r"), "a": ref("s")}}]}]))
    expect(run("import", "--fx", model, "--library", folder / "several", "--name", "several", "--backend",
               "x86"), (FINE, "", ""), "a library with names of no letters")
    checks.append("""#include "several/several.hpp"
using several = models::several;
static_assert(several::tensor_input::size == 4 && several::tensor_2_input::size == 4);
static_assert(several::hidden_output_2_output::size == 4 && several::a_2_output::size == 4);
""")
    compiles(folder, "".join(checks))
    expect(sorted(os.listdir(folder / "library0")),
           ["CMakeLists.txt", "meson.build", "net0.cpp", "net0.hpp", "net0_plan.hpp"], "its files")

    arguments = ["import", "--fx", model, "--backend", "x86", "--library"]
    for bad in ("all", "test", "install", "input", "result", "session", "load", "int", "net_", "x; int y",
                "a b", "../net", "a)", "NULL", "ctq"):
        code, out, err = run(*arguments, folder / "bad", "--name", bad)
        expect((code, out), (UNREADABLE, ""), f"--name {bad}")
        assert err.startswith("ctq: --name "), err
        expect((folder / "bad").exists(), False, bad)
    code, _, err = run(*arguments, folder / "bad", "--name", "net", "--namespace", "a {} namespace b")
    expect(code, UNREADABLE, err)
    code, out, err = run(*arguments, "", "--name", "net")
    expect((code, out), (UNREADABLE, ""), err)
    assert err.startswith("--library: the name is empty"), err
    reserved = folder / "all.json"
    reserved.write_bytes(model.read_bytes())
    code, _, err = run("import", "--fx", reserved, "--backend", "x86", "--library", folder / "bad")
    expect((code, err), (UNREADABLE, 'ctq: the file\'s name "all" is a name that build systems reserve: choose '
                                     'another one with --name\n'), "a file's name")

    mine = folder / "mine"
    mine.mkdir()
    (mine / "CMakeLists.txt").write_text("project(mine)\n")
    code, _, err = run(*arguments, mine, "--name", "net")
    expect((code, os.listdir(mine)), (UNREADABLE, ["CMakeLists.txt"]), "a folder with other files")
    assert "was not written by ctq import --library" in err, err
    expect(run(*arguments, folder / "library0", "--name", "net0")[0], FINE, "written again")
    before = {file: file.read_text() for file in (folder / "library0").iterdir()}
    code, _, err = run(*arguments, folder / "library0", "--name", "net0", preexec_fn=full_disk)
    expect(code, NOT_WRITTEN, err)
    expect({file: file.read_text() for file in (folder / "library0").iterdir()}, before, "full disk")
    expect(run(*arguments, folder / "no" / "folder", "--name", "net")[0], NOT_WRITTEN, "no folder")
    expect(run(*arguments, model, "--name", "net")[0], NOT_WRITTEN, "a file is no folder")

    spec, mapping = folder / 'sp"ec\\.json', folder / "mapping??(.json"
    spec.write_bytes(subprocess.run([CTQ, "show", "x86", "--json"], stdout=subprocess.PIPE,
                                    check=True).stdout)
    mapping.write_text(json.dumps({"": None, "module_name": [["no.such", None]]}))
    code, _, err = run("import", "--fx", model, "--backend", spec, "--mapping", mapping, "--library",
                       folder / "bad", "--name", "net")
    assert code == FINDINGS and "has no effect" in err and "no.such" in err, err
    mapping.write_text('{"": null,\n"object_type": [["F.relu", null]]}')
    expect(run("import", "--fx", model, "--backend", spec, "--mapping", mapping, "--library",
               folder / "own", "--name", "net"), (FINE, "", ""), "a backend and a mapping in JSON")
    compiles(folder, f"""#include "own/net_plan.hpp"
static_assert(models::net_backend_json.text.size() == {len(spec.read_bytes())});
static_assert(models::net_mapping_json.name == {literal(mapping.name)});
static_assert(models::net_plan::int8_schedule.count > 0);
""")
    for wrong in (["--library", folder / "x"], ["--backend", "x86"], ["--mapping", mapping],
                  ["--library", folder / "x", "--backend", "x86", "-o", folder / "y"],
                  ["--library", folder / "x", "--backend", "x68"]):
        expect(run("import", "--fx", model, *wrong)[:2], (UNREADABLE, ""), str(wrong))


def full_disk():
    """A limit for files is what a test can set; the program sees what a full disk is."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def module(kind, **options):
    return [placeholder([1, 3, 8, 8]), {"name": "m", "op": "call_module", "target": "m",
            "args": [ref("x")], "module": {"type": kind, **options}}, output("m")]


def call(target, *args, **kwargs):
    return [placeholder([1, 3, 8, 8]), {"name": "m", "op": "call_function", "target": target,
            "args": [ref("x"), *args], "kwargs": kwargs}, output("m")]


def verbatim(number):
    """A number that stands in JSON as it is spelled: see numbers()."""
    return f"#{number}#"


def numbers(folder):
    """Numbers are finite, whole where they must be, and fit; an error says where."""
    model = folder / "numbers.json"

    def imported(rows):
        text = ",\n".join(json.dumps(row) for row in rows)
        model.write_text(re.sub('"#(.*?)#"', r"\1", f"[\n{text}\n]\n"))
        return run("import", "--fx", model)

    for extent in ("1e300", "2147483648", "-1", "0", "1.5", "1e2", "9223372036854775808", "1e999"):
        code, out, err = imported([placeholder([1, verbatim(extent)]), relu("r", "x"), output("r")])
        expect((code, out), (FINDINGS, ""), extent)
        assert err.startswith(f"{model}:2:") and f"an extent is {extent}" in err, err
    conv = {"in_channels": 3, "out_channels": 2, "kernel_size": 3}
    cases = [module("nn.Conv2d", **{**conv, **odd}) for odd in (
        {"stride": 0}, {"stride": [1, 0]}, {"stride": 1.5}, {"stride": verbatim("2147483648")},
        {"stride": verbatim("1e300")}, {"stride": -1}, {"dilation": 0}, {"groups": 0},
        {"padding": -1}, {"padding": 2147483647}, {"kernel_size": 2147483647},
        {"dilation": 2147483647}, {"out_channels": 2147483647}, {"groups": -2147483648})]
    cases += [module("nn.MaxPool2d", kernel_size=2, stride=0),
              module("nn.AvgPool2d", kernel_size=2, stride=[0, 0]),
              module("nn.MaxPool2d", kernel_size=2, padding=2147483647),
              call("F.max_pool2d", 2, 0), call("F.max_pool2d", 2147483647, 1, 1073741824),
              call("torch.flatten", -2147483648), call("torch.cat", 4)]
    cases += [module("nn.BatchNorm2d", num_features=3, eps=verbatim(eps))
              for eps in ("1e999", "-1e999", "1e39", "3.5e38", "1e-60", "16777217")]
    cases += [call("F.leaky_relu", verbatim("1e40")), call("F.hardtanh", verbatim("-1e999"), 1.0)]
    for rows in cases:
        code, out, err = imported(rows)
        expect((code, out), (FINDINGS, ""), json.dumps(rows[1]))
        assert err.startswith(f"{model}:3:1: error: node "), err
    escaped = json.dumps([placeholder([1, 4], "n"), relu("r", "n"), output("r")])
    model.write_text(escaped.replace('"n"', '"\\u006e"', 1).replace('{"\\u006e"', '{"n"'))
    expect(run("import", "--fx", model)[0], FINE, "a name with an escape")


def outputs(folder):
    """A file appears whole or not at all, the old one stays until then; no answer is lost."""
    folder = folder / "outputs"
    folder.mkdir()
    model, header = folder / "net.json", folder / "net.hpp"
    model.write_text(json.dumps([placeholder([1, 4]), *(relu(f"r{i}", f"r{i - 1}" if i else "x")
                                                        for i in range(50)), output("r49")]))
    header.write_text("old")
    before = sorted(os.listdir(folder))
    code, out, err = run("import", "--fx", model, "-o", header, preexec_fn=full_disk)
    expect((code, out, header.read_text()), (NOT_WRITTEN, "", "old"), "a full disk")
    expect(err, f"ctq: {header}: cannot be written: File too large\n", "a full disk")
    expect(sorted(os.listdir(folder)), before, "nothing is left behind")
    expect(run("import", "--fx", model, "-o", folder / "new", preexec_fn=full_disk)[0],
           NOT_WRITTEN, "a full disk")
    expect(sorted(os.listdir(folder)), before, "nothing is left behind")

    for same in (model, folder / "." / "net.json", folder / "link", folder / "hard"):
        if same.name == "link":
            same.symlink_to(model)
        elif same.name == "hard":
            os.link(model, same)
        code, out, err = run("import", "--fx", model, "-o", same)
        expect((code, out), (UNREADABLE, ""), f"{same} is the input")
        assert "the output is the input file" in err
        with model.open("rb") as file:
            expect(run("import", "--fx", "-", "-o", same, stdin=file)[0], UNREADABLE, "stdin")
    json.loads(model.read_text())
    expect(run("import", "--fx", model, "-o", header), (FINE, "", ""), "a header")
    assert header.read_text().endswith("}  // namespace models\n")
    expect(run("import", "--fx", model, "-o", "/dev/stdout")[1], header.read_text(), "/dev/stdout")

    broken = folder / "broken.json"
    broken.write_text("{")
    for arguments in (["import", "--fx", model], ["show", "x86"], ["show", "x86", "--json"],
                      ["explain"], ["diff", "x86", "native"], ["check", broken], ["--help"],
                      ["explain", "--fx", model, "--backend", "x86"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([CTQ, *map(str, arguments)], stdout=full, check=False,
                                  stderr=subprocess.PIPE, text=True)
        expect(done.returncode, NOT_WRITTEN, f"{arguments} to a full disk")
        assert "standard output cannot be written: No space left on device" in done.stderr, \
            f"{arguments}: {done.stderr}"
        done = subprocess.run([CTQ, *map(str, arguments)], stdout=None, stderr=subprocess.PIPE,
                              check=False, text=True, preexec_fn=lambda: os.close(1))
        expect(done.returncode, NOT_WRITTEN, f"{arguments} to a closed output")
        assert "standard output cannot be written: Bad file descriptor" in done.stderr, done.stderr


def in_shell(command, *arguments):
    done = subprocess.run(["bash", "-c", command, "bash", CTQ, *map(str, arguments)],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip(), done.stderr


def default_signals():
    """What started the tests may ignore them: nohup, a shell in the background."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def signals(folder):
    """Whoever ends ctq sees what a shell expects, and no half file."""
    folder = folder / "signals"
    folder.mkdir()
    pipe, header = folder / "pipe", folder / "net.hpp"
    os.mkfifo(pipe)
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
        with subprocess.Popen(["bash", "-c", '"$1" import --fx "$2" -o "$3"; echo $?', "bash", CTQ,
                               pipe, header], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL, preexec_fn=default_signals) as shell:
            with pipe.open("w") as writer:
                writer.write("[")
                writer.flush()
                time.sleep(0.2)
                children = Path(f"/proc/{shell.pid}/task/{shell.pid}/children").read_text().split()
                os.kill(int(children[0]), number)
                expect(shell.communicate()[0].strip(), str(code), f"signal {number}")
        expect(sorted(os.listdir(folder)), ["pipe"], "nothing is left behind")
    many = folder / "many.json"
    many.write_text(json.dumps([placeholder([1, 4]), *(relu(f"r{i}", f"r{i - 1}" if i else "x")
                                                       for i in range(4000)), output("r3999")]))
    for what in (["import", "--fx", many], ["explain", "--fx", many, "--backend", "x86"]):
        code, err = in_shell('"$@" | head -n 1 >/dev/null; echo ${PIPESTATUS[0]}', *what)
        expect((code, err), ("141", ""), f"{what[0]} into head")
    code, err = in_shell('trap "" PIPE; "$@" | true; echo ${PIPESTATUS[0]}', "import", "--fx", many)
    expect((code, err), ("1", "ctq: standard output cannot be written: Broken pipe\n"),
           "a closed pipe without its signal")


def terminals(folder):
    """Control characters of names and texts are shown as escapes; slow pipes are waited for."""
    evil = "\x1b]0;x\x07\n\r\x9b\u202e"
    shown = "\\x1b]0;x\\x07\\n\\r\\u009b\\u202e"
    path = folder / f"{evil}.json"
    cases = [["import", "--fx", path], ["check", path], ["show", path], ["diff", "x86", path],
             ["explain", "--fx", path, "--backend", "x86"], ["explain", evil], ["show", "x86",
             "--op", evil], ["import", "--fx", path, "--name", evil], ["explain", "--fx", path,
             "--backend", path], [f"--{evil}"], ["check", f"--{evil}"]]
    texts = [None, "{", json.dumps([{"name": evil}]), json.dumps({"name": evil, "configs": 1}),
             json.dumps([placeholder([1, 4], evil), relu("r", evil), output("r")]),
             json.dumps([placeholder([1, 4]), relu("r", evil)]),
             json.dumps({"name": evil, "configs": [{"pattern": evil, evil: evil}]}),
             json.dumps([placeholder([1, 4]), {**relu(evil, "x"), "target": evil}, output(evil)])]
    for text in texts:
        if text is not None:
            path.write_text(text)
        for arguments in cases:
            code, out, err = run(*arguments)
            for stream in (out, err):
                assert not set(stream) & set("\x1b\r\x07\x9b\u202e"), f"{arguments}: {stream!r}"
            expect(all(line.strip() for line in err.splitlines()), True, err)
    expect(run("check", folder / f"no{evil}")[2],
           f"ctq: {folder}/no{shown}: No such file or directory\n", "a name in a message")
    path.write_text(json.dumps([placeholder([1, 4]), relu(evil, "x"), output(evil)]))
    for form in ([], ["--markdown"], ["--dot"]):
        code, out, err = run("explain", "--fx", path, "--backend", "x86", *form)
        expect((code, err), (FINE, ""), f"explain {form}")
        assert shown in out.replace("\\\\", "\\") and "\x1b" not in out, out
    nodes = json.loads(run("explain", "--fx", path, "--backend", "x86", "--json")[1])["nodes"]
    expect(nodes[0]["name"], evil, "JSON has the name itself")

    pipe = folder / "slow"
    os.mkfifo(pipe)
    with subprocess.Popen([CTQ, "import", "--fx", pipe], stdout=subprocess.PIPE) as waiting:
        with pipe.open("w") as writer:
            for part in (path.read_text()[:20], path.read_text()[20:]):
                time.sleep(1.5)
                writer.write(part)
                writer.flush()
        waiting.communicate()
        expect(waiting.returncode, FINE, "a slow pipe")
    code, _, err = run("check", pipe)
    expect((code, err), (UNREADABLE, f"ctq: {pipe}: is a pipe that no program writes to\n"),
           "a pipe without a writer")


def seconds_of(*command):
    """Of the processor, of which other programs take none away."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    code, _, err = run(*command)
    assert code in (FINE, FINDINGS), f"{' '.join(map(str, command))}: exit {code} {err[:300]}"
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start


# Seconds for the larger model of each pair.
LIMIT = 1


def grows(folder, rows_of, what, small=2000):
    """With four times the nodes, less than eight times the work; were it the square, sixteen."""
    paths = []
    for count in (small, 4 * small):
        path = folder / f"{count}.json"
        path.write_text(json.dumps(rows_of(count), separators=(",", ":")))
        assert path.stat().st_size < 4 << 20, f"{what}: {path.stat().st_size} bytes"
        paths.append(path)
    for command in (["import"], ["explain", "--backend", "x86"],
                    ["explain", "--backend", "x86", "--dot"],
                    ["explain", "--backend", "x86", "--json"]):
        measured = []
        for _ in range(5):  # a busy machine slows down one of them, but not each time
            less, more = (seconds_of(*command, "--fx", path) for path in paths)
            measured.append((less, more))
            if more < min(LIMIT, 8 * less):
                break
        else:
            raise AssertionError(f"{what}: {' '.join(command)}: {measured} s")


def sizes(folder):
    """Time grows with the size of a model, not with its square."""
    def conv(i, before):
        return {"name": f"c{i}", "op": "call_module", "target": f"m.c{i}", "args": [ref(before)],
                "module": {"type": "nn.Conv2d", "in_channels": 3, "out_channels": 3,
                           "kernel_size": 1}}

    def chain(of, shape, last):
        return lambda count: [placeholder(shape), *(of(i, f"{last}{i - 1}" if i else "x")
                                                    for i in range(count)),
                              output(f"{last}{count - 1}")]

    def call(name, target, *args):
        return {"name": name, "op": "call_function", "target": target, "args": list(args)}

    def star(count):
        wide = call("cat", "torch.cat", [ref(f"r{i}") for i in range(count)], 1)
        return [placeholder([1, 4]), *(relu(f"r{i}", "x") for i in range(count)), wide,
                output("cat")]

    def arguments(count):
        return [placeholder([1, 4]), call("cat", "torch.cat", [ref("x")] * count, 1),
                output("cat")]

    def blocks(count):
        rows = [placeholder([1, 3, 8, 8])]
        for i in range(count):
            before = f"s{i - 1}" if i else "x"
            rows += [conv(i, before),
                     {"name": f"n{i}", "op": "call_module", "target": f"b{i}.n",
                      "args": [ref(f"c{i}")],
                      "module": {"type": "nn.BatchNorm2d", "num_features": 3}},
                     call(f"a{i}", "operator.add", ref(f"n{i}"), ref(before)),
                     relu(f"s{i}", f"a{i}")]
        return [*rows, output(f"s{count - 1}")]

    grows(folder, chain(conv, [1, 3, 8, 8], "c"), "convolutions")
    grows(folder, chain(lambda i, before: relu(f"r{i}", before), [1, 4], "r"), "relus")
    grows(folder, star, "a cat of relus")
    grows(folder, arguments, "a cat of many arguments", small=25000)
    grows(folder, chain(lambda i, before: call(f"a{i}", "operator.add", ref(before), ref("x")),
                        [1, 4], "a"), "additions")
    grows(folder, chain(lambda i, before: call(f"o{i}", f"my.op{i}", ref(before)), [1, 4], "o"),
          "ops of one's own")
    grows(folder, blocks, "residual blocks", small=500)


def main():
    parts = [names, identifiers, libraries, numbers, outputs, signals, terminals, sizes]
    for part in parts:
        with tempfile.TemporaryDirectory() as name:
            part(Path(name))


main()
