#include "core/predict/profile/SampledCollectives.h"

#include "core/predict/profile/CollectiveCurves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace trainscope::predict {

namespace {

// Kinds whose samples stand in for a kind that was not sampled, the most alike first.
std::array<CollectiveKind, 4> kindsLike(CollectiveKind kind) {
    using enum CollectiveKind;
    switch (kind) {
    case AllReduce:
        return {AllReduce, ReduceScatter, AllGather, SendReceive};
    case AllGather:
        return {AllGather, ReduceScatter, AllReduce, SendReceive};
    case ReduceScatter:
        return {ReduceScatter, AllReduce, AllGather, SendReceive};
    case AllToAll:
    case SendReceive:
        break;
    }
    return {kind, SendReceive, AllReduce, AllGather};
}

} // namespace

double busBytes(CollectiveKind kind, double ranks) {
    const double others = (ranks - 1.0) / ranks;
    switch (kind) {
    case CollectiveKind::AllReduce:
        return 2.0 * others;
    case CollectiveKind::AllGather:
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllToAll:
        return others;
    case CollectiveKind::SendReceive:
        break;
    }
    return 1.0;
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
            const double sampled = busBytes(kind, 1.0 * curve->nodes * curve->gpusPerNode);
            const double asked = busBytes(exchange.kind, exchange.ranks);
            return secondsOn(*curve, exchange.bytes) * asked / sampled;
        }
    }
    return m_otherwise->secondsOf(exchange);
}

} // namespace trainscope::predict
