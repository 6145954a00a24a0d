#pragma once
// A traced run made in memory: work on streams, calls and annotations on host threads, samples of
// power, written as one source.

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

    std::map<std::string, int> devices; // by stream; others are on the first
    std::vector<Iteration> iterations;
    std::vector<Capture> captures;
    SensorKind sensor = SensorKind::Unknown;

    // As another source of the same run.
    Status addTo(store::Store& store) { return write(store, "another"); }

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

    Status write(store::Store& store, const std::string& hash) {
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
        for (const Iteration& one : iterations) {
            if (status.hasValue())
                status = sink.iteration(id.value(), one);
        }
        for (const Capture& one : captures) {
            if (status.hasValue())
                status = sink.capture(id.value(), one);
        }
        return status.hasValue() ? session.value()->finish({}, hash, 1, {}) : status;
    }

    Status writeSpans(Sink& sink, RunId id) {
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
                {place.kind, place.rank, isHost ? -1 : device, "0", place.thread, place.thread});
            if (!track.hasValue())
                return track.error();
            if (auto status = sink.spans(track.value(), spans); !status.hasValue())
                return status;
        }
        return {};
    }

    Status writePower(Sink& sink, RunId id) {
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
    std::map<Place, std::vector<Placed>> m_spans;
    std::map<int, std::pair<std::vector<TimeNs>, std::vector<double>>> m_power;
};

} // namespace trainscope::test
