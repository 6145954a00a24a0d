#include "core/model/Gather.h"
#include "support/TestProgram.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace trainscope;

class tst_Gather : public QObject {
    Q_OBJECT

    struct Part {
        std::string name;
        int count = 0;
        [[nodiscard]] int twice() const { return 2 * count; }
    };
    const std::vector<Part> m_parts{{"b", 3}, {"a", 4}, {"b", -1}};
    const std::map<std::string, int, std::less<>> m_counts{{"one", 1}, {"two", 2}};

private Q_SLOTS:
    void ofMembersAndFunctions() {
        QCOMPARE(vectorOf(m_parts, &Part::count), (std::vector<int>{3, 4, -1}));
        QCOMPARE(vectorOf(m_parts, &Part::twice), (std::vector<int>{6, 8, -2}));
        QVERIFY(setOf(m_parts, &Part::name) == (std::set<std::string>{"a", "b"}));
        QCOMPARE(vectorOf(m_counts, [](const auto& one) { return one.second; }),
            (std::vector<int>{1, 2}));
    }

    void copies() {
        const std::set<int> numbers{3, 1};
        QCOMPARE(vectorOf(numbers), (std::vector<int>{1, 3}));
        QVERIFY(vectorOf(std::vector<int>()).empty());
        const auto isOdd = [](int number) { return number % 2 != 0; };
        QCOMPARE(thoseOf(std::vector<int>{1, 2, 3, 4}, isOdd), (std::vector<int>{1, 3}));
    }

    // In the type that was asked for: two of these do not fit in 32 bits together.
    void sums() {
        QCOMPARE(summed<int>(m_parts, &Part::count), 6);
        const std::vector<std::int32_t> large(2, 2'000'000'000);
        QCOMPARE(summed<std::int64_t>(large), std::int64_t{4'000'000'000});
        QCOMPARE(summed<double>(std::vector<double>()), 0.0);
    }

    void valuesOfKeys() {
        QCOMPARE(valueAt(m_counts, std::string_view("two"), -1), 2);
        QCOMPARE(valueAt(m_counts, std::string_view("three"), -1), -1);
    }
};

TRAINSCOPE_TEST(tst_Gather)
#include "tst_Gather.moc"
