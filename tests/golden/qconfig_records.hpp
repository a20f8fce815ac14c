// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

#include "ctq/ops/op.hpp"
#include "ctq/spec/qconfig.hpp"
#include "tensors.hpp"

// Observer constructors and qconfigs in the form of the golden data, as ctq's records.

namespace golden {

/// {"class": "aq.MinMaxObserver", "kwargs": {...}}; what is left out has PyTorch 1.13's default.
/// nn.Identity is no observer. Throws malformed for what ctq has no word for.
[[nodiscard]] ctq::observer_record observer_record_from(const json& constructor);

/// {"activation": ..., "weight": ...}; null is nothing: the node stays in float.
[[nodiscard]] std::optional<ctq::qconfig_record> qconfig_from(const json& qconfig);

/// "nn.Linear", "F.relu", "operator.add", "reshape". Throws malformed for an op that ctq does not
/// know.
[[nodiscard]] ctq::op_id op_from(const std::string& name);

/// A qconfig in words, for messages: "MinMaxObserver(dtype=qint8) / PlaceholderObserver()".
[[nodiscard]] std::string to_words(const ctq::qconfig_record& qconfig);

}  // namespace golden
