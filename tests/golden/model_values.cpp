// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace golden {
namespace {

ctq::dtype dtype_named(const std::string& name) {
  for (const ctq::dtype d : {ctq::quint8, ctq::qint8, ctq::qint32, ctq::quint4x2})
    if (name == name_of(d)) return d;
  throw malformed("unknown dtype " + name);
}

/// The real numbers of a value; false if it holds anything else.
bool append_floats(const ctq::float_ops::value& v, std::vector<ctq::float_ops::tensor>& to) {
  if (const auto* t = v.get_if<ctq::float_ops::tensor>()) {
    to.push_back(*t);
    return true;
  }
  const auto* items = v.get_if<ctq::float_ops::list>();
  return items != nullptr && std::all_of(items->begin(), items->end(),
                                         [&](const auto& item) { return append_floats(item, to); });
}

void append_wanted(const suite_file& file, const json& j, std::vector<ctq::float_ops::tensor>& to) {
  if (j.is_array() || (j.is_object() && !j.contains("t") && !j.contains("q"))) {
    for (const json& item : j) append_wanted(file, item, to);
  } else {
    append_floats(value_from(file, j).real(), to);
  }
}

}  // namespace

ctq::node_value value_from(const suite_file& file, const json& j) {
  if (j.contains("q")) {
    const tensor q = file.read(j.at("q"));
    return ctq::quantized_tensor{tensor_qparams_from(file, dtype_named(j.at("dtype")), -1,
                                                     j.at("scale"), j.at("zero_point")),
                                 q.shape,
                                 std::vector<std::int32_t>(q.values.begin(), q.values.end())};
  }
  const tensor t = file.read(j);
  if (t.dtype == "f32" || t.dtype == "f64") return ctq::float_ops::tensor{t.shape, t.floats()};
  ctq::float_ops::index_tensor indices{t.shape, {}};
  for (const double v : t.values) indices.data.push_back(static_cast<std::int64_t>(v));
  return ctq::node_value(ctq::float_ops::value(std::move(indices)));
}

std::vector<ctq::node_value> values_from(const suite_file& file, const json& list) {
  std::vector<ctq::node_value> values;
  for (const json& j : list) values.push_back(value_from(file, j));
  return values;
}

ctq::module_state modules_from(const suite_file& file, const json& params) {
  ctq::module_state modules;
  for (const auto& [name, j] : params.items()) modules.set_tensor(name, value_from(file, j).real());
  return modules;
}

const ctq::float_ops::tensor* tensor_at(const ctq::module_state& modules, const std::string& path) {
  const ctq::float_ops::value* const v = modules.find(path);
  return v == nullptr ? nullptr : v->get_if<ctq::float_ops::tensor>();
}

ctq::tensor_qparams tensor_qparams_from(const suite_file& file, ctq::dtype dtype, int axis,
                                        const json& scale, const json& zero_point) {
  ctq::tensor_qparams s{dtype, axis, file.numbers(scale), {}, {}};
  const bool real = zero_point.is_object() && zero_point.at("t").at(0) == "f32";
  for (const double z : file.numbers(zero_point))
    if (real)
      s.float_zero_point.push_back(static_cast<float>(z));
    else
      s.zero_point.push_back(static_cast<std::int32_t>(z));
  return s;
}

std::string output_difference::words() const {
  if (!problem.empty()) return problem;
  char text[120];
  std::snprintf(text, sizeof text, "%zu elements differ by up to %.3g (values up to %.3g)",
                differing, largest, magnitude);
  return text;
}

output_difference compare_outputs(const suite_file& file, const json& wanted,
                                  const ctq::node_value& got) {
  std::vector<ctq::float_ops::tensor> want;
  std::vector<ctq::float_ops::tensor> have;
  append_wanted(file, wanted, want);
  output_difference d;
  if (!append_floats(got.real(), have) || have.size() != want.size()) {
    d.problem =
        "gives " + std::to_string(have.size()) + " tensors, not " + std::to_string(want.size());
    return d;
  }
  for (std::size_t t = 0; t < want.size(); ++t) {
    if (want[t].shape != have[t].shape) {
      d.problem = "a tensor has another shape";
      return d;
    }
    for (std::size_t i = 0; i < want[t].data.size(); ++i) {
      const auto w = static_cast<double>(want[t].data[i]);
      const auto h = static_cast<double>(have[t].data[i]);
      const double error = std::isnan(w) && std::isnan(h) ? 0.0 : std::abs(w - h);
      ++d.elements;
      d.sum += error == 0.0 ? 0.0 : h - w;
      d.differing += error != 0.0 ? 1 : 0;
      d.largest = std::isnan(error) ? HUGE_VAL : std::max(d.largest, error);
      d.magnitude = std::max(d.magnitude, std::abs(w));
    }
  }
  return d;
}

}  // namespace golden
