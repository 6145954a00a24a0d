#include "app/viewmodels/support/TimelineDatabase.h"

#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <QDebug>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace trainscope::test {
namespace {

using store::ImportSession;

class Writer {
public:
    explicit Writer(ImportSession& session)
        : m_session(session) { }

    RunId run(const char* name) {
        Run run;
        run.name = name;
        run.gpuModel = "Test GPU";
        auto id = m_session.run(run);
        note(id.hasValue());
        return id.hasValue() ? id.value() : RunId{};
    }
    void gpu(RunId run, int rank) {
        note(m_session.gpu(run, {rank, 0, rank, "Test GPU", ""}).hasValue());
    }
    void series(RunId run, const char* metric, int rank, TimeNs start, int last,
        const std::function<double(int)>& value) {
        SeriesDescription description;
        description.metric = *findMetric(metric);
        description.subject.rank = rank;
        description.subject.node = 0;
        if (description.metric.kind == MetricKind::Counter)
            description.counterBits = 64;
        auto id = m_session.series(run, description);
        note(id.hasValue());
        if (!id.hasValue())
            return;
        std::vector<TimeNs> times;
        std::vector<double> values;
        for (int i = 0; i <= last; ++i) {
            times.push_back(start + DurationNs{i * kSecondNs});
            values.push_back(value(i));
        }
        note(m_session.samples(id.value(), times, values).hasValue());
    }
    void iteration(RunId run, std::int64_t index, TimeNs begin, double length) {
        note(m_session.iteration(run, {index, {begin, begin + seconds(length)}, -1, false})
                 .hasValue());
    }
    void kernels(RunId run) {
        TrackDescription description{TrackKind::Stream, 0, 0, "0", "7", "stream 7"};
        auto track = m_session.track(run, description);
        note(track.hasValue());
        if (!track.hasValue())
            return;
        const auto gemm = m_session.intern("sm90_gemm").valueOr({});
        const auto reduce = m_session.intern("ncclDevKernel_AllReduce").valueOr({});
        const auto detail = m_session.intern(R"({"grid":[4,2,1],"Custom":"x"})").valueOr({});
        const std::vector<Span> spans{
            {kStart + seconds(1), {100'000'000}, gemm, SpanKind::Kernel, 1, detail, 0},
            {kStart + seconds(2), {1'000'000}, reduce, SpanKind::Kernel, 2, {}, 0},
            {kStart + seconds(3), {1'000}, gemm, SpanKind::Kernel, 3, {}, 0}};
        note(m_session.spans(track.value(), spans).hasValue());
    }
    void captures(const char* name) {
        const RunId id = run(name);
        note(m_session.capture(id, {"early", 0, {kStart, kStart + seconds(2.5)}}).hasValue());
        note(m_session.capture(id, {"late", 0, {kStart + seconds(2.8), kStart + seconds(6)}})
                 .hasValue());
    }
    [[nodiscard]] bool good() const { return m_good; }

private:
    void note(bool ok) { m_good = m_good && ok; }
    ImportSession& m_session;
    bool m_good = true;
};

void writeSmall(Writer& writer) {
    const RunId run = writer.run("small");
    for (const int rank : {0, 1})
        writer.gpu(run, rank);
    const double missing = std::numeric_limits<double>::quiet_NaN();
    writer.series(run, "gpu_power", 0, kStart, 10, [](int) { return 100.0; });
    writer.series(run, "gpu_power", 1, kStart, 10, [](int i) { return 10.0 * i; });
    writer.series(run, "gpu_temperature", 0, kStart, 10,
        [missing](int i) { return i == 4 ? missing : 50.0; });
    writer.series(run, "gpu_temperature", 1, kStart, 10, [](int) { return 60.0; });
    for (const int rank : {0, 1})
        writer.series(run, "pcie_rx", rank, kStart, 10, [](int i) { return 1e6 * i; });
    for (int i = 0; i < 3; ++i)
        writer.iteration(run, 5 + i, kStart + seconds(3.0 * i), 3.0);
    writer.kernels(run);
}

void writeLater(Writer& writer) {
    const RunId run = writer.run("later");
    writer.gpu(run, 0);
    writer.series(run, "gpu_power", 0, kStart + seconds(100), 5, [](int) { return 200.0; });
    writer.iteration(run, 6, kStart + seconds(102), 2.0);
}

bool writeSource(store::Store& store, const char* path, const std::function<void(Writer&)>& fill) {
    store::SourceDescription source;
    source.path = path;
    source.hash = path;
    auto session = store::beginImport(store, source);
    if (!session.hasValue()) {
        qWarning() << "beginImport:" << session.error().describe().c_str();
        return false;
    }
    Writer writer(*session.value());
    fill(writer);
    const Status done = session.value()->finish({}, path, 1, {});
    if (!done.hasValue())
        qWarning() << "finish:" << done.error().describe().c_str();
    return writer.good() && done.hasValue();
}

} // namespace

bool addCaptures(store::Store& store) {
    return writeSource(store, "/data/captures", [](Writer& writer) { writer.captures("small"); });
}

std::filesystem::path writeTimelineDatabase(const std::filesystem::path& folder) {
    const auto path = folder / "timeline.trainscope";
    auto store = store::Store::openOrCreate(path);
    if (!store.hasValue()) {
        qWarning() << "openOrCreate:" << store.error().describe().c_str();
        return {};
    }
    const bool good = writeSource(store.value(), "/data/small", writeSmall)
        && writeSource(store.value(), "/data/later", writeLater);
    return good ? path : std::filesystem::path();
}

} // namespace trainscope::test
