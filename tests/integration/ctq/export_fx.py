#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of PyTorch, exported and imported: export_fx.py CTQ EXPORTER

A network as torchvision's are: blocks with a shortcut, FloatFunctional, a Sequential, one module
that is a class of the user's. Without PyTorch the test is skipped.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PYTHON = "/usr/bin/python3"  # the one that has Debian's PyTorch
ctq, exporter = sys.argv[1:]

NETS = '''
import collections
import dataclasses

import torch
import torch.nn.utils.prune
from torch import nn
import torch.nn.functional as F


Pair = collections.namedtuple("Pair", ["first", "second"])


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(channels)
        self.skip = torch.nn.quantized.FloatFunctional()

    def forward(self, x):
        return F.relu(self.skip.add(self.bn(self.conv(x)), x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(inplace=True))
        self.layer1 = Block(8)
        self.layer2 = Block(8)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(8, 5)

    def forward(self, x):
        x = self.layer2(self.layer1(self.stem(x)))
        x = torch.flatten(self.pool(F.max_pool2d(x, 2)), 1)
        return self.fc(x)


class Odd(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, x, y=None):
        return x[:, 1:] * self.weight.to(torch.float32), x.size(0)


def net():
    torch.manual_seed(0)
    return Net()


class Unpacked(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 1)
        self.head = nn.Conv2d(4, 2, 1)  # that training alone calls

    def forward(self, x):
        n, c, h, w = x.shape
        a, b = torch.chunk(self.conv(x), 2, dim=1)
        return (a * b).view(n, c // 2, h * w)


class Sentences(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(8))

    def forward(self, x, encoder_layers_0):
        return self.encoder(x, None) + encoder_layers_0


class Masked(Sentences):
    def forward(self, x, mask):
        return self.encoder(x, mask=mask)


class Lengths(nn.Module):
    def forward(self, x, n):
        return x * (torch.arange(6) < (n - 1).unsqueeze(1))


@dataclasses.dataclass
class Answer:
    y: torch.Tensor
    more: Pair
    hidden: object = None


class Defaults(nn.Module):
    """Parameters that are no inputs, a weight that is computed, tuples and dataclasses."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(6, 6))
        self.register_buffer("mask", torch.eye(6))

    def forward(self, x, mask=None, scale: float = 2.0, *others, hidden=False, **options):
        y = x * scale
        y = y if mask is None else y * mask
        return Answer(nn.ReLU()(y) if hidden else y, Pair(F.linear(y, self.weight * self.mask), None))


class Rest(nn.Module):
    def forward(self, x, *others, scale=2.0):
        return sum(others, x) * scale


class SizedRest(Rest):
    def forward(self, x, *others, scale=2.0):
        return super().forward(x, *others, scale=scale) + torch.ones(x.shape[0], 6)


class OwnLayer(nn.Linear):
    def forward(self, x, **masks):
        return super().forward(x)


class OwnLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoder(OwnLayer(6, 6), 1)

    def forward(self, x):
        return self.encoder(x)


class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.pos = nn.Embedding(6, 8)
        self.table = nn.Parameter(torch.arange(8.0))
        self.bias = nn.Parameter(torch.ones(8))

    def forward(self, x):
        future = torch.ones(4, 4).triu(1) > 0
        x = x + self.pos(torch.arange(4)) + self.table[torch.tensor([1, 1, 0, 0, 3, 3, 2, 2])].neg()
        x = x * (self.bias * 2)
        return (x @ x.transpose(1, 2)).masked_fill(future, float("-inf"))


class Sized(nn.Module):
    """As transformers are written: positions and masks by the sizes of the input, which are indices."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(9, 8)
        self.pos = nn.Embedding(16, 8)
        self.register_buffer("bias", torch.tril(torch.ones(16, 16, dtype=torch.bool)))

    def forward(self, ids):
        x = self.words(ids) + self.pos(torch.arange(ids.size(-1), device=ids.device))
        heads = x.view(*x.shape[:-1], 2, -1).transpose(1, 2)
        scores = heads @ heads.transpose(-1, -2) / heads.size(-1) ** 0.5
        length = len(x[0]) if x.dim() == 3 and x.is_floating_point() else 0
        scores = torch.where(self.bias[:length, :length], scores, torch.finfo(scores.dtype).min)
        steps = [row for row in (scores.softmax(-1) @ heads).transpose(0, 2)]
        return torch.stack(steps).sum(0), (ids != 0).cumsum(1, dtype=torch.float32)


class Accumulated(nn.Module):
    """Writes into a constant and a buffer, and keeps what it has computed."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)
        self.last = None
        self.register_buffer("seen", torch.zeros(8))

    def forward(self, x):
        total = torch.zeros(x.size(0), 8)
        total += self.fc(x)
        self.seen.add_(total.sum(0))
        if self.last is None:
            self.last = x.T.size(1) * total.sum(0)
        return total * self.last


class Normed(nn.Module):
    """Weights that are computed of other parameters."""

    def __init__(self):
        super().__init__()
        self.conv = nn.utils.weight_norm(nn.Conv1d(3, 4, 3))
        self.conv.weight_g.data.fill_(2.0)
        self.fc = nn.utils.parametrizations.spectral_norm(nn.Linear(6, 5))

    def forward(self, x):
        return self.fc(self.conv(x))


def pruned():
    net = nn.Sequential(nn.Linear(6, 5))
    torch.nn.utils.prune.l1_unstructured(net[0], "weight", 0.5)
    return net


def in_bfloat16():
    return nn.Sequential(nn.Linear(6, 5), nn.ReLU()).to(torch.bfloat16)


def hooked():
    net = nn.Sequential(nn.Linear(6, 5))
    net[0].register_forward_hook(lambda module, inputs, output: output * 2)
    return net


class Padded(nn.Module):
    """What embeddings read says where a sentence ends."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(9, 8, padding_idx=0)
        self.register_buffer("positions", torch.randn(1, 16, 8))
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)
        self.requires_grad_(False)

    def forward(self, ids):
        torch._assert(ids.dim() == 2, "sentences")
        mask = ids == 0
        x = self.words(ids)
        x = self.encoder(x + self.positions[:, :x.size(1)], src_key_padding_mask=mask)
        keep = (~mask).unsqueeze(-1).float()
        return (x * keep).sum(1) / keep.sum(1)


class LastSteps(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 6, batch_first=True)

    def forward(self, x, lengths):
        y, _ = self.lstm(x)
        places = (lengths - 1).view(-1, 1, 1).expand(y.size(0), 1, y.size(2))
        return y.gather(1, places).squeeze(1), y[torch.arange(y.size(0)), lengths - 1]


class Kept(nn.Module):
    def forward(self, x, mask):
        return x * (~mask).unsqueeze(-1)


def scripted():
    return torch.jit.script(nn.Linear(6, 5))


class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.LazyLinear(2)

    def forward(self, x):
        return self.fc(x)


class Parallel(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.DataParallel(nn.Sequential(nn.Linear(6, 5), nn.ReLU()))

    def forward(self, x):
        return self.body(x) + 1


class Bags(nn.Module):
    def __init__(self):
        super().__init__()
        self.bags = nn.EmbeddingBag(10, 4, mode="sum", max_norm=0.5)
        self.own = nn.Embedding(10, 4, max_norm=0.5)

    def forward(self, indices, offsets):
        y = self.bags(indices, offsets)
        return y * torch.arange(1, y.shape[1] + 1), self.own(indices)


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.found = nn.Linear(6, 5), {}
        self.fc.register_forward_hook(lambda module, inputs, output: self.found.__setitem__("fc", output))

    def forward(self, x):
        return self.fc(x) + 1, self.found["fc"]


@torch.fx.wrap
def scale_of(x, scale):
    return scale if x.shape[0] > 1 else 1.0


@torch.fx.wrap
def clipped(x):
    return x.clip(0, 1)


class Wrapped(nn.Module):
    def forward(self, x):
        return clipped(x) * scale_of(x, 3.0)


class Items(nn.Module):
    """Gives tuples, one of them in a dict."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(6, 4)

    def forward(self, x):
        return {"parts": x.split(2, -1)[1:], "state": self.cell(x)}


class Dropped(nn.Module):
    def __init__(self):
        super().__init__()
        from torchvision.ops import DropBlock2d
        self.conv, self.drop = nn.Conv2d(3, 4, 3), DropBlock2d(0.1, 3)

    def forward(self, x):
        return self.drop(self.conv(x))


class Synchronized(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn = nn.Conv2d(3, 4, 3), nn.SyncBatchNorm(4)
        self.last = nn.SyncBatchNorm(4)

    def forward(self, x):
        return self.last(self.bn(self.conv(x)).mean((2, 3)))


class Numbers(nn.Module):
    """Numbers and branches that parameters decide."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(2.0))
        self.sizes = nn.Parameter(torch.tensor([2, 3]), requires_grad=False)

    def forward(self, x):
        y = x * self.scale.item() + float(self.scale + 1)
        y = y[:, :int(self.sizes[0])].repeat(1, int(self.sizes[1]))
        return y if self.scale > 1 else -y


class Batches(nn.Module):
    def forward(self, batch, scale, xs):
        return batch["image"] * scale + sum(xs, 0) * batch["more"]


class SizedBatches(Batches):
    def forward(self, batch, scale, xs):
        return super().forward(batch, scale, xs) + torch.ones(batch["image"].size(1))


class Nested(nn.Module):
    def forward(self, x, features):
        first, second = features["dense"]
        for _, item in features["more"].items():
            x = x + item["a"] * item["b"][0]
        return x * first - second


class SizedNested(Nested):
    def forward(self, x, features):
        return super().forward(x, features) + torch.ones(x.size(1))


class Keys(nn.Module):
    def forward(self, features):
        return sum(x for _, x in features.items())


class Counted(nn.Module):
    def forward(self, x):
        return x / torch.ones(len(x[x > 0])).sum()


class Untraceable(nn.Module):
    def forward(self, x):
        x = x + torch.ones(x.size(1))
        return x if x.sum() > 0 else -x  # no number


class Causal(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = nn.MultiheadAttention(8, 2)
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 1)
        self.register_buffer("future", nn.Transformer.generate_square_subsequent_mask(5))

    def forward(self, x, y):
        y, _ = self.attn(y, y, y, None, False, self.future > -1)
        return self.decoder(x, y, self.future)


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.transformer = nn.Transformer(8, 2, 1, 1, 16, activation=nn.ReLU())

    def forward(self, x, y):
        return self.transformer(x, y)


trained = net()
not_a_model = 3


def trained_for_int8():
    from torch.ao.quantization import get_default_qat_qconfig_mapping
    from torch.ao.quantization.quantize_fx import prepare_qat_fx
    torch.backends.quantized.engine = "qnnpack"
    torch.manual_seed(1)
    image = torch.randn(2, 3, 16, 16)
    model = prepare_qat_fx(net().train(), get_default_qat_qconfig_mapping("qnnpack"), (image,))
    sgd = torch.optim.SGD(model.parameters(), lr=0.1)
    model(image).square().sum().backward()
    sgd.step()
    model(image)
    return model


class Gain(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.gain = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return self.fc(x) * self.gain


class StandaloneGain(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Gain()

    def forward(self, x):
        return self.part(x)


def trained_gain():
    from torch.ao.quantization import get_default_qat_qconfig_mapping
    from torch.ao.quantization.fx.custom_config import PrepareCustomConfig
    from torch.ao.quantization.quantize_fx import prepare_qat_fx
    custom = PrepareCustomConfig().set_standalone_module_name("part", None, (torch.ones(1, 4),), None, None)
    model = prepare_qat_fx(StandaloneGain().train(), get_default_qat_qconfig_mapping("qnnpack"),
                           (torch.ones(1, 4),), prepare_custom_config=custom)
    with torch.no_grad():
        model.get_parameter("part.gain").fill_(7)
    model(torch.ones(1, 4))
    return model
'''

EINOPS_NETS = '''
from einops import rearrange, reduce, repeat
from einops.layers.torch import Rearrange, Reduce
from torch import nn


class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.split = Rearrange("n c (h p) (w q) -> n (h w) (p q c)", p=4, q=4)
        self.fc = nn.Linear(48, 6)
        self.mean = Reduce("n (t u) c -> n t c", "mean", u=2)

    def forward(self, x):
        return repeat(self.mean(self.fc(self.split(x))), "n t c -> n (t k) c", k=3)
'''

CHECK = '''
import json, struct, sys
import torch
import nets
raw = open("net.safetensors", "rb").read()
size, = struct.unpack("<Q", raw[:8])
assert size % 8 == 0
header = json.loads(raw[8:8 + size])
state = nets.net().state_dict()
assert set(state) == set(header) - {"__metadata__"}
for name, tensor in state.items():
    begin, end = header[name]["data_offsets"]
    data = raw[8 + size + begin:8 + size + end]
    assert data == tensor.contiguous().numpy().tobytes(), name
    assert header[name]["shape"] == list(tensor.shape), name
assert len(raw) == 8 + size + max(v["data_offsets"][1] for k, v in header.items() if k[0] != "_")
'''


TENSORS_OF = '''
import json, struct
import torch


def tensors_of(path):
    raw = open(path, "rb").read()
    size, = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8:8 + size])
    kinds = {"F32": torch.float32, "I32": torch.int32, "I64": torch.int64}
    return {name: torch.frombuffer(bytearray(raw[8 + size + v["data_offsets"][0]:
                                                 8 + size + v["data_offsets"][1]]),
                                   dtype=kinds[v["dtype"]]).reshape(v["shape"])
            for name, v in header.items() if name != "__metadata__"}
'''

CHECK_POSITIONS = TENSORS_OF + '''
tensors = tensors_of("positions.safetensors")
assert set(tensors) == {"pos_", "neg", "bias", "_tensor_constant2"}, set(tensors)
assert tensors["pos_"].shape == (4, 8)
assert torch.equal(tensors["neg"], -torch.tensor([1.0, 1, 0, 0, 3, 3, 2, 2]))
assert torch.equal(tensors["_tensor_constant2"], torch.ones(4, 4).triu(1))
'''

CHECK_BAGS = TENSORS_OF + '''
tensors = tensors_of("bags.safetensors")
for name in ("bags.weight", "own.weight"):
    norms = tensors[name].norm(dim=1)
    assert norms.max() <= 0.5001 and norms.max() > 0.49, norms
'''

CHECK_SIZED = '''
import copy, os, sys
import torch
import nets

sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[1])))
from fx_export.exporter import Exporter

for make, x in (nets.Sized, torch.randint(0, 9, (2, 6))), (nets.Accumulated, torch.randn(2, 8)):
    model = make().eval()
    same = copy.deepcopy(model)
    exporter = Exporter(model, [x.shape])
    graph, _ = exporter.trace()
    assert torch.equal(exporter.model.state_dict().get("seen", torch.zeros(8)), torch.zeros(8))
    traced = torch.fx.GraphModule(exporter.model, graph)
    for got, wanted in zip(traced(x), same(x)):
        assert torch.allclose(got, wanted) and got.dtype == wanted.dtype, make
'''

CHECK_NORMED = TENSORS_OF + '''
tensors = tensors_of("normed.safetensors")
assert sorted(tensors) == ["conv.bias", "conv.weight", "fc.bias", "fc.weight"], sorted(tensors)
assert torch.allclose(tensors["conv.weight"].norm(dim=(1, 2)), torch.tensor(2.0))
assert torch.linalg.matrix_norm(tensors["fc.weight"], 2) < 1.2
'''

CHECK_CAUSAL = TENSORS_OF + '''
tensors = tensors_of("causal.safetensors")
lowest = torch.finfo(torch.float32).min
assert torch.equal(tensors["decoder.layers.0.mask"], torch.full((5, 5), lowest).triu(1))
assert torch.equal(tensors["attn.mask"], torch.full((5, 5), lowest).tril())
assert len(tensors) == 4 + 18 + 2, tensors.keys()
'''

CHECK_GAIN = TENSORS_OF + '''
tensors = tensors_of("gain.safetensors")
assert tensors["part.gain"].tolist() == [7], tensors
'''

CHECK_QAT = TENSORS_OF + '''
import copy
from torch.ao.quantization.quantize_fx import convert_fx
import nets

weights, qparams = tensors_of("qat.safetensors"), tensors_of("qat.qparams.safetensors")
trained = nets.trained_for_int8()
state = trained.state_dict()
assert set(weights) == set(nets.net().state_dict())
assert torch.equal(weights["layer1.conv.weight"], state["layer1.conv.weight"])
assert torch.equal(weights["layer2.bn.running_var"], state["layer2.conv.bn.running_var"])
assert torch.equal(weights["stem.0.bias"], state["stem.0.bias"])
assert not torch.equal(weights["fc.weight"], nets.net().state_dict()["fc.weight"])
model = convert_fx(trained.eval())
for path in ("layer1.conv", "fc"):
    layer = model.get_submodule(path)
    assert qparams[f"{path}.weight_scale"].item() == layer.weight().q_scale(), path
    assert abs(qparams[f"{path}.output_scale"].item() - layer.scale) < 1e-9, path
    assert qparams[f"{path}.output_zero_point"].item() == layer.zero_point, path
assert qparams["relu.output_scale"].item() > 0 and "layer1_conv.output_scale" in qparams
'''


def run(*command, folder=None):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                          cwd=folder, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (
                              folder and str(folder), os.environ.get("PYTHONPATH"))))})


def export(folder, *arguments):
    return run(PYTHON, "-W", "ignore", exporter, *arguments, folder=folder)


def rows_of(folder, model, name, *inputs):
    shapes = [part for shape in inputs for part in ("--input", shape)]
    done = export(folder, model, *shapes, "-o", name)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return json.loads((folder / name).read_text())


def main():
    if run(PYTHON, "-W", "ignore", "-c", "import torch").returncode != 0:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "nets.py").write_text(NETS)
        (folder / "einops_nets.py").write_text(EINOPS_NETS)
        rows = rows_of(folder, "nets:net", "net.json", "1,3,16,16")
        by_name = {row["name"]: row for row in rows}
        assert rows == rows_of(folder, "nets:trained", "again.json", "1,3,16,16"), "of an object"
        assert by_name["x"]["shape"] == [1, 3, 16, 16]
        assert by_name["add"] == {"name": "add", "op": "call_function", "target": "torch.add",
                                  "args": [{"n": "layer1_bn"}, {"n": "stem_1"}],
                                  "scope": "layer1", "scope_type": "nets.Block"}, by_name["add"]
        assert by_name["relu_1"]["target"] == "F.relu" and by_name["relu_1"]["scope"] == "layer2"
        assert by_name["stem_0"]["module"]["kernel_size"] == [3, 3]
        assert by_name["layer1_conv"]["module"]["bias"] is False
        assert by_name["max_pool2d"]["target"] == "F.max_pool2d"
        check = run(PYTHON, "-W", "ignore", "-c", CHECK, folder=folder)
        assert check.returncode == 0, check.stderr

        rows_of(folder, "nets:pruned", "pruned.json", "1,6")
        tensors = (folder / "pruned.safetensors").read_bytes()
        assert b'"0.weight"' in tensors and b"weight_orig" not in tensors
        done = export(folder, "nets:hooked", "--input", "1,6", "-o", "hooked.json")
        assert done.returncode == 1 and "0 has a forward hook" in done.stderr, done.stderr

        done = export(folder, "nets:in_bfloat16", "--input", "1,6", "-o", "bfloat16.json")
        assert done.returncode == 0 and "was not compared" not in done.stderr, done.stderr
        assert b'"F32"' in (folder / "bfloat16.safetensors").read_bytes()

        bags = rows_of(folder, "nets:Bags", "bags.json", "5:int64", "2:int64")
        assert [row["module"]["max_norm"] for row in bags if "module" in row] == [None, None], bags
        check = run(PYTHON, "-W", "ignore", "-c", CHECK_BAGS, folder=folder)
        assert check.returncode == 0, check.stderr

        parallel = rows_of(folder, "nets:Parallel", "parallel.json", "1,6")
        assert [row["target"] for row in parallel[1:3]] == ["body.module.0", "body.module.1"], parallel
        assert b'"body.module.0.weight"' in (folder / "parallel.safetensors").read_bytes()

        header = run(ctq, "import", "--fx", folder / "net.json").stdout
        assert '"layer2.bn"_n' in header and "nn::adaptive_avg_pool2d(" in header, header
        table = run(ctq, "explain", "--fx", folder / "net.json", "--backend", "fbgemm").stdout
        assert "layer1_bn              in layer1_conv " in table, table
        assert ", fused into layer2_conv\n" in table, table

        done = export(folder, "nets:net", "--qat", "nets:trained_for_int8", "--input", "1,3,16,16",
                      "-o", "qat.json")
        assert done.returncode == 0, done.stderr
        assert json.loads((folder / "qat.json").read_text()) == rows, "the rows are the float model's"
        check = run(PYTHON, "-W", "ignore", "-c", CHECK_QAT, folder=folder)
        assert check.returncode == 0, check.stderr
        for trained, words in (("nets:net", "not one that prepare_qat_fx returns"),
                               ("nets:nothing", "nothing")):
            failed = export(folder, "nets:net", "--qat", trained, "--input", "1,3,16,16", "-o", "x.json")
            assert failed.returncode != 0 and words in failed.stderr, failed.stderr

        done = export(folder, "nets:StandaloneGain", "--qat", "nets:trained_gain", "--standalone-module", "part",
                      "--input", "1,4", "-o", "gain.json")
        assert done.returncode == 0, done.stderr
        check = run(PYTHON, "-W", "ignore", "-c", CHECK_GAIN, folder=folder)
        assert check.returncode == 0, check.stderr

        unpacked = rows_of(folder, "nets:Unpacked", "unpacked.json", "1,4,6,5")
        items = [row["args"] for row in unpacked if row["target"] == "operator.getitem"]
        assert [{"n": "chunk"}, 1] in items and len(items) == 6, items
        imported = run(ctq, "import", "--fx", folder / "unpacked.json")
        assert '{.shape = {1, 2, 30}}' in imported.stdout, imported
        names = (folder / "unpacked.safetensors").read_bytes()
        assert b'"conv.weight"' in names and b'"head.weight"' not in names, "what is not called"

        odd = {row["name"]: row for row in rows_of(folder, "nets:Odd", "odd.json", "2,5", "1")}
        assert odd["getitem"]["args"][1][1] == {"s": [1, None, None]}, odd["getitem"]
        assert "to" not in odd and odd["weight"]["op"] == "get_attr"  # it is float32 as it is

        rows = rows_of(folder, "nets:Sentences", "sentences.json", "2,5,8", "8")
        assert [(row["name"], row["target"], row["args"]) for row in rows[2:5]] == [
            ("encoder_layers_0_", "encoder.layers.0", [{"n": "x"}]),
            ("encoder_layers_1", "encoder.layers.1", [{"n": "encoder_layers_0_"}]),
            ("encoder", "encoder.norm", [{"n": "encoder_layers_1"}])], rows
        assert rows[2]["module"] == {
            "type": "nn.TransformerEncoderLayer", "d_model": 8, "nhead": 2, "dim_feedforward": 16,
            "activation": "gelu", "layer_norm_eps": 1e-5, "batch_first": True, "norm_first": False,
            "bias": True}, rows[2]
        assert rows[4]["module"]["type"] == "ctq.LayerNorm" and rows[4]["scope"] == "encoder"
        imported = run(ctq, "import", "--fx", folder / "sentences.json")
        assert "nn::float_layer_norm(" in imported.stdout, imported
        names = (folder / "sentences.safetensors").read_bytes()
        assert b'"encoder.layers.1.self_attn.out_proj.bias"' in names, "of the layers"
        rows = rows_of(folder, "nets:Masked", "masked.json", "2,5,8", "5,5")
        assert not [row for row in rows if row["op"] == "call_module"], rows
        weights = {row["target"]: row["shape"] for row in rows if row["op"] == "get_attr"}
        assert [2, 4, 8] in weights.values() and "encoder.layers.0.linear1.weight" not in weights, weights
        imported = run(ctq, "import", "--fx", folder / "masked.json")
        assert imported.returncode == 0, imported.stderr
        rows = rows_of(folder, "nets:Causal", "causal.json", "5,2,8", "5,2,8")
        assert [row["op"] for row in rows].count("get_attr") == 0, rows
        assert rows[2]["args"][3:] == [None, False, None] and rows[2]["module"]["mask"] is True, rows[2]
        layer = next(row for row in rows if row["target"] == "decoder.layers.0")
        assert layer["module"]["mask"] is True and "kwargs" not in layer, layer
        check = run(PYTHON, "-W", "ignore", "-c", CHECK_CAUSAL, folder=folder)
        assert check.returncode == 0, check.stderr
        rows = rows_of(folder, "nets:Translator", "translator.json", "4,2,8", "3,2,8")
        assert [(row["target"], row["args"]) for row in rows[2:6]] == [
            ("transformer.encoder.layers.0", [{"n": "x"}]),
            ("transformer.encoder.norm", [{"n": "transformer_encoder_layers_0"}]),
            ("transformer.decoder.layers.0", [{"n": "y"}, {"n": "transformer_encoder_norm"}]),
            ("transformer.decoder.norm", [{"n": "transformer_decoder_layers_0"}])], rows
        assert rows[5]["name"] == "transformer" and rows[2]["module"]["activation"] == "relu", rows

        rows = rows_of(folder, "nets:Positions", "positions.json", "2,4,8")
        constants = {row["name"]: row["target"] for row in rows if row["op"] == "get_attr"}
        assert constants == {"pos": "pos_", "neg": "neg", "bias": "bias",
                             "_tensor_constant2": "_tensor_constant2"}, constants
        assert [row["args"][2] for row in rows if row["name"] == "masked_fill"] == [{"f": "-inf"}], rows
        check = run(PYTHON, "-W", "ignore", "-c", CHECK_POSITIONS, folder=folder)
        assert check.returncode == 0, check.stderr
        imported = run(ctq, "import", "--fx", folder / "positions.json")
        assert "-std::numeric_limits<float>::infinity()" in imported.stdout, imported

        for given in "2,6", "2,6:int64":  # an embedding takes no other type
            rows = rows_of(folder, "nets:Sized", "sized.json", given)
            assert rows[0]["dtype"] == "int64", given
        rows = rows_of(folder, "nets:Lengths", "lengths.json", "2,6", "2")
        assert [row.get("dtype") for row in rows[:2]] == [None, None], rows
        rows = rows_of(folder, "nets:Lengths", "lengths.json", "2,6", "2:int64")
        types = {row["name"]: row.get("dtype") for row in rows}
        assert types["n"] == types["sub"] == "int64" and types["lt"] is None, types
        rows = rows_of(folder, "nets:Defaults", "defaults.json", "2,6")
        assert [row["target"] for row in rows if row["op"] == "placeholder"] == ["x"], rows
        assert rows[-1]["args"] == [{"d": {"y": {"n": "mul"}, "more": [{"n": "linear"}, None]}}], rows[-1]
        assert next(row for row in rows if row["name"] == "linear")["args"][1] == {"n": "mul_1"}, rows
        rows = rows_of(folder, "nets:Defaults", "defaults.json", "2,6", "2,6")
        assert [row["target"] for row in rows if row["op"] == "placeholder"] == ["x", "mask"], rows

        rows = rows_of(folder, "nets:Padded", "padded.json", "1,9")
        assert [row.get("dtype") for row in rows[:1]] == ["int64"], rows
        for given in "2", "2:int64":
            rows = rows_of(folder, "nets:LastSteps", "last.json", "2,5,4", given)
            assert [row.get("dtype") for row in rows[:2]] == [None, "int64"], rows
        failed = export(folder, "nets:LastSteps", "--input", "2,5,4", "--input", "2:float32", "-o", "x.json")
        assert "int64 for index; for an input of integers, add its type: --input 1,64:int64" in failed.stderr, failed

        rows = rows_of(folder, "nets:Wrapped", "wrapped.json", "2,6")
        assert [row["target"] for row in rows] == ["x", "clip", "operator.mul", "output"], rows
        done = export(folder, "nets:Wrapped", "--input", "2,6", "--user-op", "nets.clipped", "-o", "wrapped.json")
        rows = json.loads((folder / "wrapped.json").read_text())
        assert [row["target"] for row in rows] == ["x", "nets.clipped", "operator.mul", "output"], done.stderr

        rows = rows_of(folder, "nets:Items", "items.json", "2,6")
        assert [row["args"][1] for row in rows if row["target"] == "operator.getitem"] == [1, 2, 0, 1], rows
        assert list(rows[-1]["args"][0]["d"]) == ["parts", "state"], rows
        has_torchvision = subprocess.run([PYTHON, "-c", "import torchvision"], capture_output=True, check=False)
        if has_torchvision.returncode == 0:
            rows = rows_of(folder, "nets:Dropped", "dropped.json", "1,3,8,8")
            assert [row["target"] for row in rows] == ["x", "conv", "output"], rows

        rows = rows_of(folder, "nets:Synchronized", "synchronized.json", "1,3,8,8")
        assert [row["module"]["type"] for row in rows if "module" in row] == [
            "nn.Conv2d", "nn.BatchNorm2d", "nn.BatchNorm1d"], rows
        rows = rows_of(folder, "nets:Numbers", "numbers.json", "2,6")
        assert [row["args"][1:] for row in rows if row["op"].startswith("call_")] == [
            [2.0], [3.0], [[{"s": [None, None, None]}, {"s": [None, 2, None]}]], [1, 3]], rows

        for model in "nets:Batches", "nets:SizedBatches":
            rows = rows_of(folder, model, "batches.json", "batch.image=2,6", "batch.more=6", "1", "xs.0=2,6",
                           "xs.1=2,1")
            assert [(row["name"], row["shape"]) for row in rows if row["op"] == "placeholder"] == [
                ("batch_image", [2, 6]), ("batch_more", [6]), ("scale", [1]), ("xs_0", [2, 6]), ("xs_1", [2, 1])], rows
        for model in "nets:Nested", "nets:SizedNested":
            rows = rows_of(folder, model, "nested.json", "2,6", "features.dense.1=6", "features.dense.0=2,1",
                           "features.more.k.a=2,6", "features.more.k.b.0=1")
            assert [(row["name"], row["shape"]) for row in rows if row["op"] == "placeholder"] == [
                ("x", [2, 6]), ("features_dense_1", [6]), ("features_dense_0", [2, 1]), ("features_more_k_a", [2, 6]),
                ("features_more_k_b_0", [1])], rows
            assert [row["args"] for row in rows if row["target"] in ("operator.mul", "operator.sub")] == [
                [{"n": "features_more_k_a"}, {"n": "features_more_k_b_0"}], [{"n": "add"}, {"n": "features_dense_0"}],
                [{"n": "mul_1"}, {"n": "features_dense_1"}]], rows
        items = "features.dense.0=6", "features.dense.1=6"
        for model, inputs, words in (
                ("Batches", ["x=2,6"], "x is not of the form batch.image"),
                ("Batches", ["batch.=2,6"], "batch. is not of the form batch.image"),
                ("Batches", ["2,6", "1", "2,6"], "batch is a dict; give its items: --input batch.image=SHAPE"),
                ("Batches", ["batch.image=2,6", "1", "batch.more=6", "xs.0=2,6"],
                 "--input batch.more is given where forward() has xs; give inputs in the order of its parameters, "
                 "batch, scale, xs, and the items of one together"),
                ("Batches", ["image.x=2,6"], "--input image.x is given where forward() has batch;"),
                ("Batches", ["batch.image=6", "1", "1", "xs.0=2"],
                 "--input xs.0 is given where forward() has no more parameters;"),
                ("Batches", ["batch.image=2,6", "batch.image=2,6"], "--input batch.image is given twice"),
                ("Batches", ["batch.image=6", "batch.more=6", "1", "xs.0=2,6", "xs.2=2,1"],
                 "the items of xs have the numbers 0, 2; those of a list are 0, 1"),
                ("Nested", ["6", "features.dense=6", *items],
                 "--input features.dense is one tensor, and has an item, features.dense.0; give a dict or a list by "
                 "its items alone"),
                ("Nested", ["6", *items, "features.a_b=6", "features.a.b=6"],
                 "--input features.a_b and features.a.b have one name in rows, features_a_b"),
                ("Nested", ["6", *items, "features.more=6"],
                 "features.more is a dict; give its items: --input features.more.KEY=SHAPE"),
                ("Keys", ["6"], "features is a dict; give its items: --input features.KEY=SHAPE")):
            inputs = (part for shape in inputs for part in ("--input", shape))
            failed = export(folder, f"nets:{model}", *inputs, "-o", "x.json")
            assert failed.returncode != 0 and words in failed.stderr, failed.stderr

        rows = rows_of(folder, "nets:Rest", "rest.json", "2,6", "2,6")
        assert [row["target"] for row in rows] == ["x", "others_0", "operator.add", "operator.mul", "output"], rows
        rows = rows_of(folder, "nets:SizedRest", "rest.json", "2,6", "2,6")
        assert [row["target"] for row in rows if row["op"] == "placeholder"] == ["x", "others_0"], rows
        rows = rows_of(folder, "nets:OwnLayers", "own.json", "2,3,6")
        assert rows[1]["module"]["type"] == "nn.TransformerEncoder", rows

        rows = rows_of(folder, "nets:Normed", "normed.json", "1,3,8")
        assert [row["module"]["type"] for row in rows if "module" in row] == ["nn.Conv1d", "nn.Linear"], rows
        check = run(PYTHON, "-W", "ignore", "-c", CHECK_NORMED, folder=folder)
        assert check.returncode == 0, check.stderr
        rows = rows_of(folder, "nets:Sized", "sized.json", "2,6")
        assert not [row for row in rows if row["target"] in ("size", "getattr", "shape")], rows
        assert [row["shape"] for row in rows if row["op"] == "get_attr"][0] == [6, 8], rows
        assert [row["args"][1:] for row in rows if row["target"] == "view"] == [[2, 6, 2, -1]], rows
        assert sum(row["target"] == "operator.getitem" for row in rows) == 6, rows
        check = run(PYTHON, "-W", "ignore", "-c", CHECK_SIZED, exporter, folder=folder)
        assert check.returncode == 0, check.stderr
        imported = run(ctq, "import", "--fx", folder / "sized.json")
        assert '"ids"_n' in imported.stdout and "ctq::i64" in imported.stdout, imported

        done = export(folder, "nets:net", "--input", "1,3,16,16", "-o", "told.json",
                      "--standalone-module", "layer1", "--non-traceable-class", "nets.Block",
                      "--non-traceable-module", "stem", "--preserve", "training")
        assert done.returncode == 0, done.stderr
        told = json.loads((folder / "told.json").read_text())
        assert {key: told[key] for key in told if key not in ("rows", "modules")} == {
            "standalone_module_name": ["layer1"], "non_traceable_module_class": ["nets.Block"],
            "non_traceable_module_name": ["stem"], "preserved_attributes": ["training"]}, told
        modules = {row["target"]: row["module"]["type"] for row in told["rows"] if "module" in row}
        assert modules == {"stem": "nn.Sequential", "layer1": "nets.Block", "layer2": "nets.Block",
                           "pool": "nn.AdaptiveAvgPool2d", "fc": "nn.Linear"}, modules
        assert list(told["modules"]) == ["layer1"], told["modules"]
        assert [row["target"] for row in told["modules"]["layer1"]] == [
            "x", "conv", "bn", "torch.add", "F.relu", "output"], told["modules"]
        explained = run(ctq, "explain", "--fx", folder / "told.json", "--backend", "fbgemm")
        assert explained.returncode == 0 and "layer2" in explained.stdout, explained.stderr
        for option, words in (("--non-traceable-class", "no module of the model is a no.Such"),
                              ("--standalone-module", "the model has no module no.Such"),
                              ("--preserve", "the model has no attribute no.Such")):
            failed = export(folder, "nets:net", "--input", "1,3,16,16", "-o", "x.json", option,
                            "no.Such")
            assert failed.returncode != 0 and words in failed.stderr, failed.stderr
        for model, inputs, words in (("nets:Counted", ["2,3"], "are other ones in a second trace"),
                                     ("nets:Sized", ["2,6:float32"], "indices"),
                                     ("nets:Sized", ["2,6:half"], "an input is of float32, int64 or bool, not of half"),
                                     ("nets:scripted", ["1,3,16,16"], "the model is a ScriptModule"),
                                     ("nets:Lazy", ["1,3"], "fc has uninitialized parameters; run the model once"),
                                     ("nets:Features", ["1,6"], "cannot trace this: there is no key 'fc'\nfc has a "
                                                                "forward hook, which torch.fx does not call"),
                                     ("nets:Kept", ["2,3,4", "2,3"], "if an input is a mask, add its type")):
            failed = export(folder, model, *(part for i in inputs for part in ("--input", i)), "-o", "x.json")
            assert failed.returncode != 0 and words in failed.stderr, failed.stderr
        if run(PYTHON, "-c", "import einops").returncode == 0:
            rows = rows_of(folder, "einops_nets:Patches", "einops.json", "1,3,8,8")
            assert [row["target"] for row in rows if row["op"].startswith("call_")] == [
                "reshape", "permute", "reshape", "fc", "reshape", "permute", "mean", "torch.unsqueeze", "expand",
                "reshape"], rows

        failed = export(folder, "nets:Untraceable", "--input", "1,3", "-o", "x.json")
        assert "return x if x.sum() > 0 else -x  # no number\ntorch.fx cannot trace this: " in failed.stderr
        assert "nets.py:" in failed.stderr and "Traceback" not in failed.stderr, failed.stderr
        for model, words in (("nets:Nothing", "Nothing"), ("nets", "module:name"),
                             ("nets:not_a_model", "not_a_model"), ("nets:Masked", "2 inputs")):
            failed = export(folder, model, "--input", "1,3", "-o", "x.json")
            assert failed.returncode != 0 and words in failed.stderr, failed.stderr
            assert "Traceback" not in failed.stderr, failed.stderr


main()
