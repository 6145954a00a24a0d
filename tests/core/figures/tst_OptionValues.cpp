// Options of figures as text: numbers, times and ranks that the command line is given.

#include "core/figures/Figure.h"
#include "core/model/LaunchConfig.h"
#include "support/TestProgram.h"

#include <QTest>

using namespace trainscope;
using namespace trainscope::figures;

namespace {

OptionValues given(const char* name, const std::string& text) {
    OptionValues values;
    values.add(name, text);
    return values;
}

template <typename Value>
bool isUsage(const Result<Value>& result) {
    return !result.hasValue() && result.error().code == ErrorCode::Usage
        && !result.error().message.empty();
}

} // namespace

class tst_OptionValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsNotGiven() {
        QVERIFY(!OptionValues().rank("rank").value().has_value());
        QVERIFY(!OptionValues().seconds("from").value().has_value());
    }

    // 4294967296 is 0 in 32 bits.
    void ranks() {
        QCOMPARE(given("rank", "0").rank("rank").value().value_or(-1), 0);
        QCOMPARE(given("rank", "16383").rank("rank").value().value_or(-1), 16383);
        for (const char* text : {"-1", "4294967296", "4294967297", "9223372036854775807",
                 "9223372036854775808", "1.5", "one", ""})
            QVERIFY2(isUsage(given("rank", text).rank("rank")), text);
    }

    void times() {
        QCOMPARE(given("from", "1.5").seconds("from").value().value_or(DurationNs{}).ns,
            std::int64_t{1'500'000'000});
        QCOMPARE(given("from", "-0.25").seconds("from").value().value_or(DurationNs{}).ns,
            std::int64_t{-250'000'000});
        for (const char* text : {"nan", "-nan", "inf", "-inf", "infinity", "1e300", "-1e10", "x"})
            QVERIFY2(isUsage(given("from", text).seconds("from")), text);
    }

    void numbers() {
        QCOMPARE(given("clock", "1e300").number("clock").value().value_or(0.0), 1e300);
        for (const char* text : {"nan", "inf", "-inf", "1e400"})
            QVERIFY2(isUsage(given("clock", text).number("clock")), text);
    }
};

TRAINSCOPE_TEST(tst_OptionValues)
#include "tst_OptionValues.moc"
