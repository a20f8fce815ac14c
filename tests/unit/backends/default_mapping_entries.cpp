// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/backends/default_mapping_entries.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/default_qconfig_mappings.hpp"

using namespace ctq;

namespace {

constexpr bool same(const mapping_entry& a, const mapping_entry& b) {
  return a.level == b.level && a.op == b.op && a.quantizes == b.quantizes && a.qconfig == b.qconfig;
}

/// Is the mapping that a name gives the one of the type?
template <class Mapping>
constexpr bool agree(const list<mapping_entry>& found) {
  if (found.size() != Mapping::entries.size()) return false;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!same(found[i], Mapping::entries[i])) return false;
  return true;
}

constexpr auto now = semantics::torch_2_1;
constexpr auto before = semantics::torch_1_13;

static_assert(agree<default_qconfig_mapping<x86>>(default_qconfig_mapping_entries("x86", false,
                                                                                  now)));
static_assert(agree<default_qconfig_mapping<qnnpack>>(default_qconfig_mapping_entries("qnnpack",
                                                                                      false, now)));
static_assert(agree<default_qat_qconfig_mapping<fbgemm>>(
    default_qconfig_mapping_entries("fbgemm", true, now)));
static_assert(agree<default_qat_qconfig_mapping<onednn, 0>>(
    default_qconfig_mapping_entries("onednn", true, now, 0)));

}  // namespace

TEST_CASE("PyTorch 1.13 lists the ops that fusion puts together, and not PReLU") {
  const list<mapping_entry> found = default_qconfig_mapping_entries("fbgemm", false, before);
  REQUIRE(found.size() == 37);
  CHECK(found[1].op == method::reshape.id());
  CHECK(found[2].op == nn::conv1d.id());
  CHECK(found[2].qconfig == found[0].qconfig);
  CHECK(found[21].op == nn::batch_norm3d.id());
  for (const mapping_entry& e : found) CHECK(e.op != nn::prelu.id());
}

TEST_CASE("where PyTorch raises an error there are no entries") {
  CHECK(default_qconfig_mapping_entries("mine", false, now).empty());
  CHECK(default_qconfig_mapping_entries("x86", true, now, 2).empty());
  CHECK(default_qconfig_mapping_entries("mine", true, before).size() == 37);
}
