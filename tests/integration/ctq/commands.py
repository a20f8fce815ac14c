#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the command-line tool promises: commands.py CTQ

Exit codes, where answers go, how they look. The words of findings are tested with tests/fail/json.
"""

import json
import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

CTQ = sys.argv[1]
FINE, FINDINGS, UNREADABLE = 0, 1, 2

INT8 = '"dtype_configs": [{"input_dtype": "torch.quint8", "output_dtype": "torch.quint8"}]'
GOOD = f'{{"name": "npu", "configs": [\n{{"pattern": "my.swish", {INT8}}}], "ops": ["my.swish"]}}'
WARNING = f'{{"name": "npu", "configs": [\n{{"pattern": "nn.Linear", "root_module": "nn.Linear", {INT8}}}]}}'
ERROR = f'{{"name": "npu", "configs": [\n{{"pattern": "nn.Liner", {INT8}}},\n{{"patern": 1}}]}}'
MAPPING = '{"": {"activation": {"class": "HistogramObserver"}, "weight": {"class": "NoopObserver"}}}'

PREPARE = '{"standalone_module_name": [["block", null, [], {"input_quantized_idxs": [0]}, "x86"]]}'
CONVERT = '{"observed_to_quantized_custom_module_class": {"fast": {}}}'


def run(*arguments, **options):
    done = subprocess.run([CTQ, *map(str, arguments)], capture_output=True, text=True, check=False,
                          **options)
    return done.returncode, done.stdout, done.stderr


def expect(got, wanted, what):
    assert got == wanted, f"{what}:\n  wanted {wanted!r}\n  got    {got!r}"


def check(folder):
    """ctq check FILE..."""
    good, warning, error, mapping, prepare, convert = (Path(folder, name) for name in (
        "good.json", "warning.json", "error.json", "mapping.json", "prepare.json", "convert.json"))
    for path, text in ((good, GOOD), (warning, WARNING), (error, ERROR), (mapping, MAPPING),
                       (prepare, PREPARE), (convert, CONVERT)):
        path.write_text(text)

    expect(run("check", good), (FINE, "", f"{good}: no findings\n"), "a spec with an op of its own")
    expect(run("check", mapping), (FINE, "", f"{mapping}: no findings\n"), "a QConfigMapping")
    expect(run("check", prepare), (FINE, "", f"{prepare}: no findings\n"), "a custom config")
    expect(run("check", convert)[:2],
           (FINDINGS, f"{convert}:1:48: error: expected static, dynamic, qat or weight_only "
                      "[unknown-key]\n"), "one of convert with a mistake")
    code, out, err = run("check", error)
    expect((code, err), (FINDINGS, f"{error}: 3 errors\n"), "errors are counted")
    expect([line[len(str(error)):].partition(" ")[0] for line in out.splitlines()],
           [":2:13:", ":3:1:", ":3:2:"], "findings come in the order of their places")
    code, out, _ = run("check", warning)
    expect((code, out.split()[1]), (FINDINGS, "warning:"), "a warning is a finding")
    expect(run("check", "--errors-only", warning)[:2], (FINE, ""), "unless it is not wanted")
    expect(run("check", "--errors-only", error)[0], FINDINGS, "an error always is one")

    expect(run("check", good, error, good)[0], FINDINGS, "the worst of several files counts")
    expect(run("check", error, Path(folder, "none.json"))[0], UNREADABLE, "also if one is missing")
    for what in ((), ("--no-such-option",), ("",)):
        expect(run("check", *what)[:2], (UNREADABLE, ""), f"check {what}")

    expect(run("chek"), (UNREADABLE, "", "ctq: chek is not a command of ctq; ctq --help lists them\n"),
           "a command that is misspelled")

    with good.open() as text:
        expect(run("check", "-", stdin=text)[:2], (FINE, ""), "- is standard input")
    code, out, _ = run("check", "-", input=ERROR)
    expect(out.partition(":")[0], "<stdin>", "which has a name in findings")

    code, out, _ = run("check", "--json", good, error)
    found = json.loads(out)
    expect((code, len(found)), (FINDINGS, 3), "--json prints one array")
    expect(found[0], {"file": str(error), "line": 2, "column": 13, "severity": "error",
                      "rule": "unknown-op",
                      "message": "nn.Liner is not a known op, did you mean torch.nn.Linear?"},
           "--json")
    expect(json.loads(run("check", "--json", good)[1]), [], "--json without findings")
    bad_name = Path(folder, "\x1b[31m\n.json")
    bad_name.write_bytes(ERROR.replace("patern", "\\u001b\x7fé").encode())
    code, out, _ = run("check", "--json", bad_name)
    expect(len(json.loads(out)), 3, "--json stays JSON")
    odd = Path(folder, 'a\tb"\\n.json')
    odd.write_text(ERROR)
    expect({f["file"] for f in json.loads(run("check", "--json", odd)[1])}, {str(odd)}, "the file's name")
    bytes_name = os.fsencode(folder) + b"/\xff\t.json"
    Path(os.fsdecode(bytes_name)).write_text(ERROR)
    out = run("check", "--json", os.fsdecode(bytes_name))[1]
    assert json.loads(out)[0]["file"].endswith("/\\xff\\t.json"), "a name that is not UTF-8"
    out = run("check", bad_name)[1]
    assert "\x1b" not in out and "\x7f" not in out, "a file moves the terminal's cursor"


def colours(folder):
    """Only on a terminal whose user wants them."""
    path = Path(folder, "error.json")
    path.write_text(ERROR)

    def on_terminal(**environment):
        output, terminal = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", **environment}
        subprocess.run([CTQ, "check", path], stdout=terminal, stderr=subprocess.DEVNULL,
                       env=environment, check=False)
        os.close(terminal)
        text = b""
        while True:
            try:
                piece = os.read(output, 4096)
            except OSError:
                break
            if not piece:
                break
            text += piece
        os.close(output)
        return text.decode().replace("\r\n", "\n")

    os.environ.pop("NO_COLOR", None)
    plain = run("check", path)[1]
    assert "\x1b" not in plain, "colours in a pipe"
    expect(on_terminal(NO_COLOR="1"), plain, "NO_COLOR")
    expect(on_terminal(TERM="dumb"), plain, "a terminal without colours")
    coloured = on_terminal()
    assert "\x1b[1;31merror\x1b[0m:" in coloured, "no colours on a terminal"
    expect(coloured.replace("\x1b[1;31m", "").replace("\x1b[0m", ""), plain, "but for the colours")


def show(folder):
    """ctq show BACKEND|FILE"""
    for backend, count in (("native", 194), ("fbgemm", 192), ("x86", 192), ("qnnpack", 190),
                           ("onednn", 221), ("executorch", 83), ("tensorrt", 149)):
        code, out, _ = run("show", backend)
        rows = out.partition("\npattern ")[2].splitlines()[1:]
        expect((code, len(rows)), (FINE, count), f"show {backend}")
        assert out.startswith(f"{backend}: {count} patterns\n")
        spec = run("show", backend, "--json")[1]
        expect(len(json.loads(spec)["configs"]), count, f"show {backend} --json")
        markdown = run("show", backend, "--markdown")[1]
        assert f"### {backend}: {count} patterns" in markdown
        cells = [line.count(" | ") for line in markdown.splitlines() if line.startswith("| ")]
        assert cells and set(cells) == {4} and len(cells) < count, f"{backend} in Markdown"

    row = next(line for line in run("show", "x86")[1].splitlines()
               if line.startswith("(nn.Conv2d, nn.ReLU) "))
    assert row.endswith("  W8           own       fused nni.ConvReLU2d, by sequential_wrapper2")

    spellings = [run("show", "x86", "--op", op) for op in
                 ("torch.nn.Linear", "nn.Linear")]
    expect(spellings[0], spellings[1], "an op in any spelling")
    assert "(nn.Linear, nn.ReLU)" in spellings[0][1] and "Conv" not in spellings[0][1]
    assert "nnqat.Linear" in run("show", "x86", "--op", "Linear")[1], "an op by its last part"
    code, out, err = run("show", "x86", "--op", "nn.Linaer")
    expect((code, out), (UNREADABLE, ""), "an unknown op")
    assert "did you mean torch.nn.Linear?" in err
    code, out, err = run("show", "tensorrt", "--op", "nn.LSTM")
    expect((code, out, err), (FINDINGS, "", "ctq: no pattern of tensorrt names nn.LSTM\n"),
           "an op without a pattern")

    spec = Path(folder, "x86.json")
    spec.write_text(run("show", "x86", "--json")[1])
    expect(run("show", spec), run("show", "x86"), "a file is as good as a name")
    expect(run("check", spec)[:2], (FINE, ""), "a start for a spec of one's own")
    expect(run("diff", spec, "x86"), (FINE, "", "no differences\n"), "the same")
    broken = Path(folder, "broken.json")
    broken.write_text(ERROR)
    code, out, err = run("show", broken)
    expect((code, out), (FINDINGS, ""), "a file with errors")
    assert "[unknown-op]" in err
    code, out, err = run("show", "x68")
    expect((code, out), (UNREADABLE, ""), "an unknown name")
    assert "there are native, fbgemm, x86" in err
    expect(run("show", "x86", "--json", "--markdown")[0], UNREADABLE, "one form at a time")


def diff(folder):
    """ctq diff A B"""
    rows = ['{"pattern": "nn.ReLU"}', '{"pattern": "nn.Tanh"}', '{"pattern": "nn.Linear"}',
            '{"pattern": ["nn.Conv2d", "nn.ReLU"]}']
    other = [rows[2], rows[0].replace("}", f', {INT8}}}'), '{"pattern": "my.swish"}', rows[3]]
    a, b = Path(folder, "a.json"), Path(folder, "b.json")
    a.write_text('{"name": "a", "configs": [%s]}' % ", ".join(rows))
    b.write_text('{"name": "b", "ops": ["my.swish"], "configs": [%s]}' % ", ".join(other))
    expect(run("diff", a, b), (FINDINGS, """\
renamed: a -> b
removed: torch.nn.Tanh
added: my.swish
changed: torch.nn.ReLU: dtype_configs: [] -> [quint8/quint8/-/-]
moved: torch.nn.Linear: after torch.nn.ReLU -> first
""", "1 added, 1 removed, 1 changed, 1 moved\n"), "all kinds of differences")
    c = Path(folder, "c.json")
    c.write_text(b.read_text())
    expect(run("diff", b, c), (FINE, "", "no differences\n"), "an op that two files declare")
    expect(run("diff", a, Path(folder, "none.json"))[:2], (UNREADABLE, ""), "a missing file")
    expect(run("diff", a)[:2], (UNREADABLE, ""), "one file")


def exit_codes(folder):
    """One rule for all commands: 1 for what is wrong in a file, 2 if it cannot be read."""
    broken, missing = Path(folder, "syntax.json"), Path(folder, "missing.json")
    broken.write_text("{")
    model = Path(folder, "model.json")
    model.write_text(json.dumps([
        {"name": "x", "op": "placeholder", "target": "x", "args": [], "shape": [1, 4]},
        {"name": "out", "op": "output", "target": "output", "args": [{"n": "x"}]}]))
    library = Path(folder, "library")
    for read, wanted in ((broken, FINDINGS), (missing, UNREADABLE)):
        for command in (("check", read), ("show", read), ("diff", read, "x86"), ("diff", "x86", read),
                        ("explain", "--fx", read, "--backend", "x86"),
                        ("explain", "--fx", model, "--backend", read),
                        ("explain", "--fx", model, "--backend", "x86", "--mapping", read),
                        ("explain", "--fx", model, "--backend", "x86", "--prepare-custom-config", read),
                        ("import", "--fx", read),
                        ("import", "--fx", model, "--backend", read, "--library", library),
                        ("import", "--fx", model, "--backend", "x86", "--mapping", read, "--library", library)):
            code, out, err = run(*command)
            expect(code, wanted, f"{command}: {err}")
            assert command[0] == "check" or out == "", command
    expect(run("import", "--fx", model, "-o", Path(folder, "none", "net.hpp"))[0], FINDINGS,
           "an output that cannot be written")


def explain():
    """ctq explain [RULE]"""
    code, out, _ = run("explain")
    names = [line.split()[0] for line in out.splitlines() if not line.startswith(" ")]
    expect((code, names[0], len(names) == len(set(names))), (FINE, "json-syntax", True), "explain")
    for name in names:
        code, out, _ = run("explain", name)
        assert code == FINE and "\nfix   " in out and out.startswith("what  "), name
        assert max(map(len, out.splitlines())) <= 80, name
    code, out, err = run("explain", "unknown_op")
    expect((code, out), (UNREADABLE, ""), "an unknown rule")
    assert "did you mean unknown-op?" in err


def main():
    expect(run()[:2], (UNREADABLE, ""), "without a command")
    code, out, _ = run("--version")
    assert code == FINE and out.startswith("ctq ")
    code, out, _ = run("--help")
    words = ("check", "show", "diff", "explain", "import")
    assert code == FINE and all(word in out for word in words)
    with tempfile.TemporaryDirectory() as folder:
        for part in (check, colours, show, diff, exit_codes):
            part(folder)
    explain()


main()
