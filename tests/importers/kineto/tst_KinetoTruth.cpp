// Every trace against the independently computed figures of kineto_truth.json: counts, times
// to the nanosecond, unions, streams, copies and iterations.

#include "importers/common/Formats.h"
#include "importers/kineto/CollectingSink.h"
#include "importers/kineto/SharedFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

struct Interval {
    std::int64_t begin;
    std::int64_t end;
};

std::vector<Interval> merged(std::vector<Interval> intervals) {
    std::sort(intervals.begin(), intervals.end(),
        [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    std::vector<Interval> result;
    for (const Interval& interval : intervals) {
        if (!result.empty() && interval.begin <= result.back().end)
            result.back().end = std::max(result.back().end, interval.end);
        else
            result.push_back(interval);
    }
    return result;
}

std::int64_t length(const std::vector<Interval>& intervals) {
    std::int64_t sum = 0;
    for (const Interval& interval : intervals)
        sum += interval.end - interval.begin;
    return sum;
}

bool isCommunication(const std::string& name) {
    const QString text = QString::fromStdString(name);
    return text.contains(QStringLiteral("nccl"), Qt::CaseInsensitive)
        || text.contains(QStringLiteral("rccl"), Qt::CaseInsensitive)
        || text.contains(QStringLiteral("msccl"), Qt::CaseInsensitive);
}

std::int64_t exactNs(const QJsonValue& microseconds) {
    return std::llround(microseconds.toDouble() * 1000.0);
}

struct DeviceTimes {
    std::vector<Interval> compute;
    std::vector<Interval> communication;
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> streams; // count, ns
};

struct Figures {
    std::int64_t kernels = 0;
    std::int64_t kernelTime = 0;
    std::int64_t firstKernel = std::numeric_limits<std::int64_t>::max();
    std::int64_t lastKernel = 0;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = 0;
    std::int64_t zeroKernels = 0;
    std::map<int, DeviceTimes> devices;
    std::map<SpanKind, std::pair<std::int64_t, std::int64_t>> byKind;
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> byName;
};

void addKernel(
    Figures& figures, const CollectedTrack& track, const Span& span, const std::string& name) {
    const std::int64_t end = span.start.ns + span.duration.ns;
    ++figures.kernels;
    figures.kernelTime += span.duration.ns;
    figures.firstKernel = std::min(figures.firstKernel, span.start.ns);
    figures.lastKernel = std::max(figures.lastKernel, end);
    figures.zeroKernels += span.duration.ns == 0 ? 1 : 0;
    DeviceTimes& device = figures.devices[track.description.device];
    (isCommunication(name) ? device.communication : device.compute).push_back({span.start.ns, end});
    auto& stream = device.streams[track.description.thread];
    ++stream.first;
    stream.second += span.duration.ns;
    auto& row = figures.byName[name];
    ++row.first;
    row.second += span.duration.ns;
}

Figures figuresOf(const CollectingSink& sink) {
    Figures figures;
    for (const CollectedTrack& track : sink.tracks) {
        for (const Span& span : track.spans) {
            figures.first = std::min(figures.first, span.start.ns);
            figures.last = std::max(figures.last, span.start.ns + span.duration.ns);
            auto& kind = figures.byKind[span.kind];
            ++kind.first;
            kind.second += span.duration.ns;
            if (span.kind == SpanKind::Kernel)
                addKernel(figures, track, span, sink.name(span.name));
        }
    }
    return figures;
}

std::int64_t overlapOf(const DeviceTimes& device) {
    std::vector<Interval> all = device.compute;
    all.insert(all.end(), device.communication.begin(), device.communication.end());
    return length(merged(device.compute)) + length(merged(device.communication))
        - length(merged(all));
}

} // namespace

class tst_KinetoTruth : public QObject {
    Q_OBJECT

    ImportReport m_report;

private Q_SLOTS:
    void realTracesAreHere() {
        if (!hasSharedTraces())
            QSKIP("the real traces are not here");
    }
    void figures_data() {
        const auto row = columns<QJsonObject>("truth");
        for (const QJsonValue& value : kinetoTruth()) {
            const QJsonObject truth = value.toObject();
            row(qPrintable(truth[u"file"].toString()), truth);
        }
    }
    void figures() {
        QFETCH(QJsonObject, truth);
        const QString path = truth[u"path"].toString();
        auto tree = importers::openDiskTree(path.toStdString());
        QVERIFY(tree.hasValue());
        const importers::Importer& importer = importers::kineto::kImporter;
        const auto units = importer.plan(*tree.value(), tree.value()->files());
        QCOMPARE(units.size(), std::size_t{1});
        CollectingSink sink;
        auto report = importer.import(*tree.value(), units[0], sink, {});
        QVERIFY2(report.hasValue(), report.hasValue() ? "" : report.error().describe().c_str());
        m_report = report.value();
        const Figures figures = figuresOf(sink);
        compareCounts(truth);
        compareKernels(truth, figures);
        const QJsonObject devices = truth[u"per_device"].toObject();
        QCOMPARE(static_cast<qint64>(figures.devices.size()), devices.size());
        for (const auto& [device, times] : figures.devices)
            compareDevice(devices[QString::number(device)].toObject(), times, figures);
        compareTopKernels(truth, figures);
        compareCopies(truth[u"memcpy_memset"].toObject(), figures);
        std::set<std::string> steps;
        for (const Iteration& iteration : sink.iterations)
            steps.insert("ProfilerStep#" + std::to_string(iteration.index));
        QCOMPARE(static_cast<qint64>(steps.size()), truth[u"profiler_steps"].toArray().size());
        for (const QJsonValue& step : truth[u"profiler_steps"].toArray())
            QVERIFY(steps.contains(step.toString().toStdString()));
        const QJsonObject info = truth[u"distributedInfo"].toObject();
        if (info.contains(u"rank"))
            QCOMPARE(units[0].rank.value_or(-1), info[u"rank"].toInt());
        QCOMPARE(m_report.ranksExpected, info[u"world_size"].toInt(0));
    }

private:
    void compareCounts(const QJsonObject& truth) {
        QCOMPARE(m_report.counts["events"], truth[u"n_events"].toInteger());
        QCOMPARE(
            m_report.bytes, static_cast<std::uint64_t>(truth[u"bytes_uncompressed"].toInteger()));
        QCOMPARE(m_report.skipped, 0);
        for (const auto& [key, prefix] :
            {std::pair("events_by_ph", "ph:"), std::pair("events_by_cat", "cat:")}) {
            const QJsonObject expected = truth[QLatin1String(key)].toObject();
            std::int64_t kinds = 0;
            for (const auto& [name, count] : m_report.counts)
                kinds += name.starts_with(prefix) ? 1 : 0;
            QCOMPARE(kinds, expected.size());
            for (auto it = expected.begin(); it != expected.end(); ++it)
                QCOMPARE(m_report.counts[prefix + it.key().toStdString()], it.value().toInteger());
        }
    }
    void compareKernels(const QJsonObject& truth, const Figures& figures) {
        QCOMPARE(figures.kernels, truth[u"kernel_count"].toInteger());
        QCOMPARE(m_report.counts["kernels"], figures.kernels);
        // The truth gives times as written; wall time adds the base.
        const qint64 base = truth[u"baseTimeNanoseconds"].toInteger();
        QCOMPARE(figures.first, base + truth[u"first_ts_ns"].toInteger());
        QCOMPARE(figures.last, base + truth[u"last_end_ns"].toInteger());
        if (figures.kernels == 0)
            return;
        QCOMPARE(figures.kernelTime, exactNs(truth[u"kernel_total_dur_us"]));
        QCOMPARE(figures.firstKernel, base + truth[u"kernel_first_ts_ns"].toInteger());
        QCOMPARE(figures.lastKernel, base + truth[u"kernel_last_end_ns"].toInteger());
        QCOMPARE(figures.zeroKernels, truth[u"zero_dur_kernels"].toInteger());
    }
    void compareDevice(
        const QJsonObject& truth, const DeviceTimes& device, const Figures& figures) {
        std::vector<Interval> all = device.compute;
        all.insert(all.end(), device.communication.begin(), device.communication.end());
        const auto busy = length(merged(all));
        const auto communication = length(merged(device.communication));
        QCOMPARE(static_cast<qint64>(all.size()), truth[u"kernels"].toInteger());
        QCOMPARE(
            static_cast<qint64>(device.communication.size()), truth[u"comm_kernels"].toInteger());
        QCOMPARE(busy, exactNs(truth[u"busy_union_us"]));
        QCOMPARE(communication, exactNs(truth[u"comm_union_us"]));
        QCOMPARE(length(merged(device.compute)), exactNs(truth[u"compute_union_us"]));
        QCOMPARE(overlapOf(device), exactNs(truth[u"overlap_us"]));
        QCOMPARE(communication - overlapOf(device), exactNs(truth[u"exposed_comm_us"]));
        if (figures.devices.size() == 1)
            QCOMPARE(figures.lastKernel - figures.firstKernel - busy,
                exactNs(truth[u"idle_in_kernel_span_us"]));
        const QJsonObject streams = truth[u"per_stream"].toObject();
        QCOMPARE(static_cast<qint64>(device.streams.size()), streams.size());
        for (const auto& [stream, figure] : device.streams) {
            const QJsonObject expected = streams[QString::fromStdString(stream)].toObject();
            QCOMPARE(figure.first, expected[u"kernels"].toInteger());
            QCOMPARE(figure.second, exactNs(expected[u"dur_us"]));
        }
    }
    void compareCopies(const QJsonObject& truth, const Figures& figures) {
        for (const auto& [name, kind] :
            {std::pair("memcpy", SpanKind::Copy), std::pair("memset", SpanKind::Set)}) {
            std::pair<std::int64_t, std::int64_t> expected;
            // Old writers say Memcpy, new ones gpu_memcpy.
            for (auto it = truth.begin(); it != truth.end(); ++it) {
                if (!it.key().endsWith(QLatin1String(name), Qt::CaseInsensitive))
                    continue;
                expected.first += it.value().toObject()[u"count"].toInteger();
                expected.second += exactNs(it.value().toObject()[u"dur_us"]);
            }
            const auto found = figures.byKind.find(kind);
            const bool isThere = found != figures.byKind.end();
            QCOMPARE(isThere ? found->second.first : 0, expected.first);
            QCOMPARE(isThere ? found->second.second : 0, expected.second);
        }
    }
    void compareTopKernels(const QJsonObject& truth, const Figures& figures) {
        for (const QJsonValue& value : truth[u"top10_kernels"].toArray()) {
            const QJsonObject expected = value.toObject();
            // The truth cuts long names, so several kernels can share one of its names.
            const std::string prefix = expected[u"name"].toString().toStdString();
            const bool isFound
                = std::any_of(figures.byName.begin(), figures.byName.end(), [&](const auto& row) {
                      return row.first.starts_with(prefix)
                          && row.second.first == expected[u"count"].toInteger()
                          && row.second.second == exactNs(expected[u"total_us"]);
                  });
            QVERIFY2(isFound, prefix.c_str());
        }
    }
};

TRAINSCOPE_TEST(tst_KinetoTruth)
#include "tst_KinetoTruth.moc"
