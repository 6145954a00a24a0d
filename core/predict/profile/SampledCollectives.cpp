#include "core/predict/profile/SampledCollectives.h"

#include "core/analysis/statistics/Means.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace trainscope::predict {

namespace {

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
