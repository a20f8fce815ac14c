// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantizes a model traced by torch.fx at run time: read, fuse, place observers, calibrate,
// convert, lower; and compares each layer with the float model.
//
//   04_traced_model NET.json NET.safetensors

#include <cstdio>
#include <cstdlib>
#include <ctq/backends/default_qconfig_mappings.hpp>
#include <ctq/backends/x86.hpp>
#include <ctq/evaluate/calibrated_qparams.hpp>
#include <ctq/evaluate/compare.hpp>
#include <ctq/evaluate/evaluator.hpp>
#include <ctq/io/load_modules.hpp>
#include <ctq/io/read_fx.hpp>
#include <ctq/passes/convert.hpp>
#include <ctq/passes/fuse.hpp>
#include <ctq/passes/lower/lower.hpp>
#include <ctq/passes/prepare.hpp>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

using ctq::stage;

std::string text_of(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return std::move(text).str();
}

/// A data set would be read here.
std::vector<ctq::node_value> random_input(std::mt19937& bits) {
  ctq::float_ops::tensor x = ctq::float_ops::filled<float>({1, 3, 32, 32});
  std::normal_distribution<float> normal;
  for (float& v : x.data) v = normal(bits);
  return {std::move(x)};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: 04_traced_model NET.json NET.safetensors\n");
    return EXIT_FAILURE;
  }
  // [passes]
  const ctq::fx_graph traced = ctq::read_fx(text_of(arguments[1])).value_or_exit();
  const ctq::module_state modules = ctq::load_modules(traced, arguments[2]).value_or_exit();

  const ctq::backend_view& backend = ctq::backend_v<ctq::x86>;
  const auto qconfigs = ctq::default_qconfig_mapping_entries("x86", /*is_qat=*/false);
  const ctq::mapping_view mapping{qconfigs.begin(), static_cast<int>(qconfigs.size())};
  const auto fused = ctq::fuse(traced.view(), backend);
  const auto prepared = ctq::prepare_graph(fused.view(), backend, mapping, ctq::unsupported::skip);
  // [passes]

  // Calibration: the observers record the ranges of the activations.
  std::mt19937 bits{1};
  // [calibrate]
  ctq::observer_set observers;
  ctq::evaluator<stage::prepared, ctq::fast_kernels> calibrate(prepared.view(), modules,
                                                               {.observers = &observers});
  for (int i = 0; i < 32; ++i) calibrate.forward(random_input(bits)).value_or_exit();
  const ctq::model_qparams qparams =
      ctq::calibrated_qparams(prepared.view(), observers).value_or_exit();
  // [calibrate]

  // Compares integers with floats, on data that was not used for calibration.
  // [compare]
  const auto reference = ctq::convert_graph(prepared.view(), backend, mapping);
  const auto lowered = ctq::lower(reference.view());
  ctq::evaluator<stage::fused, ctq::fast_kernels> floats(fused.view(), modules, {});
  ctq::evaluator<stage::lowered, ctq::fast_kernels> integers(lowered.view(), modules,
                                                             {.qparams = &qparams});
  std::vector<std::vector<ctq::node_value>> data;
  for (int i = 0; i < 8; ++i) data.push_back(random_input(bits));
  const auto layers = ctq::compare(floats, integers, data).value_or_exit();
  // [compare]
  std::printf("layer                SQNR, dB   largest difference, steps\n");
  for (const ctq::layer_difference& layer : layers)
    std::printf("%-20s %8.1f   %8.2f\n", layer.name.c_str(), layer.sqnr, layer.largest_in_steps);

  // Eight bits give about 40 dB; a much lower value indicates a problem.
  return layers.empty() || layers.back().sqnr < 25.0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
