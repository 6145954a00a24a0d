// Spans come back sorted with their depth; groups are what a view of that width may merge, and no
// span is lost.

#include "core/store/Fixture.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

#include <QObject>

#include <map>
#include <random>

using namespace trainscope;
using namespace trainscope::store;
using namespace trainscope::test;

namespace {

Span span(std::int64_t start, std::int64_t duration, std::int64_t name = 1) {
    Span out;
    out.start = {start};
    out.duration = {duration};
    out.name = {name};
    out.kind = SpanKind::Kernel;
    return out;
}

// A long span around everything, nested ones, many short ones, some without duration.
std::vector<Span> manySpans(int count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<Span> spans;
    std::int64_t t = 1'000'000;
    for (int i = 0; i < count; ++i) {
        const auto duration = static_cast<std::int64_t>(random() % 10 == 0 ? 0 : random() % 3000);
        spans.push_back(span(t, duration, 2 + static_cast<std::int64_t>(random() % 5)));
        spans.back().correlation = i + 1;
        t += duration
            + static_cast<std::int64_t>(random() % 1000 == 0 ? 5'000'000 : random() % 1500);
    }
    spans.push_back(span(500'000, t, 1));
    spans.push_back(span(2'000'000, t / 2, 1));
    std::shuffle(spans.begin(), spans.end(), random);
    return spans;
}

} // namespace

class tst_Spans : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nestingByHand() {
        Fixture fixture;
        Store store = fixture.create();
        //  0.......................100
        //    10....40  50...60  60..70    (70: no duration)
        //       20.30
        const TrackId track = addTrack(store,
            {span(60, 10), span(10, 30), span(0, 100), span(20, 10), span(50, 10), span(70, 0)});
        const auto spans = readBack(store, track);
        const std::vector<std::pair<std::int64_t, int>> expected{
            {0, 0}, {10, 1}, {20, 2}, {50, 1}, {60, 1}, {70, 1}};
        QCOMPARE(spans.size(), expected.size());
        for (std::size_t i = 0; i < spans.size(); ++i) {
            QCOMPARE(spans[i].start.ns, expected[i].first);
            QCOMPARE(int{spans[i].depth}, expected[i].second);
        }
        const Track row = got(store.tracks(got(store.findRun("run")).id)).at(0);
        QCOMPARE(row.count, 6);
        QCOMPARE(row.depth, 3);
        QCOMPARE(row.range, (TimeRange{{0}, {100}}));
        QCOMPARE(got(store.spanAt(track, {25}, 2))->start.ns, 20);
        QCOMPARE(got(store.spanAt(track, {25}, 0))->duration.ns, 100);
        QVERIFY(!got(store.spanAt(track, {45}, 1)));
        QCOMPARE(got(store.spanAt(track, {70}, 1))->duration.ns, 0);
    }

    void fieldsSurvive() {
        Fixture fixture;
        Store store = fixture.create();
        auto session = got(store::beginImport(store, {"/data/a.json", 1, "", "run"}));
        const RunId run = got(session->run(runNamed("run")));
        const NameId name = got(session->intern("ncclDevKernel_AllReduce"));
        const NameId again = got(session->intern("ncclDevKernel_AllReduce"));
        const NameId broken = got(session->intern("bad \xFF name"));
        const NameId detail = got(session->intern("{\"stream\":7}"));
        QCOMPARE(name, again);
        const TrackId track
            = got(session->track(run, {TrackKind::Stream, 3, 1, "42", "7", "stream 7"}));
        Span one = span(-5, 123'456'789'012, name.value);
        one.kind = SpanKind::Copy;
        one.correlation = -77;
        one.detail = detail;
        ok(session->spans(track, std::vector<Span>{one}));
        ok(session->finish({}, "", 0, {}));
        const Span back = readBack(store, track).at(0);
        QCOMPARE(back.start, one.start);
        QCOMPARE(back.duration, one.duration);
        QCOMPARE(back.name, name);
        QCOMPARE(back.detail, detail);
        QVERIFY(back.kind == SpanKind::Copy);
        QCOMPARE(back.correlation, -77);
        QCOMPARE(got(store.name(broken)), std::string("bad \xEF\xBF\xBD name"));
        QCOMPARE(got(store.names(run)).size(), std::size_t{1});
        QCOMPARE(got(store.correlated(run, 3, -77)).size(), std::size_t{1});
        QCOMPARE(got(store.correlated(run, 2, -77)).size(), std::size_t{0});
        QCOMPARE(foundSpans(store, run, {"ALLREDUCE", {}}).size(), std::size_t{1});
        QCOMPARE(foundSpans(store, run, {"all%reduce", {}}).size(), std::size_t{0});
    }

    void windowsDeliverExactlyWhatTouchesThem() {
        const std::vector<Span> spans = manySpans(30'000, 5);
        Fixture fixture;
        Store store = fixture.create();
        const TrackId track = addTrack(store, spans);
        std::mt19937_64 random(1);
        const std::int64_t end = readBack(store, track).back().start.ns;
        for (int trial = 0; trial < 40; ++trial) {
            const auto begin
                = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
            const TimeRange window{
                {begin}, {begin + 1 + static_cast<std::int64_t>(random() % 50'000'000)}};
            const auto expected = std::count_if(
                spans.begin(), spans.end(), [&](const Span& s) { return touches(s, window); });
            const auto found = readBack(store, track, window);
            QCOMPARE(static_cast<std::ptrdiff_t>(found.size()), expected);
            QVERIFY(std::is_sorted(found.begin(), found.end(),
                [](const Span& a, const Span& b) { return a.start < b.start; }));
        }
    }

    void groupsLoseNothing() {
        const std::vector<Span> spans = manySpans(60'000, 8);
        Fixture fixture;
        Store store = fixture.create();
        const TrackId track = addTrack(store, spans);
        const std::vector<Span> sorted = readBack(store, track);
        const TimeRange all{{0}, {sorted.back().start.ns * 3}};
        for (const std::int64_t width :
            {0LL, 1LL, 2000LL, 20'000LL, 300'000LL, 5'000'000LL, 80'000'000LL}) {
            const auto groups = got(store.lodNodes(track, all, {width}));
            std::int64_t count = 0;
            std::map<int, double> busy;
            for (const LodNode& group : groups) {
                count += group.count;
                busy[group.depth]
                    += double{group.busyFraction} * static_cast<double>(group.range.length().ns);
                if (group.count > 1)
                    QVERIFY(group.range.length().ns < 3 * width);
            }
            QCOMPARE(count, static_cast<std::int64_t>(spans.size()));
            std::map<int, double> expected;
            std::int64_t wide = 0;
            for (const Span& s : sorted) {
                expected[s.depth] += static_cast<double>(s.duration.ns);
                wide += s.duration.ns >= width ? 1 : 0;
            }
            for (const auto& [depth, ns] : expected)
                QVERIFY(std::abs(busy[depth] - ns) <= 1e-5 * ns + 1);
            const auto single = std::count_if(groups.begin(), groups.end(),
                [width](const LodNode& g) { return g.count == 1 && g.range.length().ns >= width; });
            QVERIFY(single >= wide);
            QVERIFY(std::is_sorted(groups.begin(), groups.end(),
                [](const auto& a, const auto& b) { return a.range.begin < b.range.begin; }));
        }
    }

    void groupsOfAWindowAreFew() {
        Fixture fixture;
        Store store = fixture.create();
        const TrackId track = addTrack(store, manySpans(200'000, 4));
        const Track row = got(store.tracks(got(store.findRun("run")).id)).at(0);
        const auto groups = got(store.lodNodes(track, row.range, {row.range.length().ns / 1000}));
        QVERIFY(groups.size() < 4000);
        // The span around everything is still there as itself.
        const auto around = std::count_if(groups.begin(), groups.end(),
            [&](const LodNode& g) { return g.count == 1 && g.range.begin.ns == 500'000; });
        QCOMPARE(around, 1);
    }

    void chainOfGrazingSpansStaysShallow() {
        std::vector<Span> spans;
        for (int i = 0; i < 10'000; ++i)
            spans.push_back(span(i * 100, 101));
        Fixture fixture;
        Store store = fixture.create();
        addTrack(store, spans);
        QCOMPARE(got(store.tracks(got(store.findRun("run")).id)).at(0).depth, 2);
    }
};

TRAINSCOPE_TEST(tst_Spans)
#include "tst_Spans.moc"
