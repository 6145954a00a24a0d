// The list of kinds: what every one of them says of itself, and how it refuses what it cannot take.

#include "core/figures/Kinds.h"
#include "core/figures/Option.h"
#include "core/figures/operators/OperatorsFigure.h"
#include "core/figures/runs/RunFigures.h"
#include "core/figures/support/SweepDatabase.h"
#include "core/figures/timeline/TimelineFigure.h"
#include "core/model/LaunchConfig.h"
#include "support/TestProgram.h"

using namespace trainscope::figures;
using namespace trainscope::plot;
using namespace trainscope::test;

namespace {

// As the command line lists them.
const std::string kOfJob
    = "--model, --cluster, --layout, --micro-batch, --global-batch, --seq-len, --precision, "
      "--recompute, --offload, --workload, --generated, --adapters, --unfused-attention, "
      "--context-exchange, --attention-precision, --cuda-graphs, --stack, --network-gbit, "
      "--power-limit, --clock";
const std::string kOfSearch
    = kOfJob + ", --against, --objective, --top, --memory-share, --cluster-power";
const std::string kOfDecision = kOfSearch
    + ", --tokens, --gpu-hours-between, --checkpoint-interval, --checkpoint-time, --restart-time, "
      "--slow-nodes, --slow-by";

struct Taken {
    const char* kind;
    std::string options;
};
const std::vector<Taken> kTaken{
    {"overview", "no options of its own"},
    {"iterations", "--rank, --iteration"},
    {"timeline", "--metric, --rank, --align, --axis, --from, --to, --align-clocks, --path, --mark"},
    {"parallelism-sweep",
        "--metric, --statistic, --normalise, --model, --optimization, --whole-run"},
    {"optimization-sweep",
        "--metric, --statistic, --normalise, --model, --optimization, --whole-run"},
    {"microbatch-sweep",
        "--metric, --statistic, --normalise, --model, --optimization, --whole-run"},
    {"heatmap", "--metric, --statistic, --log, --model, --optimization, --whole-run"},
    {"kernels", "--per, --normalise, --categories, --model, --optimization, --whole-run"},
    {"stage-breakdown", "--per, --normalise, --categories, --model, --optimization, --whole-run"},
    {"spectrum", "--log, --model, --optimization, --whole-run"},
    {"history", "--model, --optimization, --whole-run"},
    {"comparison",
        "--metric, --whole-run, --per, --iteration, --stacked, --stretch, --capture, --saved, "
        "--sort"},
    {"comparison-board",
        "--metric, --whole-run, --per, --iteration, --stacked, --stretch, --capture, --saved, "
        "--sort, --panels"},
    {"comparison-breakdown",
        "--metric, --whole-run, --per, --iteration, --stacked, --stretch, --capture, --saved, "
        "--sort"},
    {"comparison-timeline",
        "--metric, --whole-run, --per, --iteration, --stacked, --stretch, --capture, --saved, "
        "--sort"},
    {"layout", "--colour, --metric, --statistic, --at, --whole-run, --rank"},
    {"schedule", "--iteration, --planned, --from, --to"},
    {"placement", "no options of its own"},
    {"prediction", kOfJob},
    {"prediction-tracks", kOfJob},
    {"decision", kOfDecision},
    {"operators-flame", "--rank, --from, --to, --colour, --frame, --python"},
    {"operators-roofline", "--rank, --from, --to, --by"},
    {"operators-table", "--rank, --from, --to, --by, --top"},
    {"operators-difference", "--rank, --by, --top"},
    {"critical-path", "--capture, --iteration, --if"},
    {"replay", "--capture, --iteration, --if"},
    {"waits", "--capture, --iteration, --if"},
};

using Given = std::vector<std::pair<const char*, const char*>>;
struct Refused {
    const char* kind;
    Given options;
    ErrorCode code;
    const char* message; // its begin
};
constexpr auto kUsage = ErrorCode::Usage;
constexpr auto kNoStatistic = "There is no statistic 'best'; there are mean, peak, p99, min, "
                              "total, energy, first and last.";
const std::vector<Refused> kRefused{
    {"timeline", {{"rank", "x"}}, kUsage, "--rank takes a number, not 'x'."},
    {"timeline", {{"rank", "4294967296"}}, kUsage,
        "--rank takes the number of a rank, not 4294967296."},
    {"timeline", {{"from", "nan"}}, kUsage, "--from takes a number, not 'nan'."},
    {"timeline", {{"to", "1e300"}}, kUsage, "--to 1e300 is no time of a run: give seconds"},
    {"timeline", {{"from", "soon"}}, kUsage, "--from takes a number, not 'soon'."},
    {"timeline", {{"from", "9"}, {"to", "3"}}, kUsage, "The window is empty: --from must lie"},
    {"timeline", {{"metric", "nope"}}, ErrorCode::NotFound,
        "The runs have no metric 'nope'. They have: gpu_temperature, and kernels."},
    {"parallelism-sweep", {{"statistic", "best"}}, kUsage, kNoStatistic},
    {"optimization-sweep", {{"metric", "nope"}}, ErrorCode::NotFound,
        "The runs have no metric 'nope'. They have: gpu_temperature."},
    {"microbatch-sweep", {{"metric", "gpu_temperature"}, {"statistic", "energy"}}, kUsage,
        "'energy' does not apply to gpu_temperature: totals are those of counters, energy that of "
        "gpu_power, first and last those of what progresses, as the loss."},
    {"heatmap", {{"statistic", "best"}}, kUsage, kNoStatistic},
    {"kernels", {{"per", "node"}}, kUsage,
        "There is no division 'node'; there are auto, run, capture, stage and rank."},
    {"stage-breakdown", {{"per", "gpu"}}, kUsage,
        "There is no division 'gpu'; there are auto, run, capture, stage and rank."},
    {"comparison", {{"metric", "nope"}}, kUsage,
        "There is no quantity 'nope'; there are step_time_s, "},
    {"comparison-board", {{"per", "x"}}, kUsage,
        "There is no division 'x'; there are run, stage, gpu, node and token for a comparison."},
    {"comparison-breakdown", {{"sort", "nope"}}, kUsage, "There is no quantity 'nope'; there are"},
    {"comparison-timeline", {{"iteration", "x"}}, kUsage, "--iteration takes a number, not 'x'."},
    {"layout", {{"at", "x"}}, kUsage, "--at takes a number, not 'x'."},
    {"layout", {{"at", "inf"}}, kUsage, "--at takes a number, not 'inf'."},
    {"layout", {{"colour", "tensor"}, {"at", "1"}}, kUsage,
        "--at and --statistic speak of a metric, not of tensor; give one with --colour."},
    {"layout", {{"statistic", "total"}}, kUsage,
        "'total' does not apply to gpu_temperature: totals are those of counters, energy that of "
        "gpu_power, first and last those of what progresses, as the loss."},
    {"layout", {{"colour", "pcie_rx"}, {"statistic", "peak"}}, kUsage,
        "'peak' does not apply to pcie_rx: totals are those of counters, energy that of gpu_power, "
        "first and last those of what progresses, as the loss."},
    {"layout", {{"rank", "x"}}, kUsage, "--rank takes a number, not 'x'."},
    {"schedule", {{"planned", ""}, {"iteration", "1"}}, kUsage,
        "The plan is the same in every iteration; give --planned or --iteration."},
    {"schedule", {{"to", "x"}}, kUsage, "--to takes a number, not 'x'."},
    {"decision", {{"tokens", "lots"}}, kUsage, "Tokens to train on are a number above 0, as in "},
    {"prediction", {{"clock", "x"}}, kUsage, "--clock takes a number, not 'x'."},
    {"prediction", {{"micro-batch", "0"}}, kUsage,
        "--micro-batch takes a number above 0, not '0'."},
    {"prediction", {{"clock", "0"}}, kUsage, "--clock takes a number above 0, not '0'."},
    {"prediction", {{"recompute", "block:0"}}, kUsage, "There is no recomputation 'block:0'; "},
    {"prediction", {{"offload", "optimizer:2"}}, kUsage,
        "There is no part that is offloaded 'optimizer:2'; "},
    {"prediction", {{"generated", "-1"}}, kUsage,
        "--generated takes a whole number of 0 or more, not '-1'."},
    {"prediction", {{"adapters", "16:qkv"}}, kUsage, "Adapters are of the workload lora."},
    {"prediction", {{"stack", "bogus"}}, kUsage, "There is no software stack 'bogus'; "},
    {"prediction", {{"workload", "x"}}, kUsage,
        "There is no workload 'x'; there are training, lora and inference."},
    {"decision", {{"restart-time", "-1"}}, kUsage,
        "--restart-time takes a number of 0 or more, not '-1'."},
    {"decision", {{"slow-nodes", "2"}}, kUsage, "--slow-nodes takes a share from 0 to 1, not '2'."},
    {"prediction", {{"model", "gpt-9"}}, kUsage, "There is no model of the catalogue 'gpt-9'; "},
    {"prediction", {{"layout", "tp"}}, kUsage, "\"tp\" is no part of a layout"},
    {"operators-flame", {{"rank", "4294967296"}}, kUsage, "--rank takes the number of a rank"},
    {"operators-flame", {{"from", "nan"}}, kUsage, "--from takes a number, not 'nan'."},
    {"operators-flame", {{"colour", "red"}}, kUsage,
        "There is no colour 'red'; there are pass and category."},
    {"operators-flame", {{"from", "9"}, {"to", "3"}}, kUsage,
        "The window is empty: --from must lie before --to."},
    {"operators-roofline", {{"by", "node"}}, kUsage,
        "There is no grouping 'node'; there are operator, shape, module, annotation and pass."},
    {"operators-table", {{"top", "0"}}, kUsage, "--top takes a number above 0, not '0'."},
    {"operators-difference", {{"by", "shape"}}, kUsage,
        "There is no grouping 'shape'; there are path and operator."},
};

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

class tst_Kinds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void filesAreNamedByViewAndRun() {
        QCOMPARE(fileNameOf("timeline", {{RunId{1}, "llama3-70b h100"}}),
            std::string("timeline-llama3-70b-h100"));
        QCOMPARE(fileNameOf("comparison", {{RunId{1}, "sweep/a"}, {RunId{2}, "sweep/b"}}),
            std::string("comparison-sweep-a-and-sweep-b"));
        QCOMPARE(fileNameOf("heatmap", {{RunId{1}, "a"}, {RunId{2}, "b"}, {RunId{3}, "c"}}),
            std::string("heatmap-3-runs"));
        QCOMPARE(fileNameOf("query", {}), std::string("query"));
        // No way out of the folder.
        QCOMPARE(fileNameOf("timeline", {{RunId{1}, "../../etc/passwd"}}),
            std::string("timeline-..-..-etc-passwd"));
        QVERIFY(fileNameOf("timeline", {{RunId{1}, std::string(400, 'x')}}).size() < 80);
    }

    void initTestCase() {
        for (const char* name : {"a", "b"}) {
            SweepRun run;
            run.name = name;
            run.launch = launchOf("gpt", 2, 1, false, false);
            run.gpus = 2;
            for (const int rank : {0, 1})
                run.series.push_back({"gpu_temperature", rank, {50.0, 51.0, 52.0}});
            m_database.add(run);
        }
    }

    void everyKindIsListedOnce() {
        std::string list;
        std::vector<std::string> keys;
        for (const Taken& taken : kTaken) {
            keys.emplace_back(taken.kind);
            list += (list.empty() ? "" : ", ") + keys.back();
        }
        QCOMPARE(kindList(), list);
        QCOMPARE(kinds().size(), keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) {
            QCOMPARE(std::string(kinds()[i].key), keys[i]);
            QCOMPARE(findKind(keys[i]), &kinds()[i]);
        }
        QVERIFY(findKind("pie") == nullptr);
    }

    // Help texts are joined by ". ", so they end without a stop.
    void everyOptionIsWorded() {
        for (const Kind& kind : kinds()) {
            std::set<std::string_view> names;
            for (const Option& option : kind.options) {
                const std::string where = std::string(kind.key) + " --" + std::string(option.name);
                QVERIFY2(names.insert(option.name).second, where.c_str());
                QVERIFY2(option.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-")
                        == std::string_view::npos,
                    where.c_str());
                QVERIFY2(option.help.size() > 8 && !option.help.ends_with('.'), where.c_str());
                QVERIFY2(!option.isList || !option.value.empty(), where.c_str());
            }
        }
    }

    void foreignOptionsAreRefused() {
        for (const Taken& taken : kTaken) {
            const auto figure = loaded(taken.kind, {{"nonsense", "1"}});
            QVERIFY2(!figure.hasValue(), taken.kind);
            QCOMPARE(figure.error().code, ErrorCode::Usage);
            QCOMPARE(figure.error().message,
                "--nonsense does not apply to a figure of the kind " + std::string(taken.kind)
                    + ", which takes " + taken.options + ".");
        }
    }

    void valuesThatCannotBeAreRefused() {
        for (const Refused& refused : kRefused) {
            const auto figure = loaded(refused.kind, refused.options);
            QVERIFY2(!figure.hasValue(), refused.message);
            QVERIFY2(figure.error().message.starts_with(refused.message),
                figure.error().message.c_str());
            QCOMPARE(figure.error().code, refused.code);
        }
    }

    // One name of a metric may be a part of another.
    void everyMetricIsNamed() {
        SweepDatabase database;
        SweepRun run;
        run.name = "a";
        run.gpus = 1;
        database.add(run);
        auto session = store::beginImport(database.store(), {"/data/own", 1, "", "a"}).value();
        const RunId id = database.idOf("a");
        for (const char* name : {"an_inner_part", "inner"}) {
            SeriesDescription description;
            description.metric = {name, "W", MetricKind::Gauge, "test"};
            description.subject = {SubjectKind::Gpu, 0, -1, {}};
            const auto series = session->series(id, description).value();
            const std::vector<TimeNs> times{{test::kBegin}, {test::kBegin + test::kSecond}};
            QVERIFY(session->samples(series, times, std::vector<double>{1.0, 2.0}).hasValue());
        }
        QVERIFY(session->finish({}, "a", 1, {}).hasValue());
        Request request;
        request.runs = database.store().runs().value();
        request.options.add("metric", "nope");
        const auto figure = load(*findKind("timeline"), database.store(), request);
        QVERIFY(!figure.hasValue());
        QCOMPARE(figure.error().message,
            std::string(
                "The runs have no metric 'nope'. They have: an_inner_part, inner, and kernels."));
    }

    void aComparisonNeedsTwoRuns() {
        Request request;
        request.runs = {m_database.store().runs().value().front()};
        const auto figure = load(*findKind("comparison"), m_database.store(), request);
        QVERIFY(!figure.hasValue());
        QCOMPARE(figure.error().message,
            std::string("A comparison needs two runs, or two captures of one: give --run or "
                        "--capture twice or more."));
    }

    // An option as one value: the texts that it takes, the settings that they make, and back.

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

private:
    Result<Figure> loaded(const char* kind, const Given& options) {
        Request request;
        request.runs = m_database.store().runs().value();
        for (const auto& [name, value] : options)
            request.options.add(name, value);
        return load(*findKind(kind), m_database.store(), request);
    }

    SweepDatabase m_database;
};

TRAINSCOPE_TEST(tst_Kinds)
#include "tst_Kinds.moc"
