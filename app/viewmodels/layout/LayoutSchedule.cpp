#include "app/viewmodels/layout/LayoutSchedule.h"

#include "app/viewmodels/text/Texts.h"

namespace trainscope::app {
namespace {

QString percentOf(double share) {
    return QString::fromStdString(text::percent(share));
}

using Iterations = std::vector<analysis::TracedIteration>;

// By duration; those that are traced whole where there are any.
Iterations byDuration(const Iterations& all) {
    Iterations sorted;
    std::copy_if(all.begin(), all.end(), std::back_inserter(sorted),
        [](const auto& one) { return one.isWhole; });
    if (sorted.empty())
        sorted = all;
    std::ranges::stable_sort(
        sorted, [](const auto& a, const auto& b) { return a.duration.ns < b.duration.ns; });
    return sorted;
}

std::vector<Fact> factsOf(const plot::ScheduleFigureData& data) {
    std::vector<Fact> facts;
    if (data.isEmpty())
        return facts;
    const auto bubble = [](const std::optional<double>& share) {
        return share ? percentOf(*share) : QStringLiteral("not traced");
    };
    facts.push_back({QStringLiteral("Pipeline bubbles, share of the step"), {}, true});
    for (int stage = 0; stage < data.stageCount(); ++stage) {
        const auto one = data.bubbleOf(stage);
        facts.push_back({QStringLiteral("Stage %1").arg(stage),
            bubble(data.traced ? one.traced : one.planned), false,
            data.traced && one.planned ? QStringLiteral("planned %1").arg(percentOf(*one.planned))
                                       : QString()});
    }
    if (!data.traced || data.traced->plans.empty())
        return facts;
    facts.push_back({QStringLiteral("The step against plans"), {}, true});
    for (const auto& fit : data.traced->plans)
        facts.push_back({textOf(titleOf(fit.kind)),
            QString::fromStdString(
                text::signedPercent(data.traced->traced.makespan / fit.makespan - 1.0)),
            false, QStringLiteral("its bubbles %1").arg(percentOf(fit.bubbleFraction))});
    return facts;
}

} // namespace

LayoutSchedule::LayoutSchedule(QObject* parent)
    : QObject(parent) { }

QString LayoutSchedule::text() const {
    if (m_data.isEmpty())
        return {};
    QStringList parts{textOf(m_data.kindTitle())};
    const auto& traced = m_data.traced;
    if (traced && traced->iteration)
        parts.append(QStringLiteral("iteration %1").arg(*traced->iteration));
    if (traced)
        parts.append(QStringLiteral("bubbles traced %1").arg(percentOf(traced->tracedBubble)));
    const auto planned = m_data.plannedBubble();
    if (planned && traced)
        parts.append(QStringLiteral("%1 planned (%2)")
                         .arg(percentOf(*planned), textOf(titleOf(m_data.planned()->kind))));
    else if (planned)
        parts.append(QStringLiteral("bubbles planned %1").arg(percentOf(*planned)));
    return parts.join(QStringLiteral(" · "));
}

QString LayoutSchedule::verdict() const {
    return m_data.traced ? textOf(analysis::planSentence(*m_data.traced)) : QString();
}

double LayoutSchedule::readablePart() const {
    constexpr double kPasses = 32.0;
    if (m_data.isEmpty())
        return 1.0;
    const auto& shown = m_data.traced ? *m_data.passes() : *m_data.planned();
    const double passes
        = static_cast<double>(shown.tasks.size()) / std::max(m_data.stageCount(), 1);
    return passes > kPasses ? kPasses / passes : 1.0;
}

plot::ScheduleFigureData LayoutSchedule::part(bool whole) const {
    plot::ScheduleFigureData shown = m_data;
    if (!whole)
        shown.to = shown.from + (shown.to - shown.from) * readablePart();
    return shown;
}

plot::ScheduleQuery LayoutSchedule::queryOf(RunId run, bool withTraces) const {
    plot::ScheduleQuery query;
    query.run = run;
    query.plannedOnly = !withTraces;
    query.plan = m_plan;
    const auto choices = iterationChoices();
    if (withTraces && static_cast<std::size_t>(m_iteration) < choices.size())
        query.iteration = choices[static_cast<std::size_t>(m_iteration)].iteration;
    return query;
}

std::vector<LayoutSchedule::Choice> LayoutSchedule::iterationChoices() const {
    std::vector<Choice> choices;
    if (m_iterations.empty())
        return choices;
    const auto sorted = byDuration(m_iterations);
    const auto slowest = sorted.back().index;
    const auto median = sorted[(sorted.size() - 1) / 2].index;
    choices.push_back({QStringLiteral("Best traced"), std::nullopt});
    choices.push_back({QStringLiteral("Slowest: %1").arg(slowest), slowest});
    choices.push_back({QStringLiteral("Median: %1").arg(median), median});
    constexpr std::size_t kMost = 500; // a longer list cannot be shown
    for (std::size_t i = 0; i < std::min(kMost, m_iterations.size()); ++i)
        choices.push_back({QString::number(m_iterations[i].index), m_iterations[i].index});
    return choices;
}

void LayoutSchedule::choose(const QString& key, int choice) {
    if (key == QLatin1String("iteration")) {
        if (choice < 0 || choice >= static_cast<int>(iterationChoices().size())
            || choice == m_iteration)
            return;
        m_iteration = choice;
    } else {
        const auto plan = choice > 0 && choice <= static_cast<int>(layout::kAllSchedules.size())
            ? std::optional(layout::kAllSchedules[static_cast<std::size_t>(choice - 1)])
            : std::nullopt;
        if (plan == m_plan)
            return;
        m_plan = plan;
    }
    refresh();
    Q_EMIT wanted();
}

void LayoutSchedule::setData(plot::ScheduleFigureData data) {
    m_data = std::move(data);
    refresh();
}

void LayoutSchedule::setIterations(std::vector<analysis::TracedIteration> iterations) {
    m_iterations = std::move(iterations);
    refresh();
}

void LayoutSchedule::forget() {
    m_data = {};
    m_iterations.clear();
    m_iteration = 0;
    m_plan.reset();
    refresh();
}

void LayoutSchedule::refresh() {
    std::vector<SettingRow> rows;
    QStringList iterations;
    for (const Choice& choice : iterationChoices())
        iterations.append(choice.title);
    if (!iterations.isEmpty())
        rows.push_back(choiceRow("iteration", QStringLiteral("Iteration"), iterations, m_iteration,
            QStringLiteral("Which traced iteration the chart shows")));
    QStringList plans{m_data.traced ? QStringLiteral("Nearest") : QStringLiteral("As laid out")};
    int current = 0;
    for (std::size_t i = 0; i < layout::kAllSchedules.size(); ++i) {
        plans.append(textOf(titleOf(layout::kAllSchedules[i])));
        if (m_plan == layout::kAllSchedules[i])
            current = static_cast<int>(i) + 1;
    }
    if (isShown())
        rows.push_back(choiceRow("plan", QStringLiteral("Plan"), plans, current,
            QStringLiteral("The planned schedule, with the durations of the traced passes")));
    m_rows.setRows(rows);
    m_facts.setFacts(factsOf(m_data));
    Q_EMIT changed();
}

} // namespace trainscope::app
