#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LSTMs as custom modules: what PyTorch 1.13 observes in them, and the integers that they give.

Run as `python3 torch_custom_lstm.py data`, which writes custom_lstm.json and custom_lstm.bin there;
data/README.md describes them. With --random N the cases are N random ones instead. Needs Debian's
python3-torch (1.13), whose engines are qnnpack and onednn: the layers are packed by qnnpack, and each
case runs with both, which must agree, or the case says by how many steps they do not.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import torch
from torch import nn
from torch.ao.nn import quantizable, quantized
from torch.ao.quantization import (HistogramObserver, MinMaxObserver, PerChannelMinMaxObserver,
                                   QConfig, QConfigMapping, get_default_qconfig)
from torch.ao.quantization.fx.custom_config import ConvertCustomConfig, PrepareCustomConfig
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

ROOT = Path(__file__).resolve().parents[2]
PER_CHANNEL = PerChannelMinMaxObserver.with_args(dtype=torch.qint8,
                                                 qscheme=torch.per_channel_symmetric)
QCONFIGS = {"fbgemm": get_default_qconfig("fbgemm"),  # half of the range of activations
            "qnnpack": get_default_qconfig("qnnpack"),
            "min_max": QConfig(activation=MinMaxObserver, weight=PER_CHANNEL),
            "histogram": QConfig(activation=HistogramObserver, weight=PER_CHANNEL)}
DTYPES = {torch.float32: "f32", torch.uint8: "u8"}
LAYERS = ("igates", "hgates", "gates", "fgate_cx", "igate_cgate", "fgate_cx_igate_cgate",
          "ogate_cy")


class Net(nn.Module):
    """An LSTM with a given state, and a layer that reads what it gives."""

    def __init__(self, options):
        super().__init__()
        self.lstm = nn.LSTM(**options)
        directions = 2 if options.get("bidirectional") else 1
        self.fc = nn.Linear(directions * options["hidden_size"], 2)

    def forward(self, x, h, c):
        pair = self.lstm(x, (h, c))  # PyTorch 1.13 traces no unpacking with Python 3.11
        return self.fc(pair[0]), pair[1][0]  # and makes pair[1][1] an element of c


class Data:
    """The tensors of a suite."""

    def __init__(self):
        self.bytes = b""

    def add(self, t):
        t = t.detach().contiguous()
        at = {"t": [DTYPES[t.dtype], list(t.shape), len(self.bytes)]}
        self.bytes += t.numpy().tobytes()
        return at

    def add_integers(self, t):
        return {"q": self.add(t.int_repr()), "scale": t.q_scale(), "zero_point": t.q_zero_point()}


def constructor(observer):
    """aq.MinMaxObserver and its arguments."""
    words = getattr(observer, "p", None)
    kind = observer if words is None else words.func
    kwargs = {} if words is None else dict(words.keywords)
    plain = {k: v if isinstance(v, (bool, int)) else str(v).removeprefix("torch.")
             for k, v in kwargs.items()}
    return {"class": "aq." + kind.__name__, "kwargs": plain}


def rows_of(case):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "net.json"
        shapes = sum((["--input", ",".join(map(str, t.shape))] for t in case["calibration"][0]), [])
        program = (f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r}); "
                   f"import torch_custom_lstm as t, export_fx; t.net = lambda: t.Net({case['options']!r}); "
                   "export_fx.main()")
        subprocess.run([sys.executable, "-W", "ignore", "-c", program, "torch_custom_lstm:net",
                        *shapes, "-o", file], check=True, cwd=Path(__file__).parent)
        rows = json.loads(file.read_text())
        return rows["rows"] if isinstance(rows, dict) else rows


def cells(observed):
    """The observers of the cells, by the path of the module whose output they see."""
    modules = dict(observed.named_modules())
    return {path: module.activation_post_process for path, module in modules.items()
            if path.split(".")[-1] in LAYERS}


def qparams(observer):
    scale, zero_point = observer.calculate_qparams()
    return [scale.item(), zero_point.item()]


def integers(t, observer):
    scale, zero_point = qparams(observer)
    return torch.quantize_per_tensor(t, scale, zero_point, torch.quint8)


def run(model, *inputs):
    """With the kernels of both engines; and by how many steps these differ. None: qnnpack refuses
    to add, since the scales are too far apart."""
    both = []
    for engine in ("onednn", "qnnpack"):
        torch.backends.quantized.engine = engine
        try:
            output, (h, c) = model(*inputs)
        except RuntimeError:
            return both[0], None
        both.append((output, h, c))
    steps = max((a.int_repr().int() - b.int_repr().int()).abs().max().item() for a, b in zip(*both))
    return both[0], steps


def add_network(out, data, case, net, prepared):
    """What prepare_fx and convert_fx make of the network around the LSTM."""
    named = dict(prepared.named_modules())
    observed = {n.args[0].name: qparams(named[n.target]) for n in prepared.graph.nodes
                if n.op == "call_module" and n.target.startswith("activation_post_process")}
    config = ConvertCustomConfig().set_observed_to_quantized_mapping(quantizable.LSTM, quantized.LSTM)
    converted = convert_fx(prepared, convert_custom_config=config)
    torch.backends.quantized.engine = "onednn"
    results = converted(*case["input"])
    out["network"] = {"rows": rows_of(case), "observed": observed,
                      "fc": {k: data.add(v) for k, v in net.fc.state_dict().items()},
                      "results": [data.add(t) for t in results]}


def written(case, data, with_rows):
    torch.backends.quantized.engine = "qnnpack"
    qconfig = QCONFIGS[case["qconfig"]]
    net = case["net"]
    out = {"name": case["name"], "options": case["options"],
           "qconfig": {"activation": constructor(qconfig.activation),
                       "weight": constructor(qconfig.weight)},
           "weights": {k: data.add(v) for k, v in net.lstm.state_dict().items()},
           "calibration": [[data.add(t) for t in batch] for batch in case["calibration"]],
           "floats": [data.add(t) for t in case["input"]]}
    has_state = len(case["input"]) > 1
    if has_state:
        config = PrepareCustomConfig().set_float_to_observed_mapping(nn.LSTM, quantizable.LSTM)
        prepared = prepare_fx(net, QConfigMapping().set_global(qconfig), case["calibration"][0],
                              prepare_custom_config=config)
        for batch in case["calibration"]:
            prepared(*batch)
        observed = prepared.lstm
        named = dict(prepared.named_modules())
        inputs = [integers(t, named[f"activation_post_process_{i}"])
                  for i, t in enumerate(case["input"])]
    else:  # prepare_fx and convert_fx of PyTorch take no LSTM without a state
        net.lstm.qconfig = qconfig
        observed = quantizable.LSTM.from_float(net.lstm)
        of_input = qconfig.activation()
        for (x,) in case["calibration"]:
            of_input(x)
            observed(x)
        inputs = [integers(case["input"][0], of_input)]
    out["observers"] = {path: qparams(o) for path, o in cells(observed).items()}
    model = quantized.LSTM.from_observed(observed)
    results, out["engines_differ"] = run(model, inputs[0], *([tuple(inputs[1:])] if has_state else []))
    out["inputs"] = [data.add_integers(t) for t in inputs]
    out["outputs"] = [data.add_integers(t) for t in results]
    if has_state and with_rows:
        add_network(out, data, case, net, prepared)
    return out


def made(name, qconfig, steps, batch, has_state, **options):
    """A case with random weights and inputs."""
    net = Net(options).eval()
    directions = 2 if options.get("bidirectional") else 1
    state = (directions * options.get("num_layers", 1), batch, options["hidden_size"])
    x = (batch, steps) if options.get("batch_first") else (steps, batch)

    def inputs():
        sequence = (2 * torch.randn(*x, options["input_size"]),)
        return sequence + ((torch.randn(state).tanh(), torch.randn(state)) if has_state else ())

    return {"name": name, "qconfig": qconfig, "options": options, "net": net,
            "calibration": [inputs() for _ in range(3)], "input": inputs()}


def usual_cases():
    yield made("one layer", "fbgemm", 6, 2, True, input_size=3, hidden_size=5)
    yield made("two layers in both directions", "qnnpack", 5, 3, True, input_size=4, hidden_size=6,
               num_layers=2, bidirectional=True, batch_first=True)
    yield made("no bias, in both directions", "min_max", 4, 2, True, input_size=5, hidden_size=4,
               bias=False, bidirectional=True)
    yield made("two layers from zeros", "qnnpack", 7, 2, False, input_size=3, hidden_size=4,
               num_layers=2)
    yield made("both directions from zeros", "fbgemm", 5, 1, False, input_size=6, hidden_size=3,
               bidirectional=True, batch_first=True)


def random_cases(count):
    bits = random.Random(1)
    for i in range(count):
        flags = {k: bits.random() < 0.5 for k in ("bias", "batch_first", "bidirectional")}
        yield made(f"random {i}", bits.choice(list(QCONFIGS)), bits.randint(1, 20),
                   bits.randint(1, 4), bits.random() < 0.6, input_size=bits.randint(1, 40),
                   hidden_size=bits.randint(1, 40), num_layers=bits.randint(1, 3), **flags)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=Path, help="where custom_lstm.json and .bin are written")
    arguments.add_argument("--random", type=int, metavar="N", help="N random cases instead")
    told = arguments.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(11)
    data = Data()
    cases = random_cases(told.random) if told.random else usual_cases()
    out = {"engine": "qnnpack, onednn", "torch": torch.__version__,
           "cases": [written(c, data, not told.random) for c in cases]}
    lines = [json.dumps(c) for c in out.pop("cases")]
    head = json.dumps(out)[:-1]
    text = head + ', "cases": [\n' + ",\n".join(lines) + "\n]}\n"
    (told.folder / "custom_lstm.json").write_text(text)
    (told.folder / "custom_lstm.bin").write_bytes(data.bytes)


if __name__ == "__main__":
    main()
