#include "app/viewmodels/layout/LayoutReading.h"

#include "app/viewmodels/text/Texts.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/catalogue/GpuGuess.h"
#include "core/figures/layout/LayoutFigure.h"
#include "core/figures/runs/RunFigures.h"
#include "core/layout/Cluster.h"
#include "core/layout/Layout.h"
#include "core/plot/Ticks.h"
#include "core/plot/figures/FigureParts.h"
#include "core/store/RunNotes.h"

namespace trainscope::app {

namespace {

using analysis::GroupBytes;
using layout::CommunicatorKind;
using layout::LinkClass;

QString quantity(const char* unit, double value) {
    return QString::fromStdString(text::rounded(value, unit));
}

QString percent(double share) {
    return QString::fromStdString(text::roundedPercent(share));
}

struct Place {
    const layout::ClusterNode* node = nullptr;
    const layout::ClusterGpu* gpu = nullptr;
};

Place placeOf(const layout::Cluster& cluster, int rank) {
    for (const auto& node : cluster.nodes) {
        for (const auto& gpu : node.gpus) {
            if (gpu.rank == rank)
                return {&node, &gpu};
        }
    }
    return {};
}

const layout::Layout* layoutOf(const plot::LayoutFigureData& data, int rank) {
    return data.layout && rank < data.layout->grid.worldSize() ? &*data.layout : nullptr;
}

// "24–47" or, of several pieces, "0–5, 24–29"; layers count from 0.
QString layersOfStage(const layout::Layout& layout, int stage) {
    QStringList pieces;
    for (const auto& chunk : layout.chunks) {
        if (chunk.stage == stage && chunk.layers > 0)
            pieces.append(chunk.layers == 1 ? QString::number(chunk.firstLayer)
                                            : QStringLiteral("%1–%2")
                                                  .arg(chunk.firstLayer)
                                                  .arg(chunk.firstLayer + chunk.layers - 1));
    }
    constexpr qsizetype kMostPieces = 4;
    if (pieces.size() > kMostPieces)
        return QStringLiteral("%1 in %2 pieces")
            .arg(layersOf(layout.chunks, stage))
            .arg(pieces.size());
    return pieces.join(QStringLiteral(", "));
}

void addCoordinate(std::vector<Fact>& facts, const char* name, int at, int of) {
    if (of > 1)
        facts.push_back({textOf(name), QStringLiteral("%1 of %2").arg(at).arg(of)});
}

QString bytesPerStep(const GroupBytes& bytes) {
    if (bytes.measured && bytes.computed)
        return QStringLiteral("%1 measured, %2 computed")
            .arg(quantity("B", *bytes.measured), quantity("B", *bytes.computed));
    if (bytes.measured)
        return QStringLiteral("%1 measured").arg(quantity("B", *bytes.measured));
    return bytes.computed ? QStringLiteral("%1 computed").arg(quantity("B", *bytes.computed))
                          : QStringLiteral("not known");
}

const std::vector<GroupBytes>* bytesOf(const plot::LayoutFigureData& data, int rank) {
    const auto at = static_cast<std::size_t>(rank);
    return rank >= 0 && at < data.bytes.ranks.size() ? &data.bytes.ranks[at] : nullptr;
}

std::vector<int> groupRanks(const layout::Layout& layout, const std::string& group, int rank) {
    for (const auto& info : layout::communicatorKinds()) {
        if (info.key == group)
            return layout.grid.groupOf(info.kind, rank);
    }
    return {};
}

// Link of the group of that rank; an empty key: the link that joins the GPUs of a node.
layout::ScaleUpLink scaleUpOf(
    const plot::LayoutFigureData& data, const std::string& group, int rank) {
    return group.empty() || !data.layout
        ? data.cluster.scaleUp
        : layout::linkBetween(data.cluster, groupRanks(*data.layout, group, rank));
}

QString linkName(LinkClass link, const layout::ScaleUpLink& scaleUp) {
    if (link == LinkClass::ScaleUp)
        return scaleUp.name.empty() ? QStringLiteral("inside the node")
                                    : QString::fromStdString(scaleUp.name);
    return link == LinkClass::ScaleOut ? QStringLiteral("network between nodes")
                                       : QStringLiteral("no link");
}

// Bandwidth while it is used, of the link's peak, and how much of the step it is used.
void addLink(const plot::LayoutFigureData& data, const GroupBytes& bytes, int rank,
    std::vector<Fact>& facts) {
    const auto scaleUp = scaleUpOf(data, bytes.group, rank);
    const auto peak = bytes.link == LinkClass::ScaleUp ? scaleUp.bandwidth
        : bytes.link == LinkClass::ScaleOut            ? data.cluster.networkBandwidth
                                                       : std::nullopt;
    Fact fact{QStringLiteral("    ") + linkName(bytes.link, scaleUp), {}};
    QStringList notes;
    if (const auto rate = bytes.bandwidth()) {
        fact.value = quantity("B/s", *rate);
        if (peak && *peak > 0.0)
            notes.append(
                QStringLiteral("%1 of its %2").arg(percent(*rate / *peak), quantity("B/s", *peak)));
    } else if (peak) {
        fact.value = QStringLiteral("up to %1").arg(quantity("B/s", *peak));
    } else {
        fact.value = QStringLiteral("rate not known");
    }
    if (bytes.busySeconds && data.bytes.stepSeconds && *data.bytes.stepSeconds > 0.0)
        notes.append(QStringLiteral("busy %1 of the step")
                         .arg(percent(*bytes.busySeconds / *data.bytes.stepSeconds)));
    fact.note = notes.join(QStringLiteral(", "));
    facts.push_back(fact);
}

Status readKnown(const analysis::RunStudy& study, LayoutReading& reading) {
    auto known = analysis::runLayout(study);
    if (known.hasValue()) {
        reading.known = std::move(known).value();
        return {};
    }
    if (known.error().code != ErrorCode::NotFound)
        return known.error();
    reading.missing = known.error().message;
    return {};
}

// The runs of which the same can be said.
Status readOthers(const store::Store& store, const Run& run, MachineFormFacts& machine) {
    ASSIGN_OR_RETURN(const auto runs, store.runs());
    for (const Run& other : runs) {
        const bool isAlike = other.id != run.id && other.kind == RunKind::Measured
            && other.gpuModel == run.gpuModel && other.gpuCount > 0
            && other.gpuCount * run.nodeCount == run.gpuCount * other.nodeCount;
        if (!isAlike)
            continue;
        ASSIGN_OR_RETURN(const auto gpus, store.gpus(other.id));
        if (analysis::checkAirflow(machine.ascending, gpus).hasValue())
            machine.others.push_back(other.id);
    }
    return {};
}

Status readMachine(const analysis::RunStudy& study, MachineFormFacts& machine) {
    const Run& run = study.run;
    ASSIGN_OR_RETURN(const auto gpus, study.store.gpus(run.id));
    std::set<int> locals;
    for (const Gpu& gpu : gpus)
        locals.insert(gpu.local);
    machine.ascending.assign(locals.begin(), locals.end());
    ASSIGN_OR_RETURN(machine.air, analysis::airflowOf(study));
    ASSIGN_OR_RETURN(machine.inferred, analysis::inferredAirflow(study));
    ASSIGN_OR_RETURN(const auto said, analysis::machineOf(study));
    machine.gpuModel = said.gpuModel;
    machine.gpuHint = said.gpuModel.empty() ? run.gpuModel : std::string();
    ASSIGN_OR_RETURN(const auto guess, store::gpuGuessOf(study.store, run));
    if (guess)
        machine.gpuEvidence = guess->evidence;
    return readOthers(study.store, run, machine);
}

Status readSchedule(const analysis::RunStudy& study, bool withTraces, LayoutReading& reading) {
    const auto& layout = reading.figure.layout;
    if (!layout || layout->grid.degrees().pipeline < 2)
        return {};
    plot::ScheduleQuery query;
    query.run = reading.run.id;
    query.plannedOnly = !withTraces;
    ASSIGN_OR_RETURN(auto schedule, figures::loadSchedule(study.store, query, study.progress));
    reading.schedule = std::move(schedule);
    if (!withTraces)
        return {};
    ASSIGN_OR_RETURN(reading.iterations, analysis::tracedIterations(study));
    return {};
}

Status readNccl(const store::Store& store, LayoutReading& reading) {
    const std::array<std::pair<const char*, QString>, 5> shown{
        std::pair{"NCCL version", QStringLiteral("Version")},
        std::pair{"network", QStringLiteral("Network")},
        std::pair{"network provider", QStringLiteral("Provider")},
        std::pair{"rings", QStringLiteral("Rings")}, std::pair{"trees", QStringLiteral("Trees")}};
    ASSIGN_OR_RETURN(const auto sources, store.sources());
    for (const store::Source& source : sources) {
        const bool isOfRun = std::ranges::find(source.runs, reading.run.id) != source.runs.end();
        if (!isOfRun || !source.report.importer.starts_with("nccl "))
            continue;
        reading.nccl.push_back({QStringLiteral("NCCL's log"), {}, true});
        for (const auto& [key, label] : shown) {
            const auto fact = source.report.facts.find(key);
            if (fact != source.report.facts.end())
                reading.nccl.push_back({label, QString::fromStdString(fact->second)});
        }
        return {};
    }
    return {};
}

// GPUs are coloured by what was recorded of GPUs.
Status readMetrics(const store::Store& store, LayoutReading& reading) {
    ASSIGN_OR_RETURN(reading.metrics, figures::figureMetrics(store, {reading.run.id}));
    ASSIGN_OR_RETURN(const auto series, store.series(reading.run.id));
    std::erase_if(reading.metrics, [&series](const plot::FigureChoice& choice) {
        return std::ranges::none_of(series, [&choice](const Series& one) {
            return one.description.subject.kind == SubjectKind::Gpu
                && one.description.metric.name == choice.key;
        });
    });
    return {};
}

Status readPlacement(const analysis::RunStudy& study, LayoutReading& reading) {
    auto placement = analysis::proposePlacement(study);
    if (placement.hasValue())
        reading.placement = std::move(placement).value();
    else if (placement.error().code == ErrorCode::NotFound)
        reading.placementMissing = placement.error().message;
    else
        return placement.error();
    return {};
}

} // namespace

QString ranksText(const std::vector<int>& ranks) {
    constexpr std::size_t kListed = 4;
    if (ranks.empty())
        return {};
    const auto count = ranks.size();
    if (count > 2 && ranks.back() - ranks.front() == static_cast<int>(count) - 1)
        return QStringLiteral("%1–%2").arg(ranks.front()).arg(ranks.back());
    if (count > kListed)
        return QStringLiteral("%1, %2 … %3 (%4)")
            .arg(ranks[0])
            .arg(ranks[1])
            .arg(ranks.back())
            .arg(count);
    return joinedNumbers(ranks, ", ");
}

std::vector<Fact> placeFacts(const plot::LayoutFigureData& data, int rank) {
    const Place place = placeOf(data.cluster, rank);
    const auto* layout = layoutOf(data, rank);
    if (place.gpu == nullptr && layout == nullptr)
        return {};
    std::vector<Fact> facts{{QStringLiteral("Rank %1").arg(rank), {}, true}};
    if (place.gpu != nullptr) {
        const auto side = place.gpu->isRear ? QStringLiteral("rear") : QStringLiteral("front");
        facts.push_back({QStringLiteral("Node"), QString::number(place.node->node), false,
            place.node->rack > 0 || data.cluster.nodesPerRack
                ? QStringLiteral("rack %1").arg(place.node->rack)
                : QString()});
        facts.push_back({QStringLiteral("Slot"), QString::number(place.gpu->slot), false,
            data.cluster.isAirflowAssumed               ? QStringLiteral("%1, assumed").arg(side)
                : !data.cluster.airflowEvidence.empty() ? QStringLiteral("%1, inferred").arg(side)
                                                        : side});
        if (!data.cluster.gpuModel.empty())
            facts.push_back({QStringLiteral("GPU"), QString::fromStdString(data.cluster.gpuModel),
                false, QStringLiteral("index %1").arg(place.gpu->local)});
    }
    if (layout == nullptr)
        return facts;
    const auto at = layout->grid.position(rank);
    const auto& degrees = layout->grid.degrees();
    const QString layers = layersOfStage(*layout, at.pipeline);
    facts.push_back(
        {QStringLiteral("Stage"), QStringLiteral("%1 of %2").arg(at.pipeline).arg(degrees.pipeline),
            false, layers.isEmpty() ? QString() : QStringLiteral("layers %1").arg(layers)});
    addCoordinate(facts, "Tensor rank", at.tensor, degrees.tensor);
    addCoordinate(facts, "Context rank", at.context, degrees.context);
    addCoordinate(facts, "Data replica", at.data, degrees.data);
    addCoordinate(facts, "Expert rank", at.expert, degrees.expert);
    return facts;
}

std::vector<Fact> exchangeFacts(const plot::LayoutFigureData& data, int rank) {
    const auto* layout = layoutOf(data, rank);
    const auto* all = bytesOf(data, rank);
    if (layout == nullptr || all == nullptr || all->empty())
        return {};
    std::vector<Fact> facts{{QStringLiteral("Sends per step"), {}, true}};
    for (const GroupBytes& bytes : *all) {
        const QString ranks = ranksText(groupRanks(*layout, bytes.group, rank));
        const QString title = textOf(plot::groupTitle(bytes.group));
        const auto& first = bytes.measured ? bytes.measured : bytes.computed;
        facts.push_back(
            {ranks.isEmpty() ? title : QStringLiteral("%1 · ranks %2").arg(title, ranks),
                first ? quantity("B", *first) : QStringLiteral("not known"), false,
                bytes.measured && bytes.computed
                    ? QStringLiteral("measured; computed %1").arg(quantity("B", *bytes.computed))
                    : bytes.measured ? QStringLiteral("measured")
                                     : QStringLiteral("computed")});
        addLink(data, bytes, rank, facts);
    }
    return facts;
}

std::vector<Fact> layoutFacts(const plot::LayoutFigureData& data) {
    std::vector<Fact> facts;
    const auto& cluster = data.cluster;
    facts.push_back({QStringLiteral("GPUs"),
        cluster.nodes.size() == 1
            ? QStringLiteral("%1 on one node").arg(cluster.gpuCount())
            : QStringLiteral("%1 on %2 nodes").arg(cluster.gpuCount()).arg(cluster.nodes.size()),
        false, QString::fromStdString(cluster.gpuModel)});
    if (data.layout) {
        const auto& d = data.layout->grid.degrees();
        QStringList degrees;
        for (const auto& [name, degree] : {std::pair("TP", d.tensor), std::pair("CP", d.context),
                 std::pair("PP", d.pipeline), std::pair("DP", d.data), std::pair("EP", d.expert)}) {
            if (degree > 1)
                degrees.append(QStringLiteral("%1 %2").arg(QLatin1String(name)).arg(degree));
        }
        facts.push_back({QStringLiteral("Layout"),
            degrees.isEmpty() ? QStringLiteral("one rank") : degrees.join(QStringLiteral(" · ")),
            false, QString::fromStdString(data.layout->grid.order().text())});
    }
    if (!cluster.scaleUp.name.empty())
        facts.push_back(
            {QStringLiteral("Inside a node"), QString::fromStdString(cluster.scaleUp.name), false,
                cluster.scaleUp.bandwidth
                    ? QStringLiteral("%1 each way").arg(quantity("B/s", *cluster.scaleUp.bandwidth))
                    : QString()});
    if (cluster.networkBandwidth)
        facts.push_back(
            {QStringLiteral("Between nodes"), quantity("B/s", *cluster.networkBandwidth), false,
                QStringLiteral("of a GPU, each way")});
    return facts;
}

std::vector<Fact> placementFacts(const analysis::Placement& placement) {
    std::vector<Fact> facts;
    if (placement.helps)
        facts.push_back({QStringLiteral("Layers"), joinedNumbers(placement.layersAfter(), " · "),
            false, QStringLiteral("now %1").arg(joinedNumbers(placement.layersBefore(), " · "))});
    const auto add = [&facts](const QString& label, const std::optional<analysis::Estimate>& change,
                         double scale, const QString& unit) {
        if (!change)
            return;
        const auto text = [scale](double value) {
            const double shown = value * scale;
            return (shown < 0.0 ? QStringLiteral("−") : QStringLiteral("+"))
                + decimalText(std::abs(shown), 'f', 1);
        };
        facts.push_back({label, QStringLiteral("%1 %2").arg(text(change->value), unit), false,
            QStringLiteral("%1 to %2").arg(text(change->low), text(change->high))});
    };
    constexpr double kHundred = 100.0;
    add(QStringLiteral("Step time"), placement.stepTime, kHundred, QStringLiteral("%"));
    add(QStringLiteral("Rear against front"), placement.gradientChangeC, 1.0, QStringLiteral("°C"));
    add(QStringLiteral("Clock lost"), placement.lostChange, kHundred, QStringLiteral("points"));
    return facts;
}

HoverText rankHover(const plot::LayoutFigureData& data, const plot::RankColours& colours, int rank,
    std::optional<CommunicatorKind> only) {
    HoverText hover{QStringLiteral("Rank %1").arg(rank), {}};
    QStringList lines;
    const Place place = placeOf(data.cluster, rank);
    if (place.gpu != nullptr)
        hover.title
            += QStringLiteral(" · node %1, slot %2, %3")
                   .arg(place.node->node)
                   .arg(place.gpu->slot)
                   .arg(place.gpu->isRear ? QStringLiteral("rear") : QStringLiteral("front"));
    const auto at = static_cast<std::size_t>(rank);
    if (colours.by == plot::RankColour::Value)
        lines.append(QString::fromStdString(plot::valueText(
            colours.scale, at < colours.values.size() ? colours.values[at] : std::nullopt)));
    if (const auto* layout = layoutOf(data, rank)) {
        const auto* bytes = bytesOf(data, rank);
        for (const auto& group : plot::litGroups(*layout, rank, only)) {
            const auto key = infoOf(group.kind).key;
            QString line = QStringLiteral("%1: %2 ranks, %3")
                               .arg(textOf(plot::groupTitle(key)))
                               .arg(group.ranks.size())
                               .arg(ranksText(group.ranks));
            const auto found = bytes == nullptr
                ? std::vector<GroupBytes>::const_iterator()
                : std::find_if(bytes->begin(), bytes->end(),
                    [key](const GroupBytes& one) { return one.group == key; });
            if (bytes != nullptr && found != bytes->end())
                line += QStringLiteral("; sends %1 per step, %2")
                            .arg(bytesPerStep(*found),
                                linkName(found->link, scaleUpOf(data, found->group, rank)));
            lines.append(line);
        }
    }
    hover.text = lines.join(QLatin1Char('\n'));
    return hover;
}

Result<LayoutReadingPtr> readLayout(
    const analysis::RunStudy& study, const plot::ColourQuery& colours, bool withTraces) {
    auto reading = std::make_shared<LayoutReading>();
    reading->run = study.run;
    RETURN_IF_ERROR(readKnown(study, *reading));
    RETURN_IF_ERROR(readMachine(study, reading->machine));
    RETURN_IF_ERROR(readNccl(study.store, *reading));
    RETURN_IF_ERROR(readMetrics(study.store, *reading));
    plot::LayoutQuery query;
    query.colours = colours;
    query.bytes = withTraces;
    const bool needsLayout
        = colours.by != plot::RankColour::Value && colours.by != plot::RankColour::Node;
    if (!reading->known && needsLayout)
        query.colours.by = plot::RankColour::Node;
    fitMetric(reading->metrics, query.colours.metric, query.colours.statistic);
    auto figure = figures::loadLayoutFigure(study, query);
    // A metric that this run does not have is no reason to show nothing.
    if (!figure.hasValue() && figure.error().code == ErrorCode::NotFound
        && query.colours.by == plot::RankColour::Value) {
        query.colours.by = plot::RankColour::Node;
        figure = figures::loadLayoutFigure(study, query);
    }
    if (!figure.hasValue())
        return figure.error();
    reading->figure = std::move(figure).value();
    reading->hasTraces = withTraces;
    RETURN_IF_ERROR(readSchedule(study, withTraces, *reading));
    if (withTraces && reading->figure.layout) {
        RETURN_IF_ERROR(readPlacement(study, *reading));
    }
    return LayoutReadingPtr(std::move(reading));
}

} // namespace trainscope::app
