// Answers of the Prometheus API: real ones of a cluster with eight H100 (figures of the files taken
// with Python's json module), and what is damaged, cut short or something else.

#include "importers/engine/Answer.h"
#include "importers/engine/Asking.h"
#include "importers/engine/DirectFetch.h"
#include "support/Content.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;
using namespace trainscope::importers::engine;

namespace {

constexpr const char* kSmallAnswer
    = "{\"status\":\"success\",\"warnings\":[\"one store was slow\"],\"data\":{\"resultType\":"
      "\"matrix\",\"result\":[\n"
      "{\"metric\":{\"__name__\":\"p\",\"b\":\"x\\\"y\",\"a\":\"\\u00e4\"},\"values\":[[1773114089."
      "184,\"68.347\"],[1773114090,\"NaN\"],[1773114091.5,\"+Inf\"],[1773114092,\"-1e-3\"]]},\n"
      "{\"metric\":{},\"value\":[1.5,\"2\"],\"histograms\":[[1,{\"count\":\"3\"}]]}],\"stats\":{"
      "\"a\":[1,{\"b\":null}]}}}";

std::vector<AnsweredSeries> seriesOf(std::string_view body, AnswerFacts* facts = nullptr) {
    std::vector<AnsweredSeries> all;
    const auto read = readSamples(body, [&all](AnsweredSeries& series) -> Status {
        all.push_back(series);
        return {};
    });
    if (facts != nullptr && read.hasValue())
        *facts = read.value();
    return all;
}

Status visited(std::string_view body) {
    const auto read = readSamples(body, [](AnsweredSeries&) { return Status(); });
    return read.hasValue() ? Status() : Status(read.error());
}

} // namespace

class tst_EngineAnswers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void samples() {
        AnswerFacts facts;
        const auto all = seriesOf(kSmallAnswer, &facts);
        QCOMPARE(all.size(), std::size_t{2});
        QCOMPARE(all[0].labels.name, std::string("p"));
        QCOMPARE(all[0].labels.text(), std::string("p{a=\"ä\",b=\"x\\\"y\"}"));
        // Exact, which a double of seconds is not.
        QCOMPARE(all[0].times[0].ns, std::int64_t{1'773'114'089'184'000'000});
        QCOMPARE(all[0].values[0], 68.347);
        QVERIFY(std::isnan(all[0].values[1]) && std::isnan(all[0].values[2]));
        QCOMPARE(all[0].values[3], -1e-3);
        QCOMPARE(all[1].times[0].ns, std::int64_t{1'500'000'000});
        QCOMPARE(facts.notNumbers, std::int64_t{2});
        QCOMPARE(facts.warnings, std::vector<std::string>{"one store was slow"});
    }
    void realAnswers() {
        if (realFiles().empty())
            QSKIP("SKIPPED: no real files beside the checkout");
        const auto all = seriesOf(contentOf(QString::fromStdString(realFiles())
            + QStringLiteral("/data/prometheus/aicr_accelerator-metrics_gpu-node-1_promapi_3.json"))
                                      .toStdString());
        QCOMPARE(all.size(), std::size_t{16});
        std::set<std::string_view> gpus;
        for (const auto& series : all) {
            QCOMPARE(series.labels.name, std::string("DCGM_FI_DEV_POWER_USAGE"));
            QCOMPARE(series.times.at(0).ns, std::int64_t{1'773'114'089'943'000'000});
            gpus.insert(series.labels.find("UUID"));
        }
        QCOMPARE(gpus.size(), std::size_t{16}); // on two nodes
        QCOMPARE(all.front().values[0], 68.347);
        QCOMPARE(all.back().values[0], 113.611);
    }
    void cutAnywhere() {
        const std::string_view whole(kSmallAnswer);
        for (std::size_t cut = 0; cut < whole.size(); ++cut) {
            const Status status = visited(whole.substr(0, cut));
            QVERIFY2(!status.hasValue(), qPrintable(QString::number(cut)));
            QCOMPARE(status.error().code, ErrorCode::Unreadable);
        }
    }
    void somethingElse() {
        const Status page = visited("<html><title>Log in</title>");
        VERIFY_SAYS(page.error().message, "<html><title>Log in");
        QVERIFY(!visited("").hasValue());
        QVERIFY(!visited("{}").hasValue());
        QVERIFY(!visited("[1,2]").hasValue());
        const Status said
            = visited("{\"status\":\"error\",\"errorType\":\"execution\",\"error\":\"so so\"}");
        VERIFY_SAYS(said.error().message, "so so");
        // Deeply nested: read in place, not by recursion.
        QVERIFY(!visited("{\"x\":" + std::string(1'000'000, '[')).hasValue());
        QCOMPARE(readTexts("{\"status\":\"success\",\"data\":[\"a\",\"b\"]}").value(),
            (std::vector<std::string>{"a", "b"}));
    }
    void complaints_data() {
        const auto row = test::columns<int, std::string, Trouble, std::string>(
            "status", "body", "trouble", "says");
        row("fine", 200, "{}", Trouble::None, "");
        row("no log-in", 401, "Unauthorized", Trouble::Lasting, "give a token");
        row("forbidden", 403, "", Trouble::Lasting, "does not allow");
        row("no API", 404, "404 page not found", Trouble::Lasting, "/api/v1/query");
        row("bad query", 400,
            "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"parse error\"}",
            Trouble::Lasting, "parse error");
        row("points", 400,
            "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"exceeded maximum "
            "resolution "
            "of 11,000 points per timeseries.\"}",
            Trouble::TooMuch, "shorter time");
        row("samples", 422,
            "{\"status\":\"error\",\"errorType\":\"execution\",\"error\":\"query processing would "
            "load "
            "too many samples into memory in query execution\"}",
            Trouble::TooMuch, "too many samples");
        row("time-out", 503,
            "{\"status\":\"error\",\"errorType\":\"timeout\",\"error\":\"query timed out in "
            "expression "
            "evaluation\"}",
            Trouble::TooMuch, "timed out");
        row("throttled", 429, "slow down", Trouble::Passing, "busy");
        row("restarting", 503, "", Trouble::Passing, "HTTP 503");
        row("gateway", 502, "<html>Bad gateway", Trouble::Passing, "try again later");
    }
    void complaints() {
        QFETCH(int, status);
        QFETCH(std::string, body);
        QFETCH(Trouble, trouble);
        QFETCH(std::string, says);
        const Reply reply = replyOf({status, body, 0, 0});
        QCOMPARE(reply.trouble, trouble);
        VERIFY_SAYS(reply.error.message, says);
    }
    void asksAgain() {
        SimulatedEngine engine;
        DirectFetch fetch(
            engine, [](int index, const HttpRequest&) -> std::optional<Result<HttpAnswer>> {
                if (index == 0)
                    return Result<HttpAnswer>(HttpAnswer{503, "", 0, 0});
                if (index == 1)
                    return Result<HttpAnswer>(Error{ErrorCode::Unreadable, "broke off", {}});
                return std::nullopt;
            });
        Question question(fetch, {"api/v1/series", {{"match[]", "{a=\"b\"}"}}},
            {4, std::chrono::milliseconds(1), std::chrono::milliseconds(2)});
        const auto reply = question.wait({});
        QCOMPARE(reply.value().trouble, Trouble::None);
        QCOMPARE(fetch.count(), 3);
        DirectFetch gone(engine, [](int, const HttpRequest&) -> std::optional<Result<HttpAnswer>> {
            return Result<HttpAnswer>(Error{ErrorCode::Unreadable, "gone", {}});
        });
        Question lost(
            gone, {"x", {}}, {3, std::chrono::milliseconds(1), std::chrono::milliseconds(1)});
        QCOMPARE(lost.wait({}).value().error.message, std::string("gone"));
        QCOMPARE(gone.count(), 3);
    }
    void stopsAtOnce() {
        SimulatedEngine engine;
        DirectFetch fetch(engine, [](int, const HttpRequest&) -> std::optional<Result<HttpAnswer>> {
            return Result<HttpAnswer>(HttpAnswer{503, "", 0, 3600});
        });
        Question question(fetch, {"x", {}}, {5, std::chrono::hours(1), std::chrono::hours(1)});
        const auto begin = std::chrono::steady_clock::now();
        int looks = 0;
        const auto reply = question.wait([&looks] { return ++looks > 3; });
        QCOMPARE(reply.error().code, ErrorCode::Cancelled);
        QVERIFY(std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(200));
    }
};

TRAINSCOPE_TEST(tst_EngineAnswers)
#include "tst_EngineAnswers.moc"
