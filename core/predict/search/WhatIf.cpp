#include "core/predict/search/WhatIf.h"

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

Result<std::vector<WhatIfRow>> whatIfsOf(const Job& job, const Predictor& predictor) {
    ASSIGN_OR_RETURN(const auto rates, predictor.ratesOf(job));
    RETURN_IF_ERROR(predictor.predict(job));
    std::vector<WhatIfRow> all;
    for (const WhatIf what : kAllWhatIfs) {
        WhatIfRow row{what, valueOf(job, rates, what), {}};
        for (const double factor : kWhatIfFactors) {
            const auto other = withFactor(job, what, factor);
            if (!other)
                continue;
            // Interleaved schedules refuse fewer micro-batches than stages.
            auto made = predictor.predict(*other);
            if (!made.hasValue())
                continue;
            row.points.push_back({factor, std::move(made).value(), {}});
            row.points.back().made.step.schedule = {};
        }
        all.push_back(std::move(row));
    }
    return all;
}

Result<WhatIfRow> memoryWhatIf(
    const SearchRequest& request, const Predictor& predictor, const Progress& progress) {
    WhatIfRow row{WhatIf::MemorySize, request.cluster.gpu.memoryBytes, {}};
    if (!row.value)
        return row;
    for (const double factor : kWhatIfFactors) {
        SearchRequest other = request;
        other.cluster.gpu.memoryBytes = factor * *row.value;
        other.top = 1;
        ASSIGN_OR_RETURN(auto found, searchLayouts(other, predictor, progress));
        WhatIfPoint& point = row.points.emplace_back();
        point.factor = factor;
        point.made.isOom = found.top.empty();
        if (!found.top.empty()) {
            point.best = found.top.front().choice;
            point.made = std::move(found.top.front().prediction);
        }
    }
    return row;
}

void takeMemory(const WhatIfRow& memory, std::vector<WhatIfRow>& rows) {
    if (memory.points.empty())
        return;
    for (WhatIfRow& row : rows) {
        if (row.what == memory.what)
            row = memory;
    }
}

} // namespace trainscope::predict
