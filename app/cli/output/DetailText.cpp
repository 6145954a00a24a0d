#include "app/cli/output/DetailOutput.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"

#include "app/cli/text/Json.h"
#include "app/cli/text/TitledTable.h"
#include "core/report/RunTables.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace trainscope::cli {

namespace {

using analysis::RunDetail;

constexpr std::size_t kLinesShown = 3;
constexpr std::size_t kIterationsShown = 20;

void printThrottling(const analysis::Throttling& throttling, std::ostream& out) {
    using enum text::Align;
    text::Table table{
        .columns = {{"rank"}, {"episodes"}, text::inUnit("time", "s"),
            text::inUnit("clock lost", "s"), text::inUnit("longest", "s"), {"mostly", Left}}};
    struct Sum {
        std::size_t count = 0;
        double time = 0.0;
        double lost = 0.0;
        double longest = 0.0;
        std::map<analysis::ThrottleCause, double> causes;
    };
    std::map<int, Sum> ranks;
    for (const auto& [rank, episode] : throttling.episodes) {
        Sum& sum = ranks[rank];
        const double length = seconds(episode.range.length());
        ++sum.count;
        sum.time += length;
        sum.lost += episode.lostSeconds;
        sum.longest = std::max(sum.longest, length);
        sum.causes[episode.cause] += length;
    }
    for (const auto& [rank, sum] : ranks) {
        const auto mostly = std::max_element(sum.causes.begin(), sum.causes.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
        table.add({rank, sum.count, sum.time, sum.lost, sum.longest, toString(mostly->first)});
    }
    if (!table.isEmpty())
        text::print(out, table, "    ");
}

void printAirflow(const RunDetail& detail, std::ostream& out) {
    const analysis::Airflow& air = detail.airflow;
    const bool isInferred = air.origin == analysis::AirflowOrigin::Inferred;
    std::string order;
    for (const int local : air.order)
        order += (order.empty() ? "" : ",") + std::to_string(local);
    const auto& gradient = *detail.gradient;
    out << fmt::format("  rear GPUs {:+.1f} °C against the front ones ({:.1f} to {:.1f} °C, "
                       "{}; {}, {})\n",
        gradient.celsius, gradient.frontC, gradient.rearC, text::signedPercent(gradient.hotterBy),
        order.empty() ? "local indices ascending from front to rear"
                      : (isInferred ? "inferred order " : "order ") + order,
        text::counted(static_cast<std::int64_t>(gradient.nodes.size()), "node"));
    if (!air.evidence.empty())
        out << "    " << air.evidence << '\n';
}

void printSettled(const analysis::RunSummary& summary, const RunDetail& detail, std::ostream& out) {
    out << "  temperatures settled from " << text::moment(*detail.settledFrom) << '\n';
    if (!detail.settled)
        return;
    using enum text::Align;
    text::Table table{.columns = {{"metric", Left}, {"mean"}, {"settled"}, {"p50"}, {"settled"},
                          {"p99"}, {"settled"}, {"max"}, {"settled"}}};
    for (const auto& [name, metric] : detail.settled->metrics) {
        const auto all = summary.metrics.find(name);
        if (all == summary.metrics.end())
            continue;
        const auto text
            = [&unit = metric.metric.unit, &key = name](const analysis::SubjectStatistics& of,
                  std::optional<double> analysis::SubjectStatistics::*field) {
                  return text::aligned(of.*field, unit, key);
              };
        using S = analysis::SubjectStatistics;
        std::vector<text::Cell> cells{name};
        for (const auto field : {&S::mean, &S::p50, &S::p99, &S::max}) {
            cells.push_back(text(all->second.all, field));
            cells.push_back(text(metric.all, field));
        }
        table.add(std::move(cells));
    }
    const auto rate = [](const analysis::RunSummary& of) {
        const double covered = of.energy ? of.energy->coverage * of.duration.seconds() : 0.0;
        return covered > 0.0 ? text::aligned(of.energy->joules / covered, "W")
                             : std::string(text::kMissing);
    };
    table.add({"energy rate", rate(summary), rate(*detail.settled)});
    text::print(out, table, "    ");
}

void printPower(const RunDetail& detail, std::ostream& out) {
    const auto& burst = *detail.burst;
    out << fmt::format("  summed power: peak {:.3g} × mean, p99 {:.3g} × p50, steepest ramp ",
        burst.peakToMean, burst.p99ToP50)
        << text::aligned(burst.maxRampPerS, "W/s") << '\n';
    if (const auto* sensor = detail.powerSensor()) {
        out << "    power sensor: " << sensor->wording << '\n';
        if (sensor->averagingS)
            out << fmt::format("    what is shorter than {} is smoothed: peaks and ramps are lower "
                               "bounds\n",
                text::seconds(*sensor->averagingS));
    }
    if (const auto& above = detail.aboveLimit) {
        out << fmt::format("    {} times above {} ({}), at most for {}\n", above->excursions.count,
            text::aligned(above->limitW, "W"), above->origin,
            text::seconds(above->excursions.longestSeconds));
    }
    for (std::size_t i = 0; i < std::min(detail.spectrum.size(), kLinesShown); ++i) {
        const auto& line = detail.spectrum[i];
        out << fmt::format("  it swings by ±{} at {:.4g} ± {:.1g} Hz{}\n",
            text::aligned(line.amplitude, "W"), line.frequencyHz, line.frequencyErrorHz,
            !line.harmonic ? ""
                : *line.harmonic == 1
                ? ", the frequency of the iterations"
                : fmt::format(", {} × that of the iterations", *line.harmonic));
    }
}

void printIterations(const RunDetail& detail, std::ostream& out) {
    const auto& iterations = detail.iterations;
    if (iterations.iterations.empty()) {
        out << "  no iterations: " << iterations.origin << '\n';
        return;
    }
    out << "  " << text::counted(std::ssize(iterations.iterations), "iteration") << " by "
        << iterations.origin;
    if (iterations.frequencyHz)
        out << fmt::format(", every {} ± {}", text::seconds(1.0 / *iterations.frequencyHz),
            text::seconds(iterations.frequencyErrorHz.value_or(0.0)
                / (*iterations.frequencyHz * *iterations.frequencyHz)));
    out << '\n';
    using enum text::Align;
    text::Table table{.columns = {{"iteration"}, {"duration"}, text::inUnit("energy", "J"),
                          text::inUnit("mean power", "W"), text::inUnit("peak power", "W"),
                          text::inUnit("temperature", "°C"), text::inUnit("SM clock", "Hz"),
                          text::inUnit("throttled", "%"), {"", Left}}};
    const auto& all = detail.iterationFigures;
    for (std::size_t i = 0; i < std::min(all.size(), kIterationsShown); ++i) {
        const auto& one = all[i];
        table.add({one.iteration.index, one.iteration.range.length(), one.energyJ, one.meanPowerW,
            one.peakPowerW, one.meanTemperatureC, one.meanClockHz, one.throttleFraction,
            one.iteration.warmup ? "warm-up" : ""});
    }
    if (!table.isEmpty())
        text::print(out, table, "    ");
    if (all.size() > kIterationsShown)
        out << "    and " << all.size() - kIterationsShown << " more; --json has them all\n";
}

} // namespace

void printDetail(const analysis::RunSummary& summary, const RunDetail& detail, std::ostream& out) {
    out << '\n';
    if (detail.throttling) {
        printTitled(out, report::throttlingTable({{summary.run.name, detail.throttling}}));
        printThrottling(*detail.throttling, out);
    }
    if (detail.gradient)
        printAirflow(detail, out);
    if (detail.settledFrom)
        printSettled(summary, detail, out);
    if (detail.burst)
        printPower(detail, out);
    else if (!detail.whyNoBurst.empty())
        out << "  no summed power: " << detail.whyNoBurst << '\n';
    printIterations(detail, out);
}

} // namespace trainscope::cli
