#include "core/analysis/telemetry/Airflow.h"

#include "core/analysis/statistics/SeriesSelection.h"
#include "core/model/Gather.h"
#include "core/model/Try.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

constexpr int kAirSteps = 96; // steps in a run
constexpr int kOtherRuns = 6;
constexpr int kNodesOfOtherRun = 4;

std::vector<double> meansOf(const std::vector<Bucket>& buckets) {
    return vectorOf(buckets, [](const Bucket& bucket) { return static_cast<double>(bucket.mean); });
}

struct RunOfHeat {
    RunId id;
    TimeRange range;
    std::vector<Gpu> gpus;
};

Result<std::vector<GpuHeat>> heatOf(const store::Store& store, const RunOfHeat& run) {
    ASSIGN_OR_RETURN(const auto all, store.series(run.id));
    const auto series = gpuSeriesByRank(all);
    std::vector<GpuHeat> gpus;
    for (const Gpu& place : run.gpus) {
        const auto own = series.find(place.rank);
        if (own == series.end())
            continue;
        const auto temperature = own->second.find(metric::kGpuTemperature);
        const auto power = own->second.find(metric::kGpuPower);
        if (temperature == own->second.end() || power == own->second.end())
            continue;
        ASSIGN_OR_RETURN(
            const auto celsius, store.buckets(temperature->second.id, run.range, kAirSteps));
        ASSIGN_OR_RETURN(const auto watts, store.buckets(power->second.id, run.range, kAirSteps));
        gpus.push_back({place.node, place.local, meansOf(celsius), meansOf(watts)});
    }
    return gpus;
}

std::set<int> localsOf(const std::vector<Gpu>& gpus) {
    return setOf(gpus, &Gpu::local);
}

// Devices that are known, on both sides, to be none of the same are of another machine.
bool areOtherDevices(const std::vector<Gpu>& own, const std::vector<Gpu>& others) {
    std::set<std::string> known = setOf(own, &Gpu::uuid);
    return !known.contains({})
        && std::none_of(others.begin(), others.end(),
            [&known](const Gpu& gpu) { return gpu.uuid.empty() || known.contains(gpu.uuid); });
}

Result<std::vector<RunOfHeat>> runsOnSuchNodes(
    const RunStudy& study, const std::vector<Gpu>& gpus) {
    std::vector<RunOfHeat> found;
    RETURN_IF_ERROR(study.store.query(
        fmt::format("SELECT other.id, other.begin_ns, other.end_ns FROM run AS other JOIN "
                    "run AS own"
                    " ON own.id={} WHERE other.id<>own.id AND other.kind='measured'"
                    " AND other.gpu_model=own.gpu_model AND other.gpu_count>0"
                    " AND other.gpu_count*own.node_count=own.gpu_count*other.node_count"
                    " AND other.end_ns>other.begin_ns"
                    " ORDER BY abs(other.begin_ns-own.begin_ns), other.id LIMIT {}",
            study.run.id.value, kOtherRuns),
        {}, [&found](const std::vector<store::SqlValue>& row) {
            found.push_back({{row[0].integer}, {{row[1].integer}, {row[2].integer}}, {}});
            return true;
        }));
    const std::set<int> locals = localsOf(gpus);
    for (RunOfHeat& other : found) {
        ASSIGN_OR_RETURN(auto places, study.store.gpus(other.id));
        if (localsOf(places) != locals || areOtherDevices(gpus, places))
            places.clear();
        std::erase_if(places, [](const Gpu& gpu) { return gpu.node >= kNodesOfOtherRun; });
        other.gpus = std::move(places);
    }
    std::erase_if(found, [](const RunOfHeat& other) { return other.gpus.empty(); });
    return found;
}

} // namespace

Result<Airflow> airflowOf(const RunStudy& study) {
    ASSIGN_OR_RETURN(auto said, study.store.airflow(study.run.id));
    if (!said.empty())
        return Airflow{std::move(said), AirflowOrigin::Said, {}};
    return inferredAirflow(study);
}

Result<Airflow> inferredAirflow(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto places, study.store.gpus(study.run.id));
    ASSIGN_OR_RETURN(const auto own, heatOf(study.store, {study.run.id, study.run.range, places}));
    ASSIGN_OR_RETURN(const auto runs, runsOnSuchNodes(study, places));
    std::vector<std::vector<GpuHeat>> others;
    for (const RunOfHeat& other : runs) {
        ASSIGN_OR_RETURN(auto heat, heatOf(study.store, other));
        others.push_back(std::move(heat));
    }
    Airflow found = inferAirflow(own, others);
    // An order names every position; of one that was not measured nothing is known.
    if (found.origin == AirflowOrigin::Inferred && !checkAirflow(found.order, places).hasValue())
        return Airflow{
            {}, AirflowOrigin::Assumed, "Some positions of a node have no temperatures."};
    return found;
}

} // namespace trainscope::analysis
