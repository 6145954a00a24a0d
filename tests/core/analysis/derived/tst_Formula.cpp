// Formulas of derived lanes: read, written again, named for people, and their units.
#include "core/analysis/derived/Formula.h"
#include "support/TestProgram.h"

#include <QTest>

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

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

class tst_Formula : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void parts() {
        const auto parsed = parseFormula("Saved = gpu_power[3]@2 - rate( mem_used )");
        QVERIFY(parsed.hasValue());
        QCOMPARE(parsed.value().name, std::string("Saved"));
        const Formula& formula = parsed.value().formula;
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

TRAINSCOPE_TEST(tst_Formula)
#include "tst_Formula.moc"
