#include "core/analysis/findings/Findings.h"
#include "core/analysis/overview/Overview.h"
#include "core/catalogue/GpuModel.h"
#include "core/figures/Kinds.h"
#include "core/figures/comparison/ComparisonFigure.h"
#include "core/figures/layout/LayoutFigure.h"
#include "core/figures/timeline/TimelineFigure.h"
#include "core/model/AsciiText.h"
#include "core/plot/comparison/Comparison.h"
#include "core/report/ComparisonTables.h"
#include "core/report/Report.h"
#include "core/report/RunTables.h"

#include <iterator>

namespace trainscope::report {

namespace {

using plot::ComparisonData;
using plot::ComparisonPanel;

Table runsTable(const ComparisonData& data) {
    Table table{"Compared runs", {{""}, {"Run"}, {"Cluster"}, {"Layout"}, {"What counts"}}};
    for (std::size_t run = 0; run < data.runs.size(); ++run) {
        const auto& named = data.runs[run].named;
        table.add({data.runs[run].mark, named.name, named.cluster, named.layout,
            data.measured[run]->wording});
    }
    return table;
}

void addTables(const ComparisonData& data, Comparison& section) {
    section.tables.push_back(runsTable(data));
    std::vector<const analysis::RunMeasures*> runs;
    for (const auto& measured : data.measured)
        runs.push_back(measured.get());
    for (auto& table :
        comparisonTables(runs, data.query.normalisation, data.query.quantities, data.operators))
        section.tables.push_back(std::move(table));
}

// Headlines are set with a period by whoever shows them.
std::string asHeadline(std::string sentence) {
    if (sentence.ends_with('.'))
        sentence.pop_back();
    return sentence;
}

// Runs side by side; the first is the base.
Result<Comparison> comparisonSection(
    const analysis::RunStudies& studies, const figures::ComparisonBoard& board) {
    ASSIGN_OR_RETURN(auto loaded, figures::loadComparison(studies, board.query));
    const auto data = std::make_shared<const ComparisonData>(std::move(loaded));
    Comparison section{board, {}, {}, board.notes, {}, {}};
    if (data->isEmpty()) {
        section.headline = asHeadline(data->emptyText);
        return section;
    }
    if (data->verdict) {
        section.headline = data->verdict->headline;
        section.statements = data->verdict->statements;
    }
    section.notes.insert(section.notes.end(), data->notes.begin(), data->notes.end());
    addTables(*data, section);
    // Words and numbers are told by the text.
    for (const ComparisonPanel panel :
        {ComparisonPanel::Breakdown, ComparisonPanel::Curves, ComparisonPanel::Kernels}) {
        const auto& wanted = board.panels;
        if (std::ranges::find(wanted, panel) == wanted.end() || !data->has(panel))
            continue;
        section.pictures.push_back(
            figures::comparisonFigure(data, {{panel}, board.stacked, board.perStage, true}));
        section.pictures.back().title = board.title + ": " + plot::textsOf(*data, panel).title;
    }
    return section;
}

constexpr std::size_t kMostFindings = 8; // per run, where several are reported
constexpr std::size_t kMostApart = 4; // runs whose findings stand each by itself
constexpr std::size_t kMostSummed = 6; // sentences of the summary
constexpr int kTimelineColumns = 1200;

constexpr std::string_view kDefinitions
    = R"(Mean: weighted by time; each sample holds until the next, intervals that begin at a missing sample are left out.
Energy: what the GPUs' energy counters counted, between their steps along the power; without a counter the trapezoid over the samples of GPU power. Gaps of more than ten median periods are not bridged, and the coverage says which share of the time has data.
Throttled: the driver's reasons name a cap or brake of power, heat or a hardware slowdown, of the time over which they were read. Without reasons told from clocks: SM clock below 97 % of the run's 95th percentile at a utilisation of 0.5 or more, two samples or longer; thermal within 3 °C of the slowdown limit, power from 97 % of the power limit.
Clock lost: by how much such low clocks fall short of the 95th percentile, over time.
Busy, communication, exposed: unions of kernel intervals over all streams of a GPU; exposed is communication while nothing computes.
Efficiency: samples per second of step time and per megajoule of the whole run; the energy of a step is of what lies within iterations; MFU counts the model's own FLOP, none for recomputation.
Steady: whole iterations without warm-up and after the temperatures have settled.)";

// A line each.
std::vector<std::string> definitions() {
    std::vector<std::string> all;
    std::string_view rest = kDefinitions;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        all.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return all;
}

// The table without a column that a page has no room for.
Table without(std::string_view title, Table table) {
    const auto column = std::ranges::find(table.columns, title, &text::Column::title);
    const auto at = column - table.columns.begin();
    if (column == table.columns.end())
        return table;
    table.columns.erase(column);
    for (auto& row : table.rows)
        row.erase(row.begin() + at);
    return table;
}

// The costliest of each rule, with the other runs that it speaks of.
std::vector<Statement> byRule(std::vector<Statement> all) {
    std::ranges::stable_sort(all,
        [](const Statement& a, const Statement& b) { return a.finding.cost > b.finding.cost; });
    std::vector<Statement> folded;
    for (Statement& one : all) {
        const auto same = std::ranges::find_if(folded,
            [&one](const Statement& other) { return other.finding.rule == one.finding.rule; });
        if (same == folded.end())
            folded.push_back(std::move(one));
        else if (one.run != same->run && std::ranges::find(same->also, one.run) == same->also.end())
            same->also.push_back(std::move(one.run));
    }
    std::ranges::stable_sort(folded,
        [](const Statement& a, const Statement& b) { return a.also.size() > b.also.size(); });
    return folded;
}

// The sentence, with its run where there are several.
std::string sentenceOf(const Statement& statement, bool isOnlyRun) {
    if (isOnlyRun)
        return statement.finding.text;
    const auto others = static_cast<std::int64_t>(statement.also.size());
    return statement.run
        + (others > 0 ? " (and " + text::counted(others, "other run") + "): " : ": ")
        + statement.finding.text;
}

constexpr std::size_t kMostTitled = 2; // runs by their names, machines by their GPUs

// "26 Nov 2026"; empty for a time that is none, as of a trace that begins at the epoch.
std::string dayOf(TimeNs time) {
    static constexpr std::array<std::string_view, 12> months{
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    if (time.ns <= text::kDay)
        return {};
    const std::string date = text::date(time, 0); // "2026-11-26"
    const auto month = static_cast<std::size_t>(std::stoi(date.substr(5, 2)) - 1);
    return fmt::format("{} {} {}", std::stoi(date.substr(8)), months.at(month), date.substr(0, 4));
}

// "64 × NVIDIA H100 80GB HBM3", else "8 nodes"; empty where nothing is known.
std::string machineOf(const Run& run) {
    const int gpus = std::max(run.gpuCount, run.worldSize);
    if (gpus > 0)
        return catalogue::gpusText(gpus, run.gpuModel);
    return run.nodeCount > 1 ? text::counted(run.nodeCount, "node") : std::string();
}

// Each once, in order.
std::vector<std::string> eachOnce(
    const std::vector<Run>& runs, const std::function<std::string(const Run&)>& of) {
    std::vector<std::string> all;
    for (const Run& run : runs) {
        const std::string text = of(run);
        if (!text.empty() && std::ranges::find(all, text) == all.end())
            all.push_back(text);
    }
    return all;
}

// "Training of gpt3-175b", "Simulated inference of llama3-70b"; without a model "Run training".
std::string subjectOf(const Run& run) {
    if (!run.launch.model)
        return "Run " + run.name;
    std::string work = run.launch.workload == Workload::Inference ? "inference"
        : run.launch.workload == Workload::Lora                   ? "LoRA training"
                                                                  : "training";
    if (run.kind == RunKind::Predicted)
        work = "predicted " + work;
    else if (run.simulated)
        work = "simulated " + work;
    return capitalised(work) + " of " + *run.launch.model;
}

std::string subjectOf(const std::vector<Run>& runs) {
    if (runs.size() == 1)
        return subjectOf(runs.front());
    std::string subject = runs.size() <= kMostTitled
        ? runs.front().name + " and " + runs.back().name
        : text::counted(std::ssize(runs), "run");
    const auto models
        = eachOnce(runs, [](const Run& run) { return run.launch.model.value_or(""); });
    const bool haveAll
        = std::ranges::all_of(runs, [](const Run& run) { return run.launch.model.has_value(); });
    if (models.size() == 1 && haveAll && runs.size() > kMostTitled)
        subject += " of " + models.front();
    return subject;
}

class Loader {
public:
    Loader(const store::Store& store, const Progress& progress)
        : m_store(store)
        , m_studies(store, progress) { }

    Result<Report> load(const ReportQuery& query) {
        RETURN_IF_ERROR(chooseRuns(query));
        chooseComparisons(query);
        m_marks = query.marks;
        m_report.title = titleOf(m_runs);
        m_report.run = m_runs.size() == 1 ? m_runs.front().name : std::string();
        m_report.definitions = definitions();
        for (const auto& step : {&Loader::addComparisons, &Loader::addFindings, &Loader::addTables,
                 &Loader::addOverview, &Loader::addFigures}) {
            RETURN_IF_ERROR((this->*step)());
        }
        addSummary();
        addFacts();
        return std::move(m_report);
    }

private:
    Status chooseRuns(const ReportQuery& query) {
        ASSIGN_OR_RETURN(auto all, m_store.runs());
        for (Run& run : all) {
            const bool chosen
                = query.runs.empty() || std::ranges::find(query.runs, run.id) != query.runs.end();
            if (chosen)
                m_runs.push_back(std::move(run));
        }
        if (m_runs.empty() || (!query.runs.empty() && m_runs.size() < query.runs.size()))
            return Error{ErrorCode::NotFound,
                "There are no such runs to report on; import something first.",
                m_store.path().string()};
        return {};
    }

    Status addComparisons() {
        for (const auto& request : m_comparisons) {
            ASSIGN_OR_RETURN(auto section, comparisonSection(m_studies, request));
            m_report.comparisons.push_back(std::move(section));
        }
        return {};
    }

    // Those asked for; of two runs these two, where nobody asked for them.
    void chooseComparisons(const ReportQuery& query) {
        m_comparisons = query.comparisons;
        if (m_runs.size() != 2 || !m_comparisons.empty())
            return;
        figures::ComparisonBoard both;
        both.title = m_runs[0].name + " and " + m_runs[1].name;
        both.query.runs = {m_runs[0].id, m_runs[1].id};
        both.query.withCurves = false;
        m_comparisons.push_back(std::move(both));
    }

    Status addFindings() {
        std::vector<std::string> without;
        for (const Run& run : m_runs) {
            ASSIGN_OR_RETURN(auto findings, analysis::findingsOf(m_studies.of(run)));
            if (findings.empty())
                without.push_back(run.name);
            const bool isCut = m_runs.size() > 1 && m_runs.size() <= kMostApart;
            if (isCut && findings.size() > kMostFindings) {
                m_report.findingNotes.push_back(fmt::format("{}: {} more, less costly findings.",
                    run.name, findings.size() - kMostFindings));
                findings.resize(kMostFindings);
            }
            for (auto& finding : findings)
                m_report.findings.push_back({run.name, std::move(finding), {}});
        }
        m_findingCount = m_report.findings.size();
        if (m_runs.size() > kMostApart)
            m_report.findings = byRule(std::move(m_report.findings));
        if (!without.empty())
            m_report.findingNotes.push_back(without.size() == m_runs.size()
                    ? "Nothing stands out."
                    : fmt::format("Nothing stands out in {}.", fmt::join(without, ", ")));
        return {};
    }

    Status addTables() {
        m_report.tables.push_back(without("start", runTable(m_runs, {})));
        for (const auto make : {summaryTable, readEfficiency, readThrottling, readAboveLimit,
                 traceTable, energyTable}) {
            ASSIGN_OR_RETURN(auto table, make(m_studies, m_runs));
            if (!table.rows.empty())
                m_report.tables.push_back(std::move(table));
        }
        ASSIGN_OR_RETURN(auto sources, readSources(m_store, m_runs));
        m_sourceCount = sources.count;
        m_report.sources = std::move(sources.table);
        m_report.hashes = std::move(sources.hashes);
        return {};
    }

    Status addFigures() {
        for (const auto& kind : figures::kinds()) {
            auto options = kind.inReport ? kind.inReport(m_runs.size()) : std::nullopt;
            if (!options || isShown(kind.key))
                continue;
            // The layout of a run is coloured by the same numbers.
            if (m_runs.size() == 1 && kind.key == "heatmap" && isShown("layout"))
                continue;
            figures::Request request;
            request.options = *std::move(options);
            // Sweeps choose among runs only where none are named.
            if (m_runs.size() != allRuns())
                request.runs = m_runs;
            ASSIGN_OR_RETURN(auto figure, figures::load(kind, m_studies, request));
            if (figure.emptyText.empty() && !figure.isOfOne)
                m_report.figures.push_back(std::move(figure));
        }
        for (const Run& run : m_runs)
            RETURN_IF_ERROR(addFiguresOf(run));
        return {};
    }

    [[nodiscard]] bool isShown(std::string_view kind) const {
        return std::ranges::any_of(
            m_report.overview, [kind](const auto& figure) { return figure.kind == kind; });
    }

    Status addFiguresOf(const Run& run) {
        for (const auto& kind : figures::kinds()) {
            if (!kind.ofRunInReport || m_runs.size() > kMostApart)
                continue;
            ASSIGN_OR_RETURN(auto made, kind.ofRunInReport(m_studies.of(run)));
            for (auto& figure : made) {
                figure.sources = figures::sourcesOf(m_store, figure.runs);
                m_report.figures.push_back(std::move(figure));
            }
        }
        return {};
    }

    // The verdicts, else of each run in turn its costliest findings. One run has its overview.
    void addSummary() {
        auto& summary = m_report.summary;
        if (isShown("overview"))
            return;
        for (const auto& one : m_report.comparisons)
            summary.push_back(one.headline + ".");
        std::map<std::string, std::vector<std::string>> byRun;
        const bool isOnlyRun = m_runs.size() == 1;
        for (const auto& one : m_report.findings)
            byRun[m_runs.size() > kMostApart ? std::string() : one.run].push_back(
                sentenceOf(one, isOnlyRun));
        for (std::size_t place = 0; place < kMostSummed; ++place) {
            for (const auto& [run, texts] : byRun) {
                if (summary.size() < kMostSummed && place < texts.size())
                    summary.push_back(texts[place]);
            }
        }
        if (summary.empty())
            summary.emplace_back("Nothing stands out.");
    }

    // Those of the metrics that one of the runs has.
    Result<std::vector<std::string>> recordedOf(std::initializer_list<const char*> metrics) {
        std::set<std::string> recorded;
        for (const Run& run : m_runs) {
            ASSIGN_OR_RETURN(const auto all, m_store.series(run.id));
            for (const Series& series : all)
                recorded.insert(series.description.metric.name);
        }
        std::vector<std::string> found;
        std::copy_if(metrics.begin(), metrics.end(), std::back_inserter(found),
            [&recorded](const char* one) { return recorded.contains(one); });
        return found;
    }

    Status addOverview() {
        if (m_runs.size() == 1) {
            figures::Request page;
            page.runs = m_runs;
            RETURN_IF_ERROR(addOverview("overview", page));
        }
        for (auto& page : m_report.overview) // the report itself writes their titles
            page.draw = [draw = std::move(page.draw)](plot::FigureStyle style) {
                style.title = false;
                return draw(style);
            };
        figures::Request timeline;
        timeline.runs = m_runs;
        timeline.columns = kTimelineColumns;
        timeline.marks = m_marks;
        figures::TimelineAsked lanes;
        ASSIGN_OR_RETURN(lanes.metrics, recordedOf({metric::kGpuPower, metric::kGpuTemperature}));
        if (lanes.metrics.empty()) {
            ASSIGN_OR_RETURN(lanes.metrics,
                recordedOf({metric::kNodePower, metric::kSwitchPower, metric::kLoss,
                    metric::kTokenRate, metric::kSampleRate}));
        }
        timeline.options = figures::timelineOptions().given(lanes);
        if (!lanes.metrics.empty())
            RETURN_IF_ERROR(addOverview("timeline", timeline));
        figures::Request machine;
        machine.runs = m_runs;
        if (m_runs.size() > 1)
            return addOverview("heatmap", machine);
        if (m_runs.front().gpuCount == 1)
            return {};
        figures::LayoutAsked asked;
        asked.colour = metric::kGpuTemperature;
        machine.options = figures::layoutOptions().given(asked);
        return addOverview("layout", machine);
    }

    // Nothing where the runs lack what it shows.
    Status addOverview(std::string_view kind, const figures::Request& request) {
        auto figure = figures::load(*figures::findKind(kind), m_studies, request);
        if (!figure.hasValue()) {
            const ErrorCode code = figure.error().code;
            const bool isLacking = code == ErrorCode::NotFound || code == ErrorCode::Usage;
            return isLacking ? Status() : Status(figure.error());
        }
        if (figure.value().emptyText.empty() && !figure.value().isOfOne)
            m_report.overview.push_back(std::move(figure).value());
        return {};
    }

    [[nodiscard]] std::size_t allRuns() const {
        const auto all = m_store.runs();
        return all.hasValue() ? all.value().size() : 0;
    }

    [[nodiscard]] std::string sourcesText() const {
        const std::size_t hashed = m_report.hashes.size();
        if (hashed == 0)
            return fmt::format("{}", m_sourceCount);
        return hashed == m_sourceCount
            ? fmt::format("{}, with their hashes at the end", m_sourceCount)
            : fmt::format("{}, with the hashes of {} at the end", m_sourceCount, hashed);
    }

    void addFacts() {
        const auto oom = std::ranges::count(m_runs, RunStatus::Oom, &Run::status);
        std::string runs = fmt::format("{}", m_runs.size());
        if (oom > 0)
            runs += fmt::format(", {} of them out of memory", oom);
        if (!m_report.run.empty())
            m_report.facts.emplace_back("Run", m_report.run);
        m_report.facts.emplace_back("Database", m_store.path().filename().string());
        if (m_report.run.empty() || oom > 0)
            m_report.facts.emplace_back("Runs", runs);
        m_report.facts.emplace_back("Sources", sourcesText());
        m_report.facts.emplace_back("Findings", fmt::format("{}", m_findingCount));
    }

    const store::Store& m_store;
    const analysis::RunStudies m_studies;
    std::vector<Run> m_runs;
    std::vector<figures::ComparisonBoard> m_comparisons;
    std::vector<plot::TimelineMark> m_marks;
    std::size_t m_findingCount = 0; // before those of many runs are folded
    std::size_t m_sourceCount = 0;
    Report m_report;
};

} // namespace

std::string titleOf(const std::vector<Run>& runs) {
    std::string title = subjectOf(runs);
    const auto machines = eachOnce(runs, machineOf);
    if (!machines.empty())
        title += fmt::format(" on {}",
            machines.size() > kMostTitled ? text::counted(std::ssize(machines), "machine")
                                          : fmt::format("{}", fmt::join(machines, " and ")));
    std::vector<Run> dated;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(dated),
        [](const Run& run) { return !run.range.isEmpty(); });
    std::ranges::sort(
        dated, [](const Run& a, const Run& b) { return a.range.begin < b.range.begin; });
    const auto days = eachOnce(dated, [](const Run& run) { return dayOf(run.range.begin); });
    if (!days.empty())
        title += ", " + days.front() + (days.size() > 1 ? " to " + days.back() : "");
    if (runs.size() == 1 && !dated.empty())
        title += ", " + text::seconds(dated.front().range.length().seconds());
    return title;
}

Result<Report> loadReport(
    const store::Store& store, const ReportQuery& query, const Progress& progress) {
    return Loader(store, progress).load(query);
}

} // namespace trainscope::report
