#pragma once
// Plan of an import, one row per unit: the run, rank, clock and time zone that each source gets.
// Names, ranks, clocks, offsets, models of GPUs and whether to import at all can be edited, of one
// unit or of several at once; a text that cannot be used stays as typed and makes the plan invalid.
// GUI thread only.

#include "app/importing/Import.h"
#include "app/viewmodels/window/RowListModel.h"
#include "importers/common/Importer.h"

#include <QQmlEngine>
#include <QString>

#include <map>
#include <string>
#include <vector>

namespace trainscope::app {

struct ImportRow {
    importers::ImportUnit unit;
    QString rank; // text; empty: the source says which ranks
    // Text: "UTC+02:00"; empty: the stamps are UTC. Of a source without dates when it began.
    QString offset;
    // Time between readings of a source without stamps; empty: 1 s.
    QString period;
    QString gpuModel; // as the user says; empty: as recorded, else inferred
    // Columns of a table with names of its own: "P_tot=gpu_power[mW]; note=ignore"; empty: as
    // understood.
    QString columns;
    QString airflow; // indices of a node's GPUs from front to rear; empty: as temperatures tell
    QString gpuHint; // what is recorded, or what names tell: "H100 SXM5 (inferred)"; may be empty
    std::string plannedRun; // the name that was proposed
    QString misfit; // why a topology cannot be that of its runs; empty: it can
    bool rankFaulty = false;
    bool offsetFaulty = false;
    bool periodFaulty = false;
    bool columnsFaulty = false;
    bool airflowFaulty = false;

    // Runs of which this is a source, with a name, a clock and GPUs that can be said: neither what
    // describes machines nor a run database, which is merged as it is.
    [[nodiscard]] bool isSource() const { return !unit.machine && !isRunDatabase(unit); }
};
// The power of its run may tell the moment, or the zone, of what it has.
bool isToldByPower(const ImportRow& row);

class ImportPlanModel : public RowListModel<ImportRow> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the import")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    Q_PROPERTY(bool allSelected READ allSelected NOTIFY changed FINAL)
    Q_PROPERTY(QString totalText READ totalText NOTIFY changed FINAL)
    // Reason that the import cannot start; empty when it can.
    Q_PROPERTY(QString problem READ problem NOTIFY changed FINAL)

public:
    using Units = std::vector<int>; // rows

    explicit ImportPlanModel(QObject* parent = nullptr);

    void setUnits(std::vector<importers::ImportUnit> units);
    // Replaces names, ranks, zones and notes that `before` proposed and the user has not changed by
    // those that `now` proposes; both in the order of setUnits().
    void changeProposals(const std::vector<importers::ImportUnit>& before,
        const std::vector<importers::ImportUnit>& now);
    // The units with the user's changes.
    [[nodiscard]] std::vector<importers::ImportUnit> units() const;
    // Runs of the database that takes the import, for topologies that are to describe them.
    void setKnownRuns(std::vector<Run> runs);
    [[nodiscard]] const std::vector<Run>& knownRuns() const { return m_knownRuns; }

    // Models of GPUs that the user says of whole runs: what most of a run's units say.
    [[nodiscard]] std::map<std::string, std::string> gpuModels() const;

    // The same with the orders of the air.
    [[nodiscard]] std::map<std::string, SaidMachine> machines() const;

    [[nodiscard]] int selectedCount() const;
    [[nodiscard]] bool allSelected() const { return count() > 0 && selectedCount() == count(); }
    [[nodiscard]] bool valid() const { return problem().isEmpty(); }
    [[nodiscard]] std::uint64_t selectedBytes() const;
    [[nodiscard]] QString totalText() const;
    [[nodiscard]] QString problem() const;
    // Problem of that row alone; also where it is not to be imported.
    [[nodiscard]] static QString problemOf(const ImportRow& row);

    Q_INVOKABLE void setSelected(int row, bool selected) { setSelected(Units{row}, selected); }
    Q_INVOKABLE void selectAll(bool selected);
    Q_INVOKABLE void setRunName(int row, const QString& text) { setRunName(Units{row}, text); }
    Q_INVOKABLE void setRank(int row, const QString& text);
    Q_INVOKABLE void setOffset(int row, const QString& text) { setOffset(Units{row}, text); }
    // Sets the period of a source without stamps: "100 ms"; empty for 1 s.
    void setPeriod(int row, const QString& text);
    // Says which of day and month is first in dates that can be read in two ways.
    void setDates(const Units& units, importers::DateOrder order);
    // Says columns of tables whose names are their own; empty: as they were understood.
    void setColumns(const Units& units, const QString& text);
    // Keeps the columns that were said for tables with the same heads.
    void keepColumns() const;
    // The same offset for every source with a local clock.

    void setSelected(const Units& units, bool selected);
    void setRunName(const Units& units, const QString& text);
    // An offset from UTC or the name of a time zone, of those whose stamps have none; empty for
    // UTC, or for what its run's power tells of a log. Of a source without dates the moment when it
    // began, empty for what its run's power tells.
    void setOffset(const Units& units, const QString& text);
    // Stamps without zone are UTC, or of a local clock.
    void setUtc(const Units& units, bool isUtc);
    // Empty: as recorded, else inferred.
    void setGpuModel(const Units& units, const QString& text);
    // Sets the airflow of whole runs: "4, 5, 6, 7, 0, 1, 2, 3".
    void setAirflow(const Units& units, const QString& text);

Q_SIGNALS:
    void changed();

private:
    [[nodiscard]] ImportRow* rowAt(int row);
    [[nodiscard]] Units allUnits() const;
    // Calls change(row) for each of the rows that is there; true: it did. Tells once.
    template <typename Change>
    void edit(const Units& units, const Change& change);
    void edited(int first, int last);
    void checkMachines();
    [[nodiscard]] QString misfitOf(const importers::ImportUnit& unit) const;
    // The GPUs of one of its nodes as far as the plan, or the database, tells.
    [[nodiscard]] std::vector<Gpu> nodeOf(
        const std::string& run, const importers::MachineUnit& machine) const;
    // Topologies stay with the runs that they lie beside when these get other names.
    void followRun(const std::string& before, const std::string& now);

    std::vector<Run> m_knownRuns;
};

// The files that nobody recognised, each with the reason.
struct UnrecognisedRow {
    QString path;
    QString brief; // of the path, what tells it from the others
    QString reason;
    bool operator==(const UnrecognisedRow&) const = default;
};
class UnrecognisedModel : public RowListModel<UnrecognisedRow> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the import")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit UnrecognisedModel(QObject* parent = nullptr);
    void setFiles(const std::vector<importers::Unrecognised>& files);
};

} // namespace trainscope::app
