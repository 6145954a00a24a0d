#include "core/analysis/telemetry/AirflowGradient.h"

#include "core/analysis/Imbalance.h"

namespace trainscope::analysis {

namespace {

AirflowOrder ascending(const std::map<int, double>& gpus) {
    AirflowOrder order;
    for (const auto& [local, mean] : gpus)
        order.push_back(local);
    return order;
}

// Mean over the GPUs at the places [from, to) of the order, of those that were measured.
std::optional<double> meanOfPlaces(const std::map<int, double>& gpus, const AirflowOrder& order,
    std::size_t from, std::size_t to) {
    std::vector<double> values;
    for (std::size_t i = from; i < to; ++i) {
        if (const auto found = gpus.find(order[i]); found != gpus.end())
            values.push_back(found->second);
    }
    return meanOf(values);
}

} // namespace

std::optional<AirflowGradient> airflowGradient(
    const std::map<int, std::map<int, double>>& means, const AirflowOrder& order) {
    std::vector<double> fronts;
    std::vector<double> rears;
    for (const auto& [node, gpus] : means) {
        const AirflowOrder places = order.empty() ? ascending(gpus) : order;
        const std::size_t half = places.size() / 2;
        const auto front = meanOfPlaces(gpus, places, 0, half);
        const auto rear = meanOfPlaces(gpus, places, places.size() - half, places.size());
        if (!front || !rear)
            continue;
        fronts.push_back(*front);
        rears.push_back(*rear);
    }
    if (fronts.empty())
        return std::nullopt;
    const double front = *meanOf(fronts);
    const double rear = *meanOf(rears);
    return AirflowGradient{rear - front, front, rear, static_cast<int>(fronts.size())};
}

} // namespace trainscope::analysis
