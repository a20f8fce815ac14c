// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "ctq/core/containers/list.hpp"
#include "ctq/core/containers/span.hpp"
#include "ctq/core/machine.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/core/result.hpp"
#include "ctq/runtime/int8_model.hpp"
#include "ctq/runtime/parameters.hpp"

// One program for many machines. The code of a model is compiled once for each instruction set, and
// the program chooses the fastest that its machine supports when it makes the model:
//
//   net.hpp    using net_plan = ctq::plan<net, ctq::x86, int8>;
//   net.cpp    #include <ctq/runtime/dispatched.hpp>, "net.hpp"      compiled many times
//              template struct ctq::dispatched<net_plan>;
//   main.cpp   auto model = ctq::convert(observed, ctq::dispatch);
//
// meson/dispatch/meson.build says how net.cpp is compiled. A program for one machine, or one
// -march, needs none of this: ctq::convert uses the code that its flags allow.

namespace ctq {

/// The code of a model for one instruction set.
struct dispatched_code {
  std::string_view isa;
  std::size_t arena_bytes;
  result<parameters> (*make)(const state_dict&, span<const qparams>);
  void (*run)(const parameters&, const void* const* in, void* const* out,
              std::byte* arena) noexcept;
};

/// The code of a plan, if the program contains it: the linker puts null in place of a function that
/// no translation unit defines. Plan must not be in an unnamed namespace.
template <class Plan, class Isa>
struct dispatched_code_of {
  [[gnu::weak]] static const dispatched_code& get() noexcept;
};

/// The code of a plan that this program contains and this machine can run, the fastest first.
template <class Plan>
[[nodiscard]] list<const dispatched_code*> dispatched_codes() {
  list<const dispatched_code*> all;
  isa::any_isa([&all]<class Isa>() {
    auto code = &dispatched_code_of<Plan, Isa>::get;
    __asm__("" : "+r"(code));  // g++ 12 forgets that a member of a template is weak: never null
    if (code != nullptr && isa::supported<Isa>()) all.push_back(&code());
    return false;
  });
  return all;
}

/// Which code a model asks for.
struct isa_request {
  std::string_view isa{};    // empty: the fastest
  std::string_view place{};  // where the name comes from, for errors
};

/// The instruction set `isa`; if it is empty, the one in the environment variable CTQ_ISA.
template <int = 0>
[[nodiscard]] isa_request requested_isa(std::string_view isa, std::string_view place) {
  const char* const variable = std::getenv("CTQ_ISA");
  return isa.empty() && variable != nullptr ? isa_request{variable, "CTQ_ISA"}
                                            : isa_request{isa, place};
}

/// The code with the name that is requested; the first if it is empty.
///   Code        has a member isa
///   none, then  the place and the cause of the error if there is no code
/// Errors  no code with this name, or none at all; the message lists the names
template <class Code>
[[nodiscard]] result<const Code*> choose_code(span<const Code* const> codes,
                                              const isa_request& request, std::string_view none,
                                              std::string_view then) {
  std::string names;
  for (const Code* code : codes) {
    if (request.isa.empty() || code->isa == request.isa) return code;
    names += (names.empty() ? "" : ", ") + std::string{code->isa};
  }
  if (codes.empty()) return fail(std::string{none}, std::string{then});
  std::string cause{"\""};  // appended to: g++ 12 warns about a sum that begins with a literal
  cause += request.isa;
  cause +=
      "\" is no instruction set that this program has code for and this machine runs; these are: ";
  return fail(std::string{request.place}, cause + names);
}

/// The code with the name `isa`; the fastest if it is empty.
///   place  where the name comes from
/// Errors  as choose_code
template <int = 0>
[[nodiscard]] result<const dispatched_code*> choose(span<const dispatched_code* const> codes,
                                                    std::string_view isa,
                                                    std::string_view place = "ctq::dispatched") {
  return choose_code(codes, {isa, place}, "ctq::dispatched",
                     "the program has no code that this machine runs: compile the plan's "
                     "translation unit for each instruction set");
}

/// The int8 model of a plan, whose code is chosen when it is made. Computes the same bytes as
/// quantized_model, with one indirect call per run.
///
/// Threads, Lifetime  as int8_model
template <class Plan>
class dispatched_model : public int8_model<dispatched_model<Plan>, Plan> {
  using base = int8_model<dispatched_model, Plan>;

 public:
  ///   isa   name of the instruction set to run on; empty: the one in the environment variable
  ///         CTQ_ISA or, without it, the fastest
  ///   keep  as quantized_model::make
  /// Errors  as choose; as quantized_model::make
  [[nodiscard]] static result<dispatched_model> make(quantized_state state,
                                                     std::string_view isa = {}, bool keep = true) {
    const isa_request request = requested_isa(isa, "ctq::dispatched");
    const auto code = choose(dispatched_codes<Plan>(), request.isa, request.place);
    if (!code) return unexpected{code.error()};
    auto p = (*code)->make(state.tensors, state.qparams);
    if (!p) return unexpected{p.error()};
    return dispatched_model{**code, *std::move(p), std::move(state), keep};
  }

  /// The same as run, with pointers to the elements of all inputs and outputs, in order.
  void run_tensors(const void* const* in, void* const* out, std::byte* memory) const noexcept {
    code_->run(this->values(), in, out, memory);
  }

  [[nodiscard]] std::string_view isa() const { return code_->isa; }
  [[nodiscard]] std::size_t arena_bytes() const { return code_->arena_bytes; }

 private:
  dispatched_model(const dispatched_code& code, parameters p, quantized_state s, bool keep)
      : base(std::move(p), std::move(s), keep), code_(&code) {}

  const dispatched_code* code_;
};

}  // namespace ctq
