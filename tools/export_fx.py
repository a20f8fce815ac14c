#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model of PyTorch as rows of torch.fx: export_fx.py MODEL --input 1,3,224,224 -o NAME.json

MODEL is module:function, module:class or module:object: what gives, or is, a torch.nn.Module. It is
traced as prepare_fx traces it, with FloatFunctional swapped for its FX version, in evaluation mode.
Writes the rows, which `ctq import --fx` and `ctq explain --fx` read, and the weights beside them,
NAME.safetensors. One --input for each input of the model: its shape. Runs with the Python that has
PyTorch, 1.13 to 2.x.

--qat MODULE:NAME names the same model after prepare_qat_fx and training, before convert_fx. The weights
are those of the trained model, by the names of MODEL, and NAME.qparams.safetensors has the scales and
zero points that convert_fx would take, of activations and of weights.

Calls that change tensors in place, and those that ctq has no op for, are written with others. The package
fx_export, beside this file, does all this; its docstring says what is where.

What constant integers and attributes decide, such as an embedding of positions or a mask, is one
attribute, of the name of the call, and so is a weight that is computed of parameters.
nn.TransformerEncoder and its like are a row for each layer; with masks that inputs decide, they are the
calls that they make. Parameters of the model with a default value are not inputs, but for those that an
--input is given for.

Modules that a PrepareCustomConfig names are one row: standalone ones, whose own
rows follow, and those that it does not trace into. Classes are called as rows do: my.models.Block.
"""

import argparse
import importlib
import operator
import os
import sys
from pathlib import Path

try:
    import torch
except ImportError:
    sys.exit(f"{sys.argv[0]}: needs PyTorch; run it with the Python that has it")

sys.path.insert(0, str(Path(__file__).resolve().parent))
from fx_export.errors import NotExpressible
from fx_export.exporter import Exporter
from fx_export.files import write_rows, write_safetensors
from fx_export.weights.trained_model import TrainedModel

# By option: the key of PrepareCustomConfig that it fills, and its help.
CUSTOM = {
    "--standalone-module": ("standalone_module_name", "PATH", "a module that is prepared on its own"),
    "--standalone-class": ("standalone_module_class", "CLASS", "the class of such modules"),
    "--non-traceable-module": ("non_traceable_module_name", "PATH", "a module that is not traced into"),
    "--non-traceable-class": ("non_traceable_module_class", "CLASS", "the class of such modules"),
    "--preserve": ("preserved_attributes", "NAME", "an attribute of the model that prepare keeps"),
}


def find_object(name):
    """The object that module:attribute names."""
    path, _, attribute = name.partition(":")
    if not attribute:
        raise NotExpressible(f"{name} is not of the form module:name")
    sys.path.insert(0, os.getcwd())
    try:
        return operator.attrgetter(attribute)(importlib.import_module(path))
    except (ImportError, AttributeError) as e:
        raise NotExpressible(f"{name}: {e}") from e


def find_model(name):
    """The module that module:attribute is, or gives when it is called."""
    found = find_object(name)
    given = isinstance(found, torch.nn.Module) or not callable(found)
    model = found if given else found()
    if not isinstance(model, torch.nn.Module):
        raise NotExpressible(f"{name} gives {model!r:.60}, which is no torch.nn.Module")
    return model


def shape(text):
    """What an --input gives: the shape, the type or None, the name or None."""
    name, equals, text = text.rpartition("=")
    if equals and ("." not in name or not all(name.split("."))):
        raise argparse.ArgumentTypeError(f"{name} is not of the form batch.image, an item of an argument")
    extents, colon, dtype = text.partition(":")
    if colon and dtype not in ("float32", "int64", "bool"):
        raise argparse.ArgumentTypeError(f"an input is of float32, int64 or bool, not of {dtype or 'no type'}")
    return (tuple(int(extent) for extent in extents.split(",")),
            getattr(torch, dtype) if colon else None, name or None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", metavar="MODEL", help="module:function, module:class or :object")
    parser.add_argument("--input", type=shape, action="append", required=True, metavar="SHAPE",
                        help="of one input, 1,3,224,224; repeat it for each. Its type may follow, "
                             "1,64:int64, float32 or bool, for a model that asks for it; a name stands before it if "
                             "an argument is a dict or a list of inputs, batch.image=1,3,8,8 or images.0=1,3,8,8, "
                             "and in those there may be more, batch.images.0=1,3,8,8")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="NAME.json")
    parser.add_argument("--qat", metavar="MODULE:NAME",
                        help="the same model as prepare_qat_fx returned it, trained")
    parser.add_argument("--backend", metavar="MODULE:NAME",
                        help="the BackendConfig of prepare_qat_fx, if it was given one")
    parser.add_argument("--no-weights", action="store_true", help="only the rows")
    for option, (key, metavar, what) in CUSTOM.items():
        parser.add_argument(option, dest=key, action="append", metavar=metavar,
                            help=what + "; repeat it for each")
    parser.add_argument("--user-op", action="append", metavar="my.FUNCTION",
                        help="an op of your own, a function given to torch.fx.wrap; others are traced into; repeat it "
                             "for each")
    arguments = parser.parse_args()
    try:
        trained = None
        if arguments.qat is not None:
            backend = None if arguments.backend is None else find_object(arguments.backend)
            trained = TrainedModel(find_model(arguments.qat), backend() if callable(backend) else backend)
        shapes, dtypes, names = zip(*arguments.input)
        exporter = Exporter(find_model(arguments.model), shapes, vars(arguments), trained, dtypes, names)
        content = exporter.content()
        write_rows(arguments.output, content)
        if not arguments.no_weights:
            write_safetensors(arguments.output.with_suffix(".safetensors"), exporter.weights())
        if trained is not None:
            write_safetensors(arguments.output.with_suffix(".qparams.safetensors"),
                              trained.qparams())
    except (NotExpressible, OSError) as e:
        sys.exit(f"export_fx.py: {e}")


if __name__ == "__main__":
    main()
