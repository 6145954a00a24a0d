#pragma once
// A table of the inspector that takes a pass over the trace, read only while it is asked for.
// GUI thread.

#include <QObject>
#include <QQmlEngine>
#include <QString>

#include "app/viewmodels/workspace/TableModel.h"
#include "core/model/Result.h"
#include "core/report/SelectionTables.h"

#include <cstddef>
#include <vector>

namespace trainscope::app {

struct AskedReading {
    report::SourcedTable made;
    std::vector<std::size_t> places; // of the table's runs among the shown ones
    QString whyNothing; // shown where it has no rows
};

class AskedTable : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the inspector.")
    Q_PROPERTY(trainscope::app::TableModel* figures READ figures CONSTANT FINAL)
    Q_PROPERTY(bool asked READ isAsked WRITE setAsked NOTIFY askedChanged FINAL)
    // Says that it is being read, or why nothing is there.
    Q_PROPERTY(QString text READ text NOTIFY changed FINAL)

public:
    explicit AskedTable(QObject* parent = nullptr);

    [[nodiscard]] TableModel* figures() { return &m_figures; }
    [[nodiscard]] const TableModel* figures() const { return &m_figures; }
    [[nodiscard]] bool isAsked() const { return m_isAsked; }
    void setAsked(bool asked);
    [[nodiscard]] const QString& text() const { return m_text; }

    void showDoing();
    void show(const Result<AskedReading>& reading);
    void clear();

Q_SIGNALS:
    void changed();
    void askedChanged();
    void rowSelected(std::size_t run, const std::string& name); // `run` counts the shown runs

private:
    TableModel m_figures;
    bool m_isAsked = false;
    QString m_text;
    std::vector<std::size_t> m_places;
};

} // namespace trainscope::app
