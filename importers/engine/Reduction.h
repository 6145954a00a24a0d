#pragma once
// Questions that let the engine reduce samples to columns: minimum, mean and maximum of each
// series, or quantiles over all of them. Times are evaluated 1 ms before a column's end, over
// ranges as long as the column, so that a sample on a border counts in the column that begins
// there, in engines whose ranges are open on the left and in those where they are closed.

#include "importers/engine/Answer.h"
#include "importers/engine/Asking.h"
#include "importers/engine/Link.h"

namespace trainscope::importers::engine {

// Query language of the engine. MetricsQL (VictoriaMetrics) gives several statistics of one reading
// of the samples, where PromQL reads them for each. Ranges hold their begin in Prometheus 2 alone.
enum class Dialect { PromQl, ClosedPromQl, MetricsQl };

enum class Reduced { Min, Mean, Max, Count };
constexpr auto namesOf(Reduced) { // in the query languages
    return enumNames("min_over_time", "avg_over_time", "max_over_time", "count_over_time");
}
// Rows of a band, in this order: lowest, quantiles of the means, highest.
inline constexpr std::array<double, 5> kBandQuantiles{0.05, 0.25, 0.5, 0.75, 0.95};
inline constexpr std::size_t kBandRows = kBandQuantiles.size() + 2;

struct Columns {
    std::int64_t beginMs = 0; // the first one's
    std::int64_t stepMs = 0;
    int count = 0;
    std::int64_t rangeMs = 0; // seen by each, from its end back; at most the step
};

struct ReductionScope {
    std::string engineName;
    bool isCounter = false; // rates are asked for
    std::int64_t leastRateMs = 0; // a rate needs two samples
    std::string condition; // more than the link's selection; may be empty
    std::vector<NumberRange> blanks = {}; // numbers that are no readings
    // Blanks are left out, by a subquery that looks at the last sample of each such period; 0: they
    // are not, since that has an engine read more.
    std::int64_t leavesOutByMs = 0;
    bool isClosed = false; // ranges of the engine hold their begin
};

// True for a statistic over that time that tells of blanks. A counter that leaps to one of 64 bits
// and back grows by more than half of it.
bool showsBlank(const ReductionScope& scope, double statistic, double seconds);

// Answered where MetricsQL is understood; a complaint elsewhere.
HttpRequest dialectRequest();
// Asks for the number of moments in a range that has one, and one more at its begin.
HttpRequest closedRequest();

HttpRequest seriesRequest(
    const Link& link, const ReductionScope& scope, Reduced what, const Columns& columns);
// All three at once, of gauges; reducedOf() tells which a series of the answer is. MetricsQL.
HttpRequest rollupRequest(const Link& link, const ReductionScope& scope, const Columns& columns);
// The mean of all series.
HttpRequest meanRequest(const Link& link, const ReductionScope& scope, const Columns& columns);
// Takes the label that tells; absent: another answer.
std::optional<Reduced> takeReduced(Labels& labels);
// The row of kBandRows.
HttpRequest bandRequest(
    const Link& link, const ReductionScope& scope, std::size_t row, const Columns& columns);
// Asks for the number of series whose mean is about that much, within kSharpness of it: all
// quantiles from one reading. distributedOf() tells the mean that a series of the answer counts;
// NaN: one below 0.
inline constexpr double kSharpness = 0.0025;
HttpRequest distributionRequest(
    const Link& link, const ReductionScope& scope, const Columns& columns);
double distributedOf(const Labels& labels);
// All rows at once, and more that are none; bandRowOf() tells. MetricsQL.
HttpRequest bandsRequest(const Link& link, const ReductionScope& scope, const Columns& columns);
std::optional<std::size_t> bandRowOf(const Labels& labels);
// The mean of each node.
HttpRequest nodeRequest(const Link& link, const ReductionScope& scope, const Columns& columns);
// Asks for the number of samples of each series in each column; by nodes, of each node.
HttpRequest countRequest(
    const Link& link, const ReductionScope& scope, bool isByNode, const Columns& columns);
// One number of each series over a whole stretch; of counters what they grew by.
HttpRequest stretchRequest(
    const Link& link, const ReductionScope& scope, Reduced what, TimeRange stretch);
// All of them at once, of gauges; takeReduced() tells which. MetricsQL.
HttpRequest stretchesRequest(const Link& link, const ReductionScope& scope, TimeRange stretch);
// Asks for the median over series of the most samples in ten minutes before `at`: a series that is
// scraped twice is no measure.
HttpRequest densityRequest(const Link& link, const std::string& engineName, std::int64_t atMs);
inline constexpr std::int64_t kDensityMs = 600'000;

// The column of an evaluated time; absent outside.
std::optional<int> columnAt(const Columns& columns, std::int64_t timeMs);

} // namespace trainscope::importers::engine
