// Traces of ranks whose clocks differ, drawn on one: what is drawn lies where it was in truth.

#include "core/analysis/traces/PlantedRun.h"
#include "core/figures/Kinds.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/plot/timeline/TraceClock.h"
#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

#include <ctime>

using namespace trainscope;
using namespace trainscope::figures;
using namespace trainscope::plot;
using namespace std::string_literals;

namespace {

constexpr std::int64_t kHour = 3'600'000'000'000;

// Rank 1 is an hour ahead and gains 50 µs a second.
void plant(test::PlantedRun& planted) {
    planted.clocks[1] = {kHour, 50.0};
    for (std::int64_t i = 0; i < 40; ++i) {
        const std::int64_t at = i * 50'000'000 + i * i * 10'000;
        planted.addCollective({0, 1}, {at, at + 1'000'000}, 2'000'000,
            test::collectiveDetail("allreduce", 8, "0", {0, 1}), [] { return 0; });
    }
}

} // namespace

class tst_TraceClock : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void withoutClocksTimesStay() {
        const ShownRun run;
        QCOMPARE(shownTime(run, 3, {42}).ns, 42);
        QCOMPARE(ownTime(run, 3, {42}).ns, 42);
    }

    void spansAreDrawnOnOneClock() {
        test::PlantedRun planted;
        plant(planted);
        const auto store = planted.stored();
        const Run stored = store.findRun("planted").value();
        ShownRun run{stored.id, stored.name, stored.range.begin, 0};
        const auto catalogue = readCatalogue(store, {run});
        QVERIFY(catalogue.hasValue());
        QVERIFY(extentOf(catalogue.value().runs[0], run)->length().ns > kHour);
        run.clocks = std::make_shared<const analysis::RankClocks>(
            analysis::alignRanks({store, stored}).value());
        const auto extent = extentOf(catalogue.value().runs[0], run);
        QVERIFY(extent->length().ns < 3'000'000'000);
        QVERIFY(std::abs(extent->begin.ns - test::kEpoch) < 2000);

        // The window of the last collective, of both ranks.
        const std::int64_t last = 39 * 50'000'000LL + 39 * 39 * 10'000LL;
        run.origin = {test::kEpoch};
        const Arrangement lanes{{{LaneStyle::Kernels, {}, std::nullopt, 100.0}}};
        const auto data = loadTimeline(
            store, catalogue.value(), {run}, lanes, {{last - 500'000}, {last + 4'000'000}}, 1000);
        QVERIFY(data.hasValue());
        const auto& tracks = data.value().lanes.front().spans;
        QCOMPARE(tracks.size(), std::size_t{2});
        for (const LaneSpans& track : tracks) {
            QCOMPARE(track.spans.size(), std::size_t{1});
            const std::int64_t start = last + (track.rank == 0 ? 0 : 1'000'000);
            QVERIFY(std::abs(track.spans[0].range.begin.ns - test::kEpoch - start) < 2000);
            QVERIFY(std::abs(track.spans[0].range.end.ns - test::kEpoch - last - 3'000'000) < 2000);
            const TimeNs own = ownTime(run, track.rank, track.spans[0].range.begin);
            QVERIFY(std::abs(own.ns - planted.local(track.rank, start)) < 2000);
        }
    }

    // 1,700,000,000 s are 2023-11-14 22:13:20 UTC, which is 03:43:20 on the 15th five and a half
    // hours further east.
    void theAxisInTheZoneOfTheReader_data() {
        // minute: the first tick's
        const auto row = test::columns<std::string, std::string>("axis", "minute");
        row("utc", "utc", "22:15");
        row("local", "local", "03:45");
    }
    void theAxisInTheZoneOfTheReader() {
        QFETCH(std::string, axis);
        QFETCH(std::string, minute);
        const QByteArray zone = qgetenv("TZ");
        qputenv("TZ", "EAST-05:30");
        tzset();
        const auto restored = qScopeGuard([&zone] {
            zone.isEmpty() ? qunsetenv("TZ") : qputenv("TZ", zone);
            tzset();
        });
        test::PlantedRun planted;
        plant(planted);
        const auto store = planted.stored();
        Request request;
        request.runs = {store.findRun("planted").value()};
        request.options.add("axis", axis);
        request.style.theme = &plot::paperTheme();
        request.style.width = 800.0;
        request.style.measure = test::fixedPitch;
        const auto figure = load(*findKind("timeline"), store, request);
        QVERIFY2(figure.hasValue(), figure.hasValue() ? "" : figure.error().message.c_str());
        std::string texts;
        for (const auto& item : figure.value().draw(request.style).scene.items) {
            if (const auto* label = std::get_if<Label>(&item))
                texts += label->text + '\n';
        }
        VERIFY_SAYS(texts, minute);
    }
};

TRAINSCOPE_TEST(tst_TraceClock)
#include "tst_TraceClock.moc"
