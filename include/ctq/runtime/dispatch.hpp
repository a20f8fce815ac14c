// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/machine.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/core/result.hpp"
#include "ctq/runtime/model_state.hpp"
#include "ctq/runtime/parameters.hpp"
#include "ctq/runtime/session.hpp"
#include "ctq/runtime/tensor.hpp"

// One program for many machines. The code of a model is compiled once for each instruction set, and
// the program takes the best that its machine has when it makes the model:
//
//   net.hpp    using net_plan = ctq::plan<net, ctq::x86, int8>;
//   net.cpp    #include <ctq/runtime/dispatched.hpp>, "net.hpp"      compiled many times
//              template struct ctq::dispatched<net_plan>;
//   main.cpp   auto model = ctq::convert(observed, ctq::dispatch);
//
// meson/dispatch/meson.build says how net.cpp is compiled. A program for one machine, or one
// -march, needs none of this: ctq::convert gives the code that its flags allow.

namespace ctq {

/// What there is of a model for one instruction set.
struct dispatched_code {
  std::string_view isa;
  std::size_t arena_bytes;
  result<parameters> (*make)(const state_dict&, std::span<const qparams>);
  void (*run)(const parameters&, const void* in, void* out, std::byte* arena) noexcept;
};

/// Where the code of a plan is, if the program has it: the linker puts null in place of a function
/// that no translation unit defines. Plan must not be in an unnamed namespace.
template <class Plan, class Isa>
struct dispatched_code_of {
  [[gnu::weak]] static const dispatched_code& get() noexcept;
};

/// The code of a plan that this program has and this machine runs, the fastest first.
template <class Plan>
[[nodiscard]] std::vector<const dispatched_code*> dispatched_codes() {
  std::vector<const dispatched_code*> all;
  isa::any_isa([&all]<class Isa>() {
    auto code = &dispatched_code_of<Plan, Isa>::get;
    __asm__("" : "+r"(code));  // g++ 12 forgets that a member of a template is weak: never null
    if (code != nullptr && isa::supported<Isa>()) all.push_back(&code());
    return false;
  });
  return all;
}

/// The one that is called `isa`; of no name, the fastest. place: where the name comes from.
/// Errors  none of this name, or none at all: with the names that there are
[[nodiscard]] inline result<const dispatched_code*> choose(
    std::span<const dispatched_code* const> codes, std::string_view isa,
    std::string_view place = "ctq::dispatched") {
  std::string names;
  for (const dispatched_code* code : codes) {
    if (isa.empty() || code->isa == isa) return code;
    names += (names.empty() ? "" : ", ") + std::string{code->isa};
  }
  if (codes.empty())
    return fail("ctq::dispatched",
                "the program has no code that this machine runs: compile the "
                "plan's translation unit for each instruction set");
  return fail(std::string{place}, "\"" + std::string{isa} +
                                      "\" is no instruction set that this program has code for "
                                      "and this machine runs; these are: " +
                                      names);
}

/// The int8 model of a plan, whose code was chosen when it was made. It gives the bytes of
/// quantized_model, at the price of one indirect call a run.
///
/// Threads, Lifetime  as quantized_model
template <class Plan>
class dispatched_model {
  static constexpr auto& schedule = Plan::int8_schedule;
  using io = io_types<schedule>;

 public:
  using plan = Plan;
  using input = typename io::input;
  using output = typename io::output;
  using input_view = typename io::input_view;
  using input_argument = typename io::input_argument;
  using output_view = typename io::output_view;

  /// isa: what to run on; empty: the environment variable CTQ_ISA or, without it, the
  /// fastest · keep: as quantized_model::make
  /// Errors  as choose; as quantized_model::make
  [[nodiscard]] static result<dispatched_model> make(quantized_state state,
                                                     std::string_view isa = {}, bool keep = true) {
    const char* const wish = std::getenv("CTQ_ISA");
    const bool named = !isa.empty() || wish == nullptr;
    const auto code = named ? choose(dispatched_codes<Plan>(), isa)
                            : choose(dispatched_codes<Plan>(), wish, "CTQ_ISA");
    if (!code) return unexpected{code.error()};
    auto p = (*code)->make(state.tensors, state.qparams);
    if (!p) return unexpected{p.error()};
    if (!keep) state = {{}, std::move(state.qparams), state.semantics, false};
    return dispatched_model{**code, *std::move(p), std::move(state)};
  }

  dispatched_model(const dispatched_model&) = default;
  dispatched_model& operator=(const dispatched_model&) = default;

  /// As quantized_model.
  output operator()(const input_argument& in) const { return session{*this}(in); }
  void operator()(const input_argument& in, output_view out) const { session{*this}(in, out); }

  /// One inference in memory of the caller's: no allocation, no error.
  ///   memory  of one run at a time: arena_bytes(), 64-byte aligned
  void run(const input_argument& in, output_view out, std::byte* memory) const noexcept {
    code_->run(state_->values, in.data(), out.data(), memory);
  }

  [[nodiscard]] std::string_view isa() const { return code_->isa; }
  [[nodiscard]] std::size_t arena_bytes() const { return code_->arena_bytes; }
  /// Scale and zero point of each observer of the plan.
  [[nodiscard]] std::span<const ctq::qparams> qparams() const& { return state_->source.qparams; }
  std::span<const ctq::qparams> qparams() const&& = delete;
  /// As quantized_model.
  [[nodiscard]] const quantized_state& state() const& { return state_->source; }
  const quantized_state& state() const&& = delete;
  template <class Path>
  [[nodiscard]] status save(const Path& path) const {
    return save_quantized<Plan>(state_->source, path);
  }
  /// Weights, biases and multipliers as the kernels read them.
  [[nodiscard]] std::size_t weight_bytes() const { return state_->values.packed.size(); }

 private:
  dispatched_model(const dispatched_code& code, parameters p, quantized_state s)
      : code_(&code), state_(std::make_shared<const model_state>(std::move(p), std::move(s))) {}

  const dispatched_code* code_;
  std::shared_ptr<const model_state> state_;
};

}  // namespace ctq
