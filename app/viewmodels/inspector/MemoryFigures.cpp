#include "app/viewmodels/inspector/MemoryFigures.h"

#include "app/viewmodels/text/ShownText.h"
#include "core/model/Try.h"

#include <QStringList>

#include <algorithm>
#include <utility>

namespace trainscope::app {

Result<MemoryReading> readMemory(
    const store::Store& store, const KernelStretch& stretch, const Progress& progress) {
    MemoryReading reading;
    const std::size_t count = std::min(stretch.runs.size(), stretch.catalogue->runs.size());
    for (std::size_t i = 0; i < count; ++i) {
        const RunFacts facts = stretch.catalogue->facts(i);
        ASSIGN_OR_RETURN(auto devices, analysis::measuredMemoryOf({store, facts.run, progress}));
        if (!devices.empty())
            reading.push_back({facts.run.name, facts.run.range.begin, std::move(devices)});
    }
    return reading;
}

MemoryFigures::MemoryFigures(QObject* parent)
    : AskedFigures(QStringLiteral("Reading what lived…"), parent) { }

void MemoryFigures::showTables(const MemoryReading& reading) {
    m_devices.setTable(report::memoryDevicesTable(reading));
    m_uses.setTable(report::memoryUsesTable(reading));
    m_live.setTable(report::memoryLiveTable(reading));
    m_steps.setTable(report::memoryStepsTable(reading));
}

void MemoryFigures::show(const Result<MemoryReading>& reading) {
    if (!isAsked())
        return;
    showTables(reading.valueOr(MemoryReading{}));
    say(!reading.hasValue()               ? shownText(reading.error())
            : m_devices.table().isEmpty() ? QStringLiteral(
                  "No memory of PyTorch's allocator was recorded: import its memory snapshots, "
                  "or Kineto traces with profile_memory=True.")
                                          : QString());
}

QString MemoryFigures::tablesText() const {
    QStringList parts;
    for (const TableModel* table : {&m_devices, &m_uses, &m_live, &m_steps}) {
        if (!table->table().isEmpty())
            parts.push_back(table->text());
    }
    return parts.join(QLatin1Char('\n'));
}

} // namespace trainscope::app
