// Addresses, times, selectors and mappings as people write them. The unix seconds were taken from
// `date -u -d … +%s`.

#include "importers/engine/Answer.h"
#include "importers/engine/Asking.h"
#include "importers/engine/Link.h"
#include "importers/engine/Mapping.h"
#include "importers/engine/Moments.h"
#include "support/TestProgram.h"

using namespace trainscope::importers::engine;

class tst_EngineTexts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void addresses();
    void moments_data();
    void moments();
    void durations();
    void selectors();
    void selectionsOfSome();
    void mappings();
    void whatAMappingChanges();
    void links();
};

void tst_EngineTexts::addresses() {
    QCOMPARE(addressFrom("prom+http://host:9090").value().url, std::string("http://host:9090"));
    QCOMPARE(addressFrom("prom+https://h/mimir/prometheus/api/v1/").value().url,
        std::string("https://h/mimir/prometheus"));
    QCOMPARE(addressFrom("http://[::1]:9090/").value().host(), std::string("[::1]:9090"));
    QVERIFY(isAddress("prom+http://x") && !isAddress("http://x") && !isAddress("run.json"));
    for (const char* wrong : {"", "prom+", "prom+http://", "prom+http:///x", "prom+ftp://x",
             "prom+http://h:0", "prom+http://h:70000", "prom+http://a b", "prom+http://h/?q=1",
             "prom+http://name:secret@h:9090", "file:///etc/hostname", "http://h/\r\nX: y"}) {
        const auto address = addressFrom(wrong);
        QVERIFY2(!address.hasValue(), wrong);
        QCOMPARE(address.error().code, ErrorCode::Usage);
        QVERIFY(address.error().message.find("secret") == std::string::npos);
    }
}

void tst_EngineTexts::moments_data() {
    const auto row = test::columns<QString, qint64>("text", "ns");
    const qint64 now = 1'700'000'000'000'000'000;
    row("now", "now", now);
    row("before", "-2h", now - 7'200'000'000'000);
    row("before now", "now-1h30m", now - 5'400'000'000'000);
    row("seconds", "1773114089.184", qint64{1'773'114'089'184'000'000});
    row("UTC", "2026-11-22T10:00:00Z", qint64{1'795'341'600'000'000'000});
    row("offset", "2026-11-22 11:30:00.250+01:30", qint64{1'795'341'600'250'000'000});
    row("leap day", "2024-02-29T23:59:59Z", qint64{1'709'251'199'000'000'000});
    for (const char* wrong : {"", "yesterday", "2h", "-2", "-", "2026-11-22", "2026-11-22T10:00:00",
             "2026-02-30T10:00:00Z", "2026-11-22T25:00:00Z", "now+", "1e400"}) {
        row(wrong, wrong, qint64{-1});
    }
    // A bare number behind the sign is of seconds.
    row("-90", "-90", now - 90'000'000'000);
}

void tst_EngineTexts::moments() {
    QFETCH(QString, text);
    QFETCH(qint64, ns);
    if (text == QLatin1String("-2"))
        ns = 1'699'999'998'000'000'000;
    const auto moment = momentFrom(text.toStdString(), {1'700'000'000'000'000'000});
    QCOMPARE(moment.hasValue() ? moment.value().ns : -1, ns);
}

void tst_EngineTexts::durations() {
    QCOMPARE(durationFrom("15s"), std::optional(DurationNs{15'000'000'000}));
    QCOMPARE(durationFrom("1h30m"), std::optional(DurationNs{5'400'000'000'000}));
    QCOMPARE(durationFrom("500ms"), std::optional(DurationNs{500'000'000}));
    QCOMPARE(durationFrom("0.5"), std::optional(DurationNs{500'000'000}));
    QCOMPARE(durationFrom("1w"), std::optional(DurationNs{604'800'000'000'000}));
    for (const char* wrong : {"", "s", "15x", "1h30", "-1s", "99999999999w"})
        QVERIFY2(!durationFrom(wrong), wrong);
    QCOMPARE(engineDuration(5'400'000), std::string("5400s"));
    QCOMPARE(engineDuration(1'250), std::string("1s250ms"));
    QCOMPARE(apiSeconds(1'773'114'089'184), std::string("1773114089.184"));
    QCOMPARE(apiSeconds(-1), std::string("-1.999"));
    QCOMPARE(rfc3339({1'795'341'600'250'000'000}), std::string("2026-11-22T10:00:00.250Z"));
}

void tst_EngineTexts::selectors() {
    const auto both = selectorFrom(R"( up{job="a b", n=~"x|y"} )").value();
    QCOMPARE(both.metric, std::string("up"));
    QCOMPARE(both.conditions, std::string(R"(job="a b", n=~"x|y")"));
    QCOMPARE(both.text(), std::string(R"(up{job="a b", n=~"x|y"})"));
    QCOMPARE(selectorFrom("up").value().metric, std::string("up"));
    QCOMPARE(selectorFrom("").value(), Selector{});
    QCOMPARE(selectorFrom("{}").value(), Selector{});
    QCOMPARE(selectorFrom(R"(job="}")").value().conditions, std::string(R"(job="}")"));
    for (const char* wrong : {"{", "{job}", R"({job="a)", "a b", R"(rate(up{job="a"}[5m]))",
             R"({job="a"} or up)", R"(1x{job="a"})"})
        QVERIFY2(!selectorFrom(wrong).hasValue(), wrong);
}

void tst_EngineTexts::selectionsOfSome() {
    const auto chosen = selectorFrom(R"({job="a"})").value();
    QCOMPARE(
        chosen.with({"p", "q"}, R"(n="1")"), std::string(R"({job="a",__name__=~"p|q",n="1"})"));
    QCOMPARE(Selector{}.with({}), std::string(R"({__name__!=""})"));
    // Characters with a meaning in a pattern stand for themselves.
    QCOMPARE(oneOf("n", {"a.b", "c\"d"}), std::string(R"(n=~"a\\.b|c\"d")"));
    QCOMPARE(oneOf("n", {"a.b"}), std::string(R"(n="a.b")"));
}

void tst_EngineTexts::mappings() {
    const auto mapping = mappingFrom("# ours\n"
                                     "gpu_power = my_watts   # of the board\n"
                                     "gpu_energy = my_mj * 0.001\r\n"
                                     "rack_pressure = pa of node\n"
                                     "keep doors_open\n"
                                     "leave DCGM_FI_DEV_FB_FREE\n"
                                     "node = host_name\n"
                                     "uuid = serial")
                             .value();
    QCOMPARE(mapping.metrics.size(), std::size_t{5});
    QCOMPARE(mapping.metrics[1].scale, 0.001);
    QVERIFY(mapping.metrics[2].subject == SubjectKind::Node);
    QCOMPARE(mapping.nodeLabel, std::string("host_name"));
    QCOMPARE(mappingFrom(textOf(mapping)).value(), mapping);
    QVERIFY(isWantedMetric("my_watts", mapping));
    QVERIFY(isWantedMetric("DCGM_FI_DEV_GPU_TEMP", mapping));
    QVERIFY(!isWantedMetric("DCGM_FI_DEV_FB_FREE", mapping));
    QVERIFY(!isWantedMetric("up", mapping));
    for (const char* wrong : {"gpu_power", "gpu_power =", "x = y * 0", "x = y of rack", "keep",
             "node = a b", "x = y *"}) {
        const auto read = mappingFrom(std::string("node = a\n") + wrong);
        QVERIFY2(!read.hasValue(), wrong);
        QVERIFY2(read.error().message.find("Line 2") == 0, read.error().message.c_str());
    }
}

void tst_EngineTexts::whatAMappingChanges() {
    const auto mapping
        = mappingFrom("gpu_power = my_mw * 0.001\nnode = rack_host\ngpu = card_no").value();
    Labels labels;
    labels.name = "my_mw";
    labels.rest = {{"card_no", "3"}, {"instance", "10.0.0.1:9400"}, {"rack_host", "r1"}};
    const auto meaning = meaningOf(labels, mapping);
    QVERIFY(meaning.has_value());
    QCOMPARE(meaning->description.metric.name, std::string("gpu_power"));
    QCOMPARE(meaning->description.metric.unit, std::string("W"));
    QCOMPARE(meaning->description.scale, 0.001);
    QCOMPARE(meaning->whom.node, std::string("r1"));
    QCOMPARE(meaning->whom.gpu, 3);
    labels.name = "unheard_of";
    QVERIFY(!meaningOf(labels, mapping));
}

void tst_EngineTexts::links() {
    Link link;
    link.address = {"https://h:1/x"};
    link.selector = selectorFrom(R"(up{job="a\"b"})").value();
    link.mapping = mappingFrom("node = host").value();
    link.range = {{5}, {7}};
    link.isLive = true;
    link.nodes = {"a", "b\nc"};
    link.aliases = {{"10.0.0.1", "a"}};
    link.metrics
        = {{"e", {"gpu_power", "W", MetricKind::Counter, "GPU power"}, 1e-3, SubjectKind::Node, 0}};
    const auto again = linkFrom(textOf(link)).value();
    QCOMPARE(again.address, link.address);
    QCOMPARE(again.selector, link.selector);
    QCOMPARE(again.mapping, link.mapping);
    QCOMPARE(again.range, link.range);
    QVERIFY(again.isLive);
    QCOMPARE(again.nodes, link.nodes);
    QCOMPARE(again.aliases, link.aliases);
    QCOMPARE(again.metrics.size(), std::size_t{1});
    QCOMPARE(again.metrics[0].metric, link.metrics[0].metric);
    QCOMPARE(again.metrics[0].scale, 1e-3);
    QVERIFY(again.metrics[0].subject == SubjectKind::Node);
    const std::string text = textOf(link);
    for (std::size_t cut = 0; cut < text.size(); ++cut)
        QVERIFY(!linkFrom(text.substr(0, cut)).hasValue());
}

TRAINSCOPE_TEST(tst_EngineTexts)
#include "tst_EngineTexts.moc"
