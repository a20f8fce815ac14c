// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ctq/ctq.hpp"
#include "ctq/json/mapping_from_json.hpp"

// One golden model as a constant: the compiled executor gives the bytes of the scalar interpreter
// over the same plan, and PyTorch's numbers but for a step. Generated files register the models.

namespace golden_models {

/// The bytes of each input of a model.
using input_bytes = std::vector<std::vector<std::byte>>;

/// The inputs of a case, and what PyTorch gave for the last.
struct data_set {
  std::vector<input_bytes> calibration;
  input_bytes evaluation;
  std::vector<std::vector<float>> expected;  // each output; none: PyTorch could not run it
};

/// Reads NAME.data.safetensors.
[[nodiscard]] ctq::result<data_set> read_data(const std::filesystem::path& stem);

struct outcome {
  enum class kind { equal, refused, failed };
  kind is = kind::failed;
  std::string words{};     // why it was refused or failed
  int integer_steps = 0;   // steps of the schedule that read or write integers
  bool averages = false;   // is one of them an average?
  double difference = -1;  // from PyTorch, in steps of the output; of the largest value for floats
};

/// A model, or why it is none in C++.
struct entry {
  std::string name{};
  outcome (*run)(const std::filesystem::path& stem) = nullptr;
  std::string reason{};
};

/// All that the files of this program register.
[[nodiscard]] std::vector<entry>& entries();

/// Registers models before main.
struct registration {
  registration(std::initializer_list<entry> some) {
    entries().insert(entries().end(), some.begin(), some.end());
  }
};

/// How far an output is from PyTorch's, as outcome::difference.
///   step  scale of the integers behind the output; 0 if it was computed in float
[[nodiscard]] double difference_of(const std::vector<float>& wanted, std::span<const float> got,
                                   double step);

/// The largest scale among the integers nearest to the output; 0 if there are none.
[[nodiscard]] double step_behind(ctq::graph_view<ctq::stage::lowered> g,
                                 std::span<const ctq::qparams> qparams);

/// Fills in what an outcome says of a schedule.
void look_at(std::span<const ctq::step> steps, outcome& o);

/// Observers as the version of the data has them; the plan is that of today.
inline constexpr auto semantics = ctq::semantics::torch_1_13;

/// Calls f with a view of each input; false: they have other sizes.
template <class... Input, class F>
bool with_inputs(ctq::tensor_list<Input...>, const input_bytes& x, F f) {
  std::size_t next = 0;
  if (x.size() != sizeof...(Input) || !((x[next++].size() == sizeof(Input{}.values)) && ...))
    return false;
  next = 0;
  const auto view = [&]<class T, int... Extent>(const ctq::tensor<T, Extent...>*) {
    constexpr std::size_t size = ctq::tensor<T, Extent...>::size;
    return ctq::tensor_view<const T, Extent...>(
        std::span<const T, size>(reinterpret_cast<const T*>(x[next++].data()), size));
  };
  const std::tuple views{view(static_cast<const Input*>(nullptr))...};  // in their order
  std::apply(f, views);
  return true;
}

/// The tensors that a model gives: one, or several in a tuple.
template <class T>
std::tuple<T&> parts_of(T& one) {
  return one;
}
template <class... T>
std::tuple<T&...> parts_of(std::tuple<T...>& several) {
  return std::apply([](T&... part) { return std::tie(part...); }, several);
}

template <const auto& Model, class Backend, class Mapping>
outcome compare(const std::filesystem::path& stem) {
  const auto failed = [](const ctq::error& e) { return outcome{.words = e.message()}; };
  const auto data = read_data(stem);
  if (!data) return failed(data.error());
  const auto weights = ctq::load_weights<Model>(stem.string() + ".safetensors");
  if (!weights) return failed(weights.error());

  auto observed =
      ctq::prepare<Model, Backend, Mapping, ctq::unsupported::skip>(*weights, semantics);
  using plan = typename decltype(observed)::plan;
  using output = typename decltype(observed)::output;
  constexpr typename decltype(observed)::inputs types;
  for (const input_bytes& x : data->calibration)
    if (!with_inputs(types, x, [&](const auto&... in) { observed(in...); }))
      return {.words = "calibration data of another shape"};
  const auto int8 = ctq::convert(observed);
  if (!int8) return failed(int8.error());
  auto oracle = ctq::interpreter<ctq::reference_kernels>::make(
      plan::lowered.view(), weights->get(), int8->qparams(), plan::backend, plan::mapping);
  if (!oracle) return failed(oracle.error());

  output ours;
  output expected;
  const auto of_ours = parts_of(ours), of_oracle = parts_of(expected);
  ctq::session session{*int8};
  const auto run = [&](const auto&... in) {
    std::apply([&](auto&... out) { session(in..., out...); }, of_ours);
    const void* const from[] = {in.data()...};
    std::apply(
        [&](auto&... out) {
          void* const to[] = {out.data()...};
          oracle->run(std::span(from), std::span(to));
        },
        of_oracle);
  };
  if (!with_inputs(types, data->evaluation, run)) return {.words = "inputs of another shape"};
  outcome o;
  look_at(std::span(plan::int8_schedule.steps).first(plan::int8_schedule.count), o);
  const double step = step_behind(plan::lowered.view(), int8->qparams());
  const auto& wanted = data->expected;
  if (!wanted.empty() && wanted.size() != std::tuple_size_v<decltype(of_ours)>)
    return {.words = "PyTorch gave another number of outputs"};
  bool equal = true;
  double largest = 0.0;
  std::size_t next = 0;
  const auto compare_part = [&](const auto& a, const auto& b) {
    equal = equal && std::memcmp(a.data(), b.data(), sizeof a.values) == 0;
    if (!wanted.empty())
      largest =
          std::max(largest, difference_of(wanted[next++], std::span<const float>(a.values), step));
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (compare_part(std::get<I>(of_ours), std::get<I>(of_oracle)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(of_ours)>>{});
  if (!equal) {
    o.words = "the compiled executor differs from the interpreter";
    return o;
  }
  o.is = outcome::kind::equal;
  o.difference = largest;
  return o;
}

/// Runs a model, or says what the compiler has against it.
template <const auto& Model, class Backend, class Mapping>
outcome check(const std::filesystem::path& stem) {
  using plan_check = ctq::plan_check<Model, Backend, Mapping, ctq::unsupported::skip>;
  if constexpr (plan_check::bad()) {
    return {.is = outcome::kind::refused, .words = std::string(plan_check::found.message())};
  } else {
    return compare<Model, Backend, Mapping>(stem);
  }
}

}  // namespace golden_models
