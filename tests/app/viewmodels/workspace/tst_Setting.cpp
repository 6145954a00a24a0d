// A setting as one value: its control, a choice, and what is remembered; and what was remembered
// before, which opens as it did.

#include "app/viewmodels/layout/LayoutSettings.h"
#include "app/viewmodels/operators/OperatorsSettings.h"
#include "app/viewmodels/workspace/Setting.h"
#include "app/viewmodels/workspace/ViewFile.h"
#include "app/viewmodels/workspace/Workspace.h"
#include "support/TestProgram.h"

using namespace trainscope::app;
using app::SavedTimeline;

namespace {

struct Sauce {
    QString kind = QStringLiteral("mild");
    bool isHot = false;
    bool operator==(const Sauce&) const = default;
};

using SauceList = SettingList<Sauce, int>;

// As many kinds as are offered.
SauceList sauces() {
    return SauceList({{QStringLiteral("kind"), [](const auto& all) { return all.kind; },
                          [](auto& all, const auto& value) { all.kind = value.toString(); },
                          [](const auto&, int offers) -> std::optional<SettingControl> {
                              SettingControl control{QStringLiteral("Kind"), {},
                                  {{QStringLiteral("Mild"), QStringLiteral("mild")},
                                      {QStringLiteral("Sour"), QStringLiteral("sour")}}};
                              control.choices.resize(static_cast<std::size_t>(offers));
                              return control;
                          },
                          QStringLiteral("kept_kind")},
        {QStringLiteral("hot"), [](const auto& all) { return all.isHot; },
            [](auto& all, const auto& value) { all.isHot = value.toBool(); },
            [](const auto& all, int) -> std::optional<SettingControl> {
                if (all.kind == QStringLiteral("sour"))
                    return std::nullopt;
                return switchControl(QStringLiteral("Hot"), {});
            }}});
}

QJsonObject json(const char* text) {
    return QJsonDocument::fromJson(text).object();
}

} // namespace

class tst_Setting : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void controlsAreWhatCanBeChosenNow() {
        const auto rows = sauces().rows({QStringLiteral("mild"), true}, 2);
        QCOMPARE(rows.size(), std::size_t{2});
        QCOMPARE(rows[0].choices, test::texts("Mild", "Sour"));
        QCOMPARE(rows[0].current, 0);
        QVERIFY(rows[1].isSwitch && rows[1].choices.isEmpty());
        QCOMPARE(rows[1].current, 1);
        QCOMPARE(sauces().rows({QStringLiteral("sour"), true}, 2).size(), std::size_t{1});
    }

    void onlyOfferedChoicesAreTaken() {
        const Sauce mild;
        QCOMPARE(sauces().with(mild, 2, QStringLiteral("kind"), 1).kind, QStringLiteral("sour"));
        QVERIFY(sauces().with(mild, 1, QStringLiteral("kind"), 1) == mild);
        QVERIFY(sauces().with(mild, 2, QStringLiteral("kind"), -1) == mild);
        QVERIFY(sauces().with(mild, 2, QStringLiteral("colour"), 0) == mild);
        QVERIFY(sauces().with(mild, 2, QStringLiteral("hot"), 1).isHot);
        const Sauce sour{QStringLiteral("sour"), false}; // has no such control
        QVERIFY(sauces().with(sour, 2, QStringLiteral("hot"), 1) == sour);
    }

    void areRemembered() {
        const Sauce sour{QStringLiteral("sour"), true};
        QCOMPARE(sauces().kept(sour), json(R"({"kept_kind":"sour","hot":true})"));
        QVERIFY(sauces().restored({}, sauces().kept(sour)) == sour);
        QVERIFY(sauces().restored(sour, {}) == sour);
    }

    // Texts as versions before wrote them.
    void whatWasSavedBeforeOpens() {
        const auto sweep = restoredSettings(Views::Sweep,
            json(R"({"kind":"microbatch-sweep","shown_runs_only":true,"metric":"","statistic":"",
            "log":false,"whole_run":true,"per":"stage","normalise":true,"categories":"charllm",
            "model":"gpt","optimisation":""})"));
        QVERIFY(sweep.query.kind == plot::FigureKind::MicrobatchSweep);
        QVERIFY(sweep.shownRunsOnly && sweep.query.wholeRun && sweep.query.normalise);
        QCOMPARE(sweep.query.model, std::string("gpt"));
        const auto heat = restoredSettings(Views::Heatmap,
            json(R"({"kind":"heatmap","metric":"gpu_power","statistic":"p99","log":true})"));
        QVERIFY(heat.query.metrics == (std::vector<std::string>{"gpu_power"}));
        QVERIFY(heat.query.statistic == (std::optional(plot::FigureStatistic::P99)));
        QVERIFY(heat.query.logScale);
        const auto layout = layoutSettings().restored(
            {}, json(R"({"colour":"stage","metric":"gpu_power","statistic":"mean","lit":"tensor",
            "whole_step":true})"));
        QVERIFY(layout.by == (plot::RankColour::Pipeline));
        QCOMPARE(layout.metric, std::string("gpu_power"));
        QVERIFY(layout.statistic == (std::optional(plot::FigureStatistic::Mean)));
        QVERIFY(layout.wholeStep);
        const auto operators = operatorsSettings().restored(
            {}, json(R"({"rank":3,"of":2,"by":4,"picture":1,"colour":1,"python":true,
            "against":"other"})"));
        QCOMPARE(operators.rank, 3);
        QVERIFY(operators.of == (OperatorsOf::Selection));
        QCOMPARE(static_cast<int>(operators.by), 4);
        QVERIFY(operators.picture == (OperatorsPicture::Roofline));
        QVERIFY(operators.flame.python && operators.against == "other");
        QVERIFY(operators.flame.colouring == plot::FlameColouring::Category);
        QCOMPARE(operatorsSettings().restored({}, json(R"({"rank":-7,"by":99})")).rank, -1);
    }

    // A choice of a metric is the colour by values and the metric; another colour keeps the metric.
    void colourOfRanks() {
        LayoutChoices choices;
        choices.metrics = {{"gpu_power", "Power"}, {"gpu_temperature", "Temperature"}};
        choices.hasLayout = true;
        auto chosen = layoutSettings().with({}, choices, QStringLiteral("colour"), 0);
        QVERIFY(chosen.by == (plot::RankColour::Value));
        QCOMPARE(chosen.metric, std::string("gpu_power"));
        chosen = layoutSettings().with(chosen, choices, QStringLiteral("colour"), 3);
        QVERIFY(chosen.by == (plot::RankColour::Pipeline));
        QCOMPARE(chosen.metric, std::string("gpu_power"));
        QCOMPARE(layoutSettings().kept(chosen).value(QStringLiteral("colour")).toString(),
            QStringLiteral("stage"));
    }

    // Folders by which lists of runs are grouped.
    void ofOneSource() {
        // A file, and a folder with and without a slash behind it.
        QVERIFY(sourceFolders({{{1}, "/data/a/r1.csv"}, {{2}, "/data/a/r2"}, {{3}, "/data/b/r3/"}})
            == (Folders{{{1}, "/data/a"}, {{2}, "/data/a"}, {{3}, "/data/b"}}));
    }

    void ofSeveralSources() {
        // A folder of its own, traces below it.
        QVERIFY(sourceFolders({{{1}, "/s/r1/rank0.json"}, {{1}, "/s/r1/deep/rank1.json"},
                    {{2}, "/s/r2/rank0.json"}, {{2}, "/s/r2/rank1.json"}})
            == (Folders{{{1}, "/s"}, {{2}, "/s"}}));
        // Files of two runs side by side.
        QVERIFY(sourceFolders({{{1}, "/s/r1.csv"}, {{1}, "/s/r1.yaml"}, {{2}, "/s/r2.csv"},
                    {{2}, "/s/r2.yaml"}})
            == (Folders{{{1}, "/s"}, {{2}, "/s"}}));
    }

    // View settings that are remembered per database.
    void comesBackAsItWas() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("deep/er"));
        QVERIFY(app::writeTimeline(path, "uuid-1", full()).hasValue());
        QVERIFY(app::readTimeline(path, "uuid-1") == full());
        QVERIFY(app::readTimeline(path, "uuid-2") == SavedTimeline{});
    }
    void nonsenseIsLeftOut() {
        QVERIFY(app::decodeTimeline("not json") == SavedTimeline{});
        const SavedTimeline view = app::decodeTimeline(
            R"({"lanes":[{"style":"pie"},{"style":"heat","metric":"m","height":-5}],"time":7,"marks":[{"begin_ns":"x"}]})");
        QVERIFY(view.arrangement.has_value());
        QCOMPARE(view.arrangement->lanes.size(), std::size_t{1});
        QVERIFY(view.arrangement->lanes.front().height > 0.0);
        QVERIFY(view.marks.empty());
    }
    void aFolderThatCannotBeMadeIsAnError() {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("file")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const Status written
            = app::writeTimeline(folder.filePath(QStringLiteral("file/below")), "u", full());
        QVERIFY(!written.hasValue());
        QVERIFY(written.error().code == ErrorCode::Io);
    }

private:
    using Paths = std::vector<std::pair<RunId, std::string>>;
    using Folders = std::map<RunId, std::string>;

    static SavedTimeline full() {
        SavedTimeline view;
        view.arrangement = plot::Arrangement{{{plot::LaneStyle::Heat, "gpu_power", {}, 77.0},
            {plot::LaneStyle::Thread, "", 3, 200.0}}};
        // Not a multiple of 2^8: a double would lose it.
        view.marks
            = {{"a/b run", {{1'700'000'000'123'456'789}, {1'700'000'000'123'456'790}}, "Spike ↑"}};
        view.display = plot::TimeDisplay::Utc;
        return view;
    }
};

TRAINSCOPE_TEST(tst_Setting)
#include "tst_Setting.moc"
