#pragma once
// What an import would do, one row per unit: which run, rank, clock and time zone each source
// joins. Names, ranks, offsets and whether to import at all can be edited; a text that cannot be
// used stays as typed and makes the plan invalid. GUI thread only.

#include "app/viewmodels/window/RowListModel.h"
#include "importers/common/Importer.h"

#include <QQmlEngine>
#include <QString>

#include <vector>

namespace trainscope::app {

struct ImportRow {
    importers::ImportUnit unit;
    QString rank; // text; empty: the source says which ranks
    QString offset; // text: "UTC+02:00"
    bool rankFaulty = false;
    bool offsetFaulty = false;
};

class ImportPlanModel : public RowListModel<ImportRow> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the import")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    Q_PROPERTY(int selectedCount READ selectedCount NOTIFY changed FINAL)
    Q_PROPERTY(bool allSelected READ allSelected NOTIFY changed FINAL)
    Q_PROPERTY(bool valid READ valid NOTIFY changed FINAL)
    Q_PROPERTY(bool hasLocalClocks READ hasLocalClocks NOTIFY changed FINAL)
    Q_PROPERTY(QString totalText READ totalText NOTIFY changed FINAL)
    // Why the import cannot start; empty when it can.
    Q_PROPERTY(QString problem READ problem NOTIFY changed FINAL)

public:
    explicit ImportPlanModel(QObject* parent = nullptr);

    void setUnits(std::vector<importers::ImportUnit> units);
    // The units with the user's changes.
    [[nodiscard]] std::vector<importers::ImportUnit> units() const;

    [[nodiscard]] int selectedCount() const;
    [[nodiscard]] bool allSelected() const { return count() > 0 && selectedCount() == count(); }
    [[nodiscard]] bool valid() const { return problem().isEmpty(); }
    [[nodiscard]] bool hasLocalClocks() const;
    [[nodiscard]] QString totalText() const;
    [[nodiscard]] QString problem() const;

    Q_INVOKABLE void setSelected(int row, bool selected);
    Q_INVOKABLE void selectAll(bool selected);
    Q_INVOKABLE void setRunName(int row, const QString& text);
    Q_INVOKABLE void setRank(int row, const QString& text);
    Q_INVOKABLE void setOffset(int row, const QString& text);
    // The same offset for every source with a local clock.
    Q_INVOKABLE void setOffsetForAll(const QString& text);

Q_SIGNALS:
    void changed();

private:
    [[nodiscard]] ImportRow* rowAt(int row);
    void edited(int row);
    // Topologies stay with the runs that they lie beside when these get other names.
    void followRun(const std::string& before, const std::string& now);
};

// The files that nobody recognised, each with the reason.
class UnrecognisedModel : public RowListModel<importers::Unrecognised> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the import")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit UnrecognisedModel(QObject* parent = nullptr);
    void setFiles(std::vector<importers::Unrecognised> files) { resetRows(std::move(files)); }
};

} // namespace trainscope::app
