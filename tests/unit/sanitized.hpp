// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// CTQ_TEST_SANITIZED: whether this is compiled with the address sanitizer, which takes memory of
// its own.

#ifdef __SANITIZE_ADDRESS__
#define CTQ_TEST_SANITIZED 1
#elif defined(__has_feature)
#define CTQ_TEST_SANITIZED __has_feature(address_sanitizer)
#else
#define CTQ_TEST_SANITIZED 0
#endif
