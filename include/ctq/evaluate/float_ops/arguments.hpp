// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/signature.hpp"
#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/ops/op.hpp"

// The arguments of a call, by parameter name.

namespace ctq::float_ops {

struct named_value {
  std::string name;
  value given;
};

class arguments {
 public:
  arguments() = default;
  arguments(std::initializer_list<named_value> given) : given_(given) {}

  /// Replaces an earlier value.
  void set(std::string_view name, value v) {
    for (named_value& g : given_)
      if (g.name == name) return void(g.given = std::move(v));
    given_.push_back({std::string(name), std::move(v)});
  }

  /// The argument with this name; null if it is not given.
  [[nodiscard]] const value* find(std::string_view name) const {
    for (const named_value& g : given_)
      if (g.name == name) return &g.given;
    return nullptr;
  }

  [[nodiscard]] auto begin() const { return given_.begin(); }
  [[nodiscard]] auto end() const { return given_.end(); }

 private:
  std::vector<named_value> given_;
};

/// A call as in Python. The attributes are those of a module: tensors by their names in state_dict,
/// and constructor arguments. A tensor comes after the flag with the same name (bias=True) and
/// replaces it. Attributes that an op does not read are ignored.
struct python_call {
  std::vector<value> positional{};
  std::vector<named_value> keywords{};
  std::vector<named_value> attributes{};
};

/// Binds arguments to parameters, as Python does.
///
/// Errors  too many positional arguments, an unknown keyword, a parameter with two values
[[nodiscard]] inline result<arguments> bind(std::string_view place, const python_signature& s,
                                            python_call c) {
  arguments bound;
  std::size_t used = 0;
  const std::size_t count = c.positional.size();
  for (parameter_reader p(s.inputs.empty() ? s : python_signature{s.inputs});
       used < count && p.next();) {
    const parameter& to = p.current();
    if (to.keyword_only) break;
    if (to.takes_rest) {
      // x.view(2, 3) is x.view((2, 3))
      const bool one_list = count - used == 1 && c.positional[used].is<list>();
      const auto from = c.positional.begin() + static_cast<std::ptrdiff_t>(used);
      bound.set(to.name, one_list ? c.positional[used] : value(list(from, c.positional.end())));
      used = count;
    } else {
      bound.set(to.name, std::move(c.positional[used++]));
    }
  }
  if (used < count)
    return fail(std::string(place), "takes " + std::to_string(used) +
                                        " positional arguments, not " + std::to_string(count));
  for (named_value& k : c.keywords) {
    if (find_parameter(s, k.name).name.empty())
      return fail(std::string(place), "has no parameter " + k.name);
    if (bound.find(k.name) != nullptr)
      return fail(std::string(place), "got two values for " + k.name);
    bound.set(k.name, std::move(k.given));
  }
  for (named_value& a : c.attributes) bound.set(a.name, std::move(a.given));
  return bound;
}

}  // namespace ctq::float_ops
