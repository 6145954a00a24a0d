#include "app/viewmodels/layout/LayoutForm.h"

#include "app/viewmodels/text/Texts.h"
#include "core/catalogue/GpuModel.h"

namespace trainscope::app {

namespace {

using layout::LayoutRequest;

using NumberField = FieldOf<std::optional<int> LayoutRequest::*>;

constexpr std::array kNumbers{
    NumberField{"nodes", "", "Nodes", "as the run shows", "", &LayoutRequest::nodes},
    NumberField{
        "gpus_per_node", "", "GPUs per node", "as the run shows", "", &LayoutRequest::gpusPerNode},
    NumberField{"tp", "", "Tensor (TP)", "1", "", &LayoutRequest::tensor},
    NumberField{"cp", "", "Context (CP)", "1", "", &LayoutRequest::context},
    NumberField{"pp", "", "Pipeline (PP)", "1", "", &LayoutRequest::pipeline},
    NumberField{"vpp", "", "Virtual stages (VPP)", "1", "", &LayoutRequest::virtualStages},
    NumberField{"ep", "", "Expert (EP)", "1", "", &LayoutRequest::expert},
    NumberField{"etp", "", "Expert tensor (ETP)", "as TP", "", &LayoutRequest::expertTensor},
    NumberField{"layers", "", "Layers", "as launched", "", &LayoutRequest::layers},
    NumberField{
        "microbatches", "", "Micro-batches", "as launched", "", &LayoutRequest::microbatches},
    NumberField{"microbatch_group", "", "Micro-batch group (VPP)", "the least that works", "",
        &LayoutRequest::microbatchGroup},
    NumberField{"shard_size", "", "Ranks of a shard group", "all of DP × CP", "",
        &LayoutRequest::shardSize},
};
constexpr auto kStageLayers = "stage_layers";
constexpr auto kOrder = "order";
constexpr auto kSchedule = "schedule";
constexpr auto kSharding = "zero";
constexpr std::array kStages{
    "0: nothing is sharded", "1: optimizer", "2: and gradients", "3: and parameters (FSDP)"};
constexpr int kFullStage = 3;

QString automatic() {
    return QStringLiteral("automatic");
}

// FSDP is ZeRO's stage 3.
std::optional<int> stageOf(const LayoutRequest& request) {
    return !request.zeroStage && request.fsdp.value_or(false) ? std::optional(kFullStage)
                                                              : request.zeroStage;
}

FormField shardingField(const LayoutRequest& request) {
    QStringList stages{QStringLiteral("not said")};
    for (const char* stage : kStages)
        stages.append(textOf(stage));
    const auto chosen = stageOf(request);
    const bool isOne = chosen && *chosen >= 0 && *chosen <= kFullStage;
    return {QLatin1String(kSharding), QStringLiteral("ZeRO / FSDP"),
        stages[isOne ? *chosen + 1 : 0], {}, {}, {}, stages};
}

void takeSharding(const FormField& field, LayoutRequest& request) {
    const int stage = field.current() - 1;
    request.fsdp.reset();
    request.zeroStage = stage < 0 ? std::nullopt : std::optional(stage);
}

FormFields fieldsOf(const LayoutRequest& request) {
    FormFields fields;
    for (const auto& number : kNumbers) {
        const auto& known = request.*number.member;
        fields.push_back({QLatin1String(number.key), textOf(number.label),
            known ? QString::number(*known) : QString(), textOf(number.hint)});
    }
    fields.push_back({QLatin1String(kStageLayers), QStringLiteral("Layers of each stage"),
        joinedNumbers(request.stageLayers, ","), QStringLiteral("equal, or 19,21,21,19")});
    fields.push_back({QLatin1String(kOrder), QStringLiteral("Rank order"),
        request.order ? QString::fromStdString(request.order->text()) : QString(),
        textOf(layout::kMegatronOrder.text())});
    fields.push_back(shardingField(request));
    QStringList kinds{automatic()};
    for (const auto kind : layout::kAllSchedules)
        kinds.append(textOf(toString(kind)));
    fields.push_back({QLatin1String(kSchedule), QStringLiteral("Schedule"),
        request.schedule ? textOf(toString(*request.schedule)) : automatic(), {}, {}, {}, kinds});
    return fields;
}

// Writes what the field says into the request; the message if it cannot be understood.
std::optional<QString> take(const FormField& field, LayoutRequest& request) {
    const QString text = field.text.trimmed();
    for (const auto& number : kNumbers) {
        if (field.key != QLatin1String(number.key))
            continue;
        bool isNumber = false;
        const int value = text.toInt(&isNumber);
        if (!text.isEmpty() && !isNumber)
            return QStringLiteral("%1: \"%2\" is no whole number.").arg(field.label, text);
        request.*number.member = text.isEmpty() ? std::nullopt : std::optional(value);
        return std::nullopt;
    }
    if (field.key == QLatin1String(kSharding)) {
        takeSharding(field, request);
        return std::nullopt;
    }
    if (field.key == QLatin1String(kSchedule)) {
        const auto kind = layout::scheduleKindFromString(text.toStdString());
        request.schedule = kind.hasValue() ? std::optional(kind.value()) : std::nullopt;
        return std::nullopt;
    }
    if (field.key == QLatin1String(kOrder)) {
        request.order.reset();
        if (text.isEmpty())
            return std::nullopt;
        const auto order = layout::rankOrderFromString(text.toStdString());
        if (!order.hasValue())
            return QString::fromStdString(order.error().message);
        request.order = order.value();
        return std::nullopt;
    }
    request.stageLayers.clear();
    if (text.isEmpty())
        return std::nullopt;
    auto layers = layout::stageLayersFromString(text.toStdString());
    if (!layers.hasValue())
        return QString::fromStdString(layers.error().message);
    request.stageLayers = std::move(layers).value();
    return std::nullopt;
}

QString summaryOf(const layout::Layout& made, int world) {
    const auto& degrees = made.grid.degrees();
    const QString nodes
        = made.nodes == 1 ? QStringLiteral("one node") : QStringLiteral("%1 nodes").arg(made.nodes);
    const int ranks = made.grid.worldSize();
    QString text
        = QStringLiteral("%1 on %2: TP %3 × CP %4 × DP %5 × PP %6")
              .arg(ranks == 1 ? QStringLiteral("1 rank") : QStringLiteral("%1 ranks").arg(ranks))
              .arg(nodes)
              .arg(degrees.tensor)
              .arg(degrees.context)
              .arg(degrees.data)
              .arg(degrees.pipeline);
    if (degrees.expert > 1)
        text += QStringLiteral(", experts EP %1 × ETP %2")
                    .arg(degrees.expert)
                    .arg(degrees.expertTensor);
    if (made.sharding && made.sharding->zeroStage > 0)
        text += QStringLiteral(", ZeRO %1 over %2 of %3 ranks")
                    .arg(made.sharding->zeroStage)
                    .arg(made.sharding->group)
                    .arg(made.sharding->group * made.sharding->replicas);
    if (world > 0 && world != made.grid.worldSize())
        text += world == 1 ? QStringLiteral(". The run shows 1 rank.")
                           : QStringLiteral(". The run shows %1 ranks.").arg(world);
    return text;
}

} // namespace

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

LayoutForm::LayoutForm(QObject* parent)
    : FormModel(parent) { }

void LayoutForm::begin(const LayoutRequest& request, int world) {
    m_begun = request;
    // These follow from what is typed.
    m_begun.data.reset();
    m_begun.worldSize.reset();
    m_world = world;
    check(fieldsOf(request));
}

void LayoutForm::set(const QString& key, const QString& text) {
    auto fields = rows();
    FormField* field = fieldIn(fields, key);
    if (field == nullptr || field->text == text)
        return;
    field->text = text;
    check(std::move(fields));
}

void LayoutForm::check(FormFields fields) {
    LayoutRequest request = m_begun;
    m_fits = true;
    m_verdict.clear();
    for (auto& field : fields) {
        const auto fault = take(field, request);
        field.fault = fault.value_or(QString());
        if (!fault)
            continue;
        if (m_fits)
            m_verdict = *fault;
        m_fits = false;
    }
    m_request = request;
    if (!(request.nodes && request.gpusPerNode) && m_world > 0)
        request.worldSize = m_world;
    if (m_fits) {
        const auto made = layout::makeLayout(request);
        m_fits = made.hasValue();
        m_verdict = made.hasValue() ? summaryOf(made.value(), m_world)
                                    : QString::fromStdString(made.error().message);
        const auto plan = made.hasValue() && made.value().microbatches
            ? layout::planSchedule(made.value())
            : Result<layout::Schedule>(layout::Schedule{});
        if (!plan.hasValue()) {
            m_fits = false;
            m_verdict = QString::fromStdString(plan.error().message);
        }
    }
    setRows(std::move(fields));
    Q_EMIT checked();
}

} // namespace trainscope::app
