// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The complete workflow for a network: float weights trained with PyTorch, calibration, int8
// inference, and the resulting accuracy and speed. The int8 model is saved; a second program, which
// ships, loads it and must compute the same.
//
//   fashion_mnist [--data DIR] [--weights FILE] [--picture FILE] [--model FILE] [--shipped PROGRAM]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctq/ctq.hpp>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "data_set.hpp"
#include "model.hpp"
#include "support/allocation_counter.hpp"
#include "support/checksum.hpp"
#include "support/picture.hpp"
#include "support/progress_bar.hpp"

namespace {

using namespace fashion_mnist;

constexpr std::size_t test_images = 10000;
constexpr std::size_t calibration_images = 512;

using logits = ctq::tensor<float, 1, classes>;

int best_class(const logits& y) {
  return static_cast<int>(std::max_element(y.begin(), y.end()) - y.begin());
}

struct answers {
  std::vector<int> classes;
  double accuracy{};
  std::size_t allocations{};  // during the run of the model, not of this function
  demo::checksum outputs{};
};

template <class Model>
answers evaluate(Model& model, const data_set& data) {
  answers a{.classes = std::vector<int>(data.size())};
  std::size_t right = 0;
  logits y;
  const std::size_t before = demo::allocations();
  for (std::size_t i = 0; i < data.size(); ++i) {
    model(data.images[i], y);
    a.classes[i] = best_class(y);
    a.outputs.add(std::as_bytes(std::span(y.values)));
    right += a.classes[i] == data.labels[i] ? 1 : 0;
  }
  a.allocations = demo::allocations() - before;
  a.accuracy = static_cast<double>(right) / static_cast<double>(data.size());
  return a;
}

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

/// µs per image, the median of many windows; the two models alternate, so that disturbances affect
/// both.
template <class First, class Second>
std::pair<double, double> time_both(First& first, Second& second, const data_set& data) {
  constexpr std::size_t rounds = 60;
  constexpr std::size_t window = 100;
  std::vector<double> times[2];
  logits y;
  const auto once = [&](auto& model, std::size_t begin) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < window; ++i) model(data.images[(begin + i) % data.size()], y);
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
               .count() /
           static_cast<double>(window);
  };
  for (std::size_t r = 0; r < rounds; ++r) {
    times[0].push_back(once(first, r * window));
    times[1].push_back(once(second, r * window));
  }
  return {median(times[0]), median(times[1])};
}

/// Some images with both predictions, those where float and int8 differ first.
ctq::status draw(const std::string& path, const data_set& data, const answers& in_float,
                 const answers& in_int8) {
  constexpr std::size_t shown = 24;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < data.size() && chosen.size() < shown / 3; ++i)
    if (in_float.classes[i] != in_int8.classes[i]) chosen.push_back(i);
  for (std::size_t i = 0; chosen.size() < shown && i < data.size(); ++i) chosen.push_back(i);
  std::vector<demo::captioned_image> images;
  for (const std::size_t i : chosen)
    images.push_back({.pixels = data.pixels[i],
                      .title = std::string("float ") + class_name[in_float.classes[i]],
                      .caption = std::string("int8  ") + class_name[in_int8.classes[i]],
                      .right = in_int8.classes[i] == data.labels[i]});
  return demo::write_contact_sheet(path, images, 6);
}

/// What the second program says of itself.
struct shipped_program {
  bool same = false;  // all its outputs
  double load_ms{};
  std::size_t arena_bytes{};
  std::uintmax_t binary_bytes{};
};

/// As one word of a shell command.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return text + "'";
}

/// Runs it with the model that was saved.
shipped_program run_shipped(const std::map<std::string, std::string>& option,
                            const answers& expected) {
  const std::string& program = option.at("--shipped");
  shipped_program s;
  std::error_code missing;
  const std::uintmax_t bytes = std::filesystem::file_size(program, missing);
  if (missing) return s;
  s.binary_bytes = bytes;
  const std::string command = quoted(program) + " " + quoted(option.at("--model")) + " --data " +
                              quoted(option.at("--data"));
  std::FILE* const output = ::popen(command.c_str(), "r");
  if (output == nullptr) return s;
  unsigned long long checksum = 0;
  std::size_t images = 0;
  const int read =
      std::fscanf(output, "shipped: images=%zu checksum=%llx load_ms=%lf arena_bytes=%zu", &images,
                  &checksum, &s.load_ms, &s.arena_bytes);
  s.same = ::pclose(output) == 0 && read == 4 && images == expected.classes.size() &&
           checksum == expected.outputs.value();
  return s;
}

int run(const std::map<std::string, std::string>& option) {
  const data_set test = read_data_set(option.at("--data"), "t10k", test_images).value_or_exit();
  const data_set train =
      read_data_set(option.at("--data"), "train", calibration_images).value_or_exit();
  const auto weights = ctq::load_weights<network>(option.at("--weights")).value_or_exit();

  ctq::float_model<network, ctq::x86> in_float{weights};
  const answers float_answers = evaluate(in_float, test);

  auto observed = ctq::prepare<network, ctq::x86, int8_everywhere>(weights);
  {
    demo::progress_bar bar{"calibrating on " + std::to_string(train.size()) + " images",
                           train.size()};
    for (const data_set::image& image : train.images) {
      observed(image);
      bar.advance();
    }
  }
  const auto int8 = ctq::convert(observed).value_or_exit();
  ctq::session in_int8{int8};
  const answers int8_answers = evaluate(in_int8, test);
  int8.save(option.at("--model")).value_or_exit();
  const shipped_program shipped = run_shipped(option, int8_answers);

  const auto [float_us, int8_us] = time_both(in_float, in_int8, test);
  std::size_t same = 0;
  for (std::size_t i = 0; i < test.size(); ++i)
    same += float_answers.classes[i] == int8_answers.classes[i] ? 1 : 0;

  static constexpr auto explanation = ctq::explain<network, ctq::x86, int8_everywhere>();
  constexpr std::string_view plan = ctq::explanation_text<explanation>();
  std::printf("\n%.*s\n", static_cast<int>(plan.size()), plan.data());

  std::size_t float_bytes = 0;
  for (const ctq::weight_tensor& t : weights.get().tensors())
    float_bytes += t.values.size() * sizeof(float);
  const auto row = [](const char* what, const std::string& f, const std::string& i) {
    std::printf("%-28s %14s %14s\n", what, f.c_str(), i.c_str());
  };
  const auto text = [](const char* format, auto value) {
    char s[40];
    std::snprintf(s, sizeof s, format, value);
    return std::string{s};
  };
  using model = std::remove_cvref_t<decltype(int8)>;
  std::printf("Fashion-MNIST, %zu test images, one thread\n\n", test.size());
  row("", "float", "int8");
  row("accuracy", text("%.2f %%", 100 * float_answers.accuracy),
      text("%.2f %%", 100 * int8_answers.accuracy));
  row("same answer as float", "",
      text("%.2f %%", 100.0 * static_cast<double>(same) / static_cast<double>(test.size())));
  row("time an image (median)", text("%.1f us", float_us), text("%.1f us", int8_us));
  row("speed-up", "", text("%.2f x", float_us / int8_us));
  row("weights", text("%zu bytes", float_bytes), text("%zu bytes", int8.weight_bytes()));
  row("arena", text("%zu bytes", in_float.arena_bytes), text("%zu bytes", model::arena_bytes));
  row("allocations in 10000 runs", text("%zu", float_answers.allocations),
      text("%zu", int8_answers.allocations));
  row("instruction set", "", std::string{model::isa::name});
  std::printf("\nthe program that ships: %s\n", option.at("--shipped").c_str());
  row("  size", "", text("%zu KB", std::size_t{shipped.binary_bytes / 1024}));
  row("  load and pack the model", "", text("%.1f ms", shipped.load_ms));
  row("  arena", "", text("%zu bytes", shipped.arena_bytes));
  row("  same outputs", "", shipped.same ? "all" : "NO");

  draw(option.at("--picture"), test, float_answers, int8_answers).value_or_exit();
  std::printf("\nsome images with both answers: %s\n", option.at("--picture").c_str());

  std::printf(
      "demo: float_acc=%.4f int8_acc=%.4f float_us=%.1f int8_us=%.1f arena_bytes=%zu "
      "allocations=%zu isa=%s shipped=%s load_ms=%.1f binary_kb=%zu\n",
      float_answers.accuracy, int8_answers.accuracy, float_us, int8_us, model::arena_bytes,
      int8_answers.allocations, std::string{model::isa::name}.c_str(),
      shipped.same ? "ok" : "FAILED", shipped.load_ms, std::size_t{shipped.binary_bytes / 1024});
  return shipped.same ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> option = {
      {"--data", "/usr/share/datasets/fashion-mnist"},
      {"--weights", "examples/fashion_mnist/fashion_mnist.safetensors"},
      {"--picture", "fashion_mnist.png"},
      {"--model", "fashion_mnist.int8.safetensors"},
      {"--shipped", (std::filesystem::absolute(argv[0]).parent_path() / "shipped").string()}};
  for (int i = 1; i < argc; i += 2) {
    if (!option.contains(argv[i]) || i + 1 == argc) {
      std::fprintf(stderr,
                   "usage: %s [--data DIR] [--weights FILE] [--picture FILE] [--model FILE] "
                   "[--shipped PROGRAM]\n",
                   argv[0]);
      return 2;
    }
    option[argv[i]] = argv[i + 1];
  }
  return run(option);
}
