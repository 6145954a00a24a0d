#include "core/predict/profile/ProfiledCosts.h"

#include "core/analysis/statistics/Means.h"
#include "core/predict/cost/Analytic.h"
#include "core/predict/profile/SampledCollectives.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainscope::predict {

namespace {

// Shapes of the samples are at most about so far from each other, in e-folds.
constexpr double kSampleStep = 0.5;
// Growth of the spread with each further e-fold.
constexpr double kSpreadPerEfold = 0.15;
// Share of the peak bandwidth, where no sample tells.
constexpr double kUsualStreaming = 0.8;
constexpr double kLargeTensors = 256.0 * 1024.0 * 1024.0; // B, far beyond what a chip holds

double streamingBandwidth(const GpuProfile& profile) {
    std::vector<double> rates;
    if (const SampledFamily* residual = profile.family(toString(OperatorKind::Residual))) {
        for (const TimedOperator& sample : residual->samples) {
            const double bytes = forwardWork(sample.work).bytes;
            if (bytes > kLargeTensors && sample.forward > 0.0)
                rates.push_back(bytes / sample.forward);
        }
    }
    return rates.empty() ? kUsualStreaming * profile.memoryBandwidth
                         : analysis::upperMedian(std::move(rates));
}

bool isProduct(OperatorKind kind) {
    return kind == OperatorKind::Gemm || kind == OperatorKind::AttentionScores
        || kind == OperatorKind::AttentionValues || kind == OperatorKind::FlashAttention;
}

double widened(double spread, double distance) {
    const double beyond = std::max(0.0, distance - kSampleStep) * kSpreadPerEfold;
    return std::hypot(spread, beyond);
}

} // namespace

SampledCosts::SampledCosts(
    const GpuProfile& profile, std::shared_ptr<const OperatorCosts> otherwise)
    : m_otherwise(std::move(otherwise))
    , m_stack(profile.stack)
    , m_peaks{profile.peakFlops, profile.memoryBandwidth}
    , m_streamingBandwidth(streamingBandwidth(profile)) {
    std::vector<Family> families;
    families.reserve(profile.families.size());
    for (const SampledFamily& family : profile.families)
        families.push_back(
            {family.name, family.kind, ShapeRegressor(family.samples, Direction::Forward, m_peaks),
                ShapeRegressor(family.samples, Direction::Backward, m_peaks), family.forwardSpread,
                family.backwardSpread});
    m_families = std::make_shared<const std::vector<Family>>(std::move(families));
}

SampledCosts SampledCosts::beside(std::shared_ptr<const OperatorCosts> otherwise) const {
    SampledCosts costs = *this;
    costs.m_otherwise = std::move(otherwise);
    return costs;
}

const SampledCosts::Family* SampledCosts::familyFor(const Operator& work) const {
    const bool isSampledPrecision = bytesOf(work.precision) == 2.0;
    if (isProduct(work.kind) && !isSampledPrecision)
        return nullptr;
    const auto named = [&](std::string_view name) -> const Family* {
        const auto found = std::find_if(m_families->begin(), m_families->end(),
            [&](const Family& one) { return one.kind == work.kind && one.name == name; });
        return found == m_families->end() || found->forward.isEmpty() ? nullptr : &*found;
    };
    const Family* own = named(work.name);
    return own != nullptr ? own : named(toString(work.kind));
}

double SampledCosts::extraPass(const Operator& work) const {
    if (work.kind != OperatorKind::Softmax)
        return 0.0;
    const double scores = work.batch * work.m * work.n;
    return scores * m_stack.scoresExtraBytes / m_streamingBandwidth;
}

OperatorTime SampledCosts::timeOf(const Operator& work) const {
    // The stack's terms were found beside samples that have the turning of heads in their
    // attention.
    if (work.kind == OperatorKind::Permute && work.name == "heads")
        return {};
    const Family* family = familyFor(work);
    if (family == nullptr)
        return m_otherwise->timeOf(work);
    const auto forward = family->forward.secondsOf(work);
    OperatorTime time{.forward = forward.seconds,
        .backward = 0.0,
        .spread = widened(family->forwardSpread, forward.distance)};
    if (work.kind == OperatorKind::Optimizer) {
        time.forward *= work.count;
        return time;
    }
    if (family->backward.isEmpty()) {
        time.backward = forward.seconds * idealSeconds(work, Direction::Backward, m_peaks)
            / idealSeconds(work, Direction::Forward, m_peaks);
    } else {
        const auto backward = family->backward.secondsOf(work);
        time.backward = backward.seconds;
        time.spread = std::max(time.spread, widened(family->backwardSpread, backward.distance));
    }
    time.forward = (time.forward + extraPass(work)) * work.count;
    time.backward = (time.backward + extraPass(work)) * work.count;
    return time;
}

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
