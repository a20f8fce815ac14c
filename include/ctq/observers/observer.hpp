// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <string>
#include <type_traits>
#include <variant>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/observers/calculate_qparams.hpp"
#include "ctq/observers/fixed_qparams.hpp"
#include "ctq/observers/histogram.hpp"
#include "ctq/observers/mergeable.hpp"
#include "ctq/observers/min_max.hpp"
#include "ctq/observers/moving_average_min_max.hpp"
#include "ctq/observers/no_statistics.hpp"
#include "ctq/observers/per_channel_min_max.hpp"
#include "ctq/observers/power_of_two_histogram.hpp"
#include "ctq/observers/recording.hpp"
#include "ctq/spec/observer.hpp"

// An observer of the class given by a record at run time.

namespace ctq::observers {

/// The error of an observed constant with infinite values, such as a mask for attention. Histograms
/// leave them out, so they would be rounded to an end of the range of the other values.
inline constexpr const char* infinite_operand =
    "has infinite values, which integers cannot express: make them finite, or give the op that "
    "reads it no qconfig";

/// The error of an observer that has no range.
[[nodiscard]] constexpr const char* reason_of_no_range(bool ignored_infinity) {
  return ignored_infinity ? "its observer has seen infinite values alone, which have no range"
                          : "its observer has seen no data: calibrate first";
}

/// One of all observers. A template, like everything that uses it, so that a program without
/// observers compiles none of them.
template <int>
struct any_observer_state {
  using type =
      std::variant<nothing, placeholder, noop, recording, reuse_input, min_max,
                   moving_average_min_max, per_channel_min_max, moving_average_per_channel_min_max,
                   histogram, power_of_two_histogram, fixed_qparams>;
};

/// An observer of any class. A template for the same reason.
template <int Deferred = 0>
class basic_any_observer {
  /// Calls f with the contained observer. std::visit would instantiate twice as many functions.
  template <class F, class State>
  static auto visit(const F& f, State& state) {
    return boost::mp11::mp_with_index<std::variant_size_v<std::remove_const_t<State>>>(
        state.index(), [&](auto i) { return f(*std::get_if<i>(&state)); });
  }

 public:
  explicit basic_any_observer(const observer_record& record, semantics s = {})
      : record_(record), semantics_(s), state_(make(record, s)) {}

  [[nodiscard]] const observer_record& record() const { return record_; }
  [[nodiscard]] bool is_per_channel() const { return ctq::is_per_channel(record_.type); }

  /// Shapes  data: `shape`, contiguous in logical order (NCHW, OIHW); any order if per tensor
  template <class Isa = isa::native>
  void observe(span<const float> data, const shape& shape) {
    visit(
        [&](auto& o) {
          if constexpr (requires { o.template observe<Isa>(data, shape); })
            o.template observe<Isa>(data, shape);
          else if constexpr (requires { o.template observe<Isa>(data); })
            o.template observe<Isa>(data);
          else if constexpr (requires { o.observe(data, shape); })
            o.observe(data, shape);
        },
        state_);
  }

  /// The same for per-tensor observers, or a tensor of one axis.
  template <class Isa = isa::native>
  void observe(span<const float> data) {
    observe<Isa>(data, shape(static_cast<int>(data.size())));
  }

  /// Afterwards the state is that of a single observer of both data, this one's first.
  /// Errors  different records; a class that cannot be merged exactly, such as HistogramObserver
  [[nodiscard]] status merge(const basic_any_observer& other) {
    if (record_ != other.record_ || semantics_ != other.semantics_)
      return fail(std::string(name_of(record_.type)),
                  "can only be merged with an observer with the same record");
    return visit(
        [&](auto& o) -> status {
          using observer = std::remove_reference_t<decltype(o)>;
          if constexpr (mergeable_observer<observer>) {
            o.merge(*std::get_if<observer>(&other.state_));
            return done{};
          } else {
            return fail(std::string(name_of(record_.type)),
                        "depends on the order of the data and cannot be merged");
          }
        },
        state_);
  }

  [[nodiscard]] bool observed() const {
    return visit(
        [](const auto& o) {
          if constexpr (requires { o.observed(); })
            return o.observed();
          else
            return false;
        },
        state_);
  }

  /// Whether there were infinite values, which it leaves out.
  [[nodiscard]] bool ignored_infinity() const {
    return visit(
        [](const auto& o) {
          if constexpr (requires { o.ignored_infinity(); })
            return o.ignored_infinity();
          else
            return false;
        },
        state_);
  }

  /// Errors  those of the class; a class that is per channel or has no statistics
  [[nodiscard]] result<qparams> calculate_qparams() const {
    return calculate<qparams>("per-tensor");
  }

  [[nodiscard]] result<per_channel_qparams> calculate_per_channel_qparams() const {
    return calculate<per_channel_qparams>("per-channel");
  }

  /// The contained observer, or null if it has another class.
  template <class Observer>
  [[nodiscard]] const Observer* get_if() const {
    return std::get_if<Observer>(&state_);
  }

 private:
  using state = typename any_observer_state<Deferred>::type;

  static state make(const observer_record& record, semantics s) {
    switch (record.type) {
      case observer_class::min_max: return min_max(record.args, s);
      case observer_class::moving_average_min_max: return moving_average_min_max(record.args, s);
      case observer_class::per_channel_min_max: return per_channel_min_max(record.args, s);
      case observer_class::moving_average_per_channel_min_max:
        return moving_average_per_channel_min_max(record.args, s);
      case observer_class::histogram: return histogram(record.args, s);
      case observer_class::power_of_two_histogram: return power_of_two_histogram(record.args, s);
      case observer_class::fixed_qparams: return fixed_qparams(record.args);
      case observer_class::placeholder: return placeholder(record.args);
      case observer_class::noop: return noop{record.args.dtype};
      case observer_class::recording: return recording(record.args);
      case observer_class::reuse_input: return reuse_input{};
      case observer_class::none: break;
    }
    return nothing{};
  }

  template <class QParams>
  [[nodiscard]] result<QParams> calculate(const char* what) const {
    return visit(
        [&](const auto& o) -> result<QParams> {
          if constexpr (requires { result<QParams>(o.calculate_qparams()); })
            return o.calculate_qparams();
          else
            return fail(std::string(name_of(record_.type)),
                        std::string("has no ") + what + " quantization parameters");
        },
        state_);
  }

  observer_record record_;
  semantics semantics_;
  state state_;
};

using any_observer = basic_any_observer<>;

/// 0, but not before Args are known: a class template that names any_observer as
/// basic_any_observer<deferred<Args>> does not instantiate it where it is defined.
template <class... Args>
inline constexpr int deferred = 0;

}  // namespace ctq::observers
