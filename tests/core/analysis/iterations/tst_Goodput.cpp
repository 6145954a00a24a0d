// The parts of a job's wall time, each by hand.

#include "core/analysis/iterations/Goodput.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;

namespace {

TimeRange between(double from, double to) {
    return {{std::llround(from * 1e9)}, {std::llround(to * 1e9)}};
}

Iteration stepOf(std::int64_t index, double from, double to, bool isWarmup = false) {
    return {index, between(from, to), -1, isWarmup};
}

bool isNear(double value, double expected) {
    if (std::abs(value - expected) < 1e-9)
        return true;
    qWarning("%.12g instead of %.12g", value, expected);
    return false;
}

double sumOf(const Goodput& goodput) {
    double sum = 0.0;
    for (const JobPart part : kJobParts)
        sum += goodput.seconds[part];
    return sum;
}

} // namespace

class tst_Goodput : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 9 s and five times 1 s; 286 s later 5 and 6 are done again, the first in 8 s, then 7 and 8.
    void aRestart() {
        std::vector<Iteration> steps{stepOf(1, 0.0, 9.0, true)};
        for (int i = 0; i < 5; ++i)
            steps.push_back(stepOf(2 + i, 9.0 + i, 10.0 + i));
        steps.push_back(stepOf(5, 300.0, 308.0, true));
        for (int i = 0; i < 3; ++i)
            steps.push_back(stepOf(6 + i, 308.0 + 1.1 * i, 309.1 + 1.1 * i));
        // The samples begin where the first step ends.
        const Goodput made = goodputFrom(between(9.0, 311.3), steps, {});
        QVERIFY(isNear(made.wallS, 311.3));
        // 1 of 1's 9 s, 2 to 4, 1 of 5's 8 s, 3 × 1.1 s.
        QVERIFY(isNear(made.seconds[JobPart::Counted], 1.0 + 3.0 + 1.0 + 3.3));
        QVERIFY(isNear(made.seconds[JobPart::Startup], 8.0 + 7.0));
        QVERIFY(isNear(made.seconds[JobPart::Repeated], 2.0));
        QVERIFY(isNear(made.seconds[JobPart::Restart], 286.0));
        QVERIFY(isNear(made.seconds[JobPart::Idle], 0.0));
        QVERIFY(isNear(made.share(), 8.3 / 311.3));
        QCOMPARE(made.repeats, 2);
        QCOMPARE(made.restarts, 1);
    }

    // Ten steps of 2 s, 1 s apart; 3 s before them and 4 s behind. An evaluation takes a pause and
    // half of the step before it, a checkpoint that pause too, and the next.
    void namedStretches() {
        std::vector<Iteration> steps;
        for (int i = 0; i < 10; ++i)
            steps.push_back(stepOf(i, 3.0 + 3.0 * i, 5.0 + 3.0 * i));
        const std::vector<NamedPhase> named{{"eval", between(4.0, 6.0)},
            {"save_checkpoint", between(5.0, 6.0)}, {"save_checkpoint", between(8.0, 9.0)},
            {"run", between(0.0, 36.0)}, {"load data", between(11.5, 12.0)},
            {"init", between(0.0, 3.0)}};
        const Goodput made = goodputFrom(between(0.0, 36.0), steps, named);
        QVERIFY(isNear(made.wallS, 36.0));
        QVERIFY(isNear(made.seconds[JobPart::Counted], 19.0));
        QVERIFY(isNear(made.seconds[JobPart::Evaluation], 2.0));
        QVERIFY(isNear(made.seconds[JobPart::Checkpoint], 1.0));
        QVERIFY(isNear(made.seconds[JobPart::DataLoading], 0.5));
        QVERIFY(isNear(made.seconds[JobPart::Startup], 3.0));
        // Nine pauses and the end, without what has a name.
        QVERIFY(isNear(made.seconds[JobPart::Idle], 9.0 + 4.0 - 2.5));
        QVERIFY(isNear(sumOf(made), made.wallS));
    }

    // Steps of rounded stamps overlap a little: the earlier one has what both claim.
    void overlaps() {
        const std::vector<Iteration> steps{stepOf(1, 0.0, 2.0), stepOf(2, 1.5, 3.5)};
        const Goodput made = goodputFrom(between(0.0, 3.5), steps, {});
        QVERIFY(isNear(made.seconds[JobPart::Counted], 3.5));
        QVERIFY(isNear(sumOf(made), 3.5));
    }

    // Steps behind the one to which a program went back are lost though they are never done again.
    void endsBeforeItIsBack() {
        const std::vector<Iteration> steps{
            stepOf(1, 0.0, 1.0), stepOf(2, 1.0, 2.0), stepOf(3, 2.0, 3.0), stepOf(2, 5.0, 6.0)};
        const Goodput made = goodputFrom(between(0.0, 6.0), steps, {});
        QVERIFY(isNear(made.seconds[JobPart::Counted], 2.0));
        QVERIFY(isNear(made.seconds[JobPart::Repeated], 2.0));
        QVERIFY(isNear(made.seconds[JobPart::Restart], 2.0));
    }

    void nothingToTell() {
        QVERIFY(!goodputFrom(between(0.0, 10.0), {}, {}).isKnown());
        QVERIFY(!goodputFrom(between(0.0, 10.0), {}, {}).whyNone.empty());
        const std::vector<Iteration> empty{stepOf(1, 0.0, 0.0)};
        QVERIFY(!goodputFrom({}, empty, {}).isKnown());
        const std::vector<Iteration> one{stepOf(1, 0.0, 3.0, true)};
        QVERIFY(isNear(goodputFrom({}, one, {}).share(), 1.0));
    }

    void names() {
        QVERIFY(jobPartOf("Validation data") == JobPart::Evaluation);
        QVERIFY(jobPartOf("eval") == JobPart::Evaluation);
        QVERIFY(jobPartOf("Save checkpoint") == JobPart::Checkpoint);
        QVERIFY(jobPartOf("compile") == JobPart::Startup);
        QVERIFY(jobPartOf("dataloader") == JobPart::DataLoading);
        for (const char* name : {"run", "block", "epoch", "forward", "train"})
            QVERIFY2(!jobPartOf(name), name);
    }
};

TRAINSCOPE_TEST(tst_Goodput)
#include "tst_Goodput.moc"
