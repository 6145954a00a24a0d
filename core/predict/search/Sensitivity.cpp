#include "core/predict/search/Sensitivity.h"

#include "core/model/EnumNames.h"
#include "core/model/Try.h"
#include "core/predict/power/GpuPower.h"

#include <cmath>
#include <utility>

namespace trainscope::predict {

namespace {

constexpr auto kWhatIfNames = enumNames<WhatIf>(
    {{WhatIf::LinkBandwidth, "link_bandwidth"}, {WhatIf::NetworkBandwidth, "network_bandwidth"},
        {WhatIf::MemoryBandwidth, "memory_bandwidth"}, {WhatIf::MemorySize, "memory_size"},
        {WhatIf::GlobalBatch, "global_batch"}, {WhatIf::MicroBatch, "micro_batch"},
        {WhatIf::Sequence, "sequence"}, {WhatIf::PowerLimit, "power_limit"}});
constexpr auto kWhatIfTitles = enumNames<WhatIf>(
    {{WhatIf::LinkBandwidth, "Link bandwidth"}, {WhatIf::NetworkBandwidth, "Network bandwidth"},
        {WhatIf::MemoryBandwidth, "Memory bandwidth"}, {WhatIf::MemorySize, "Memory size"},
        {WhatIf::GlobalBatch, "Global batch"}, {WhatIf::MicroBatch, "Micro-batch"},
        {WhatIf::Sequence, "Sequence length"}, {WhatIf::PowerLimit, "Power limit"}});

std::optional<int> wholeTimes(int number, double factor) {
    const double product = number * factor;
    const double whole = std::round(product);
    if (whole < 1.0 || std::abs(product - whole) > 1e-9 * product)
        return std::nullopt;
    return static_cast<int>(whole);
}

double powerLimitOf(const Job& job) {
    return job.machine.powerLimitW.value_or(gpuPowerOf(job.machine.gpu).limitW);
}

std::optional<double> valueOf(const Job& job, const Rates& rates, WhatIf what) {
    switch (what) {
    case WhatIf::LinkBandwidth:
        return rates.link;
    case WhatIf::NetworkBandwidth:
        return rates.network;
    case WhatIf::MemoryBandwidth:
        return job.machine.gpu.memoryBandwidth;
    case WhatIf::MemorySize:
        return job.machine.gpu.memoryBytes;
    case WhatIf::GlobalBatch:
        return job.globalBatch;
    case WhatIf::MicroBatch:
        return job.microBatch;
    case WhatIf::Sequence:
        return job.sequence;
    case WhatIf::PowerLimit:
        break;
    }
    return powerLimitOf(job);
}

bool scaleBatch(Job& job, double factor) {
    const auto microbatches = wholeTimes(job.microbatches(), factor);
    if (!microbatches)
        return false;
    job.globalBatch = job.globalBatch / job.microbatches() * *microbatches;
    job.layout.microbatches = *microbatches;
    return true;
}

bool scaleMicroBatch(Job& job, double factor) {
    const auto size = wholeTimes(job.microBatch, factor);
    const auto microbatches = wholeTimes(job.microbatches(), 1.0 / factor);
    if (!size || !microbatches)
        return false;
    job.microBatch = *size;
    job.layout.microbatches = *microbatches;
    return true;
}

bool scaleSequence(Job& job, double factor) {
    const auto sequence = wholeTimes(job.sequence, factor);
    const auto generated = job.generated > 0 ? wholeTimes(job.generated, factor) : std::optional(0);
    const int context = job.layout.grid.degrees().context;
    if (!sequence || !generated || (context > 1 && *sequence % (2 * context) != 0))
        return false;
    job.sequence = *sequence;
    job.generated = *generated;
    return true;
}

bool scale(std::optional<double>& value, double factor) {
    if (value)
        *value *= factor;
    return value.has_value();
}

std::optional<double> elasticityOf(const std::vector<WhatIfPoint>& points) {
    const WhatIfPoint* below = nullptr;
    const WhatIfPoint* above = nullptr;
    for (const WhatIfPoint& point : points) {
        if (point.factor < 1.0)
            below = &point;
        else if (above == nullptr)
            above = &point;
    }
    if (below == nullptr || above == nullptr)
        return std::nullopt;
    return std::log(above->seconds / below->seconds) / std::log(above->factor / below->factor);
}

} // namespace

std::string_view toString(WhatIf what) {
    return kWhatIfNames.nameOf(what);
}

std::string_view titleOf(WhatIf what) {
    return kWhatIfTitles.nameOf(what);
}

std::optional<Job> withFactor(const Job& job, WhatIf what, double factor) {
    Job other = job;
    bool canBe = true;
    switch (what) {
    case WhatIf::LinkBandwidth:
        other.machine.linkFactor *= factor;
        break;
    case WhatIf::NetworkBandwidth:
        other.machine.networkFactor *= factor;
        break;
    case WhatIf::MemoryBandwidth:
        canBe = scale(other.machine.gpu.memoryBandwidth, factor);
        break;
    case WhatIf::MemorySize:
        canBe = scale(other.machine.gpu.memoryBytes, factor);
        break;
    case WhatIf::GlobalBatch:
        canBe = scaleBatch(other, factor);
        break;
    case WhatIf::MicroBatch:
        canBe = scaleMicroBatch(other, factor);
        break;
    case WhatIf::Sequence:
        canBe = scaleSequence(other, factor);
        break;
    case WhatIf::PowerLimit:
        other.machine.powerLimitW = factor * powerLimitOf(job);
        break;
    }
    return canBe ? std::optional(std::move(other)) : std::nullopt;
}

Result<std::vector<Sensitivity>> sensitivitiesOf(const Job& job, const Predictor& predictor) {
    ASSIGN_OR_RETURN(const auto rates, predictor.ratesOf(job));
    RETURN_IF_ERROR(predictor.predict(job));
    std::vector<Sensitivity> all;
    for (const WhatIf what : kAllWhatIfs) {
        Sensitivity one{what, valueOf(job, rates, what), {}, {}};
        for (const double factor : kWhatIfFactors) {
            const auto other = withFactor(job, what, factor);
            if (!other)
                continue;
            // Interleaved schedules refuse fewer micro-batches than stages.
            const auto prediction = predictor.predict(*other);
            if (!prediction.hasValue())
                continue;
            const Prediction& made = prediction.value();
            one.points.push_back({factor, made.seconds, made.low, made.high,
                made.tokensPerSecondPerGpu, made.memoryB, made.isOom});
        }
        one.elasticity = elasticityOf(one.points);
        all.push_back(std::move(one));
    }
    return all;
}

Result<std::vector<MemoryChange>> memoryChangesOf(
    const SearchRequest& request, const Predictor& predictor, const Progress& progress) {
    std::vector<MemoryChange> all;
    if (!request.cluster.gpu.memoryBytes)
        return all;
    for (const double factor : {kWhatIfFactors.front(), kWhatIfFactors.back()}) {
        SearchRequest other = request;
        other.cluster.gpu.memoryBytes = factor * *request.cluster.gpu.memoryBytes;
        other.top = 1;
        ASSIGN_OR_RETURN(auto found, searchLayouts(other, predictor, progress));
        MemoryChange& change = all.emplace_back();
        change.factor = factor;
        if (!found.top.empty())
            change.best = std::move(found.top.front());
    }
    return all;
}

} // namespace trainscope::predict
