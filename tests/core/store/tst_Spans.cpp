// Spans come back sorted with their depth; groups are what a view of that width may merge, and no
// span is lost.

#include "core/store/Fixture.h"
#include "core/store/Writing.h"
#include "core/store/spans/SpanSorter.h"
#include "support/TestProgram.h"

#include <QObject>

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

using Random = std::mt19937_64;

std::int64_t below(Random& random, std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
}

// Dense bursts in a sparse track, some spans over many others, equal starts, no lengths.
std::vector<Span> randomSpans(Random& random, int count) {
    std::vector<Span> spans;
    std::int64_t t = -1'000'000'000;
    std::int64_t spacing = 1'000;
    for (int i = 0; i < count; ++i) {
        if (below(random, 500) == 0)
            spacing = std::int64_t{1} << below(random, 24);
        t += below(random, 4) == 0 ? 0 : below(random, spacing);
        Span span;
        span.start = {t};
        span.duration = {below(random, 3) == 0 ? 0 : below(random, 3 * spacing)};
        if (below(random, 300) == 0)
            span.duration = {below(random, 50'000'000)};
        span.name = {1 + below(random, 7)};
        span.kind = SpanKind::Kernel;
        span.correlation = i + 1;
        spans.push_back(span);
    }
    return spans;
}

bool inOrder(const Span& a, const Span& b) {
    return a.start != b.start ? a.start < b.start : a.duration > b.duration;
}

// By the words of Depths: the first depth that is free.
void giveDepths(std::vector<Span>& sorted) {
    std::vector<std::int64_t> ends;
    for (Span& span : sorted) {
        std::size_t depth = 0;
        while (depth < ends.size() && ends[depth] > span.start.ns)
            ++depth;
        ends.resize(std::max(ends.size(), depth + 1));
        ends[depth] = span.start.ns + span.duration.ns;
        span.depth = static_cast<std::uint16_t>(depth);
    }
}

bool same(const Span& a, const Span& b) {
    return a.start == b.start && a.duration == b.duration && a.name == b.name
        && a.correlation == b.correlation && a.depth == b.depth && a.kind == b.kind;
}

std::vector<Span> shuffled(std::vector<Span> spans, Random& random, int disorder) {
    if (disorder == 2)
        std::shuffle(spans.begin(), spans.end(), random);
    for (std::size_t i = 0; disorder == 1 && i + 8 < spans.size(); i += 3)
        std::swap(spans[i], spans[i + 1 + random() % 7]);
    return spans;
}

TimeRange randomWindow(Random& random, const std::vector<Span>& sorted) {
    const auto at = [&] {
        const std::size_t i = random() % sorted.size();
        return sorted[i].start.ns + below(random, 3) - 1;
    };
    const std::int64_t a = at();
    const std::int64_t b = below(random, 3) == 0 ? a + 1 + below(random, 100'000) : at();
    return {{std::min(a, b)}, {std::max(a, b) + 1}};
}

} // namespace

class tst_Spans : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nestingByHand() {
        FreshStore store;
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
        FreshStore store;
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
        FreshStore store;
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
        // The last block holds less than a chunk.
        const std::vector<Span> spans = manySpans(50'000, 8);
        FreshStore store;
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
        FreshStore store;
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
        FreshStore store;
        addTrack(store, spans);
        QCOMPARE(got(store.tracks(got(store.findRun("run")).id)).at(0).depth, 2);
    }

    // Random spans, nested, overlapping, of no length and in any order, against what a loop over
    // all of them says: sorting with little memory, depths, windows, groups at every width, and
    // search.

    void sorterGivesTheOrderOfAStableSort() {
        Random random(3);
        for (int trial = 0; trial < 24; ++trial) {
            const auto tracks = static_cast<std::size_t>(1 + trial % 5);
            const Fixture fixture;
            // From everything in memory down to a few hundred batches.
            SpanSorter sorter(fixture.path, trial < 4 ? 100'000 : std::size_t(60 * trial));
            std::vector<std::vector<Span>> expected(tracks);
            const std::vector<Span> spans
                = shuffled(randomSpans(random, 20'000), random, trial % 3);
            for (std::size_t at = 0; at < spans.size();) {
                const std::size_t track = random() % tracks;
                const std::size_t size
                    = std::min<std::size_t>(1 + random() % 900, spans.size() - at);
                const auto part = std::span(spans).subspan(at, size);
                ok(sorter.add(track, part));
                expected[track].insert(expected[track].end(), part.begin(), part.end());
                at += size;
            }
            std::vector<std::vector<Span>> found(tracks);
            std::size_t last = 0;
            ok(sorter.drain([&](std::size_t track, std::span<const Span> part) -> Status {
                if (track < last)
                    return Error{ErrorCode::Internal, "The tracks are out of order.", {}};
                last = track;
                found[track].insert(found[track].end(), part.begin(), part.end());
                return {};
            }));
            for (std::size_t track = 0; track < tracks; ++track) {
                std::stable_sort(expected[track].begin(), expected[track].end(), inOrder);
                QVERIFY(std::equal(expected[track].begin(), expected[track].end(),
                    found[track].begin(), found[track].end(), same));
            }
        }
    }

    void windowsAndDepths_data() {
        QTest::addColumn<int>("count");
        for (const int count : {1, 2, 4095, 4096, 4097, 16384, 16385, 150'000})
            QTest::newRow(qPrintable(QString::number(count))) << count;
    }

    void windowsAndDepths() {
        QFETCH(int, count);
        Random random(static_cast<unsigned>(count));
        const std::vector<Span> spans = randomSpans(random, count);
        FreshStore store;
        const TrackId track = addTrack(store, shuffled(spans, random, 2));
        // Equal starts and durations may stand in either order.
        std::vector<Span> sorted = readBack(store, track, kAllTime);
        std::vector<Span> expected = spans;
        const auto total = [](const Span& a, const Span& b) {
            return inOrder(a, b) || (!inOrder(b, a) && a.correlation < b.correlation);
        };
        QVERIFY(std::is_sorted(sorted.begin(), sorted.end(), inOrder));
        std::vector<Span> withDepths = sorted;
        giveDepths(withDepths);
        QVERIFY(
            std::equal(sorted.begin(), sorted.end(), withDepths.begin(), withDepths.end(), same));
        std::sort(expected.begin(), expected.end(), total);
        std::vector<Span> all = sorted;
        std::sort(all.begin(), all.end(), total);
        for (Span& span : all)
            span.depth = 0;
        QVERIFY(std::equal(all.begin(), all.end(), expected.begin(), expected.end(), same));
        for (int trial = 0; trial < 60; ++trial) {
            const TimeRange window = randomWindow(random, sorted);
            std::vector<Span> inside;
            std::copy_if(sorted.begin(), sorted.end(), std::back_inserter(inside),
                [&](const Span& span) { return touches(span, window); });
            const std::vector<Span> found = readBack(store, track, window);
            QVERIFY(std::is_sorted(found.begin(), found.end(),
                [](const Span& a, const Span& b) { return a.start < b.start; }));
            std::multiset<std::int64_t> wanted;
            for (const Span& span : inside)
                wanted.insert(span.correlation);
            std::multiset<std::int64_t> got;
            for (const Span& span : found)
                got.insert(span.correlation);
            QVERIFY(wanted == got);
        }
    }

    void groupsHoldEverySpanAtEveryWidth() {
        Random random(17);
        std::vector<Span> spans = randomSpans(random, 120'000);
        Span around;
        around.start = {-2'000'000'000};
        around.duration = {spans.back().start.ns + 4'000'000'000};
        around.name = {1};
        spans.push_back(around);
        FreshStore store;
        const TrackId track = addTrack(store, spans);
        const std::vector<Span> sorted = readBack(store, track, kAllTime);
        for (std::int64_t width = 0; width < 4'000'000'000; width = width * 3 + 1) {
            for (int trial = 0; trial < 4; ++trial) {
                const TimeRange window = trial == 0
                    ? TimeRange{around.start, {around.start.ns + around.duration.ns}}
                    : randomWindow(random, sorted);
                checkGroups(got(store.lodNodes(track, window, {width})), sorted, window, width);
            }
        }
    }

    void searchFindsTheHitsOfAllTracks() {
        Random random(23);
        FreshStore store;
        auto session = got(store::beginImport(store, {"/data/a.json", 1, "", "run"}));
        const RunId run = got(session->run(runNamed("run")));
        std::vector<NameId> names;
        for (const char* name : {"gemm_a", "GEMM_b", "softmax", "ncclAllReduce", "copy%x", "rare"})
            names.push_back(got(session->intern(name)));
        (void)got(session->intern("{\"detail\":\"gemm_a rare\"}"));
        std::vector<FoundSpan> all;
        for (int i = 0; i < 9; ++i) {
            TrackDescription description;
            description.rank = i;
            const TrackId track = got(session->track(run, description));
            std::vector<Span> spans = randomSpans(random, i == 0 ? 70'000 : 200 << (i % 7));
            std::stable_sort(spans.begin(), spans.end(), inOrder);
            for (Span& span : spans) {
                const auto which = static_cast<std::size_t>(below(random, 5));
                span.name = names[below(random, 20'000) == 0 ? 5 : which];
                all.push_back({track, span});
            }
            ok(session->spans(track, spans));
        }
        ok(session->finish({}, "", 0, {}));
        std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
            return a.span.start != b.span.start ? a.span.start < b.span.start : a.track < b.track;
        });
        const std::vector<std::pair<std::string, std::set<std::size_t>>> searches{{"gemm", {0, 1}},
            {"RARE", {5}}, {"%", {4}}, {"m", {0, 1, 2}}, {"", {0, 1, 2, 3, 4, 5}}, {"none", {}}};
        for (const auto& [text, wanted] : searches) {
            // By its own name: Clang 14 captures no part of a pair.
            const auto isWanted = [&, &places = wanted](const FoundSpan& one) {
                return std::any_of(places.begin(), places.end(),
                    [&](std::size_t i) { return names[i] == one.span.name; });
            };
            using Place = std::pair<std::int64_t, std::int64_t>;
            std::vector<Place> expected;
            for (const auto& one : all) {
                if (isWanted(one))
                    expected.emplace_back(one.span.start.ns, one.track.value);
            }
            std::vector<Place> found;
            for (const auto& one : foundSpans(store, run, {text, {}}))
                found.emplace_back(one.span.start.ns, one.track.value);
            QCOMPARE(found, expected);
            std::int64_t visited = 0;
            std::int64_t time = 0;
            ok(store.forEachFound(run, {text, {}}, [&](TrackId, std::span<const Span> spans) {
                visited += static_cast<std::int64_t>(spans.size());
                for (const Span& span : spans)
                    time += span.duration.ns;
                return true;
            }));
            std::int64_t expectedTime = 0;
            for (const auto& one : all)
                expectedTime += isWanted(one) ? one.span.duration.ns : 0;
            QCOMPARE(visited, std::count_if(all.begin(), all.end(), isWanted));
            QCOMPARE(time, expectedTime);
        }
        // One name, whatever others contain it.
        QCOMPARE(foundSpans(store, run, {{}, names[1]}).size(),
            static_cast<std::size_t>(std::count_if(all.begin(), all.end(),
                [&](const auto& one) { return one.span.name == names[1]; })));
        for (std::size_t i = 0; i < names.size(); ++i) {
            std::int64_t counted = -1;
            const std::string sql
                = "SELECT count(*) FROM spans WHERE name='" + got(store.name(names[i])) + "'";
            ok(store.query(
                sql, [](const auto&) {},
                [&counted](const std::vector<SqlValue>& row) {
                    counted = row.at(0).integer;
                    return true;
                }));
            QCOMPARE(counted, std::count_if(all.begin(), all.end(), [&](const auto& one) {
                return one.span.name == names[i];
            }));
        }
    }

private:
    // Each span of the window lies in one group of its depth, and groups hold nothing else.
    static void checkGroups(const std::vector<LodNode>& groups, const std::vector<Span>& sorted,
        TimeRange window, std::int64_t width) {
        std::map<int, std::vector<LodNode>> byDepth;
        for (const LodNode& group : groups) {
            QVERIFY(group.count == 1 || group.range.length().ns < 3 * width);
            byDepth[group.depth].push_back(group);
        }
        std::map<int, std::size_t> at;
        std::map<int, std::int64_t> counted;
        for (const Span& span : sorted) {
            if (!touches(span, window))
                continue;
            const std::vector<LodNode>& own = byDepth[span.depth];
            std::size_t& place = at[span.depth];
            const std::int64_t end = span.start.ns + span.duration.ns;
            while (place < own.size()
                && (own[place].range.end.ns < end || own[place].range.begin > span.start))
                ++place;
            QVERIFY(place < own.size());
            QVERIFY(own[place].range.begin <= span.start && own[place].range.end.ns >= end);
            ++counted[span.depth];
        }
        for (const auto& [depth, own] : byDepth) {
            std::int64_t held = 0;
            std::size_t narrow = 0;
            for (std::size_t i = 0; i < own.size(); ++i) {
                held += own[i].count;
                narrow += own[i].range.length().ns < width ? 1U : 0U;
                if (i > 0)
                    QVERIFY(own[i].range.begin >= own[i - 1].range.end
                        || own[i].range.begin == own[i - 1].range.begin);
            }
            // A group at the edge may hold spans outside.
            QVERIFY(held >= counted[depth]);
            // Two narrow ones in a row are apart by the width: no more than a screen can show.
            if (width > 0)
                QVERIFY(static_cast<double>(narrow)
                    <= 4.0 * (static_cast<double>(window.length().ns) / static_cast<double>(width))
                        + static_cast<double>(own.size() - narrow) * 2 + 4);
        }
    }
};

TRAINSCOPE_TEST(tst_Spans)
#include "tst_Spans.moc"
