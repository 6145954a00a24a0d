#pragma once
// The plan of an import as the sheet shows it: one row per run that will be, folded, with what its
// files are; unfolded, the remarks on them and a row per source. An edit on a run's row is an
// edit of all its sources. Runs can be marked to edit several at once, merged and split.
// GUI thread only.

#include "app/viewmodels/importing/ImportPlanModel.h"
#include "app/viewmodels/window/RowListModel.h"

#include <QQmlEngine>
#include <QStringList>
#include <QVariantList>

#include <initializer_list>

namespace trainscope::app {

// The fields of these rows that any of the sources to be imported leaves open
// (app/importing/ImportFields.h), each a map: key, label, value (empty where nothing is said, or
// where sources differ), hint (what holds then), choices (empty: any text), faulty, pressing (shown
// though the row is folded).
QVariantList cellsOf(
    const std::vector<const ImportRow*>& sources, std::initializer_list<ImportField::Of> rows);

// Cells of a row; texts that differ among a run's sources are empty, with a hint.
struct ImportGroupRow {
    int kind = 0; // ImportGroupModel::Kind
    int group = 0;
    int unit = -1; // row of the plan; of a source
    QString title; // name of the run, the remark, or the path of the source
    QString brief; // the part of a source's path that no other has
    QString result; // the run as planned: "ranks 0-63 of 64 · H100 SXM5 · starts …"
    QString detail; // its sources: "64 Kineto traces, 1 configuration · 2 remarks"
    QString problem; // reason that it cannot be imported as it is
    QString run; // joined by a source
    QString sizeText;
    QVariantList fields;
    int checkState = 0; // Qt::CheckState: to be imported
    bool isMachine = false; // it describes machines of runs
    bool isDatabase = false; // its runs are merged under the names that they have
    bool runFaulty = false;
    bool isUnfolded = false;
    bool isMarked = false;

    bool operator==(const ImportGroupRow&) const = default;
};

// Rows of a run's sources together, of which there must be one, and of a single source.
ImportGroupRow rowOfRun(const std::vector<const ImportRow*>& sources);
ImportGroupRow rowOfSource(const ImportRow& source);

// Each remark once, behind the number of sources of which it is made or the only one's name.
QStringList groupRemarks(const std::vector<const ImportRow*>& rows);
// Name of a run that has that source alone: its path without the endings of files.
std::string sourceName(const importers::ImportUnit& unit);

class ImportGroupModel : public RowListModel<ImportGroupRow> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the import")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    // Runs that a topology can be said to describe.
    Q_PROPERTY(QStringList runChoices READ runChoices NOTIFY changed FINAL)
    Q_PROPERTY(int markedCount READ markedCount NOTIFY changed FINAL)
    // Runs that the fields above the list edit: "All 10 runs", "2 of 10 runs".
    Q_PROPERTY(QString scopeText READ scopeText NOTIFY changed FINAL)
    // Their fields, as those of a row.
    Q_PROPERTY(QVariantList scopeFields READ scopeFields NOTIFY changed FINAL)
    Q_PROPERTY(bool splittable READ isSplittable NOTIFY changed FINAL)

public:
    enum Kind { Run, Remark, Source };
    Q_ENUM(Kind)

    // `plan` must outlive this.
    explicit ImportGroupModel(ImportPlanModel& plan, QObject* parent = nullptr);

    [[nodiscard]] QStringList runChoices() const;
    [[nodiscard]] int markedCount() const {
        return static_cast<int>(std::ranges::count_if(m_groups, &Group::isMarked));
    }
    [[nodiscard]] QString scopeText() const;
    [[nodiscard]] QVariantList scopeFields() const;
    [[nodiscard]] bool isSplittable() const;

    // Actions on a row; those on a run's row are for all of its sources.
    Q_INVOKABLE void toggle(int row); // folds and unfolds
    Q_INVOKABLE void setSelected(int row, bool selected) {
        m_plan.setSelected(unitsAt(row), selected);
    }
    // While it is typed. Sources move to the run of that name when settleNames() is called.
    Q_INVOKABLE void setRunName(int row, const QString& text);
    Q_INVOKABLE void settleNames() { regroup(); }
    // Says the field of that key.
    Q_INVOKABLE void set(int row, const QString& key, const QString& text) {
        m_plan.set(unitsAt(row), key, text);
    }

    // Marks this run alone; `adding` it, or `extending` from the one marked before.
    Q_INVOKABLE void mark(int row, bool adding, bool extending);
    Q_INVOKABLE void clearMarks();

    // Actions on the marked runs, on all where none is marked.
    Q_INVOKABLE void setScopeSelected(bool selected) { m_plan.setSelected(scope(), selected); }
    Q_INVOKABLE void setScope(const QString& key, const QString& text) {
        m_plan.set(scope(), key, text);
    }
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
    [[nodiscard]] ImportGroupRow rowOf(const Group& group) const;
    [[nodiscard]] ImportGroupRow rowOf(const Group& group, int unit) const;
    [[nodiscard]] std::vector<ImportGroupRow> remarksOf(const Group& group) const;
    [[nodiscard]] const ImportRow& planned(int unit) const {
        return m_plan.rows()[static_cast<std::size_t>(unit)];
    }
    [[nodiscard]] Group* groupAt(int row);
    [[nodiscard]] Units unitsAt(int row);
    [[nodiscard]] Units scope() const;
    [[nodiscard]] std::string nameOf(const Group& group) const {
        return importers::runText(planned(group.units.front()).unit);
    }
    [[nodiscard]] std::vector<std::pair<std::string, Units>> partsOf(const Group& group) const;

    ImportPlanModel& m_plan;
    std::vector<Group> m_groups;
    int m_nextId = 0;
    int m_anchor = -1; // id of the run marked before
};

} // namespace trainscope::app
