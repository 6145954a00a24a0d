#pragma once
// Sensitivity: what a step of a job would take if one thing about it were otherwise. Pure; any
// thread.

#include "core/predict/prediction/Prediction.h"
#include "core/predict/search/Search.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::predict {

enum class WhatIf {
    LinkBandwidth, // scale-up
    NetworkBandwidth, // scale-out
    MemoryBandwidth,
    MemorySize,
    GlobalBatch, // in whole micro-batches of each replica
    MicroBatch, // of the same global batch
    Sequence,
    PowerLimit, // of a GPU
};
inline constexpr std::array kAllWhatIfs{WhatIf::LinkBandwidth, WhatIf::NetworkBandwidth,
    WhatIf::MemoryBandwidth, WhatIf::MemorySize, WhatIf::GlobalBatch, WhatIf::MicroBatch,
    WhatIf::Sequence, WhatIf::PowerLimit};
std::string_view toString(WhatIf what); // "link_bandwidth", …
std::string_view titleOf(WhatIf what); // for people: "Link bandwidth"

// Factors on a job's own value, beside 1.
inline constexpr std::array kWhatIfFactors{0.5, 0.8, 1.25, 2.0};

struct WhatIfPoint {
    double factor = 1.0;
    double seconds = 0.0; // of a step
    double low = 0.0; // 90 % interval
    double high = 0.0;
    double tokensPerSecondPerGpu = 0.0;
    double memoryB = 0.0;
    bool isOom = false;
};

struct Sensitivity {
    WhatIf what = WhatIf::LinkBandwidth;
    std::optional<double> value; // SI; absent: not known, and neither are points
    std::vector<WhatIfPoint> points; // of kWhatIfFactors those that can be
    // d log(seconds) / d log(value) between the points next to 1: −1 where all of the step is bound
    // by it, 0 where nothing is.
    std::optional<double> elasticity;
};

// The job with that times `factor`; absent where it cannot be so.
std::optional<Job> withFactor(const Job& job, WhatIf what, double factor);

// Sensitivities to all of kAllWhatIfs. Errors are those of Predictor::predict(job).
Result<std::vector<Sensitivity>> sensitivitiesOf(
    const Job& job, const Predictor& predictor = Predictor());

// The best layout of a search if the GPUs had other memory: more of it makes no layout faster, but
// others possible.
struct MemoryChange {
    double factor = 1.0; // on what each GPU has
    std::optional<RankedLayout> best; // absent: none is possible
};
// Half and twice of it; none where the memory is not known. Errors are those of searchLayouts().
Result<std::vector<MemoryChange>> memoryChangesOf(const SearchRequest& request,
    const Predictor& predictor = Predictor(), const Progress& progress = {});

} // namespace trainscope::predict
