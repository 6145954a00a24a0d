#include "core/analysis/overview/WorkAndRest.h"

#include "core/analysis/StudyPass.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"

#include <algorithm>
#include <cmath>

namespace trainscope::analysis {

namespace {

constexpr const char* kPhase = "Looking at power";

struct PowerAndUse {
    Series power;
    std::optional<SeriesId> use; // utilisation
    double middle = 0.0; // W, in its place
};

Result<SubjectWork> workAndRestIn(
    const store::Store& store, const PowerAndUse& part, const Progress& progress) {
    SubjectWork made{subjectText(part.power.description.subject), {}, {}};
    std::optional<SampleWalk> use;
    if (part.use)
        use.emplace(store, *part.use, kAllTime.begin);
    SampleCursor cursor(store, part.power.id, kAllTime, [&progress] {
        return progress({kPhase, 0, 0});
    });
    RETURN_IF_ERROR(cursor.start());
    while (!cursor.atEnd()) {
        const TimeNs begin = cursor.time();
        const double watts = cursor.value();
        RETURN_IF_ERROR(cursor.next());
        if (cursor.atEnd() || std::isnan(watts))
            continue;
        double share = watts > part.middle ? 1.0 : 0.0;
        if (use)
            RETURN_IF_ERROR(assign(use->heldAt(begin), share));
        if (!std::isnan(share))
            (share < kRestUtilization ? made.rest : made.work).add(watts, cursor.time() - begin);
    }
    return made;
}

} // namespace

double SubjectWork::workShare() const {
    const double seconds = work.length().seconds() + rest.length().seconds();
    return seconds > 0.0 ? work.length().seconds() / seconds : 0.0;
}

SubjectWork WorkAndRest::together() const {
    SubjectWork all;
    for (const SubjectWork& one : subjects) {
        all.work.add(one.work);
        all.rest.add(one.rest);
    }
    return all;
}

Result<std::optional<WorkAndRest>> workAndRestOf(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
    const auto gpus = gpuSeriesByRank(series);
    auto power = gpuSeriesOf(gpus, metric::kGpuPower);
    WorkAndRest told;
    told.isOfNodes = power.empty();
    if (told.isOfNodes)
        power = seriesByMetric(series)[metric::kNodePower];
    std::vector<PowerAndUse> parts;
    double least = INFINITY;
    double most = -INFINITY;
    for (const Series& one : power) {
        PowerAndUse& part = parts.emplace_back(PowerAndUse{one, {}});
        if (const auto gpu = gpus.find(one.description.subject.rank);
            gpu != gpus.end() && gpu->second.contains(metric::kGpuUtilization))
            part.use = gpu->second.at(metric::kGpuUtilization).id;
        least = std::min(least, one.min);
        most = std::max(most, one.max);
    }
    told.isByUtilization
        = std::ranges::all_of(parts, [](const PowerAndUse& part) { return part.use.has_value(); });
    for (PowerAndUse& part : parts) {
        part.middle = (least + most) / 2.0;
        if (!told.isByUtilization)
            part.use.reset();
    }
    RETURN_IF_ERROR(forEachPart(
        study, kPhase, parts, workAndRestIn, [&told](const PowerAndUse&, SubjectWork&& one) {
            told.subjects.push_back(std::move(one));
            return Status();
        }));
    const SubjectWork all = told.together();
    const bool areTwo
        = all.work.mean() && all.rest.mean() && *all.work.mean() >= kLevelsApart * *all.rest.mean();
    const bool isTold = told.isByUtilization ? all.work.mean() || all.rest.mean() : areTwo;
    return isTold ? std::optional(std::move(told)) : std::nullopt;
}

} // namespace trainscope::analysis
