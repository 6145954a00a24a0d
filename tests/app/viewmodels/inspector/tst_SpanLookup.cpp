// Facts of a span: its launch, and its arguments.

#include "app/viewmodels/inspector/SpanLookup.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope;
using test::kStart;
using test::seconds;

namespace {

std::ptrdiff_t countOf(const app::SpanReport& report, const char* label) {
    return std::count_if(report.facts.begin(), report.facts.end(),
        [label](const app::Fact& fact) { return fact.label == QLatin1String(label); });
}

} // namespace

class tst_SpanLookup : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::optional<store::Store> m_store;
    app::CataloguePtr m_catalogue;

    [[nodiscard]] app::SpanReport look(TrackKind kind, TimeNs time) {
        app::SpanTarget target;
        for (const Track& track : m_catalogue->facts(0).tracks) {
            if (track.description.kind == kind)
                target.track = track.id;
        }
        target.time = time;
        plot::TimeContext context;
        context.origin = kStart;
        auto found = app::lookUpSpan(*m_store, *m_catalogue, target, context, [] { return false; });
        return found.hasValue() && found.value() ? *found.value() : app::SpanReport{};
    }

private Q_SLOTS:
    // One launch of a graph of 15 kernels, which all have its number.
    void initTestCase() {
        const auto path = m_folder.filePath(QStringLiteral("graph.trainscope")).toStdString();
        m_store.emplace(store::Store::openOrCreate(path).value());
        auto session = std::move(store::beginImport(*m_store, {"trace", 1, "trace", "g"})).value();
        Run made;
        made.name = "g";
        const RunId run = session->run(made).value();
        const auto thread
            = session->track(run, {TrackKind::Thread, 0, -1, "1", "1", "thread 1"}).value();
        const auto stream
            = session->track(run, {TrackKind::Stream, 0, 0, "0", "7", "stream 7"}).value();
        const NameId launch = session->intern("cudaGraphLaunch").value();
        const NameId kernel = session->intern("gemm").value();
        const std::vector<Span> calls{{kStart, {1'000'000}, launch, SpanKind::Runtime, 5, {}, 0}};
        QVERIFY(session->spans(thread, calls).hasValue());
        std::vector<Span> kernels;
        for (int i = 0; i < 15; ++i)
            kernels.push_back(
                {kStart + seconds(1 + i), {1'000'000}, kernel, SpanKind::Kernel, 5, {}, 0});
        QVERIFY(session->spans(stream, kernels).hasValue());
        QVERIFY(session->finish({}, "trace", 1, {}).hasValue());
        const Run stored = m_store->findRun("g").value();
        m_catalogue
            = app::loadCatalogue(*m_store, {{stored.id, stored.name, stored.range.begin, 0}}, [] {
                  return false;
              }).value();
    }
    void aKernelOfAGraphLaunchesNothing() {
        const auto report = look(TrackKind::Stream, kStart + seconds(3));
        QCOMPARE(countOf(report, "Launched by"), 1);
        QCOMPARE(countOf(report, "Launches"), 0);
        QCOMPARE(countOf(report, "Launch to start"), 1);
    }
    // Twelve of them, and how many more there are.
    void aGraphLaunchesItsKernels() {
        const auto report = look(TrackKind::Thread, kStart);
        QCOMPARE(report.name, std::string("cudaGraphLaunch"));
        QCOMPARE(countOf(report, "Launches"), 13);
        QCOMPARE(countOf(report, "Launched by"), 0);
        QCOMPARE(report.facts.back().value, QStringLiteral("3 more"));
    }
    void addressesHaveAllTheirDigits() {
        const auto facts = app::detailFacts(R"({"Addr":140234567890123})");
        QCOMPARE(facts.front().value, QStringLiteral("140234567890123"));
    }
};

TRAINSCOPE_TEST(tst_SpanLookup)
#include "tst_SpanLookup.moc"
