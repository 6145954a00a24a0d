#include "app/cli/commands/Command.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/telemetry/Correlation.h"
#include "core/model/WholeNumber.h"

namespace trainscope::cli {

namespace {

// Steps of the common grid: an hour at 50 ms and more.
constexpr std::size_t kMostSteps = std::size_t{1} << 19U;
constexpr double kDefaultLagS = 60.0;

struct CorrelateOptions : OneRunOptions {
    std::string a;
    std::string b;
    double maxLagS = kDefaultLagS;
};

// "gpu_power", "gpu_power:3", "node_power:node 0": the series that are summed up.
struct Signal {
    std::string text;
    std::vector<Series> series;
};

bool isOf(const Subject& subject, std::string_view who) {
    const bool isNode = who.starts_with("node");
    if (isNode)
        who.remove_prefix(4);
    while (who.starts_with(' '))
        who.remove_prefix(1);
    const auto number = wholeNumber<int>(who);
    if (!number)
        return false;
    return isNode ? subject.node == *number && subject.kind != SubjectKind::Gpu
                  : subject.rank == *number && subject.kind == SubjectKind::Gpu;
}

Result<Signal> signalOf(const store::Store& store, const Run& run, const std::vector<Series>& all,
    const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::string metric = text.substr(0, colon);
    std::vector<std::string> warnings;
    const auto groups = analysis::seriesByMetric(all, warnings);
    const auto found = groups.find(metric);
    if (found == groups.end()) {
        std::string names;
        for (const auto& [name, series] : groups)
            names += (names.empty() ? "" : ", ") + name;
        return Error{ErrorCode::NotFound,
            "The run '" + run.name + "' has no metric '" + metric + "'; it has "
                + (names.empty() ? "none" : names) + ".",
            store.path().string()};
    }
    Signal out{text, {}};
    for (const Series& one : found->second) {
        if (one.count > one.missing
            && (colon == std::string::npos
                || isOf(one.description.subject, std::string_view(text).substr(colon + 1))))
            out.series.push_back(one);
    }
    if (out.series.empty())
        return Error{ErrorCode::NotFound,
            "No samples are of '" + text + "'; write METRIC, METRIC:RANK or METRIC:node K.",
            store.path().string()};
    return out;
}

// Both sums on one grid, of counters their rates; the mean of gauges that do not add up would only
// scale them.
Result<analysis::UniformSeries> sumOn(
    const store::Store& store, const Signal& signal, const analysis::UniformSeries& grid) {
    analysis::UniformSeries sum{grid.begin, grid.step, std::vector<double>(grid.values.size())};
    for (const Series& one : signal.series) {
        ASSIGN_OR_RETURN(const auto part, analysis::resample(store, one, grid));
        for (std::size_t i = 0; i < sum.values.size(); ++i)
            sum.values[i] += part.values[i];
        sum.age = std::max(sum.age, part.age);
    }
    return sum;
}

struct Found {
    Signal a;
    Signal b;
    double stepS = 0.0;
    analysis::Correlation correlation;
};

Result<Found> find(const store::Store& store, const Run& run, const CorrelateOptions& options) {
    ASSIGN_OR_RETURN(const auto all, store.series(run.id));
    ASSIGN_OR_RETURN(auto a, signalOf(store, run, all, options.a));
    ASSIGN_OR_RETURN(auto b, signalOf(store, run, all, options.b));
    std::vector<Series> both = a.series;
    both.insert(both.end(), b.series.begin(), b.series.end());
    const auto grid = analysis::gridOf(both, kMostSteps);
    ASSIGN_OR_RETURN(const auto first, sumOn(store, a, grid));
    ASSIGN_OR_RETURN(const auto second, sumOn(store, b, grid));
    const auto correlation = analysis::correlate(first, second, options.maxLagS);
    if (!correlation)
        return Error{ErrorCode::NotFound,
            "'" + options.a + "' and '" + options.b
                + "' cannot be correlated: they have fewer than 16 moments in common, or one of "
                  "them never changes.",
            store.path().string()};
    return Found{std::move(a), std::move(b), grid.step.seconds(), *correlation};
}

Row foundRow(const Run& run, const Found& found) {
    const auto& correlation = found.correlation;
    const auto strength = [](double value) { return fmt::format("{:+.3f}", value); };
    const bool isLate = correlation.lagS >= 0.0;
    const std::string lag = fmt::format("{} follows {} by {} ± {}{}",
        isLate ? found.b.text : found.a.text, isLate ? found.a.text : found.b.text,
        text::seconds(std::abs(correlation.lagS)), text::seconds(correlation.lagErrorS),
        correlation.isAtEdge ? " (the longest lag that was tried)" : "");
    return {{"run", run.name}, {"a", found.a.text}, {"b", found.b.text},
        {"correlation", correlation.atOnce, {"correlation at once"}, strength(correlation.atOnce)},
        {"peak_correlation", correlation.peak, {"strongest"}, strength(correlation.peak)},
        {"lag_s", correlation.lagS, {"where"}, lag}, {"lag_error_s", correlation.lagErrorS},
        {"samples", {"steps"}, correlation.samples}, {"step_s", inUnit("of", "s"), found.stepS},
        {"independent_samples", correlation.independentSamples, {"independent samples"},
            fmt::format("about {:.0f}", correlation.independentSamples)},
        {"significant", correlation.isSignificant, {"by chance"},
            correlation.isSignificant
                ? "no"
                : "independent signals that remember their past as these do show as much"},
        {"at_longest_lag", correlation.isAtEdge},
        {"repeats_after_s", inUnit("nearly as strong again after", "s"), correlation.periodS}};
}

Outcome printCorrelation(const CorrelateOptions& options, const Console& console,
    const store::Store& store, const Run& run) {
    ASSIGN_OR_RETURN(const auto found, find(store, run, options));
    return show(
        console, options.json, [&] { return rowJson(foundRow(run, found)); },
        [&](std::ostream& out) {
            out << found.a.text << " and " << found.b.text << '\n';
            printLines(out, foundRow(run, found));
        });
}

} // namespace

void addCorrelateCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<CorrelateOptions>(app, "correlate",
        "How two series of a run move together, and which follows", {"numbers#correlation"});
    addOption(
        *command, "--a", options->a, "METRIC (summed up), METRIC:RANK or METRIC:node K", "SERIES")
        ->required();
    addOption(*command, "--b", options->b, "The other one", "SERIES")->required();
    addOption(
        *command, "--max-lag", options->maxLagS, "The longest lag to try, 60 unless given", "S")
        ->check(aboveZero());
    addJson(*command, options->json);
    runsOnRun(*command, context, options, printCorrelation);
}

} // namespace trainscope::cli
