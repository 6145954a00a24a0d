// Selection and sorting against a stable sort, on values that are hard for either: ties, one value,
// both signs, neighbours in the last bit, all magnitudes, infinities.

#include "core/analysis/statistics/Distribution.h"
#include "support/TestProgram.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using trainscope::analysis::WeightedValue;

namespace {

using Values = std::vector<WeightedValue>;
using Random = std::mt19937_64;

double drawn(int kind, Random& random) {
    const auto choice = static_cast<double>(random() % 1000);
    switch (kind) {
    case 0: // power in mW
        return static_cast<double>(random() % 700'000) / 1e3;
    case 1: // few values
        return static_cast<double>(random() % 5);
    case 2: // one value
        return 42.5;
    case 3: // both signs, and both zeros
        return (choice - 500.0) * (random() % 2 == 0 ? 1.0 : -1.0);
    case 4: // nearly all in one place, one far away
        return choice == 0.0 ? 1e300 : std::nextafter(1.0, 2.0) + choice * 0x1p-52;
    case 5: // all magnitudes
        return std::ldexp(choice - 500.0, static_cast<int>(random() % 2000) - 1000);
    default: // infinities among small numbers
        return choice == 0.0 ? std::numeric_limits<double>::infinity()
            : choice == 1.0  ? -std::numeric_limits<double>::infinity()
                             : choice * std::numeric_limits<double>::denorm_min();
    }
}

Values randomValues(int kind, std::size_t count, Random& random) {
    Values values(count);
    for (auto& entry : values) {
        const bool heavy = random() % 50 == 0;
        entry = {drawn(kind, random),
            1 + static_cast<std::int64_t>(random() % (heavy ? 1'000'000'000'000U : 100U))};
    }
    return values;
}

Values sorted(Values values) {
    std::stable_sort(values.begin(), values.end(),
        [](const auto& a, const auto& b) { return a.value < b.value; });
    return values;
}

double slowly(const Values& ascending, std::int64_t weight) {
    for (const auto& entry : ascending) {
        weight -= entry.weight;
        if (weight <= 0)
            return entry.value;
    }
    return std::nan("");
}

std::int64_t totalOf(const Values& values) {
    std::int64_t total = 0;
    for (const auto& entry : values)
        total += entry.weight;
    return total;
}

} // namespace

class tst_WeightedSelect : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void kinds_data() {
        QTest::addColumn<int>("kind");
        for (int kind = 0; kind < 7; ++kind)
            QTest::addRow("%d", kind) << kind;
    }

    void selectsWhatSortingFinds_data() { kinds_data(); }
    void selectsWhatSortingFinds() {
        QFETCH(int, kind);
        Random random(static_cast<unsigned>(kind));
        for (const std::size_t count : {1U, 2U, 63U, 64U, 65U, 66U, 500U, 3000U, 50'000U}) {
            const Values values = randomValues(kind, count, random);
            const Values ascending = sorted(values);
            const std::int64_t total = totalOf(values);
            std::vector<std::int64_t> wanted = {1, total, total / 2 + 1, ascending[0].weight,
                std::min(total, ascending[0].weight + 1)};
            for (int i = 0; i < 20; ++i)
                wanted.push_back(
                    1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(total)));
            std::sort(wanted.begin(), wanted.end());
            std::vector<double> found(wanted.size());
            trainscope::analysis::selectByWeight(values, wanted, found);
            for (std::size_t i = 0; i < wanted.size(); ++i)
                QCOMPARE(found[i], slowly(ascending, wanted[i]));
        }
    }

    void sortsStably_data() { kinds_data(); }
    void sortsStably() {
        QFETCH(int, kind);
        Random random(static_cast<unsigned>(kind) + 100);
        for (const std::size_t count : {0U, 1U, 2U, 2048U, 2049U, 20'000U}) {
            Values values = randomValues(kind, count, random);
            const Values expected = sorted(values);
            trainscope::analysis::sortByValue(values);
            for (std::size_t i = 0; i < count; ++i) {
                QVERIFY(values[i].value == expected[i].value);
                QCOMPARE(values[i].weight, expected[i].weight);
            }
        }
    }
};

TRAINSCOPE_TEST(tst_WeightedSelect)
#include "tst_WeightedSelect.moc"
