# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that PyTorch's prepare_fx is told to treat apart: the names that a PrepareCustomConfig has."""

from fx_export.errors import NotExpressible
from fx_export.rows.row_format import class_name

KEYS = ("standalone_module_name", "standalone_module_class", "non_traceable_module_name",
        "non_traceable_module_class", "preserved_attributes")


class CustomConfig:
    """names: by key of PrepareCustomConfig, lists of names; other keys are left out."""

    def __init__(self, names=None):
        self.names = {key: list((names or {}).get(key) or ()) for key in KEYS}

    def leaves(self, model):
        """The paths and the classes of the modules that are one row. Raises NotExpressible if the model has not all."""
        paths = self.names["standalone_module_name"] + self.names["non_traceable_module_name"]
        classes = {class_name(type(m)): type(m) for m in model.modules()}
        wanted = self.names["standalone_module_class"] + self.names["non_traceable_module_class"]
        for name in wanted:
            if name not in classes:
                raise NotExpressible(f"no module of the model is a {name}")
        for path in paths:
            if not path or path not in dict(model.named_modules()):
                raise NotExpressible(f"the model has no module {path}")
        return paths, [classes[name] for name in wanted]

    def preserved(self):
        return self.names["preserved_attributes"]

    def check_preserved(self, model):
        for name in self.preserved():
            if not hasattr(model, name):
                raise NotExpressible(f"the model has no attribute {name}")

    def is_standalone(self, row):
        """Whether the module of a row is exported on its own, too."""
        return row["op"] == "call_module" and (
            row["target"] in self.names["standalone_module_name"] or
            row["module"]["type"] in self.names["standalone_module_class"])

    def given(self):
        """The keys that have names."""
        return {key: names for key, names in self.names.items() if names}
