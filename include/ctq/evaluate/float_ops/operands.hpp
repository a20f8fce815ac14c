// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/arguments.hpp"
#include "ctq/evaluate/float_ops/kernels/layer_functions.hpp"

// Access to the arguments of a call in the float implementation of an op: by name, converted to the
// expected type, with the signature's default if not given. Errors are recorded, so that an op
// reads all its arguments and then checks once:
//
//   const tensor& in = from.floats("input");
//   const int dim = from.integer("dim");
//   if (from.failed()) return from.failure();

namespace ctq::float_ops {

class operands {
 public:
  using caller = result<value> (*)(op_id, const arguments&, const layer_functions&);

  operands(op_id op, const python_signature& s, const arguments& given, caller any_op,
           const layer_functions& layers)
      : op_(op), signature_(s), given_(given), any_op_(any_op), layers_(layers) {}

  [[nodiscard]] op_id op() const { return op_; }

  /// The number of axes that the op's windows slide over, by its name: 2 for conv2d; else 0.
  [[nodiscard]] int window_axes() const {
    const std::string_view name = op_->name;
    const char digit = name.size() > 1 && name.back() == 'd' ? name[name.size() - 2] : '0';
    return digit >= '1' && digit <= '3' ? digit - '0' : 0;
  }

  [[nodiscard]] const layer_functions& layers() const { return layers_; }

  /// Calls another op, for ops composed of several.
  [[nodiscard]] result<value> call(op_id op, const arguments& given) const {
    return any_op_(op, given, layers_);
  }

  [[nodiscard]] bool failed() const { return !problem_.empty(); }
  [[nodiscard]] unexpected failure() const { return fail(std::string(op_->name), problem_); }
  [[nodiscard]] unexpected failure(std::string cause) const {
    return fail(std::string(op_->name), std::move(cause));
  }

  /// Converts the result of an op's computation.
  template <class T>
  [[nodiscard]] result<value> answer(result<T> computed) const {
    if (!computed) return failure(computed.error().cause);
    return value(*std::move(computed));
  }

  /// Records an error unless the condition holds. Only the first is reported.
  bool require(bool holds, std::string_view cause) {
    if (!holds && problem_.empty()) problem_ = cause;
    return holds;
  }

  [[nodiscard]] const arguments& given() const { return given_; }

  /// A value of any type; if it is not given, the default of the signature.
  value any(std::string_view name) {
    if (const value* v = given_.find(name)) return *v;
    const parameter p = find_parameter(signature_, name);
    if (p.option != nullptr) return python_value(signature_.options->defaults, *p.option);
    if (!p.default_text.empty()) return literal(p.default_text);
    require(false, "needs " + std::string(name));
    return {};
  }

  /// A float tensor; integers are converted.
  const tensor& floats(std::string_view name) {
    const index_tensor* const integers = indices_or_null(name);
    return integers == nullptr ? read<tensor>(name, "a float tensor")
                               : floats_.emplace_back(as_floats(*integers));
  }
  /// An integer tensor; floats that are integers are converted.
  const index_tensor& indices(std::string_view name) {
    const tensor* const numbers = floats_or_null(name);
    auto integers = numbers == nullptr ? std::nullopt : as_indices(*numbers);
    return integers ? indices_.emplace_back(*std::move(integers))
                    : read<index_tensor>(name, "an integer tensor");
  }
  const list& items(std::string_view name) { return read<list>(name, "a list"); }

  /// Null for None, and for a flag with the name of a tensor: bias=True.
  const tensor* floats_or_null(std::string_view name) { return optional<tensor>(name); }
  const index_tensor* indices_or_null(std::string_view name) {
    return optional<index_tensor>(name);
  }

  std::int64_t integer64(std::string_view name) {
    const auto i = as_integer(any(name));
    require(i.has_value(), std::string(name) + " is not an integer");
    return i.value_or(0);
  }
  int integer(std::string_view name) { return narrow(integer64(name), name); }

  double real(std::string_view name) {
    const auto x = as_real(any(name));
    require(x.has_value(), std::string(name) + " is not a number");
    return x.value_or(0);
  }

  bool flag(std::string_view name) { return integer64(name) != 0; }

  std::string text(std::string_view name) {
    const value v = any(name);
    const auto* s = v.get_if<std::string>();
    require(s != nullptr, std::string(name) + " is not a string");
    return s == nullptr ? std::string() : *s;
  }

  /// Whether the call or the signature has this parameter. Functions lack some parameters of
  /// modules.
  [[nodiscard]] bool has(std::string_view name) const {
    return given_.find(name) != nullptr || !find_parameter(signature_, name).name.empty();
  }

  bool is_none(std::string_view name) { return any(name).is<none>(); }

  /// A list of integers; a single integer is a list of one.
  std::vector<int> integers(std::string_view name) { return integers_of(any(name), name); }

  /// A list of `count` integers; a single integer is repeated.
  std::vector<int> integers(std::string_view name, int count) {
    std::vector<int> all = integers(name);
    if (all.size() == 1) all.resize(static_cast<std::size_t>(count), all[0]);
    require(static_cast<int>(all.size()) == count,
            std::string(name) + " needs one or " + std::to_string(count) + " numbers");
    all.resize(static_cast<std::size_t>(count));
    return all;
  }

  /// The same, from the second name if the first is None or empty.
  std::vector<int> integers(std::string_view name, int count, std::string_view fallback) {
    const value v = any(name);
    const auto* items = v.get_if<list>();
    const bool left_out = v.is<none>() || (items != nullptr && items->empty());
    return integers(left_out ? fallback : name, count);
  }

  /// The op's options, by arguments and defaults.
  attributes options() {
    attributes a = signature_.options->defaults;
    for (const option_field& f : signature_.options->fields) {
      const value* const v = given_.find(f.name);
      if (v == nullptr || v->is<none>()) continue;
      if (f.is == option_field::type::flag && v->is<tensor>()) {
        set(a, f, 1);  // bias=True, which the tensor has replaced
      } else if (f.is == option_field::type::real) {
        set(a, f, static_cast<float>(real(f.name)));
      } else if (f.is == option_field::type::indices) {
        continue;  // ops read these unchanged
      } else if (f.is == option_field::type::extents) {
        const std::vector<int> each = integers(f.name);
        if (!require(each.size() <= max_rank, std::string(f.name) + " is too large")) continue;
        shape extents;
        for (const int extent : each) extents[extents.rank++] = extent;
        set_list(a, f, extents);
      } else if (f.is == option_field::type::word) {
        const int known = f.words->find(text(f.name));
        require(known >= 0, "has no such " + std::string(f.name));
        set(a, f, known);
      } else if (f.is == option_field::type::extent || f.is == option_field::type::extent3) {
        const std::vector<int> each = integers(f.name, words_of(f));
        for (int i = 0; i < words_of(f); ++i) set(a, f, each[static_cast<std::size_t>(i)], i);
      } else {
        set(a, f, integer(f.name));
      }
    }
    return a;
  }

  /// An axis of a tensor of `rank` axes; -1 is the last.
  int axis(std::string_view name, int rank) { return checked_axis(integer(name), rank); }

  /// A list of axes; all of them if None or empty.
  std::vector<int> axes(std::string_view name, int rank) {
    std::vector<int> chosen = is_none(name) ? std::vector<int>() : integers(name);
    if (chosen.empty())
      for (int i = 0; i < rank; ++i) chosen.push_back(i);
    for (int& a : chosen) a = checked_axis(a, rank);
    return chosen;
  }

  int checked_axis(int axis, int rank) {
    const int n = rank == 0 ? 1 : rank;  // a scalar has axis 0, as in PyTorch
    require(axis >= -n && axis < n, "a tensor of " + std::to_string(rank) +
                                        " dimensions has no dimension " + std::to_string(axis));
    return failed() ? 0 : (axis < 0 ? axis + n : axis);
  }

  std::vector<int> integers_of(const value& v, std::string_view name) {
    std::vector<int> all;
    if (const auto one = as_integer(v)) {
      all.push_back(narrow(*one, name));
    } else if (const auto* items = v.get_if<list>()) {
      for (const value& item : *items) {
        const auto i = as_integer(item);
        require(i.has_value(), std::string(name) + " holds what is not an integer");
        all.push_back(narrow(i.value_or(0), name));
      }
    } else {
      require(false, std::string(name) + " is not a list of integers");
    }
    return all;
  }

 private:
  template <class T>
  const T& read(std::string_view name, const char* what) {
    const T* found = optional<T>(name);
    static const T empty{};
    if (found == nullptr) require(false, std::string(name) + " is not " + what);
    return found == nullptr ? empty : *found;
  }

  template <class T>
  const T* optional(std::string_view name) {
    const value* v = given_.find(name);
    return v == nullptr ? nullptr : v->get_if<T>();
  }

  int narrow(std::int64_t i, std::string_view name) {
    constexpr std::int64_t limit = 1 << 28;  // so that sums of a few of them fit in an int
    require(i >= -limit && i <= limit, std::string(name) + " is too large");
    return failed() ? 0 : static_cast<int>(i);
  }

  op_id op_;
  python_signature signature_;
  const arguments& given_;
  caller any_op_;
  const layer_functions& layers_;
  std::deque<tensor> floats_{};  // of integers
  std::deque<index_tensor> indices_{};
  std::string problem_{};
};

}  // namespace ctq::float_ops
