// The real report of Nsight Systems against the table that nsys itself made of it, and the power
// log that was recorded beside it.

#include "importers/nsys/MadeReport.h"
#include "importers/registry/Registry.h"
#include "support/Content.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

// One row of cuda_gpu_trace: what is compared.
struct GpuRow {
    std::int64_t start = 0;
    std::int64_t duration = 0;
    std::int64_t correlation = 0;
    QByteArray name;
    QByteArray grid;

    auto operator<=>(const GpuRow& other) const {
        return std::pair(start, correlation) <=> std::pair(other.start, other.correlation);
    }
    bool operator==(const GpuRow&) const = default;
};

// The name is the last column and may hold commas; where it does it stands in quotes.
std::vector<GpuRow> rowsOf(const QString& path) {
    std::vector<GpuRow> rows;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return rows;
    file.readLine();
    while (!file.atEnd()) {
        const QByteArray line = file.readLine().trimmed();
        const QList<QByteArray> cells = line.split(',');
        qsizetype nameAt = 0;
        for (int i = 0; i < 20; ++i)
            nameAt = line.indexOf(',', nameAt) + 1;
        QByteArray name = line.mid(nameAt);
        if (name.startsWith('"'))
            name = name.mid(1, name.size() - 2).replace("\"\"", "\"");
        rows.push_back({cells[0].toLongLong(), cells[1].toLongLong(), cells[2].toLongLong(), name,
            cells[3] + "," + cells[4] + "," + cells[5]});
    }
    return rows;
}

QString realReport() {
    return QString::fromStdString(realFiles()) + QStringLiteral("/data/nsys/flame_torch-ex.sqlite");
}

} // namespace

class tst_NsysTruth : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        if (realFiles().empty() || !QFile::exists(realReport()))
            QSKIP("the real files are not beside the checkout");
        const auto tree = importers::openDiskTree(realReport().toStdString());
        QVERIFY(tree.hasValue());
        m_imported.add(importers::nsys::kImporter, *tree.value());
        QCOMPARE(m_imported.units.size(), 1U);
        QVERIFY2(m_imported.reports[0].hasValue(), "import failed");
    }
    void everyKernelIsThatOfNsys() {
        std::vector<GpuRow> rows = rowsOf(QString::fromStdString(realFiles())
            + QStringLiteral("/data/nsys/flame_torch-ex_cuda_gpu_trace.csv"));
        QCOMPARE(rows.size(), std::size_t{2482 + 122 + 81});
        // SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME
        constexpr std::int64_t kSession = 1745524738320414836;
        std::vector<GpuRow> kernels;
        std::int64_t total = 0;
        int copies = 0;
        int sets = 0;
        for (const CollectedTrack& track : m_imported.sink.tracks) {
            for (const Span& span : track.spans) {
                copies += span.kind == SpanKind::Copy ? 1 : 0;
                sets += span.kind == SpanKind::Set ? 1 : 0;
                if (span.kind != SpanKind::Kernel)
                    continue;
                total += span.duration.ns;
                const QByteArray detail
                    = QByteArray::fromStdString(m_imported.sink.name(span.detail));
                const qsizetype at = detail.indexOf("\"grid\":[") + 8;
                kernels.push_back({span.start.ns - kSession, span.duration.ns, span.correlation,
                    QByteArray::fromStdString(m_imported.sink.name(span.name)),
                    detail.mid(at, detail.indexOf(']', at) - at)});
            }
        }
        // SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL
        QCOMPARE(total, std::int64_t{339'300'381});
        QCOMPARE(copies, 122);
        QCOMPARE(sets, 81);
        std::erase_if(rows, [](const GpuRow& row) { return row.name.startsWith("[CUDA mem"); });
        std::sort(rows.begin(), rows.end());
        std::sort(kernels.begin(), kernels.end());
        QCOMPARE(kernels.size(), std::size_t{2482});
        QCOMPARE(rows.size(), kernels.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            QCOMPARE(kernels[i].start, rows[i].start);
            QCOMPARE(kernels[i].duration, rows[i].duration);
            QCOMPARE(kernels[i].correlation, rows[i].correlation);
            // nsys shortens: "gemm" of "void ns::gemm<float>(int)".
            QVERIFY(kernels[i].name.contains(rows[i].name));
            QCOMPARE(kernels[i].grid, rows[i].grid);
        }
    }
    void sessionAndGpu() {
        const ImportReport& report = m_imported.reports[0].value();
        QCOMPARE(report.facts.at("schema"), std::string("3.16.1"));
        QCOMPARE(report.facts.at("GPU"), std::string("NVIDIA RTX A4500"));
        QCOMPARE(report.facts.at("local time"), std::string("-14400 s ahead of UTC"));
        QCOMPARE(report.facts.at("tables not read"), std::string("SCHED_EVENTS"));
        QCOMPARE(report.counts.at("rows of CUPTI_ACTIVITY_KIND_RUNTIME"), std::int64_t{5142});
        QCOMPARE(report.counts.at("rows of OSRT_API"), std::int64_t{35603});
        QCOMPARE(m_imported.sink.gpus.size(), std::size_t{1});
        QCOMPARE(
            m_imported.sink.gpus[0].uuid, std::string("GPU-106f19f8-5526-4fe7-7da5-575a754f9be9"));
        const auto thread
            = std::find_if(m_imported.sink.tracks.begin(), m_imported.sink.tracks.end(),
                [](const CollectedTrack& track) { return track.description.thread == "64631"; });
        QVERIFY(thread != m_imported.sink.tracks.end());
        QCOMPARE(thread->description.name, std::string("python"));
    }
    // The program pushed a range for each of its iterations 10 to 19 and popped none: all end with
    // the session. SELECT start FROM NVTX_EVENTS WHERE text LIKE 'iteration%'
    void iterationsEndWhereTheNextBegin() {
        constexpr std::array<std::int64_t, 10> kStarts{2180004243, 2196919565, 2213962700,
            2231026988, 2248059220, 2265105055, 2282272205, 2299434570, 2316546703, 2333663303};
        const auto& iterations = m_imported.sink.iterations;
        QCOMPARE(iterations.size(), std::size_t{9});
        for (std::size_t i = 0; i < iterations.size(); ++i) {
            QCOMPARE(iterations[i].index, static_cast<std::int64_t>(10 + i));
            QCOMPARE(iterations[i].range.length().ns, kStarts[i + 1] - kStarts[i]);
        }
        // Their annotations are as long as they are, and there is none of the last, whose end
        // nobody knows.
        std::map<std::string, std::int64_t> lengths;
        for (const CollectedTrack& track : m_imported.sink.tracks) {
            for (const Span& span : track.spans) {
                const std::string name = m_imported.sink.name(span.name);
                if (span.kind == SpanKind::Annotation && name.starts_with("iteration"))
                    lengths[name] = span.duration.ns;
            }
        }
        QCOMPARE(lengths.size(), iterations.size());
        for (const Iteration& one : iterations)
            QCOMPARE(lengths["iteration" + std::to_string(one.index)], one.range.length().ns);
        QCOMPARE(m_imported.reports[0].value().counts.at(
                     "ranges of iterations that were never closed, left out"),
            std::int64_t{1});
    }
    // SELECT min(k.start), max(k.end) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN
    // CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId) WHERE r.start BETWEEN 2180009622 AND
    // 2196874826, which is the first range "forward".
    void rangesAreProjectedOntoTheirKernels() {
        constexpr std::int64_t kSession = 1745524738320414836;
        std::vector<std::pair<std::int64_t, std::int64_t>> forward;
        for (const CollectedTrack& track : m_imported.sink.tracks) {
            for (const Span& span : track.spans) {
                if (span.kind == SpanKind::GpuAnnotation
                    && m_imported.sink.name(span.name) == "forward")
                    forward.emplace_back(
                        span.start.ns - kSession, (span.start + span.duration).ns - kSession);
            }
        }
        std::sort(forward.begin(), forward.end());
        QCOMPARE(forward.size(), std::size_t{10});
        QCOMPARE(forward[0].first, std::int64_t{2315055182});
        QCOMPARE(forward[0].second, std::int64_t{2332167967});
    }
    void theFileIsNotChanged() {
        QTemporaryDir folder;
        const QString copy = folder.filePath(QStringLiteral("report.sqlite"));
        QVERIFY(QFile::copy(realReport(), copy));
        QVERIFY(QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner));
        const auto tree = importers::openDiskTree(copy.toStdString());
        const ImportedReports imported(*tree.value());
        QCOMPARE(imported.reports.size(), std::size_t{1});
        QCOMPARE(contentOf(copy), contentOf(realReport()));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 1);
    }
    // The session began at 19:58:58.320 UTC, 15:58:58 of its machine's clock; the log begins at
    // 15:58:57.879.
    void zoneOfTheLogBesideIt() {
        QTemporaryDir folder;
        QVERIFY(QFile::copy(realReport(), folder.filePath(QStringLiteral("torch-ex.sqlite"))));
        QVERIFY(QFile::copy(QString::fromStdString(realFiles())
                + QStringLiteral("/data/nvidia_smi/flame_torch-ex-smi.csv"),
            folder.filePath(QStringLiteral("torch-ex-smi.csv"))));
        const auto tree = importers::openDiskTree(folder.path().toStdString());
        const auto plan = importers::planImport(*tree.value(), {});
        QVERIFY(plan.hasValue());
        QCOMPARE(plan.value().units.size(), std::size_t{2});
        for (const auto& unit : plan.value().units) {
            QCOMPARE(unit.utcOffsetSeconds, std::optional<std::int64_t>(-4 * 3600));
            QCOMPARE(unit.runName, plan.value().units[0].runName);
        }
    }

private:
    ImportedReports m_imported;
};

TRAINSCOPE_TEST(tst_NsysTruth)
#include "tst_NsysTruth.moc"
