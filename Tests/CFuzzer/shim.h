#pragma once
#include <stddef.h>
#include <stdint.h>

/* libFuzzer's main loop: https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library */
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*input)(const uint8_t *data, size_t size));
