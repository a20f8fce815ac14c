// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares ctq with what PyTorch answered: golden DIR [--suite NAME]... [--semantics NAME]
// golden DIR --write-fx TO [--case NAME]... writes its models instead, for `ctq import`.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "suites.hpp"
#include "written_models.hpp"

namespace {

struct suite {
  const char* name;
  void (*run)(const std::filesystem::path&, ctq::semantics, golden::report&);
};

/// A suite that is one file. One that the folder does not have counts 0 cases.
template <const char* Name, void (*Run)(const golden::suite_file&, ctq::semantics, golden::report&)>
void run_file(const std::filesystem::path& folder, ctq::semantics s, golden::report& report) {
  if (const auto file = golden::suite_file::open(folder, Name)) Run(*file, s, report);
}

constexpr char fusion[] = "fusion";
constexpr char observers[] = "observers";
constexpr char observers_2_1[] = "observers_2_1";
constexpr char quantize[] = "quantize";
constexpr char qconfigs[] = "qconfigs";
constexpr char custom_lstm[] = "custom_lstm";

constexpr suite suites[] = {
    {observers, run_file<observers, golden::run_observers>},
    {observers_2_1, run_file<observers_2_1, golden::run_observers_2_1>},
    {fusion, run_file<fusion, golden::run_fusion>},
    {quantize, run_file<quantize, golden::run_quantize>},
    {qconfigs, run_file<qconfigs, golden::run_qconfigs>},
    {custom_lstm, run_file<custom_lstm, golden::run_custom_lstm>},
    {"qconfig_match", golden::run_qconfig_match},
    {"models", golden::run_models},
    {"backend_configs", golden::run_backend_configs},
};

bool run(const suite& s, const std::string& folder, ctq::semantics semantics) {
  golden::report report(s.name);
  try {
    s.run(folder, semantics, report);
  } catch (const std::exception& e) {
    report.add("the suite", {golden::outcome::kind::failed, e.what()});
  }
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Compares ctq with golden data from PyTorch"};
  std::string folder, models;
  std::vector<std::string> chosen, cases;
  auto semantics = ctq::semantics::torch_1_13;
  std::vector<std::string> names;
  for (const suite& s : suites) names.emplace_back(s.name);
  const std::map<std::string, ctq::semantics> versions{{"torch_1_13", ctq::semantics::torch_1_13},
                                                       {"torch_2_1", ctq::semantics::torch_2_1}};
  app.add_option("folder", folder, "where NAME.json and NAME.bin lie")
      ->required()
      ->check(CLI::ExistingDirectory);
  app.add_option("--suite", chosen, "run only this suite (may be repeated)")
      ->check(CLI::IsMember(names));
  app.add_option("--semantics", semantics, "whose behaviour ctq shall show")
      ->transform(CLI::CheckedTransformer(versions));
  auto* write_fx = app.add_option("--write-fx", models,
                                  "only write the models there, as `ctq import` reads them");
  app.add_option("--case", cases, "write only this model (may be repeated)")->needs(write_fx);
  CLI11_PARSE(app, argc, argv);
  if (!models.empty()) {
    try {
      golden::write_models(folder, models, cases);
      return 0;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "golden: %s\n", e.what());
      return 1;
    }
  }

  bool ok = true;
  for (const suite& s : suites) {
    const bool wanted =
        chosen.empty() || std::find(chosen.begin(), chosen.end(), s.name) != chosen.end();
    if (wanted) ok = run(s, folder, semantics) && ok;
  }
  return ok ? 0 : 1;
}
