// Engines that the user has named are asked, with the credentials of the environment, and no other
// that a database names, on this machine either.

#include "app/engine/KnownEngines.h"
#include "app/engine/TileColumns.h"
#include "core/model/Metric.h"
#include "support/Content.h"
#include "support/TestProgram.h"

using namespace trainscope::app;
using namespace trainscope::importers::engine;

namespace {

constexpr std::int64_t kMs = 1'000'000;

// A value in the column of that number; columns of a second from 0 on.
AnsweredSeries answered(const char* instance, int column, double value) {
    AnsweredSeries series;
    series.labels.set("instance", instance);
    series.times = {{(std::int64_t{column} * 1000 + 999) * kMs}};
    series.values = {value};
    return series;
}

Labels told(const char* rollup, const char* row) {
    Labels labels;
    if (rollup != nullptr)
        labels.set("rollup", rollup);
    labels.set("row", row);
    labels.sort();
    return labels;
}

} // namespace

class tst_KnownEngines : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_configuration = qgetenv("XDG_CONFIG_HOME");
        qputenv("XDG_CONFIG_HOME", m_folder.path().toUtf8());
        qputenv("TRAINSCOPE_ENGINE_TOKEN", "secret");
        qputenv("TRAINSCOPE_ENGINE_HEADERS", "X-Api-Key: secret");
    }
    void cleanupTestCase() {
        qputenv("XDG_CONFIG_HOME", m_configuration);
        qunsetenv("TRAINSCOPE_ENGINE_TOKEN");
        qunsetenv("TRAINSCOPE_ENGINE_HEADERS");
    }

    void strangersGetNothing() {
        for (const char* url : {"https://metrics.example.org", "https://localhost.example.org",
                 "https://127.0.0.1.example.org", "https://[2001:db8::1]:9090/prefix"})
            QVERIFY(isRefused(url));
    }

    // Whoever else works on this machine can listen there.
    void theOwnMachineIsNone() {
        for (const char* url : {"http://localhost:9090", "http://127.0.0.1:9090", "http://[::1]:9"})
            QVERIFY(isRefused(url));
    }

    void theRefusalSaysWhatWouldBeSent() {
        importers::engine::Link link;
        link.address = {"http://127.0.0.1:9090/team"};
        link.tenant = "seven";
        const std::string said = accessForLinked(link).error().message;
        for (const char* part : {"http://127.0.0.1:9090/team", "TRAINSCOPE_ENGINE_TOKEN",
                 "TRAINSCOPE_ENGINE_HEADERS", "\"seven\""})
            VERIFY_SAYS(said, part);
        QVERIFY(said.find("secret") == std::string::npos);
    }

    void theEnvironmentNamesEngines() {
        qputenv("TRAINSCOPE_ENGINES", "prom+http://localhost:9090/ https://h/prometheus");
        QVERIFY(!isRefused("http://localhost:9090") && !isRefused("https://h/prometheus"));
        QVERIFY(isRefused("http://localhost:9091") && isRefused("https://h"));
        qunsetenv("TRAINSCOPE_ENGINES");
        QVERIFY(isRefused("http://localhost:9090"));
    }

    void whatWasNamedIsKnownBySchemeHostPortAndPath() {
        const importers::engine::Address mimir{"https://mimir.example.org:8443/prometheus"};
        rememberEngine(mimir, {});
        rememberEngine(mimir, accessFrom({}).value());
        importers::engine::Link link;
        link.address = mimir;
        const EngineAccess access = accessForLinked(link).value();
        QCOMPARE(access.token, std::string("secret"));
        QCOMPARE(access.headers.size(), std::size_t{1});
        for (const char* url :
            {"https://mimir.example.org/prometheus", "https://mimir.example.org:8443",
                "https://mimir.example.org:8443/prometheus/other",
                "https://mimir.example.org:8444/prometheus",
                "http://mimir.example.org:8443/prometheus"})
            QVERIFY(isRefused(url));
        QCOMPARE(test::contentOf(m_folder.filePath(QStringLiteral("Trainscope/engines"))),
            QByteArray("https://mimir.example.org:8443/prometheus\n"));
    }

    // Tiles of an engine's answers, with numbers that were computed by hand.

    // 10 samples of 300 W under the old labels and 30 of 400 W under the new ones: 375 W. In the
    // next tile there is one series, in a third column nobody tells how many.
    void labelsThatChangeWithinAColumn() {
        TileFilling::Tiles tiles{std::make_shared<LaneTile>(), std::make_shared<LaneTile>()};
        TileFilling filling(tiles, {0, 1000, 2 * LaneTile::kColumns, 1000});
        QVERIFY(filling.contested().empty());
        filling.add(7, "watts", answered("old", 3, 300.0), 1.0, Reduced::Mean);
        filling.add(7, "watts", answered("new", 130, 410.0), 1.0, Reduced::Mean);
        QVERIFY(filling.contested().empty());
        filling.add(7, "watts", answered("later", 3, 400'000.0), 1e-3, Reduced::Mean);
        filling.add(8, "watts", answered("old", 5, 300.0), 1.0, Reduced::Mean);
        filling.add(8, "watts", answered("new", 5, 400.0), 1.0, Reduced::Mean);
        QCOMPARE(filling.contested(), std::set<std::string>{"watts"});
        filling.addCount(7, "watts", answered("old", 3, 10.0));
        filling.addCount(7, "watts", answered("later", 3, 30.0));
        filling.addCount(7, "watts", answered("another", 3, 1000.0));
        filling.add(7, "watts", answered("old", 3, 290.0), 1.0, Reduced::Min);
        filling.add(7, "watts", answered("later", 3, 280'000.0), 1e-3, Reduced::Min);
        filling.add(7, "watts", answered("old", 3, 310.0), 1.0, Reduced::Max);
        filling.add(7, "watts", answered("later", 3, 420'000.0), 1e-3, Reduced::Max);
        filling.finish();
        QCOMPARE(tiles[0]->rows.at(7).mean[3], 375.0F);
        QCOMPARE(tiles[0]->rows.at(7).low[3], 280.0F);
        QCOMPARE(tiles[0]->rows.at(7).high[3], 420.0F);
        QVERIFY(std::isnan(tiles[0]->rows.at(7).mean[2]));
        QCOMPARE(tiles[1]->rows.at(7).mean[2], 410.0F);
        QCOMPARE(tiles[0]->rows.at(8).mean[5], 350.0F);
    }
    void rowsOfABand() {
        QCOMPARE(bandRowOf(told("min", "0")), std::optional<std::size_t>(0));
        QCOMPARE(bandRowOf(told("avg", "0.05")), std::optional<std::size_t>(1));
        QCOMPARE(bandRowOf(told("avg", "0.5")), std::optional<std::size_t>(3));
        QCOMPARE(bandRowOf(told("max", "1")), std::optional(kBandRows - 1));
        // The lowest of the means is no row, nor a quantile of the extremes.
        for (const auto& none : {told("avg", "0"), told("min", "0.5"), told("max", "0"),
                 told("min", "1"), told("avg", "0.6")})
            QVERIFY(!bandRowOf(none));
        // Rates have no extremes of their own.
        QCOMPARE(bandRowOf(told(nullptr, "0")), std::optional<std::size_t>(0));
        QCOMPARE(bandRowOf(told(nullptr, "0.95")), std::optional<std::size_t>(5));
        QCOMPARE(bandRowOf(told(nullptr, "1")), std::optional(kBandRows - 1));
    }
    // Utilisations above 150 % go by one comparison; of bytes each number that is none by its own.
    void blanksAreLeftOut() {
        Link link;
        link.selector.conditions = R"(job="dcgm")";
        const auto query = [&link](const char* name, const char* metric, double scale) {
            ReductionScope scope;
            scope.engineName = name;
            scope.blanks = blanksOf(name, {*findMetric(metric), {}, scale});
            scope.leavesOutByMs = 15'000;
            std::string text = seriesRequest(link, scope, Reduced::Max, {0, 60'000, 2, 60'000})
                                   .parameters[0]
                                   .second;
            const std::string samples = "last_over_time(" + link.selector.with({name}) + "[15s])";
            for (auto at = text.find(samples); at != std::string::npos; at = text.find(samples))
                text.replace(at, samples.size(), "x");
            return text;
        };
        QCOMPARE(query("DCGM_FI_DEV_GPU_UTIL", metric::kGpuUtilization, 0.01),
            std::string("max_over_time(((x < 150.00000000000003))[60s:15s])"));
        QCOMPARE(query("node_memory_bytes", metric::kMemUsed, 1.0),
            std::string("max_over_time(((((x < 9.22337203685477e+18) != 2147483647) != "
                        "4294967295))[60s:15s])"));
        VERIFY_SAYS(query("DCGM_FI_DEV_FB_USED", metric::kMemUsed, 1048576.0),
            " unless (x >= 2147483632 <= 2147483647))");
    }
    // Prometheus 2 finds a reading at the begin of a range too, in two ranges that touch.
    void rangesThatHoldTheirBegin() {
        const Link link;
        ReductionScope scope;
        scope.engineName = "x";
        scope.leavesOutByMs = 15'000;
        const auto query = [&] {
            return seriesRequest(link, scope, Reduced::Mean, {0, 60'000, 2, 60'000})
                .parameters[0]
                .second;
        };
        VERIFY_SAYS(query(), "[15s]))[60s:15s]");
        scope.isClosed = true;
        VERIFY_SAYS(query(), "[14s999ms]))[60s:15s]");
    }
    void statisticsThatTellOfBlanks() {
        ReductionScope gauge;
        gauge.blanks = blanksOf("some_util", {*findMetric(metric::kGpuUtilization), {}, 0.01});
        QVERIFY(showsBlank(gauge, 87'211.0, 60.0)); // percent, of a counter that ran over
        QVERIFY(showsBlank(gauge, 4294967295.0, 60.0));
        QVERIFY(!showsBlank(gauge, 100.0, 60.0));
        ReductionScope counter;
        counter.isCounter = true;
        counter.blanks = blanksOf("some_bytes", {*findMetric(metric::kNvlinkRx), {}, 1.0});
        // 2^63 and back within a minute, and 900 GB/s for a day.
        QVERIFY(showsBlank(counter, 9.2e18 / 60.0, 60.0));
        QVERIFY(!showsBlank(counter, 9e11, 86'400.0));
    }
    // 1 × 10 W, 2 × 20 W, 1 × 40 W in one column, 3 × 7 W in another: ranks 0 to 3 are 10, 20,
    // 20, 40.
    void quantilesFromCounts() {
        BandCounts counts;
        counts.add(20.0, answered("", 4, 2.0));
        counts.add(40.0, answered("", 4, 1.0));
        counts.add(10.0, answered("", 4, 1.0));
        counts.add(7.0, answered("", 9, 3.0));
        QCOMPARE(counts.quantile(0.5).values, (std::vector<double>{20.0, 7.0}));
        QCOMPARE(counts.quantile(0.95).values.at(0), 37.0); // rank 2.85
        QCOMPARE(counts.quantile(0.25).values.at(0), 17.5); // rank 0.75
        QCOMPARE(counts.quantile(0.5).times.at(1).ns, 9999 * kMs);
        QVERIFY(counts.isKnown());
        // Steps of half a percent; nothing is 0, and below it there is no logarithm.
        QVERIFY(std::abs(distributedOf(told(nullptr, "1200")) - std::exp(6.0)) < 1e-9);
        QCOMPARE(distributedOf(told(nullptr, "-Inf")), 0.0);
        counts.add(distributedOf(told(nullptr, "NaN")), answered("", 4, 1.0));
        QVERIFY(!counts.isKnown());
    }

private:
    static bool isRefused(const char* url) {
        importers::engine::Link link;
        link.address = {url};
        const auto access = accessForLinked(link);
        return !access.hasValue() && access.error().code == ErrorCode::Refused;
    }

    QTemporaryDir m_folder;
    QByteArray m_configuration;
};

TRAINSCOPE_TEST(tst_KnownEngines)
#include "tst_KnownEngines.moc"
