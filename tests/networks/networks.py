# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks, as PyTorch code. A function of no arguments for each gives a torch.nn.Module.

Vision models are torchvision's own; the others are written as their users write them. NETWORKS has the
functions with the shapes of their inputs. Weights are random, and made so that the errors of integers
grow from layer to layer as little as in a trained network: batch norms have the statistics of what
passes through them, and shift it by about its standard deviation, so that most values pass the
activations. Normally distributed around 0, half of them would not, and after fifty layers the
signal is hardly larger than the errors, whoever rounds.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn


class ConvBlock(nn.Sequential):
    """Two convolutions of U-Net."""

    def __init__(self, inputs, outputs):
        super().__init__(
            nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
            nn.Conv2d(outputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True))


class Up(nn.Module):
    """Twice the size, then what was there before the size was halved."""

    def __init__(self, inputs, outputs, bilinear):
        super().__init__()
        self.up = (nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True) if bilinear
                   else nn.ConvTranspose2d(inputs, inputs // 2, kernel_size=2, stride=2))
        self.conv = ConvBlock(inputs if not bilinear else inputs + outputs, outputs)

    def forward(self, x, skip):
        return self.conv(torch.cat([skip, self.up(x)], dim=1))


class UNet(nn.Module):
    def __init__(self, channels=3, classes=2, width=16, bilinear=False):
        super().__init__()
        self.inc = ConvBlock(channels, width)
        self.down1 = nn.Sequential(nn.MaxPool2d(2), ConvBlock(width, 2 * width))
        self.down2 = nn.Sequential(nn.MaxPool2d(2), ConvBlock(2 * width, 4 * width))
        self.down3 = nn.Sequential(nn.MaxPool2d(2), ConvBlock(4 * width, 8 * width))
        self.up1 = Up(8 * width, 4 * width, bilinear)
        self.up2 = Up(4 * width, 2 * width, bilinear)
        self.up3 = Up(2 * width, width, bilinear)
        self.outc = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down1(x1)
        x3 = self.down2(x2)
        x4 = self.down3(x3)
        x = self.up1(x4, x3)
        x = self.up2(x, x2)
        x = self.up3(x, x1)
        return self.outc(x)


class VolumeBlock(nn.Sequential):
    """A convolution of volumes."""

    def __init__(self, convolution, inputs, outputs, *args, **options):
        super().__init__(convolution(inputs, outputs, *args, **options), nn.BatchNorm3d(outputs),
                         nn.ReLU(inplace=True))


class VNet(nn.Module):
    """V-Net's form: volumes halved and doubled along three axes, and sums around convolutions."""

    def __init__(self, channels=1, classes=2, width=8):
        super().__init__()
        self.inc = VolumeBlock(nn.Conv3d, channels, width, 5, padding=2)
        self.down1 = VolumeBlock(nn.Conv3d, width, 2 * width, 2, stride=2)
        self.conv1 = VolumeBlock(nn.Conv3d, 2 * width, 2 * width, 3, padding=1)
        self.down2 = VolumeBlock(nn.Conv3d, 2 * width, 4 * width, 2, stride=2)
        self.conv2 = VolumeBlock(nn.Conv3d, 4 * width, 4 * width, 3, padding=1)
        self.up1 = VolumeBlock(nn.ConvTranspose3d, 4 * width, 2 * width, 2, stride=2)
        self.up2 = VolumeBlock(nn.ConvTranspose3d, 4 * width, width, 3, stride=2, padding=1, output_padding=1)
        self.outc = nn.Conv3d(2 * width, classes, 1)

    def forward(self, x):
        whole = self.inc(x)
        half = self.down1(whole)
        half = self.conv1(half) + half
        quarter = self.down2(half)
        quarter = self.conv2(quarter) + quarter
        x = self.up1(quarter)
        x = self.up2(torch.cat([x, half], dim=1))
        return self.outc(torch.cat([x, whole], dim=1))


class DsCnn(nn.Module):
    """DS-CNN-S of MLPerf Tiny: keyword spotting on 49 x 10 cepstral coefficients."""

    def __init__(self, width=64, blocks=4, classes=12):
        super().__init__()
        layers = [nn.Conv2d(1, width, (10, 4), stride=(2, 2), padding=(5, 1), bias=False),
                  nn.BatchNorm2d(width), nn.ReLU(), nn.Dropout(0.2)]
        for _ in range(blocks):
            layers += [nn.Conv2d(width, width, 3, padding=1, groups=width, bias=False),
                       nn.BatchNorm2d(width), nn.ReLU(),
                       nn.Conv2d(width, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
        self.features = nn.Sequential(*layers)
        self.dropout = nn.Dropout(0.4)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(width, classes)

    def forward(self, x):
        x = self.dropout(self.features(x))
        x = self.pool(x)
        return self.fc(torch.flatten(x, 1))


class KeywordSpotter(nn.Module):
    """M5 on raw audio, narrow: one-dimensional convolutions, batch norms, pools."""

    def __init__(self, width=16, classes=10):
        super().__init__()
        self.conv1 = nn.Conv1d(1, width, kernel_size=16, stride=4)
        self.bn1 = nn.BatchNorm1d(width)
        self.pool1 = nn.MaxPool1d(4)
        self.conv2 = nn.Conv1d(width, width, kernel_size=3)
        self.bn2 = nn.BatchNorm1d(width)
        self.pool2 = nn.MaxPool1d(4)
        self.conv3 = nn.Conv1d(width, 2 * width, kernel_size=3)
        self.bn3 = nn.BatchNorm1d(2 * width)
        self.fc1 = nn.Linear(2 * width, classes)

    def forward(self, x):
        x = self.pool1(F.relu(self.bn1(self.conv1(x))))
        x = self.pool2(F.relu(self.bn2(self.conv2(x))))
        x = F.relu(self.bn3(self.conv3(x)))
        x = F.avg_pool1d(x, 12)
        x = x.permute(0, 2, 1)
        return torch.flatten(self.fc1(x), 1)


class Recurrent(nn.Module):
    """The last of the outputs of an LSTM or a GRU, classified."""

    def __init__(self, kind, features=16, hidden=32, classes=5, layers=1):
        super().__init__()
        self.rnn = kind(features, hidden, num_layers=layers, batch_first=True)
        self.fc = nn.Linear(hidden, classes)

    def forward(self, x):
        y = self.rnn(x)[0]
        return self.fc(y[:, -1])


class BertLayer(nn.Module):
    """A layer of BERT's encoder: Hugging Face's BertLayer, in evaluation mode, without a mask."""

    def __init__(self, hidden=768, heads=12, intermediate=3072):
        super().__init__()
        self.heads, self.size = heads, hidden // heads
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, hidden)
        self.dense = nn.Linear(hidden, hidden)
        self.norm1 = nn.LayerNorm(hidden, eps=1e-12)
        self.intermediate = nn.Linear(hidden, intermediate)
        self.output = nn.Linear(intermediate, hidden)
        self.norm2 = nn.LayerNorm(hidden, eps=1e-12)
        self.dropout = nn.Dropout(0.1)

    def transpose_for_scores(self, x):
        new_x_shape = x.size()[:-1] + (self.heads, self.size)
        x = x.view(new_x_shape)
        return x.permute(0, 2, 1, 3)

    def forward(self, hidden_states):
        key = self.transpose_for_scores(self.key(hidden_states))
        value = self.transpose_for_scores(self.value(hidden_states))
        query = self.transpose_for_scores(self.query(hidden_states))
        scores = torch.matmul(query, key.transpose(-1, -2))
        scores = scores / math.sqrt(self.size)
        probs = nn.functional.softmax(scores, dim=-1)
        probs = self.dropout(probs)
        context = torch.matmul(probs, value)
        context = context.permute(0, 2, 1, 3).contiguous()
        new_context_shape = context.size()[:-2] + (self.heads * self.size,)
        context = context.view(new_context_shape)
        x = self.norm1(self.dropout(self.dense(context)) + hidden_states)
        y = nn.functional.gelu(self.intermediate(x))
        return self.norm2(self.dropout(self.output(y)) + x)


class Attention(nn.Module):
    """timm's, as ViT-Ti has it."""

    def __init__(self, dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        head_dim = dim // num_heads
        self.scale = head_dim ** -0.5
        self.qkv = nn.Linear(dim, dim * 3)
        self.attn_drop = nn.Dropout(0.0)
        self.proj = nn.Linear(dim, dim)
        self.proj_drop = nn.Dropout(0.0)

    def forward(self, x):
        B, N, C = x.shape[0], x.shape[1], x.shape[2]
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        attn = (q @ k.transpose(-2, -1)) * self.scale
        attn = attn.softmax(dim=-1)
        attn = self.attn_drop(attn)
        x = (attn @ v).transpose(1, 2).reshape(B, N, C)
        x = self.proj(x)
        return self.proj_drop(x)


class Mlp(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.fc1 = nn.Linear(features, hidden)
        self.act = nn.GELU()
        self.fc2 = nn.Linear(hidden, features)

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))


class VitBlock(nn.Module):
    def __init__(self, dim=192, num_heads=3):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim, eps=1e-6)
        self.attn = Attention(dim, num_heads)
        self.norm2 = nn.LayerNorm(dim, eps=1e-6)
        self.mlp = Mlp(dim, dim * 4)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        x = x + self.mlp(self.norm2(x))
        return x


class VitEncoderBlock(nn.Module):
    """torchvision's EncoderBlock: its attention is PyTorch's module, which stays in float."""

    def __init__(self, hidden=192, heads=3):
        super().__init__()
        self.ln_1 = nn.LayerNorm(hidden, eps=1e-6)
        self.self_attention = nn.MultiheadAttention(hidden, heads, batch_first=True)
        self.dropout = nn.Dropout(0.0)
        self.ln_2 = nn.LayerNorm(hidden, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Dropout(0.0),
                                 nn.Linear(4 * hidden, hidden), nn.Dropout(0.0))

    def forward(self, input):
        x = self.ln_1(input)
        x, _ = self.self_attention(x, x, x, need_weights=False)
        x = self.dropout(x)
        x = x + input
        return x + self.mlp(self.ln_2(x))


class SentenceEncoder(nn.Module):
    """PyTorch's encoder of words, the layers of which stay in float as a whole, and a classifier."""

    def __init__(self, words=200, hidden=64, heads=4, classes=4):
        super().__init__()
        self.embedding = nn.Embedding(words, hidden)
        self.position = nn.Parameter(torch.randn(1, 20, hidden))
        layer = nn.TransformerEncoderLayer(hidden, heads, 4 * hidden, batch_first=True,
                                           activation="gelu", norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(hidden))
        self.fc = nn.Linear(hidden, classes)

    def forward(self, text):
        x = self.embedding(text) + self.position
        return self.fc(self.encoder(x).mean(dim=1))


class CausalBlock(nn.Module):
    """A block of minGPT: attention to what is before, which a mask in a buffer says."""

    def __init__(self, hidden, heads, length):
        super().__init__()
        self.heads, self.length = heads, length
        self.ln_1 = nn.LayerNorm(hidden)
        self.c_attn = nn.Linear(hidden, 3 * hidden)
        self.c_proj = nn.Linear(hidden, hidden)
        self.ln_2 = nn.LayerNorm(hidden)
        self.mlp = nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden))
        mask = torch.tril(torch.ones(length, length))
        self.register_buffer("bias", mask.view(1, 1, length, length))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(self.ln_1(x)).chunk(3, dim=2)
        k = k.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        q = q.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        v = v.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * 0.25
        att = att.masked_fill(self.bias == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        x = x + self.c_proj(y)
        return x + self.mlp(self.ln_2(x))


class Decoder(nn.Module):
    """minGPT with sentences of one length, whose positions are constants."""

    def __init__(self, words=200, hidden=64, heads=4, length=16):
        super().__init__()
        self.length = length
        self.wte = nn.Embedding(words, hidden)
        self.wpe = nn.Embedding(length, hidden)
        self.h = nn.Sequential(CausalBlock(hidden, heads, length), CausalBlock(hidden, heads, length))
        self.ln_f = nn.LayerNorm(hidden)
        self.head = nn.Linear(hidden, words, bias=False)

    def forward(self, text):
        x = self.wte(text) + self.wpe(torch.arange(self.length))
        return self.head(self.ln_f(self.h(x)))


class KeyPoints(nn.Module):
    """Places in an image as the means of heat maps."""

    def __init__(self, points=5, size=16):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU6(),
            nn.Conv2d(16, 16, 3, padding=1, groups=16), nn.Conv2d(16, points, 1))
        self.register_buffer("steps", torch.linspace(-1, 1, size))

    def forward(self, x):
        maps = self.features(x)
        n, points, height, width = maps.shape
        maps = F.softmax(maps.view(n, points, -1), dim=-1).view(n, points, height, width)
        x = torch.einsum("npyx,x->np", maps, self.steps)
        y = (maps.sum(dim=3) * self.steps).sum(dim=-1)
        return torch.stack([x, y], dim=-1)


class Crnn(nn.Module):
    """Text in images: columns of what convolutions give are the steps of an LSTM."""

    def __init__(self, classes=11):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d((2, 1)))
        self.rnn = nn.LSTM(32 * 8, 32, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(64, classes)

    def forward(self, x):
        x = self.cnn(x)
        n, c, h, w = x.shape
        x = x.permute(0, 3, 1, 2).reshape(n, w, c * h)
        x, _ = self.rnn(x)
        return F.log_softmax(self.fc(x), dim=2)


class EmbeddingClassifier(nn.Module):
    """PyTorch's tutorial of text classification, with sentences of equal length."""

    def __init__(self, words=200, size=16, classes=4):
        super().__init__()
        self.embedding = nn.EmbeddingBag(words, size)
        self.fc = nn.Linear(size, classes)

    def forward(self, text):
        return self.fc(self.embedding(text))


class TwoInputsTwoOutputs(nn.Module):
    """A detector's head: boxes scaled with the size of the image, and scores."""

    def __init__(self, width=8):
        super().__init__()
        self.conv = nn.Conv2d(3, width, 3, stride=2, padding=1)
        self.box = nn.Conv2d(width, 4, 1)
        self.score = nn.Linear(width, 3)

    def forward(self, image, size):
        x = F.relu(self.conv(image))
        boxes = self.box(x) * size
        scores = self.score(x.mean([2, 3]))
        return boxes, scores


def torchvision_model(name, **options):
    """torchvision's model of that name with random weights. A depth that is random in training keeps
    its call in the graph, so the models are traced as they are for inference."""
    from torchvision import models  # only where it is needed: the other networks do without
    return lambda: getattr(models, name)(weights=None, **options)


# By name: what builds the model and the shapes of its inputs.
NETWORKS = {
    "keyword_spotter": (KeywordSpotter, [(1, 1, 1000)]),
    "ds_cnn": (DsCnn, [(1, 1, 49, 10)]),
    "two_inputs": (TwoInputsTwoOutputs, [(1, 3, 16, 16), (1, 4, 1, 1)]),
    "unet": (UNet, [(1, 3, 32, 32)]),
    "unet_bilinear": (lambda: UNet(bilinear=True), [(1, 3, 32, 32)]),
    "vnet": (VNet, [(1, 1, 8, 16, 16)]),
    "resnet18": (torchvision_model("resnet18"), [(1, 3, 64, 64)]),
    "resnet50": (torchvision_model("resnet50"), [(1, 3, 64, 64)]),
    "mobilenet_v2": (torchvision_model("mobilenet_v2"), [(1, 3, 64, 64)]),
    "mobilenet_v3_small": (torchvision_model("mobilenet_v3_small"), [(1, 3, 64, 64)]),
    "mobilenet_v3_large": (torchvision_model("mobilenet_v3_large"), [(1, 3, 64, 64)]),
    "efficientnet_b0": (torchvision_model("efficientnet_b0"), [(1, 3, 64, 64)]),
    "convnext_tiny": (torchvision_model("convnext_tiny"), [(1, 3, 64, 64)]),
    "bert_layer": (BertLayer, [(1, 32, 768)]),
    "vit_block": (VitBlock, [(1, 50, 192)]),
    "vit_encoder_block": (VitEncoderBlock, [(1, 50, 192)]),
    "lstm": (lambda: Recurrent(nn.LSTM), [(1, 20, 16)]),
    "gru": (lambda: Recurrent(nn.GRU), [(1, 20, 16)]),
    "embedding_bag": (EmbeddingClassifier, [(1, 12)]),
    "sentence_encoder": (SentenceEncoder, [(1, 20)]),
    "decoder": (Decoder, [(1, 16)]),
    "key_points": (KeyPoints, [(1, 3, 32, 32)]),
    "crnn": (Crnn, [(1, 1, 32, 40)]),
    "swin_t": (torchvision_model("swin_t"), [(1, 3, 64, 64)]),
}

OF_TORCHVISION = [name for name in NETWORKS
                  if name.startswith(("resnet", "mobilenet", "efficientnet", "convnext", "swin"))]
# Networks whose input is indices, and how many there are.
INDICES = {"embedding_bag": 200, "sentence_encoder": 200, "decoder": 200}


def inputs_of(name, generator):
    """One input of the network: normally distributed values, or indices."""
    if name in INDICES:
        return [torch.randint(0, INDICES[name], shape, generator=generator)
                for shape in NETWORKS[name][1]]
    return [torch.randn(shape, generator=generator) for shape in NETWORKS[name][1]]


def build(name, seed=0):
    """The network with random weights, in evaluation mode."""
    torch.manual_seed(seed)
    make, shapes = NETWORKS[name]
    model = make()
    generator = torch.Generator().manual_seed(seed + 1)
    norms = [m for m in model.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        nn.init.uniform_(norm.weight, 0.8, 1.2)
        nn.init.uniform_(norm.bias, 0.8, 1.2)
        norm.momentum = None  # the mean of all batches
    for parameter_name, parameter in model.named_parameters():
        if parameter_name.endswith("layer_scale"):
            nn.init.uniform_(parameter, 0.1, 1.0)
    if norms:
        for module in model.modules():
            module.training = module in norms
        with torch.no_grad():
            for _ in range(2):
                model(*[torch.randn((16, *shape[1:]), generator=generator) for shape in shapes])
        for norm in norms:
            norm.momentum = 0.1
    return model.eval()


def __getattr__(name):
    """networks:mobilenet_v2, as tools/export_fx.py asks for a model."""
    if name not in NETWORKS:
        raise AttributeError(name)
    return lambda: build(name)
