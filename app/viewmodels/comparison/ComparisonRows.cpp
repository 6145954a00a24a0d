#include "app/viewmodels/comparison/ComparisonRows.h"

#include "app/viewmodels/text/Translated.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace trainscope::app {
namespace {

using analysis::Normalisation;
using plot::ComparisonAlignment;

constexpr std::array kNormalisations{Normalisation::Absolute, Normalisation::PerGpu,
    Normalisation::PerNode, Normalisation::PerToken};

// The chosen one is always among them, known or not.
std::vector<plot::FigureChoice> withChosen(
    std::vector<plot::FigureChoice> offered, const plot::FigureChoice& chosen) {
    const bool known = std::any_of(offered.begin(), offered.end(),
        [&chosen](const plot::FigureChoice& choice) { return choice.key == chosen.key; });
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
    const bool known = std::find(iterations.begin(), iterations.end(), settings.query.iteration)
        != iterations.end();
    if (isChosen && !known) {
        iterations.push_back(settings.query.iteration);
        std::sort(iterations.begin(), iterations.end());
    }
    return iterations;
}

constexpr int kBeforeIterations = 2; // folded, start

SettingRow alignmentRow(const ComparisonSettings& settings, const ComparisonOffers& offers) {
    SettingRow row = choiceRow("align", translated("Align"),
        {translated("All iterations, folded"), translated("Start of the runs")}, 0,
        translated("What stands at 0 of the time axis"));
    const auto iterations = iterationsWith(settings, offers);
    for (const auto iteration : iterations)
        row.choices.append(translated("Iteration %1").arg(iteration));
    if (settings.query.alignment == ComparisonAlignment::Start)
        row.current = 1;
    else if (settings.query.alignment == ComparisonAlignment::Iteration)
        row.current = kBeforeIterations + indexIn(iterations, settings.query.iteration);
    return row;
}

void takeAlignment(ComparisonSettings& settings, const ComparisonOffers& offers, int choice) {
    const auto iterations = iterationsWith(settings, offers);
    if (choice < kBeforeIterations) {
        settings.query.alignment
            = choice == 0 ? ComparisonAlignment::Folded : ComparisonAlignment::Start;
        settings.query.iteration = 0;
        return;
    }
    settings.query.alignment = ComparisonAlignment::Iteration;
    settings.query.iteration = iterations[static_cast<std::size_t>(choice - kBeforeIterations)];
}

constexpr int kBeforeQuantities = 1; // as listed

std::vector<plot::FigureChoice> quantitiesWith(
    const ComparisonOffers& offers, const std::string& chosen) {
    const auto place = analysis::quantityIndex(chosen);
    return place
        ? withChosen(offers.quantities, {chosen, analysis::comparedQuantities()[*place].title})
        : offers.quantities;
}

SettingRow sortRow(const ComparisonSettings& settings, const ComparisonOffers& offers) {
    SettingRow row = choiceRow("sort", translated("Order"), {translated("As listed")}, 0,
        translated("The runs behind the base, the best first"));
    const auto quantities = quantitiesWith(offers, settings.query.sortedBy);
    row.choices += titlesOf(quantities);
    if (!settings.query.sortedBy.empty())
        row.current = kBeforeQuantities + indexOf(quantities, settings.query.sortedBy);
    return row;
}

void takeOrder(ComparisonSettings& settings, const ComparisonOffers& offers, int choice) {
    const auto quantities = quantitiesWith(offers, settings.query.sortedBy);
    settings.query.sortedBy = choice < kBeforeQuantities
        ? std::string()
        : quantities[static_cast<std::size_t>(choice - kBeforeQuantities)].key;
}

} // namespace

std::vector<SettingRow> comparisonRows(
    const ComparisonSettings& settings, const ComparisonOffers& offers) {
    const auto& query = settings.query;
    const auto curves = metricsWith(offers, query.curveMetric);
    const auto heat = metricsWith(offers, query.heatMetric);
    const auto statistics = plot::figureStatistics(query.heatMetric);
    std::vector<SettingRow> rows{
        choiceRow("normalise", translated("Normalise"),
            {translated("Absolute"), translated("Per GPU"), translated("Per node"),
                translated("Per token")},
            indexIn(kNormalisations, query.normalisation),
            translated("What grows with the machine or the batch is divided")),
        choiceRow("window", translated("Part"),
            {translated("Settled iterations"), translated("Whole run")}, query.wholeRun ? 1 : 0),
        alignmentRow(settings, offers),
        choiceRow(
            "curve", translated("Curve"), titlesOf(curves), indexOf(curves, query.curveMetric)),
        choiceRow("heat", translated("Heat map"), titlesOf(heat), indexOf(heat, query.heatMetric)),
        choiceRow("statistic", translated("Statistic"), titlesOf(statistics),
            indexOf(statistics, plot::toString(query.heatStatistic))),
    };
    // Two have no order but which is the first.
    if (offers.runs > 2)
        rows.push_back(sortRow(settings, offers));
    return rows;
}

ComparisonSettings withChoice(const ComparisonSettings& settings, const ComparisonOffers& offers,
    const QString& key, int choice) {
    if (!canChoose(comparisonRows(settings, offers), key, choice))
        return settings;
    ComparisonSettings changed = settings;
    auto& query = changed.query;
    const auto at = static_cast<std::size_t>(choice);
    if (key == QLatin1String("normalise"))
        query.normalisation = kNormalisations[at];
    else if (key == QLatin1String("window"))
        query.wholeRun = choice == 1;
    else if (key == QLatin1String("align"))
        takeAlignment(changed, offers, choice);
    else if (key == QLatin1String("sort"))
        takeOrder(changed, offers, choice);
    else if (key == QLatin1String("curve"))
        query.curveMetric = metricsWith(offers, query.curveMetric)[at].key;
    else if (key == QLatin1String("heat")) {
        query.heatMetric = metricsWith(offers, query.heatMetric)[at].key;
        if (query.heatMetric != settings.query.heatMetric)
            query.heatStatistic = plot::usualStatistic(query.heatMetric);
    } else if (key == QLatin1String("statistic"))
        query.heatStatistic
            = plot::figureStatisticFromString(plot::figureStatistics(query.heatMetric)[at].key)
                  .value_or(query.heatStatistic);
    return changed;
}

QStringList panelTitles() {
    return {translated("Verdict"), translated("Cards"), translated("Where the step goes"),
        translated("Heat maps"), translated("Curves"), translated("Aligned timelines"),
        translated("Further reasons"), translated("Configuration"), translated("Longest kernels"),
        translated("All quantities")};
}

} // namespace trainscope::app
