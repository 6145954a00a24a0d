// One statistic by GPU (or node), from what was measured.
#include "core/analysis/telemetry/Airflow.h"
#include "core/figures/comparison/ComparisonLoad.h"
#include "core/figures/runs/RunFigures.h"
#include "core/model/Try.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace trainscope::figures {

using namespace plot;

namespace {

using analysis::AirflowOrigin;

// GPUs of a run as a row of places: node by node, in each in the order of the air.
struct AirPlaces {
    std::map<int, std::pair<int, int>> ofRank; // node's place, GPU's place in it
    int nodes = 0;
    int slots = 1;
};

AirPlaces placesOf(const analysis::RunSummary& summary, const std::vector<int>& order) {
    std::set<int> nodes;
    std::set<int> locals;
    for (const auto& gpu : summary.gpus) {
        nodes.insert(gpu.gpu.node);
        locals.insert(gpu.gpu.local);
    }
    const auto slotOf = [&](int local) {
        const auto said = std::find(order.begin(), order.end(), local);
        return static_cast<int>(said != order.end()
                ? said - order.begin()
                : std::distance(locals.begin(), locals.find(local)));
    };
    AirPlaces places;
    places.nodes = static_cast<int>(nodes.size());
    places.slots = std::max(1, static_cast<int>(std::max(locals.size(), order.size())));
    for (const auto& gpu : summary.gpus)
        places.ofRank[gpu.gpu.rank]
            = {static_cast<int>(std::distance(nodes.begin(), nodes.find(gpu.gpu.node))),
                slotOf(gpu.gpu.local)};
    return places;
}

// From columns of ranks to columns of places.
void putInAir(const std::vector<AirPlaces>& places, FigureHeatmap& heat) {
    int nodes = 0;
    for (const auto& row : heat.rows) {
        heat.slots = std::max(heat.slots, places[row.run].slots);
        nodes = std::max(nodes, places[row.run].nodes);
    }
    const std::vector<int> ranks = std::move(heat.columns);
    const auto slots = static_cast<std::size_t>(heat.slots);
    heat.columns.resize(static_cast<std::size_t>(nodes) * slots);
    std::iota(heat.columns.begin(), heat.columns.end(), 0);
    for (auto& row : heat.rows) {
        FigureHeatmap::Row placed{row.run, {}, {}, {}, row.note};
        placed.values.resize(heat.columns.size());
        placed.nodes.resize(heat.columns.size(), -1);
        placed.ranks.resize(heat.columns.size(), -1);
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            const auto place = places[row.run].ofRank.find(ranks[i]);
            if (place == places[row.run].ofRank.end())
                continue;
            const auto [node, slot] = place->second;
            const auto at = static_cast<std::size_t>(node) * slots + static_cast<std::size_t>(slot);
            placed.values[at] = row.values[i];
            placed.nodes[at] = row.nodes[i];
            placed.ranks[at] = ranks[i];
        }
        row = std::move(placed);
    }
}

} // namespace

Status addHeat(
    const ComparisonContext& context, ComparisonData& data, std::vector<RunsNote>& notes) {
    FigureData heat;
    heat.query.statistic = context.query.heatStatistic;
    std::vector<HeatRun> runs;
    std::vector<AirPlaces> places;
    bool isKnown = true;
    bool isInferred = true;
    for (std::size_t i = 0; i < context.measured.size(); ++i) {
        const auto& measured = *context.measured[i];
        ASSIGN_OR_RETURN(const auto air, analysis::airflowOf(context.studies.of(measured.run)));
        isKnown = isKnown && air.origin == AirflowOrigin::Said;
        isInferred = isInferred && air.origin != AirflowOrigin::Assumed;
        places.push_back(placesOf(measured.summary, air.order));
        heat.runs.push_back(data.runs[i].named);
        heat.runs.back().label = data.runs[i].mark;
        runs.push_back({i, &measured.summary, {}});
    }
    addHeatmap(runs, heat, context.query.heatMetric);
    if (heat.heatmaps.empty())
        return {};
    FigureHeatmap& map = heat.heatmaps.front();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (std::none_of(
                map.rows.begin(), map.rows.end(), [i](const auto& row) { return row.run == i; }))
            addNote(notes, i,
                fmt::format("no {}.", statisticTitle(context.query.heatMetric, map.statistic)));
    }
    if (!map.byNode) {
        putInAir(places, map);
        map.columnsTitle = isKnown ? "in each node front → rear"
            : isInferred           ? "in each node front → rear, inferred from temperatures"
                                   : "in each node front → rear, by local index";
    }
    data.heat = std::move(heat);
    return {};
}

} // namespace trainscope::figures
