// HTTP as it goes wrong: slow, broken off, wrong log-ins, other things at the address, redirects;
// and that a stop is a stop at once.

#include "app/engine/EngineImport.h"
#include "app/engine/FakeServer.h"
#include "app/engine/HttpFetch.h"
#include "core/store/Store.h"
#include "importers/engine/Asking.h"
#include "importers/support/Compress.h"
#include "support/SimulatedEngine.h"
#include "support/TestProgram.h"

using namespace trainscope::app;
using namespace trainscope::test;
using namespace trainscope::importers::engine;

namespace {

constexpr const char* kNames = "api/v1/label/__name__/values";
constexpr const char* kFine = "{\"status\":\"success\",\"data\":[\"a\"]}";

std::unique_ptr<Fetcher> fetcherOf(const FakeServer& server, EngineAccess access = {}) {
    return openEngine(addressFrom(server.url()).value(), access).value();
}

Answered of(SimulatedEngine& engine, const Asked& asked) {
    auto answer = engine.ask(asked.path, asked.parameters);
    return {answer.status, QByteArray::fromStdString(answer.body), {}, 0, -1};
}

SimulatedEngine::Labels labelsOf(int gpu) {
    return {{"__name__", "DCGM_FI_DEV_POWER_USAGE"}, {"Hostname", "n" + std::to_string(gpu / 8)},
        {"gpu", std::to_string(gpu % 8)}, {"UUID", "GPU-" + std::to_string(gpu)}};
}

} // namespace

class tst_EngineFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void answers() {
        FakeServer server([](const Asked& asked) -> Answered {
            return {asked.path == kNames && asked.parameters.size() == 1
                        && asked.parameters[0].second == "{a=\"ä+ b&c\"}"
                    ? 200
                    : 400,
                kFine, {}, 0, -1};
        });
        const auto fetcher = fetcherOf(server);
        const auto body = askFor(*fetcher, {kNames, {{"match[]", "{a=\"ä+ b&c\"}"}}}, {});
        QVERIFY2(body.hasValue(), body.hasValue() ? "" : body.error().message.c_str());
        QCOMPARE(body.value(), std::string(kFine));
    }
    // 300 MiB of blanks in 300 kB: it is too much for one answer, and is asked for in parts, not
    // again.
    void answersThatSwell() {
        const QByteArray swelling = QByteArray::fromStdString(
            gzipped("{" + std::string(std::size_t{300} << 20, ' ') + "}"));
        QVERIFY(swelling.size() < (1 << 20));
        FakeServer server([&swelling](const Asked&) -> Answered {
            return {200, swelling, "Content-Encoding: gzip\r\n", 0, -1};
        });
        const auto fetcher = fetcherOf(server);
        Question question(*fetcher, {kNames, {}});
        const auto reply = question.wait({});
        QVERIFY(reply.hasValue());
        QVERIFY(reply.value().trouble == Trouble::TooMuch);
        QCOMPARE(server.count(), 1);
    }
    // However many are under way: the third of 200 MiB is too much, until the first is gone.
    void answersTogetherHaveABound() {
        constexpr std::int64_t part = std::int64_t{200} << 20;
        auto first = std::make_unique<AnswerBytes>();
        AnswerBytes second;
        AnswerBytes third;
        QVERIFY(first->take(part));
        QVERIFY(second.take(part));
        QVERIFY(!third.take(part));
        first.reset();
        QVERIFY(third.take(part));
        QVERIFY(!third.take(2 * part));
    }
    void longQuestionsArePosted() {
        const std::string query(5000, 'x');
        FakeServer server([&query](const Asked& asked) -> Answered {
            const bool isPosted
                = asked.headers.value("content-type") == "application/x-www-form-urlencoded";
            return {
                isPosted && asked.parameters.at(0).second == query ? 200 : 414, kFine, {}, 0, -1};
        });
        const auto fetcher = fetcherOf(server);
        QVERIFY(askFor(*fetcher, {"api/v1/query", {{"query", query}}}, {}).hasValue());
    }
    void logIns() {
        FakeServer server([](const Asked& asked) -> Answered {
            const QByteArray said = asked.headers.value("authorization");
            const bool isKnown
                = said == "Bearer abc" || said == "Basic " + QByteArray("me:pw").toBase64();
            if (isKnown)
                return {200, kFine, {}, 0, -1};
            return {401, "Unauthorized", "WWW-Authenticate: Basic realm=\"x\"\r\n", 0, -1};
        });
        EngineAccess token;
        token.token = "abc";
        EngineAccess name;
        name.user = "me";
        name.password = "pw";
        QVERIFY(askFor(*fetcherOf(server, token), {kNames, {}}, {}).hasValue());
        QVERIFY(askFor(*fetcherOf(server, name), {kNames, {}}, {}).hasValue());
        const auto stranger = askFor(*fetcherOf(server), {kNames, {}}, {});
        QCOMPARE(stranger.error().code, ErrorCode::Refused);
        VERIFY_SAYS(stranger.error().message, "give a token");
    }
    void secretsStayHome() {
        EngineAccess access;
        access.token = "abc";
        const auto far = openEngine(addressFrom("prom+http://example.org:9090").value(), access);
        QVERIFY(!far.hasValue());
        QCOMPARE(far.error().code, ErrorCode::Refused);
        QVERIFY(openEngine(addressFrom("prom+https://example.org").value(), access).hasValue());
        QVERIFY(openEngine(addressFrom("prom+http://localhost:9090").value(), access).hasValue());
        access.caFile = "/nowhere/ca.pem";
        QVERIFY(!openEngine(addressFrom("prom+https://example.org").value(), access).hasValue());
        QVERIFY(!accessFrom({"/nowhere/token", {}, {}, {}, {}, {}}).hasValue());
    }
    // One that signs itself: refused, and nothing is asked; taken where it is said to be trusted,
    // by this address alone.
    void certificates() {
        const OwnCertificate certificate;
        QVERIFY(certificate.isMade);
        FakeServer server(
            [](const Asked&) -> Answered {
                return {200, kFine, {}, 0, -1};
            },
            &certificate);
        EngineAccess access;
        access.token = "abc";
        const auto refused = askFor(*fetcherOf(server, access), {kNames, {}}, {});
        QVERIFY(!refused.hasValue());
        QCOMPARE(refused.error().code, ErrorCode::Refused);
        for (const char* said : {"is not trusted", "self-signed", "--ca FILE"})
            VERIFY_SAYS(refused.error().message, said);
        QCOMPARE(server.count(), 0);
        access.caFile = certificate.file().toStdString();
        const auto trusted = askFor(*fetcherOf(server, access), {kNames, {}}, {});
        QVERIFY2(trusted.hasValue(), trusted.hasValue() ? "" : trusted.error().message.c_str());
        const std::string port = server.url().substr(server.url().rfind(':'));
        const auto elsewhere = openEngine(addressFrom("https://localhost" + port).value(), access);
        QCOMPARE(askFor(*elsewhere.value(), {kNames, {}}, {}).error().code, ErrorCode::Refused);
        QCOMPARE(server.count(), 1);
    }
    // As Thanos and Mimir are reached: a path in front of the API, and who one is in a header.
    void prefixesAndHeaders() {
        FakeServer server([](const Asked& asked) -> Answered {
            if (asked.path != std::string("team/prometheus/") + kNames)
                return {404, "404 page not found", {}, 0, -1};
            const bool isKnown = asked.headers.value("x-scope-orgid") == "team-7"
                && asked.headers.value("x-cluster") == "a: b" && !asked.headers.contains("cookie");
            return {isKnown ? 200 : 401, isKnown ? kFine : "no org id", {}, 0, -1};
        });
        const auto address = addressFrom("prom+" + server.url() + "/team/prometheus/").value();
        EngineAccess access;
        QVERIFY(addHeader(access, "X-Cluster: a: b").hasValue());
        const auto stranger = askFor(*openEngine(address, access).value(), {kNames, {}}, {});
        VERIFY_SAYS(stranger.error().message, "no org id");
        QVERIFY(addHeader(access, "x-scope-orgid:team-7").hasValue());
        QCOMPARE(access.tenant, std::string("team-7"));
        QVERIFY(askFor(*openEngine(address, access).value(), {kNames, {}}, {}).hasValue());
        // Headers that may be secret stay home as a token does; the tenant is none.
        const auto far = addressFrom("prom+http://example.org:9009/prometheus").value();
        QVERIFY(openEngine(far, access).hasValue());
        QVERIFY(addHeader(access, "X-Api-Key: abc").hasValue());
        QCOMPARE(openEngine(far, access).error().code, ErrorCode::Refused);
    }
    void headersThatAreNone_data() {
        QTest::addColumn<QString>("text");
        int row = 0;
        for (const char* text : {"", "X-Scope-OrgID", "X-Scope-OrgID:", ": team", "Host: other",
                 "X Y: z", "X: a\r\nY: b"})
            QTest::addRow("%d", ++row) << QString::fromLatin1(text);
    }
    void headersThatAreNone() {
        QFETCH(QString, text);
        EngineAccess access;
        const Status added = addHeader(access, text.toStdString());
        QVERIFY(!added.hasValue());
        QCOMPARE(added.error().code, ErrorCode::Usage);
        QVERIFY(access.headers.empty() && access.tenant.empty());
    }
    void statuses_data() {
        const auto row = columns<int, QByteArray, int, QString>("status", "body", "asked", "says");
        row("403", 403, "no", 1, "does not allow");
        row("404", 404, "404 page not found", 1, "/api/v1/query");
        row("422", 422,
            "{\"status\":\"error\",\"errorType\":\"execution\",\"error\":"
            "\"many-to-many matching\"}",
            1, "many-to-many");
        row("429", 429, "slow down", 2, "busy");
        row("503", 503, QByteArray(), 2, "busy");
    }
    void statuses() {
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        QFETCH(int, asked);
        QFETCH(QString, says);
        FakeServer server([=](const Asked&) -> Answered { return {status, body, {}, 0, -1}; });
        const auto fetcher = fetcherOf(server);
        Question question(*fetcher, {kNames, {}},
            {2, std::chrono::milliseconds(1), std::chrono::milliseconds(1)});
        const auto reply = question.wait({});
        VERIFY_SAYS(reply.value().error.message, says.toStdString());
        QCOMPARE(server.count(), asked);
    }
    void brokenOff() {
        FakeServer server([](const Asked&) -> Answered { return {200, kFine, {}, 0, 10}; });
        const auto fetcher = fetcherOf(server);
        Question question(*fetcher, {kNames, {}},
            {2, std::chrono::milliseconds(1), std::chrono::milliseconds(1)});
        const auto reply = question.wait({});
        QCOMPARE(reply.value().trouble, Trouble::Passing);
        VERIFY_SAYS(reply.value().error.message, "broke off");
    }
    // gzip of kFine, by Python's gzip.compress(…, mtime=0); and the same cut short.
    void packedAnswers() {
        const QByteArray packed = QByteArray::fromHex(
            "1f8b0800000000000203ab562a2e492c292d56b2522a2e4d4e4e2d2e56d2514a492c4954b28a564a"
            "548aad050027ff302a21000000");
        bool isCut = false;
        FakeServer server([&](const Asked& asked) -> Answered {
            if (!asked.headers.value("accept-encoding").contains("gzip"))
                return {400, {}, {}, 0, -1};
            return {200, isCut ? packed.left(30) : packed, "Content-Encoding: gzip\r\n", 0, -1};
        });
        const auto fetcher = fetcherOf(server);
        const auto whole = askFor(*fetcher, {kNames, {}}, {});
        QVERIFY2(whole.hasValue(), whole.hasValue() ? "" : whole.error().message.c_str());
        QCOMPARE(whole.value(), std::string(kFine));
        isCut = true;
        Question question(*fetcher, {kNames, {}},
            {1, std::chrono::milliseconds(1), std::chrono::milliseconds(1)});
        QVERIFY(question.wait({}).value().trouble != Trouble::None);
    }
    void silence() {
        FakeServer server([](const Asked&) -> Answered { return {200, kFine, {}, 5000, -1}; });
        EngineAccess access;
        access.silence = std::chrono::milliseconds(100);
        const auto fetcher = fetcherOf(server, access);
        Question question(*fetcher, {kNames, {}}, {1});
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(question.wait({}).value().trouble, Trouble::Passing);
        QVERIFY(timer.elapsed() < 3000);
    }
    void nobodyThere() {
        std::string url;
        {
            FakeServer server([](const Asked&) -> Answered { return {}; });
            url = server.url();
        }
        const auto opened = openEngine(addressFrom(url).value(), {});
        Question question(*opened.value(), {kNames, {}}, {1});
        const auto reply = question.wait({});
        VERIFY_SAYS(reply.value().error.message, "is the engine running");
    }
    void redirects() {
        FakeServer other([](const Asked&) -> Answered { return {200, kFine, {}, 0, -1}; });
        FakeServer server([&other](const Asked& asked) -> Answered {
            if (asked.path == "inside/" + std::string(kNames))
                return {302, {}, "Location: /elsewhere\r\n", 0, -1};
            if (asked.path == "elsewhere")
                return {200, kFine, {}, 0, -1};
            return {
                302, {}, "Location: " + QByteArray::fromStdString(other.url()) + "/x\r\n", 0, -1};
        });
        const auto inside = openEngine(addressFrom(server.url() + "/inside").value(), {});
        QVERIFY(askFor(*inside.value(), {kNames, {}}, {}).hasValue());
        // A token never follows to a stranger.
        EngineAccess access;
        access.token = "abc";
        const auto away = askFor(*fetcherOf(server, access), {kNames, {}}, {});
        QCOMPARE(away.error().code, ErrorCode::Refused);
        QCOMPARE(other.count(), 0);
    }
    void stopsWithin200ms() {
        FakeServer server([](const Asked&) -> Answered { return {200, kFine, {}, 60'000, -1}; });
        const auto fetcher = fetcherOf(server);
        QElapsedTimer timer;
        timer.start();
        const auto body
            = askFor(*fetcher, {kNames, {}}, [&timer] { return timer.elapsed() > 100; });
        QCOMPARE(body.error().code, ErrorCode::Cancelled);
        QVERIFY2(timer.elapsed() < 300, qPrintable(QString::number(timer.elapsed())));
    }
    // Every third answer fails for a moment, some break off, and the engine takes 120 samples a
    // query: the copy is whole all the same.
    void copyOverFaults() {
        SimulatedEngine engine;
        engine.mostSamples = 120;
        for (int gpu = 0; gpu < 10; ++gpu)
            engine.add(
                labelsOf(gpu), 1'795'341'600'000, 1000, 60, [gpu](int i) { return 100 * gpu + i; });
        std::atomic<int> index = 0;
        FakeServer server([&](const Asked& asked) -> Answered {
            const int at = ++index;
            if (at % 7 == 0)
                return {503, "restarting", {}, 0, -1};
            Answered answer = of(engine, asked);
            if (at % 11 == 0)
                answer.breakAfter = answer.body.size() / 2;
            return answer;
        });
        QTemporaryDir folder;
        const auto database = folder.filePath(QStringLiteral("db.trainscope")).toStdString();
        EngineRequest request;
        request.address = addressFrom(server.url()).value();
        request.from = "1795341600";
        request.to = "1795341660";
        const auto outcome = importEngine(*fetcherOf(server), request, database, {0}, {});
        QVERIFY2(outcome.hasValue(), outcome.hasValue() ? "" : outcome.error().message.c_str());
        QVERIFY(!outcome.value().error);
        QCOMPARE(outcome.value().report.samples, std::int64_t{600});
        const auto store = store::Store::open(database, store::OpenMode::ReadOnly).value();
        for (const Series& series : store.series(store.runs().value().front().id).value()) {
            QCOMPARE(series.count, std::int64_t{60});
            QCOMPARE(series.min, 100.0 * series.description.subject.rank);
            QCOMPARE(series.max, 100.0 * series.description.subject.rank + 59);
        }
    }
    // Another program has opened the database that the copy made; else it is not left behind.
    void stoppedBesideAReader() {
        FakeServer server([](const Asked&) -> Answered { return {200, kFine, {}, 60'000, -1}; });
        QTemporaryDir folder;
        EngineRequest request;
        request.address = addressFrom(server.url()).value();
        request.from = "1795341600";
        request.to = "1795341660";
        const auto copyInto = [&](const QString& database, const EngineListener& listener) {
            return importEngine(*fetcherOf(server), request, database.toStdString(), {0}, listener);
        };
        const QString shared = folder.filePath(QStringLiteral("shared.trainscope"));
        std::optional<Result<store::Store>> reader;
        QVERIFY(!copyInto(shared, [&](const EngineProgress&) {
            if (!reader)
                reader.emplace(store::Store::open(shared.toStdString(), store::OpenMode::ReadOnly));
            return false;
        }).hasValue());
        QVERIFY(reader && reader->hasValue());
        QVERIFY(reader->value().runs().hasValue());
        const QString mine = folder.filePath(QStringLiteral("mine.trainscope"));
        QVERIFY(!copyInto(mine, [](const EngineProgress&) { return false; }).hasValue());
        QVERIFY(!QFile::exists(mine));
    }
};

TRAINSCOPE_TEST(tst_EngineFaults)
#include "tst_EngineFaults.moc"
