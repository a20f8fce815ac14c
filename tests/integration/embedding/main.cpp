// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A backend that is a file: read and checked while the program compiles.

#include <cstdio>
#include <ctq/json/spec_from_json.hpp>
#include <ctq/spec/validate.hpp>

#include "npu.json.hpp"

struct npu : ctq::spec_from_json<npu_json> {};

static_assert(ctq::backend_v<npu>.name == "npu");
static_assert(ctq::backend_v<npu>.configs.size() == 2);
ctq::checked_backend<npu> checked;

int main() { std::fwrite(npu_json.text.data(), 1, npu_json.text.size(), stdout); }
