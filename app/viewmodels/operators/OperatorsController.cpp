#include "app/viewmodels/operators/OperatorsController.h"

#include "app/viewmodels/inspector/KernelFigures.h"
#include "app/viewmodels/text/Texts.h"
#include "core/analysis/replay/Replay.h"
#include "core/figures/Kinds.h"
#include "core/plot/Theme.h"
#include "core/plot/operators/OperatorsText.h"

namespace trainscope::app {
namespace {

constexpr int kRestMs = 250;
constexpr std::string_view kCapture = "capture ";
constexpr std::string_view kIteration = "iteration ";
// Keys of the settings that say how rows and picture look, not of what they are.
const std::vector<std::string> kLooks{"path", "picture", "colour", "python"};
// Figures that an export can draw beside the pictures of the view: of the rows, and of the chosen
// runs.
constexpr std::array kRunFigures{std::pair{"operators-table", "What takes longest"},
    std::pair{"kernels", "Kernel time by category"},
    std::pair{"stage-breakdown", "Kernel time by pipeline stage"}};

bool isAmong(const std::vector<std::string>& all, const std::string& one) {
    return std::ranges::find(all, one) != all.end();
}

} // namespace

OperatorsController::OperatorsController(QObject* parent)
    : DrawnView(true, parent) {
    connect(&m_rows, &TableModel::sortWanted, this, &OperatorsController::sortBy);
    connect(&m_kernels, &TableModel::selected, this,
        [this](const report::RowSource& source) { showLongest(m_under, source.name, false); });
    connect(&m_otherKernels, &TableModel::selected, this,
        [this](const report::RowSource& source) { showLongest(m_otherUnder, source.name, true); });
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(&m_rest, &QTimer::timeout, this, &OperatorsController::askChange);
}

void OperatorsController::restore() {
    m_settings = operatorsSettings().restored({}, savedSettings(Views::Kernels));
    showSettings();
    load();
}

void OperatorsController::forget() {
    m_answer.reset();
    dropSelection();
    showRows();
    describeNode();
    Q_EMIT searchChanged();
    pictureChanged();
}

// Before the first signal of another answer: what listens reads the kernels of the selection.
void OperatorsController::dropSelection() {
    m_node = OutlineNode::kNone;
    m_root = 0;
    m_under.clear();
    m_otherUnder.clear();
}

OperatorsChoices OperatorsController::choices() const {
    OperatorsChoices choices;
    const Run* run = shownRun();
    if (run == nullptr)
        return choices;
    for (const Run& other : workspace()->runs()) {
        if (other.id != run->id && other.kind == RunKind::Measured)
            choices.others.push_back(other.name);
    }
    if (!m_answer || m_answer->reading->query.run != run->id)
        return choices;
    const figures::OperatorsReading& reading = *m_answer->reading;
    choices.ranks = reading.ranks;
    choices.hasModules = reading.work && reading.work->tree.hasModules;
    for (const std::string& capture : reading.captures)
        choices.parts.push_back(std::string(kCapture) + capture);
    choices.others.insert(choices.others.begin(), choices.parts.begin(), choices.parts.end());
    for (const std::int64_t iteration : reading.iterations)
        choices.parts.push_back(std::string(kIteration) + std::to_string(iteration));
    return choices;
}

void OperatorsController::showSettings() {
    auto rows = operatorsSettings().rows(m_settings, choices());
    const auto looks = std::stable_partition(rows.begin(), rows.end(),
        [](const SettingRow& row) { return !isAmong(kLooks, row.key.toStdString()); });
    m_lookRows.setRows({looks, rows.end()});
    rows.erase(looks, rows.end());
    m_settingRows.setRows(std::move(rows));
}

void OperatorsController::choose(const QString& key, int choice) {
    const OperatorsSettings changed = operatorsSettings().with(m_settings, choices(), key, choice);
    if (changed == std::exchange(m_settings, changed))
        return;
    setFigure(0);
    saveSettings(Views::Kernels, operatorsSettings().kept(m_settings));
    showSettings();
    load();
    pictureChanged();
}

figures::OperatorsQuery OperatorsController::wantedOf(RunId run) const {
    figures::OperatorsQuery query;
    query.run = run;
    const auto known = choices();
    // Another run may not have that rank.
    const bool isTraced = std::ranges::find(known.ranks, m_settings.rank) != known.ranks.end();
    if (m_settings.rank >= 0 && isTraced)
        query.rank = m_settings.rank;
    if (m_settings.of == OperatorsOf::Part) {
        // Another run may not have that part, either.
        if (!isAmong(known.parts, m_settings.part))
            return query;
        if (m_settings.part.starts_with(kCapture))
            query.capture = m_settings.part.substr(kCapture.size());
        else
            query.iteration = std::stoll(m_settings.part.substr(kIteration.size()));
        return query;
    }
    const auto stretch = views()->stretchOf(run);
    if (m_settings.of == OperatorsOf::Run || !stretch)
        return query;
    query.window = m_settings.of == OperatorsOf::Window ? stretch->window
                                                        : stretch->selection.value_or(kAllTime);
    query.clocks = stretch->clocks;
    return query;
}

std::optional<OperatorsQuestion> OperatorsController::wanted() const {
    const Run* run = shownRun();
    if (run == nullptr)
        return std::nullopt;
    OperatorsQuestion question;
    question.query = wantedOf(run->id);
    const Run* other = workspace()->findRun(QString::fromStdString(m_settings.against));
    if (other != nullptr && other->id != run->id)
        question.against = other->id;
    if (other == nullptr && isAmong(choices().parts, m_settings.against)) {
        question.against = run->id;
        question.againstCapture = m_settings.against.substr(kCapture.size());
        // A capture stands beside another one.
        if (question.query.capture.empty() || question.query.capture == question.againstCapture) {
            const auto& captures = m_answer->reading->captures;
            const bool isFirst = captures.front() == question.againstCapture;
            question.query.window = kAllTime;
            question.query.iteration.reset();
            question.query.capture = captures[isFirst ? 1 : 0];
        }
    }
    question.by = shownBy(m_settings.by, question.against.isValid());
    question.python = m_settings.flame.python;
    question.path = m_settings.path && !question.against.isValid();
    return question;
}

void OperatorsController::load() {
    showSettings();
    const auto question = wanted();
    if (!question) {
        endReading();
        if (m_answer)
            forget();
        return;
    }
    if (!isActive() || (m_answer && m_answer->question == *question && !isLoading()))
        return;
    read<OperatorsAnswerPtr>(
        QStringLiteral("Call tree"),
        [question = *question, known = m_answer](const store::Store& store,
            const Progress& progress) { return answerTo(store, question, known, progress); },
        [this](OperatorsAnswerPtr answer) { take(std::move(answer)); });
}

void OperatorsController::take(OperatorsAnswerPtr answer) {
    const bool isFirstOfRun
        = !m_answer || m_answer->reading->query.run != answer->reading->query.run;
    m_answer = std::move(answer);
    dropSelection();
    m_answer->outline.search(m_search.toStdString());
    selectOffered(std::nullopt);
    showSettings();
    showRows();
    describeNode();
    Q_EMIT searchChanged();
    pictureChanged();
    // The run's ranks are known now: a rank that was chosen before may be one of them.
    if (isFirstOfRun)
        load();
    if (!isLoading())
        askExtras();
}

void OperatorsController::askExtras() {
    const bool isAsked = m_answer->isByKernel() && !m_answer->difference && !m_answer->extras
        && m_answer->reading->work;
    if (!isAsked)
        return;
    readQuietly<OperatorsExtras>(
        [query = m_answer->question.query](const store::Store& store, const Progress& progress) {
            return readExtras(store, query, progress);
        },
        [this, answer = m_answer](OperatorsExtras extras) {
            if (answer != m_answer)
                return;
            takeExtras(std::make_shared<const OperatorsExtras>(std::move(extras)), *m_answer);
            m_answer->outline.search(m_search.toStdString());
            showRows();
            describeNode();
        });
}

void OperatorsController::takeSelection(const Evidence& evidence) {
    // One of the second run is no reason to leave the first.
    const bool isOfOther = m_answer && m_answer->question.against == evidence.run;
    if (evidence.run == m_selectedRun || isOfOther)
        return;
    m_selectedRun = evidence.run;
    load();
}

void OperatorsController::setSearch(const QString& words) {
    if (words == std::exchange(m_search, words))
        return;
    if (m_answer) {
        m_answer->outline.search(words.toStdString());
        showRows();
    }
    Q_EMIT searchChanged();
    pictureChanged();
}

QString OperatorsController::foundText() const {
    if (!m_answer || m_answer->outline.found().empty())
        return {};
    const auto& found = m_answer->outline.found();
    return QStringLiteral("%1 found").arg(wholeText(std::ranges::count(found, true)));
}

void OperatorsController::sortBy(int column, bool isDescending) {
    if (!m_answer)
        return;
    auto& outline = m_answer->outline;
    const auto columns = knownColumns(outline);
    const auto place = static_cast<std::size_t>(column);
    outline.sortBy(column == 0 ? -1 : static_cast<int>(columns.at(place - 1)), isDescending);
    showRows();
}

void OperatorsController::showRows() {
    const bool isTree = m_answer && m_answer->outline.isTree();
    const bool isCompared = m_answer && m_answer->difference;
    const auto grouping = isCompared ? analysis::OperatorGrouping::Operator
        : m_answer                   ? m_answer->grouping
                                     : analysis::OperatorGrouping::Shape;
    const QString head = !m_answer || isTree      ? QStringLiteral("Frame")
        : m_answer->by() == OperatorsBy::Kernel   ? QStringLiteral("Kernel")
        : m_answer->by() == OperatorsBy::Category ? QStringLiteral("Category")
                                                  : textOf(titleOf(grouping));
    m_rows.show(operatorContent(m_answer
            ? std::shared_ptr<const OperatorOutline>(m_answer, &m_answer->outline)
            : std::make_shared<const OperatorOutline>(),
        head));
    Q_EMIT rowChanged();
}

void OperatorsController::toggle(int row) {
    if (!m_answer || !m_rows.isThere(row))
        return;
    m_answer->outline.setUnfolded(static_cast<std::uint32_t>(*m_rows.rowAt(row)), !isUnfolded(row));
    showRows();
}

void OperatorsController::fold() {
    const int at = row();
    if (at < 0)
        return;
    if (isExpandable(at) && isUnfolded(at))
        return toggle(at);
    const auto parent = m_answer->outline.nodes()[m_node].parent;
    if (parent != OutlineNode::kNone)
        selectRow(m_rows.placeOf(parent));
}

void OperatorsController::unfold() {
    const int at = row();
    if (at < 0)
        return;
    if (isExpandable(at) && !isUnfolded(at))
        toggle(at);
    else if (isExpandable(at))
        selectRow(at + 1);
}

void OperatorsController::selectRow(int row) {
    if (!m_rows.isThere(row))
        return;
    m_node = static_cast<std::uint32_t>(*m_rows.rowAt(row));
    describeNode();
    markInPicture();
}

void OperatorsController::selectNode(std::uint32_t node) {
    if (node == OutlineNode::kNone)
        return;
    m_answer->outline.unfoldTo(node);
    m_node = node;
    showRows();
    describeNode();
}

// A caller of what fills the flame graph shows it with all that it calls again.
void OperatorsController::chooseOffered(std::size_t choice) {
    if (!m_answer)
        return;
    if (m_answer->difference)
        return selectNode(rowOfDifference(*m_answer, choice));
    if (m_settings.picture != OperatorsPicture::Flame)
        return selectNode(rowOfOperator(*m_answer, choice));
    selectNode(rowOfTreeNode(*m_answer, choice));
    const auto& nodes = m_answer->work->tree.nodes;
    for (std::uint32_t at = m_root; at != analysis::CallNode::kNone; at = nodes[at].parent) {
        if (at == choice && at != m_root) {
            m_root = at;
            return pictureChanged();
        }
    }
}

void OperatorsController::markInPicture() {
    if (!m_answer || m_node == OutlineNode::kNone)
        return;
    if (m_answer->difference) {
        const bool isTree = m_answer->outline.isTree();
        return selectOffered(
            isTree ? std::nullopt : std::optional(m_answer->outline.nodes()[m_node].source));
    }
    if (m_settings.picture == OperatorsPicture::Flame) {
        const auto node = treeNodeOf(*m_answer, m_node);
        return selectOffered(
            node == OutlineNode::kNone ? std::nullopt : std::optional<std::size_t>(node));
    }
    if (m_answer->by() != OperatorsBy::Tree)
        return selectOffered(m_answer->outline.nodes()[m_node].source); // none is of the idle time
    // The operator of the row's name and inputs.
    const auto& node = m_answer->work->tree.nodes[m_answer->outline.nodes()[m_node].source];
    const auto& tree = m_answer->work->tree;
    const auto& operators = m_answer->table->operators;
    const auto found = std::ranges::find_if(operators, [&](const auto& one) {
        return one.name == tree.names[node.name]
            && one.signature == tree.signatures[node.signature];
    });
    selectOffered(found == operators.end()
            ? std::nullopt
            : std::optional(static_cast<std::size_t>(found - operators.begin())));
}

bool OperatorsController::isZoomed() const {
    return m_root != 0 && m_settings.picture == OperatorsPicture::Flame && m_answer
        && !m_answer->difference;
}

bool OperatorsController::isZoomable() const {
    return m_answer && m_settings.picture == OperatorsPicture::Flame && m_node != OutlineNode::kNone
        && treeNodeOf(*m_answer, m_node) != OutlineNode::kNone;
}

void OperatorsController::zoom() {
    if (!isZoomable())
        return;
    m_root = treeNodeOf(*m_answer, m_node);
    pictureChanged();
}

void OperatorsController::showWhole() {
    m_root = 0;
    pictureChanged();
}

figures::Figure OperatorsController::figureOf(OperatorsPicture picture) const {
    if (m_answer->difference)
        return figures::differenceFigure(m_answer->difference);
    if (picture == OperatorsPicture::Roofline)
        return figures::rooflineFigure(m_answer->roofline);
    auto flame
        = figures::flameOf(*m_answer->reading, m_answer->work, m_root, m_settings.flame.colouring);
    if (m_answer->by() == OperatorsBy::Tree)
        flame.found = m_answer->outline.found();
    return figures::flameFigure(std::make_shared<const plot::FlameFigureData>(std::move(flame)));
}

plot::OperatorsHead OperatorsController::head() const {
    if (!m_answer)
        return {};
    if (m_answer->difference)
        return m_answer->difference->head;
    if (m_settings.picture == OperatorsPicture::Roofline)
        return m_answer->roofline->head;
    return figures::flameOf(*m_answer->reading, m_answer->work, m_root, m_settings.flame.colouring)
        .head;
}

plot::SheetTexts OperatorsController::texts() const {
    plot::SheetTexts texts = head();
    if (m_answer && m_answer->path && !m_answer->path->whyNothing.empty())
        texts.notes.push_back(m_answer->path->whyNothing);
    return texts;
}

bool OperatorsController::hasPicture(OperatorsPicture picture) const {
    if (!m_answer || !m_answer->reading->work)
        return false;
    return m_answer->difference                 ? !m_answer->difference->isEmpty()
        : picture == OperatorsPicture::Roofline ? !m_answer->roofline->isEmpty()
                                                : m_answer->reading->emptyText().empty();
}

// The picture that is shown stands first.
std::vector<OperatorsPicture> OperatorsController::pictures() const {
    if (!isReady())
        return {};
    std::vector<OperatorsPicture> all{m_settings.picture};
    if (m_answer->difference)
        return all;
    for (const auto picture : {OperatorsPicture::Flame, OperatorsPicture::Roofline}) {
        if (picture != m_settings.picture && hasPicture(picture))
            all.push_back(picture);
    }
    return all;
}

QStringList OperatorsController::figures() const {
    QStringList titles;
    for (const auto picture : pictures()) {
        titles.push_back(m_answer->difference        ? QStringLiteral("Differences")
                : picture == OperatorsPicture::Flame ? QStringLiteral("Flame graph")
                                                     : QStringLiteral("Roofline"));
    }
    for (const auto& [kind, title] : kRunFigures) {
        if (!titles.empty() && !m_answer->reading->work->tree.isOfHost)
            titles.push_back(QLatin1String(title));
    }
    return titles;
}

ExportJob OperatorsController::exportJob() const {
    const auto offered = pictures();
    if (offered.empty())
        return {};
    const auto chosen = static_cast<std::size_t>(
        std::clamp(chosenFigure(), 0, static_cast<int>(offered.size() + kRunFigures.size()) - 1));
    if (chosen >= offered.size())
        return runFigureJob(kRunFigures[chosen - offered.size()].first);
    const auto shown = figureOf(offered[chosen]);
    return exportJobOf(textOf(shown.kind), shown);
}

ExportJob OperatorsController::runFigureJob(const char* kind) const {
    if (kind == std::string_view(kRunFigures.front().first))
        return exportJobOf(textOf(kind), figures::operatorTableFigure(m_answer->table));
    const auto runs = workspace()->chosenRuns();
    std::vector<std::pair<RunId, std::string>> named;
    for (const Run& run : runs)
        named.emplace_back(run.id, run.name);
    ExportJob job;
    job.name = QString::fromStdString(figures::fileNameOf(kind, named));
    job.figure
        = [kind, runs, database = workspace()->databasePath().toStdString()](
              const figures::Request& asked, const Progress& progress) -> Result<figures::Figure> {
        ASSIGN_OR_RETURN(const auto store, store::Store::open(database, store::OpenMode::ReadOnly));
        figures::Request request = asked;
        request.runs = runs;
        request.areRunsNamed = true;
        return figures::load(*figures::findKind(kind), {store, progress}, request);
    };
    return job;
}

QVariantList OperatorsController::stepParts() const {
    QVariantList all;
    if (!m_answer || !m_answer->extras || m_answer->difference)
        return all;
    const analysis::TimeOfWork& work = m_answer->extras->work;
    std::vector<std::pair<std::string, double>> parts(
        work.categoriesS.begin(), work.categoriesS.end());
    std::ranges::stable_sort(parts, std::greater<>(), &std::pair<std::string, double>::second);
    const double host = std::min(m_answer->extras->waiting.seconds(), work.idleS);
    parts.insert(parts.end(), {{"host", host}, {"idle", work.idleS - host}});
    std::erase_if(parts, [](const auto& part) { return part.second <= 0.0; });
    for (const auto& [category, seconds] : parts) {
        const plot::Color color = plot::categoryColor(category);
        const QColor shown(color.r, color.g, color.b);
        const std::string name(category == "host" || category == "idle"
                ? category
                : analysis::KernelCategories::label(category));
        all.append(QVariantMap{{QStringLiteral("name"), textOf(name)},
            {QStringLiteral("share"), seconds / work.tracedS}, {QStringLiteral("color"), shown},
            {QStringLiteral("ink"), QColor(shown.lightnessF() < 0.5F ? Qt::white : Qt::black)},
            {QStringLiteral("tip"),
                textOf(fmt::format("{} {}, {}", name, text::roundedPercent(seconds / work.tracedS),
                    text::seconds(seconds / m_answer->stepCount())))}});
    }
    return all;
}

QString OperatorsController::stepTitle() const {
    if (stepParts().isEmpty())
        return {};
    const auto seconds = text::seconds(m_answer->extras->work.tracedS / m_answer->stepCount());
    return textOf(m_answer->reading->steps > 0
            ? fmt::format("Where a step goes, {} in the mean", seconds)
            : fmt::format("Where the traced time of {} goes", seconds));
}

namespace {

report::SourcedTable sourcedKernels(const QString& title, const std::vector<KernelsUnder>& kernels,
    const QString& note, bool isOfHost) {
    report::SourcedTable table{kernelsTable(title.toStdString(), kernels, isOfHost), {}};
    if (!note.isEmpty())
        table.table.notes.push_back(note.toStdString());
    for (const KernelsUnder& one : kernels)
        table.sources.push_back({0, one.name});
    return table;
}

const KernelsUnder* longestOf(const std::vector<KernelsUnder>& kernels) {
    const auto longest = std::ranges::max_element(kernels, {}, &KernelsUnder::longest);
    return longest == kernels.end() ? nullptr : &*longest;
}

} // namespace

std::vector<Fact> OperatorsController::factsOfNode() const {
    std::vector<Fact> facts;
    const auto add = [&facts](const auto& told) {
        for (const auto& [label, words] : told)
            facts.push_back({QString::fromStdString(label), QString::fromStdString(words)});
    };
    const OutlineNode& shown = m_answer->outline.nodes()[m_node];
    const bool isOfTable
        = !m_answer->difference && shown.source < m_answer->table->operators.size();
    if (m_answer->by() == OperatorsBy::Kernel && shown.source != OutlineNode::kNone) {
        const std::string& whole = isOfTable ? m_answer->table->operators[shown.source].kernel
                                             : m_answer->difference->operators[shown.source].name;
        if (whole != shown.name)
            add(std::vector{std::pair<std::string, std::string>{"Name", whole}});
    } else if (!shown.note.empty())
        facts.push_back({m_answer->difference ? QStringLiteral("Called by")
                : m_answer->isByKernel()      ? QStringLiteral("Of it")
                                              : QStringLiteral("Inputs"),
            QString::fromStdString(shown.note)});
    if (m_answer->isByKernel() && !m_answer->difference) {
        const std::string callers = launchersOf(*m_answer, m_node);
        const KernelsUnder* const longest = longestOf(m_under);
        if (!callers.empty())
            add(std::vector{std::pair<std::string, std::string>{"Called from", callers}});
        if (longest != nullptr && m_answer->reading->ranks.size() > 1)
            add(std::vector{std::pair<std::string, std::string>{"Longest call",
                fmt::format(
                    "{} on rank {}", text::duration(longest->longest), longest->longestRank)}});
    }
    add(plot::sourceFacts(shown.name));
    if (shown.pass != analysis::StepPass::None)
        facts.push_back(
            {QStringLiteral("Pass"), QString::fromStdString(plot::passTitle(shown.pass))});
    const bool isNode = !m_answer->difference && m_answer->by() == OperatorsBy::Tree;
    if (isNode) {
        add(plot::factsOf(
            m_answer->work->tree.nodes[shown.source].sums, m_answer->work->tree.isOfHost));
        add(plot::factsOf(m_answer->work->efficiencies[shown.source]));
    } else {
        for (auto& [head, words] : operatorFigures(m_answer->outline, m_node))
            facts.push_back({head, words});
        if (isOfTable)
            add(plot::assumptionsOf(m_answer->table->operators[shown.source].efficiency));
    }
    return facts;
}

// A row as a change of the replay names it; empty: frames and shapes are not told apart there.
std::string OperatorsController::subjectOfNode() const {
    if (m_answer->difference || m_answer->work->tree.isOfHost)
        return {};
    const OutlineNode& shown = m_answer->outline.nodes()[m_node];
    if (shown.source == OutlineNode::kNone)
        return "host";
    if (m_answer->by() == OperatorsBy::Tree)
        return {};
    const plot::MeasuredOperator& one = m_answer->table->operators[shown.source];
    switch (m_answer->by()) {
    case OperatorsBy::Kernel:
        return "kernel:" + one.kernel;
    case OperatorsBy::Category:
        return (one.category == "copy" ? "kind:" : "category:") + one.category;
    case OperatorsBy::Operator:
        return "operator:" + one.name;
    default:
        return {};
    }
}

void OperatorsController::setFactor(double factor) {
    if (factor == std::exchange(m_factor, factor))
        return;
    m_changeTask.cancel();
    m_rest.start();
    sayChange(QStringLiteral("Replaying…"));
}

void OperatorsController::sayChange(const QString& text) {
    m_changeText = text;
    Q_EMIT changeChanged();
}

void OperatorsController::askChange() {
    if (!isChangeable() || workspace() == nullptr)
        return;
    m_changeTask.ask(
        workspace()->readers(),
        [query = m_answer->question.query, subject = m_subject, factor = m_factor](
            const store::Store& store, const TaskStage<QString>& stage) -> Result<QString> {
            ASSIGN_OR_RETURN(const auto run, figures::runOf(store, query.run));
            const std::string change = fmt::format("{}={:.2f}x", subject, factor);
            ASSIGN_OR_RETURN(const auto replay,
                analysis::replayOf({store, run, stage.progress()},
                    {query.capture, query.iteration, false, {change}, true}));
            return whatIfText(fmt::format("{:.2f} × its time", factor), replay) + QLatin1Char('\n')
                + textOf(replay.changes.back().assumption);
        },
        [this](const Result<QString>& answer) {
            sayChange(answer.hasValue() ? answer.value() : shownText(answer.error()));
        });
}

void OperatorsController::describeNode() {
    const bool isShown = m_answer && m_node != OutlineNode::kNone;
    const bool isCompared = isShown && m_answer->difference;
    const std::string subject = isShown ? subjectOfNode() : std::string();
    if (subject != std::exchange(m_subject, subject)) {
        m_factor = 1.0;
        m_rest.stop();
        m_changeTask.cancel();
        sayChange({});
    }
    m_under = isShown ? kernelsUnder(*m_answer, m_node) : std::vector<KernelsUnder>();
    m_otherUnder = isShown ? otherKernelsUnder(*m_answer, m_node) : std::vector<KernelsUnder>();
    m_facts.setFacts(isShown ? factsOfNode() : std::vector<Fact>());
    const auto note = [&](std::int64_t steps) {
        const bool isOfStep = isCompared && m_answer->difference->difference.isPerStep();
        return isOfStep && steps > 1
            ? QStringLiteral("The sums of all %1 steps.").arg(wholeText(steps))
            : QString();
    };
    const auto steps = isCompared ? std::pair{m_answer->difference->difference.stepsA,
                           m_answer->difference->difference.stepsB}
                                  : std::pair<std::int64_t, std::int64_t>();
    const bool isOfHost = isShown && m_answer->work && m_answer->work->tree.isOfHost;
    const QString what = isOfHost ? QStringLiteral("Calls") : QStringLiteral("Kernels");
    m_kernels.setTable(sourcedKernels(isCompared ? QStringLiteral("%1 of A").arg(what) : what,
        m_under, note(steps.first), isOfHost));
    m_otherKernels.setTable(sourcedKernels(
        QStringLiteral("%1 of B").arg(what), m_otherUnder, note(steps.second), isOfHost));
    Q_EMIT rowChanged();
}

QString OperatorsController::rowTitle() const {
    return m_answer && m_node != OutlineNode::kNone
        ? QString::fromStdString(m_answer->outline.nodes()[m_node].name)
        : QString();
}

// Kernels that openSelected() shows: those of the second run where its are the longer ones.
std::pair<const KernelsUnder*, bool> OperatorsController::longestKernel() const {
    const KernelsUnder* const own = longestOf(m_under);
    const KernelsUnder* const other = longestOf(m_otherUnder);
    const bool isOfOther = other != nullptr && (own == nullptr || own->longest < other->longest);
    return {isOfOther ? other : own, isOfOther};
}

QString OperatorsController::timelineText() const {
    const auto [longest, isOfOther] = longestKernel();
    if (longest == nullptr)
        return QStringLiteral("Show on the timeline");
    const auto& reading = isOfOther ? *m_answer->other : *m_answer->reading;
    const bool isTold = reading.query.rank || reading.ranks.size() < 2;
    return isTold ? QStringLiteral("Show on the timeline")
                  : QStringLiteral("Show rank %1 on the timeline").arg(longest->longestRank);
}

// Shows kernels in the timeline, on the clock of their rank: clocks may differ.
void OperatorsController::show(const KernelsUnder& kernels, bool isOfOther) {
    const RunId run = (isOfOther ? m_answer->other : m_answer->reading)->query.run;
    TimeRange range{kernels.longestAt, kernels.longestAt + kernels.longest};
    const auto stretch = views()->stretchOf(run);
    const auto* const clock
        = stretch && stretch->clocks ? stretch->clocks->find(kernels.longestRank) : nullptr;
    if (clock != nullptr)
        range = clock->onReference(range);
    if (isOfOther)
        workspace()->showBeside({run}); // the first stays
    const auto rank = kernels.longestRank < 0 ? std::nullopt : std::optional(kernels.longestRank);
    views()->showOnTimeline({run, rank, range, {}});
}

void OperatorsController::showLongest(
    const std::vector<KernelsUnder>& kernels, const std::string& name, bool isOfOther) {
    const auto found = std::ranges::find(kernels, name, &KernelsUnder::name);
    if (found != kernels.end())
        show(*found, isOfOther);
}

void OperatorsController::openRow(int row) {
    selectRow(row);
    openSelected();
}

void OperatorsController::openSelected() {
    const auto [longest, isOfOther] = longestKernel();
    if (longest != nullptr)
        show(*longest, isOfOther);
}

} // namespace trainscope::app
