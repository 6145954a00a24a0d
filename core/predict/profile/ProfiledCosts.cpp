#include "core/predict/profile/ProfiledCosts.h"

#include "core/analysis/statistics/Means.h"
#include "core/predict/cost/Analytic.h"

#include <numeric>

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

// Kinds whose samples stand in for a kind that was not sampled, the most alike first.
std::array<CollectiveKind, 4> kindsLike(CollectiveKind kind) {
    using enum CollectiveKind;
    switch (kind) {
    case AllReduce:
        return {AllReduce, ReduceScatter, AllGather, SendRecv};
    case AllGather:
        return {AllGather, ReduceScatter, AllReduce, SendRecv};
    case ReduceScatter:
        return {ReduceScatter, AllReduce, AllGather, SendRecv};
    default:
        return {kind, SendRecv, AllReduce, AllGather};
    }
}

constexpr double kAlike = 1.5; // sizes up to so many times the other
constexpr std::size_t kSmoothedOver = 15; // samples
constexpr std::size_t kMostPoints = 200; // points of a curve

template <typename Of>
std::vector<double> running(
    const std::vector<TimedExchange>& rows, std::size_t window, const Of& of) {
    std::vector<double> results;
    results.reserve(rows.size());
    for (std::size_t at = 0; at < rows.size(); ++at) {
        std::size_t begin = at > window / 2 ? at - window / 2 : 0;
        std::size_t end = std::min(rows.size(), at + window / 2 + 1);
        while (begin < at && rows[begin].bytes * kAlike < rows[at].bytes)
            ++begin;
        while (end > at + 1 && rows[end - 1].bytes > rows[at].bytes * kAlike)
            --end;
        std::vector<double> rates;
        for (std::size_t i = begin; i < end; ++i)
            rates.push_back(rows[i].seconds / rows[i].bytes);
        results.push_back(of(std::move(rates)));
    }
    return results;
}

std::vector<double> runningMean(const std::vector<TimedExchange>& rows, std::size_t window) {
    return running(rows, window, [](const std::vector<double>& part) {
        return std::accumulate(part.begin(), part.end(), 0.0) / static_cast<double>(part.size());
    });
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

std::vector<double> runningMedian(const std::vector<TimedExchange>& rows, std::size_t window) {
    return running(rows, window, analysis::upperMedian<double>);
}

CollectiveCurve curveOf(const CollectiveTimings& timings) {
    CollectiveCurve curve{timings.kind, timings.nodes, timings.gpusPerNode, {}, {}, 0.0};
    const auto& rows = timings.rows;
    // A run makes many exchanges: where times alternate between two, their mean is what counts.
    const auto smooth = runningMean(rows, kSmoothedOver);
    const std::size_t step = (rows.size() + kMostPoints - 1) / kMostPoints;
    double squares = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double bytes = rows[i].bytes;
        const double off = std::log(rows[i].seconds / bytes / smooth[i]);
        squares += off * off;
        const bool isTaken = i % step == 0 || i + 1 == rows.size();
        if (isTaken && (curve.bytes.empty() || bytes > curve.bytes.back())) {
            curve.bytes.push_back(bytes);
            curve.secondsPerByte.push_back(smooth[i]);
        }
    }
    curve.spread = std::sqrt(squares / static_cast<double>(rows.size()));
    return curve;
}

double secondsOn(const CollectiveCurve& curve, double bytes) {
    const auto& at = curve.bytes;
    const auto above = std::upper_bound(at.begin(), at.end(), bytes);
    if (above == at.begin())
        return bytes * curve.secondsPerByte.front();
    if (above == at.end())
        return bytes * curve.secondsPerByte.back();
    const auto i = static_cast<std::size_t>(above - at.begin());
    const double part = std::log(bytes / at[i - 1]) / std::log(at[i] / at[i - 1]);
    const double before = curve.secondsPerByte[i - 1];
    return bytes * (before + part * (curve.secondsPerByte[i] - before));
}

SampledCollectives::SampledCollectives(
    FabricProfile fabric, std::shared_ptr<const CollectiveCosts> otherwise)
    : m_fabric(std::move(fabric))
    , m_otherwise(std::move(otherwise)) { }

const CollectiveCurve* SampledCollectives::nearest(
    CollectiveKind kind, int nodes, int gpusPerNode) const {
    const CollectiveCurve* found = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const CollectiveCurve& curve : m_fabric.curves) {
        // Exchanges in a node say nothing of the network, nor the other way round.
        if (curve.kind != kind || (curve.nodes > 1) != (nodes > 1))
            continue;
        const double distance = std::abs(std::log(static_cast<double>(nodes) / curve.nodes))
            + 2.0 * std::abs(std::log(static_cast<double>(gpusPerNode) / curve.gpusPerNode));
        if (distance < least) {
            least = distance;
            found = &curve;
        }
    }
    return found;
}

double SampledCollectives::secondsOf(const Collective& exchange) const {
    if (exchange.ranks < 2 || exchange.bytes <= 0.0)
        return 0.0;
    const int nodes = exchange.nodes();
    const int gpusPerNode = std::min(exchange.ranks, exchange.ranksPerNode);
    for (const CollectiveKind kind : kindsLike(exchange.kind)) {
        if (const CollectiveCurve* curve = nearest(kind, nodes, gpusPerNode)) {
            const double sampled
                = analysis::busFactor(kind, 1.0 * curve->nodes * curve->gpusPerNode);
            const double asked = analysis::busFactor(exchange.kind, exchange.ranks);
            return secondsOn(*curve, exchange.bytes) * asked / sampled;
        }
    }
    return m_otherwise->secondsOf(exchange);
}

} // namespace trainscope::predict
