# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the objects of PyTorch are called, for the exporters."""


def names_in(spaces, is_named):
    """id of an object -> its name. The first of the modules that has an object names it, and its own name rather than
    an alias: operator.concat is operator.add's neighbour under another name.

    spaces: a prefix and a module each, which live as long as their objects, so that ids are unique.
    is_named: of a name and a value, whether the value is asked for."""
    names = {}
    for prefix, space in spaces:
        for name, value in sorted(vars(space).items()):
            if not callable(value) or not is_named(name, value):
                continue
            own = getattr(value, "__name__", None) == name
            known = names.get(id(value))
            if known is None or (own and not known[1]):
                names[id(value)] = (f"{prefix}.{name}", own)
    return {key: name for key, (name, _) in names.items()}
