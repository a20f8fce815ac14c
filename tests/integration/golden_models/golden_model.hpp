// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <tuple>
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
  std::vector<float> expected;  // empty: PyTorch could not run it
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

/// How far the output is from PyTorch's, as outcome::difference.
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
  ctq::session session{*int8};
  const auto run = [&](const auto&... in) {
    session(in..., ours);
    const void* const from[] = {in.data()...};
    void* const to[] = {expected.data()};
    oracle->run(std::span(from), std::span(to));
  };
  if (!with_inputs(types, data->evaluation, run)) return {.words = "inputs of another shape"};
  outcome o;
  look_at(std::span(plan::int8_schedule.steps).first(plan::int8_schedule.count), o);
  if (std::memcmp(ours.data(), expected.data(), sizeof ours.values) != 0) {
    o.words = "the compiled executor differs from the interpreter";
    return o;
  }
  o.is = outcome::kind::equal;
  o.difference = difference_of(data->expected, ours.values,
                               step_behind(plan::lowered.view(), int8->qparams()));
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
