// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/load_quantized.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "../runtime/packing/gain_module.hpp"
#include "ctq/backends/executorch.hpp"
#include "ctq/backends/native.hpp"
#include "ctq/backends/qconfigs.hpp"
#include "quantized_net.hpp"

using namespace ctq;
using namespace ctq::literals;
using namespace quantized_net;

namespace {

std::string error_in(const std::string& path) {
  const auto loaded = load_quantized<net_plan>(path);
  return loaded ? "" : loaded.error().message();
}

/// Writes an int8 model whose checksum is right.
void write_with_checksum(const std::string& path, std::span<const stored_tensor> tensors,
                         metadata_map metadata) {
  metadata[std::string{quantized_file::keys::checksum}] =
      quantized_file::checksum_of(tensors, metadata);
  REQUIRE(write_safetensors(path, tensors, metadata));
}

/// The file of an int8 model, of which one tensor is replaced; the checksum is right.
template <class Plan = net_plan>
class forged_file {
 public:
  explicit forged_file(const quantized_model<Plan>& model = example<Plan>().model) {
    const temporary_file path;
    REQUIRE(model.save(path.name()));
    file_ = read_safetensors(path.name()).value_or_exit();
  }

  [[nodiscard]] std::size_t size_of(const char* name) const {
    return static_cast<std::size_t>(numel(tensor(name)));
  }

  /// What loading says if `change` was called with the elements of a tensor, of which there may be
  /// another number then: one axis.
  template <class T, class Change>
  [[nodiscard]] std::string with(const char* name, Change change) const {
    const stored_tensor& t = tensor(name);
    std::vector<T> values = values_of<T>(t).value_or_exit();
    const std::size_t before = values.size();
    change(values);
    const bool same = values.size() == before;
    return error_with(name, to_store<T>(name, same ? t.shape : one_axis(values.size()), values));
  }

  /// What loading says if the elements of a tensor are ones of another type.
  template <class T>
  [[nodiscard]] std::string as(const char* name) const {
    const std::vector<T> ones(size_of(name), T{1});
    return error_with(name, to_store<T>(name, tensor(name).shape, ones));
  }

 private:
  static std::vector<std::int64_t> one_axis(std::size_t n) {
    return {static_cast<std::int64_t>(n)};
  }
  static std::int64_t numel(const stored_tensor& t) {
    return std::accumulate(t.shape.begin(), t.shape.end(), std::int64_t{1}, std::multiplies<>{});
  }
  [[nodiscard]] const stored_tensor& tensor(const char* name) const {
    REQUIRE(file_.find(name) != nullptr);
    return *file_.find(name);
  }
  [[nodiscard]] std::string error_with(const std::string& name, const stored_tensor& forged) const {
    std::vector<stored_tensor> tensors = file_.tensors;
    for (stored_tensor& t : tensors)
      if (t.name == name) t = forged;
    const temporary_file path;
    write_with_checksum(path.name(), tensors, file_.metadata);
    const std::vector<char> bytes = bytes_of(path.name());
    const auto loaded = load_quantized<Plan>(std::as_bytes(std::span<const char>(bytes)));
    return loaded ? "" : loaded.error().message();
  }

  tensor_file file_;
};

/// A table of bytes, layers of dynamic integers, two inputs.
constexpr auto sequence =
    model("words"_n = nn::placeholder({1, 2}, i64), "x"_n = nn::placeholder({1, 2, 3}),
          "table"_n = nn::embedding("words"_n, {.num_embeddings = 4, .embedding_dim = 3}),
          "sum"_n = op::add("table"_n, "x"_n),
          "gru"_n = nn::gru("sum"_n, {.hidden_size = 2, .batch_first = true}),
          "y"_n = op::getitem("gru"_n, {.index = {0}}),
          "fc"_n = nn::linear("y"_n, {.out_features = 2}), "out"_n = nn::output("fc"_n));

template <class QConfig>
struct all_layers : qconfig_mapping<object_type<nn::gru, QConfig>, object_type<nn::linear, QConfig>,
                                    object_type<nn::embedding, float_qparams_weight_only_qconfig>> {
};
using dynamic = all_layers<default_dynamic_qconfig>;
using half = all_layers<float16_dynamic_qconfig>;

/// Each beginning of the file, and the file with each bit flipped, is an error.
template <class Plan>
void check_damage(std::vector<char>& bytes) {
  const auto file = std::as_bytes(std::span<const char>(bytes));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    CAPTURE(i);
    REQUIRE_FALSE(load_quantized<Plan>(file.first(i)));
    for (int bit = 0; bit < 8; ++bit) {
      const char before = bytes[i];
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      const auto loaded = load_quantized<Plan>(file);
      bytes[i] = before;
      CAPTURE(bit);
      REQUIRE_FALSE(loaded);
      REQUIRE(loaded.error().place.starts_with("embedded model"));
    }
  }
}

}  // namespace

TEST_CASE("a loaded model gives the bytes of the one that was saved") {
  const temporary_file path;
  REQUIRE(example().model.save(path.name()));
  const auto loaded = load_quantized<net_plan>(path.name());
  REQUIRE(loaded);
  CHECK(std::ranges::equal(loaded->qparams(), example().model.qparams()));
  CHECK((*loaded)(example().input).values == example().model(example().input).values);
}

TEST_CASE("a custom module is saved and loaded in its quantized form") {
  std::vector<tensor<float, 1, 3>> floats;
  const auto int8 = convert(gain_module::calibrated_model(floats)).value_or_exit();
  const temporary_file path;
  REQUIRE(int8.save(path.name()));
  const auto file = read_safetensors(path.name());
  REQUIRE(file);
  CHECK(file->find("gain.gain") == nullptr);
  CHECK(file->find("gain.log2_gain") == nullptr);
  const stored_tensor* const factor = file->find("gain.factor");
  REQUIRE(factor != nullptr);
  const custom_module_tensors made_from = gain_module::gain_functions::seen;
  CHECK(values_of<float>(*factor).value_or_exit() ==
        std::vector<float>{4.0F * made_from.inputs[0].scale / made_from.outputs[0].scale});

  // Loading calls no function of the user.
  gain_module::gain_functions::seen = {};
  const auto loaded = load_quantized<gain_module::planned>(path.name());
  REQUIRE(loaded);
  CHECK(gain_module::gain_functions::seen.path.empty());
  CHECK(std::ranges::equal(loaded->qparams(), int8.qparams()));
  for (int i = 0; i < 8; ++i)
    CHECK((*loaded)(gain_module::sample(i)).values == int8(gain_module::sample(i)).values);
}

TEST_CASE("a file that is part of the program is loaded from memory") {
  const temporary_file path;
  REQUIRE(example().model.save(path.name()));
  std::vector<char> bytes = bytes_of(path.name());
  bytes.insert(bytes.begin(), 'x');  // floats need not be aligned
  const auto file = std::as_bytes(std::span<const char>(bytes)).subspan(1);
  const auto loaded = load_quantized<net_plan>(file);
  REQUIRE(loaded);
  CHECK((*loaded)(example().input).values == example().model(example().input).values);
}

TEST_CASE("qparams whose integers do not fill the dtype's range come back") {
  auto state = example().model.state();
  for (qparams& q : state.qparams) q = {q.scale, 60, 0, 127};
  const auto narrow = quantized_model<net_plan>::make(state);
  REQUIRE(narrow);
  const temporary_file path;
  REQUIRE(narrow->save(path.name()));
  const auto loaded = load_quantized<net_plan>(path.name());
  REQUIRE(loaded);
  CHECK(std::ranges::equal(loaded->qparams(), state.qparams));
}

TEST_CASE("a file that is cut off or of which a bit is flipped, anywhere, is an error") {
  const temporary_file path;
  REQUIRE(example<mlp_plan>().model.save(path.name()));
  std::vector<char> bytes = bytes_of(path.name());
  check_damage<mlp_plan>(bytes);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);  // the data come last
  CHECK(load_quantized<mlp_plan>(std::as_bytes(std::span<const char>(bytes))).error().message() ==
        "embedded model: checksum: does not match the contents: the file was changed or damaged");
}

TEST_CASE("so is a file of tables and recurrent layers") {
  auto observed = prepare<sequence, native, dynamic>(small::checked_weights<sequence>(3));
  using sequence_plan = decltype(observed)::plan;
  const auto converted = convert(observed);
  REQUIRE(converted);
  const temporary_file path;
  REQUIRE(converted->save(path.name()));
  std::vector<char> bytes = bytes_of(path.name());
  const auto file = std::as_bytes(std::span<const char>(bytes));
  REQUIRE(load_quantized<sequence_plan>(file));
  check_damage<sequence_plan>(bytes);
  const auto other = load_quantized<plan<sequence, native, half>>(file);
  REQUIRE_FALSE(other);
  CHECK(other.error().message().starts_with(
      "embedded model: metadata \"ctq.steps\": the file is of another plan: line 3 is "
      "\"gru: rnn_dynamic"));
}

TEST_CASE("so is a file of weights that are quantized per group") {
  constexpr static auto layer =
      model("x"_n = nn::placeholder({2, 5}), "fc"_n = nn::linear("x"_n, {.out_features = 3}),
            "out"_n = nn::output("fc"_n));
  struct groups : qconfig_mapping<global<int8_dynamic_activation_int4_weight_qconfig<4>>> {};
  auto observed = prepare<layer, executorch, groups>(small::checked_weights<layer>(3));
  using plan = typename decltype(observed)::plan;
  const tensor<float, 2, 5> x{{1, -2, 3, -4, 5, 0.5F, 0, 0.25F, -1, 2}};
  observed(x);
  const auto int8 = convert(observed).value_or_exit();
  const temporary_file path;
  REQUIRE(int8.save(path.name()));
  const auto loaded = load_quantized<plan>(path.name());
  REQUIRE(loaded);
  CHECK((*loaded)(x).values == int8(x).values);
  const auto file = read_safetensors(path.name());
  REQUIRE(file);
  REQUIRE(file->find("fc.weight") != nullptr);
  CHECK(file->find("fc.weight")->shape == std::vector<std::int64_t>{3, 3});
  CHECK(file->find("fc.weight_scale")->shape == std::vector<std::int64_t>{3, 2});
  std::vector<char> bytes = bytes_of(path.name());
  check_damage<plan>(bytes);
}

TEST_CASE("a tensor without elements may still have an extent that is too large") {
  const stored_tensor empty{"fc.weight", stored_dtype::f32, {3'000'000'000, 0}, {}};
  CHECK(quantized_file::state_tensor_of(empty, nullptr).error().message() ==
        "tensor fc.weight: an extent is larger than any model's");
}

TEST_CASE("a file of another plan says what differs") {
  const temporary_file path;
  REQUIRE(example().model.save(path.name()));
  struct edge : backend_config<"edge", x86::config_list> {};
  const auto backend = load_quantized<plan<small::net, edge, small::int8>>(path.name());
  REQUIRE_FALSE(backend);
  CHECK(backend.error().place == path.name() + ": metadata \"ctq.backend\"");
  CHECK(backend.error().cause ==
        "the file is of another plan: line 1 is \"x86\" in the file, \"edge\" in the plan");
  const auto mapping = load_quantized<plan<small::net, x86, small::per_tensor>>(path.name());
  REQUIRE_FALSE(mapping);
  CHECK(mapping.error().place == path.name() + ": metadata \"ctq.qconfig_mapping\"");
  const auto network = load_quantized<plan<small::mlp, x86, small::int8>>(path.name());
  REQUIRE_FALSE(network);
  CHECK(network.error().place == path.name() + ": metadata \"ctq.steps\"");
  CHECK(network.error().cause.find("in the file, \"0: quantize") == std::string::npos);
  const auto sums = load_quantized<net_plan>(path.name(), add_within_one_step);
  REQUIRE_FALSE(sums);
  CHECK(sums.error().cause.find("add_within_one_step") != std::string::npos);
}

TEST_CASE("of long lines that differ the difference is shown") {
  const std::string start =
      "0: y, torch.nn.LeakyReLU, quint8 to quint8, 144 [144], observers 0 -1 1,";
  CHECK(quantized_file::first_difference(start + " options 17 9", start + " options 18 9") ==
        "line 1 is \"... observers 0 -1 1, options 17 9\" in the file, \"... observers 0 -1 1, "
        "options 18 9\" in the "
        "plan");
  CHECK(quantized_file::first_difference("a\n" + start, "a\n" + start + " options 1") ==
        "line 2 is \"... [144], observers 0 -1 1,\" in the file, \"... [144], observers 0 -1 1, "
        "options 1\" in "
        "the plan");
  CHECK(quantized_file::first_difference(start, start + "\nb") ==
        "line 2 is not there in the file, \"b\" in the plan");
  CHECK(quantized_file::first_difference("near x", "near y") ==
        "line 1 is \"near x\" in the file, \"near y\" in the plan");
}

TEST_CASE("what is no int8 model is an error that says so") {
  const temporary_file path;
  const float one = 1.0F;
  const stored_tensor tensors[] = {to_store<float>("w", {}, {&one, 1})};
  REQUIRE(write_safetensors(path.name(), tensors, {{"format", "pt"}}));
  CHECK(error_in(path.name()) ==
        path.name() +
            ": metadata \"format\": is \"pt\", not \"ctq int8 model 1\": no int8 model that this "
            "release of ctq saves");
  CHECK(error_in("/nonexistent/model.safetensors").find("cannot be opened") != std::string::npos);
}

TEST_CASE("a tensor that is missing is named, also if the checksum is right") {
  const temporary_file path;
  REQUIRE(example().model.save(path.name()));
  const auto file = read_safetensors(path.name());
  REQUIRE(file);
  for (const std::string name : {"conv1.weight", "fc.bias", "x.output_scale"}) {
    std::vector<stored_tensor> rest;
    for (const stored_tensor& t : file->tensors)
      if (t.name != name) rest.push_back(t);
    write_with_checksum(path.name(), rest, file->metadata);
    CHECK(error_in(path.name()) == path.name() + ": tensor " + name + ": is missing");
  }
}

TEST_CASE("scales and zero points that no quantization has are named as in the file") {
  const forged_file<> file;
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const auto with_scale = [&file](const char* name, float scale) {
    return file.with<float>(name, [scale](std::vector<float>& values) { values.back() = scale; });
  };
  for (const char* name : {"conv1.weight_scale", "fc.weight_scale", "x.output_scale"}) {
    CAPTURE(name);
    const std::string place = "embedded model: tensor " + std::string{name};
    CHECK(with_scale(name, -0.5F) == place + ": the scale -0.5 is not positive");
    CHECK(with_scale(name, 0.0F) == place + ": the scale 0 is not positive");
    CHECK(with_scale(name, nan) == place + ": the scale nan is not positive");
    CHECK(with_scale(name, inf) ==
          place + ": the scale inf is too large: at most 2^118, or 255 steps of it leave float32");
  }
  CHECK(file.with<std::int32_t>("x.output_zero_point", [](auto& z) { z = {256}; }) ==
        "embedded model: tensor x.output_zero_point: the zero point 256 is not in [0, 255]");
  CHECK(file.with<std::int32_t>("fc.output_zero_point", [](auto& z) { z = {-1}; }) ==
        "embedded model: tensor fc.output_zero_point: the zero point -1 is not in [0, 255]");
  CHECK(file.with<float>("fc.bias", [](auto& bias) { bias[0] = nan; }) ==
        "embedded model: tensor fc.bias: a value is NaN");
}

TEST_CASE("so are the scales of tables and of recurrent layers") {
  auto observed = prepare<sequence, native, dynamic>(small::checked_weights<sequence>(3));
  using sequence_plan = decltype(observed)::plan;
  const forged_file<sequence_plan> file{convert(observed).value_or_exit()};
  for (const char* name : {"table.weight_scale", "gru.weight_hh_l0_scale", "fc.weight_scale"}) {
    CAPTURE(name);
    CHECK(file.with<float>(name, [](auto& scale) { scale.back() = -1.0F; }) ==
          "embedded model: tensor " + std::string{name} + ": the scale -1 is not positive");
  }
  CHECK(file.as<std::int16_t>("table.weight") ==
        "embedded model: tensor table.weight: has I16 elements, the plan needs quint8, U8 in a "
        "file");
}

TEST_CASE("a range of integers that the dtype does not have is named as in the file") {
  auto state = example().model.state();
  for (qparams& q : state.qparams) q = {q.scale, 60, 0, 127};
  const forged_file file{quantized_model<net_plan>::make(state).value_or_exit()};
  const auto with_range = [&file](std::int32_t min, std::int32_t max) {
    return file.with<std::int32_t>("x.output_quant_range", [=](auto& r) { r = {min, max}; });
  };
  const std::string place = "embedded model: tensor x.output_quant_range: ";
  CHECK(with_range(0, 127).empty());
  CHECK(with_range(100, 50) == place + "quant_min 100 is larger than quant_max 50");
  CHECK(with_range(0, 256) == place + "the integers [0, 256] are not all in quint8, [0, 255]");
}

TEST_CASE("a tensor of another dtype or length says what it has and what the plan needs") {
  const forged_file<> file;
  const auto as = [&file]<class To>(const char* name, To) { return file.as<To>(name); };
  const std::string place = "embedded model: tensor ";
  CHECK(as("fc.weight", std::int64_t{}) ==
        place + "fc.weight: has I64 elements, the plan needs qint8, I8 in a file");
  CHECK(as("fc.weight", std::int32_t{}) ==
        place + "fc.weight: has I32 elements, the plan needs qint8, I8 in a file");
  CHECK(as("fc.weight", std::uint8_t{}) ==
        place + "fc.weight: has quint8 elements, the plan needs qint8");
  CHECK(as("fc.bias", double{}) ==
        place + "fc.bias: has F64 elements, the plan needs float32, F32 in a file");
  CHECK(as("fc.weight_scale", double{}) ==
        place + "fc.weight_scale: has F64 elements, the plan needs float32, F32 in a file");
  CHECK(as("x.output_zero_point", std::int64_t{}) ==
        place + "x.output_zero_point: holds I64, I32 was asked for");
  CHECK(as("x.output_scale", double{}) == place + "x.output_scale: holds F64, F32 was asked for");
  CHECK(file.with<float>("x.output_scale", [](auto& scale) { scale.resize(2, 1.0F); }) ==
        place + "x.output_scale: has 2 elements, not 1");
  CHECK(file.with<float>("fc.weight_scale", [](auto& scale) { scale.pop_back(); }) ==
        place + "fc.weight_scale: shape is [" + std::to_string(file.size_of("fc.bias") - 1) +
            "], the plan needs [" + std::to_string(file.size_of("fc.bias")) + "]");
}
