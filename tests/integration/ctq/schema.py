#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The JSON Schemas are about what ctq reads: schema.py SOURCE_ROOT

Their keys are those of the reader and of the records it fills. If the package jsonschema is there,
PyTorch's backends are valid by them, and broken specs are not.
"""

import json
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
backend = json.loads((root / "tools/schema/backend_config.schema.json").read_text())
mapping = json.loads((root / "tools/schema/qconfig_mapping.schema.json").read_text())

custom = json.loads((root / "tools/schema/custom_config.schema.json").read_text())


def keys(schema):
    return list(schema["properties"])


def source(header):
    return (root / "include/ctq" / header).read_text()


def list_in(header, name):
    """The strings of constexpr std::string_view NAME[] = {...}."""
    found = re.search(rf"string_view {name}\[\w*\] = \{{(.*?)\}};", source(header), re.DOTALL)
    return re.findall(r'"(\w*)"', found[1])


def fields(record, header="spec/reflect.hpp"):
    """The members of a record that Hana reflects."""
    found = re.search(rf"BOOST_HANA_ADAPT_STRUCT\(ctq::{record},(.*?)\);", source(header),
                      re.DOTALL)
    return re.findall(r"\w+", found[1])


def observers(schema):
    """The classes that the pattern for class knows."""
    pattern = schema["$defs"]["observer"]["properties"]["class"]["pattern"]
    return sorted(re.search(r"\(([A-Z][\w|]*)\)\$$", pattern)[1].split("|"))


definitions = backend["$defs"]
assert keys(definitions["config"]) == fields("json::config_draft", "json/draft.hpp")
assert keys(definitions["dtype_config"]) == fields("dtype_config_record")
assert keys(definitions["constraints"]["oneOf"][1]) == fields("dtype_with_constraints_record")
assert keys(definitions["config"]["properties"]["input_type_to_index"]) == \
    fields("input_index_record")
assert keys(mapping) == ["$schema", "", *list_in("json/read_mapping.hpp", "keys")]
assert keys(custom) == ["$schema", "ops", *list_in("json/custom_config/read.hpp", "keys")]
assert keys(custom["$defs"]["prepare"]) == [
    key for key in list_in("json/custom_config/read.hpp", "keys") if "quantized_custom" not in key]
known = sorted(set(re.findall(r'"(\w+(?:Observer|Quantize))"', source("spec/observer.hpp"))))
for schema in (backend, mapping):
    assert keys(schema["$defs"]["observer"]) == ["class", "observer", *fields("observer_args")]
    assert observers(schema) == known

try:
    import jsonschema
except ImportError:
    print("the keys agree; no jsonschema, nothing validated")
    sys.exit()

validators = [jsonschema.Draft202012Validator(schema) for schema in (backend, mapping, custom)]
for validator in validators:
    validator.check_schema(validator.schema)
for table in (root / "tests/golden/data/torch_2_1/backend_configs").glob("*.json"):
    validators[0].validate(json.loads(table.read_text()))
# What is wrong with the form of a spec is wrong by the schema, too.
FORM = ["unknown_key", "unknown_value_dtype", "unknown_value_observation", "missing_key",
        "wrong_type", "pattern_form_both", "pattern_form_empty", "node_path_empty", "too_many",
        "input_index_negative", "mapping_unknown_key", "mapping_missing", "mapping_unknown_observer"]
validators[2].validate({"standalone_module_name": [["a", {}, [], {"input_quantized_idxs": [0]}, "x86"]],
                        "float_to_observed_custom_module_class": {"static": {"a.B": "a.C"}},
                        "ops": [{"name": "a.B", "kind": "module"}], "preserved_attributes": ["x"]})
for wrong in ({"input_quantized_idxs": [-1]}, {"standalone_module_name": [["a"]]}, {"names": []},
              {"standalone_module_class": [["a", None, None, {"ops": []}, None]]}):
    assert not validators[2].is_valid(wrong), wrong
for file in (root / "tests/fail/json").glob("*.json"):
    if file.stem.startswith(tuple(FORM)):
        validator = validators[file.stem.startswith("mapping_")]
        assert not validator.is_valid(json.loads(file.read_text())), f"{file.name} is valid"
print("the keys agree; PyTorch's backends are valid, broken specs are not")
