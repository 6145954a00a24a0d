#include "core/predict/profile/ProfiledCosts.h"

#include "core/predict/cost/Analytic.h"
#include "core/predict/profile/SampledCollectives.h"

#include <algorithm>
#include <utility>

namespace trainscope::predict {

namespace {

// Spread of runs that were repeated on another day, on other nodes (GPT-NeoX on GH200, 8 to 18 %).
constexpr double kRunSpread = 0.08;

} // namespace

ProfiledCosts::ProfiledCosts(Profile profile)
    : m_profile(std::move(profile)) {
    for (const GpuProfile& gpu : m_profile.gpus)
        m_costs.emplace(gpu.gpu, SampledCosts(gpu, nullptr));
}

std::optional<JobCosts> ProfiledCosts::costsOf(const Job& job, const Rates& rates) const {
    const auto costs = m_costs.find(job.machine.gpu.name);
    const FabricProfile* fabric = m_profile.fabric(job.machine.gpu.name, {job.machine.site});
    // Operators alone were sampled, as of traces of one GPU: exchanges go by formulas.
    const bool hasNoFabric = std::none_of(m_profile.fabrics.begin(), m_profile.fabrics.end(),
        [&](const FabricProfile& one) { return one.gpu == job.machine.gpu.name; });
    if (costs == m_costs.end() || (fabric == nullptr && !hasNoFabric))
        return std::nullopt;
    const auto formulas = std::make_shared<AnalyticCosts>(rates);
    JobCosts result{rates, std::make_shared<SampledCosts>(costs->second.beside(formulas)), formulas,
        kRunSpread};
    if (fabric != nullptr)
        result.collectives = std::make_shared<SampledCollectives>(*fabric, formulas);
    result.rates.gapSeconds = costs->second.stack().gapSeconds;
    result.rates.jitter = costs->second.stack().jitter;
    return result;
}

std::string ProfiledCosts::onlyFabricOf(std::string_view gpu) const {
    std::string only;
    for (const FabricProfile& fabric : m_profile.fabrics) {
        if (fabric.gpu != gpu)
            continue;
        if (!only.empty())
            return {};
        only = fabric.name;
    }
    return only;
}

} // namespace trainscope::predict
