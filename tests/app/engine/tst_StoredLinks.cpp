// A database of a stranger asks for what its writer chose: nothing but a question to an engine that
// the user has named comes of it.

#include "app/engine/EngineLanes.h"
#include "app/engine/FakeServer.h"
#include "app/engine/KnownEngines.h"
#include "app/engine/LinkedRun.h"
#include "support/TestProgram.h"

using namespace trainscope::app;
using namespace trainscope::test;
using importers::engine::Link;

namespace {

constexpr const char* kNothing
    = R"({"status":"success","data":{"resultType":"matrix","result":[]}})";

Result<EngineAccess> anyone(const Link& /*link*/) {
    return EngineAccess();
}

using Change = std::function<void(Link&)>;

} // namespace

Q_DECLARE_METATYPE(Change)

class tst_StoredLinks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_configuration = qgetenv("XDG_CONFIG_HOME");
        qputenv("XDG_CONFIG_HOME", m_folder.path().toUtf8());
        qputenv("TRAINSCOPE_ENGINE_TOKEN", "abc");
    }
    void cleanupTestCase() {
        qputenv("XDG_CONFIG_HOME", m_configuration);
        qunsetenv("TRAINSCOPE_ENGINE_TOKEN");
    }
    void init() {
        m_server = std::make_unique<FakeServer>([](const Asked&) -> Answered {
            return {200, kNothing, {}, 0, -1};
        });
        m_path = m_folder
                     .filePath(QString::fromLatin1(QTest::currentTestFunction())
                         + QString::number(m_made++) + QStringLiteral(".trainscope"))
                     .toStdString();
    }
    void cleanup() { m_server.reset(); }

    // So that the next test would see it if something were asked.
    void aGoodLinkIsAsked() {
        Link link = linkTo(m_server->url());
        link.tenant = "team 7";
        link.mapping.nodeLabel = "Hostname";
        QVERIFY(writeLinkedRun(m_path, link).hasValue());
        QVERIFY(power(anyone).hasValue());
        QVERIFY(m_server->count() > 0);
        QVERIFY(m_server->bytes().contains("X-Scope-OrgID: team 7\r\n"));
    }

    void hostileTexts_data() {
        const auto row = columns<Change>("change");

        row("tenant that is a request of its own",
            [](Link& link) { link.tenant = "a\r\n\r\nGET /evil HTTP/1.1\r\nHost: x"; });
        row("tenant that is a header of its own",
            [](Link& link) { link.tenant = "a\nAuthorization: Bearer b"; });
        row("a zero in the tenant", [](Link& link) { link.tenant = std::string("a\0b", 3); });
        row("a file", [](Link& link) { link.address = {"file:///etc/hostname"}; });
        row("another protocol", [](Link& link) { link.address = {"ftp://localhost/x"}; });
        row("data", [](Link& link) { link.address = {"data:,{}"}; });
        row("name and password in the address",
            [](Link& link) { link.address.url.insert(7, "me:pw@"); });
        row("line end in the address", [](Link& link) { link.address.url += "/a\r\nb"; });
        row("query in the address", [](Link& link) { link.address.url += "/-/quit?x="; });
        row("selection that ends early",
            [](Link& link) { link.selector.conditions = "a=\"b\"} or {c=\"d\""; });
        row("metric that is a question", [](Link& link) { link.selector.metric = "sum(a)"; });
        row("label that is a question",
            [](Link& link) { link.metrics.front().nodeLabel = "a) (up) or sum by (b"; });
        row("the other label", [](Link& link) { link.metrics.front().uuidLabel = "a=\"b\",c"; });
        row("label of the mapping", [](Link& link) { link.mapping.nodeLabel = "a)(up)"; });
    }
    void hostileTexts() {
        QFETCH(Change, change);
        Link link = linkTo(m_server->url());
        change(link);
        QVERIFY(writeLinkedRun(m_path, link).hasValue());
        const auto answer = power(anyone);
        QVERIFY(!answer.hasValue());
        QVERIFY(m_server->isFirstHeard());
    }

    // Whoever calls it.
    void theFetcherChecksToo() {
        EngineAccess access;
        for (const char* url : {"file:///etc/hostname", "http://a@h", "http://h/\r\nX: y"})
            QCOMPARE(openEngine({url}, access).error().code, ErrorCode::Usage);
        access.tenant = "a\r\nb: c";
        QCOMPARE(openEngine({m_server->url()}, access).error().code, ErrorCode::Usage);
        access.tenant.clear();
        access.token = "a\nb";
        QCOMPARE(openEngine({m_server->url()}, access).error().code, ErrorCode::Usage);
        access.token.clear();
        access.headers = {{"X-A\r\nX-B", "c"}};
        QCOMPARE(openEngine({m_server->url()}, access).error().code, ErrorCode::Usage);
        access.headers = {{"X-A", "c\r\nX-B: d"}};
        QCOMPARE(openEngine({m_server->url()}, access).error().code, ErrorCode::Usage);
        AccessFiles files;
        files.tenant = "a\r\nb";
        QCOMPARE(accessFrom(files).error().code, ErrorCode::Usage);
    }

    // An engine that only the database names hears nothing, not even a connection, on this machine
    // either; once it is named, it is asked and logged in to.
    void nothingIsSentUnasked() {
        Link link = linkTo(m_server->url());
        link.tenant = "seven";
        QVERIFY(writeLinkedRun(m_path, link).hasValue());
        const auto refused = power(accessForLinked);
        QVERIFY(!refused.hasValue());
        QCOMPARE(refused.error().code, ErrorCode::Refused);
        VERIFY_SAYS(refused.error().message, m_server->url());
        QVERIFY(m_server->isFirstHeard());
        rememberEngine({m_server->url()}, accessFrom({}).value());
        QVERIFY(power(accessForLinked).hasValue());
        QVERIFY(m_server->bytes().contains("Authorization: Bearer abc\r\n"));
        QVERIFY(m_server->bytes().contains("X-Scope-OrgID: seven\r\n"));
    }

    // An engine that holds no more than a minute at once: 100 W in the first, 200 W in the second.
    void aStretchThatIsTooMuchIsAskedInHalves() {
        Link link = linkTo({});
        const std::int64_t middle = link.range.end.ns;
        link.range.end = link.range.end + DurationNs{60'000'000'000};
        const FakeServer server([middle](const Asked& asked) -> Answered {
            const auto of = [&asked](const char* name) {
                const auto at = std::ranges::find(
                    asked.parameters, name, [](const auto& one) { return one.first; });
                return at == asked.parameters.end() ? std::string() : at->second;
            };
            const std::string query = of("query");
            const bool isStretch = query.find("_over_time(") < query.find("DCGM");
            if (!isStretch || query.find("quantile") != std::string::npos)
                return {query.find("quantile(0.5") == 0 ? 200 : 400, kNothing, {}, 0, -1};
            if (query.find("[120s]") != std::string::npos)
                return {422,
                    R"({"status":"error","errorType":"execution","error":"too many samples"})", {},
                    0, -1};
            const bool isFirst = std::stod(of("time")) * 1e9 < static_cast<double>(middle);
            const char* watts = isFirst ? "100" : "200";
            return {200,
                QByteArray(R"({"status":"success","data":{"resultType":"vector","result":[)")
                    + R"({"metric":{"UUID":"GPU-0","Hostname":"n1","gpu":"0"},"value":[1,")"
                    + (query.starts_with("count") ? "60" : watts) + R"("]}]}})",
                {}, 0, -1};
        });
        link.address = {server.url()};
        QVERIFY(writeLinkedRun(m_path, link).hasValue());
        const auto store = store::Store::open(m_path, store::OpenMode::ReadOnly).value();
        const Run run = store.runs().value().front();
        EngineLanes::Settings settings;
        settings.access = anyone;
        const auto lanes = EngineLanes::open(store, settings).value();
        const auto told = [&] { return lanes->figures(run.id, run.range).value(); };
        QTRY_COMPARE_WITH_TIMEOUT(told().told, std::size_t{1}, 10'000);
        const SeriesFigure figure = told().series.at(0);
        QCOMPARE(figure.count, 120.0);
        QCOMPARE(figure.min, 100.0);
        QCOMPARE(figure.max, 200.0);
        QCOMPARE(figure.mean, 150.0);
    }

private:
    // The lane of the run's power, as a program without a window asks for it.
    Result<figures::RemoteAnswer> power(const EngineAccessOf& access) const {
        const auto store = store::Store::open(m_path, store::OpenMode::ReadOnly).value();
        const Run run = store.runs().value().front();
        const auto series = store.series(run.id).value();
        EngineLanes::Settings settings;
        settings.access = access;
        settings.waits = true;
        const auto lanes = EngineLanes::open(store, settings);
        if (!lanes.hasValue())
            return lanes.error();
        figures::RemoteQuestion question;
        question.run = run.id;
        question.metric = series.front().description.metric;
        question.series = {&series.front()};
        question.window = run.range;
        question.columns = 60;
        return lanes.value()->lane(question, {});
    }

    QTemporaryDir m_folder;
    QByteArray m_configuration;
    std::unique_ptr<FakeServer> m_server;
    std::string m_path;
    int m_made = 0;
};

TRAINSCOPE_TEST(tst_StoredLinks)
#include "tst_StoredLinks.moc"
