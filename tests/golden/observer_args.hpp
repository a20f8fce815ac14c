// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>

#include "ctq/core/dtype.hpp"
#include "ctq/spec/observer.hpp"
#include "tensors.hpp"

// PyTorch's spelling of observers, in the golden data: classes, dtypes, qschemes and arguments,
// with or without the name of their module in front (aq.MinMaxObserver, torch.qint8).

namespace golden {

/// MinMaxObserver, and aq.MinMaxObserver as well.
[[nodiscard]] std::string without_module(const std::string& name);

/// The enumerator of that name. Throws malformed if there is none.
template <class E, std::size_t N>
[[nodiscard]] E named(const E (&all)[N], const std::string& name) {
  const std::string word = without_module(name);
  for (const E e : all)
    if (word == name_of(e)) return e;
  throw malformed("unknown name " + word);
}

/// Throw malformed for a name that ctq does not know.
[[nodiscard]] ctq::dtype dtype_from(const std::string& name);
[[nodiscard]] ctq::qscheme qscheme_from(const std::string& name);
[[nodiscard]] ctq::observer_class observer_class_from(const std::string& name);

/// Sets the field that a keyword argument is about. Is there one? compute_dtype has none.
[[nodiscard]] bool set_argument(ctq::observer_args& args, const std::string& key,
                                const json& value);

}  // namespace golden
