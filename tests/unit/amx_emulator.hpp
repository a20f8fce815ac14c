// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Emulates AMX instructions on a processor without AMX, in a signal handler for illegal
/// instructions. A few microseconds per instruction; one thread only.
void emulate_amx();
