#include "app/viewmodels/prediction/RankedLayoutModel.h"

#include "app/viewmodels/text/HumanText.h"
#include "core/figures/prediction/RankedLayouts.h"
#include "core/text/Numbers.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace trainscope::app {
namespace {

constexpr auto kObjective = "objective";
constexpr auto kMemory = "memory";
constexpr auto kPowerShare = "power";
constexpr std::array kMemoryShares{1.0, 0.95, 0.9, 0.8, 0.7};
constexpr std::array kPowerShares{1.0, 0.9, 0.8, 0.7, 0.6}; // of the GPUs' own limits
constexpr std::size_t kRanked = 20;

QString numberOf(double value, const char* unit) {
    return QString::fromStdString(text::quantity(value, unit, text::Digits::Three));
}

template <typename Shares>
QStringList sharesOf(const Shares& shares, const QString& all) {
    QStringList texts{all};
    for (std::size_t i = 1; i < shares.size(); ++i)
        texts.append(QString::fromStdString(text::roundedPercent(shares[i])));
    return texts;
}

RankedRow rankedRowOf(
    const predict::RankedLayout& one, const std::optional<predict::LayoutChoice>& chosen) {
    const auto& made = one.prediction;
    RankedRow row;
    row.name = QString::fromStdString(figures::choiceWords(one.choice));
    row.cells = {QString::fromStdString(text::withInterval(
                     made.seconds, made.low, made.high, "s", text::Digits::Three)),
        numberOf(made.energyJ, "J"), numberOf(one.peakW, "W"), numberOf(made.memoryB, "B"),
        numberOf(made.tokensPerSecondPerGpu, "")};
    row.spoken = row.cells.join(QStringLiteral(", "));
    row.isOnFront = one.isPareto || one.isPowerPareto;
    row.isChosen = chosen && one.choice == *chosen;
    return row;
}

} // namespace

std::vector<SettingRow> rankingRows(const RankingSettings& settings) {
    const auto tr
        = [](const char* text) { return QCoreApplication::translate("RankedLayoutModel", text); };
    return {choiceRow(kObjective, tr("Rank by"), {tr("step time"), tr("energy"), tr("peak power")},
                static_cast<int>(settings.objective)),
        choiceRow(kMemory, tr("Memory"), sharesOf(kMemoryShares, tr("all")), settings.memory,
            tr("Of each GPU's memory, what may be used")),
        choiceRow(kPowerShare, tr("Power"), sharesOf(kPowerShares, tr("no limit")), settings.power,
            tr("Of all GPUs together, of the sum of their limits"))};
}

RankingSettings withRanking(const RankingSettings& settings, const QString& key, int choice) {
    RankingSettings changed = settings;
    if (!canChoose(rankingRows(settings), key, choice))
        return changed;
    if (key == QLatin1String(kObjective))
        changed.objective = predict::kAllObjectives[static_cast<std::size_t>(choice)];
    else if (key == QLatin1String(kMemory))
        changed.memory = choice;
    else
        changed.power = choice;
    return changed;
}

QJsonObject encodeRanking(const RankingSettings& settings) {
    return {{QLatin1String(kObjective), static_cast<int>(settings.objective)},
        {QLatin1String(kMemory), settings.memory}, {QLatin1String(kPowerShare), settings.power}};
}

RankingSettings decodeRanking(const QJsonObject& json) {
    RankingSettings settings;
    for (const char* key : {kObjective, kMemory, kPowerShare})
        settings
            = withRanking(settings, QLatin1String(key), json.value(QLatin1String(key)).toInt(0));
    return settings;
}

predict::SearchRequest searchOf(
    const predict::JobRequest& request, const RankingSettings& settings) {
    predict::SearchRequest search = predict::searchLike(request);
    search.memoryShare = kMemoryShares[static_cast<std::size_t>(settings.memory)];
    const auto& limit = request.cluster.gpu.powerLimitW;
    if (settings.power > 0 && limit)
        search.powerLimitW = kPowerShares[static_cast<std::size_t>(settings.power)] * *limit
            * request.cluster.gpus();
    search.objective = settings.objective;
    search.top = kRanked;
    return search;
}

RankedLayoutModel::RankedLayoutModel(QObject* parent)
    : RowListModel(
        {{"name", &RankedRow::name}, {"cells", &RankedRow::cells}, {"spoken", &RankedRow::spoken},
            {"onFront", &RankedRow::isOnFront}, {"chosen", &RankedRow::isChosen}},
        parent) { }

QStringList RankedLayoutModel::heads() {
    return {tr("Layout"), tr("Step (90 %)"), tr("Energy"), tr("Peak power"), tr("Memory"),
        tr("Tokens/s per GPU")};
}

void RankedLayoutModel::show(
    const predict::SearchResult& found, const std::optional<predict::LayoutChoice>& chosen) {
    std::vector<RankedRow> rows;
    for (const auto& one : found.top)
        rows.push_back(rankedRowOf(one, chosen));
    setRows(std::move(rows));
}

} // namespace trainscope::app
