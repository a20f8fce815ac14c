// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ctq/core/diagnostic.hpp"
#include "ctq/core/dtype.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/core/report.hpp"
#include "ctq/core/terminate.hpp"
#include "ctq/ops/op.hpp"
#include "ctq/ops/shape_checks.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/tensor.hpp"

// How models are called: with a tensor for each placeholder, in their order; the outputs are
// returned, or written to tensors that follow the inputs.
//
//   auto [boxes, scores] = net(image, size);
//   net(image, size, boxes, scores);

namespace ctq {

namespace model_calls_of {

/// An argument of a call, as text.
template <class Given>
struct given_tensor {
  static constexpr bool is_tensor = false;
  static constexpr void append(diagnostic& d) { d.text.append("no tensor"); }
};
template <class T>
constexpr std::string_view element_name() {
  if constexpr (std::is_same_v<T, float>) return "float32";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "quint8";
  if constexpr (std::is_same_v<T, std::int8_t>) return "qint8";
  if constexpr (std::is_same_v<T, std::int32_t>) return "int32";
  if constexpr (std::is_same_v<T, std::int64_t>) return "int64";
  return "other elements";
}
template <class T, int... Extent>
struct given_elements {
  static constexpr void append(diagnostic& d) {
    d.text.append(element_name<std::remove_const_t<T>>()).append(" ");
    append_shape(d.text, shape{Extent...});
  }
};
template <class T, int... Extent>
struct given_tensor<tensor<T, Extent...>> : given_elements<T, Extent...> {};
template <class T, int... Extent>
struct given_tensor<tensor_view<T, Extent...>> : given_elements<T, Extent...> {};
template <class T, int... Extent>
struct given_tensor<tensor_argument<T, Extent...>> : given_elements<T, Extent...> {};

/// The message about a call with other tensors than those of the model.
template <const auto& Model, const auto& Schedule, class... Given>
struct wrong_call {
  static constexpr diagnostic find() {
    diagnostic d;
    d.line("the model is called with");
    int input = 0;
    for (int i = 0; i < Model.count; ++i) {
      if (Model.nodes[i].op->kind != op_kind::placeholder) continue;
      const model_tensor& t = Schedule.inputs[input++];
      d.line(Model.nodes[i].name, ": ", name_of(t.dtype), " ");
      append_shape(d.text, t.shape);
    }
    d.line("and may be given tensors for its").line("outputs; this call has");
    if (sizeof...(Given) == 0) d.line("nothing");
    ((d.line(), given_tensor<Given>::append(d)), ...);
    return d;
  }
  static constexpr diagnostic found = find();
  static constexpr bool bad() { return true; }
  static constexpr auto message() { return found.text; }
};

template <class Inputs, class Outputs>
struct calls_of;
template <class... In, class... Out>
struct calls_of<tensor_list<In...>, tensor_list<Out...>> {
  static void call(const argument_of<In>&...);
  static void call(const argument_of<In>&..., view_of<Out>...);
};

/// Whether a model with these inputs and outputs can be called with these arguments.
template <class Inputs, class Outputs, class... Given>
concept accepted = requires {
  calls_of<Inputs, Outputs>::call(std::declval<Given>()...);
};

/// The bytes of a model's arena; a dispatched model knows them at run time.
template <class Model>
std::size_t arena_bytes_of(const Model& m) {
  if constexpr (std::is_member_function_pointer_v<decltype(&Model::arena_bytes)>) {
    return m.arena_bytes();
  } else {
    return Model::arena_bytes;
  }
}

/// Whether memory may be an arena of so many bytes.
inline bool is_arena(const std::byte* memory, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(memory) % packing::alignment == 0 &&
         (memory != nullptr || bytes == 0);
}

}  // namespace model_calls_of

/// The base of everything that can be called like a model. Self has
///   void run_tensors(const void* const* in, void* const* out)   elements of all inputs and outputs
///   static constexpr auto& traced, schedule                     for messages
template <class Self, bool Nothrow, class Inputs, class Outputs>
class model_calls;

template <class Self, bool Nothrow, class... In, class... Out>
class model_calls<Self, Nothrow, tensor_list<In...>, tensor_list<Out...>> {
 public:
  /// The types of all inputs and outputs, as tensor_list.
  using inputs = tensor_list<In...>;
  using outputs = tensor_list<Out...>;
  /// One tensor, or a std::tuple of several.
  using input = typename inputs::together;
  using output = typename outputs::together;
  using input_view = typename tensors::forms_of_list<inputs>::const_view;
  using output_view = typename tensors::forms_of_list<outputs>::view;

  /// One inference. Inputs and outputs are contiguous, in the order and the shapes of the model's
  /// placeholders and of what its output node returns (images: N, C, H, W), float32 unless the plan
  /// says otherwise.
  output operator()(const argument_of<In>&... in) noexcept(Nothrow) {
    output out;
    write_to(out, in...);
    return out;
  }
  /// The same, into existing tensors, which must not overlap with the inputs or one another.
  void operator()(const argument_of<In>&... in, view_of<Out>... out) noexcept(Nothrow) {
    const void* const from[sizeof...(In) + 1] = {in.data()...};
    void* const to[sizeof...(Out) + 1] = {out.data()...};
    static_cast<Self&>(*this).run_tensors(from, to);
  }
  /// Any other call is a compile error with these words.
  template <class... Given>
  requires(!model_calls_of::accepted<inputs, outputs, Given...>) output operator()(Given&&...) {
    static_cast<void>(sizeof(report<model_calls_of::wrong_call<Self::traced, Self::schedule,
                                                               std::remove_cvref_t<Given>...>>));
    return {};
  }

 private:
  void write_to(output& out, const argument_of<In>&... in) noexcept(Nothrow) {
    if constexpr (sizeof...(Out) == 1) {
      (*this)(in..., out);
    } else {
      std::apply([&](auto&... each) { (*this)(in..., each...); }, out);
    }
  }
};

/// The same for models that any number of threads may run: a call makes a session, run takes the
/// memory as an argument. Self has
///   void run_tensors(const void* const* in, void* const* out, std::byte* memory) const noexcept
///   static constexpr auto& traced, schedule
template <class Self, class Inputs, class Outputs>
class shared_model_calls;

template <class Model>
class session;

template <std::size_t Bytes>
struct arena;

template <class Self, class... In, class... Out>
class shared_model_calls<Self, tensor_list<In...>, tensor_list<Out...>> {
 public:
  /// The types of all inputs and outputs, as tensor_list.
  using inputs = tensor_list<In...>;
  using outputs = tensor_list<Out...>;
  /// One tensor, or a std::tuple of several.
  using input = typename inputs::together;
  using output = typename outputs::together;
  using input_view = typename tensors::forms_of_list<inputs>::const_view;
  using output_view = typename tensors::forms_of_list<outputs>::view;

  /// One inference, as session. It allocates an arena; a session keeps its own.
  output operator()(const argument_of<In>&... in) const { return session<Self>{self()}(in...); }
  void operator()(const argument_of<In>&... in, view_of<Out>... out) const {
    session<Self>{self()}(in..., out...);
  }
  /// Any other call is a compile error with these words.
  template <class... Given>
  requires(!model_calls_of::accepted<inputs, outputs, Given...>) output operator()(
      Given&&...) const {
    static_cast<void>(sizeof(report<model_calls_of::wrong_call<Self::traced, Self::schedule,
                                                               std::remove_cvref_t<Given>...>>));
    return {};
  }

  /// One inference in the caller's memory: allocates nothing and cannot fail.
  ///   out     must not overlap with the inputs or one another
  ///   memory  arena_bytes, 64-byte aligned (checked), used by one run at a time
  void run(const argument_of<In>&... in, view_of<Out>... out, std::byte* memory) const noexcept {
    require(model_calls_of::is_arena(memory, model_calls_of::arena_bytes_of(self())),
            "run needs an arena: arena_bytes bytes, 64-byte aligned");
    const void* const from[sizeof...(In) + 1] = {in.data()...};
    void* const to[sizeof...(Out) + 1] = {out.data()...};
    self().run_tensors(from, to, memory);
  }
  template <std::size_t Bytes>
  requires(Bytes == Self::arena_bytes) void run(const argument_of<In>&... in, view_of<Out>... out,
                                                arena<Bytes>& memory) const noexcept {
    run(in..., out..., memory.data());
  }

 private:
  [[nodiscard]] const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace ctq
