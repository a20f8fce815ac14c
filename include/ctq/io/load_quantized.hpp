// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/io/file_path.hpp"
#include "ctq/io/quantized_file.hpp"
#include "ctq/io/read_safetensors.hpp"
#include "ctq/runtime/converted_model.hpp"

// Loads int8 models that model.save wrote:
//
//   auto model = ctq::load_quantized<plan>("model.safetensors");

namespace ctq {

namespace quantized_file {

/// Describes the first line that differs: "line 3 is \"…\" in the file, \"…\" in the plan". A long
/// line is quoted from some words before the difference on.
template <int = 0>
[[nodiscard, gnu::cold]] std::string first_difference(std::string_view file,
                                                      std::string_view plan) {
  for (int line = 1;; ++line) {
    const auto next = [](std::string_view& text) {
      const std::string_view first = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), first.size() + 1));
      return first;
    };
    const bool file_ends = file.empty();
    const bool plan_ends = plan.empty();
    const std::string_view of_file = next(file);
    const std::string_view of_plan = next(plan);
    if (of_file == of_plan && !file_ends && !plan_ends) continue;
    auto from = static_cast<std::size_t>(
        std::mismatch(of_file.begin(), of_file.end(), of_plan.begin(), of_plan.end()).first -
        of_file.begin());
    constexpr std::size_t context = 20;
    if (from > 2 * context) {
      const std::size_t word = of_plan.rfind(' ', from - context);
      from = word == std::string_view::npos ? from : word + 1;
    } else {
      from = 0;
    }
    const auto quoted = [from](std::string_view text, bool ends) {
      return ends ? std::string{"not there"}
                  : sentence("\"", from == 0 ? "" : "... ", shown(text.substr(from)), "\"");
    };
    return sentence("line ", line, " is ", quoted(of_file, file_ends), " in the file, ",
                    quoted(of_plan, plan_ends), " in the plan");
  }
}

/// Checks that the file was saved by a model of this plan, and not changed since.
template <int = 0>
[[nodiscard, gnu::cold]] status check_identity(const tensor_file& file, const plan_identity& plan) {
  const auto value = [&file](std::string_view key) -> std::string_view {
    const auto at = file.metadata.find(key);
    return at == file.metadata.end() ? std::string_view{} : at->second;
  };
  if (value(keys::format) != format)
    return fail("metadata \"format\"",
                sentence("is \"", shown(value(keys::format)), "\", not \"", format,
                         "\": no int8 model that this release of ctq saves"));
  if (value(keys::checksum) != checksum_of(file.tensors, file.metadata))
    return fail("checksum", "does not match the contents: the file was changed or damaged");
  const auto same = [&](std::string_view key, std::string_view wanted) -> status {
    if (value(key) == wanted) return done{};
    return fail(sentence("metadata \"", key, "\""),
                "the file is of another plan: " + first_difference(value(key), wanted));
  };
  if (const status s = same(keys::backend, plan.backend); !s) return s;
  if (const status s = same(keys::steps, plan.steps); !s) return s;
  return same(keys::mapping, plan.mapping);
}

/// Shares the elements of integers, which `owner` keeps. Of a dtype that no state_dict has, only
/// the name is kept, for the error if the plan needs the tensor.
template <int = 0>
[[nodiscard, gnu::cold]] result<state_tensor> state_tensor_of(
    const stored_tensor& t, const std::shared_ptr<const std::byte[]>& owner) {
  state_tensor out{.name = t.name, .shape = {}, .floats = nullptr, .integers = nullptr};
  for (const std::int64_t extent : t.shape) {
    if (extent > std::numeric_limits<int>::max())
      return fail("tensor " + shown(t.name), "an extent is larger than any model's");
    out.shape.push_back(static_cast<int>(extent));
  }
  if (t.dtype == stored_dtype::i8) {
    out.integers = {owner, reinterpret_cast<const std::int8_t*>(t.data.data())};
    return out;
  }
  if (t.dtype == stored_dtype::u8) {
    out.bytes = {owner, reinterpret_cast<const std::uint8_t*>(t.data.data())};
    return out;
  }
  if (t.dtype != stored_dtype::f32) {
    out.other = name_of(t.dtype);
    return out;
  }
  auto elements = std::make_shared<std::vector<float>>(*values_of<float>(t));
  elements->push_back(0.0F);  // never empty: null means another dtype
  out.floats = {elements, elements->data()};
  return out;
}

/// The qparams of each observer; those of dynamic ones are not used.
/// Errors  a tensor that is missing, or of another dtype or shape
template <int = 0>
[[nodiscard, gnu::cold]] result<std::vector<qparams>> qparams_of(
    const tensor_file& file, span<const observed_activation> activations, int observers) {
  std::vector<qparams> all(static_cast<std::size_t>(observers));
  const auto read = [&file]<class T>(const std::string& name, span<T> to) -> status {
    const stored_tensor* const t = file.find(name);
    if (t == nullptr) return fail("tensor " + name, "is missing");
    const auto values = values_of<T>(*t);
    if (!values) return unexpected{values.error()};
    if (values->size() != to.size())
      return fail("tensor " + name, sentence("has ", values->size(), " elements, not ", to.size()));
    std::ranges::copy(*values, to.begin());
    return done{};
  };
  for (const observed_activation& a : activations) {
    qparams& q = all[static_cast<std::size_t>(a.observer)];
    std::int32_t range[] = {static_cast<std::int32_t>(a.range.min),
                            static_cast<std::int32_t>(a.range.max)};
    const std::string path = a.path();
    status ok = read(path + ".output_scale", span(&q.scale, 1));
    if (ok) ok = read(path + ".output_zero_point", span(&q.zero_point, 1));
    const std::string range_name = path + ".output_quant_range";
    if (ok && file.find(range_name) != nullptr) ok = read(range_name, span<std::int32_t>(range));
    if (!ok) return unexpected{ok.error()};
    q.quant_min = range[0];
    q.quant_max = range[1];
  }
  return all;
}

/// Checks the qparams that the steps of a plan use.
/// Errors  with the name of the tensor in the file
template <class Plan>
[[nodiscard, gnu::cold]] status check_file_qparams(span<const qparams> all) {
  const auto tensor_of = [](int observer, std::string_view part) {
    const auto activations = activations_of<Plan>.all();
    const auto at = std::ranges::find(activations, observer, &observed_activation::observer);
    return "tensor " + at->path() + ".output_" + std::string{part};
  };
  constexpr auto& schedule = Plan::int8_schedule;
  return check_qparams(span(schedule.steps).first(schedule.count), all, tensor_of);
}

/// The parameters and qparams in a file.
///   owner  keeps the data of the tensors alive; null if that is not necessary
template <class Plan>
[[nodiscard, gnu::cold]] result<quantized_state> state_of(
    const tensor_file& file, const std::shared_ptr<const std::byte[]>& owner) {
  if (const status s = check_identity(file, identity_of<Plan>()); !s) return unexpected{s.error()};
  auto qparams = qparams_of(file, activations_of<Plan>.all(), Plan::lowered.observers);
  if (!qparams) return unexpected{qparams.error()};
  if (const status s = check_file_qparams<Plan>(*qparams); !s) return unexpected{s.error()};
  quantized_state state{.tensors = {}, .qparams = *std::move(qparams)};
  for (const stored_tensor& t : file.tensors) {
    auto tensor = state_tensor_of(t, owner);
    if (!tensor) return unexpected{tensor.error()};
    state.tensors.set(*std::move(tensor));
  }
  return state;
}

/// The model in a file.
///   file  its name in errors
template <class Plan, class... Option>
[[nodiscard, gnu::cold]] result<converted_model<Plan, isa::of_models, Option...>> model_of(
    const result<tensor_file>& content, const std::shared_ptr<const std::byte[]>& owner,
    const std::string& file) {
  using model = converted_model<Plan, isa::of_models, Option...>;
  if (!content) return unexpected{content.error()};
  const auto in_file = [&file](const error& e) { return fail(file + ": " + e.place, e.cause); };
  auto state = state_of<typename model::plan>(*content, owner);
  if (!state) return in_file(state.error());
  auto loaded = [&] {
    if constexpr (requires { model::make(*std::move(state), std::string_view{}, false); }) {
      return model::make(*std::move(state), {}, false);
    } else {
      return model::make(*std::move(state), false);
    }
  }();
  if (!loaded) return in_file(loaded.error());
  return loaded;
}

}  // namespace quantized_file

/// The int8 model of a file that model.save wrote: its parameters are packed for the instruction
/// set, and the file is closed. Returns a result<quantized_model<…>>, or with the option dispatch a
/// result<dispatched_model<…>>.
///   Plan    that of the model that was saved
///   Option  as of convert: add_within_one_step if the model was converted with it, dispatch
/// Errors  as read_safetensors; a file that was changed or damaged, or is of another plan, with
///         what differs; as quantized_model::make or dispatched_model::make. With the file's name
template <compiled_plan Plan, code_option... Option>
[[nodiscard, gnu::cold]] result<converted_model<Plan, isa::of_models, Option...>> load_quantized(
    const file_path& path, Option...) {
  auto file = read_safetensors(path);
  std::shared_ptr<const std::byte[]> data;
  if (file) data = std::move(file->bytes);
  return quantized_file::model_of<Plan, Option...>(file, data, path.string());
}

/// The same for a file in memory, such as one that is part of the program.
template <compiled_plan Plan, code_option... Option>
[[nodiscard, gnu::cold]] result<converted_model<Plan, isa::of_models, Option...>> load_quantized(
    span<const std::byte> file, Option...) {
  const std::string name = "embedded model";
  return quantized_file::model_of<Plan, Option...>(view_safetensors(file, name), nullptr, name);
}

/// Another type than a plan: a compile error that says so.
template <class Other, class... Argument>
requires(!compiled_plan<Other>) status load_quantized(const Argument&...) {
  static_cast<void>(sizeof(report<plan_argument_check<Other>>));
  return done{};
}

}  // namespace ctq
