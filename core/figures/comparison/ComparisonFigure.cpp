#include "core/figures/comparison/ComparisonFigure.h"

#include "core/figures/comparison/ComparisonLoad.h"
#include "core/model/Try.h"
#include "core/plot/comparison/ComparisonGeometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainscope::figures {

namespace {

using Panels = std::vector<ComparisonPanel>;

const std::vector<Option> kComparisonOptions{
    {"metric", "M",
        "Of comparison a quantity, of its heat map and curves a metric; may be given several times",
        true},
    {"statistic", "S", "Of the heat map: mean, peak, p99, min, total or energy"},
    {"whole-run", {}, "Warm-up and unsettled time too; without, steady iterations only"},
    {"per", "P", "What numbers are divided by: gpu, node or token; stage: a step per stage", false,
        "gpu node token stage"},
    {"iteration", "K",
        "Comparisons: align at this iteration; without, all steady ones are laid over each other"},
    {"stacked", {}, "Comparisons: curves of runs below each other instead of over each other"},
    {"stretch", {}, "Comparisons: iterations stretched to one length instead of seconds"},
    {"capture", "NAME",
        "Comparisons: this capture of the runs alone; several times: these of one run, or one of "
        "each run",
        true},
    {"saved", "NAME", "Comparisons: the runs and settings that the database keeps under this name"},
    {"sort", "QUANTITY", "Comparisons: the runs behind the first by this quantity, the best first"},
};

bool shows(const Panels& panels, ComparisonPanel panel) {
    return panels.empty() || std::find(panels.begin(), panels.end(), panel) != panels.end();
}

Status checkQuantity(const std::string& key) {
    if (analysis::quantityIndex(key))
        return {};
    std::string list;
    for (const auto& quantity : analysis::comparedQuantities())
        list += (list.empty() ? "" : ", ") + quantity.key;
    return unknownChoice("quantity", key, list);
}

// A kind of comparison, which shows some of the board's panels; none: all.
class ComparisonLoader {
public:
    ComparisonLoader(std::string_view key, Panels panels, const analysis::RunStudies& studies,
        const Request& request)
        : m_key(key)
        , m_panels(std::move(panels))
        , m_studies(studies)
        , m_request(request)
        , m_options(request.options)
        , m_choice{m_panels} { }

    Result<Figure> load() {
        for (const auto step : {&ComparisonLoader::takeRuns, &ComparisonLoader::takeAlignment,
                 &ComparisonLoader::takePer, &ComparisonLoader::takeMetric,
                 &ComparisonLoader::takeOrder}) {
            RETURN_IF_ERROR((this->*step)());
        }
        m_query.wholeRun = m_query.wholeRun || m_options.has("whole-run");
        m_query.stretched = m_query.stretched || m_options.has("stretch");
        m_query.withCurves = shows(m_panels, ComparisonPanel::Curves);
        m_query.withTracks = shows(m_panels, ComparisonPanel::Tracks);
        m_choice.stacked = m_choice.stacked || m_options.has("stacked");
        ASSIGN_OR_RETURN(auto data, loadComparison(m_studies, m_query));
        auto& notes = data.notes;
        notes.insert(notes.begin(), m_notes.begin(), m_notes.end());
        const auto shown = std::make_shared<const ComparisonData>(std::move(data));
        Figure figure = comparisonFigure(shown, m_choice);
        figure.emptyText = whatIsMissing(*shown);
        // The numbers are those of the kind's panels, whatever a saved board draws.
        figure.csv = [shown, panels = m_panels] { return comparisonCsv(*shown, panels); };
        return figure;
    }

private:
    Status takeRuns() {
        const std::string saved = m_options.text("saved");
        if (!saved.empty())
            return takeSaved(saved);
        RETURN_IF_ERROR(takeParts());
        if (m_query.runs.size() < 2)
            return usage("A comparison needs two runs, or two captures of one: give --run or "
                         "--capture twice or more.");
        m_query.heatStatistic = usualStatistic(m_query.heatMetric);
        return {};
    }

    // Several captures of one run, one capture of several runs, or each run's own.
    Status takeParts() {
        const auto captures = m_options.all("capture");
        const auto& runs = m_request.runs;
        if (captures.size() > 1 && runs.size() > 1 && runs.size() != captures.size())
            return usage("Say --capture once for all runs, once for each of them, or several times "
                         "for one run.");
        for (std::size_t i = 0; i < std::max(runs.size(), captures.size()) && !runs.empty(); ++i) {
            m_query.runs.push_back(runs[runs.size() == 1 ? 0 : i].id);
            if (!captures.empty())
                m_query.captures.push_back(captures[captures.size() == 1 ? 0 : i]);
        }
        return {};
    }

    // The runs and settings of a saved board; the kind's panels, where it has some of its own.
    Status takeSaved(const std::string& name) {
        ASSIGN_OR_RETURN(auto saved, m_request.savedBoard(name));
        if (saved.query.runs.size() < 2)
            return Error{ErrorCode::NotFound,
                "Of what '" + name + "' compares fewer than two are left.", {}};
        m_query = std::move(saved.query);
        if (m_panels.empty())
            m_choice.panels = std::move(saved.panels);
        m_choice.stacked = saved.stacked;
        m_choice.perStage = saved.perStage;
        m_notes = std::move(saved.notes);
        return {};
    }

    Status takeAlignment() {
        ASSIGN_OR_RETURN(const auto iteration, m_options.integer("iteration"));
        if (iteration) {
            m_query.alignment = ComparisonAlignment::Iteration;
            m_query.iteration = *iteration;
        } else if (m_options.has("whole-run")) {
            m_query.alignment = ComparisonAlignment::Start;
        }
        return {};
    }

    Status takePer() {
        const std::string per = m_options.text("per");
        m_choice.perStage = m_choice.perStage || per == "stage";
        if (per.empty() || per == "run" || per == "stage")
            return {};
        const auto by = analysis::normalisationFrom("per-" + per);
        if (!by)
            return unknownChoice(
                "division", per, "run, stage, gpu, node and token for a comparison");
        m_query.normalisation = *by;
        return {};
    }

    // Quantities of the plain comparison, else the metric of the heat map and of the curves.
    Status takeMetric() {
        const auto metrics = m_options.all("metric");
        if (m_key == "comparison") {
            for (const auto& key : metrics) {
                RETURN_IF_ERROR(checkQuantity(key));
            }
            m_query.quantities = metrics;
            return {};
        }
        if (!metrics.empty()) {
            m_query.heatMetric = metrics.front();
            m_query.curveMetric = metrics.front();
            m_query.heatStatistic = usualStatistic(m_query.heatMetric);
        }
        if (!m_options.has("statistic"))
            return {};
        ASSIGN_OR_RETURN(m_query.heatStatistic, statisticNamed(m_options.text("statistic")));
        return {};
    }

    Status takeOrder() {
        const std::string quantity = m_options.text("sort");
        if (quantity.empty())
            return {};
        m_query.sortedBy = quantity;
        return checkQuantity(quantity);
    }

    // Empty where one of the panels has something beside words.
    [[nodiscard]] std::string whatIsMissing(const ComparisonData& data) const {
        const bool hasAny = std::any_of(
            kComparisonPanels.begin(), kComparisonPanels.end(), [&](ComparisonPanel panel) {
                const bool isText
                    = panel == ComparisonPanel::Verdict || panel == ComparisonPanel::Reasons;
                return !isText && shows(m_panels, panel) && data.has(panel);
            });
        if (hasAny)
            return {};
        std::string message = data.isEmpty()
            ? data.emptyText
            : fmt::format("The runs have nothing that a figure '{}' could show.", m_key);
        for (const auto& note : data.notes)
            message += " " + note;
        return message;
    }

    std::string_view m_key;
    Panels m_panels;
    const analysis::RunStudies& m_studies;
    const Request& m_request;
    const OptionValues& m_options;
    ComparisonQuery m_query;
    BoardChoice m_choice;
    std::vector<std::string> m_notes;
};

Kind kindOf(std::string_view key, const Panels& panels) {
    return {key, RunsShown::NamedOrAll, kComparisonOptions,
        [key, panels](
            const analysis::RunStudies& studies, const Request& request) -> Result<Figure> {
            const bool areNamed = request.areRunsNamed || request.options.has("capture");
            if (request.options.has("saved") && areNamed)
                return usage(
                    "--saved brings its own runs; leave --run and --capture out, or --saved.");
            return ComparisonLoader(key, panels, studies, request).load();
        }};
}

// The cell of the GPU, or the run's name; other parts of the run are no place of it alone.
std::vector<Place> placesOf(const ComparisonData& data, const ComparisonGeometry& geometry,
    RunId run, std::optional<int> rank) {
    std::vector<Place> cells;
    std::vector<Place> others;
    for (const auto& target : geometry.targets) {
        if (data.runs[target.run].named.id != run)
            continue;
        const Point at{
            target.rect.x + target.rect.width / 2.0, target.rect.y + target.rect.height / 2.0};
        if (target.panel == ComparisonPanel::Heatmap) {
            if (rank && data.heat->runs[target.run].cells[target.item].rank == *rank)
                cells.insert(cells.begin(), {at});
            continue;
        }
        const auto hit = hitComparison(data, geometry, at.x, at.y);
        if (hit)
            others.push_back(
                {at, rank ? hit->rank == rank : target.panel == ComparisonPanel::Verdict});
    }
    cells.insert(cells.end(), others.begin(), others.end());
    return cells;
}

} // namespace

Figure comparisonFigure(const std::shared_ptr<const ComparisonData>& data, BoardChoice choice) {
    Figure figure{"comparison-board", data->title,
        data->isEmpty() ? data->emptyText : std::string(), {}, {}, {}, {}};
    for (const auto& run : data->runs)
        figure.runs.emplace_back(run.named.id, run.named.name);
    figure.csv = [data, panels = choice.panels] { return comparisonCsv(*data, panels); };
    figure.draw = [data, choice = std::move(choice)](const FigureStyle& asked) {
        ComparisonStyle style{asked.theme, asked.width, asked.height, asked.measure, choice.panels,
            choice.stacked, choice.perStage, asked.title && !choice.bare,
            asked.caption && !choice.bare};
        auto geometry = std::make_shared<ComparisonGeometry>(buildComparison(*data, style));
        Picture picture;
        picture.scene = std::move(geometry->scene);
        picture.preferredHeight = picture.scene.height;
        if (asked.height > 0.0 && picture.scene.height > asked.height + 0.5)
            picture.warnings.push_back(
                fmt::format("The comparison is {:.0f} mm high, since its panels do not fit into "
                            "less at this width.",
                    picture.scene.height * 25.4 / 72.0));
        picture.hitAt = [data, geometry](Point at) -> std::optional<FigureHit> {
            return hitComparison(*data, *geometry, at.x, at.y);
        };
        picture.placesOf = [data, geometry](RunId run, std::optional<int> rank) {
            return placesOf(*data, *geometry, run, rank);
        };
        for (const auto& target : geometry->targets)
            picture.targets.push_back(target.rect);
        return picture;
    };
    return figure;
}

std::vector<Kind> comparisonKinds() {
    using enum ComparisonPanel;
    return {kindOf("comparison", {Verdict, Reasons, Bars}), kindOf("comparison-board", {}),
        kindOf("comparison-breakdown", {Breakdown, Kernels}),
        kindOf("comparison-timeline", {Curves, Tracks}), kindOf("comparison-heatmap", {Heatmap})};
}

} // namespace trainscope::figures
