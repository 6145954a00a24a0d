#include "core/figures/layout/LayoutFigure.h"

#include "core/analysis/machine/RunLayout.h"
#include "core/text/NumberMarks.h"

#include <cmath>

namespace trainscope::figures {

using namespace plot;

using namespace plot;

namespace {

Result<ColouredRanks> atMoment(const analysis::RunStudy& study, const ColourQuery& query) {
    ASSIGN_OR_RETURN(const auto series, analysis::RankSeries::open(study, query.metric));
    auto scale = momentScale(study.store, series);
    if (!scale.hasValue())
        return scale.error();
    ASSIGN_OR_RETURN(auto values, series.at(study.store, *query.at));
    ColouredRanks result;
    result.colours = {RankColour::Value, std::move(values), std::move(scale).value()};
    result.caption = fmt::format(
        "{} at {} s after the run's begin; the scale is that of the whole run.",
        result.colours.scale.title, text::number((*query.at - study.run.range.begin).seconds(), 9));
    return result;
}

analysis::RankValues statisticsOf(
    const analysis::RunSummary& summary, const std::string& metric, FigureStatistic statistic) {
    analysis::RankValues values;
    for (const auto& gpu : summary.gpus) {
        if (gpu.gpu.rank < 0)
            continue;
        const auto at = static_cast<std::size_t>(gpu.gpu.rank);
        values.resize(std::max(values.size(), at + 1));
        values[at] = statisticOf(gpu, metric, statistic);
    }
    return values;
}

Result<ColouredRanks> byStatistic(const analysis::RunStudy& study, const ColourQuery& query) {
    // Says which metrics there are where it is none of them.
    ASSIGN_OR_RETURN(const auto series, analysis::RankSeries::open(study, query.metric));
    FigureQuery figure;
    figure.runs = {study.run.id};
    figure.wholeRun = query.wholeRun;
    ASSIGN_OR_RETURN(const auto window, windowOf(figure, study));
    ASSIGN_OR_RETURN(
        const auto summary, analysis::summarise(study, {window.window, {query.metric}}));
    const auto statistic = query.statistic.value_or(usualStatistic(query.metric));
    auto values = statisticsOf(summary, query.metric, statistic);
    std::vector<double> known;
    for (const auto& value : values) {
        if (value)
            known.push_back(*value);
    }
    if (known.empty())
        return Error{ErrorCode::NotFound,
            fmt::format(
                "No GPU of this run has a value for {}.", statisticTitle(query.metric, statistic)),
            study.run.name};
    ColouredRanks result;
    result.colours.scale = colourScale(series.metric(), statistic, known);
    result.colours.by = RankColour::Value;
    result.colours.values = std::move(values);
    result.caption = windowCaption({window}, figure);
    return result;
}

// Three digits and a prefix: "6.14 GB".
std::string shortQuantity(const char* siUnit, double value) {
    const text::ShownUnit unit = text::shownUnit(siUnit, std::abs(value));
    const double shown = value * unit.scale;
    const int digits = shown > 0.0 ? static_cast<int>(std::floor(std::log10(shown))) : 0;
    return fmt::format("{:.{}f} {}", text::worded(shown), std::clamp(2 - digits, 0, 2), unit.unit);
}

std::string powerText(double watts) {
    constexpr double kKilo = 1000.0;
    return watts < kKilo ? fmt::format("{:.0f} W", watts)
                         : fmt::format("{:.1f} kW", text::worded(watts / kKilo));
}

// "stage 0", "stages 0–3", "stages 0, 2".
std::string stagesText(const layout::ClusterNode& node, const layout::Layout& layout) {
    std::set<int> stages;
    for (const auto& gpu : node.gpus) {
        if (gpu.rank < layout.grid.worldSize())
            stages.insert(layout.grid.position(gpu.rank).pipeline);
    }
    if (stages.empty() || layout.grid.degrees().pipeline == 1)
        return {};
    if (stages.size() == 1)
        return fmt::format("stage {}", *stages.begin());
    if (*stages.rbegin() - *stages.begin() + 1 == static_cast<int>(stages.size()))
        return fmt::format("stages {}–{}", *stages.begin(), *stages.rbegin());
    return fmt::format("stages {}", text::numberList(stages));
}

// "5.2 kW", "4.2 kW of 7 GPUs" where the others' is not known; empty: none is.
std::string powerOf(
    const layout::ClusterNode& node, const std::vector<std::optional<double>>& power) {
    double watts = 0.0;
    std::size_t known = 0;
    for (const auto& gpu : node.gpus) {
        const auto at = static_cast<std::size_t>(gpu.rank);
        if (at >= power.size() || !power[at])
            continue;
        watts += *power[at];
        ++known;
    }
    if (known == 0)
        return {};
    if (known == node.gpus.size())
        return powerText(watts);
    return fmt::format(
        "{} of {}", powerText(watts), text::counted(static_cast<std::int64_t>(known), "GPU"));
}

// "8 NICs of 50.0 GB/s", as imported.
std::string cardsText(const layout::Cluster& cluster) {
    if (!cluster.topology)
        return {};
    const auto& devices = cluster.topology->devices();
    const auto cards = cluster.topology->connectedNics();
    if (cards.empty())
        return {};
    std::string text = text::counted(std::ssize(cards), "NIC");
    const auto& speed = devices[cards.front()].bandwidth;
    const bool isOne = std::ranges::all_of(
        cards, [&](std::size_t card) { return devices[card].bandwidth == speed; });
    return speed && isOne ? text + " of " + shortQuantity("B/s", *speed) : text;
}

// As core/layout/Traffic.h has it.
constexpr const char* kWhoSends
    = "Who sends to whom is assumed: collectives go around a ring in the order of the ranks, "
      "all-to-alls evenly to all others, pipelines to the stages before and behind.";

class LayoutLoader {
public:
    LayoutLoader(const analysis::RunStudy& study, const LayoutQuery& query)
        : m_study(study) {
        m_data.query = query;
        m_data.run = nameOf(study.run);
        m_data.title = study.run.name;
    }

    Result<LayoutFigureData> load() {
        RETURN_IF_ERROR(readLayout());
        ASSIGN_OR_RETURN(m_data.cluster, analysis::clusterOf(m_study, layout()));
        ASSIGN_OR_RETURN(auto coloured, colourRanks(m_study, m_data.query.colours));
        m_data.colours = std::move(coloured.colours);
        m_data.caption = std::move(coloured.caption);
        if (m_data.layout && m_data.query.bytes) {
            ASSIGN_OR_RETURN(m_data.bytes, analysis::runBytes(m_study, *m_data.layout));
            m_data.edges = physicalEdges(m_data.bytes);
        }
        RETURN_IF_ERROR(readNodes());
        addNotes();
        return std::move(m_data);
    }

private:
    [[nodiscard]] const layout::Layout* layout() const {
        return m_data.layout ? &*m_data.layout : nullptr;
    }

    Status readLayout() {
        const auto known = analysis::runLayout(m_study);
        if (known.hasValue()) {
            ASSIGN_OR_RETURN(m_data.layout, layout::makeLayout(known.value().request));
            m_data.origin = known.value().wording;
            m_data.notes = known.value().notes;
            return {};
        }
        const bool needsIt = m_data.query.colours.by != RankColour::Value
            && m_data.query.colours.by != RankColour::Node;
        if (needsIt || known.error().code != ErrorCode::NotFound)
            return known.error();
        m_data.notes.push_back("No logical diagram: " + known.error().message);
        return {};
    }

    // Nodes are labelled with the power of the moment, or its mean.
    Status readNodes() {
        ColourQuery query = m_data.query.colours;
        query.by = RankColour::Value;
        query.metric = metric::kGpuPower;
        query.statistic = FigureStatistic::Mean;
        const auto power = colourRanks(m_study, query);
        if (!power.hasValue() && power.error().code != ErrorCode::NotFound)
            return power.error();
        m_data.nodes = physicalNodes(m_data.cluster, layout(), m_data.bytes,
            power.hasValue() ? power.value().colours.values : std::vector<std::optional<double>>());
        return {};
    }

    void addNotes() {
        auto& notes = m_data.notes;
        if (!m_data.origin.empty())
            notes.insert(notes.begin(), "Layout from " + m_data.origin + ".");
        if (m_data.cluster.isAirflowAssumed)
            notes.emplace_back("Front to rear is taken to be ascending local indices; nobody said "
                               "the order of the air.");
        if (!m_data.cluster.airflowEvidence.empty())
            notes.emplace_back("Front to rear is inferred: " + m_data.cluster.airflowEvidence);
        if (!m_data.cluster.linksFrom.empty())
            notes.emplace_back("Links of a node: " + m_data.cluster.linksFrom + ".");
        if (!m_data.edges.empty())
            notes.insert(notes.end(), {edgeNote(), kWhoSends});
        notes.insert(notes.end(), m_data.bytes.notes.begin(), m_data.bytes.notes.end());
    }

    [[nodiscard]] std::string edgeNote() const {
        const auto measured = std::ranges::count_if(m_data.bytes.edges,
            [](const analysis::EdgeBytes& edge) { return edge.measured.has_value(); });
        std::string text = "Lines: bytes per step between nodes, both directions together, ";
        text += measured == std::ssize(m_data.bytes.edges) ? "as the traces' collectives show."
            : measured > 0 ? "as the traces' collectives show; with ~ computed from model and "
                             "layout."
                           : "computed from model and layout.";
        if (m_data.edges.size() > kMostEdges)
            text += fmt::format(
                " The {} with the most of {} are drawn.", kMostEdges, m_data.edges.size());
        return text;
    }

    const analysis::RunStudy& m_study;
    LayoutFigureData m_data;
};

// The colour that the options say, or mean where they speak of a metric.
std::string colourOf(const LayoutAsked& asked, const std::string& usualMetric) {
    if (!asked.colour.empty())
        return asked.colour;
    if (!asked.metrics.empty())
        return asked.metrics.front();
    if (asked.statistic == FigureStatistic::Energy)
        return metric::kGpuPower;
    return asked.at || asked.statistic ? usualMetric : std::string(toString(RankColour::Pipeline));
}

Result<ColourQuery> coloursOf(const LayoutAsked& asked, const Run& run) {
    ColourQuery query;
    const std::string colour = colourOf(asked, query.metric);
    const auto named = fromString<plot::RankColour>(colour);
    if (named && *named != RankColour::Value) {
        if (asked.at || asked.statistic)
            return usageError("--at and --statistic speak of a metric, not of " + colour
                + "; give one with --colour.");
        query.by = *named;
        return query;
    }
    query.by = RankColour::Value;
    query.metric = colour;
    query.wholeRun = asked.wholeRun;
    if (asked.statistic)
        RETURN_IF_ERROR(checkStatistic(*asked.statistic, query.metric));
    query.statistic = asked.statistic;
    if (asked.at)
        query.at = run.range.begin + *asked.at;
    return query;
}

Result<Figure> loadLayoutKind(
    const analysis::RunStudies& studies, const Request& request, const LayoutAsked& asked) {
    const Run& run = request.runs.front();
    ASSIGN_OR_RETURN(const auto colours, coloursOf(asked, run));
    const auto& rank = asked.rank;
    LayoutQuery query;
    query.colours = colours;
    query.rank = rank;
    ASSIGN_OR_RETURN(auto data, loadLayoutFigure(studies.of(run), query));
    const auto ranks = data.cluster.gpuCount();
    if (rank && static_cast<std::size_t>(*rank) >= ranks)
        return Error{ErrorCode::NotFound,
            fmt::format("The run has no rank {}; it has 0 to {}.", *rank, ranks - 1), run.name};
    return layoutFigure(std::make_shared<const LayoutFigureData>(std::move(data)));
}

std::string placementTitle(const Run& run) {
    return "Placement · " + run.name;
}

// Missing layouts or telemetry are no error (see emptyText).
Result<PlacementFigureData> loadPlacement(const analysis::RunStudy& study) {
    const Run& run = study.run;
    auto placement = analysis::proposePlacement(study);
    if (!placement.hasValue()) {
        const ErrorCode code = placement.error().code;
        if (code != ErrorCode::NotFound && code != ErrorCode::Usage)
            return placement.error();
        return PlacementFigureData{{placementTitle(run), {}, {}, placement.error().message}, run.id,
            run.name, std::nullopt};
    }
    return placementFigureOf(run, std::move(placement).value());
}

} // namespace

Result<FigureAxis> momentScale(const store::Store& store, const analysis::RankSeries& series) {
    ASSIGN_OR_RETURN(const auto bounds, series.bounds(store));
    const Metric& metric = series.metric();
    if (!bounds)
        return Error{
            ErrorCode::NotFound, "Every sample of " + metric.name + " of this run is missing.", {}};
    const auto [low, high] = *bounds;
    const bool isCounter = metric.kind == MetricKind::Counter;
    FigureAxis axis = axisOf(metricTitle(metric.name) + (isCounter ? ", rate" : ""), metric.name,
        isCounter ? metric.unit + "/s" : metric.unit, {low, high}, false);
    if (low < high)
        axis.range = {low, high};
    return axis;
}

Result<ColouredRanks> colourRanks(const analysis::RunStudy& study, const ColourQuery& query) {
    if (query.by != RankColour::Value) {
        ColouredRanks result;
        result.colours.by = query.by;
        return result;
    }
    return query.at ? atMoment(study, query) : byStatistic(study, query);
}

const Options<LayoutAsked>& layoutOptions() {
    static const Options<LayoutAsked> all({
        textOption<LayoutAsked>(
            {"colour", "C",
                "Layout: what colours the GPUs: stage, tensor, data, expert, context, node or a "
                "metric",
                false, "Colour", "What the colour of a rank says",
                {{"node", "Node"}, {"stage", "Pipeline stage"}, {"tensor", "Tensor rank"},
                    {"data", "Data replica"}, {"context", "Context rank"},
                    {"expert", "Expert rank"}}},
            &LayoutAsked::colour),
        listOption<LayoutAsked>(
            {"metric", "M", "Layout: the metric that colours the GPUs, as with --colour"},
            &LayoutAsked::metrics),
        statisticOption<LayoutAsked>(
            {"statistic", "S",
                "mean, peak, p99, min, total (counters) or energy; without, as usual for the "
                "metric, of sweeps mean and peak",
                false, "Value", "At the cursor's time, or over the settled part of the run"},
            &LayoutAsked::statistic),
        numberOption<LayoutAsked>(
            {"at", "S", "Layout: the metric at that moment, in seconds since the run's start"},
            secondsGiven, &LayoutAsked::at),
        switchOption<LayoutAsked>(
            {"whole-run", {}, "Warm-up and unsettled time too; without, steady iterations only"},
            &LayoutAsked::wholeRun),
        numberOption<LayoutAsked>(
            {"rank", "R", "Layout: mark the groups of this rank"}, rankGiven, &LayoutAsked::rank),
    });
    return all;
}

std::vector<PhysicalEdge> physicalEdges(const analysis::RunBytes& bytes) {
    const bool isMeasured = std::ranges::any_of(
        bytes.edges, [](const analysis::EdgeBytes& edge) { return edge.measured.has_value(); });
    std::vector<PhysicalEdge> edges;
    for (const auto& edge : bytes.edges) {
        const double amount = edge.measured.value_or(edge.computed.value_or(0.0));
        if (amount > 0.0)
            edges.push_back({edge, amount,
                fmt::format("{}{} / step", isMeasured && !edge.measured ? "~" : "",
                    shortQuantity("B", amount))});
    }
    return edges;
}

std::vector<PhysicalNode> physicalNodes(const layout::Cluster& cluster,
    const layout::Layout* layout, const analysis::RunBytes& bytes,
    const std::vector<std::optional<double>>& power) {
    std::vector<PhysicalNode> nodes;
    for (const layout::ClusterNode& node : cluster.nodes) {
        PhysicalNode one;
        if (layout != nullptr)
            one.summary = stagesText(node, *layout);
        if (const std::string watts = powerOf(node, power); !watts.empty())
            one.summary += (one.summary.empty() ? "" : " · ") + watts;
        const auto found = std::ranges::find(bytes.nodes, node.node, &analysis::NodeBytes::node);
        const auto rate = found == bytes.nodes.end() ? std::nullopt : found->scaleUpRate;
        const auto& peak = cluster.scaleUp.bandwidth;
        one.link = cluster.scaleUp.name;
        if (rate && !one.link.empty())
            one.link += " " + shortQuantity("B/s", *rate);
        else if (peak && !one.link.empty())
            one.link += " up to " + shortQuantity("B/s", *peak);
        if (const auto cards = cardsText(cluster); !cards.empty())
            one.link += (one.link.empty() ? "" : " · ") + cards;
        if (rate && peak && *peak > 0.0)
            one.load = *rate / *peak;
        nodes.push_back(std::move(one));
    }
    return nodes;
}

Result<LayoutFigureData> loadLayoutFigure(
    const analysis::RunStudy& study, const LayoutQuery& query) {
    return LayoutLoader(study, query).load();
}

Figure layoutFigure(const std::shared_ptr<const LayoutFigureData>& data) {
    Figure figure{"layout", data->title, {}, {{data->run.id, data->run.name}}, {}, {}, {}};
    figure.csv = [data] { return layoutCsv(*data); };
    figure.draw = drawing(data, buildLayoutFigure);
    return figure;
}

std::vector<Kind> layoutKinds() {
    return {kindWith("layout", RunsShown::One, layoutOptions(), &loadLayoutKind)};
}

PlacementFigureData placementFigureOf(const Run& run, analysis::Placement placement) {
    PlacementFigureData data{{placementTitle(run), {}, {}, {}}, run.id, run.name, std::nullopt};
    data.caption = fmt::format("An estimate. {}. {} Front GPUs above, rear GPUs below, as the air "
                               "passes them; numbers are ranks.",
        placement.headline, placement.reason);
    data.placement = std::move(placement);
    return data;
}

Figure placementFigure(const std::shared_ptr<const PlacementFigureData>& data) {
    Figure figure{"placement", data->title, data->isEmpty() ? data->emptyText : std::string(),
        {{data->run, data->runName}}, {}, {}, {}};
    figure.csv = [data] { return placementCsv(*data); };
    figure.draw = drawing(data, buildPlacementFigure);
    return figure;
}

std::vector<Kind> placementKinds() {
    return {{"placement", RunsShown::One, {},
        [](const analysis::RunStudies& studies, const Request& request) -> Result<Figure> {
            ASSIGN_OR_RETURN(auto data, loadPlacement(studies.of(request.runs.front())));
            return placementFigure(std::make_shared<const PlacementFigureData>(std::move(data)));
        }}};
}

} // namespace trainscope::figures
