// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled executor gives the bytes of the scalar interpreter, on real images, for the
// instruction set that this file is compiled for.
//
//   executors DATA_DIR WEIGHTS IMAGES

#include <charconv>
#include <concepts>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "ctq/ctq.hpp"
#include "fashion_mnist/data_set.hpp"
#include "fashion_mnist/model.hpp"
#include "machine.hpp"

using namespace fashion_mnist;

namespace {

using plan = ctq::plan<network, ctq::x86, int8_everywhere>;

/// Steps of the plan with this code.
constexpr int steps_with(ctq::kernel_code_kind code) {
  int count = 0;
  for (int i = 0; i < plan::int8_schedule.count; ++i)
    count += plan::int8_schedule.steps[i].code == code ? 1 : 0;
  return count;
}
// Layers with kernels for their extents, among others that share theirs.
static_assert(steps_with(ctq::kernel_code_kind::specialized) > 0 &&
              steps_with(ctq::kernel_code_kind::shared) > 0);

}  // namespace

int main(int argc, char** argv) {
  if (!machine_runs_this_binary()) return 77;
  if (argc != 4) return 2;
  std::size_t images = 0;
  const std::string_view text = argv[3];
  std::from_chars(text.data(), text.data() + text.size(), images);
  const data_set test = read_data_set(argv[1], "t10k", images).value_or_exit();
  const auto weights = ctq::load_weights<network>(argv[2]).value_or_exit();

  auto observed = ctq::prepare<network, ctq::x86, int8_everywhere>(weights);
  for (std::size_t i = 0; i < 64; ++i) observed(test.images[i]);
  const auto int8 = ctq::convert(observed).value_or_exit();
  static_assert(std::same_as<plan, decltype(observed)::plan>);
  auto oracle =
      ctq::interpreter<ctq::reference_kernels>::make(plan::lowered.view(), weights.get(),
                                                     int8.qparams(), plan::backend, plan::mapping)
          .value_or_exit();

  ctq::session session{int8};
  ctq::tensor<float, 1, classes> ours;
  ctq::tensor<float, 1, classes> expected;
  std::size_t different = 0;
  for (const data_set::image& image : test.images) {
    session(image, ours);
    oracle.run(image.data(), expected.data());
    different += std::memcmp(ours.data(), expected.data(), sizeof ours.values) != 0 ? 1 : 0;
  }
  std::printf("%s: %zu of %zu images differ from the interpreter\n", ctq::isa::native::name.data(),
              different, test.size());
  return different == 0 && test.size() == images ? 0 : 1;
}
