#include "core/figures/comparison/ComparisonFigure.h"

#include "core/analysis/comparison/Comparison.h"
#include "core/figures/runs/RunFigures.h"
#include "core/plot/comparison/ComparisonText.h"

#include <sstream>

namespace trainscope::figures {

using namespace plot;

namespace {

using Panels = std::vector<ComparisonPanel>;

bool shows(const Panels& panels, ComparisonPanel panel) {
    return panels.empty() || std::ranges::find(panels, panel) != panels.end();
}

Status checkQuantity(const std::string& key) {
    if (analysis::quantityIndex(key))
        return {};
    std::string list;
    for (const auto& quantity : analysis::comparedQuantities())
        list += (list.empty() ? "" : ", ") + quantity.key;
    return unknownChoice("quantity", key, list);
}

OptionOf<ComparisonQuery> normalisationOption() {
    using analysis::Normalisation;
    return {{"per", "P", "What numbers are divided by: gpu, node or token; stage: a step per stage",
                false, "Normalise", "What grows with the machine or the batch is divided",
                {{"run", "Absolute"}, {"gpu", "Per GPU"}, {"node", "Per node"},
                    {"token", "Per token"}, {"stage", {}}}},
        [](ComparisonQuery& query, const Texts& given) -> Status {
            query.normalisation = Normalisation::Absolute;
            if (given.empty() || given.back() == "run")
                return {};
            const auto by = fromString<analysis::Normalisation>("per-" + given.back());
            if (!by)
                return unknownChoice(
                    "division", given.back(), "run, stage, gpu, node and token for a comparison");
            query.normalisation = *by;
            return {};
        },
        [](const ComparisonQuery& query) {
            const std::string by(toString(query.normalisation)); // "per-gpu"
            return Texts{query.normalisation == Normalisation::Absolute ? "run" : by.substr(4)};
        }};
}

OptionOf<ComparisonQuery> orderOption() {
    return {{"sort", "QUANTITY",
                "Comparisons: the runs behind the first by this quantity, the best first", false,
                "Order", "The runs behind the base, the best first"},
        [](ComparisonQuery& query, const Texts& given) {
            query.sortedBy = given.empty() ? std::string() : given.back();
            return given.empty() ? Status() : checkQuantity(given.back());
        },
        [](const ComparisonQuery& query) {
            return query.sortedBy.empty() ? Texts() : Texts{query.sortedBy};
        }};
}

// The options' choices, laid over a saved board where one is named.
struct ComparisonAsked {
    ComparisonBoard board;
    std::string saved;
    Texts captures;
};
using ComparisonOption = OptionOf<ComparisonAsked>;
constexpr auto kQuery = [](auto& asked) -> auto& {
    return asked.board.query;
};

// Quantities of the plain comparison, else the metric of the curves.
ComparisonOption comparedMetricOption(bool isPlain) {
    return {{"metric", "M", "Comparison: a quantity, its curves a metric", true},
        [isPlain](ComparisonAsked& asked, const Texts& given) -> Status {
            auto& query = asked.board.query;
            if (!isPlain) {
                query.curveMetric = given.front();
                return {};
            }
            for (const auto& key : given)
                RETURN_IF_ERROR(checkQuantity(key));
            query.quantities = given;
            return {};
        }};
}

// Steady iterations lie over each other; a whole run begins at its start.
ComparisonOption comparedPartOption() {
    return {{"whole-run", {}, "Warm-up and unsettled time too; without, steady iterations only"},
        [](ComparisonAsked& asked, const Texts&) {
            asked.board.query.wholeRun = true;
            asked.board.query.alignment = ComparisonAlignment::Start;
            return Status();
        }};
}

// A step per stage is another form of the board, beside what numbers are divided by.
ComparisonOption dividedOption() {
    auto option = liftedOption<ComparisonAsked>(*comparedOptions().find("per"), kQuery);
    option.set = [divide = option.set](ComparisonAsked& asked, const Texts& given) {
        asked.board.perStage = asked.board.perStage || given.back() == "stage";
        return given.back() == "stage" ? Status() : divide(asked, given);
    };
    return option;
}

ComparisonOption alignedOption() {
    return {{"iteration", "K",
                "Comparisons: align at this iteration; without, all steady ones are laid over "
                "each other"},
        [](ComparisonAsked& asked, const Texts& given) {
            asked.board.query.alignment = ComparisonAlignment::Iteration;
            return assign(integerGiven("iteration", given.back()), asked.board.query.iteration);
        }};
}

// Panels of the board by their names, which commas may part.
ComparisonOption panelsOption() {
    std::vector<FigureChoice> choices;
    for (const ComparisonPanel panel : kComparisonPanels)
        choices.push_back({std::string(toString(panel)), {}});
    return {{"panels", "NAMES", "Board: only these panels, such as verdict,bars", true, {}, {},
                choices},
        [choices](ComparisonAsked& asked, const Texts& given) -> Status {
            asked.board.panels.clear();
            for (const std::string& names : given) {
                std::istringstream in(names);
                for (std::string name; std::getline(in, name, ',');) {
                    const auto panel = fromString<plot::ComparisonPanel>(name);
                    if (!panel)
                        return unknownChoice("panel", name, choices);
                    asked.board.panels.push_back(*panel);
                }
            }
            return {};
        }};
}

Options<ComparisonAsked> comparisonOptions(std::string_view kind) {
    using Asked = ComparisonAsked;
    std::vector<ComparisonOption> all{comparedMetricOption(kind == "comparison"),
        comparedPartOption(), dividedOption(), alignedOption(),
        switchOption<Asked>(
            {"stacked", {},
                "Comparisons: curves of runs below each other instead of over each "
                "other"},
            [](auto& asked) -> auto& { return asked.board.stacked; }),
        switchOption<Asked>(
            {"stretch", {},
                "Comparisons: iterations stretched to one length instead of "
                "seconds"},
            [](auto& asked) -> auto& { return asked.board.query.stretched; }),
        listOption<Asked>({"capture", "NAME",
                              "Comparisons: this capture of the runs alone; several: these "
                              "of one run, or one of each run"},
            &Asked::captures),
        textOption<Asked>({"saved", "NAME",
                              "Comparisons: the runs and settings that the database keeps under "
                              "this name"},
            &Asked::saved),
        liftedOption<Asked>(*comparedOptions().find("sort"), kQuery)};
    if (kind == "comparison-board")
        all.push_back(panelsOption());
    return all;
}

// A kind of comparison, which shows some of the board's panels; none: all.
class ComparisonLoader {
public:
    ComparisonLoader(std::string_view key, Panels panels, const analysis::RunStudies& studies,
        const Request& request, ComparisonAsked asked)
        : m_key(key)
        , m_panels(std::move(panels))
        , m_studies(studies)
        , m_request(request)
        , m_asked(std::move(asked)) { }

    Result<Figure> load() {
        RETURN_IF_ERROR(takeRuns());
        ComparisonBoard& board = m_asked.board;
        const Panels& drawn = m_panels.empty() ? board.panels : m_panels;
        board.query.withCurves = shows(drawn, ComparisonPanel::Curves);
        board.query.withOperators = shows(drawn, ComparisonPanel::Operators);
        ASSIGN_OR_RETURN(auto data, loadComparison(m_studies, board.query));
        data.notes.insert(data.notes.begin(), board.notes.begin(), board.notes.end());
        const auto shown = std::make_shared<const ComparisonData>(std::move(data));
        Figure figure = comparisonFigure(shown, {drawn, board.stacked, board.perStage});
        figure.emptyText = whatIsMissing(*shown);
        // The numbers are those of the kind's panels, whatever a saved board draws.
        figure.csv = [shown, own = m_panels] { return comparisonCsv(*shown, own); };
        return figure;
    }

private:
    Status takeRuns() {
        if (!m_asked.saved.empty())
            return {};
        RETURN_IF_ERROR(takeParts());
        if (m_asked.board.query.runs.size() < 2)
            return usageError("A comparison needs two runs, or two captures of one: give --run or "
                              "--capture twice or more.");
        return {};
    }

    // Several captures of one run, one capture of several runs, or each run's own.
    Status takeParts() {
        const auto& captures = m_asked.captures;
        const auto& runs = m_request.runs;
        auto& query = m_asked.board.query;
        if (captures.size() > 1 && runs.size() > 1 && runs.size() != captures.size())
            return usageError("Say --capture once for all runs, once for each of them, or several "
                              "times for one run.");
        for (std::size_t i = 0; i < std::max(runs.size(), captures.size()) && !runs.empty(); ++i) {
            query.runs.push_back(runs[runs.size() == 1 ? 0 : i].id);
            if (!captures.empty())
                query.captures.push_back(captures[captures.size() == 1 ? 0 : i]);
        }
        return {};
    }

    // Empty where one of the panels has something beside words.
    [[nodiscard]] std::string whatIsMissing(const ComparisonData& data) const {
        const bool hasAny = std::ranges::any_of(kComparisonPanels, [&](ComparisonPanel panel) {
            const bool isText
                = panel == ComparisonPanel::Verdict || panel == ComparisonPanel::Reasons;
            const Panels& drawn = m_panels.empty() ? m_asked.board.panels : m_panels;
            return (!isText || !drawn.empty()) && shows(drawn, panel) && data.has(panel);
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
    ComparisonAsked m_asked;
};

// The options over the board that is saved under the name they give, or over the usual one.
Result<ComparisonAsked> askedOf(const Options<ComparisonAsked>& options, const Request& request) {
    ComparisonAsked asked;
    RETURN_IF_ERROR(options.apply(request.options, asked));
    if (asked.saved.empty())
        return asked;
    if (request.areRunsNamed || !asked.captures.empty())
        return usageError(
            "--saved brings its own runs; leave --run and --capture out, or --saved.");
    ASSIGN_OR_RETURN(asked.board, request.savedBoard(asked.saved));
    if (asked.board.query.runs.size() < 2)
        return Error{ErrorCode::NotFound,
            "'" + asked.saved + "' compares runs of which fewer than two are left.", {}};
    RETURN_IF_ERROR(options.apply(request.options, asked));
    return asked;
}

Kind comparisonKind(std::string_view key, const Panels& panels) {
    auto options = comparisonOptions(key);
    auto described = options.described();
    return {key, RunsShown::NamedOrAll, std::move(described),
        [key, panels, options = std::move(options)](
            const analysis::RunStudies& studies, const Request& request) -> Result<Figure> {
            ASSIGN_OR_RETURN(auto asked, askedOf(options, request));
            return ComparisonLoader(key, panels, studies, request, std::move(asked)).load();
        }};
}

// Panels that stand beside each other.
struct PanelRow {
    double top = 0.0;
    double bottom = 0.0;
    Panels panels;
};

std::vector<PanelRow> rowsOf(const Picture& whole, const Panels& panels) {
    std::vector<PanelRow> rows;
    for (std::size_t i = 0; i < std::min(panels.size(), whole.areas.size()); ++i) {
        const Rect& area = whole.areas[i];
        if (rows.empty() || area.y > rows.back().top + 0.5)
            rows.push_back({area.y, area.bottom(), {}});
        rows.back().panels.push_back(panels[i]);
        rows.back().bottom = std::max(rows.back().bottom, area.bottom());
    }
    return rows;
}

// The panels of each page, as many rows as it has room for; the notes stand below the last.
std::vector<Panels> pagePanels(const Picture& whole, const Panels& panels, double height) {
    const auto rows = rowsOf(whole, panels);
    const double foot = rows.empty() ? 0.0 : whole.preferredHeight - rows.back().bottom;
    std::vector<Panels> pages;
    double top = 0.0; // the page's, in the whole picture
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const PanelRow& row = rows[i];
        const double end = row.bottom + (i + 1 == rows.size() ? foot : 0.0);
        if (pages.empty() || (end - top > height && !pages.back().empty())) {
            top = pages.empty() ? 0.0 : row.top;
            pages.emplace_back();
        }
        pages.back().insert(pages.back().end(), row.panels.begin(), row.panels.end());
    }
    return pages;
}

std::vector<Picture> boardPages(
    const ComparisonData& data, const FigureStyle& page, const BoardChoice& choice) {
    FigureStyle style = page;
    style.height = 0.0;
    const Picture whole = buildComparison(data, style, choice);
    const auto pages = pagePanels(whole, shownPanels(data, choice), page.height);
    std::vector<Picture> made;
    for (std::size_t i = 0; i < pages.size(); ++i) {
        style.title = page.title && i == 0;
        style.caption = page.caption && i + 1 == pages.size();
        BoardChoice shown = choice;
        shown.panels = pages[i];
        made.push_back(buildComparison(data, style, shown));
        if (made.back().scene.height > page.height + 0.5)
            made.back().warnings.emplace_back(
                "A panel of the comparison is higher than a page, which is made higher for it.");
    }
    if (made.empty())
        made.push_back(buildComparison(data, style, choice));
    return made;
}

std::shared_ptr<const analysis::RunMeasures> measuredBefore(
    const ComparisonData* before, const ComparisonQuery& query, std::size_t place) {
    if (before == nullptr || before->query.wholeRun != query.wholeRun)
        return nullptr;
    for (const auto& measured : before->measured) {
        if (measured->run.id == query.runs[place] && measured->capture == query.captureOf(place))
            return measured;
    }
    return nullptr;
}

// Without those that were given before.
ComparisonQuery withoutRepeats(const ComparisonQuery& query, std::vector<RunsNote>& notes) {
    ComparisonQuery each = query;
    each.runs.clear();
    each.captures.clear();
    each.moved.clear();
    for (std::size_t i = 0; i < query.runs.size(); ++i) {
        std::size_t known = 0;
        while (known < each.runs.size()
            && (each.runs[known] != query.runs[i] || each.captures[known] != query.captureOf(i)))
            ++known;
        if (known < each.runs.size()) {
            addNote(notes, known, "given more than once; it stands beside others once.");
            continue;
        }
        each.runs.push_back(query.runs[i]);
        each.captures.push_back(query.captureOf(i));
        each.moved.push_back(i < query.moved.size() ? query.moved[i] : DurationNs{0});
    }
    return each;
}

// Runs with what was measured of them, and how far they were moved.
struct Measured {
    FigureSubject subject;
    std::shared_ptr<const analysis::RunMeasures> figures;
    DurationNs moved;
};

Result<std::vector<Measured>> measure(const analysis::RunStudies& studies,
    const ComparisonQuery& query, const ComparisonData* before) {
    FigureQuery asked;
    asked.runs = query.runs;
    ASSIGN_OR_RETURN(auto subjects, figureSubjects(studies.store, asked));
    std::vector<Measured> all;
    for (auto& subject : subjects) {
        const std::size_t place = all.size();
        auto known = measuredBefore(before, query, place);
        if (!known) {
            const analysis::MeasureScope scope{query.wholeRun, query.captureOf(place)};
            ASSIGN_OR_RETURN(auto measured, analysis::measuresOf(studies.of(subject.run), scope));
            known = std::make_shared<const analysis::RunMeasures>(std::move(measured));
        }
        all.push_back({std::move(subject), std::move(known), query.moved[place]});
    }
    return all;
}

// The first stays the first.
void sortRuns(const ComparisonQuery& query, std::vector<Measured>& runs) {
    const auto quantity = analysis::quantityIndex(query.sortedBy);
    if (!quantity)
        return;
    std::stable_sort(runs.begin() + 1, runs.end(), [&](const Measured& a, const Measured& b) {
        return analysis::comesBefore(*a.figures, *b.figures, *quantity, query.normalisation);
    });
}

ComparedRun shownRun(const Measured& run, std::size_t place) {
    ComparedRun shown{run.subject.named, analysis::runMark(place), place};
    shown.named.cluster = run.figures->cluster;
    if (run.figures->capture.empty())
        return shown;
    shown.capture = run.figures->capture;
    shown.stretch = run.figures->window.window;
    shown.named.name = run.figures->run.name;
    shown.named.label = shown.capture;
    return shown;
}

// Also the query, in the order in which the runs are shown.
ComparisonQuery takeRuns(
    const ComparisonQuery& query, std::vector<Measured>& runs, ComparisonData& data) {
    ComparisonQuery shown = query;
    shown.runs.clear();
    shown.captures.clear();
    shown.moved.clear();
    std::vector<FigureSubject> subjects;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto& run = runs[i];
        shown.runs.push_back(run.subject.run.id);
        shown.captures.push_back(run.figures->capture);
        shown.moved.push_back(run.moved);
        data.runs.push_back(shownRun(run, i));
        data.measured.push_back(std::move(run.figures));
        subjects.push_back(std::move(run.subject));
    }
    data.title = commonTitle(subjects);
    return shown;
}

std::vector<const analysis::RunMeasures*> measuredOf(const ComparisonData& data) {
    std::vector<const analysis::RunMeasures*> runs;
    for (const auto& measured : data.measured)
        runs.push_back(measured.get());
    return runs;
}

void addCaption(ComparisonData& data) {
    std::vector<RunsNote> parts;
    for (std::size_t run = 0; run < data.measured.size(); ++run)
        addNote(parts, run, data.measured[run]->wording + ".");
    for (const auto& part : parts)
        data.caption += noteText(part) + " ";
    data.caption += normalisationText(data.query.normalisation);
}

bool isSame(const ComparisonData& a, const ComparisonData& b) {
    return a.query.wholeRun == b.query.wholeRun
        && std::equal(a.runs.begin(), a.runs.end(), b.runs.begin(), b.runs.end(),
            [](const auto& x, const auto& y) {
                return x.named.id == y.named.id && x.capture == y.capture;
            });
}

void takeOver(const ComparisonData& before, ComparisonData& data) {
    const auto& a = before.query;
    const auto& b = data.query;
    if (!isSame(before, data) || a.alignment != b.alignment || a.iteration != b.iteration
        || a.stretched != b.stretched)
        return;
    if (a.curveMetric == b.curveMetric && a.runs == b.runs && a.captures == b.captures
        && a.moved == b.moved)
        data.curves = before.curves;
    if (a.runs == b.runs && a.captures == b.captures)
        data.operators = before.operators;
}

Status addReadings(
    const ComparisonContext& context, ComparisonData& data, std::vector<RunsNote>& notes) {
    if (context.query.withCurves && !data.curves) {
        RETURN_IF_ERROR(addCurves(context, data));
    }
    if (context.query.withOperators && data.operators.empty()) {
        ASSIGN_OR_RETURN(
            data.operators, analysis::stepOperators(context.studies, measuredOf(data)));
    }
    if (data.curves)
        notes.insert(notes.end(), data.curves->notes.begin(), data.curves->notes.end());
    return {};
}

} // namespace

const Options<ComparisonQuery>& comparedOptions() {
    static const Options<ComparisonQuery> all({normalisationOption(), orderOption()});
    return all;
}

Figure comparisonFigure(const std::shared_ptr<const ComparisonData>& data, BoardChoice choice) {
    Figure figure{"comparison-board", data->title,
        data->isEmpty() ? data->emptyText : std::string(), {}, {}, {}, {}};
    for (const auto& run : data->runs)
        figure.runs.emplace_back(run.named.id, run.named.name);
    figure.csv = [data, panels = choice.panels] { return comparisonCsv(*data, panels); };
    figure.pages
        = [data, choice](const FigureStyle& page) { return boardPages(*data, page, choice); };
    figure.draw = drawing(
        data, [choice = std::move(choice)](const ComparisonData& drawn, FigureStyle style) {
            style.title = style.title && !choice.bare;
            style.caption = style.caption && !choice.bare;
            Picture picture = buildComparison(drawn, style, choice);
            if (style.height > 0.0 && picture.scene.height > style.height + 0.5)
                picture.warnings.push_back(fmt::format(
                    "The comparison is {:.0f} mm high, since its panels do not fit into "
                    "less at this width.",
                    picture.scene.height * 25.4 / 72.0));
            return picture;
        });
    return figure;
}

std::vector<Kind> comparisonKinds() {
    using enum ComparisonPanel;
    return {comparisonKind("comparison", {Verdict, Reasons, Bars}),
        comparisonKind("comparison-board", {}),
        comparisonKind("comparison-breakdown", {Breakdown, Kernels}),
        comparisonKind("comparison-timeline", {Curves})};
}

Result<ComparisonData> loadComparison(const analysis::RunStudies& studies,
    const ComparisonQuery& query, const ComparisonData* before) {
    ComparisonData data;
    data.query = query;
    std::vector<RunsNote> notes;
    const ComparisonQuery each = withoutRepeats(query, notes);
    if (each.runs.size() < 2) {
        data.emptyText = query.runs.size() < 2
            ? "A comparison needs two runs or captures or more."
            : "The same was given twice; choose another run or capture to compare it with.";
        return data;
    }
    ASSIGN_OR_RETURN(auto runs, measure(studies, each, before));
    sortRuns(each, runs);
    const ComparisonQuery shown = takeRuns(each, runs, data);
    const ComparisonContext context{studies, shown, data.measured};
    if (before != nullptr)
        takeOver(*before, data);
    addQuantities(data);
    addVerdict(data);
    addStacks(context, data, notes);
    addKernels(context, data);
    data.configuration = analysis::configDifferences(measuredOf(data));
    addCaption(data);
    RETURN_IF_ERROR(addReadings(context, data, notes));
    for (const auto& note : notes)
        data.notes.push_back(noteText(note));
    const bool nothing = data.quantities.empty() && data.stacks.empty() && !data.curves;
    if (nothing)
        data.emptyText = "The runs have nothing in common that could be compared: neither "
                         "iterations, nor a metric, nor a trace.";
    return data;
}

} // namespace trainscope::figures
