#include "core/analysis/energy/EnergyByPhase.h"

#include "core/analysis/traces/PowerEdges.h"
#include "core/analysis/traces/RankClocks.h"
#include "core/model/Try.h"

namespace trainscope::analysis {

namespace {

constexpr double kNanoseconds = 1e9;

void keepIfKnown(int rank, double lagNs, double errorNs, std::map<int, PowerLag>& lags) {
    if (std::abs(lagNs) > errorNs)
        lags[rank] = {{std::llround(lagNs)}, errorNs};
}

// The clock of the power of all ranks, ahead of the reference clock of the traces.
struct CommonLag {
    double lagNs = 0.0;
    double errorNs = 0.0;
};

std::optional<CommonLag> commonLag(const TelemetryLags& lags, const RankClocks& clocks) {
    std::vector<CommonLag> found;
    for (const TelemetryLag& lag : lags.ranks) {
        const RankClock* clock = clocks.find(lag.rank);
        if (clock != nullptr)
            found.push_back({lag.lagS * kNanoseconds + static_cast<double>(clock->offsetNs),
                lag.errorS * kNanoseconds + clock->uncertaintyNs});
    }
    if (found.size() < 2)
        return std::nullopt;
    std::ranges::sort(found, {}, &CommonLag::lagNs);
    const CommonLag middle = found[found.size() / 2];
    const bool agree = std::ranges::all_of(found, [&middle](const CommonLag& one) {
        return std::abs(one.lagNs - middle.lagNs) <= one.errorNs + middle.errorNs;
    });
    return agree ? std::optional(middle) : std::nullopt;
}

} // namespace

Result<std::map<int, PowerLag>> powerLags(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto measured, telemetryLags(study));
    std::map<int, PowerLag> lags;
    for (const TelemetryLag& lag : measured.ranks)
        keepIfKnown(lag.rank, lag.lagS * kNanoseconds, lag.errorS * kNanoseconds, lags);
    if (measured.unknown.empty() || measured.ranks.size() < 2)
        return lags;
    ASSIGN_OR_RETURN(const auto clocks, alignRanks(study));
    const auto common = commonLag(measured, clocks);
    for (const UnknownLag& unknown : measured.unknown) {
        const RankClock* clock = clocks.find(unknown.rank);
        if (common && clock != nullptr)
            keepIfKnown(unknown.rank, common->lagNs - static_cast<double>(clock->offsetNs),
                common->errorNs + clock->uncertaintyNs, lags);
    }
    return lags;
}

} // namespace trainscope::analysis
