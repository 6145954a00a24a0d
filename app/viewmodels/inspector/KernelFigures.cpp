#include "app/viewmodels/inspector/KernelFigures.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/Texts.h"
#include "core/report/SelectionTables.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QStringList>

#include <algorithm>

namespace trainscope::app {
namespace {

const QString kReadingThen = QStringLiteral("Reading what ran then…");

} // namespace

KernelFigures::KernelFigures(QObject* parent)
    : QObject(parent)
    , m_above(
          {QStringLiteral("Kernels above the limit"),
              QStringLiteral("Kernels by the energy and time they had while the power was above "
                             "its limit"),
              kReadingThen},
          1)
    , m_energy({QStringLiteral("Where the energy went"),
                   QStringLiteral("Energy of phases and kernels with its 90 % interval, as all "
                                  "readings of the power tell it"),
                   kReadingThen},
          1) {
    connectRows(m_names, analysis::SpanGroup::KernelName);
    connectRows(m_categories, analysis::SpanGroup::KernelCategory);
    connectRows(m_operators, analysis::SpanGroup::OperatorName);
    for (AskedTables* asked : {&m_above, &m_energy})
        connect(asked, &AskedTables::rowSelected, this, [this](std::size_t run, const auto& name) {
            Q_EMIT longestWanted(analysis::SpanGroup::KernelName, run, name);
        });
}

void KernelFigures::connectRows(TableModel& table, analysis::SpanGroup group) {
    connect(&table, &TableModel::selected, this, [this, group](const report::RowSource& source) {
        if (source.run < m_places.size())
            Q_EMIT longestWanted(group, m_places[source.run], source.name);
    });
}

bool KernelFigures::isThere() const {
    const auto tables = copied();
    return std::ranges::any_of(tables, [](const auto* table) { return !table->table().isEmpty(); });
}

void KernelFigures::show(const Result<KernelReading>& reading) {
    if (reading.hasValue() && reading.value().isProgress)
        return showDoing(reading.value().doing);
    m_error = reading.hasValue() ? QString() : shownText(reading.error());
    const KernelReading made = reading.valueOr(KernelReading{});
    m_doing = made.doing;
    m_places = made.places;
    std::size_t devices = 0;
    for (const auto& run : made.runs)
        devices += run.devices.size();
    m_times.setTable(report::deviceTimesTable(made.runs));
    m_gpus.setTable(devices > 1 ? report::gpuSharesTable(made.runs) : text::Table());
    m_exactGpus.setTable(report::gpuTimesTable(made.runs));
    m_names.setTable(report::kernelNamesTable(made.runs));
    m_categories.setTable(report::kernelCategoriesTable(made.runs));
    m_collectives.setTable(report::callTable(made.runs));
    m_launches.setTable(report::launchTable(made.runs));
    m_operators.setTable(report::operatorTable(made.runs));
    Q_EMIT changed();
}

void KernelFigures::showDoing(const QString& doing) {
    m_doing = doing;
    Q_EMIT changed();
}

void KernelFigures::clear() {
    m_above.clear();
    m_energy.clear();
    show(KernelReading{});
}

std::vector<const TableModel*> KernelFigures::copied() const {
    return {&m_times, &m_exactGpus, &m_names, &m_categories, &m_collectives, &m_launches,
        &m_operators, &m_above.models().front(), &m_energy.models().front()};
}

QString KernelFigures::joined(const std::function<QString(const TableModel&)>& of) const {
    QStringList parts;
    for (const auto* table : copied()) {
        if (!table->table().isEmpty())
            parts.push_back(of(*table));
    }
    return parts.join(QLatin1Char('\n'));
}

QString KernelFigures::text() const {
    return joined([](const TableModel& table) { return table.text(); });
}

QString KernelFigures::csv() const {
    return joined(&TableModel::csv);
}

void KernelFigures::copyAsText() const {
    QGuiApplication::clipboard()->setText(forFiles(text()));
}

void KernelFigures::copyAsCsv() const {
    QGuiApplication::clipboard()->setText(csv());
}

} // namespace trainscope::app
