// Selection of the view Operators: its numbers and kernels, and the way to the timeline.
#include "app/viewmodels/operators/OperatorsController.h"
#include "app/viewmodels/text/HumanText.h"
#include "core/plot/operators/OperatorsText.h"

#include <algorithm>
#include <string>
#include <utility>

namespace trainscope::app {
namespace {

report::SourcedTable sourcedKernels(
    const QString& title, const std::vector<KernelsUnder>& kernels, const QString& note) {
    report::SourcedTable table{kernelsTable(title.toStdString(), kernels), {}};
    if (!note.isEmpty())
        table.table.notes.push_back(note.toStdString());
    for (const KernelsUnder& one : kernels)
        table.sources.push_back({0, one.name});
    return table;
}

const KernelsUnder* longestOf(const std::vector<KernelsUnder>& kernels) {
    const auto longest = std::max_element(
        kernels.begin(), kernels.end(), [](const KernelsUnder& one, const KernelsUnder& other) {
            return one.longest < other.longest;
        });
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
    if (!shown.note.empty())
        facts.push_back(
            {m_answer->difference ? QStringLiteral("Called by") : QStringLiteral("Inputs"),
                QString::fromStdString(shown.note)});
    add(plot::sourceFacts(shown.name));
    if (shown.pass != analysis::StepPass::None)
        facts.push_back(
            {QStringLiteral("Pass"), QString::fromStdString(plot::passTitle(shown.pass))});
    const bool isNode = !m_answer->difference && m_answer->question.by == OperatorsBy::Tree;
    if (isNode) {
        add(plot::factsOf(m_answer->work->tree.nodes[shown.source].sums));
        add(plot::factsOf(m_answer->work->efficiencies[shown.source]));
    } else {
        for (auto& [head, words] : operatorFigures(m_answer->outline, m_node))
            facts.push_back({head, words});
        if (!m_answer->difference)
            add(plot::assumptionsOf(m_answer->table->operators[shown.source].efficiency));
    }
    return facts;
}

void OperatorsController::describeNode() {
    const bool isShown = m_answer && m_node != OutlineNode::kNone;
    const bool isCompared = isShown && m_answer->difference;
    m_facts.setFacts(isShown ? factsOfNode() : std::vector<Fact>());
    m_under = isShown ? kernelsUnder(*m_answer, m_node) : std::vector<KernelsUnder>();
    m_otherUnder = isShown ? otherKernelsUnder(*m_answer, m_node) : std::vector<KernelsUnder>();
    const auto note = [&](std::int64_t steps) {
        const bool isOfStep = isCompared && m_answer->difference->difference.isPerStep();
        return isOfStep && steps > 1
            ? QStringLiteral("Of all %1 steps together.").arg(wholeText(steps))
            : QString();
    };
    const auto steps = isCompared ? std::pair{m_answer->difference->difference.stepsA,
                           m_answer->difference->difference.stepsB}
                                  : std::pair<std::int64_t, std::int64_t>();
    m_kernels.setTable(
        sourcedKernels(isCompared ? QStringLiteral("Kernels of A") : QStringLiteral("Kernels"),
            m_under, note(steps.first)));
    m_otherKernels.setTable(
        sourcedKernels(QStringLiteral("Kernels of B"), m_otherUnder, note(steps.second)));
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
        range = {clock->onReference(range.begin), clock->onReference(range.end)};
    if (isOfOther)
        showBoth(run);
    const auto rank = kernels.longestRank < 0 ? std::nullopt : std::optional(kernels.longestRank);
    views()->showOnTimeline({run, rank, range, {}});
}

// The second run beside those that are shown, so that the first stays.
void OperatorsController::showBoth(RunId other) {
    std::vector<RunId> shown;
    for (const auto& run : workspace()->shownRuns())
        shown.push_back(run.id);
    if (std::find(shown.begin(), shown.end(), other) != shown.end())
        return;
    shown.push_back(other);
    workspace()->setShown(shown);
}

void OperatorsController::showLongest(
    const std::vector<KernelsUnder>& kernels, const std::string& name, bool isOfOther) {
    const auto found = std::find_if(kernels.begin(), kernels.end(),
        [&name](const KernelsUnder& one) { return one.name == name; });
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
