#pragma once
// Plan of an import, a row per unit: its run, whether it is imported, and what the user says of it
// (app/importing/ImportFields.h); what cannot be understood makes it invalid. GUI thread only.

#include "app/importing/Import.h"
#include "app/importing/ImportFields.h"
#include "app/viewmodels/window/RowListModel.h"

#include <QQmlEngine>
#include <QString>

namespace trainscope::app {

struct ImportRow : PlannedSource {
    std::string plannedRun; // the name that was proposed
    QString misfit; // reason that a topology cannot be that of its runs; empty: it can
};

class ImportPlanModel : public RowListModel<ImportRow> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the import")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    Q_PROPERTY(bool allSelected READ allSelected NOTIFY changed FINAL)
    Q_PROPERTY(QString totalText READ totalText NOTIFY changed FINAL)

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

    // As the user says of whole runs: the model that most units have, and the airflow.
    [[nodiscard]] std::map<std::string, SaidMachine> machines() const;

    [[nodiscard]] int selectedCount() const;
    [[nodiscard]] bool allSelected() const { return count() > 0 && selectedCount() == count(); }
    [[nodiscard]] bool valid() const { return problem().isEmpty(); }
    [[nodiscard]] std::uint64_t selectedBytes() const;
    [[nodiscard]] QString totalText() const;
    // Reason that the import cannot start; empty when it can.
    [[nodiscard]] QString problem() const;
    // Problem of that row alone; also where it is not to be imported.
    [[nodiscard]] static QString problemOf(const ImportRow& row);

    Q_INVOKABLE void selectAll(bool selected);
    void setSelected(const Units& units, bool selected);
    void setRunName(const Units& units, const QString& text);
    // Says the field of that key of all of them that leave it open.
    void set(const Units& units, const QString& key, const QString& text);
    // Keeps the columns that were said for tables with the same heads.
    void keepColumns() const;

Q_SIGNALS:
    void changed();

private:
    [[nodiscard]] ImportRow* rowAt(int row) {
        return isThere(row) ? &ownRows()[static_cast<std::size_t>(row)] : nullptr;
    }
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
    QString brief; // part of the path that no other has
    QString reason;
    bool operator==(const UnrecognisedRow&) const = default;
};
std::vector<UnrecognisedRow> unrecognisedRows(const std::vector<importers::Unrecognised>& files);

} // namespace trainscope::app
