#pragma once
// Kernels of the inspector in a stretch of time: its tables, the progress of reading, and the span
// that a row asks for. Filled by TimelineSelection. GUI thread.

#include <QObject>
#include <QQmlEngine>
#include <QString>

#include "app/viewmodels/inspector/AskedTables.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "core/analysis/traces/TraceSelection.h"
#include "core/model/Result.h"

#include <functional>
#include <vector>

namespace trainscope::app {

// Result so far; told again as more is read.
struct KernelReading {
    std::vector<analysis::TraceSelection> runs; // traced ones, as they are shown
    std::vector<std::size_t> places; // index of each among the shown runs
    std::vector<RunId> lacking; // long traces without sums: every stretch of them is read
    QString doing; // "Reading kernels, 40 %…"; empty: all is there
    bool isProgress = false; // says what is being done, and nothing else
};

class KernelFigures : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the inspector.")
    Q_PROPERTY(trainscope::app::TableModel* times READ times CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* gpus READ gpus CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* names READ names CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* categories READ categories CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* collectives READ collectives CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* launches READ launches CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* operators READ operators CONSTANT FINAL)
    Q_PROPERTY(bool isThere READ isThere NOTIFY changed FINAL)
    Q_PROPERTY(QString doing READ doing NOTIFY changed FINAL)
    Q_PROPERTY(QString errorText READ errorText NOTIFY changed FINAL)

public:
    explicit KernelFigures(QObject* parent = nullptr);

    [[nodiscard]] TableModel* times() { return &m_times; }
    [[nodiscard]] TableModel* gpus() { return &m_gpus; }
    [[nodiscard]] TableModel* names() { return &m_names; }
    [[nodiscard]] TableModel* categories() { return &m_categories; }
    [[nodiscard]] TableModel* collectives() { return &m_collectives; }
    [[nodiscard]] TableModel* launches() { return &m_launches; }
    [[nodiscard]] TableModel* operators() { return &m_operators; }
    // The kernels that ran while power was above its limit, and where the energy went.
    [[nodiscard]] AskedTables* above() { return &m_above; }
    [[nodiscard]] AskedTables* energy() { return &m_energy; }
    // Something was traced in the stretch.
    [[nodiscard]] bool isThere() const;
    [[nodiscard]] const QString& doing() const { return m_doing; }
    [[nodiscard]] const QString& errorText() const { return m_error; }

    void show(const Result<KernelReading>& reading);
    // The tables stay while what was there is of another stretch.
    void showDoing(const QString& doing);
    void clear();

    // Every table with all its rows, the CSV with exact figures; empty without any.
    [[nodiscard]] QString text() const;
    [[nodiscard]] QString csv() const;
    Q_INVOKABLE void copyAsText() const;
    Q_INVOKABLE void copyAsCsv() const;

Q_SIGNALS:
    void changed();
    // The longest span of a row; `run` counts the shown runs.
    void longestWanted(
        trainscope::analysis::SpanGroup group, std::size_t run, const std::string& name);

private:
    [[nodiscard]] std::vector<const TableModel*> copied() const;
    [[nodiscard]] QString joined(const std::function<QString(const TableModel&)>& of) const;
    void connectRows(TableModel& table, analysis::SpanGroup group);

    TableModel m_times;
    TableModel m_gpus;
    TableModel m_exactGpus; // copied instead of the shares
    TableModel m_names;
    TableModel m_categories;
    TableModel m_collectives;
    TableModel m_launches;
    TableModel m_operators;
    AskedTables m_above;
    AskedTables m_energy;
    std::vector<std::size_t> m_places;
    QString m_doing;
    QString m_error;
};

} // namespace trainscope::app
