// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// json: backends and qconfig mappings from and to JSON, at compile time (spec_from_json, to_json)
// and at run time (json::from_json, json::append_json).

#include "ctq/json/backend_file.hpp"
#include "ctq/json/document.hpp"
#include "ctq/json/draft.hpp"
#include "ctq/json/element.hpp"
#include "ctq/json/embedded_file.hpp"
#include "ctq/json/located.hpp"
#include "ctq/json/mapping_file.hpp"
#include "ctq/json/mapping_from_json.hpp"
#include "ctq/json/natural.hpp"
#include "ctq/json/nearest.hpp"
#include "ctq/json/number.hpp"
#include "ctq/json/op_declarations.hpp"
#include "ctq/json/position.hpp"
#include "ctq/json/read_backend.hpp"
#include "ctq/json/read_mapping.hpp"
#include "ctq/json/read_observer.hpp"
#include "ctq/json/read_pattern.hpp"
#include "ctq/json/reader.hpp"
#include "ctq/json/spec_file.hpp"
#include "ctq/json/spec_from_json.hpp"
#include "ctq/json/string.hpp"
#include "ctq/json/to_json.hpp"
#include "ctq/json/write.hpp"
#include "ctq/json/write_backend.hpp"
#include "ctq/json/write_mapping.hpp"
#include "ctq/json/write_observer.hpp"
