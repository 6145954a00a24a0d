// Derived values, by hand and against values looked up at every millisecond.

#include "core/analysis/derived/DerivedSteps.h"
#include "core/analysis/derived/Formula.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/model/Metric.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr double kLacking = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kStepSecond = 1'000'000'000;
using Readings = std::vector<std::pair<std::int64_t, double>>;

// A database with powers of several ranks.
struct PlantedPowers {
    PlantedTrace trace;
    store::Store store;
    std::vector<StepProgram> powers; // by rank

    explicit PlantedPowers(const std::vector<Readings>& ranks)
        : store(filled(trace, ranks)) {
        const RunId run = store.findRun("run").value().id;
        auto all = store.series(run).value();
        std::sort(all.begin(), all.end(), [](const Series& a, const Series& b) {
            return a.description.subject.rank < b.description.subject.rank;
        });
        for (const Series& one : all) {
            StepProgram program;
            program.leaves.push_back(
                {one.id, one.description, false, 1.0, {}, one.period, one.range, one.count});
            powers.push_back(program);
        }
    }
    [[nodiscard]] std::vector<Step> steps(
        const StepProgram& program, std::int64_t begin, std::int64_t end) const {
        std::vector<Step> all;
        const auto status = forEachStep(
            store, program, {{begin}, {end}}, {}, [&all](std::span<const Step> steps) {
                all.insert(all.end(), steps.begin(), steps.end());
                return true;
            });
        if (!status.hasValue())
            qFatal("%s", status.error().describe().c_str());
        return all;
    }

private:
    static store::Store filled(PlantedTrace& trace, const std::vector<Readings>& ranks) {
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            for (const auto& [time, watts] : ranks[rank])
                trace.power(static_cast<int>(rank), time, watts);
        }
        return trace.store();
    }
};

// Rank 0 changes at even seconds, rank 1 at odd ones and lacks a value from 5 s to 6 s.
std::vector<Readings> twoRanks() {
    const std::int64_t s = kStepSecond;
    return {{{0, 100.0}, {2 * s, 300.0}, {4 * s, 200.0}, {6 * s, 200.0}},
        {{s, 50.0}, {3 * s, 150.0}, {5 * s, kLacking}, {6 * s, 100.0}}};
}

bool isValue(double value, double expected) {
    return std::isnan(expected) ? std::isnan(value) : value == expected;
}

using Kind = Formula::Kind;

QString writtenAgain(const char* text) {
    const auto parsed = parseFormula(text);
    return parsed.hasValue() ? QString::fromStdString(formulaText(parsed.value()))
                             : QString::fromStdString(parsed.error().message);
}

QString titled(const char* text) {
    const FormulaWords words{[](std::string_view metric) {
                                 return metric == "gpu_power" ? std::string("GPU power")
                                                              : std::string(metric);
                             },
        [](std::size_t run) { return run == 0 ? std::string("eager") : std::string("compiled"); }};
    return QString::fromStdString(titleOf(parseFormula(text).value(), words));
}

} // namespace

class tst_DerivedSteps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 100 − 50, 300 − 50, 300 − 150 and 200 − 150; at 6 s the last values hold for 1 ns.
    void differenceByHand() {
        const PlantedPowers planted(twoRanks());
        const StepProgram difference
            = joined(Arithmetic::Subtract, planted.powers[0], planted.powers[1]);
        const std::int64_t s = kStepSecond;
        const auto steps = planted.steps(difference, 0, 7 * s);
        const std::vector<std::pair<std::int64_t, double>> expected{{0, kLacking}, {s, 50.0},
            {2 * s, 250.0}, {3 * s, 150.0}, {4 * s, 50.0}, {5 * s, kLacking}, {6 * s, 100.0},
            {6 * s + 1, kLacking}};
        QCOMPARE(steps.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE(steps[i].range.begin.ns, expected[i].first);
            QVERIFY(isValue(steps[i].value, expected[i].second));
        }
        QCOMPARE(steps.back().range.end.ns, 7 * s);
        // min(A) − max(B) would be −50.
        const auto figures = got(stepFigures(planted.store, difference, {{0}, {6 * s}}, {}));
        QCOMPARE(*figures.min, 50.0);
        QCOMPARE(*figures.max, 250.0);
        QCOMPARE(*figures.mean, (50.0 + 250.0 + 150.0 + 50.0) / 4.0);
        QCOMPARE(figures.covered.ns, 4 * s);
        QCOMPARE(got(stepAt(planted.store, difference, {5 * s / 2})), 250.0);
        QVERIFY(std::isnan(got(stepAt(planted.store, difference, {s / 2}))));
    }
    void columnsByHand() {
        const PlantedPowers planted(twoRanks());
        const StepProgram difference
            = joined(Arithmetic::Subtract, planted.powers[0], planted.powers[1]);
        const std::int64_t s = kStepSecond;
        const auto columns = got(stepBuckets(planted.store, difference, {{0}, {6 * s}}, 3, {}));
        QCOMPARE(columns.size(), std::size_t{3});
        QCOMPARE(columns[0].mean, 50.0F);
        QVERIFY(!columns[0].gap); // before the first value of rank 1
        QCOMPARE(columns[1].min, 150.0F);
        QCOMPARE(columns[1].max, 250.0F);
        QCOMPARE(columns[1].mean, 200.0F);
        QCOMPARE(columns[1].count, 2U);
        QCOMPARE(columns[2].mean, 50.0F);
        QVERIFY(columns[2].gap);
        // Inside a step the value is held.
        const auto held = got(
            stepBuckets(planted.store, difference, {{2 * s + s / 4}, {2 * s + s / 2}}, 2, {}));
        QCOMPARE(held[1].count, 0U);
        QCOMPARE(held[1].mean, 250.0F);
    }
    void otherWaysByHand() {
        const PlantedPowers planted(twoRanks());
        const std::int64_t s = kStepSecond;
        const auto& powers = planted.powers;
        const StepProgram sum = sumOf(powers);
        QCOMPARE(got(stepAt(planted.store, sum, {3 * s})), 450.0);
        QVERIFY(std::isnan(got(stepAt(planted.store, sum, {5 * s}))));
        const StepProgram ratio = joined(Arithmetic::Divide, powers[0], powers[1]);
        QCOMPARE(got(stepAt(planted.store, ratio, {2 * s})), 6.0);
        StepProgram slope = powers[0];
        slope.leaves[0].isRate = true;
        QCOMPARE(got(stepAt(planted.store, slope, {s})), 100.0); // 200 W in 2 s
        QCOMPARE(got(stepAt(planted.store, slope, {3 * s})), -50.0);
        QVERIFY(std::isnan(got(stepAt(planted.store, slope, {6 * s}))));
        // Another run's times, moved by 1 s, so that its value of 1 s stands at 2 s.
        StepProgram later = powers[1];
        later.leaves[0].shift = {s};
        const StepProgram moved = joined(Arithmetic::Subtract, powers[0], later);
        QCOMPARE(got(stepAt(planted.store, moved, {3 * s})), 250.0);
        QCOMPARE(moved.range().begin.ns, 2 * s);
    }
    void quotientsByZeroAreMissing() {
        const PlantedPowers planted(
            {{{0, 100.0}, {kStepSecond, 100.0}}, {{0, 0.0}, {kStepSecond, 4.0}}});
        const StepProgram ratio = joined(Arithmetic::Divide, planted.powers[0], planted.powers[1]);
        QVERIFY(std::isnan(got(stepAt(planted.store, ratio, {0}))));
        QCOMPARE(got(stepAt(planted.store, ratio, {kStepSecond})), 25.0);
    }
    // The sample at 20 s holds for a period of 1 s; then nothing is known until 100 s.
    void holesAreMissing() {
        Readings readings;
        for (std::int64_t second = 0; second <= 20; ++second)
            readings.emplace_back(second * kStepSecond, 10.0);
        readings.emplace_back(100 * kStepSecond, 10.0);
        const PlantedPowers planted({readings, readings});
        const StepProgram sum = sumOf(planted.powers);
        QCOMPARE(got(stepAt(planted.store, sum, {20 * kStepSecond + kStepSecond / 2})), 20.0);
        QVERIFY(std::isnan(got(stepAt(planted.store, sum, {21 * kStepSecond}))));
        QCOMPARE(got(stepAt(planted.store, sum, {100 * kStepSecond})), 20.0);
    }
    // Changes at random milliseconds, some of them to nothing; every millisecond looked up.
    void pyramidAgainstEveryMillisecond() {
        constexpr int kLength = 60'000;
        std::mt19937 random(7);
        std::vector<Readings> ranks(3);
        std::vector<std::vector<double>> held(3, std::vector<double>(kLength, kLacking));
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            int at = static_cast<int>(random() % 5);
            while (at < kLength) {
                const double watts
                    = random() % 50 == 0 ? kLacking : 100.0 + static_cast<double>(random() % 600);
                const int next = at + 1 + static_cast<int>(random() % 8);
                ranks[rank].emplace_back(std::int64_t{at} * kMs, watts);
                const bool isLast = next >= kLength;
                for (int ms = at; ms < std::min(isLast ? at : next, kLength); ++ms)
                    held[rank][static_cast<std::size_t>(ms)] = watts;
                at = next;
            }
        }
        const PlantedPowers planted(ranks);
        const StepProgram program = joined(Arithmetic::Subtract,
            joined(Arithmetic::Divide, planted.powers[0], planted.powers[1]),
            joined(Arithmetic::Divide, planted.powers[2], planted.powers[1]));
        std::vector<double> truth(kLength);
        for (std::size_t ms = 0; ms < truth.size(); ++ms)
            truth[ms] = held[0][ms] / held[1][ms] - held[2][ms] / held[1][ms];
        const StepPyramid pyramid = got(StepPyramid::build(planted.store, program));
        for (const auto& [begin, end] :
            {std::pair{3'000, 59'000}, {0, 60'000}, {30'001, 33'333}, {10, 200}}) {
            double low = std::numeric_limits<double>::infinity();
            double high = -low;
            double sum = 0.0;
            int known = 0;
            for (int ms = begin; ms < end; ++ms) {
                const double value = truth[static_cast<std::size_t>(ms)];
                if (std::isnan(value))
                    continue;
                low = std::min(low, value);
                high = std::max(high, value);
                sum += value;
                ++known;
            }
            const TimeRange window{{begin * kMs}, {end * kMs}};
            const auto figures = got(pyramid.figures(planted.store, program, window, {}));
            QCOMPARE(*figures.min, low);
            QCOMPARE(*figures.max, high);
            QVERIFY(std::abs(*figures.mean - sum / known) < 1e-9);
            QVERIFY(std::abs((figures.covered.ns - known * kMs)) <= 1);
        }
        // Columns of 560 ms: the extremes of their milliseconds, and none but of neighbours.
        const int from = 3'000;
        const auto columns = pyramid.buckets({{from * kMs}, {(from + 56'000) * kMs}}, 100);
        for (int i = 0; i < 100; ++i) {
            const auto extremes = [&](int begin, int end) {
                std::pair<double, double> found{1e9, -1e9};
                for (int ms = std::max(begin, 0); ms < std::min(end, kLength); ++ms) {
                    const double value = truth[static_cast<std::size_t>(ms)];
                    if (std::isnan(value))
                        continue;
                    found = {std::min(found.first, value), std::max(found.second, value)};
                }
                return found;
            };
            const auto inside = extremes(from + 560 * i, from + 560 * (i + 1));
            const auto around = extremes(from + 560 * (i - 1), from + 560 * (i + 2));
            const Bucket& column = columns[static_cast<std::size_t>(i)];
            const float slack = 1e-5F;
            QVERIFY(static_cast<double>(column.min - slack) <= inside.first);
            QVERIFY(static_cast<double>(column.max + slack) >= inside.second);
            QVERIFY(static_cast<double>(column.min + slack) >= around.first);
            QVERIFY(static_cast<double>(column.max - slack) <= around.second);
        }
    }

    // Formulas of derived lanes: read, written again, named for people, and their units.
    void parts() {
        const auto parsed = parseFormula("Saved = gpu_power[3]@2 - rate( mem_used )").value();
        QCOMPARE(parsed.name, std::string("Saved"));
        const Formula& formula = parsed.formula;
        QVERIFY(formula.kind == Kind::Difference);
        QVERIFY((formula.parts[0] == Formula{Kind::Series, "gpu_power", 3, std::size_t{1}, {}}));
        QVERIFY(formula.parts[1].kind == Kind::Rate);
        QCOMPARE(formula.parts[1].parts[0].metric, std::string("mem_used"));
    }
    // Differences and ratios are taken from the left.
    void writtenAsRead() {
        QCOMPARE(writtenAgain("=a-b-c"), QStringLiteral("=a - b - c"));
        QCOMPARE(writtenAgain("=a-(b-c)"), QStringLiteral("=a - (b - c)"));
        QCOMPARE(writtenAgain("= sum(a)/b - c"), QStringLiteral("=(sum(a) / b) - c"));
        QCOMPARE(writtenAgain("= (a - b)/total(c)"), QStringLiteral("=(a - b) / total(c)"));
        QCOMPARE(writtenAgain("N=\"odd name\"[0]"), QStringLiteral("N = \"odd name\"[0]"));
        QCOMPARE(writtenAgain("=a/b/c"), QStringLiteral("=(a / b) / c"));
        // A metric of the name of a way.
        QCOMPARE(writtenAgain("=sum - rate"), QStringLiteral("=sum - rate"));
    }
    void refused() {
        QVERIFY(!isFormula("gpu_power"));
        QVERIFY(isFormula("=gpu_power"));
        for (const char* text : {"gpu_power", "=", "=a -", "=sum(a", "=a b", "=a[x]", "=a[-1]",
                 "=a@0", "=(a", "=\"a", "=a ** b"})
            QVERIFY2(!parseFormula(text).hasValue(), text);
        QCOMPARE(writtenAgain("=a b"),
            QStringLiteral("The formula cannot be read at \"b\": an operation (-, /) or the end "
                           "should stand there."));
        QVERIFY(!parseFormula('=' + std::string(10'000, '(')).hasValue());
    }
    void titles() {
        QCOMPARE(
            titled("=gpu_power[0] - gpu_power[1]"), QStringLiteral("GPU power: rank 0 − rank 1"));
        QCOMPARE(
            titled("=gpu_power@1 - gpu_power@2"), QStringLiteral("GPU power: eager − compiled"));
        QCOMPARE(titled("=sum(gpu_power) / token_rate"),
            QStringLiteral("GPU power, sum by node / token_rate"));
        QCOMPARE(titled("=rate(mem_used)"), QStringLiteral("mem_used, change per second"));
        QCOMPARE(titled("Node power = sum(gpu_power)"), QStringLiteral("Node power"));
    }
    void units() {
        QCOMPARE(unitOfRatio("W", "%"), std::string("W/%"));
        QCOMPARE(unitOfRatio("J", "s"), std::string("W"));
        QCOMPARE(unitOfRatio("B", "s"), std::string("B/s"));
        QCOMPARE(unitOfRatio("B/s", "s"), std::string("B/s²"));
        QCOMPARE(unitOfRatio("B/s", "B"), std::string("1/s"));
        QCOMPARE(unitOfRatio("W", "1/s"), std::string("J")); // per token
        QCOMPARE(unitOfRatio("W", "W"), std::string("1"));
        QCOMPARE(unitOfRatio("1", "s"), std::string("1/s"));
        QCOMPARE(unitOfRatio("W", "1"), std::string("W"));
        QCOMPARE(unitOfRatio("W", "s"), std::string("W/s"));
        QCOMPARE(unitOfRatio("B/s²", "1/s"), std::string("B/s"));
    }
};

TRAINSCOPE_TEST(tst_DerivedSteps)
#include "tst_DerivedSteps.moc"
