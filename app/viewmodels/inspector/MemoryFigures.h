#pragma once
// Memory of PyTorch's allocator in the inspector: the tables of core/report/MemoryTables.h, read
// only while they are asked for, of the shown runs as a whole. GUI thread.

#include <QObject>
#include <QQmlEngine>
#include <QString>

#include "app/viewmodels/inspector/KernelReader.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "core/model/Result.h"
#include "core/report/MemoryTables.h"

#include <vector>

namespace trainscope::app {

using MemoryReading = std::vector<report::RunMemory>;

// Blocking; for a worker. Runs without such memory are left out.
Result<MemoryReading> readMemory(
    const store::Store& store, const KernelStretch& stretch, const Progress& progress);

class MemoryFigures : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the inspector.")
    Q_PROPERTY(trainscope::app::TableModel* devices READ devices CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* uses READ uses CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* live READ live CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* steps READ steps CONSTANT FINAL)
    Q_PROPERTY(bool asked READ isAsked WRITE setAsked NOTIFY askedChanged FINAL)
    // Says that they are being read, why nothing is there, and why memory ran out.
    Q_PROPERTY(QString text READ text NOTIFY changed FINAL)

public:
    explicit MemoryFigures(QObject* parent = nullptr);

    [[nodiscard]] TableModel* devices() { return &m_devices; }
    [[nodiscard]] TableModel* uses() { return &m_uses; }
    [[nodiscard]] TableModel* live() { return &m_live; }
    [[nodiscard]] TableModel* steps() { return &m_steps; }
    [[nodiscard]] bool isAsked() const { return m_isAsked; }
    void setAsked(bool asked);
    [[nodiscard]] const QString& text() const { return m_text; }

    void showDoing();
    void show(const Result<MemoryReading>& reading);
    void clear();

    // Every table with all its rows; empty without any.
    [[nodiscard]] QString tablesText() const;

Q_SIGNALS:
    void changed();
    void askedChanged();

private:
    void showTables(const MemoryReading& reading);

    TableModel m_devices;
    TableModel m_uses;
    TableModel m_live;
    TableModel m_steps;
    bool m_isAsked = false;
    QString m_text;
};

} // namespace trainscope::app
