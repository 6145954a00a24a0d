#include "core/plot/comparison/ComparisonLoaders.h"
#include "core/plot/figures/FigureLoaders.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::plot {

namespace {

using analysis::Normalisation;

std::string markOf(std::size_t run) {
    return std::string(1, static_cast<char>('A' + run));
}

std::shared_ptr<const analysis::RunMeasures> measuredBefore(
    const ComparisonData* before, const ComparisonQuery& query, RunId run) {
    if (before == nullptr || before->query.wholeRun != query.wholeRun)
        return nullptr;
    for (const auto& measured : before->measured) {
        if (measured->run.id == run)
            return measured;
    }
    return nullptr;
}

// The runs as figures name them, without those beyond the sixth.
Result<std::vector<FigureSubject>> subjectsOf(
    const store::Store& store, const ComparisonQuery& query, ComparisonData& data) {
    FigureQuery asked;
    asked.runs = query.runs;
    auto subjects = figureSubjects(store, asked);
    if (!subjects.hasValue())
        return subjects;
    auto& all = subjects.value();
    if (all.size() > kMostCompared) {
        std::string names;
        for (std::size_t i = kMostCompared; i < all.size(); ++i)
            names += (names.empty() ? "" : ", ") + all[i].named.name;
        data.notes.push_back(
            fmt::format("At most {} runs stand side by side; left out: {}.", kMostCompared, names));
        all.resize(kMostCompared);
    }
    return subjects;
}

Status measure(const store::Store& store, const ComparisonQuery& query,
    const std::vector<FigureSubject>& subjects, const ComparisonData* before,
    const Progress& progress, ComparisonData& data) {
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        const auto& subject = subjects[i];
        data.runs.push_back({subject.named, markOf(i), i});
        auto known = measuredBefore(before, query, subject.run.id);
        if (!known) {
            auto measured = analysis::measuresOf(
                store, subject.run, analysis::MeasureScope{query.wholeRun}, progress);
            if (!measured.hasValue())
                return measured.error();
            known = std::make_shared<const analysis::RunMeasures>(std::move(measured).value());
        }
        data.runs.back().named.cluster = known->cluster;
        data.measured.push_back(std::move(known));
    }
    return {};
}

std::string quoted(const std::optional<std::string>& value) {
    return value ? *value : "—";
}

void addVerdict(ComparisonData& data) {
    ComparisonVerdict shown;
    if (data.measured.size() == 2) {
        const auto verdict = analysis::verdictOf(*data.measured[0], *data.measured[1]);
        shown.isDecided = verdict.winner != analysis::Winner::Undecided;
        shown.headline = verdict.headline;
        if (!verdict.reason.empty())
            shown.statements.push_back(verdict.reason);
        for (const auto& statement : verdict.statements)
            shown.statements.push_back(statement.text);
    } else {
        shown.headline = fmt::format("{} runs beside {}", data.runs.size() - 1, markOf(0));
        for (std::size_t run = 1; run < data.measured.size(); ++run) {
            const auto verdict = analysis::verdictOf(*data.measured[0], *data.measured[run]);
            shown.isDecided = shown.isDecided || verdict.winner != analysis::Winner::Undecided;
            shown.statements.push_back(
                fmt::format("{} and {}: {}", markOf(0), markOf(run), verdict.headline));
        }
    }
    data.verdict = std::move(shown);
}

void addConfiguration(ComparisonData& data) {
    std::vector<analysis::RunMeasures> runs;
    for (const auto& measured : data.measured)
        runs.push_back(*measured);
    for (const auto& difference : analysis::configDifferences(runs)) {
        ComparisonFact fact{difference.title, {}};
        for (const auto& value : difference.values)
            fact.values.push_back(quoted(value));
        data.configuration.push_back(std::move(fact));
    }
}

std::string normalisationText(Normalisation by) {
    switch (by) {
    case Normalisation::Absolute:
        return "Numbers are those of the whole job.";
    case Normalisation::PerGpu:
        return "What grows with the machine is divided by the GPUs of the job.";
    case Normalisation::PerNode:
        return "What grows with the machine is divided by the nodes of the job.";
    case Normalisation::PerToken:
        break;
    }
    return "What a step takes is divided by its tokens (global batch × sequence length).";
}

void addCaption(ComparisonData& data) {
    for (std::size_t run = 0; run < data.measured.size(); ++run)
        data.caption += fmt::format("{}{}: {}.", data.caption.empty() ? "" : " ",
            data.runs[run].mark, data.measured[run]->wording);
    data.caption += " " + normalisationText(data.query.normalisation);
}

void takeOver(const ComparisonData& before, ComparisonData& data) {
    const auto& a = before.query;
    const auto& b = data.query;
    const bool sameRuns = a.runs == b.runs && a.wholeRun == b.wholeRun;
    if (!sameRuns)
        return;
    if (a.curveMetric == b.curveMetric && a.alignment == b.alignment && a.iteration == b.iteration
        && a.moved == b.moved)
        data.curves = before.curves;
    if (a.iteration == b.iteration && a.alignment == b.alignment)
        data.tracks = before.tracks;
    if (a.withKernels)
        data.kernels = before.kernels;
}

template <typename Notes>
void addNotes(const Notes& notes, ComparisonData& data) {
    data.notes.insert(data.notes.end(), notes.begin(), notes.end());
}

Status addReadings(const ComparisonContext& context, ComparisonData& data) {
    if (const Status heat = addHeat(context, data); !heat.hasValue())
        return heat;
    if (context.query.withCurves && !data.curves) {
        if (const Status curves = addCurves(context, data); !curves.hasValue())
            return curves;
    }
    if (context.query.withTracks && !data.tracks) {
        if (const Status tracks = addTracks(context, data); !tracks.hasValue())
            return tracks;
    }
    if (context.query.withKernels && data.kernels.empty()) {
        if (const Status kernels = addKernels(context, data); !kernels.hasValue())
            return kernels;
    }
    if (data.curves)
        addNotes(data.curves->notes, data);
    if (data.tracks)
        addNotes(data.tracks->notes, data);
    return {};
}

} // namespace

Result<ComparisonData> loadComparison(const store::Store& store, const ComparisonQuery& query,
    const ComparisonData* before, const Progress& progress) {
    ComparisonData data;
    data.query = query;
    if (query.runs.size() < 2) {
        data.emptyText = "A comparison needs two runs or more.";
        return data;
    }
    const auto subjects = subjectsOf(store, query, data);
    if (!subjects.hasValue())
        return subjects.error();
    const Status measured = measure(store, query, subjects.value(), before, progress, data);
    if (!measured.hasValue())
        return measured.error();
    const ComparisonContext context{store, query, data.measured, progress};
    data.title = commonTitle(subjects.value());
    if (before != nullptr)
        takeOver(*before, data);
    addVerdict(data);
    addQuantities(context, data);
    addStacks(context, data);
    addConfiguration(data);
    addCaption(data);
    const Status read = addReadings(context, data);
    if (!read.hasValue())
        return read.error();
    const bool nothing = data.quantities.empty() && data.stacks.empty() && !data.heat
        && !data.curves && !data.tracks;
    if (nothing)
        data.emptyText = "The runs have nothing in common that could be compared: neither "
                         "iterations, nor a metric, nor a trace.";
    return data;
}

} // namespace trainscope::plot
