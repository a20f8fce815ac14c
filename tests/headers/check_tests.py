#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unit tests lie as headers do: check_tests.py INCLUDE_DIRECTORY UNIT_TESTS

include/ctq/FOLDER/HEADER.hpp is tested by tests/unit/FOLDER/HEADER.cpp, which includes it before any
other header of ctq. kernels/reference/NAME.hpp is what the vector kernel of the same name is compared
with, in kernels/simd/FAMILY/NAME.cpp. A header that only includes others needs no test.

Prints headers without a test and tests without a header. What is meant to be so stands below.
"""

import pathlib
import re
import sys

# Headers without logic of their own, and what shows that they are right.
WITHOUT_LOGIC = {
    # Records, enumerations and interfaces.
    "evaluate/evaluation_options": "a record",
    "evaluate/float_ops/kernels/layer_functions": "a record",
    "core/version": "a number",
    "core/shapes/elementwise_shapes": "records",
    "core/shapes/function_shape": "a record",
    "graph/fx_row": "records",
    "kernels/epilogue": "records, which kernels/simd/epilogue gives a meaning",
    "kernels/tuning": "numbers",
    "runtime/converted_model": "a name for another type",
    "runtime/parameters": "a record",
    "spec/observation_type": "an enumeration with PyTorch's names, which tests/golden reads",
    # One comparison a function.
    "passes/fx_semantics": "tests/golden runs both releases",
    # Macros, and names for other types.
    "ops/backend_ops": "a list, which the backends would not compile without",
    "core/compiler_flags": "tests/integration/compiler_flags compiles with each flag",
    "kernels/baseline_warning": "tests/integration/baseline_warning.py compiles with many flags",
    "kernels/tuning_warning": "tests/integration/tuning_warning.py compiles with many flags",
    "kernels/simd/inline_by_flatten": "an attribute",
    "kernels/xsimd": "each vector kernel is made of it",
}

# Folders of the same kind.
FOLDERS_WITHOUT_LOGIC = {
    # tests/golden compares each row with PyTorch's backend configs.
    "backends": re.compile(r"backends/(\w+_configs|op_categories|rows)$"),
    # Rows and descriptors of ops: tests/golden has PyTorch's answers, evaluate/float_ops formulas,
    # graph/shape_rules the shapes.
    "ops": re.compile(r"ops/(arithmetic|attention|concatenations|convolution_shapes|convolutions|define_ops|"
                      r"embeddings|linear|norm_shapes|norms|op_descriptor|pass_ops|pools|recurrent|reductions|resizes|views)$"),
    # An instruction set's half of a header in kernels/simd, whose test runs on each of them.
    "arch": re.compile(r"kernels/simd/arch/"),
}

# Parts of one algorithm, which only a whole can call: the test that covers them.
TESTED_WITH = {
    "evaluate/dynamic_recurrent": "evaluate/recurrent_networks",
    "evaluate/kernels/kernel_runner": "evaluate/kernels/kernel_calls",
    "evaluate/float_ops/recurrent_steps": "evaluate/float_ops/recurrent",
    "kernels/axis_sums": "evaluate/float_ops/axis_sums",
    "kernels/kernel_code": "runtime/bind_kernels",
    "kernels/simd/matrix/product_panels": "kernels/simd/matrix/matmul_int8",
    "kernels/code/blocking_text": "runtime/step_text",
    "kernels/code/conv3d_layers": "kernels/simd/convolution/conv3d",
    "kernels/code/layers": "runtime/bind_kernels",
    "kernels/code/plain_kernels": "runtime/bind_kernels",
    "kernels/code/conv_transpose3d_layers": "kernels/simd/convolution/conv_transpose3d",
    "kernels/code/conv_transpose2d_layers": "kernels/simd/convolution/conv_transpose2d",
    "kernels/code/called_ops": "runtime/bind_kernels",
    "kernels/simd/convolution/with_method": "kernels/simd/convolution/conv2d",
    "kernels/code/without_weights": "runtime/bind_kernels",
    "kernels/code/weight_only_layers": "runtime/linear_networks",
    "runtime/compiled_kernels/compiled_executor": "runtime/compiled_kernels/compiled_model",
    "runtime/compiled_kernels/compiled_steps": "runtime/compiled_kernels/compiled_model",
    "runtime/compiled_kernels/define_kernel_set": "runtime/compiled_kernels/compiled_model",
    "runtime/compiled_kernels/kernel_set": "runtime/compiled_kernels/compiled_model",
    "core/reflect": "spec/reflect",
    "ops/op_members": "ops/describe",
    "train/check_trainable": "train/qat_model",
    "train/gradients/convolution_geometry": "train/gradients/convolution",
    "train/gradients/depthwise_convolution": "train/gradients/convolution",
    "train/lanes": "train/matrix_product",
    "train/node_state": "train/training_graph",
    "train/op_gradients": "train/training_graph",
    "train/parameter_view": "train/optimizers",
    "train/trained_qparams": "train/qat_model",
    "train/trained_tensor": "train/layer",
    "evaluate/user_call": "evaluate/user_op_with_weights",
    "io/gzip_reader": "io/idx",
    "kernels/gates": "kernels/simd/elementwise/recurrent_gates",
    "kernels/exponential": "kernels/simd/elementwise/exponential",
    "ops/view_strides": "ops/view_rules",
    "kernels/simd/convolution/column_input": "kernels/simd/convolution/column_slide",
    "kernels/simd/convolution/column_tile": "kernels/simd/convolution/depthwise_columns",
    "kernels/simd/convolution/depthwise": "kernels/simd/convolution/conv2d",
    "kernels/simd/elementwise/broadcast_blocks": "kernels/simd/elementwise/binary_broadcast",
    "kernels/simd/epilogue/epilogue_rows": "kernels/simd/epilogue/post_ops",
    "kernels/simd/matrix/panel_sweep": "kernels/simd/matrix/dense",
    "kernels/simd/matrix/register_tile": "kernels/simd/matrix/dense",
    "kernels/int4_weights": "kernels/simd/matrix/linear_weight_int4",
    "kernels/simd/matrix/tile_walk": "kernels/simd/matrix/tile_product",
    "kernels/reference/epilogue": "kernels/simd/epilogue/epilogue",
    "ops/reflect": "ops/options",
    "runtime/packing/pack_constants": "runtime/packing/pack_steps",
    "runtime/packing/parameter_sources": "runtime/quantize_parameters",
    "runtime/recurrent/recurrent_code": "evaluate/recurrent_networks",
    "runtime/recurrent/quantize_recurrent": "evaluate/recurrent_networks",
    "runtime/recurrent/recurrent_parameters": "evaluate/recurrent_networks",
    "runtime/recurrent/lstm_code": "evaluate/random_lstms",
    "runtime/recurrent/pack_static_lstm": "evaluate/random_lstms",
    "runtime/recurrent/static_lstm_layout": "evaluate/random_lstms",
    "runtime/int8_model": "runtime/quantized_model",
    "runtime/packing/op_parameters": "runtime/user_ops",
}

# Tests of several headers together, and what other tests are linked with.
WITHOUT_HEADER = {
    "amx_emulator", "doctest", "evaluate/embedding_networks", "evaluate/int4_networks", "evaluate/op_networks",
    "evaluate/random_case", "evaluate/random_lstms", "evaluate/random_models", "evaluate/random_scales", "evaluate/recurrent_networks",
    "evaluate/static_lstm_networks", "evaluate/transformer_block", "evaluate/user_op_with_weights", "kernels/any_shape",
    "kernels_elsewhere", "kernels/plain_loops", "kernels/simd/matrix/linear", "main", "ops/kernel_sizes", "ops/options",
    "ops_elsewhere", "passes/pytorch_complaints", "passes/random_graphs",
    "passes/static_and_dynamic", "runtime/convolution_networks", "runtime/user_ops",
    "runtime/functional_layers", "runtime/linear_networks", "runtime/standalone_networks",
    "train/trained_networks",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*"ctq/([^"]+)\.hpp"', re.MULTILINE)
CODE = re.compile(r"^(?!\s*(#|//|$))", re.MULTILINE)


def names_below(root, suffix):
    return {path.relative_to(root).with_suffix("").as_posix(): path
            for path in sorted(root.rglob("*" + suffix))}


def is_tested(header, tests):
    """By a test of its own, of the vector kernel of its name, or of what it is a part of."""
    by = TESTED_WITH.get(header, header)
    name = re.sub(r"^kernels/reference/(data_movement/|recurrent/)?", "", by)
    return by in tests or name != by and any(
        re.fullmatch(rf"kernels/simd/\w+/{name}", test) for test in tests)


def findings(headers, tests):
    exempt = [*WITHOUT_LOGIC, *TESTED_WITH]
    for header, path in headers.items():
        needs_none = (header in WITHOUT_LOGIC or not CODE.search(path.read_text())
                      or any(folder.match(header) for folder in FOLDERS_WITHOUT_LOGIC.values()))
        if not needs_none and not is_tested(header, tests):
            yield f"{header}.hpp has no test: tests/unit/{header}.cpp"
        if header in exempt and header in tests:
            yield f"{header}.hpp has a test and is listed as without one"
    for test, path in tests.items():
        if test in WITHOUT_HEADER:
            continue
        first = INCLUDE.search(path.read_text())
        if test not in headers:
            yield f"tests/unit/{test}.cpp is the test of no header"
        elif first is None or first[1] != test:
            yield f"tests/unit/{test}.cpp does not include ctq/{test}.hpp first"
    for name in exempt:
        if name not in headers:
            yield f"{name}.hpp is listed, but does not exist"
    for name in WITHOUT_HEADER - tests.keys():
        yield f"tests/unit/{name}.cpp is listed, but does not exist"


def main(include, unit):
    headers = names_below(pathlib.Path(include, "ctq"), ".hpp")
    tests = names_below(pathlib.Path(unit), ".cpp")
    wrong = list(findings(headers, tests))
    print(*wrong, f"{len(headers)} headers, {len(tests)} tests, {len(wrong)} findings", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
