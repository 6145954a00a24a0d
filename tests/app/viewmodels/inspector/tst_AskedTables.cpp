// A table of the inspector that is read only while it is asked for, and the table of energies that
// it shows.

#include "app/viewmodels/inspector/AskedTables.h"
#include "support/TestProgram.h"

#include <QSignalSpy>
#include <QtTest>

using namespace trainscope;
using namespace trainscope::app;
using analysis::EstimatedEnergy;
using analysis::NoEnergy;
using analysis::PartEnergy;

namespace {

PartEnergy known(double joules, double low, double high) {
    return {EstimatedEnergy{joules, low, high}, {}};
}

// 1,000 J: 700 of compute by two kernels, of which one is told, 300 idle; copies are not told.
analysis::EnergyByPhase plantedEnergy() {
    analysis::EnergyByPhase energy;
    energy.sum.total = known(1000.0, 980.0, 1020.0);
    energy.sum.phases[analysis::Phase::Compute] = known(700.0, 650.0, 750.0);
    energy.sum.phases[analysis::Phase::Copy] = {{}, NoEnergy::NotTold};
    energy.sum.phases[analysis::Phase::Idle] = known(300.0, 280.0, 320.0);
    energy.sum.kernels[{"a_gemm", "gemm"}] = {2.0, known(500.0, 400.0, 600.0)};
    energy.sum.kernels[{"b_norm", "normalisation"}] = {1.0, {{}, NoEnergy::NotTold}};
    energy.sum.kernels[{"", "copy"}] = {1.0, known(50.0, 40.0, 60.0)};
    return energy;
}

} // namespace

class tst_AskedTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void energiesOfPhasesThenOfKernels() {
        const auto made = report::tracedEnergyTable(std::vector{plantedEnergy()});
        QStringList names;
        for (const auto& row : made.table.rows)
            names.push_back(QString::fromStdString(row.front().inCsv()));
        QCOMPARE(names,
            QStringList(
                {QStringLiteral("compute"), QStringLiteral("idle"), QStringLiteral("a_gemm")}));
        QCOMPARE(made.sources[0].name, std::string()); // a phase selects no kernel
        QCOMPARE(made.sources[2].name, std::string("a_gemm"));
        QCOMPARE(
            made.table.notes.front(), "copy: " + std::string(reasonOf(NoEnergy::NotTold)) + ".");
        QCOMPARE(made.table.notes[1],
            std::string("Left out: 1 kernel name, whose energy the readings do not tell."));
    }

    void isShownWhileItIsAskedFor() {
        AskedTables table({QStringLiteral("What?"), {}, QStringLiteral("Reading…")}, 1);
        auto* figures = table.tables().front().value<TableModel*>();
        QSignalSpy selected(&table, &AskedTables::rowSelected);
        const AskedReading reading{{report::tracedEnergyTable(std::vector{plantedEnergy()})}, {4},
            QStringLiteral("Nothing.")};
        table.show(reading);
        QCOMPARE(table.models().front().count(), 0);
        table.setAsked(true);
        table.showDoing();
        QVERIFY(!table.text().isEmpty());
        table.show(reading);
        QCOMPARE(table.models().front().count(), 3);
        QVERIFY(table.text().isEmpty());
        figures->select(0); // a phase
        QVERIFY(selected.isEmpty());
        figures->select(2);
        QCOMPARE(selected.size(), 1);
        QCOMPARE(selected.front().front().value<std::size_t>(), std::size_t{4});
        table.setAsked(false);
        QCOMPARE(table.models().front().count(), 0);
    }

    void saysWhyThereIsNothing() {
        AskedTables table({QStringLiteral("What?"), {}, QStringLiteral("Reading…")}, 1);
        table.setAsked(true);
        table.show(AskedReading{{}, {}, QStringLiteral("Nothing was traced.")});
        QCOMPARE(table.text(), QStringLiteral("Nothing was traced."));
        table.show(Error{ErrorCode::NotFound, "The file is gone.", "/a"});
        QVERIFY(table.text().contains(QStringLiteral("The file is gone.")));
    }
};

TRAINSCOPE_TEST(tst_AskedTables)
#include "tst_AskedTables.moc"
