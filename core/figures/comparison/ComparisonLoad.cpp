#include "core/figures/comparison/ComparisonLoad.h"
#include "core/analysis/comparison/Comparison.h"
#include "core/figures/runs/RunFigures.h"
#include "core/model/Try.h"
#include "core/plot/comparison/ComparisonText.h"
#include "core/text/Numbers.h"

namespace trainscope::figures {

using namespace plot;

namespace {

std::shared_ptr<const analysis::RunMeasures> measuredBefore(
    const ComparisonData* before, const ComparisonQuery& query, std::size_t place) {
    if (before == nullptr || before->query.wholeRun != query.wholeRun)
        return nullptr;
    for (const auto& measured : before->measured) {
        if (measured->run.id == query.runs[place] && measured->capture == query.captureOf(place))
            return measured;
    }
    return nullptr;
}

// Without those that were given before.
ComparisonQuery withoutRepeats(const ComparisonQuery& query, std::vector<RunsNote>& notes) {
    ComparisonQuery each = query;
    each.runs.clear();
    each.captures.clear();
    each.moved.clear();
    for (std::size_t i = 0; i < query.runs.size(); ++i) {
        std::size_t known = 0;
        while (known < each.runs.size()
            && (each.runs[known] != query.runs[i] || each.captures[known] != query.captureOf(i)))
            ++known;
        if (known < each.runs.size()) {
            addNote(notes, known, "given more than once; it stands beside others once.");
            continue;
        }
        each.runs.push_back(query.runs[i]);
        each.captures.push_back(query.captureOf(i));
        each.moved.push_back(i < query.moved.size() ? query.moved[i] : DurationNs{0});
    }
    return each;
}

// Runs with what was measured of them, and how far they were moved.
struct Measured {
    FigureSubject subject;
    std::shared_ptr<const analysis::RunMeasures> figures;
    DurationNs moved;
};

Result<std::vector<Measured>> measure(const analysis::RunStudies& studies,
    const ComparisonQuery& query, const ComparisonData* before) {
    FigureQuery asked;
    asked.runs = query.runs;
    ASSIGN_OR_RETURN(auto subjects, figureSubjects(studies.store, asked));
    std::vector<Measured> all;
    for (auto& subject : subjects) {
        const std::size_t place = all.size();
        auto known = measuredBefore(before, query, place);
        if (!known) {
            const analysis::MeasureScope scope{query.wholeRun, query.captureOf(place)};
            ASSIGN_OR_RETURN(auto measured, analysis::measuresOf(studies.of(subject.run), scope));
            known = std::make_shared<const analysis::RunMeasures>(std::move(measured));
        }
        all.push_back({std::move(subject), std::move(known), query.moved[place]});
    }
    return all;
}

// The first stays the first.
void sortRuns(const ComparisonQuery& query, std::vector<Measured>& runs) {
    const auto quantity = analysis::quantityIndex(query.sortedBy);
    if (!quantity)
        return;
    std::stable_sort(runs.begin() + 1, runs.end(), [&](const Measured& a, const Measured& b) {
        return analysis::comesBefore(*a.figures, *b.figures, *quantity, query.normalisation);
    });
}

ComparedRun shownRun(const Measured& run, std::size_t place) {
    ComparedRun shown{run.subject.named, analysis::runMark(place), place};
    shown.named.cluster = run.figures->cluster;
    if (run.figures->capture.empty())
        return shown;
    shown.capture = run.figures->capture;
    shown.stretch = run.figures->window.window;
    shown.named.name = run.figures->run.name;
    shown.named.label = shown.capture;
    return shown;
}

// Also the query, in the order in which the runs are shown.
ComparisonQuery takeRuns(
    const ComparisonQuery& query, std::vector<Measured>& runs, ComparisonData& data) {
    ComparisonQuery shown = query;
    shown.runs.clear();
    shown.captures.clear();
    shown.moved.clear();
    std::vector<FigureSubject> subjects;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto& run = runs[i];
        shown.runs.push_back(run.subject.run.id);
        shown.captures.push_back(run.figures->capture);
        shown.moved.push_back(run.moved);
        data.runs.push_back(shownRun(run, i));
        data.measured.push_back(std::move(run.figures));
        subjects.push_back(std::move(run.subject));
    }
    data.title = commonTitle(subjects);
    return shown;
}

std::vector<const analysis::RunMeasures*> measuredOf(const ComparisonData& data) {
    std::vector<const analysis::RunMeasures*> runs;
    for (const auto& measured : data.measured)
        runs.push_back(measured.get());
    return runs;
}

void addCaption(ComparisonData& data) {
    std::vector<RunsNote> parts;
    for (std::size_t run = 0; run < data.measured.size(); ++run)
        addNote(parts, run, data.measured[run]->wording + ".");
    for (const auto& part : parts)
        data.caption += noteText(part) + " ";
    data.caption += normalisationText(data.query.normalisation);
}

bool isSame(const ComparisonData& a, const ComparisonData& b) {
    return a.query.wholeRun == b.query.wholeRun
        && std::equal(a.runs.begin(), a.runs.end(), b.runs.begin(), b.runs.end(),
            [](const auto& x, const auto& y) {
                return x.named.id == y.named.id && x.capture == y.capture;
            });
}

void takeOver(const ComparisonData& before, ComparisonData& data) {
    const auto& a = before.query;
    const auto& b = data.query;
    if (!isSame(before, data) || a.alignment != b.alignment || a.iteration != b.iteration
        || a.stretched != b.stretched)
        return;
    if (a.curveMetric == b.curveMetric && a.runs == b.runs && a.captures == b.captures
        && a.moved == b.moved)
        data.curves = before.curves;
    if (a.runs == b.runs && a.captures == b.captures)
        data.operators = before.operators;
}

Status addReadings(
    const ComparisonContext& context, ComparisonData& data, std::vector<RunsNote>& notes) {
    if (context.query.withCurves && !data.curves) {
        RETURN_IF_ERROR(addCurves(context, data));
    }
    if (context.query.withOperators && data.operators.empty()) {
        ASSIGN_OR_RETURN(
            data.operators, analysis::stepOperators(context.studies, measuredOf(data)));
    }
    if (data.curves)
        notes.insert(notes.end(), data.curves->notes.begin(), data.curves->notes.end());
    return {};
}

} // namespace

Result<ComparisonData> loadComparison(const analysis::RunStudies& studies,
    const ComparisonQuery& query, const ComparisonData* before) {
    ComparisonData data;
    data.query = query;
    std::vector<RunsNote> notes;
    const ComparisonQuery each = withoutRepeats(query, notes);
    if (each.runs.size() < 2) {
        data.emptyText = query.runs.size() < 2
            ? "A comparison needs two runs or captures or more."
            : "The same was given twice; choose another run or capture to compare it with.";
        return data;
    }
    ASSIGN_OR_RETURN(auto runs, measure(studies, each, before));
    sortRuns(each, runs);
    const ComparisonQuery shown = takeRuns(each, runs, data);
    const ComparisonContext context{studies, shown, data.measured};
    if (before != nullptr)
        takeOver(*before, data);
    addQuantities(data);
    addVerdict(data);
    addStacks(context, data, notes);
    addKernels(context, data);
    data.configuration = analysis::configDifferences(measuredOf(data));
    addCaption(data);
    RETURN_IF_ERROR(addReadings(context, data, notes));
    for (const auto& note : notes)
        data.notes.push_back(noteText(note));
    const bool nothing = data.quantities.empty() && data.stacks.empty() && !data.curves;
    if (nothing)
        data.emptyText = "The runs have nothing in common that could be compared: neither "
                         "iterations, nor a metric, nor a trace.";
    return data;
}

} // namespace trainscope::figures
