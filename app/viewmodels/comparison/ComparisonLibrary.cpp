#include "app/viewmodels/comparison/ComparisonLibrary.h"

#include "app/viewmodels/text/Texts.h"
#include "core/figures/comparison/ComparisonFigure.h"
#include "core/store/Writing.h"

namespace trainscope::app {
namespace {

using plot::ComparisonAlignment;

// The chosen one is always among them, known or not.
std::vector<plot::FigureChoice> withChosen(
    std::vector<plot::FigureChoice> offered, const plot::FigureChoice& chosen) {
    const bool known = std::ranges::any_of(
        offered, [&chosen](const plot::FigureChoice& choice) { return choice.key == chosen.key; });
    if (!known)
        offered.push_back(chosen);
    return offered;
}

std::vector<plot::FigureChoice> metricsWith(
    const ComparisonOffers& offers, const std::string& chosen) {
    const Metric* metric = findMetric(chosen);
    return withChosen(offers.metrics, {chosen, metric == nullptr ? chosen : metric->label});
}

std::vector<std::int64_t> iterationsWith(
    const ComparisonSettings& settings, const ComparisonOffers& offers) {
    auto iterations = offers.iterations;
    const bool isChosen = settings.query.alignment == ComparisonAlignment::Iteration;
    const bool known = std::ranges::find(iterations, settings.query.iteration) != iterations.end();
    if (isChosen && !known) {
        iterations.push_back(settings.query.iteration);
        std::ranges::sort(iterations);
    }
    return iterations;
}

std::vector<plot::FigureChoice> quantitiesWith(
    const ComparisonOffers& offers, const std::string& chosen) {
    const auto place = analysis::quantityIndex(chosen);
    return place
        ? withChosen(offers.quantities, {chosen, analysis::comparedQuantities()[*place].title})
        : offers.quantities;
}

using ComparisonSetting = Setting<ComparisonSettings, ComparisonOffers>;
using Offered = std::optional<SettingControl>;

// An option of the figures of comparisons; the board remembers it itself.
ComparisonSetting comparedSetting(const char* name) {
    return settingOf<ComparisonSettings, ComparisonOffers>(
        *figures::comparedOptions().find(name), &ComparisonSettings::query);
}

ComparisonSetting normalisationSetting() {
    auto setting = comparedSetting("per");
    setting.key = QStringLiteral("normalise");
    return setting;
}

ComparisonSetting windowSetting() {
    return {QStringLiteral("window"), [](const auto& all) { return all.query.wholeRun; },
        [](auto& all, const auto& value) { all.query.wholeRun = value.toBool(); },
        [](const auto&, const auto&) -> Offered {
            return SettingControl{QStringLiteral("Part"), {},
                {{QStringLiteral("Settled iterations"), false},
                    {QStringLiteral("Whole run"), true}}};
        }};
}

// "folded", "start", or the number of an iteration.
const QString kFoldedKey = QStringLiteral("folded");
const QString kStartKey = QStringLiteral("start");

QString alignmentOf(const ComparisonSettings& settings) {
    switch (settings.query.alignment) {
    case ComparisonAlignment::Folded:
        return kFoldedKey;
    case ComparisonAlignment::Start:
        return kStartKey;
    case ComparisonAlignment::Iteration:
        break;
    }
    return QString::number(settings.query.iteration);
}

void takeAlignment(ComparisonSettings& settings, const QString& chosen) {
    settings.query.alignment = chosen == kFoldedKey ? ComparisonAlignment::Folded
        : chosen == kStartKey                       ? ComparisonAlignment::Start
                                                    : ComparisonAlignment::Iteration;
    settings.query.iteration = chosen.toLongLong();
}

ComparisonSetting alignmentSetting() {
    return {QStringLiteral("align"), [](const auto& all) { return alignmentOf(all); },
        [](auto& all, const auto& value) { takeAlignment(all, value.toString()); },
        [](const auto& all, const auto& offers) -> Offered {
            SettingControl control{QStringLiteral("Align"),
                QStringLiteral("The moment at 0 of the time axis"),
                {{QStringLiteral("All iterations, folded"), kFoldedKey},
                    {QStringLiteral("Start of the runs"), kStartKey}}};
            for (const auto iteration : iterationsWith(all, offers))
                control.choices.push_back(
                    {QStringLiteral("Iteration %1").arg(iteration), QString::number(iteration)});
            return control;
        }};
}

ComparisonSetting curveSetting() {
    return {QStringLiteral("curve"), [](const auto& all) { return textOf(all.query.curveMetric); },
        [](auto& all, const auto& value) {
            all.query.curveMetric = value.toString().toStdString();
        },
        [](const auto& all, const auto& offers) -> Offered {
            return SettingControl{QStringLiteral("Curve"), {},
                settingChoices(metricsWith(offers, all.query.curveMetric))};
        }};
}

// Two runs have no order but which is the first.
ComparisonSetting orderSetting() {
    auto setting = comparedSetting("sort");
    setting.control = [control = setting.control](const auto& all, const auto& offers) -> Offered {
        auto shown = offers.runs < 3 ? std::nullopt : control(all, offers);
        if (!shown)
            return shown;
        shown->choices = settingChoices(quantitiesWith(offers, all.query.sortedBy));
        shown->choices.insert(shown->choices.begin(), {QStringLiteral("As listed"), QString()});
        return shown;
    };
    return setting;
}

// `of` gives the switch in the settings.
template <typename Of>
ComparisonSetting lookSetting(const char* key, const char* title, const Of& of) {
    return {QString::fromLatin1(key), [of](const auto& all) { return QJsonValue(of(all)); },
        [of](auto& all, const auto& value) { of(all) = value.toBool(); },
        [title](const auto&, const auto&) -> Offered {
            return switchControl(QString::fromLatin1(title), {});
        }};
}

void showPanel(ComparisonSettings& all, plot::ComparisonPanel panel, bool isShown) {
    std::vector<plot::ComparisonPanel> panels;
    for (const auto one : plot::kComparisonPanels) {
        if (one == panel ? isShown : all.shows(one))
            panels.push_back(one);
    }
    if (panels.empty())
        return;
    if (panels.size() == plot::kComparisonPanels.size())
        panels.clear();
    all.panels = std::move(panels);
}

constexpr std::array<const char*, plot::kComparisonPanels.size()> kPanelTitles{"Verdict", "Cards",
    "Where the step goes", "Curves", "Further reasons", "Configuration", "Operators that differ",
    "Longest kernels", "All quantities"};

ComparisonSetting panelSetting(plot::ComparisonPanel panel, const char* title) {
    return {QStringLiteral("panel-") + textOf(toString(panel)),
        [panel](const auto& all) { return QJsonValue(all.shows(panel)); },
        [panel](auto& all, const auto& value) { showPanel(all, panel, value.toBool()); },
        [title](const auto&, const auto&) -> Offered {
            return switchControl(QString::fromLatin1(title), {});
        }};
}

} // namespace

const ComparisonSettingList& comparisonSettings() {
    static const ComparisonSettingList list({normalisationSetting(), windowSetting(),
        alignmentSetting(), curveSetting(), orderSetting()});
    return list;
}

const ComparisonSettingList& boardLooks() {
    static const ComparisonSettingList list([] {
        std::vector<ComparisonSetting> looks{lookSetting(
                                                 "stacked", "Curves below each other",
                                                 [](auto& all) -> auto& { return all.stacked; }),
            lookSetting(
                "stretched", "Iterations to one length",
                [](auto& all) -> auto& { return all.query.stretched; }),
            lookSetting(
                "perStage", "Step of each stage", [](auto& all) -> auto& { return all.perStage; })};
        for (std::size_t i = 0; i < plot::kComparisonPanels.size(); ++i)
            looks.push_back(panelSetting(plot::kComparisonPanels[i], kPanelTitles[i]));
        return looks;
    }());
    return list;
}

void ComparisonLibrary::setWorkspace(Workspace* workspace) {
    m_workspace = workspace;
    m_known.clear();
    Q_EMIT changed();
    read();
}

Result<ComparisonLibrary::Known> ComparisonLibrary::knownIn(const store::Store& store) {
    ASSIGN_OR_RETURN(auto saved, savedComparisons(store));
    Known known;
    for (auto& comparison : saved)
        known[QString::fromStdString(comparison.name)] = std::move(comparison);
    return known;
}

void ComparisonLibrary::read() {
    if (!m_workspace)
        return m_task.cancel();
    m_task.ask(
        m_workspace->readers(),
        [](const store::Store& store, const TaskStage<Known>&) { return knownIn(store); },
        [this](Result<Known> known) {
            if (!known.hasValue()) {
                Q_EMIT failed(known.error());
                return;
            }
            m_known = std::move(known).value();
            Q_EMIT changed();
        });
}

QStringList ComparisonLibrary::names() const {
    return listOf(m_known, &Known::value_type::first);
}

const SavedComparison* ComparisonLibrary::find(const QString& name) const {
    const auto found = m_known.find(name);
    return found == m_known.end() ? nullptr : &found->second;
}

void ComparisonLibrary::save(const QString& name, const ComparisonSettings& settings, Done done) {
    write([key = name.toStdString(), settings](
              store::Store& store) { return saveComparison(store, key, settings); },
        std::move(done));
}

void ComparisonLibrary::rename(const QString& name, const QString& wanted, Done done) {
    write([from = name.toStdString(), to = wanted.toStdString()](
              store::Store& store) { return store::renameComparison(store, from, to); },
        std::move(done));
}

void ComparisonLibrary::remove(
    const QString& name, std::function<void(const SavedComparison& gone)> done) {
    const auto known = m_known.find(name);
    if (known == m_known.end())
        return;
    write([key = name.toStdString()](
              store::Store& store) { return store::removeComparison(store, key); },
        [done = std::move(done), gone = known->second] { done(gone); });
}

void ComparisonLibrary::putBack(const SavedComparison& removed, Done done) {
    write([key = removed.name, spec = comparisonText(removed.spec)](
              store::Store& store) { return store::saveComparison(store, key, spec); },
        std::move(done));
}

// Writes, then reads back: only the database can tell the runs of a comparison. It is read once
// more behind that, since a reading under way may be of before the change.
void ComparisonLibrary::write(std::function<Status(store::Store&)> work, Done done) {
    if (!m_workspace)
        return;
    const auto known = std::make_shared<std::optional<Known>>();
    m_workspace->change(
        [work = std::move(work), known](store::Store& store) -> Status {
            RETURN_IF_ERROR(work(store));
            if (auto now = knownIn(store); now.hasValue())
                *known = std::move(now).value();
            return {};
        },
        [library = QPointer(this), path = m_workspace->databasePath(), known,
            done = std::move(done)](const Status& written) {
            if (!library)
                return;
            if (!written.hasValue())
                Q_EMIT library->failed(written.error());
            if (!library->m_workspace || library->m_workspace->databasePath() != path)
                return;
            if (*known) {
                library->m_known = std::move(**known);
                Q_EMIT library->changed();
                done();
            }
            library->read(); // says why, where reading back failed
        });
}

} // namespace trainscope::app
