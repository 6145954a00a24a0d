#include "core/analysis/findings/Findings.h"
#include "core/figures/Kinds.h"
#include "core/figures/layout/LayoutFigure.h"
#include "core/figures/timeline/TimelineFigure.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "core/report/ReportComparison.h"
#include "core/report/ReportTables.h"
#include "core/report/RunTables.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace trainscope::report {

namespace {

constexpr std::size_t kMostFindings = 8; // of a run among several
constexpr std::size_t kMostApart = 4; // runs whose findings stand each by itself
constexpr std::size_t kMostSummed = 6; // sentences of the summary
constexpr std::size_t kMostOnTimeline = 2; // runs
constexpr int kTimelineColumns = 1200;

constexpr std::string_view kDefinitions
    = R"(Mean: weighted by time; each sample holds until the next, intervals that begin at a missing sample are left out.
Energy: what the GPUs' energy counters counted, between their steps along the power; without a counter the trapezoid over the samples of GPU power. Gaps of more than ten median periods are not bridged, and the coverage says which share of the time has data.
Throttled: SM clock below 97 % of the run's 95th percentile at a utilisation of 0.5 or more, two samples or longer; thermal within 3 °C of the slowdown limit, power from 97 % of the power limit.
Busy, communication, exposed: unions of kernel intervals over all streams of a GPU; exposed is communication while nothing computes.
Efficiency: samples per second of step time and per megajoule of the whole run; MFU counts the model's own FLOP, none for recomputation.
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
    const auto column = std::find_if(table.columns.begin(), table.columns.end(),
        [title](const text::Column& one) { return one.title == title; });
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
    std::stable_sort(all.begin(), all.end(),
        [](const Statement& a, const Statement& b) { return a.finding.cost > b.finding.cost; });
    std::vector<Statement> folded;
    for (Statement& one : all) {
        const auto same = std::find_if(folded.begin(), folded.end(),
            [&one](const Statement& other) { return other.finding.rule == one.finding.rule; });
        if (same == folded.end())
            folded.push_back(std::move(one));
        else if (one.run != same->run
            && std::find(same->also.begin(), same->also.end(), one.run) == same->also.end())
            same->also.push_back(std::move(one.run));
    }
    std::stable_sort(folded.begin(), folded.end(),
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

class Loader {
public:
    Loader(const store::Store& store, const Progress& progress)
        : m_store(store)
        , m_studies(store, progress) { }

    Result<Report> load(const ReportQuery& query) {
        RETURN_IF_ERROR(chooseRuns(query));
        chooseComparisons(query);
        m_report.title
            = m_runs.size() == 1 ? m_runs.front().name : text::counted(std::ssize(m_runs), "run");
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
            const bool chosen = query.runs.empty()
                || std::find(query.runs.begin(), query.runs.end(), run.id) != query.runs.end();
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
        both.query.withTracks = false;
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
        m_report.tables.push_back(without("start", runTable(m_runs)));
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
            const bool isShown = std::any_of(m_report.overview.begin(), m_report.overview.end(),
                [&kind](const auto& figure) { return figure.kind == kind.key; });
            if (!options || isShown)
                continue;
            figures::Request request;
            request.options = *std::move(options);
            // Sweeps choose among runs only where none are named.
            if (m_runs.size() != allRuns())
                request.runs = m_runs;
            ASSIGN_OR_RETURN(auto figure, figures::load(kind, m_studies, request));
            if (figure.emptyText.empty())
                m_report.figures.push_back(std::move(figure));
        }
        for (const Run& run : m_runs)
            RETURN_IF_ERROR(addFiguresOf(run));
        return {};
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

    // The verdicts, else of each run in turn its costliest findings.
    void addSummary() {
        auto& summary = m_report.summary;
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

    Status addOverview() {
        figures::Request timeline;
        timeline.runs = {m_runs.begin(),
            m_runs.begin() + static_cast<std::ptrdiff_t>(std::min(m_runs.size(), kMostOnTimeline))};
        timeline.columns = kTimelineColumns;
        figures::TimelineAsked lanes;
        lanes.metrics = {metric::kGpuPower, metric::kGpuTemperature};
        timeline.options = figures::timelineOptions().given(lanes);
        RETURN_IF_ERROR(addOverview("timeline", timeline));
        figures::Request machine;
        machine.runs = m_runs;
        if (m_runs.size() > 1)
            return addOverview("heatmap", machine);
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
        if (figure.value().emptyText.empty())
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
        const auto oom = std::count_if(m_runs.begin(), m_runs.end(),
            [](const Run& run) { return run.status == RunStatus::Oom; });
        std::string runs = fmt::format("{}", m_runs.size());
        if (oom > 0)
            runs += fmt::format(", {} of them out of memory", oom);
        m_report.facts.emplace_back("Database", m_store.path().filename().string());
        m_report.facts.emplace_back("Runs", runs);
        m_report.facts.emplace_back("Sources", sourcesText());
        m_report.facts.emplace_back("Findings", fmt::format("{}", m_findingCount));
    }

    const store::Store& m_store;
    const analysis::RunStudies m_studies;
    std::vector<Run> m_runs;
    std::vector<figures::ComparisonBoard> m_comparisons;
    std::size_t m_findingCount = 0; // before those of many runs are folded
    std::size_t m_sourceCount = 0;
    Report m_report;
};

} // namespace

Result<Report> loadReport(
    const store::Store& store, const ReportQuery& query, const Progress& progress) {
    return Loader(store, progress).load(query);
}

} // namespace trainscope::report
