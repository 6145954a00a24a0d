// The sentences of a long log that are told first are those of the whole overview, word for word.

#include "core/analysis/overview/Overview.h"
#include "core/store/Fixture.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using test::addTrack, test::Fixture, test::gauge, test::got, test::ok, test::runNamed, test::times;

namespace {

constexpr std::int64_t kLogBegin = 1'700'000'000'000'000'000;
constexpr std::int64_t kBetweenReadings = 100'000'000; // ns
constexpr int kReadings = 1001; // 100 s
constexpr std::int64_t kSamples = 2 * 3 * kReadings; // three metrics of two GPUs

void addMetric(store::ImportSession& session, RunId run, const char* metric, int rank,
    const std::vector<double>& values) {
    auto description = gauge(metric, rank);
    description.metric = *findMetric(metric);
    std::vector<std::int64_t> at;
    for (std::int64_t i = 0; i < std::ssize(values); ++i)
        at.push_back(kLogBegin + i * kBetweenReadings);
    ok(session.samples(got(session.series(run, description)), times(at), values));
}

// GPU 0 draws 600 W, GPU 1 400 W, and both only a third of that in 2 s of 5.
enum class Draw { Evenly, InPeriods };
std::vector<double> powerOf(int rank, Draw draw) {
    std::vector<double> watts(kReadings, rank == 0 ? 600.0 : 400.0);
    for (std::size_t i = 0; i < watts.size() && draw == Draw::InPeriods; ++i)
        watts[i] /= i % 50 < 30 ? 1.0 : 3.0;
    return watts;
}

store::Store logOfTwo(const Fixture& fixture, Draw draw = Draw::Evenly) {
    auto store = fixture.create();
    auto session = got(store::beginImport(store, {"/data/a", 1, "", "run"}));
    Run run = runNamed("run");
    run.gpuModel = "NVIDIA H200";
    const RunId id = got(session->run(run));
    for (int rank = 0; rank < 2; ++rank) {
        ok(session->gpu(id, {rank, 0, rank, run.gpuModel, {}}));
        addMetric(*session, id, "gpu_power", rank, powerOf(rank, draw));
        addMetric(
            *session, id, "gpu_temperature", rank, std::vector<double>(kReadings, 60.0 + rank));
        addMetric(*session, id, "gpu_utilization", rank, std::vector<double>(kReadings, 0.9));
    }
    ok(session->finish({}, "", 0, {}));
    return store;
}

const OverviewSentence* sentenceOf(const Overview& overview, Topic topic) {
    for (const OverviewSentence& told : overview.sentences) {
        if (told.topic == topic)
            return &told;
    }
    return nullptr;
}

} // namespace

class tst_FirstSentences : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void areThoseOfTheWhole() {
        const Fixture fixture;
        const auto store = logOfTwo(fixture);
        const Run run = got(store.findRun("run"));
        const auto first = got(firstSentences({store}, run, kSamples - 1));
        const Overview whole = got(overviewOf({store}, run));
        QVERIFY(first && first->isPartial && !whole.isPartial);
        QCOMPARE(first->line, whole.line);
        QCOMPARE(first->checks.made, 0);
        QVERIFY(whole.checks.made > 0);
        for (const Topic topic : {Topic::Time, Topic::Energy}) {
            const OverviewSentence* told = sentenceOf(*first, topic);
            QVERIFY(told != nullptr && sentenceOf(whole, topic) != nullptr);
            QCOMPARE(told->text, sentenceOf(whole, topic)->text);
            QCOMPARE(told->values, sentenceOf(whole, topic)->values);
        }
        // Both for 100 s.
        QVERIFY(
            std::abs(sentenceOf(*first, Topic::Energy)->values.at("energy_j") - 100'000.0) < 1e-3);
        // Temperatures were not read.
        QVERIFY(sentenceOf(*first, Topic::Heat) == nullptr);
        QVERIFY(sentenceOf(whole, Topic::Heat) != nullptr);
    }

    // The search for the period of the power comes with the rest.
    void stepsComeLater() {
        const Fixture fixture;
        const auto store = logOfTwo(fixture, Draw::InPeriods);
        const Run run = got(store.findRun("run"));
        const auto first = got(firstSentences({store}, run, kSamples - 1));
        const Overview whole = got(overviewOf({store}, run));
        const std::string& told = sentenceOf(*first, Topic::Time)->text;
        const std::string& all = sentenceOf(whole, Topic::Time)->text;
        VERIFY_SAYS(all, "; power repeats every 5 s");
        QVERIFY2(told.find("repeats") == std::string::npos, told.c_str());
        QVERIFY2(all.starts_with(told.substr(0, told.size() - 1)), told.c_str());
        QCOMPARE(
            sentenceOf(*first, Topic::Energy)->values, sentenceOf(whole, Topic::Energy)->values);
    }

    void shortLogsAreToldAtOnce() {
        const Fixture fixture;
        const auto store = logOfTwo(fixture);
        const Run run = got(store.findRun("run"));
        QVERIFY(!got(firstSentences({store}, run, kSamples)));
        QVERIFY(!got(firstSentences({store}, run)));
    }

    void tracesAreToldAtOnce() {
        const Fixture fixture;
        auto store = logOfTwo(fixture);
        Span kernel;
        kernel.start = {kLogBegin};
        kernel.duration = {kBetweenReadings};
        kernel.kind = SpanKind::Kernel;
        addTrack(store, {kernel}, "/data/b");
        QVERIFY(!got(firstSentences({store}, got(store.findRun("run")), 0)));
    }
};

TRAINSCOPE_TEST(tst_FirstSentences)
#include "tst_FirstSentences.moc"
