// Figures of runs that the database keeps: the same as measured, and stale when what they were
// computed from is another.

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/comparison/RunQuantities.h"
#include "core/figures/support/SweepDatabase.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

// 2 GPUs, 11 samples over 10 s: 100 W and 300 W, the second with a sample of 500 W, held 1 s.
SweepRun plantedRun(const std::string& name) {
    SweepRun run;
    run.name = name;
    run.gpus = 2;
    std::vector<double> second(11, 300.0);
    second[5] = 500.0;
    run.series = {{"gpu_power", 0, std::vector<double>(11, 100.0)}, {"gpu_power", 1, second},
        {"gpu_temperature", 0, std::vector<double>(11, 61.0)},
        {"gpu_temperature", 1, std::vector<double>(11, 64.0)}};
    return run;
}

std::vector<std::string> namesOf(const std::vector<UnmeasuredRun>& runs) {
    std::vector<std::string> names;
    for (const UnmeasuredRun& one : runs)
        names.push_back(one.run.name);
    return names;
}

KnownQuantities known(store::Store& store) {
    return knownQuantities(store, store.runs().value()).value();
}

void measureAll(store::Store& store) {
    std::vector<store::KeptFigures> kept;
    for (const UnmeasuredRun& one : known(store).unknown)
        kept.push_back(keptFrom(measureQuantities(store, one).value()));
    QVERIFY(store::keepFigures(store, kept).hasValue());
}

} // namespace

class tst_RunQuantities : public QObject {
    Q_OBJECT

    using Names = std::vector<std::string>;

private Q_SLOTS:
    void keptAsMeasured() {
        SweepDatabase database;
        database.add(plantedRun("a"));
        database.add(plantedRun("b"));
        auto first = known(database.store());
        QVERIFY(first.known.empty());
        QCOMPARE(namesOf(first.unknown), (Names{"a", "b"}));
        measureAll(database.store());
        const auto again = known(database.store());
        QVERIFY(again.unknown.empty());
        QCOMPARE(again.known.size(), 2U);
        const auto value
            = [&again](const char* key) { return again.known[0].values[*listedIndex(key)]; };
        // GPU 1: (9 · 300 + 500) / 10 = 320 W; with GPU 0's 100 W a mean of 210 W and a sum of 420.
        QCOMPARE(value("mean_gpu_power_w"), std::optional(210.0));
        QCOMPARE(value("mean_power_w"), std::optional(420.0));
        QCOMPARE(value("peak_gpu_power_w"), std::optional(500.0));
        QCOMPARE(value("peak_power_w"), std::optional(600.0));
        QCOMPARE(value("peak_temperature_c"), std::optional(64.0));
        QVERIFY(!value("step_time_s"));
        QVERIFY(!again.known[0].absentWhy[*listedIndex("step_time_s")].empty());
        QVERIFY(again.known[0].absentWhy[*listedIndex("mean_gpu_power_w")].empty());
    }

    void staleWhenTheRunIsAnother() {
        SweepDatabase database;
        database.add(plantedRun("a"));
        database.add(plantedRun("b"));
        store::Store& store = database.store();
        const auto stale = [&store] { return namesOf(known(store).unknown); };
        measureAll(store);
        database.add(plantedRun("a")); // imported again
        QCOMPARE(stale(), (Names{"a"}));
        measureAll(store);
        QVERIFY(stale().empty());
        QVERIFY(store::setEnteredLayout(store, database.idOf("b"), R"({"tp":2})").hasValue());
        QCOMPARE(stale(), (Names{"b"}));
        measureAll(store);
        const RunId a = database.idOf("a");
        QVERIFY(store::setTags(store, a, std::vector<std::string>{"paper"}).hasValue());
        QVERIFY(stale().empty()); // no figure depends on tags
        QVERIFY(
            store::renameRun(store, a, "h200_a").hasValue()); // its GPUs may be told by its name
        QCOMPARE(stale(), (Names{"h200_a"}));
    }

    // Whatever it says of a model: its dense layers, too, decide about FLOP.
    void staleWhenTheUsersModelsAreOthers() {
        const QTemporaryDir folder;
        const QByteArray before = qgetenv("XDG_CONFIG_HOME");
        qputenv("XDG_CONFIG_HOME", folder.path().toUtf8());
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("Trainscope")));
        const auto say = [&folder](const QByteArray& more) {
            QFile file(folder.filePath(QStringLiteral("Trainscope/models.json")));
            QVERIFY(file.open(QIODevice::WriteOnly));
            const QByteArray own
                = R"({"models":[{"name":"own","layers":4,"hidden":8,"heads":2,"vocabulary":100,)"
                  R"("experts":4,"experts_per_token":2)";
            file.write(own + more + "}]}");
        };
        say({});
        SweepDatabase database;
        database.add(plantedRun("a"));
        measureAll(database.store());
        QVERIFY(known(database.store()).unknown.empty());
        say(R"(,"dense_layers":2)");
        QCOMPARE(namesOf(known(database.store()).unknown), (Names{"a"}));
        if (before.isNull())
            qunsetenv("XDG_CONFIG_HOME");
        else
            qputenv("XDG_CONFIG_HOME", before);
    }

    void staleWhenTheFormulaIsAnother() {
        SweepDatabase database;
        database.add(plantedRun("a"));
        store::Store& store = database.store();
        measureAll(store);
        auto kept = store::keptFigures(store).value();
        // As another program's formulas would have it.
        kept.front().basis[0] = kept.front().basis[0] == '0' ? '1' : '0';
        QVERIFY(store::keepFigures(store, kept).hasValue());
        QCOMPARE(namesOf(known(store).unknown), (Names{"a"}));
    }
};

TRAINSCOPE_TEST(tst_RunQuantities)
#include "tst_RunQuantities.moc"
