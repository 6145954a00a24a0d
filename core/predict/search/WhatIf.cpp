#include "core/predict/search/WhatIf.h"

#include "core/model/Try.h"
#include "core/predict/power/GpuPower.h"

#include <cmath>

namespace trainscope::predict {

namespace {

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

// One of the things that may be otherwise: its unit, its value and the way to another.
struct Changeable {
    WhatIf what;
    std::string_view unit;
    std::optional<double> (*valueOf)(const Job& job, const Rates& rates);
    bool (*scale)(Job& job, double factor); // false where it cannot be so
};

using Value = std::optional<double>;

constexpr std::array kChangeables{
    Changeable{WhatIf::LinkBandwidth, "B/s",
        [](const Job&, const Rates& rates) -> Value { return rates.link; },
        [](Job& job, double factor) {
            job.machine.linkFactor *= factor;
            return true;
        }},
    Changeable{WhatIf::NetworkBandwidth, "B/s",
        [](const Job&, const Rates& rates) -> Value { return rates.network; },
        [](Job& job, double factor) {
            job.machine.networkFactor *= factor;
            return true;
        }},
    Changeable{WhatIf::MemoryBandwidth, "B/s",
        [](const Job& job, const Rates&) { return job.machine.gpu.memoryBandwidth; },
        [](Job& job, double factor) { return scale(job.machine.gpu.memoryBandwidth, factor); }},
    Changeable{WhatIf::MemorySize, "B",
        [](const Job& job, const Rates&) { return job.machine.gpu.memoryBytes; },
        [](Job& job, double factor) { return scale(job.machine.gpu.memoryBytes, factor); }},
    Changeable{WhatIf::GlobalBatch, "sample",
        [](const Job& job, const Rates&) -> Value { return job.globalBatch; }, scaleBatch},
    Changeable{WhatIf::MicroBatch, "sample",
        [](const Job& job, const Rates&) -> Value { return job.microBatch; }, scaleMicroBatch},
    Changeable{WhatIf::Sequence, "token",
        [](const Job& job, const Rates&) -> Value { return job.sequence; }, scaleSequence},
    Changeable{WhatIf::PowerLimit, "W",
        [](const Job& job, const Rates&) -> Value { return powerLimitOf(job); },
        [](Job& job, double factor) {
            job.machine.powerLimitW = factor * powerLimitOf(job);
            return true;
        }},
};

const Changeable& changeableOf(WhatIf what) {
    return kChangeables[static_cast<std::size_t>(what)];
}

} // namespace

std::string_view unitOf(WhatIf what) {
    return changeableOf(what).unit;
}

std::optional<Job> withFactor(const Job& job, WhatIf what, double factor) {
    Job other = job;
    return changeableOf(what).scale(other, factor) ? std::optional(std::move(other)) : std::nullopt;
}

Result<std::vector<WhatIfRow>> whatIfsOf(const Job& job, const Predictor& predictor) {
    ASSIGN_OR_RETURN(const auto rates, predictor.ratesOf(job));
    RETURN_IF_ERROR(predictor.predict(job));
    std::vector<WhatIfRow> all;
    for (const Changeable& one : kChangeables) {
        WhatIfRow row{one.what, one.valueOf(job, rates), {}};
        for (const double factor : kWhatIfFactors) {
            const auto other = withFactor(job, one.what, factor);
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
