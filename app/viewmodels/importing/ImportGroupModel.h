#pragma once
// The plan of an import as the sheet shows it: one row per run that will be, folded, with what its
// files are; unfolded, the remarks on them and a row per source. What is edited on a run's row is
// edited of all its sources. Runs can be marked to edit several at once, merged and split.
// GUI thread only.

#include "app/viewmodels/importing/ImportGroupRow.h"
#include "app/viewmodels/importing/ImportPlanModel.h"
#include "app/viewmodels/window/RowListModel.h"

#include <QQmlEngine>
#include <QString>
#include <QStringList>

#include <vector>

namespace trainscope::app {

class ImportGroupModel : public RowListModel<ImportGroupRow> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the import")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    Q_PROPERTY(QStringList clockChoices READ clockChoices CONSTANT FINAL)
    Q_PROPERTY(QStringList dateChoices READ dateChoices CONSTANT FINAL)
    // Runs that a topology can be said to describe.
    Q_PROPERTY(QStringList runChoices READ runChoices NOTIFY changed FINAL)
    Q_PROPERTY(int markedCount READ markedCount NOTIFY changed FINAL)
    // Runs that the fields above the list edit: "All 10 runs", "2 of 10 runs".
    Q_PROPERTY(QString scopeText READ scopeText NOTIFY changed FINAL)
    Q_PROPERTY(bool scopeHasClocks READ scopeHasClocks NOTIFY changed FINAL)
    Q_PROPERTY(bool splittable READ isSplittable NOTIFY changed FINAL)

public:
    enum Kind { Run, Remark, Source };
    Q_ENUM(Kind)

    // `plan` must outlive this.
    explicit ImportGroupModel(ImportPlanModel& plan, QObject* parent = nullptr);

    [[nodiscard]] static QStringList clockChoices();
    [[nodiscard]] static QStringList dateChoices(); // in the order of importers::DateOrder
    [[nodiscard]] QStringList runChoices() const;
    [[nodiscard]] int markedCount() const;
    [[nodiscard]] QString scopeText() const;
    [[nodiscard]] bool scopeHasClocks() const;
    [[nodiscard]] bool isSplittable() const;

    // Actions on a row; those on a run's row are for all of its sources.
    Q_INVOKABLE void toggle(int row); // folds and unfolds
    Q_INVOKABLE void setSelected(int row, bool selected);
    // While it is typed. Sources move to the run of that name when settleNames() is called.
    Q_INVOKABLE void setRunName(int row, const QString& text);
    Q_INVOKABLE void settleNames() { regroup(); }
    Q_INVOKABLE void setRank(int row, const QString& text);
    Q_INVOKABLE void setPeriod(int row, const QString& text);
    Q_INVOKABLE void setClock(int row, int choice);
    Q_INVOKABLE void setDates(int row, int choice);
    Q_INVOKABLE void setColumns(int row, const QString& text);
    Q_INVOKABLE void setOffset(int row, const QString& text);
    Q_INVOKABLE void setGpuModel(int row, const QString& text);
    Q_INVOKABLE void setAirflow(int row, const QString& text);

    // Marks this run alone; `adding` it, or `extending` from the one marked before.
    Q_INVOKABLE void mark(int row, bool adding, bool extending);
    Q_INVOKABLE void clearMarks();

    // Actions on the marked runs, on all where none is marked.
    Q_INVOKABLE void setScopeSelected(bool selected) { m_plan.setSelected(scope(), selected); }
    Q_INVOKABLE void setScopeClock(int choice) { m_plan.setUtc(scope(), choice == kClockAsUtc); }
    Q_INVOKABLE void setScopeOffset(const QString& text) { m_plan.setOffset(scope(), text); }
    Q_INVOKABLE void setScopeGpuModel(const QString& text) { m_plan.setGpuModel(scope(), text); }
    // The marked runs become one, under the name of the first.
    Q_INVOKABLE void merge();
    // The marked runs become those that were proposed, else one for each source.
    Q_INVOKABLE void split();

Q_SIGNALS:
    void changed();

private:
    using Units = ImportPlanModel::Units;
    struct Group {
        int id = 0;
        Units units;
        bool isUnfolded = false;
        bool isMarked = false;
    };

    void begin();
    void regroup();
    void sortByRank(Units& units) const;
    void refresh();
    void show(std::vector<ImportGroupRow> wanted);
    [[nodiscard]] ImportGroupRow rowOf(const Group& group) const;
    [[nodiscard]] ImportGroupRow rowOf(const Group& group, int unit) const;
    [[nodiscard]] std::vector<ImportGroupRow> remarksOf(const Group& group) const;
    [[nodiscard]] const ImportRow& planned(int unit) const;
    [[nodiscard]] Group* groupAt(int row);
    [[nodiscard]] Units unitsAt(int row);
    [[nodiscard]] Units scope() const;
    [[nodiscard]] std::string nameOf(const Group& group) const;
    [[nodiscard]] std::vector<std::pair<std::string, Units>> partsOf(const Group& group) const;

    ImportPlanModel& m_plan;
    std::vector<Group> m_groups;
    int m_nextId = 0;
    int m_anchor = -1; // id of the run marked before
};

} // namespace trainscope::app
