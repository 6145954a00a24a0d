#include "importers/rocprof/RpdMonitor.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"
#include "importers/common/Number.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace trainscope::importers::rocprof {

namespace {

constexpr std::int64_t kPoll = 1'000'000; // ns
constexpr std::int64_t kMostPolls = 200'000; // of a series
constexpr std::size_t kMostReadings = 8'000'000;
constexpr std::int64_t kFarthestMoment = 4'000'000'000'000'000'000;

struct MonitorWord {
    std::string_view word;
    const char* metric;
    double scale; // of the source's number to SI
};
constexpr std::array kMonitorWords{
    MonitorWord{"sclk", metric::kSmClock, 1e6},
    MonitorWord{"power", metric::kGpuPower, 1.0},
    MonitorWord{"temp", metric::kGpuTemperature, 1.0},
};

SeriesDescription descriptionOf(const std::string& word, int rank) {
    SeriesDescription description;
    description.subject.rank = rank;
    const auto known = std::find_if(kMonitorWords.begin(), kMonitorWords.end(),
        [&](const MonitorWord& one) { return equalsIgnoringCase(one.word, word); });
    if (known != kMonitorWords.end()) {
        description.metric = *findMetric(known->metric);
        description.scale = known->scale;
    } else {
        description.metric = {word, "", MetricKind::Gauge, word};
    }
    return description;
}

} // namespace

Status RpdMonitor::read(ForeignDatabase& database, const std::string& file, ImportReport& report) {
    std::map<Key, std::vector<Row>> all;
    std::size_t count = 0;
    std::int64_t ofOthers = 0;
    constexpr std::array<std::string_view, 6> kColumns{
        "deviceType", "deviceId", "monitorType", "start", "end", "value"};
    ASSIGN_OR_RETURN(const auto end,
        database.scan("rocpd_monitor", kColumns, [&](const ForeignRow& row) -> Status {
            const auto start = row.integer(3);
            const auto stop = row.integer(4);
            // Texts, in most.
            const auto given = row.number(5);
            const auto value = given ? given : parseNumber(row.text(5));
            const bool isSound = start && stop && value && *start <= *stop && *start >= 0
                && *stop < kFarthestMoment && std::isfinite(*value) && !row.text(2).empty();
            if (!isSound) {
                ++report.skipped;
                return {};
            }
            const std::int64_t gpu = row.integer(1, 0);
            if (!equalsIgnoringCase(row.text(0), "gpu") || !m_rankOf(gpu)) {
                ++ofOthers;
                return {};
            }
            if (++count <= kMostReadings)
                all[{gpu, std::string(row.text(2))}].push_back({*start, *stop, *value});
            return {};
        }));
    report.rows += end.rows;
    if (end.rows > 0)
        report.counts["rows of rocpd_monitor"] = end.rows;
    if (!end.problem.empty())
        report.warn(file, 0, "rocpd_monitor could be read in part: " + end.problem);
    if (ofOthers > 0)
        report.warn(file, 0,
            text::counted(ofOthers, "reading", "readings")
                + " of devices that no process of this trace worked on left out");
    if (count > kMostReadings)
        report.warn(file, 0, "there are more readings than are kept: the last are left out");
    for (auto& [key, rows] : all)
        RETURN_IF_ERROR(write(key, rows, report));
    return {};
}

Status RpdMonitor::write(const Key& key, std::vector<Row>& rows, ImportReport& report) {
    std::stable_sort(
        rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.start < b.start; });
    std::int64_t last = rows.front().end;
    for (const Row& row : rows)
        last = std::max(last, row.end);
    const std::int64_t period = std::max(kPoll, (last - rows.front().start) / kMostPolls + 1);
    ASSIGN_OR_RETURN(const auto series,
        m_sink.series(m_run, descriptionOf(key.second, m_rankOf(key.first).value_or(0))));
    std::vector<TimeNs> times;
    std::vector<double> values;
    constexpr std::size_t kBlock = 16'384;
    const auto flush = [&]() -> Status {
        report.samples += static_cast<std::int64_t>(times.size());
        RETURN_IF_ERROR(m_sink.samples(series, times, values));
        times.clear();
        values.clear();
        return {};
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::int64_t next = i + 1 < rows.size() ? rows[i + 1].start : last + 1;
        const std::int64_t until = std::min(rows[i].end, next);
        for (std::int64_t at = rows[i].start; at == rows[i].start || at < until; at += period) {
            times.push_back({at});
            values.push_back(rows[i].value);
            if (times.size() == kBlock)
                RETURN_IF_ERROR(flush());
        }
    }
    // The end of the last row, which says how long its value held.
    if (rows.back().end > rows.back().start) {
        times.push_back({rows.back().end});
        values.push_back(rows.back().value);
    }
    return flush();
}

} // namespace trainscope::importers::rocprof
