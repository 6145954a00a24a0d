#include "app/viewmodels/layout/MachineForm.h"

#include "app/viewmodels/text/Texts.h"
#include "core/catalogue/GpuModel.h"

#include <utility>

namespace trainscope::app {

MachineForm::MachineForm(QObject* parent)
    : RowListModel({{"local", &AirPosition::local}, {"rear", &AirPosition::isRear}}, parent) { }

void MachineForm::begin(MachineFormFacts facts) {
    m_facts = std::move(facts);
    m_before.clear();
    m_orderProblem.clear();
    m_isForOthers = false;
    m_now = {};
    if (m_facts.air.origin == analysis::AirflowOrigin::Said)
        m_now.said = m_facts.air.order;
    m_now.gpuModel = QString::fromStdString(m_facts.gpuModel);
    show();
}

void MachineForm::move(int row, int by) {
    if (!isThere(row) || !isThere(row + by) || by == 0)
        return;
    State next = m_now;
    next.said = shownOrder();
    const int other = row + by;
    std::swap(next.said[static_cast<std::size_t>(row)], next.said[static_cast<std::size_t>(other)]);
    take(std::move(next));
}

void MachineForm::setOrderText(const QString& text) {
    m_orderProblem.clear();
    auto parsed = analysis::parseAirflow(text.simplified().remove(QLatin1Char(' ')).toStdString());
    std::vector<Gpu> gpus;
    for (const int local : m_facts.ascending)
        gpus.push_back({local, 0, local, {}, {}});
    Status status
        = parsed.hasValue() ? analysis::checkAirflow(parsed.value(), gpus) : Status(parsed.error());
    if (!status.hasValue())
        m_orderProblem = QString::fromStdString(status.error().message);
    else if (parsed.value() != shownOrder())
        return take({std::move(parsed).value(), m_now.gpuModel});
    Q_EMIT changed();
}

QString MachineForm::orderText() const {
    return joinedNumbers(shownOrder(), ", ");
}

QString MachineForm::gpuRemark() const {
    const QString typed = m_now.gpuModel.trimmed();
    if (!typed.isEmpty())
        return catalogue::findGpuModel(typed.toStdString()) != nullptr
            ? QString()
            : QStringLiteral("Not in the hardware catalogue: its limits and peaks are not known.");
    if (m_facts.gpuEvidence.empty())
        return {};
    return QStringLiteral("Inferred: %1.").arg(QString::fromStdString(m_facts.gpuEvidence));
}

QStringList MachineForm::gpuModels() {
    QStringList names;
    for (const catalogue::GpuModel& model : catalogue::gpuModels())
        names.append(QString::fromStdString(model.name));
    return names;
}

void MachineForm::setForOthers(bool isForOthers) {
    m_isForOthers = isForOthers;
    Q_EMIT changed();
}

std::vector<RunId> MachineForm::others() const {
    return m_isForOthers ? m_facts.others : std::vector<RunId>();
}

void MachineForm::takeInferred() {
    take({{}, m_now.gpuModel});
}

void MachineForm::setGpuModel(const QString& text) {
    take({m_now.said, text});
}

void MachineForm::undo() {
    if (m_before.empty())
        return;
    m_now = std::move(m_before.back());
    m_before.pop_back();
    show();
}

QString MachineForm::evidence() const {
    if (isSaid())
        return QStringLiteral("The order is as you say.");
    const QString told = QString::fromStdString(m_facts.inferred.evidence);
    return m_facts.inferred.origin == analysis::AirflowOrigin::Inferred
        ? QStringLiteral("Inferred. %1").arg(told)
        : QStringLiteral("Assumed: ascending indices. %1").arg(told).trimmed();
}

analysis::AirflowOrder MachineForm::shownOrder() const {
    if (isSaid())
        return m_now.said;
    return m_facts.inferred.order.empty() ? m_facts.ascending : m_facts.inferred.order;
}

void MachineForm::take(State next) {
    if (next == m_now)
        return;
    m_before.push_back(std::exchange(m_now, std::move(next)));
    m_orderProblem.clear();
    show();
}

void MachineForm::show() {
    const analysis::AirflowOrder order = shownOrder();
    std::vector<AirPosition> rows;
    for (std::size_t i = 0; i < order.size(); ++i)
        rows.push_back({order[i], 2 * i >= order.size() + order.size() % 2});
    setRows(std::move(rows));
    Q_EMIT changed();
}

} // namespace trainscope::app
