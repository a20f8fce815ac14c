// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/machine.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/passes/add_within_one_step.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/parameters.hpp"
#include "ctq/runtime/tensor.hpp"
#include "ctq/runtime/weights.hpp"

// One program for many machines. The code of a model is compiled once for each instruction set, and
// the program takes the best that its machine has when it makes the model:
//
//   net.hpp    using net_plan = ctq::plan<net, ctq::x86, int8>;
//   net.cpp    #include <ctq/runtime/dispatched.hpp>, "net.hpp"      compiled many times
//              template struct ctq::dispatched<net_plan>;
//   main.cpp   auto model = ctq::dispatch(observed);                 instead of ctq::convert
//
// meson/dispatch/meson.build says how net.cpp is compiled. A program for one machine, or one
// -march, needs none of this: ctq::convert gives the code that its flags allow.

namespace ctq {

/// What there is of a model for one instruction set.
struct dispatched_code {
  std::string_view isa;
  std::size_t arena_bytes;
  result<parameters> (*make)(const weights&, std::span<const qparams>, semantics);
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
    std::string_view place = "ctq::dispatch") {
  std::string names;
  for (const dispatched_code* code : codes) {
    if (isa.empty() || code->isa == isa) return code;
    names += (names.empty() ? "" : ", ") + std::string{code->isa};
  }
  if (codes.empty())
    return fail("ctq::dispatch",
                "the program has no code that this machine runs: compile the "
                "plan's translation unit for each instruction set");
  return fail(std::string{place}, "\"" + std::string{isa} +
                                      "\" is no instruction set that this program has code for "
                                      "and this machine runs; these are: " +
                                      names);
}

/// The int8 model of a plan, whose code was chosen when the program ran. It gives the bytes of
/// quantized_model, at the price of one indirect call a run.
template <class Plan>
class dispatched_model {
  static constexpr auto& schedule = Plan::int8_schedule;

 public:
  using plan = Plan;
  using input = typename io_types<schedule>::input_view;
  using output = typename io_types<schedule>::output_view;

  /// qparams: one an observer of the plan · isa: what to run on; empty: the environment variable
  /// CTQ_ISA or, without it, the fastest
  /// Errors  as choose; as make_parameters
  [[nodiscard]] static result<dispatched_model> make(const weights& w,
                                                     std::vector<ctq::qparams> qparams,
                                                     semantics s = {}, std::string_view isa = {}) {
    const char* const wish = std::getenv("CTQ_ISA");
    const bool named = !isa.empty() || wish == nullptr;
    const auto code = named ? choose(dispatched_codes<Plan>(), isa)
                            : choose(dispatched_codes<Plan>(), wish, "CTQ_ISA");
    if (!code) return unexpected{code.error()};
    auto p = (*code)->make(w, qparams, s);
    if (!p) return unexpected{p.error()};
    return dispatched_model{**code, *std::move(p), std::move(qparams)};
  }

  /// One inference. Many threads may call it on one model, each with its own arena.
  /// arena: arena_bytes(), aligned to 64
  void run(input in, output out, std::byte* arena) const noexcept {
    code_->run(parameters_, in.data(), out.data(), arena);
  }

  [[nodiscard]] std::string_view isa() const { return code_->isa; }
  [[nodiscard]] std::size_t arena_bytes() const { return code_->arena_bytes; }
  /// Scale and zero point of each observer of the plan.
  [[nodiscard]] std::span<const ctq::qparams> qparams() const { return qparams_; }
  /// Weights, biases and multipliers as the kernels read them.
  [[nodiscard]] std::size_t weight_bytes() const { return parameters_.packed.size(); }

 private:
  dispatched_model(const dispatched_code& code, parameters p, std::vector<ctq::qparams> q)
      : code_(&code), parameters_(std::move(p)), qparams_(std::move(q)) {}

  const dispatched_code* code_;
  parameters parameters_;
  std::vector<ctq::qparams> qparams_;
};

template <class Model>
class session;

/// A dispatched model and its arena, for one thread.
template <class Plan>
class session<dispatched_model<Plan>> {
  using model = dispatched_model<Plan>;

 public:
  explicit session(const model& m) : model_(&m), memory_(m.arena_bytes()) {}
  explicit session(const model&&) = delete;  // the model must outlive its session

  void operator()(typename model::input in, typename model::output out) noexcept {
    model_->run(in, out, memory_.data());
  }

 private:
  const model* model_;
  aligned_buffer memory_;
};

/// As convert: the int8 model of an observed one, by the best code for this machine.
///   Add  as in convert; the code must be that of Add<plan>
/// Errors  as convert; as dispatched_model::make
template <template <class> class Add = add_exactly, class Observed>
[[nodiscard]] result<dispatched_model<Add<typename Observed::plan>>> dispatch(
    const Observed& observed) {
  using plan = typename Observed::plan;
  auto qparams = calculate_qparams(plan::prepared.view(), plan::backend, observed.observers(),
                                   observed.semantics());
  if (!qparams) return unexpected{qparams.error()};
  return dispatched_model<Add<plan>>::make(observed.float_weights(), *std::move(qparams),
                                           observed.semantics());
}

}  // namespace ctq
