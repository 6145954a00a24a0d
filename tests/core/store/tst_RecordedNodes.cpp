// Nodes of a job that nothing numbers: in the run that they join, host names order them.

#include "core/store/Fixture.h"
#include "core/store/Merge.h"
#include "core/store/Recording.h"
#include "support/TestProgram.h"

#include <QObject>

#include <map>
#include <utility>

using namespace trainscope;
using namespace trainscope::store;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kBegun = 1'700'000'000'000'000'000;

struct RecordedNode {
    std::string host;
    std::vector<int> locals; // local indices of its GPUs
    double watts; // each GPU's
    std::string node = "0 of 1";
};

// A file as a recorder on that host writes it: two samples of each GPU, and a link of the node.
void record(const Fixture& fixture, const RecordedNode& one) {
    Store store = fixture.create();
    Run run = runNamed("job x");
    const int gpus = static_cast<int>(one.locals.size());
    run.worldSize = gpus;
    const int node = one.node.front() - '0';
    const auto recording = got(Recording::begin(store,
        {"record:" + one.host + ":" + std::to_string(one.locals.front()), 0, "", "job x"}, run));
    const TimeNs begin{kBegun};
    const TimeNs end{kBegun + 1'000'000'000};
    for (int i = 0; i < gpus; ++i) {
        const int rank = node * gpus + i;
        ok(recording->gpu({rank, node, one.locals[static_cast<std::size_t>(i)], "H100", ""}));
        SeriesDescription power = gauge("gpu_power", rank);
        power.subject.node = node;
        const auto id = got(recording->series(power));
        recording->sample(id, begin, one.watts);
        recording->sample(id, end, one.watts);
    }
    SeriesDescription card = counter("ib_rx", -1, 64);
    card.subject = {SubjectKind::Link, -1, node, "mlx5_0"};
    recording->sample(got(recording->series(card)), begin, 1.0);
    Iteration iteration;
    iteration.rank = node * gpus;
    iteration.range = {begin, end};
    recording->iteration(iteration);
    ImportReport report;
    report.importer = "record 1";
    report.facts = {{"host", one.host}, {"node", one.node}, {"job", "x"}};
    ok(recording->finish(report, {}));
}

std::vector<std::string> mergeInto(const Fixture& all, const Fixture& part) {
    Store into = all.create();
    const Store from = part.view();
    const auto nameOf = got(joinByJob(into, from));
    return got(store::mergeInto(into, from, nameOf, {})).remarks;
}

// Watts and node by rank.
std::map<int, std::pair<double, int>> ranksOf(const Store& store) {
    std::map<int, std::pair<double, int>> ranks;
    const RunId run = got(store.runs()).front().id;
    for (const Series& series : got(store.series(run))) {
        const Subject& subject = series.description.subject;
        if (series.description.metric.name == "gpu_power")
            ranks[subject.rank] = {series.mean, subject.node};
    }
    return ranks;
}

} // namespace

class tst_RecordedNodes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Whatever the order in which they come, and when one comes again.
    void hostsOrderThem() {
        const Fixture beta;
        const Fixture gamma;
        const Fixture alpha;
        record(beta, {"beta", {0, 1}, 200.0});
        record(gamma, {"gamma", {0, 1, 2}, 300.0});
        record(alpha, {"alpha", {0}, 100.0});
        const Fixture all;
        QVERIFY(mergeInto(all, beta).empty());
        const auto two = mergeInto(all, gamma);
        QCOMPARE(two.size(), 1U);
        QVERIFY(two.front().find("beta is node 0, gamma is node 1") != std::string::npos);
        const auto three = mergeInto(all, alpha);
        QVERIFY(three.front().find("alpha is node 0, beta is node 1, gamma is node 2")
            != std::string::npos);
        for (int again = 0; again < 2; ++again) {
            const Store store = all.view();
            QCOMPARE(got(store.runs()).size(), 1U);
            const Run run = got(store.runs()).front();
            QCOMPARE(run.gpuCount, 6);
            QCOMPARE(run.nodeCount, 3);
            QCOMPARE(run.worldSize, 6);
            const std::map<int, std::pair<double, int>> expected{{0, {100.0, 0}}, {1, {200.0, 1}},
                {2, {200.0, 1}}, {3, {300.0, 2}}, {4, {300.0, 2}}, {5, {300.0, 2}}};
            QCOMPARE(ranksOf(store), expected);
            const auto gpus = got(store.gpus(run.id));
            QCOMPARE(gpus[5].rank, 5);
            QCOMPARE(gpus[5].local, 2);
            QCOMPARE(gpus[5].node, 2);
            std::vector<int> ofIterations;
            for (const Iteration& iteration : got(store.iterations(run.id)))
                ofIterations.push_back(iteration.rank);
            std::sort(ofIterations.begin(), ofIterations.end());
            QCOMPARE(ofIterations, (std::vector<int>{0, 1, 3}));
            for (const Source& source : got(store.sources()))
                QCOMPARE(source.report.facts.at("node order"),
                    std::string("alpha is node 0, beta is node 1, gamma is node 2"));
            QVERIFY(got(store.check()).damage.empty());
            mergeInto(all, beta);
        }
    }

    // Two recorders on one node, each with GPUs of its own.
    void gpusOfOneHost() {
        const Fixture upper;
        const Fixture lower;
        record(upper, {"alpha", {4, 5}, 500.0});
        record(lower, {"alpha", {0, 1}, 100.0});
        const Fixture all;
        mergeInto(all, upper);
        mergeInto(all, lower);
        const std::map<int, std::pair<double, int>> expected{
            {0, {100.0, 0}}, {1, {100.0, 0}}, {2, {500.0, 0}}, {3, {500.0, 0}}};
        QCOMPARE(ranksOf(all.view()), expected);
    }

    // Numbers that are told stay.
    void numbersStay() {
        const Fixture first;
        const Fixture second;
        record(first, {"zeta", {0, 1}, 100.0, "0 of 2"});
        record(second, {"alpha", {0, 1}, 200.0, "1 of 2"});
        const Fixture all;
        QVERIFY(mergeInto(all, first).empty());
        QVERIFY(mergeInto(all, second).empty());
        const std::map<int, std::pair<double, int>> expected{
            {0, {100.0, 0}}, {1, {100.0, 0}}, {2, {200.0, 1}}, {3, {200.0, 1}}};
        QCOMPARE(ranksOf(all.view()), expected);
    }
};

TRAINSCOPE_TEST(tst_RecordedNodes)
#include "tst_RecordedNodes.moc"
