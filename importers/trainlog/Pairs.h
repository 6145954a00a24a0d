#pragma once
// The keys and values in the rest of a step's line.

#include "importers/trainlog/StepLine.h"

#include <string_view>
#include <vector>

namespace trainscope::importers::trainlog {

// "lm loss: 1.08E+01 | grad norm: 0.1 | lr 6.00e-04 | 123.4 ms | 48.4% bf16 MFU |": parts between
// bars, each a key with a value behind a colon or a blank, or a number with what it counts behind.
void readBars(std::string_view text, std::vector<LoggedValue>& values);

// The same between commas: "loss 2.3345, time 123.45ms, mfu 12.34%".
void readCommas(std::string_view text, std::vector<LoggedValue>& values);

// "loss:  7.86752  grad_norm: 28.1 tps: 9,236": a key without blanks, a colon, a value without
// blanks.
void readWords(std::string_view text, std::vector<LoggedValue>& values);

} // namespace trainscope::importers::trainlog
