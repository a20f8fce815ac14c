# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes files: rows as JSON, tensors as safetensors."""

import json
import os
import tempfile

import torch

from fx_export.errors import NotExpressible

SAFETENSORS = {torch.float32: "F32", torch.float64: "F64", torch.float16: "F16",
               torch.bfloat16: "BF16", torch.int64: "I64", torch.int32: "I32",
               torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8", torch.bool: "BOOL"}


def write_rows(path, content):
    """content: what Exporter.content() returns."""
    write_whole(path, f"{lines_of(content)}\n".encode())


def lines_of(content):
    """JSON with a line for each row and each key."""
    if isinstance(content, list):
        return "[\n" + ",\n".join(json.dumps(row) for row in content) + "\n]"
    if "rows" not in content:
        return "{" + ",\n".join(f"{json.dumps(path)}: {lines_of(inside)}"
                                for path, inside in content.items()) + "}"
    return "{" + ",\n".join(
        f"{json.dumps(key)}: {lines_of(value) if key in ('rows', 'modules') else json.dumps(value)}"
        for key, value in content.items()) + "}"


def write_safetensors(path, tensors):
    """tensors: by name."""
    header, blobs, end = {"__metadata__": {"format": "pt"}}, [], 0
    for name, tensor in tensors.items():
        if tensor.dtype not in SAFETENSORS:
            raise NotExpressible(f"{name} is a tensor of {tensor.dtype}")
        raw = tensor.contiguous().flatten().view(torch.uint8) if tensor.numel() else tensor
        blobs.append(raw.numpy().tobytes())
        begin, end = end, end + len(blobs[-1])
        header[name] = {"dtype": SAFETENSORS[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    write_whole(path, len(text).to_bytes(8, "little") + text + b"".join(blobs))


def write_whole(path, content):
    """Writes a file, which has all of the content afterwards, or stays as it was."""
    path = path.resolve()
    mode = path.stat().st_mode & 0o777 if path.exists() else None
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".export-")
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if mode is None:
            umask = os.umask(0)
            os.umask(umask)
            mode = 0o666 & ~umask
        os.chmod(beside, mode)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
