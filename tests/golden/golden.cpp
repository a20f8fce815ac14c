// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares ctq with what PyTorch answered: golden DIR [--suite NAME]... [--semantics NAME]

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "suites.hpp"

namespace {

struct suite {
  const char* name;
  void (*run)(const golden::suite_file&, ctq::semantics, golden::report&);
};

constexpr suite suites[] = {
    {"observers", golden::run_observers},
    {"quantize", golden::run_quantize},
};

/// A suite that the folder does not have counts 0 cases.
bool run(const suite& s, const std::string& folder, ctq::semantics semantics) {
  golden::report report(s.name);
  try {
    if (const auto file = golden::suite_file::open(folder, s.name)) s.run(*file, semantics, report);
  } catch (const std::exception& e) {
    report.add("the suite", {golden::outcome::kind::failed, e.what()});
  }
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Compares ctq with golden data from PyTorch"};
  std::string folder;
  std::vector<std::string> chosen;
  auto semantics = ctq::semantics::torch_1_13;
  std::vector<std::string> names;
  for (const suite& s : suites) names.emplace_back(s.name);
  const std::map<std::string, ctq::semantics> versions{{"torch_1_13", ctq::semantics::torch_1_13},
                                                       {"torch_2_1", ctq::semantics::torch_2_1}};
  app.add_option("folder", folder, "where NAME.json and NAME.bin lie")->required();
  app.add_option("--suite", chosen, "run only this suite (may be repeated)")
      ->check(CLI::IsMember(names));
  app.add_option("--semantics", semantics, "whose behaviour ctq shall show")
      ->transform(CLI::CheckedTransformer(versions));
  CLI11_PARSE(app, argc, argv);

  bool ok = true;
  for (const suite& s : suites) {
    const bool wanted =
        chosen.empty() || std::find(chosen.begin(), chosen.end(), s.name) != chosen.end();
    if (wanted) ok = run(s, folder, semantics) && ok;
  }
  return ok ? 0 : 1;
}
