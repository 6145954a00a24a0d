#include "app/viewmodels/layout/LayoutForm.h"

#include "app/viewmodels/text/Texts.h"

#include <array>
#include <optional>
#include <utility>

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
