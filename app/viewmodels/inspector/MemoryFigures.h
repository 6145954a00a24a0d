#pragma once
// Memory of PyTorch's allocator in the inspector: the tables of core/report/MemoryTables.h of the
// shown runs as a whole. GUI thread.

#include <QObject>
#include <QQmlEngine>
#include <QString>

#include "app/viewmodels/inspector/AskedTable.h"
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

class MemoryFigures : public trainscope::app::AskedFigures {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the inspector.")
    Q_PROPERTY(trainscope::app::TableModel* devices READ devices CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* uses READ uses CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* live READ live CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* steps READ steps CONSTANT FINAL)

public:
    explicit MemoryFigures(QObject* parent = nullptr);

    [[nodiscard]] TableModel* devices() { return &m_devices; }
    [[nodiscard]] TableModel* uses() { return &m_uses; }
    [[nodiscard]] TableModel* live() { return &m_live; }
    [[nodiscard]] TableModel* steps() { return &m_steps; }
    void show(const Result<MemoryReading>& reading);

    // Every table with all its rows; empty without any.
    [[nodiscard]] QString tablesText() const;

private:
    void showNothing() override { showTables({}); }
    void showTables(const MemoryReading& reading);

    TableModel m_devices;
    TableModel m_uses;
    TableModel m_live;
    TableModel m_steps;
};

} // namespace trainscope::app
