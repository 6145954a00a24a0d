// Pipeline schedules against closed forms, against Megatron-LM's warm-up counts, and their
// dependencies over random durations.

#include "core/layout/Schedule.h"
#include "core/layout/ScheduleOrder.h"
#include "support/TestProgram.h"

using namespace trainscope::layout;

namespace {

using Key = std::tuple<TaskKind, int, int>; // kind, piece, micro-batch

std::map<Key, ScheduleTask> byKey(const Schedule& schedule) {
    std::map<Key, ScheduleTask> result;
    for (const auto& task : schedule.tasks)
        result[{task.kind, pieceOf(schedule.kind, schedule.stages, task.stage, task.chunk),
            task.microbatch}]
            = task;
    return result;
}

void compareBubble(double actual, double expected) {
    if (std::abs(actual - expected) > 1e-12)
        QCOMPARE(actual, expected);
}

} // namespace

class tst_Schedule : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void closedForms() {
        for (int stages = 1; stages <= 9; ++stages) {
            for (int count = 1; count <= 24; ++count) {
                const double p = stages;
                const double m = count;
                for (const auto kind : {ScheduleKind::GPipe, ScheduleKind::OneForwardOneBackward}) {
                    const PieceTimes times{1.0, 0.75, 1.5};
                    const auto made = makeSchedule({kind, stages, count, 1, {times}, 0.0}).value();
                    compareBubble(made.bubbleFraction, (p - 1) / (m + p - 1));
                    compareBubble(*idealBubbleFraction(kind, stages, count), (p - 1) / (m + p - 1));
                    QVERIFY(qFuzzyCompare(made.makespan, (m + p - 1) * 3.25));
                }
            }
        }
    }

    void interleavedClosedForm() {
        for (int stages = 2; stages <= 8; ++stages) {
            for (int chunks = 2; chunks <= 4; ++chunks) {
                for (int groups = 1; groups <= 4; ++groups) {
                    const int count = groups * stages;
                    const double ideal = (stages - 1.0) / (chunks * count + stages - 1.0);
                    const auto made = makeSchedule(
                        {ScheduleKind::Interleaved, stages, count, chunks, {{2, 1, 3}}, 0.0})
                                          .value();
                    compareBubble(made.bubbleFraction, ideal);
                    compareBubble(
                        *idealBubbleFraction(ScheduleKind::Interleaved, stages, count, chunks),
                        ideal);
                }
            }
        }
    }

    // Any number of micro-batches from the number of stages on, in any groups that Megatron-LM
    // takes: the bubble stays that of the closed form.
    void interleavedInAnyGroups() {
        std::map<bool, int> tried;
        for (int stages = 2; stages <= 6; ++stages) {
            for (int chunks = 2; chunks <= 3; ++chunks) {
                for (int count = 1; count <= 3 * stages + 1; ++count) {
                    for (int group = 0; group <= count + 1; ++group) {
                        const ScheduleRequest request{ScheduleKind::Interleaved, stages, count,
                            chunks, {{2, 1, 3}}, 0.0, group};
                        const auto made = makeSchedule(request);
                        const bool works = group == 0 ? count >= stages
                                                      : group >= stages && group <= count
                                && (count % group == 0 || count % group >= stages);
                        QCOMPARE(made.hasValue(), works);
                        ++tried[works];
                        if (!works)
                            continue;
                        checkDependencies(request, made.value());
                        checkStages(request, made.value());
                        compareBubble(made.value().bubbleFraction,
                            (stages - 1.0) / (chunks * count + stages - 1.0));
                        compareBubble(
                            *idealBubbleFraction(ScheduleKind::Interleaved, stages, count, chunks),
                            made.value().bubbleFraction);
                    }
                }
            }
        }
        QVERIFY(tried[true] > 300);
        QVERIFY(tried[false] > 300);
    }

    // The table of Megatron-LM's get_schedule_table for 2 stages, 2 chunks, 5 micro-batches in
    // groups of 3: micro-batches 0 1 2 0 1 2 3 4 3 4 through chunks 0 0 0 1 1 1 0 0 1 1.
    void orderOfMegatronsGroups() {
        const ScheduleRequest request{ScheduleKind::Interleaved, 2, 5, 2, {}, 0.0, 3};
        QCOMPARE(warmupCount(request, 0), 5);
        QCOMPARE(warmupCount(request, 1), 3);
        std::vector<std::pair<int, int>> forward;
        std::vector<std::pair<int, int>> backward;
        const auto orders = workOrders(request);
        for (const WorkItem& item : orders[0])
            (item.kind == TaskKind::Forward ? forward : backward)
                .emplace_back(item.microbatch, item.chunk);
        const std::vector<std::pair<int, int>> table{
            {0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 0}, {4, 0}, {3, 1}, {4, 1}};
        QCOMPARE(forward, table);
        QCOMPARE(backward.size(), table.size());
        for (std::size_t k = 0; k < table.size(); ++k)
            QCOMPARE(backward[k], std::pair(table[k].first, 1 - table[k].second));
        QCOMPARE(microbatchGroup(2, 5).value(), 3);
        QCOMPARE(microbatchGroup(4, 128).value(), 4);
        QCOMPARE(microbatchGroup(4, 6).value(), 6);
        QCOMPARE(microbatchGroup(4, 11).value(), 6);
        QVERIFY(!microbatchGroup(4, 3).hasValue());
    }

    // Qi et al., table 2: (p−1)(f+b−w) of idle time.
    void zeroBubbleClosedForm() {
        std::mt19937 dice(7);
        std::uniform_real_distribution<double> random(0.0, 1.0);
        for (int i = 0; i < 3000; ++i) {
            const int stages = 1 + static_cast<int>(random(dice) * 8);
            const int count = stages + static_cast<int>(random(dice) * 16);
            const double weight = random(dice);
            const PieceTimes times{weight + random(dice), weight + random(dice), weight};
            const double idle
                = (stages - 1) * (times.forward + times.inputGradient - times.weightGradient);
            const auto made
                = makeSchedule({ScheduleKind::ZeroBubble, stages, count, 1, {times}, 0.0}).value();
            const double expected = idle / (count * times.total() + idle);
            const std::string shape = std::to_string(stages) + " stages, " + std::to_string(count)
                + " micro-batches, " + std::to_string(times.forward) + " "
                + std::to_string(times.inputGradient) + " " + std::to_string(weight) + ": "
                + std::to_string(made.bubbleFraction) + " instead of " + std::to_string(expected);
            QVERIFY2(std::abs(made.bubbleFraction - expected) < 1e-9, shape.c_str());
        }
    }

    // With equal thirds ZB-H1's bubble is a third of 1F1B's, at no more memory.
    void zeroBubbleHoldsNoMoreThan1F1B() {
        for (int stages = 2; stages <= 8; ++stages) {
            const auto plain
                = makeSchedule({ScheduleKind::OneForwardOneBackward, stages, 20, 1, {}, 0.0})
                      .value();
            const auto zero
                = makeSchedule({ScheduleKind::ZeroBubble, stages, 20, 1, {}, 0.0}).value();
            for (const int peak : zero.peakInFlight)
                QVERIFY(peak <= plain.peakInFlight.front());
            const double idlePlain = plain.bubbleFraction * plain.makespan;
            const double idleZero = zero.bubbleFraction * zero.makespan;
            QVERIFY(std::abs(idleZero * 3.0 - idlePlain) < 1e-9);
        }
    }

    void memoryInFlight() {
        const auto gpipe = makeSchedule({ScheduleKind::GPipe, 4, 10, 1, {}, 0.0}).value();
        QCOMPARE(gpipe.peakInFlight, (std::vector<int>{10, 10, 10, 10}));
        const auto plain
            = makeSchedule({ScheduleKind::OneForwardOneBackward, 4, 10, 1, {}, 0.0}).value();
        QCOMPARE(plain.peakInFlight, (std::vector<int>{4, 3, 2, 1}));
        const auto few
            = makeSchedule({ScheduleKind::OneForwardOneBackward, 4, 2, 1, {}, 0.0}).value();
        QCOMPARE(few.peakInFlight, (std::vector<int>{2, 2, 2, 1}));
    }

    // (p − rank − 1) · 2 + (v − 1) · p chunks, and one of the steady phase.
    void warmupsOfTheInterleavedSchedule() {
        const ScheduleRequest request{ScheduleKind::Interleaved, 4, 8, 2, {}, 0.0};
        QCOMPARE(warmupCount(request, 0), 10);
        QCOMPARE(warmupCount(request, 3), 4);
        const auto order = workOrders(request)[3];
        std::vector<std::pair<int, int>> first; // chunk, micro-batch
        for (std::size_t i = 0; i < 10; ++i) {
            if (order[i].kind == TaskKind::Forward)
                first.emplace_back(order[i].chunk, order[i].microbatch);
        }
        QCOMPARE(first,
            (std::vector<std::pair<int, int>>{
                {0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}, {1, 2}}));
        QVERIFY(order[5].kind == TaskKind::Backward);
        QCOMPARE(order[5].chunk, 1);
        QCOMPARE(order[5].microbatch, 0);
        QCOMPARE(makeSchedule(request).value().peakInFlight, (std::vector<int>{11, 9, 7, 5}));
    }

    // DeepSeek-AI 2024, table 2, and the published code: the bubble is (p/2 − 1)(F&B + B − 3W),
    // with equal passes (p/2 − 1)(3 + 2 − 3), and a stage holds p + 1 passes.
    void dualPipe() {
        for (const int stages : {2, 4, 6, 8, 16}) {
            for (const int count : {2 * stages, 2 * stages + 2, 5 * stages + 4}) {
                const auto made
                    = makeSchedule({ScheduleKind::DualPipe, stages, count, 1, {{1, 1, 1}}, 0.0})
                          .value();
                const double bubble = 2.0 * (stages / 2.0 - 1.0);
                QVERIFY(qFuzzyCompare(made.makespan, 3.0 * count + bubble));
                compareBubble(made.bubbleFraction, bubble / (3.0 * count + bubble));
                compareBubble(*idealBubbleFraction(ScheduleKind::DualPipe, stages, count),
                    bubble / (3.0 * count + bubble));
                QCOMPARE(made.peakInFlight,
                    std::vector<int>(static_cast<std::size_t>(stages), stages + 1));
                for (int stage = 0; stage < stages; ++stage) {
                    const auto order = workOrders(
                        {ScheduleKind::DualPipe, stages, count, 1,
                            {}}).at(static_cast<std::size_t>(stage));
                    const auto first = std::find_if(order.begin(), order.end(),
                        [](const WorkItem& one) { return one.kind == TaskKind::Backward; });
                    QCOMPARE(static_cast<int>(first - order.begin()),
                        warmupCount({ScheduleKind::DualPipe, stages, count, 1, {}}, stage) + 1);
                }
            }
        }
        QVERIFY(!idealBubbleFraction(ScheduleKind::DualPipe, 4, 8, 1, {1, 2, 1}).has_value());
        QVERIFY(!idealBubbleFraction(ScheduleKind::DualPipe, 4, 6).has_value());
        QVERIFY(!makeSchedule({ScheduleKind::DualPipe, 3, 8, 1, {}, 0.0}).hasValue());
        QVERIFY(!makeSchedule({ScheduleKind::DualPipe, 4, 9, 1, {}, 0.0}).hasValue());
        QVERIFY(!makeSchedule({ScheduleKind::DualPipe, 4, 6, 1, {}, 0.0}).hasValue());
        QVERIFY(!makeSchedule({ScheduleKind::DualPipe, 4, 8, 2, {}, 0.0}).hasValue());
        QVERIFY(scheduleKindFromString("dualpipe").value() == ScheduleKind::DualPipe);
    }

    // Two stages and four micro-batches by hand, passes of 1: each stage does F0 of its own
    // direction, F of the other, then pairs; nothing waits. An exchange of 0.5 in a forward pass
    // that is not paired: the two at the beginning, and that before the first backward pass of a
    // middle stage.
    void dualPipeByHand() {
        ScheduleRequest request{ScheduleKind::DualPipe, 2, 4, 1, {{1, 1, 1}}, 0.0};
        QCOMPARE(makeSchedule(request).value().makespan, 12.0);
        request.times.front().unpairedForward = 0.5;
        QCOMPARE(makeSchedule(request).value().makespan, 12.0 + 3 * 0.5);
        request.times.front().unpairedForward = 0.0;
        // One pair remains, F0 with B1 of the other direction: three of four backward passes of
        // each stage are not paired.
        request.times.front().unpairedBackward = 0.25;
        QCOMPARE(makeSchedule(request).value().makespan, 12.0 + 3 * 0.25);
    }

    // Times that differ by piece and by pass: all passes are made once, each after what it needs,
    // and a stage does one at a time.
    void dualPipeDependencies() {
        std::mt19937 dice(5);
        std::uniform_real_distribution<double> random(0.1, 3.0);
        for (const int stages : {2, 4, 8}) {
            ScheduleRequest request{ScheduleKind::DualPipe, stages, 3 * stages, 1, {}, 0.3};
            for (int piece = 0; piece < stages; ++piece)
                request.times.push_back({random(dice), random(dice), random(dice), random(dice)});
            const auto made = makeSchedule(request).value();
            checkDependencies(request, made);
            const ScheduleTask* before = nullptr;
            std::map<int, double> busy;
            for (const ScheduleTask& task : made.tasks) {
                if (before != nullptr && before->stage == task.stage)
                    QVERIFY(task.start >= before->end);
                busy[task.stage] += task.end - task.start;
                before = &task;
            }
            for (const auto& [stage, seconds] : busy) {
                const auto& own = request.times[static_cast<std::size_t>(stage)];
                const auto& other = request.times[static_cast<std::size_t>(stages - 1 - stage)];
                const double least = 1.5 * stages * (own.total() + other.total());
                QVERIFY(seconds >= least * (1.0 - 1e-12));
                const double most = 1.5 * stages * (own.unpairedForward + other.unpairedForward);
                QVERIFY(seconds <= least + most);
            }
        }
    }

    // Llama 3 405B (Llama team 2024, section 3.3.2): 126 layers on 16 stages, one less on the first
    // and the last, a pass of a layer 1 and 2. Played by earliest starts over the known order of
    // 1F1B, until nothing moves.
    void oneLayerLessAtTheEnds() {
        constexpr int kStages = 16;
        constexpr int kBatches = 32;
        ScheduleRequest request{ScheduleKind::OneForwardOneBackward, kStages, kBatches, 1, {}, 0.0};
        for (int stage = 0; stage < kStages; ++stage) {
            const double layers = stage == 0 || stage == kStages - 1 ? 7.0 : 8.0;
            request.times.push_back({layers, layers, layers});
        }
        const double seconds = makeSchedule(request).value().makespan;
        QCOMPARE(seconds, playedOneByOne(request));
        // Less than with 8 layers everywhere, (m + p − 1) · 8 · 3, and no less than a middle
        // stage's work behind and before that of the first.
        QVERIFY(seconds < (32 + 15) * 24.0 && seconds >= 32 * 24.0 + 3 * 7.0);
    }

    // DeepSeek-V3: 61 layers on 16 stages, four on the first 13, three on the others.
    void sixtyOneLayersOnSixteenStages() {
        ScheduleRequest request{ScheduleKind::OneForwardOneBackward, 16, 24, 1, {}, 0.0};
        for (int stage = 0; stage < 16; ++stage) {
            const double layers = stage < 13 ? 4.0 : 3.0;
            request.times.push_back({layers, layers, layers});
        }
        QCOMPARE(makeSchedule(request).value().makespan, playedOneByOne(request));
    }

    void dependenciesHold() {
        std::mt19937 dice(11);
        const auto pick
            = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(dice); };
        std::uniform_real_distribution<double> random(0.0, 3.0);
        for (int i = 0; i < 600; ++i) {
            ScheduleRequest request;
            request.kind = kAllSchedules[static_cast<std::size_t>(pick(0, 3))];
            request.stages = pick(1, 7);
            request.microbatches = pick(1, 19);
            request.virtualStages = request.kind == ScheduleKind::Interleaved ? pick(1, 8) : 1;
            if (request.virtualStages > 1)
                request.microbatches = request.stages + pick(0, 12);
            const int pieces = request.stages * request.virtualStages;
            for (int piece = 0; piece < pieces; ++piece)
                request.times.push_back({random(dice), random(dice), random(dice)});
            request.sendTime = pick(0, 1) == 0 ? 0.0 : random(dice);
            const auto made = makeSchedule(request).value();
            checkDependencies(request, made);
            checkStages(request, made);
        }
    }

    void sendingDelaysTheNextStage() {
        const auto made = makeSchedule({ScheduleKind::GPipe, 2, 1, 1, {{1, 1, 1}}, 0.5}).value();
        QCOMPARE(made.makespan, 1 + 0.5 + 1 + 2 + 0.5 + 2.0);
        const auto alone = makeSchedule({ScheduleKind::GPipe, 1, 3, 1, {{1, 1, 1}}, 0.5}).value();
        QCOMPARE(alone.makespan, 9.0);
        QCOMPARE(alone.bubbleFraction, 0.0);
    }

    // 19/21: the slow stages set the pace. Two stages with 1 and 3 of work per pass, 1F1B, 4
    // micro-batches by hand: stage 1 works from 1 to 1 + 4·(3 + 6) without a break.
    void unevenStages() {
        const auto made = makeSchedule(
            {ScheduleKind::OneForwardOneBackward, 2, 4, 1, {{1, 1, 1}, {3, 3, 3}}, 0.0})
                              .value();
        QCOMPARE(made.makespan, 1 + 36 + 2.0);
        QVERIFY(std::abs(made.stageBubble[1] - 3.0 / 39.0) < 1e-12);
        QVERIFY(std::abs(made.stageBubble[0] - 27.0 / 39.0) < 1e-12);
        QVERIFY(std::abs(made.bubbleFraction - 15.0 / 39.0) < 1e-12);
    }

    void refusesNonsense() {
        QVERIFY(!makeSchedule({ScheduleKind::GPipe, 0, 1, 1, {}, 0.0}).hasValue());
        QVERIFY(!makeSchedule({ScheduleKind::GPipe, 2, 0, 1, {}, 0.0}).hasValue());
        QVERIFY(!makeSchedule({ScheduleKind::Interleaved, 4, 3, 2, {}, 0.0}).hasValue());
        QVERIFY(!idealBubbleFraction(ScheduleKind::Interleaved, 4, 3, 2).has_value());
        QVERIFY(!makeSchedule({ScheduleKind::GPipe, 4, 8, 1, {}, 0.0, 4}).hasValue());
        QVERIFY(!makeSchedule({ScheduleKind::GPipe, 2, 2, 2, {}, 0.0}).hasValue());
        QVERIFY(!makeSchedule({ScheduleKind::GPipe, 3, 2, 1, {{}, {}}, 0.0}).hasValue());
        QVERIFY(!makeSchedule({ScheduleKind::GPipe, 2, 2, 1, {{-1, 1, 1}}, 0.0}).hasValue());
        QVERIFY(!makeSchedule({ScheduleKind::GPipe, 10'000, 10'000, 1, {}, 0.0}).hasValue());
        QVERIFY(!scheduleKindFromString("2f2b").hasValue());
        QVERIFY(scheduleKindFromString("zero-bubble").value() == ScheduleKind::ZeroBubble);
    }

private:
    // 1F1B from its definition: stage s begins p − s − 1 passes, then one forward, one backward.
    // Starts are raised to what each pass waits for until none moves.
    static double playedOneByOne(const ScheduleRequest& request) {
        const int count = request.microbatches;
        std::vector<std::vector<std::pair<bool, int>>> orders; // is forward, micro-batch
        for (int stage = 0; stage < request.stages; ++stage) {
            auto& order = orders.emplace_back();
            const int ahead = std::min(request.stages - stage - 1, count);
            for (int i = 0; i < ahead; ++i)
                order.emplace_back(true, i);
            for (int i = 0; i < count; ++i) {
                if (ahead + i < count)
                    order.emplace_back(true, ahead + i);
                order.emplace_back(false, i);
            }
        }
        std::map<std::tuple<int, bool, int>, double> ends;
        double last = 0.0;
        for (bool moved = true; moved;) {
            moved = false;
            for (int stage = 0; stage < request.stages; ++stage) {
                double free = 0.0;
                const double length = request.times[static_cast<std::size_t>(stage)].forward;
                for (const auto& [isForward, batch] : orders[static_cast<std::size_t>(stage)]) {
                    const int needed = isForward ? stage - 1 : stage + 1;
                    const double ready = needed < 0 || needed >= request.stages
                        ? 0.0
                        : ends[{needed, isForward, batch}];
                    free = std::max(free, ready) + (isForward ? length : 2.0 * length);
                    double& end = ends[{stage, isForward, batch}];
                    moved = moved || free > end;
                    end = std::max(end, free);
                    last = std::max(last, end);
                }
            }
        }
        return last;
    }

    static void checkDependencies(const ScheduleRequest& request, const Schedule& made) {
        const auto tasks = byKey(made);
        const int pieces = request.stages * request.virtualStages;
        const bool isSplit = splitsBackward(request.kind);
        const auto perPiece = static_cast<std::size_t>(request.microbatches * (isSplit ? 3 : 2));
        QCOMPARE(tasks.size(), static_cast<std::size_t>(pieces) * perPiece);
        const double sent = request.stages == 1 ? 0.0 : request.sendTime;
        for (const auto& [key, task] : tasks) {
            const auto [kind, piece, batch] = key;
            if (kind == TaskKind::Forward && piece > 0)
                QVERIFY(task.start >= tasks.at({kind, piece - 1, batch}).end + sent);
            if (kind == TaskKind::Backward)
                QVERIFY(task.start >= tasks.at({TaskKind::Forward, piece, batch}).end);
            if (kind == TaskKind::Backward && piece < pieces - 1)
                QVERIFY(task.start >= tasks.at({kind, piece + 1, batch}).end + sent);
            if (kind == TaskKind::WeightGradient)
                QVERIFY(task.start >= tasks.at({TaskKind::Backward, piece, batch}).end);
        }
    }

    // No two tasks of a stage at once, the passes of a chunk in the order of the micro-batches, and
    // as many forward passes before the first backward as the warm-up says.
    static void checkStages(const ScheduleRequest& request, const Schedule& made) {
        std::map<std::tuple<int, int, TaskKind>, int> last;
        const ScheduleTask* before = nullptr;
        std::map<int, int> forwards;
        std::map<int, bool> hasBackward;
        for (const auto& task : made.tasks) {
            if (before != nullptr && before->stage == task.stage)
                QVERIFY(task.start >= before->end);
            const auto [seen, isFirst]
                = last.try_emplace({task.stage, task.chunk, task.kind}, task.microbatch);
            QVERIFY(isFirst || seen->second < task.microbatch);
            seen->second = task.microbatch;
            hasBackward[task.stage] |= task.kind == TaskKind::Backward;
            forwards[task.stage]
                += task.kind == TaskKind::Forward && !hasBackward[task.stage] ? 1 : 0;
            before = &task;
        }
        const int all = request.microbatches * request.virtualStages;
        for (const auto& [stage, count] : forwards)
            QCOMPARE(count, std::min(warmupCount(request, stage) + 1, all));
    }
};

TRAINSCOPE_TEST(tst_Schedule)
#include "tst_Schedule.moc"
