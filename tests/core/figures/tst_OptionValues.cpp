// An option as one value: the texts that it takes, the settings that they make, and back.

#include "core/figures/Kinds.h"
#include "core/figures/Option.h"
#include "core/figures/operators/OperatorsFigure.h"
#include "core/figures/runs/RunFigureKinds.h"
#include "core/figures/timeline/TimelineFigure.h"
#include "core/model/LaunchConfig.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::figures;
using namespace trainscope::plot;

namespace {

enum class Taste { Mild, Hot };
struct Meal {
    std::optional<int> rank;
    std::optional<DurationNs> from;
    std::optional<double> clock;
    std::optional<std::int64_t> top;
    Taste taste = Taste::Mild;
    bool isBig = false;
    std::string name;
    std::vector<std::string> dishes;
    bool operator==(const Meal&) const = default;
};

const Options<Meal>& options() {
    static const Options<Meal> all({
        numberOption<Meal>({"rank", "R", "of a rank"}, rankGiven, &Meal::rank),
        numberOption<Meal>({"from", "S", "seconds"}, secondsGiven, &Meal::from),
        numberOption<Meal>({"clock", "X", "a number"}, numberGiven, &Meal::clock),
        numberOption<Meal>({"top", "K", "a count"}, countGiven, &Meal::top),
        choiceOption<Meal, Taste>({"taste", "T", "of a few"}, "taste",
            {{Taste::Mild, "mild", "Mild"}, {Taste::Hot, "hot", "Hot"}}, &Meal::taste),
        switchOption<Meal>({"big", {}, "a switch"}, &Meal::isBig),
        textOption<Meal>({"name", "N", "a text"}, &Meal::name),
        listOption<Meal>({"dish", "D", "several texts"}, &Meal::dishes),
    });
    return all;
}

Result<Meal> read(std::initializer_list<std::pair<const char*, const char*>> texts) {
    OptionValues values;
    for (const auto& [name, text] : texts)
        values.add(name, text);
    Meal meal;
    const auto status = options().apply(values, meal);
    return status.hasValue() ? Result<Meal>(meal) : Result<Meal>(status.error());
}

bool isUsage(const char* name, const char* text) {
    const auto meal = read({{name, text}});
    return !meal.hasValue() && meal.error().code == ErrorCode::Usage
        && !meal.error().message.empty();
}

} // namespace

class tst_OptionValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsNotGiven() {
        QVERIFY(read({}).value() == Meal());
        QVERIFY(options().given({}).names().empty());
    }

    // 4294967296 is 0 in 32 bits.
    void ranks() {
        QCOMPARE(read({{"rank", "0"}}).value().rank.value_or(-1), 0);
        QCOMPARE(read({{"rank", "16383"}}).value().rank.value_or(-1), 16383);
        for (const char* text : {"-1", "4294967296", "4294967297", "9223372036854775807",
                 "9223372036854775808", "1.5", "one", ""})
            QVERIFY2(isUsage("rank", text), text);
    }

    void times() {
        QCOMPARE(read({{"from", "1.5"}}).value().from.value_or(DurationNs{}).ns,
            std::int64_t{1'500'000'000});
        QCOMPARE(read({{"from", "-0.25"}}).value().from.value_or(DurationNs{}).ns,
            std::int64_t{-250'000'000});
        for (const char* text : {"nan", "-nan", "inf", "-inf", "infinity", "1e300", "-1e10", "x"})
            QVERIFY2(isUsage("from", text), text);
    }

    void numbers() {
        QCOMPARE(read({{"clock", "1e300"}}).value().clock.value_or(0.0), 1e300);
        for (const char* text : {"nan", "inf", "-inf", "1e400"})
            QVERIFY2(isUsage("clock", text), text);
        QCOMPARE(read({{"top", "7"}}).value().top.value_or(0), std::int64_t{7});
        for (const char* text : {"0", "-3", "1000000001", "1.5"})
            QVERIFY2(isUsage("top", text), text);
    }

    void choices() {
        QVERIFY(read({{"taste", "hot"}}).value().taste == Taste::Hot);
        QCOMPARE(read({{"taste", "sour"}}).error().message,
            std::string("There is no taste 'sour'; there are mild and hot."));
        QCOMPARE(options().find("taste")->words.choices[1].title, std::string("Hot"));
        QVERIFY(options().find("colour") == nullptr);
    }

    // The last of several is taken, where it is no list.
    void severalTexts() {
        const auto meal
            = read({{"name", "a"}, {"name", "b"}, {"dish", "soup"}, {"dish", "bread"}}).value();
        QCOMPARE(meal.name, std::string("b"));
        QVERIFY(meal.dishes == (std::vector<std::string>{"soup", "bread"}));
    }

    // Settings as texts are the settings again; usual ones are no texts.
    void backAgain() {
        const Meal meal{3, DurationNs{1'250'000'000}, 0.1, 5, Taste::Hot, true, "x", {"a", "b"}};
        const OptionValues values = options().given(meal);
        QCOMPARE(values.names().size(), std::size_t{8});
        QVERIFY(values.all("from") == Texts{"1.25"});
        Meal again;
        QVERIFY(options().apply(values, again).hasValue());
        QVERIFY(again == meal);
        const Meal hot{{}, {}, {}, {}, Taste::Hot, false, {}, {}};
        QVERIFY(options().given(hot).names() == Texts{"taste"});
        for (const char* name : {"rank", "from", "clock", "top", "taste", "big", "name", "dish"})
            QVERIFY(options().find(name)->set(again, {}).hasValue());
        QVERIFY(again == Meal());
    }

    // A report asks for nothing of kernels, whose bars are what tells most, and for lanes of a
    // timeline.
    void reportsAsk() {
        const Kind& kernels = *findKind("kernels");
        QVERIFY(kernels.inReport(1)->names().empty());
        QVERIFY(kernels.inReport(2)->names().empty());
        QVERIFY(!findKind("parallelism-sweep")->inReport(1));
        QVERIFY(findKind("parallelism-sweep")->inReport(2)->names().empty());
        TimelineAsked lanes;
        lanes.metrics = {"gpu_power", "kernels"};
        const OptionValues values = timelineOptions().given(lanes);
        QVERIFY(values.names() == Texts{"metric"});
        QVERIFY(values.all("metric") == (Texts{"gpu_power", "kernels"}));
    }

    // A statistic is offered as its metric has it.
    void statisticsFollowTheMetric() {
        const auto keysOf = [](plot::FigureQuery query) {
            Texts keys;
            for (const auto& choice : runOptions(query.kind).find("statistic")->choicesNow(query))
                keys.push_back(choice.key);
            return keys;
        };
        plot::FigureQuery query;
        query.metrics = {"gpu_power"};
        QVERIFY(keysOf(query) == (Texts{"mean", "peak", "p99", "min", "energy"}));
        query.metrics = {"nvlink_rx"};
        QVERIFY(keysOf(query) == Texts{"total"});
        query.kind = plot::FigureKind::ParallelismSweep;
        QVERIFY(keysOf(query) == (Texts{"", "total"}));
        QVERIFY(runOptions(plot::FigureKind::Spectrum).find("statistic") == nullptr);
    }

    // Rows of one run and differences of two are grouped by different options.
    void groupings() {
        const auto keysOf = [](const Options<OperatorsAsked>& all) {
            Texts keys;
            for (const auto& choice : all.find("by")->words.choices)
                keys.push_back(choice.key);
            return keys;
        };
        QVERIFY(keysOf(operatorTableOptions())
            == (Texts{"operator", "shape", "module", "annotation", "pass"}));
        QVERIFY(keysOf(differenceOptions()) == (Texts{"path", "operator"}));
        OperatorsAsked asked;
        QVERIFY(!operatorTableOptions().find("by")->set(asked, {"path"}).hasValue());
    }
};

TRAINSCOPE_TEST(tst_OptionValues)
#include "tst_OptionValues.moc"
