#include "core/analysis/telemetry/AirflowGradient.h"

#include "core/analysis/statistics/Imbalance.h"

#include <charconv>
#include <set>
#include <string>

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
    AirflowGradient out;
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
        out.nodes.push_back({node, *front, *rear});
    }
    if (fronts.empty())
        return std::nullopt;
    out.frontC = *meanOf(fronts);
    out.rearC = *meanOf(rears);
    out.celsius = out.rearC - out.frontC;
    out.hotterBy = out.frontC > 0.0 ? out.rearC / out.frontC - 1.0 : 0.0;
    return out;
}

Result<AirflowOrder> parseAirflow(std::string_view text) {
    AirflowOrder order;
    const Error wrong{ErrorCode::Usage,
        "The airflow order is a list of local GPU indices from front to rear, such as "
        "4,5,6,7,0,1,2,3; '"
            + std::string(text) + "' is not.",
        {}};
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
        int index = 0;
        const auto read = std::from_chars(at, end, index);
        const bool isLast = read.ptr == end;
        if (read.ec != std::errc() || index < 0 || (!isLast && *read.ptr != ',')
            || read.ptr + 1 == end)
            return wrong;
        order.push_back(index);
        at = isLast ? end : read.ptr + 1;
    }
    return order.empty() ? Result<AirflowOrder>(wrong) : Result<AirflowOrder>(order);
}

Status checkAirflow(const AirflowOrder& order, const std::vector<Gpu>& gpus) {
    std::set<int> known;
    for (const Gpu& gpu : gpus)
        known.insert(gpu.local);
    std::string names;
    for (const int local : known)
        names += (names.empty() ? "" : ",") + std::to_string(local);
    const std::set<int> given(order.begin(), order.end());
    if (given == known && given.size() == order.size())
        return {};
    return Error{ErrorCode::Usage,
        "The airflow order must name each local index of a node's GPUs once; this run has " + names
            + ".",
        {}};
}

} // namespace trainscope::analysis
