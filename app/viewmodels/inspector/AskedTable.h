#pragma once
// Tables of the inspector that are read only while they are asked for, since each takes a pass over
// the trace. GUI thread.

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
    std::vector<std::size_t> places; // index of each of the table's runs among the shown ones
    QString whyNothing; // shown where it has no rows
};

class AskedFigures : public QObject {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(bool asked READ isAsked WRITE setAsked NOTIFY askedChanged FINAL)
    // Says that they are being read, or why nothing is there.
    Q_PROPERTY(QString text READ text NOTIFY changed FINAL)

public:
    [[nodiscard]] bool isAsked() const { return m_isAsked; }
    void setAsked(bool asked);
    [[nodiscard]] const QString& text() const { return m_text; }

    void showDoing() { say(m_doing); }
    void clear();

Q_SIGNALS:
    void changed();
    void askedChanged();

protected:
    AskedFigures(QString doing, QObject* parent);

    void say(const QString& text);
    virtual void showNothing() = 0; // in the tables

private:
    QString m_doing;
    bool m_isAsked = false;
    QString m_text;
};

class AskedTable : public trainscope::app::AskedFigures {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the inspector.")
    Q_PROPERTY(trainscope::app::TableModel* figures READ figures CONSTANT FINAL)

public:
    explicit AskedTable(QObject* parent = nullptr);

    [[nodiscard]] TableModel* figures() { return &m_figures; }
    [[nodiscard]] const TableModel* figures() const { return &m_figures; }
    void show(const Result<AskedReading>& reading);

Q_SIGNALS:
    void rowSelected(std::size_t run, const std::string& name); // `run` counts the shown runs

private:
    void showNothing() override { m_figures.setTable(text::Table()); }

    TableModel m_figures;
    std::vector<std::size_t> m_places;
};

} // namespace trainscope::app
