// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/explain/explanation_text.hpp"

#include "ctq/backends/dtype_configs.hpp"

using namespace ctq;

namespace {

template <class Config>
constexpr auto text_of() {
  static_text<80> text;
  explaining::dtype_config(text, Config::value);
  return text;
}

}  // namespace

constexpr auto quoted(std::string_view text) {
  static_text<80> out;
  explaining::quoted(out, text);
  return out;
}
static_assert(quoted("a.b").view() == "\"a.b\"");
static_assert(quoted("a\"b\\c\n").view() == "\"a\\\"b\\\\c\\u000a\"");

static_assert(explaining::short_name(nn::conv2d.id()) == "Conv2d");
static_assert(explaining::short_name(op::add.id()) == "add");

using dtypes = dtype_config<input_dtype<dtype_with_constraints<quint8>>,
                            output_dtype<dtype_with_constraints<quint8>>,
                            weight_dtype<dtype_with_constraints<qint8>>, bias_dtype<f32>>;
static_assert(text_of<dtypes>().view() == "quint8/quint8/qint8/float32");
static_assert(text_of<dtype_config<input_dtype<dtype_with_constraints<quint8>>>>().view() ==
              "quint8/-/-/-");
