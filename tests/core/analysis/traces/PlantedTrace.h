#pragma once
// A run made in memory: work on streams, calls and annotations on host threads, samples of sensors,
// written as one source.

#include "core/analysis/RunStudy.h"
#include "core/model/Metric.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <QTemporaryDir>
#include <QtTest>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::test {

inline constexpr std::int64_t kUs = 1'000;
inline constexpr std::int64_t kMs = 1'000'000;

class PlantedTrace {
public:
    Run run;

    PlantedTrace() { run.name = "run"; }

    void work(int rank, const std::string& stream, SpanKind kind, const std::string& name,
        std::int64_t start, std::int64_t duration, std::int64_t correlation = 0,
        const std::string& detail = {}) {
        m_spans[{TrackKind::Stream, rank, stream}].push_back(
            {kind, name, start, duration, correlation, detail});
    }
    void kernel(int rank, const std::string& stream, const std::string& name, std::int64_t start,
        std::int64_t duration, std::int64_t correlation = 0, const std::string& detail = {}) {
        work(rank, stream, SpanKind::Kernel, name, start, duration, correlation, detail);
    }
    void host(int rank, const std::string& thread, SpanKind kind, const std::string& name,
        std::int64_t start, std::int64_t duration, std::int64_t correlation = 0,
        const std::string& detail = {}) {
        m_spans[{TrackKind::Thread, rank, thread}].push_back(
            {kind, name, start, duration, correlation, detail});
    }
    // The profiler's record of a wait of that stream, "-1": of the host.
    void sync(int rank, const std::string& stream, const std::string& name, std::int64_t start,
        std::int64_t duration, std::int64_t correlation, const std::string& detail = {}) {
        m_spans[{TrackKind::Other, rank, stream}].push_back(
            {SpanKind::Sync, name, start, duration, correlation, detail});
    }
    void streamAnnotation(int rank, const std::string& stream, const std::string& name,
        std::int64_t start, std::int64_t duration) {
        m_spans[{TrackKind::StreamAnnotation, rank, stream}].push_back(
            {SpanKind::GpuAnnotation, name, start, duration, 0, {}});
    }
    void iteration(int rank, std::int64_t index, std::int64_t begin, std::int64_t end) {
        iterations.push_back({index, {{begin}, {end}}, rank, false});
    }
    void power(int rank, std::int64_t time, double watts) {
        m_power[rank].first.push_back({time});
        m_power[rank].second.push_back(watts);
    }

    void series(
        SeriesDescription description, std::vector<TimeNs> times, std::vector<double> values) {
        m_series.push_back({std::move(description), std::move(times), std::move(values)});
    }
    void series(const char* metric, Subject subject, std::vector<TimeNs> times,
        std::vector<double> values) {
        SeriesDescription description;
        description.metric = *findMetric(metric);
        description.subject = std::move(subject);
        description.counterBits = description.metric.kind == MetricKind::Counter ? 64 : 0;
        series(std::move(description), std::move(times), std::move(values));
    }
    // One value each `period`.
    void series(const char* metric, Subject subject, std::int64_t first, std::int64_t period,
        std::vector<double> values) {
        std::vector<TimeNs> times;
        for (std::size_t i = 0; i < values.size(); ++i)
            times.push_back({first + static_cast<std::int64_t>(i) * period});
        series(metric, std::move(subject), std::move(times), std::move(values));
    }
    void series(const char* metric, int rank, std::int64_t first, std::int64_t period,
        std::vector<double> values) {
        series(metric, Subject{SubjectKind::Gpu, rank, -1, {}}, first, period, std::move(values));
    }

    std::vector<Gpu> gpus;
    ImportReport report;
    std::map<std::string, int> devices; // by stream; others are on the first
    std::string process = "0"; // all tracks'
    std::vector<Iteration> iterations;
    std::vector<Capture> captures;
    SensorKind sensor = SensorKind::Unknown;

    // As another source, by default of the same run.
    Status addTo(store::Store& store, const std::string& hash = "another") const {
        return write(store, hash);
    }

    // Ends the program where that fails.
    store::Store store() {
        const QString path = m_folder.filePath(QStringLiteral("%1.trainscope").arg(m_count++));
        auto store = store::Store::openOrCreate(path.toStdString());
        if (!store.hasValue())
            qFatal("%s", store.error().describe().c_str());
        if (const auto status = write(store.value(), "hash"); !status.hasValue())
            qFatal("%s", status.error().describe().c_str());
        return std::move(store).value();
    }

private:
    struct Placed {
        SpanKind kind;
        std::string name;
        std::int64_t start;
        std::int64_t duration;
        std::int64_t correlation;
        std::string detail;
    };
    struct Place {
        TrackKind kind;
        int rank;
        std::string thread;
        auto operator<=>(const Place&) const = default;
    };

    struct Sampled {
        SeriesDescription description;
        std::vector<TimeNs> times;
        std::vector<double> values;
    };

    Status write(store::Store& store, const std::string& hash) const {
        auto session = store::beginImport(store, {"source " + hash, 1, hash, run.name});
        if (!session.hasValue())
            return session.error();
        Sink& sink = *session.value();
        const auto id = sink.run(run);
        if (!id.hasValue())
            return id.error();
        Status status = writeSpans(sink, id.value());
        if (status.hasValue())
            status = writePower(sink, id.value());
        for (const Gpu& one : gpus) {
            if (status.hasValue())
                status = sink.gpu(id.value(), one);
        }
        for (const Sampled& one : m_series) {
            const auto series = sink.series(id.value(), one.description);
            if (status.hasValue())
                status = series.hasValue() ? sink.samples(series.value(), one.times, one.values)
                                           : series.error();
        }
        for (const Iteration& one : iterations) {
            if (status.hasValue())
                status = sink.iteration(id.value(), one);
        }
        for (const Capture& one : captures) {
            if (status.hasValue())
                status = sink.capture(id.value(), one);
        }
        return status.hasValue() ? session.value()->finish(report, hash, 1, {}) : status;
    }

    Status writeSpans(Sink& sink, RunId id) const {
        for (const auto& [place, all] : m_spans) {
            std::vector<Span> spans;
            for (const Placed& one : all) {
                const NameId detail
                    = one.detail.empty() ? NameId{} : sink.intern(one.detail).valueOr(NameId{});
                spans.push_back({{one.start}, {one.duration},
                    sink.intern(one.name).valueOr(NameId{}), one.kind, one.correlation, detail, 0});
            }
            const bool isHost = place.kind == TrackKind::Thread;
            const auto told = devices.find(place.thread);
            const int device = told == devices.end() ? 0 : told->second;
            const auto track = sink.track(id,
                {place.kind, place.rank, isHost ? -1 : device, process, place.thread,
                    place.thread});
            if (!track.hasValue())
                return track.error();
            if (auto status = sink.spans(track.value(), spans); !status.hasValue())
                return status;
        }
        return {};
    }

    Status writePower(Sink& sink, RunId id) const {
        for (const auto& [rank, samples] : m_power) {
            SeriesDescription description;
            description.metric = {"gpu_power", "W", MetricKind::Gauge, "Power"};
            description.subject.rank = rank;
            description.sensor = sensor;
            const auto series = sink.series(id, description);
            if (!series.hasValue())
                return series.error();
            auto status = sink.gpu(id, {rank, 0, rank, run.gpuModel, {}});
            if (status.hasValue())
                status = sink.samples(series.value(), samples.first, samples.second);
            if (!status.hasValue())
                return status;
        }
        return {};
    }

    QTemporaryDir m_folder;
    int m_count = 0;
    std::vector<Sampled> m_series;
    std::map<Place, std::vector<Placed>> m_spans;
    std::map<int, std::pair<std::vector<TimeNs>, std::vector<double>>> m_power;
};

// The only run of a store.
inline analysis::RunStudy studyOf(const store::Store& store) {
    return {store, store.runs().value().front()};
}

} // namespace trainscope::test
