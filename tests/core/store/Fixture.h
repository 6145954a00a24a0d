#pragma once
// A database in a folder of its own, and short ways to fill it.

#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trainscope::test {

using namespace store; // the subject of most of these helpers

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// The value of a result; fails the test and throws when it is an error.
template <typename T>
T got(Result<T> result, const char* what = "result") {
    if (!result.hasValue()) {
        QTest::qFail(
            (std::string(what) + ": " + result.error().describe()).c_str(), __FILE__, __LINE__);
        throw std::runtime_error(result.error().describe());
    }
    return std::move(result.value());
}

inline void ok(const Status& status) {
    if (!status.hasValue()) {
        QTest::qFail(status.error().describe().c_str(), __FILE__, __LINE__);
        throw std::runtime_error(status.error().describe());
    }
}

struct Fixture {
    QTemporaryDir folder;
    std::filesystem::path path;

    Fixture()
        : path(std::filesystem::path(folder.path().toStdString()) / "test.trainscope") { }
    [[nodiscard]] Store create() const { return got(Store::openOrCreate(path)); }
    // Closed behind it.
    template <typename Fill>
    void filled(Fill&& fill) const {
        Store store = create();
        fill(store);
    }
    [[nodiscard]] Store view() const { return got(Store::open(path, OpenMode::ReadOnly)); }
};

// A new database, which goes with its folder.
struct FreshStore : Fixture, Store {
    FreshStore()
        : Store(create()) { }
    using Store::path;
};

inline SeriesDescription gauge(std::string metric, int rank, double scale = 1.0) {
    SeriesDescription description;
    description.metric = {std::move(metric), "W", MetricKind::Gauge, "test"};
    description.subject.rank = rank;
    description.scale = scale;
    return description;
}

inline SeriesDescription counter(std::string metric, int rank, int bits, double scale = 1.0) {
    SeriesDescription description = gauge(std::move(metric), rank, scale);
    description.metric.kind = MetricKind::Counter;
    description.metric.unit = "B";
    description.counterBits = bits;
    return description;
}

inline std::vector<TimeNs> times(const std::vector<std::int64_t>& ns) {
    std::vector<TimeNs> out;
    for (const std::int64_t t : ns)
        out.push_back({t});
    return out;
}

inline Run runNamed(std::string name) {
    Run run;
    run.name = std::move(name);
    return run;
}

// Imports one series as one source; returns its id.
inline SeriesId addSeries(Store& store, const SeriesDescription& description,
    const std::vector<std::int64_t>& ns, const std::vector<double>& values,
    const std::string& source = "/data/a.csv", const std::string& run = "run") {
    auto session = got(store::beginImport(store, {source, 1, "", run}));
    const RunId id = got(session->run(runNamed(run)));
    const SeriesId series = got(session->series(id, description));
    ok(session->samples(series, times(ns), values));
    ok(session->finish({}, "", 0, {}));
    return series;
}

inline TrackId addTrack(Store& store, const std::vector<Span>& spans,
    const std::string& source = "/data/a.json", const std::string& run = "run", int rank = 0) {
    auto session = got(store::beginImport(store, {source, 1, "", run}));
    const RunId id = got(session->run(runNamed(run)));
    TrackDescription description;
    description.kind = TrackKind::Stream;
    description.rank = rank;
    description.name = "stream 7";
    const TrackId track = got(session->track(id, description));
    ok(session->spans(track, spans));
    ok(session->finish({}, "", 0, {}));
    return track;
}

inline std::vector<Span> readBack(const Store& store, TrackId track, TimeRange window = kAllTime) {
    std::vector<Span> out;
    ok(store.forEachSpan(track, window, [&out](std::span<const Span> spans) {
        out.insert(out.end(), spans.begin(), spans.end());
        return true;
    }));
    return out;
}

// All wanted spans of a run, by start, then by track.
inline std::vector<store::FoundSpan> foundSpans(
    const Store& store, RunId run, const store::SpanWish& wanted) {
    std::vector<store::FoundSpan> found;
    ok(store.forEachFound(run, wanted, [&found](TrackId track, std::span<const Span> spans) {
        for (const Span& span : spans)
            found.push_back({track, span});
        return true;
    }));
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return a.span.start != b.span.start ? a.span.start < b.span.start : a.track < b.track;
    });
    return found;
}

inline bool touches(const Span& s, TimeRange window) {
    const std::int64_t end = s.start.ns + s.duration.ns;
    if (s.duration.ns == 0)
        return window.contains(s.start);
    return s.start < window.end && end > window.begin.ns;
}

} // namespace trainscope::test
