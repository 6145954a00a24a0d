#include "core/analysis/machine/GpuHistory.h"
#include "core/figures/runs/RunFigures.h"

#include <cmath>

namespace trainscope::figures {

using namespace plot;
using analysis::HistoryValue;
using analysis::PastRun;

namespace {

constexpr std::size_t kMostGpus = 8; // lines that colours tell apart
using PastRuns = std::vector<const PastRun*>;

// The greatest change first, in parts of the least that counts.
std::vector<std::string> uuidsOf(const std::vector<PastRun>& past) {
    std::map<std::string, double> most;
    for (const PastRun& run : past) {
        for (const analysis::PastGpu& gpu : run.gpus) {
            double& own = most[gpu.gpu.uuid];
            for (const HistoryValue value : allValues<HistoryValue>()) {
                if (const auto& one = gpu.changes[value])
                    own = std::max(own, std::abs(one->change) / infoOf(value).least);
            }
        }
    }
    std::vector<std::string> uuids;
    for (const auto& [uuid, change] : most)
        uuids.push_back(uuid);
    std::ranges::stable_sort(
        uuids, std::greater<>(), [&most](const std::string& uuid) { return most.at(uuid); });
    return uuids;
}

FigurePanel panelOf(HistoryValue value, const PastRuns& runs,
    const std::vector<FigureCategory>& categories, const std::vector<std::string>& uuids) {
    FigurePanel panel{categories, {}, {}, {}};
    std::vector<double> all;
    for (std::size_t i = 0; i < std::min(uuids.size(), kMostGpus); ++i) {
        const std::string name = analysis::shortUuid(uuids[i]);
        FigureSet set{name, fmt::format("{}_{}", toString(value), name), SetRole::Gpu, {}, i};
        for (const PastRun* run : runs) {
            const auto found = std::ranges::find_if(run->gpus,
                [&uuid = uuids[i]](const analysis::PastGpu& gpu) { return gpu.gpu.uuid == uuid; });
            const auto& known = set.values.emplace_back(
                found == run->gpus.end() ? std::nullopt : found->values[value]);
            if (known)
                all.push_back(*known);
        }
        panel.sets.push_back(std::move(set));
    }
    const auto& info = infoOf(value);
    const bool isShare = info.unit == std::string_view("%");
    if (!all.empty() && !isShare) { // a point on the panel's edge would be cut
        const auto [least, greatest] = std::ranges::minmax(all);
        const double room = 0.05 * (greatest - least);
        all.insert(all.end(), {least - room, greatest + room});
    }
    panel.left = axisOf(info.title, info.metric, isShare ? "1" : info.unit, all, isShare);
    if (isShare)
        panel.left.unit = {"%", 100.0};
    if (all.empty())
        panel.sets.clear();
    return panel;
}

} // namespace

Status loadHistory(const FigureContext& context, FigureData& data) {
    ASSIGN_OR_RETURN(const auto subjects, figureSubjects(context.studies.store, context.query));
    std::vector<Run> all;
    for (const auto& subject : subjects) {
        all.push_back(subject.run);
        data.runs.push_back(subject.named);
    }
    ASSIGN_OR_RETURN(
        const auto past, analysis::pastRunsOf(context.studies, all, context.query.wholeRun));
    std::vector<PastRuns> works; // runs of the same work
    for (const PastRun& run : past) {
        const auto known = std::ranges::find_if(
            works, [&run](const PastRuns& work) { return isSameWork(*work.front(), run); });
        if (known == works.end())
            works.push_back({&run});
        else
            known->push_back(&run);
    }
    PastRuns runs;
    std::vector<FigureCategory> categories;
    for (const PastRuns& work : works) {
        std::string group = analysis::whyIncomparable(work.front()->run);
        for (const PastRun* run : work) {
            const auto named = std::ranges::find(data.runs, run->run.id, &FigureRun::id);
            if (group.empty()) // a number tells works apart that have one name
                group = fmt::format("{} {} #{}", named->model, named->layout, runs.size() + 1);
            categories.push_back(
                {named->label, group, static_cast<std::size_t>(named - data.runs.begin()), {}, {}});
            runs.push_back(run);
        }
    }
    const auto uuids = uuidsOf(past);
    for (const HistoryValue value : allValues<HistoryValue>()) {
        if (auto panel = panelOf(value, runs, categories, uuids); !panel.sets.empty())
            data.panels.push_back(std::move(panel));
    }
    data.emptyText = "No run states the UUIDs of its GPUs, by which they are known again.";
    data.title = "GPUs over the runs";
    data.caption = "Means of the part that speaks for each run, throttling of all of it. Lines "
                   "join runs of the same work, or of which that is not known, in order of time.";
    if (uuids.size() > kMostGpus)
        data.notes.push_back(fmt::format("The {} of {} that changed most are shown.", kMostGpus,
            text::counted(std::ssize(uuids), "GPU")));
    return {};
}

} // namespace trainscope::figures
