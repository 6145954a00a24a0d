#pragma once
// Phases at known power, as the trace and the readings of a sensor that they give.

#include "core/analysis/traces/PlantedTrace.h"

#include "core/analysis/traces/Phase.h"

#include <algorithm>
#include <string>
#include <vector>

namespace trainscope::test {

using analysis::Phase;

struct Interval {
    Phase phase;
    std::int64_t begin;
    std::int64_t end;
    double watts;
};

// Power that is constant in each interval, 80 W outside.
class Truth {
public:
    std::vector<Interval> intervals;

    // Joules from 0 to t.
    [[nodiscard]] double energyUntil(double t) const {
        double joules = kIdleW * t;
        for (const Interval& one : intervals) {
            const double length
                = std::clamp(t, static_cast<double>(one.begin), static_cast<double>(one.end))
                - static_cast<double>(one.begin);
            joules += (one.watts - kIdleW) * length;
        }
        return joules * 1e-9;
    }
    [[nodiscard]] double of(Phase phase) const {
        double joules = 0.0;
        for (const Interval& one : intervals)
            joules += one.phase == phase ? one.watts * static_cast<double>(one.end - one.begin) : 0;
        return joules * 1e-9;
    }

    static constexpr double kIdleW = 80.0;
};

// The trace of the intervals: kernels launched from surroundings that tell their phase.
inline void plantTrace(PlantedTrace& trace, const Truth& truth) {
    std::int64_t correlation = 0;
    for (const Interval& one : truth.intervals) {
        ++correlation;
        const std::string thread = std::to_string(correlation % 50);
        const std::int64_t launched = one.begin - 20 * kUs;
        const auto launch = [&](SpanKind kind, const char* name) {
            trace.host(0, thread, kind, name, launched - 5, 10);
            trace.host(0, thread, SpanKind::Runtime, "cudaLaunchKernel", launched, 2, correlation);
            trace.kernel(0, "7", "a_gemm", one.begin, one.end - one.begin, correlation);
        };
        const auto collective = [&] {
            trace.kernel(0, "9", "ncclDevKernel_AllReduce", one.begin, one.end - one.begin, 0,
                R"({"Collective name":"allreduce","Process Group Description":"DP","Process Group Ranks":"[0, 1]"})");
        };
        switch (one.phase) {
        case Phase::Forward:
            launch(SpanKind::Annotation, "## forward ##");
            break;
        case Phase::Backward:
            launch(SpanKind::CpuOp, "autograd::engine::evaluate_function: X");
            break;
        case Phase::Optimizer:
            launch(SpanKind::Annotation, "Optimizer.step#Adam.step");
            break;
        case Phase::CommunicationExposed:
            collective();
            break;
        case Phase::CommunicationHidden:
            collective();
            trace.kernel(0, "7", "b_gemm", one.begin, one.end - one.begin);
            break;
        default:
            break;
        }
    }
}

// Readings of the mean over the last windowNs, every periodNs.
inline void plantPower(PlantedTrace& trace, const Truth& truth, double windowNs,
    std::int64_t periodNs, std::int64_t firstNs, std::int64_t endNs) {
    for (std::int64_t t = firstNs; t < endNs; t += periodNs) {
        const auto now = static_cast<double>(t);
        trace.power(
            0, t, (truth.energyUntil(now) - truth.energyUntil(now - windowNs)) / (windowNs * 1e-9));
    }
}

} // namespace trainscope::test
