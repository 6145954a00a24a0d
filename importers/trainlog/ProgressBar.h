#pragma once
// The state of a progress bar of tqdm: "10%|█  | 100/1000 [01:40<15:00,  1.00s/it, loss=2.3]".

#include <cstdint>
#include <optional>
#include <string_view>

namespace trainscope::importers::trainlog {

struct ProgressBar {
    std::int64_t done = 0;
    std::int64_t total = 0;
    double elapsedS = 0.0; // to the second
    std::optional<double> secondsEach; // one of them took, as of late
    std::string_view values; // behind the rate, up to the bracket
};
std::optional<ProgressBar> progressBarIn(std::string_view text);

} // namespace trainscope::importers::trainlog
