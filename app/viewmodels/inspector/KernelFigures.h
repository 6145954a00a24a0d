#pragma once
// What the inspector says of the kernels in a stretch of time: its tables, how far they are read,
// and which span a row asks for. Filled by TimelineSelection. GUI thread.

#include <QObject>
#include <QQmlEngine>
#include <QString>

#include "app/viewmodels/inspector/FigureTableModel.h"
#include "core/analysis/energy/KernelsAboveLimit.h"
#include "core/analysis/traces/TraceSelection.h"
#include "core/model/Result.h"

#include <vector>

namespace trainscope::app {

// What there is of it; told again as more is read.
struct KernelReading {
    std::vector<analysis::TraceSelection> runs; // traced ones, as they are shown
    std::vector<std::size_t> places; // of these among the shown runs
    std::vector<RunId> lacking; // long traces without sums: every stretch of them is read
    QString doing; // "Reading kernels, 40 %…"; empty: all is there
    bool isProgress = false; // says what is being done, and nothing else
};

// The kernels that ran above the power limit.
struct AboveReading {
    std::vector<std::vector<analysis::DeviceAboveLimit>> runs; // traced ones, as they are shown
    std::vector<std::size_t> places;
};

class KernelFigures : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the inspector.")
    Q_PROPERTY(trainscope::app::FigureTableModel* times READ times CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::FigureTableModel* gpus READ gpus CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::FigureTableModel* names READ names CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::FigureTableModel* categories READ categories CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::FigureTableModel* collectives READ collectives CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::FigureTableModel* launches READ launches CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::FigureTableModel* operators READ operators CONSTANT FINAL)
    // The kernels that ran while power was above its limit; read while it is wanted.
    Q_PROPERTY(trainscope::app::FigureTableModel* above READ above CONSTANT FINAL)
    Q_PROPERTY(bool aboveWanted READ isAboveWanted WRITE setAboveWanted NOTIFY aboveChanged FINAL)
    Q_PROPERTY(QString aboveText READ aboveText NOTIFY aboveChanged FINAL)
    Q_PROPERTY(bool isThere READ isThere NOTIFY changed FINAL)
    Q_PROPERTY(QString doing READ doing NOTIFY changed FINAL)
    Q_PROPERTY(QString errorText READ errorText NOTIFY changed FINAL)

public:
    explicit KernelFigures(QObject* parent = nullptr);

    [[nodiscard]] FigureTableModel* times() { return &m_times; }
    [[nodiscard]] FigureTableModel* gpus() { return &m_gpus; }
    [[nodiscard]] FigureTableModel* names() { return &m_names; }
    [[nodiscard]] FigureTableModel* categories() { return &m_categories; }
    [[nodiscard]] FigureTableModel* collectives() { return &m_collectives; }
    [[nodiscard]] FigureTableModel* launches() { return &m_launches; }
    [[nodiscard]] FigureTableModel* operators() { return &m_operators; }
    [[nodiscard]] FigureTableModel* above() { return &m_above; }
    [[nodiscard]] bool isAboveWanted() const { return m_isAboveWanted; }
    void setAboveWanted(bool wanted);
    // What is being done, or that nothing was traced then.
    [[nodiscard]] const QString& aboveText() const { return m_aboveText; }
    void showAbove(const Result<AboveReading>& reading);
    void showAboveDoing();
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
    void aboveChanged();
    void aboveWantedChanged();
    // The longest span of a row; `run` counts the shown runs.
    void longestWanted(
        trainscope::analysis::SpanGroup group, std::size_t run, const std::string& name);

private:
    [[nodiscard]] std::vector<const FigureTableModel*> copied() const;
    void connectRows(FigureTableModel& table, analysis::SpanGroup group);

    FigureTableModel m_times;
    FigureTableModel m_gpus;
    FigureTableModel m_exactGpus; // copied instead of the shares
    FigureTableModel m_names;
    FigureTableModel m_categories;
    FigureTableModel m_collectives;
    FigureTableModel m_launches;
    FigureTableModel m_operators;
    FigureTableModel m_above;
    bool m_isAboveWanted = false;
    QString m_aboveText;
    std::vector<std::size_t> m_abovePlaces;
    std::vector<std::size_t> m_places;
    QString m_doing;
    QString m_error;
};

} // namespace trainscope::app
