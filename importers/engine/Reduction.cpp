#include "importers/engine/Reduction.h"

#include "core/text/Times.h"
#include "importers/common/ExporterMetrics.h"
#include "importers/engine/Moments.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace trainscope::importers::engine {

namespace {

constexpr std::string_view kRollupLabel = "rollup";
constexpr std::string_view kRowLabel = "row";

// Without the blanks. Behind the lowest number from which on all are blanks, none is looked for.
std::string readingsOf(const std::string& samples, const std::vector<NumberRange>& blanks) {
    double highest = std::numeric_limits<double>::infinity();
    for (const auto& [least, most] : blanks)
        highest = std::isinf(most) ? std::min(highest, least) : highest;
    std::string readings
        = std::isinf(highest) ? samples : fmt::format("({} < {})", samples, highest);
    for (const auto& [least, most] : blanks) {
        if (least >= highest)
            continue;
        readings = least == most
            ? fmt::format("({} != {})", readings, least)
            : fmt::format("({} unless ({} >= {} <= {}))", readings, samples, least, most);
    }
    return readings;
}

std::string samplesOf(const Link& link, const ReductionScope& scope, const Columns& columns) {
    const std::string range = engineDuration(
        scope.isCounter ? std::max(columns.rangeMs, scope.leastRateMs) : columns.rangeMs);
    const std::string series = link.selector.with({scope.engineName}, scope.condition);
    if (scope.leavesOutByMs == 0)
        return fmt::format("{}[{}]", series, range);
    // A range that holds its begin would find the reading before a gap once more.
    const std::string looked = engineDuration(scope.leavesOutByMs - (scope.isClosed ? 1 : 0));
    return fmt::format("({})[{}:{}]",
        readingsOf(fmt::format("last_over_time({}[{}])", series, looked), scope.blanks), range,
        engineDuration(scope.leavesOutByMs));
}

std::string reduced(
    const Link& link, const ReductionScope& scope, Reduced what, const Columns& columns) {
    return fmt::format(
        "{}({})", scope.isCounter ? "rate" : toString(what), samplesOf(link, scope, columns));
}

HttpRequest rangeRequest(std::string query, const Columns& columns) {
    const std::int64_t first = columns.beginMs + columns.stepMs - 1;
    return {"api/v1/query_range",
        {{"query", std::move(query)}, {"start", apiSeconds(first)},
            {"end", apiSeconds(first + columns.stepMs * (columns.count - 1))},
            {"step", apiSeconds(columns.stepMs)}, {"nocache", "1"}}};
}

std::string samplesOf(const Link& link, const ReductionScope& scope, TimeRange stretch) {
    return samplesOf(link, scope, Columns{0, 0, 1, stretch.length().ns / text::kMillisecond});
}

HttpRequest wholeRequest(std::string query, TimeRange stretch) {
    return {"api/v1/query",
        {{"query", std::move(query)}, {"time", apiSeconds(stretch.end.ns / text::kMillisecond - 1)},
            {"nocache", "1"}}};
}

// Whichever of them a series has: the others are empty and divide nothing.
std::string nodeLabels(const Link& link) {
    std::string labels = link.mapping.nodeLabel;
    for (const std::string_view label : labelsOf(LabelRole::Node))
        labels += (labels.empty() ? "" : ",") + std::string(label);
    return labels;
}

} // namespace

bool showsBlank(const ReductionScope& scope, double statistic, double seconds) {
    constexpr double leap = 4611686018427387904.0; // 2^62
    if (scope.isCounter)
        return statistic * seconds >= leap;
    return std::ranges::any_of(
        scope.blanks, [statistic](const NumberRange& blank) { return blank.contains(statistic); });
}

HttpRequest seriesRequest(
    const Link& link, const ReductionScope& scope, Reduced what, const Columns& columns) {
    return rangeRequest(reduced(link, scope, what, columns), columns);
}

HttpRequest dialectRequest() {
    return {"api/v1/query", {{"query", R"(quantiles("row", 0.5, rollup(vector(1))) by (rollup))"}}};
}

HttpRequest closedRequest() {
    return {"api/v1/query", {{"query", "count_over_time(vector(1)[1s:1s])"}, {"time", "1"}}};
}

HttpRequest rollupRequest(const Link& link, const ReductionScope& scope, const Columns& columns) {
    return rangeRequest("rollup(" + samplesOf(link, scope, columns) + ")", columns);
}

std::optional<Reduced> takeReduced(Labels& labels) {
    const std::string_view said = labels.find(kRollupLabel);
    std::optional<Reduced> what;
    for (const Reduced one : {Reduced::Min, Reduced::Mean, Reduced::Max, Reduced::Count}) {
        const std::string_view function = toString(one);
        if (said == function || said == function.substr(0, function.find('_')))
            what = one;
    }
    std::erase_if(labels.rest, [](const auto& label) { return label.first == kRollupLabel; });
    return what;
}

HttpRequest bandRequest(
    const Link& link, const ReductionScope& scope, std::size_t row, const Columns& columns) {
    if (row == 0)
        return rangeRequest("min(" + reduced(link, scope, Reduced::Min, columns) + ")", columns);
    if (row + 1 == kBandRows)
        return rangeRequest("max(" + reduced(link, scope, Reduced::Max, columns) + ")", columns);
    return rangeRequest(fmt::format("quantile({}, {})", kBandQuantiles.at(row - 1),
                            reduced(link, scope, Reduced::Mean, columns)),
        columns);
}

// Steps of the logarithm, so that steps are as fine for small values as for large ones.
HttpRequest distributionRequest(
    const Link& link, const ReductionScope& scope, const Columns& columns) {
    return rangeRequest(
        fmt::format("count_values(\"{}\", round(ln({}) * {}))", kRowLabel,
            reduced(link, scope, Reduced::Mean, columns), std::lround(0.5 / kSharpness)),
        columns);
}

double distributedOf(const Labels& labels) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const std::string_view row = labels.find(kRowLabel);
    if (row == "-Inf")
        return 0.0;
    double steps = 0.0;
    const auto [end, problem] = std::from_chars(row.data(), row.data() + row.size(), steps);
    return problem == std::errc{} && end == row.data() + row.size() && std::isfinite(steps)
        ? std::exp(steps * 2.0 * kSharpness)
        : none;
}

HttpRequest bandsRequest(const Link& link, const ReductionScope& scope, const Columns& columns) {
    std::string shares;
    for (const double share : kBandQuantiles)
        shares += fmt::format("{}, ", share);
    // A rate is one number of each series and column: its lowest is the lowest rate.
    const std::string of = scope.isCounter
        ? reduced(link, scope, Reduced::Mean, columns) + ")"
        : "rollup(" + samplesOf(link, scope, columns) + ")) by (" + std::string(kRollupLabel) + ")";
    return rangeRequest(
        fmt::format("quantiles(\"{}\", 0, {}1, {}", kRowLabel, shares, of), columns);
}

std::optional<std::size_t> bandRowOf(const Labels& labels) {
    const std::string_view rollup = labels.find(kRollupLabel);
    const std::string_view row = labels.find(kRowLabel);
    const bool isRate = rollup.empty();
    if (row == "0")
        return isRate || rollup == "min" ? std::optional<std::size_t>(0) : std::nullopt;
    if (row == "1")
        return isRate || rollup == "max" ? std::optional(kBandRows - 1) : std::nullopt;
    for (std::size_t k = 0; k < kBandQuantiles.size() && (isRate || rollup == "avg"); ++k) {
        if (row == fmt::format("{}", kBandQuantiles.at(k)))
            return k + 1;
    }
    return std::nullopt;
}

HttpRequest countRequest(
    const Link& link, const ReductionScope& scope, bool isByNode, const Columns& columns) {
    const std::string counts = "count_over_time(" + samplesOf(link, scope, columns) + ")";
    return rangeRequest(
        isByNode ? "sum by (" + nodeLabels(link) + ") (" + counts + ")" : counts, columns);
}

HttpRequest nodeRequest(const Link& link, const ReductionScope& scope, const Columns& columns) {
    return rangeRequest(
        "avg by (" + nodeLabels(link) + ") (" + reduced(link, scope, Reduced::Mean, columns) + ")",
        columns);
}

HttpRequest meanRequest(const Link& link, const ReductionScope& scope, const Columns& columns) {
    return rangeRequest("avg(" + reduced(link, scope, Reduced::Mean, columns) + ")", columns);
}

HttpRequest stretchRequest(
    const Link& link, const ReductionScope& scope, Reduced what, TimeRange stretch) {
    return wholeRequest(fmt::format("{}({})", scope.isCounter ? "increase" : toString(what),
                            samplesOf(link, scope, stretch)),
        stretch);
}

HttpRequest stretchesRequest(const Link& link, const ReductionScope& scope, TimeRange stretch) {
    std::string functions;
    for (const Reduced one : {Reduced::Min, Reduced::Mean, Reduced::Max, Reduced::Count})
        functions += (functions.empty() ? "\"" : ", \"") + std::string(toString(one)) + "\"";
    return wholeRequest(
        "aggr_over_time((" + functions + "), " + samplesOf(link, scope, stretch) + ")", stretch);
}

HttpRequest densityRequest(const Link& link, const std::string& engineName, std::int64_t atMs) {
    return {"api/v1/query",
        {{"query",
             "quantile(0.5, count_over_time(" + link.selector.with({engineName}) + "["
                 + engineDuration(kDensityMs) + "]))"},
            {"time", apiSeconds(atMs)}}};
}

std::optional<int> columnAt(const Columns& columns, std::int64_t timeMs) {
    const std::int64_t offset = timeMs + 1 - columns.beginMs;
    if (offset <= 0 || offset % columns.stepMs != 0 || offset / columns.stepMs > columns.count)
        return std::nullopt;
    return static_cast<int>(offset / columns.stepMs) - 1;
}

} // namespace trainscope::importers::engine
