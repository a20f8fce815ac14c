# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dataclasses as dicts of their fields: many libraries return them."""

import dataclasses


def is_record(value):
    """Whether a value is a dataclass, as many libraries return."""
    return dataclasses.is_dataclass(value) and not isinstance(value, (type, dict))


def items_of(record):
    """The fields of a dataclass, without those that are None."""
    fields = {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
    return {name: value for name, value in fields.items() if value is not None}
