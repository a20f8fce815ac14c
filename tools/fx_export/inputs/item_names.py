# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of inputs that are items of arguments, --input batch.image=SHAPE, and the dicts and lists that forward()
takes."""

import inspect

from fx_export.errors import NotExpressible


def packed(names, inputs):
    """Inputs as forward() has them: a dict of those called batch.image and batch.mask, a list of xs.0 and xs.1. Items
    may have items: features.dense.0."""
    arguments, items = [], {}
    for name, x in zip(names, inputs):
        if name is None:
            arguments.append(x)
            continue
        parameter, *path, key = name.split(".")
        if parameter not in items:
            items[parameter] = {}
            arguments.append(items[parameter])
        inside = items[parameter]
        for part in path:
            inside = inside.setdefault(part, {})
        inside[key] = x
    return [with_lists(a) for a in arguments]


def is_list(items):
    """Whether keys of items are the numbers of a list."""
    return all(map(str.isdigit, items))


def with_lists(argument):
    """An argument, or an item of one, whose dicts of numbers are lists."""
    if not isinstance(argument, dict):
        return argument
    if is_list(argument):
        return [with_lists(argument[key]) for key in sorted(argument, key=int)]
    return {key: with_lists(item) for key, item in argument.items()}


def name_of_item(name):
    """The name of the node of an input: batch_image of batch.image."""
    return name.replace(".", "_")


def check_names(names, forward):
    """Raises NotExpressible if inputs of these names, or None, are not arguments of forward()."""
    check_order(names, [p.name for p in inspect.signature(forward).parameters.values()
                        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)])
    check_items(list(filter(None, names)))


def check_order(names, parameters):
    """Raises NotExpressible if an input is not given where forward() has its parameter."""
    position, before = -1, None
    for name in names:
        parameter = name and name.partition(".")[0]
        position += parameter is None or parameter != before
        before = parameter
        if parameter is not None and parameter not in parameters[position:position + 1]:
            found = parameters[position] if position < len(parameters) else "no more parameters"
            raise NotExpressible(f"--input {name} is given where forward() has {found}; give inputs in the order of "
                                 f"its parameters, {', '.join(parameters)}, and the items of one together")


def check_items(names):
    """Raises NotExpressible if an item is given twice, or is a tensor and has items, too."""
    keys = {}  # by name of a dict or a list
    nodes = {}  # name by that of its node
    for at, name in enumerate(names):
        if name in names[:at]:
            raise NotExpressible(f"--input {name} is given twice")
        other = nodes.setdefault(name_of_item(name), name)
        if other != name:
            raise NotExpressible(f"--input {other} and {name} have one name in rows, {name_of_item(name)}")
        path, *parts = name.split(".")
        for key in parts:
            keys.setdefault(path, {})[key] = name
            path += f".{key}"
    for path, inside in keys.items():
        if path in names:
            raise NotExpressible(f"--input {path} is one tensor, and has an item, {next(iter(inside.values()))}; give "
                                 "a dict or a list by its items alone")
        if is_list(inside) and sorted(map(int, inside)) != list(range(len(inside))):
            raise NotExpressible(f"the items of {path} have the numbers {', '.join(inside)}; those of a list are "
                                 f"{', '.join(map(str, range(len(inside))))}")
