// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What most of the program includes and takes long to read, once for all of it. The compiler reads
// it as a main file, in which it would complain of #pragma once.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../../unit/ops_elsewhere.hpp"

#include "../../unit/kernels_elsewhere.hpp"
#include "ctq/passes.hpp"
